"""Where the tasks of one command run: a cluster by its address, or threads of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arraycoref.dask.tasks import require_dask
from arraycoref.errors import InputError, MissingDependencyError
from arraycoref.threads import thread_count


@contextmanager
def connected(address: str | None, threads: int = 1) -> Iterator[Any]:
    """Connect to a cluster, and part from it in the end; it keeps running.

    Args:
        address: of its scheduler, such as ``tcp://host:8786``; None for threads of this process.
        threads: how many of these; 0 for one a core.

    Yields:
        A ``distributed.Client``; None for threads, which Dask is then configured for.

    Raises:
        InputError: no address.
        OSError: nobody answers there.
        MissingDependencyError: Dask is not installed.
    """
    require_dask()
    if address is None:
        import dask

        with dask.config.set(scheduler="threads", num_workers=thread_count(threads)):
            yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependencyError(
            "a cluster needs distributed; install with: pip install arraycoref[dask]"
        ) from None
    try:
        client = Client(address)
    except ValueError as error:
        raise InputError(f"scheduler is {address!r}; expected an address such as tcp://host:8786 ({error})") from None
    with client:
        yield client
