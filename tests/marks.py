"""A mark of tests."""

import os

import pytest

slow = pytest.mark.skipif("ARRAYCOREF_SLOW" not in os.environ, reason="set ARRAYCOREF_SLOW=1 for the slow tests too")
