"""Make tasks of Dask, connect to the cluster or the threads that run them, run them and report their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from arraycoref.deadline import check_time
from arraycoref.errors import ArraycorefError, InputError
from arraycoref.runtime import import_extra, thread_count
from arraycoref.scoring.batch import Progress

Task = Any
"""A ``dask.delayed.Delayed``."""


def task(function: Callable[..., Any], *arguments: Any, **others: Any) -> Task:
    """Make a task that calls a function.

    Args:
        function: what to call.
        *arguments: tasks among these, or in lists among these, run first; the function receives their results.
        **others: keyword arguments that hold no tasks. Dask does not search them for tasks, which would take as long as
            everything else.
    """
    from dask.delayed import delayed

    return delayed(partial(function, **others), pure=False, traverse=False)(*arguments)


def summed(parts: Sequence[Task], join: Callable[..., Any], fan_in: int, *arguments: Any) -> Task:
    """Make a tree of tasks, each of which joins the results of some tasks of the level below; return its root.

    Args:
        parts: the tasks of the lowest level, one or more.
        join: takes a list of results, and ``arguments``.
        fan_in: the most results that one task joins.
        *arguments: further arguments of ``join``.
    """
    while len(parts) > 1:
        parts = [task(join, parts[first : first + fan_in], *arguments) for first in range(0, len(parts), fan_in)]
    return parts[0]


def require_dask() -> None:
    """Raise MissingDependencyError unless Dask is installed."""
    import_extra("dask.delayed", "scoring in partitions needs Dask", "dask")


def current_client(client: Any = None) -> Any:
    """Return the ``distributed.Client`` that Dask would send tasks to, None if it would run them in this process.

    Args:
        client: returned, if it is given.

    Raises:
        InputError: a ``client`` of another kind.
    """
    if client is not None:
        if not hasattr(client, "nthreads"):
            raise InputError(f"client is {client!r:.60}; expected a distributed.Client")
        return client
    from dask.base import get_scheduler

    owner = getattr(get_scheduler(), "__self__", None)
    return owner if hasattr(owner, "nthreads") else None


def thread_total(client: Any) -> int:
    """Return the number of threads that tasks will run on, at least 1."""
    if client is not None:
        return max(sum(map(int, client.nthreads().values())), 1)
    import dask

    workers = dask.config.get("num_workers", None)
    return int(workers) if workers else thread_count(0)


def run_tasks(
    wanted: Sequence[Task], watched: Sequence[Task], client: Any = None, progress: Progress | None = None
) -> list[Any]:
    """Run tasks, and the tasks that they depend on.

    If a worker dies, other workers run its tasks again.

    Args:
        wanted: tasks whose results are returned.
        watched: tasks whose ends are counted as progress: the wanted ones, or some that they depend on.
        client: a ``distributed.Client``; None for Dask's scheduler in this process.
        progress: called with the number of watched tasks that are done, which never falls, and the number of all.

    Raises:
        ArraycorefError: an error of a task; or workers die again and again over one task.
    """
    if client is None:
        return _run_here(wanted, watched, progress)
    from distributed import KilledWorker, as_completed

    is_wanted, is_watched = {one.key for one in wanted}, {one.key for one in watched}
    every = {one.key: one for one in (*watched, *wanted)}
    futures = {future.key: future for future in client.compute(list(every.values()))}
    results: dict[str, Any] = {}
    done = 0
    try:
        for future in as_completed(list(futures.values()), loop=client.loop):
            check_time()
            if future.key in is_wanted or future.status != "finished":
                results[future.key] = future.result()
            del futures[future.key]  # lets the cluster free the result, which nobody needs now
            if future.key in is_watched:
                done += 1
                if progress is not None:
                    progress(done, len(watched))
    except KilledWorker as error:
        raise ArraycorefError(
            "workers died again and again over one task, probably for lack of memory; expected more memory per worker, "
            f"fewer threads, or smaller partitions ({error})"
        ) from error
    finally:
        if futures:
            client.cancel(list(futures.values()))
    return [results[one.key] for one in wanted]


def _run_here(wanted: Sequence[Task], watched: Sequence[Task], progress: Progress | None) -> list[Any]:
    """Run tasks on the scheduler that Dask is configured for, threads by default."""
    import dask
    from dask.callbacks import Callback

    names, done = {one.key for one in watched}, 0

    def after(key: Any, _result: object, _graph: object, _state: object, _worker: object) -> None:
        nonlocal done
        check_time()
        if key in names:
            done += 1
            if progress is not None:
                progress(done, len(names))

    with Callback(posttask=after):
        return list(dask.compute(*wanted))


@contextmanager
def connected(address: str | None, threads: int = 1) -> Iterator[Any]:
    """Connect to a cluster, and disconnect at the end; the cluster keeps running.

    Args:
        address: of its scheduler, such as ``tcp://host:8786``; None for threads of this process.
        threads: number of threads of this process, if there is no address; 0 for one per core.

    Yields:
        A ``distributed.Client``; None for threads. Until the end, Dask is configured to use this client or the threads.

    Raises:
        InputError: an address that is malformed.
        OSError: no scheduler answers at the address.
        MissingDependencyError: Dask is not installed.
    """
    require_dask()
    import dask

    if address is None:
        with dask.config.set(scheduler="threads", num_workers=thread_count(threads)):
            yield None
        return
    distributed = import_extra("distributed", "a cluster needs distributed", "dask")
    try:
        client = distributed.Client(address, set_as_default=False)  # a default would stay set if nobody answers
    except ValueError as error:
        raise InputError(f"scheduler is {address!r}; expected an address such as tcp://host:8786 ({error})") from None
    with client, dask.config.set(scheduler=client):
        yield client
