"""A mark of tests, and the name of what fails where a test goes through many small cases."""

from contextlib import contextmanager

import pytest

slow = pytest.mark.slow


@contextmanager
def about(case):
    """Name the case that fails: hundreds of cases of a millisecond cost more as tests of their own than they take."""
    try:
        yield
    except BaseException as error:  # what `pytest.raises` raises is no Exception
        error.add_note(f"case: {case}")
        raise
