"""Marks of tests; and a decorator that runs many small cases in one test and names the case that fails."""

import functools
import inspect
from contextlib import contextmanager

import pytest

slow, process = pytest.mark.slow, pytest.mark.process


@contextmanager
def about(case):
    """Add the name of the case to an error: hundreds of short cases would take longer as tests of their own."""
    try:
        yield
    except BaseException as error:  # what `pytest.raises` raises is no Exception
        error.add_note(f"case: {case}")
        raise


def cases(names, values):
    """Run many cases in one test; ``pytest.mark.parametrize`` would make a test of each. Cases share the fixtures.

    Args:
        names: of the test's arguments, with commas between them.
        values: for each case one value, or a tuple of as many as there are names. A mapping also names the cases.
    """
    given = names.split(",")
    named = list(values.items()) if hasattr(values, "items") else [(repr(value), value) for value in values]

    def looped(test):
        @functools.wraps(test)
        def loop(**fixtures):
            skipped = []
            for name, case in named:
                with about(name):
                    try:
                        test(**fixtures, **dict(zip(given, case if len(given) > 1 else [case], strict=True)))
                    except pytest.skip.Exception as lacking:
                        skipped.append(lacking)
            if len(skipped) == len(named):
                raise skipped[0]

        whole = inspect.signature(test)
        loop.__signature__ = whole.replace(parameters=[p for p in whole.parameters.values() if p.name not in given])
        return loop

    return looped
