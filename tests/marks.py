"""Marks of tests, and loops through many small cases, with the name of the case that fails."""

import functools
import inspect
from contextlib import contextmanager

import pytest

slow, process = pytest.mark.slow, pytest.mark.process


@contextmanager
def about(case):
    """Name the case that fails: hundreds of cases of a millisecond cost more as tests of their own than they take."""
    try:
        yield
    except BaseException as error:  # what `pytest.raises` raises is no Exception
        error.add_note(f"case: {case}")
        raise


def cases(names, values):
    """Put cases through one test, as ``pytest.mark.parametrize`` makes a test of each; they share its fixtures.

    Args:
        names: of the test's arguments, with commas between them.
        values: one for each case, or as many as there are names; a mapping gives the cases names.
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
