"""Show how far a long call has come: a bar in terminals and notebooks, or whatever function the user gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

from arraycoref.errors import OptionError
from arraycoref.lazy import need

F = TypeVar("F", bound=Callable[..., Any])


def with_bar(function: F) -> F:
    """Let a function whose option ``progress`` is a function of two numbers, done and total, also accept True or False.

    True shows a bar. Also refuse a ``report`` that cannot be called, before hours of work.
    """

    @wraps(function)
    def shown(*args: Any, **options: Any) -> Any:
        progress, report = options.get("progress"), options.get("report")
        if report is not None and not callable(report):
            raise OptionError(f"report is {report!r:.60}; expected a function that takes a fault, or None")
        if progress is None or callable(progress):
            return function(*args, **options)
        if not isinstance(progress, bool):
            raise OptionError(
                f"progress is {progress!r:.60}; expected True for a bar, a function of two numbers, or None"
            )
        if not progress:
            return function(*args, **options | {"progress": None})
        with bar() as show:
            return function(*args, **options | {"progress": show})

    return cast("F", shown)


@contextmanager
def bar() -> Iterator[Callable[[int, int], None]]:
    """Open a bar, on standard error or in the notebook, and close it in the end.

    Raises:
        MissingDependencyError: tqdm is not installed.
    """
    shown = need("tqdm.auto", "progress=True needs tqdm", "progress").tqdm(leave=True)

    def show(done: int, total: int) -> None:
        if shown.total is None and total:
            shown.reset(total)
        shown.update(done - shown.n)

    with shown:
        yield show
