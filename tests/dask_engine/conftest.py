"""Plans of many small tasks, and a scheduler of this process."""

import pytest


@pytest.fixture
def many_tasks(monkeypatch):
    """Let a few rows be worth a task, so that small tables are cut as large ones are."""
    monkeypatch.setattr("arraycoref.interop.ranges.LEAST_ROWS", 8)


@pytest.fixture
def threads():
    """Dask on two threads of this process."""
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="threads", num_workers=2):
        yield
