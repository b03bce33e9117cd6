"""A mark of tests."""

import pytest

slow = pytest.mark.slow
