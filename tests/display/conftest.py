"""Two documents whose sums are easy to check by hand, by either profile."""

import made
import pytest


@pytest.fixture
def paper():
    return made.batch()


@pytest.fixture
def conll():
    return made.batch(profile="conll")
