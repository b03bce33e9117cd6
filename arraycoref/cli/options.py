"""Make the options that commands share, most of them from `arraycoref.options.OPTIONS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from arraycoref.metrics import DEFAULT_METRICS, METRIC_NAMES
from arraycoref.options import OPTIONS
from arraycoref.report.formats import FORMATS

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

SPELLED = {"format": "--input-format"}
"""Options that have another name on the command line: ``--format`` is that of the output."""

TYPES = {"int": click.INT, "float": click.FLOAT, "str": click.STRING}

FRACTION = click.FloatRange(0, 1, min_open=True, max_open=True)


def together(*options: Decorator[Any]) -> Decorator[F]:
    """Add several options to a command; ``--help`` lists them in this order."""

    def add(command: F) -> F:
        for each in reversed(options):
            command = each(command)
        return command

    return add


def option(name: str, **changes: Any) -> Decorator[Any]:
    """Make the option of an entry of `OPTIONS`. Its values are checked where they are used, as in Python.

    Args:
        name: of the entry, and of the argument that the command receives.
        changes: arguments of `click.option` in place of those that the entry gives.
    """
    entry = OPTIONS[name]
    settings: dict[str, Any] = {"help": entry.brief}
    if entry.kind == "bool":
        settings["is_flag"] = True
    else:
        plain = TYPES.get(entry.kind.partition(" ")[0])
        settings |= {"type": plain or click.Choice(entry.choices), "default": entry.default}
        settings |= {"show_default": entry.default is not None, "metavar": "NAME" if plain is click.STRING else None}
    return click.option(SPELLED.get(name, f"--{name.replace('_', '-')}"), name, **(settings | changes))


def options_of(group: type, **changes: dict[str, Any]) -> Decorator[Any]:
    """Make the options of a function's ``TypedDict``, in the order of `OPTIONS`.

    Args:
        group: lists the names; those that commands have no option for are passed over.
        changes: for some of the names, arguments of `click.option` in place of those that the entry gives.
    """
    names = [name for name, entry in OPTIONS.items() if name in group.__annotations__ and entry.brief]
    return together(*(option(name, **changes.get(name, {})) for name in names))


def joined(_ctx: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Join the values of an option that may be repeated, each with names separated by commas; None without any."""
    return ",".join(values) if values else None


metrics_option = click.option(
    "--metrics",
    multiple=True,
    callback=joined,
    metavar="NAME,...",
    help=f"Score these; by default {', '.join(DEFAULT_METRICS)}; on request "
    f"{', '.join(name for name in METRIC_NAMES if name not in DEFAULT_METRICS)}.",
)
field_option = click.option(
    "--field",
    type=click.Choice(["recall", "precision", "f1"]),
    default="f1",
    show_default=True,
    help="Rank by this number of the metric.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Draw by this seed: same seed, same numbers.",
)
confidence_option = click.option(
    "--confidence", type=FRACTION, default=0.95, show_default=True, help="Cover the true value so often."
)
documents_option = click.option("--per-document", is_flag=True, help="Print each document's scores.")
macro_option = click.option("--macro", is_flag=True, help="Print means over documents.")
progress_option = click.option(
    "--progress/--no-progress", default=None, help="Show a progress bar.  [default: on long work in a terminal]"
)
quiet_option = click.option("--quiet", is_flag=True, help="Print no warnings and no progress bar.")


def resamples_option(default: int) -> Decorator[Any]:
    """Make ``--resamples``."""
    kind = click.IntRange(min=1)
    return click.option("--resamples", type=kind, default=default, show_default=True, help="Draw so many samples.")


def output_options(*formats: str, help: str = "Print in this format.") -> Decorator[Any]:
    """Make ``--format``, ``--output`` and ``--quiet``.

    Args:
        formats: names of the formats; if there are none, those of every report.
        help: of ``--format``.
    """
    names = formats or tuple(FORMATS)
    return together(
        click.option(
            "--format", "output_format", type=click.Choice(names), default=names[0], show_default=True, help=help
        ),
        click.option("--output", metavar="FILE", help="Write to FILE, all or nothing.  [default: standard output]"),
        quiet_option,
    )
