"""Systems on shared documents, as fixtures."""

import pytest
from stats_data import scored


@pytest.fixture(scope="session")
def a():
    return scored(1)


@pytest.fixture(scope="session")
def b():
    return scored(2, wrong=0.4)


@pytest.fixture(scope="session")
def runs():
    return {f"s{seed}": scored(seed, n_documents=40, wrong=0.1 * seed) for seed in range(1, 6)}
