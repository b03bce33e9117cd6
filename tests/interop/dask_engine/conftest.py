"""A scheduler of this process."""

import pytest


@pytest.fixture
def threads():
    """Dask on two threads of this process."""
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="threads", num_workers=2):
        yield
