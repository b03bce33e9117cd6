"""Make tasks of Dask, connect to where they run, a cluster or threads of this process, run and watch them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from arraycoref.batch import Progress
from arraycoref.deadline import check_time
from arraycoref.errors import ArraycorefError, InputError
from arraycoref.lazy import need
from arraycoref.threads import thread_count

Task = Any
"""A ``dask.delayed.Delayed``."""


def task(function: Callable[..., Any], *arguments: Any, **others: Any) -> Task:
    """Make a task that calls a function.

    Args:
        function: what to call.
        *arguments: tasks among these, in lists too, are done before.
        **others: arguments that hold no tasks. Dask does not look through them, which would take as long as the rest.
    """
    from dask.delayed import delayed

    return delayed(partial(function, **others), pure=False, traverse=False)(*arguments)


def summed(parts: Sequence[Task], join: Callable[..., Any], fan_in: int, *arguments: Any) -> Task:
    """Make tasks that join the results of so many tasks each, level by level, and return the last of them.

    Args:
        parts: tasks, one at least.
        join: takes a list of results, and the arguments.
        fan_in: results that a task joins.
        *arguments: for ``join``.
    """
    while len(parts) > 1:
        parts = [task(join, parts[first : first + fan_in], *arguments) for first in range(0, len(parts), fan_in)]
    return parts[0]


def require_dask() -> None:
    """Raise MissingDependencyError unless Dask is installed."""
    need("dask.delayed", "scoring in partitions needs Dask", "dask")


def current_client(client: Any = None) -> Any:
    """Return the ``distributed.Client`` that tasks would go to, None where Dask would run them in this process.

    Raises:
        InputError: something else was given.
    """
    if client is not None:
        if not hasattr(client, "nthreads"):
            raise InputError(f"client is {client!r:.60}; expected a distributed.Client")
        return client
    from dask.base import get_scheduler

    owner = getattr(get_scheduler(), "__self__", None)
    return owner if hasattr(owner, "nthreads") else None


def thread_total(client: Any) -> int:
    """Number of threads that tasks will run on, 1 at least."""
    if client is not None:
        return max(sum(map(int, client.nthreads().values())), 1)
    import dask

    workers = dask.config.get("num_workers", None)
    return int(workers) if workers else thread_count(0)


def run_tasks(
    wanted: Sequence[Task], watched: Sequence[Task], client: Any = None, progress: Progress | None = None
) -> list[Any]:
    """Run tasks, and those that they need.

    Tasks that a worker loses when it dies are done again by another.

    Args:
        wanted: tasks whose results are returned.
        watched: tasks whose ends are counted, the wanted ones or some that they need.
        client: a ``distributed.Client``; None for Dask's scheduler in this process.
        progress: called with the number of watched tasks done, which never falls, and their number.

    Raises:
        ArraycorefError: what a task raises, or workers that die again and again over one task.
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
            del futures[future.key]  # so that the cluster may forget what nobody waits for
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
    import dask

    if address is None:
        with dask.config.set(scheduler="threads", num_workers=thread_count(threads)):
            yield None
        return
    distributed = need("distributed", "a cluster needs distributed", "dask")
    try:
        client = distributed.Client(address, set_as_default=False)  # it would stay where nobody answers
    except ValueError as error:
        raise InputError(f"scheduler is {address!r}; expected an address such as tcp://host:8786 ({error})") from None
    with client, dask.config.set(scheduler=client):
        yield client
