"""Make commands of functions: their parameters, most of them from `OPTIONS`, and the output that all reports have.

The parameters of a command stand once, in the signature of its function. What makes one, such as `text` or `flag`, is
the default of the function's parameter; a parameter without a default is an argument that must be typed.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import click
from click.core import ParameterSource

from arraycoref.cli.main import BOUNDS, OUTPUT, READING, SCORED, STATISTICS, Command, main, warner, write_report
from arraycoref.display.formats import FORMATS
from arraycoref.options import OPTIONS
from arraycoref.scoring.metrics.registry import DEFAULT_METRICS

SPELLED = {"format": "--input-format", "method": "--interval"}
"""Options with another name on the command line than in Python, because ``--format`` is the format of the output."""

GROUP_OF = {"scores": SCORED, "reading": READING, "statistics": STATISTICS, "running": OUTPUT}
"""The groups of the options in `OPTIONS`, by what these change."""

ELSEWHERE = {"lenient": READING, "frame": READING, "metric": SCORED, "field": SCORED, "name_pattern": SCORED}
"""The options that stand with others on the command line."""

METAVARS = {
    **{"unit": "word|subtoken|character", "end": "inclusive|exclusive", "start": "0|1", "column": "N|NAME"},
    **{"columns": "NAME,...", "relations": "NAME,...", "pair_columns": "LEFT,RIGHT,SCORE", "name_pattern": "REGEX"},
    **{"max_changed": "SHARE", "metric": "NAME[.FIELD]", "upos": "TAG,...", "window": "N|bookcoref"},
    "bridging_relations": "NAME,...",
    "resample_by": "document|entity|component|REGEX",
}
"""What stands for the values of some options in help texts, instead of ``NAME``."""

TYPES = {int: click.INT, float: click.FLOAT, str: click.STRING}
TARGET = click.Path(dir_okay=False, writable=True, allow_dash=True)
AT_LEAST_ONE = click.IntRange(min=1)

BY_SUFFIX = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html"}
"""The format of the output by the suffix of its file, where the user did not type ``--format``."""

SAMPLING = ("confidence", "resample_by", "resamples", "seed")
TESTING = ("test", "correction", "alpha", "method")

LAST = ("output_format", "output", "quiet")
"""Options that come after all others."""

Names = Sequence[str] | type
"""Names of options in `OPTIONS`: as they are, or the keys of a function's ``TypedDict``."""


class InGroup(click.Option):
    """An option that is in a group of the help text, and maybe has an effect with some others only.

    Attributes:
        group: title of the group.
        needs: names of options; without any of them it has no effect. ``engine=dask`` asks for a value.
        not_with: names of options that have no effect with this one; for an option with choices, by its value.
    """

    def __init__(
        self,
        *args: Any,
        group: str,
        needs: Sequence[str] = (),
        not_with: Sequence[str] | Mapping[str, Sequence[str]] = (),
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.group, self.needs, self.not_with = group, needs, not_with


def option(*flags: str, group: str = OUTPUT, **settings: Any) -> Any:
    """Make an option of the parameter whose default this is; the flag is made from its name unless it is given.

    Args:
        flags: as they are typed, such as ``-b``, ``--bare``.
        group: title of the group in the help text.
        settings: arguments of `click.option` and `InGroup`.
    """

    def made(name: str) -> click.Parameter:
        return InGroup([*(flags or [f"--{name.replace('_', '-')}"]), name], group=group, **settings)

    return made


def text(metavar: str, help: str, *flags: str, **settings: Any) -> Any:
    """Make an option that takes a text."""
    return option(*flags, metavar=metavar, help=help, **settings)


def points(help: str, **settings: Any) -> Any:
    """Make an option that takes a score in percent, maybe with its metric and field, any number of times."""
    return text("[METRIC[.FIELD]=]POINTS", help, multiple=True, **settings)


def number(metavar: str, help: str, **settings: Any) -> Any:
    """Make an option that takes a number of things, from 1."""
    return option(type=AT_LEAST_ONE, metavar=metavar, help=help, **settings)


def flag(help: str, *flags: str, **settings: Any) -> Any:
    """Make an option without a value."""
    return option(*flags, is_flag=True, help=help, **settings)


def choice(*choices: str, help: str, flags: Sequence[str] = (), **settings: Any) -> Any:
    """Make an option that takes one of a few values; the first of them is the default."""
    made: dict[str, Any] = {"type": click.Choice(choices), "default": choices[0], "help": help}
    return option(*flags, **made | settings)


def entry(name: str, **changes: Any) -> Any:
    """Make the option of an entry of `OPTIONS`.

    Click checks the type and the choices; everything else is checked where the value is used, as in Python.

    Args:
        name: key of the entry.
        changes: arguments of `option` that replace those made from the entry.
    """
    own = OPTIONS[name]
    settings: dict[str, Any] = {"group": ELSEWHERE.get(name, GROUP_OF[own.about]), "help": own.brief}
    if own.kind is bool:
        settings["is_flag"] = True
    else:
        kind = click.Choice(own.choices) if own.choices else TYPES.get(own.kind)
        kind = click.INT if name == "seed" else kind
        shown = "[SIDE:]" * own.per_side + METAVARS.get(name, "NAME")
        is_text = kind in (None, click.STRING)
        settings |= {"type": kind, "default": own.default, "metavar": shown if is_text else None}
        settings |= {"multiple": True} if own.per_side else {}
    return option(SPELLED.get(name, f"--{name.replace('_', '-')}"), **(settings | changes))


def argument(metavar: str, *, not_with: Sequence[str] = (), **settings: Any) -> Any:
    """Make an argument that need not be typed, or may be typed several times; see `click.Argument`."""

    def made(name: str) -> click.Parameter:
        parameter = click.Argument([name], metavar=metavar, **settings)
        parameter.not_with = not_with  # type: ignore[attr-defined]
        return parameter

    return made


def command(
    *,
    parent: click.Group = main,
    usual: str = "",
    examples: Sequence[str] = (),
    takes: Sequence[Names] = (),
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    printing: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function.

    Args:
        parent: the group of commands.
        usual: names of the parameters that ``--help`` shows; empty for all.
        examples: command lines for the help text, without the name of the program.
        takes: options of `OPTIONS` that the function gets as keywords beside its own parameters. With those of reading
            files it also gets ``on_error``, which prints warnings.
        changes: by name, arguments of `option` that replace those made from the entry of one of these options.
        printing: what makes ``--format`` and the other options of output, by their names, where the function returns
            or yields reports.
        settings: arguments of `click.command`.
    """

    def decorated(function: Callable[..., Any]) -> click.Command:
        signature = inspect.signature(function).parameters.values()
        own = {p.name: p.default for p in signature if p.kind is not p.VAR_KEYWORD}
        own |= printing or {}
        groups = (group.__annotations__ if isinstance(group, type) else group for group in takes)
        taken = {name for group in groups for name in group} - own.keys()
        names = [name for name, each in OPTIONS.items() if name in taken and each.brief]
        own |= {name: entry(name, **(changes or {}).get(name, {})) for name in names}
        in_order = sorted(own.items(), key=lambda item: item[0] in LAST)
        params = [click.Argument([name]) if made is inspect.Parameter.empty else made(name) for name, made in in_order]

        @functools.wraps(function)
        def run(**values: Any) -> None:
            ctx = click.get_current_context()
            if values.get("output") and ctx.get_parameter_source("output_format") is ParameterSource.DEFAULT:
                from arraycoref.runtime import split_suffixes

                suffix = split_suffixes(values["output"])[1].lower()
                values["output_format"] = ctx.params["output_format"] = BY_SUFFIX.get(suffix, values["output_format"])
            check_effects(ctx)
            quiet = values.pop("quiet", False)
            if "progress" in values:
                values["progress"] = values["progress"] and not quiet
            listed = {name: value for name, value in values.items() if name in OPTIONS and isinstance(value, tuple)}
            values |= {name: ",".join(value) or None for name, value in listed.items()}
            ctx.params |= {name: values[name] for name in listed if OPTIONS[name].per_side}
            if "on_error" in taken:
                values["on_error"] = warner()
            if printing is None:
                function(**values)
                return
            target, digits = (values.pop("output_format"), values.pop("output")), values.get("digits", 2)
            made = function(**values)
            for report in made if inspect.isgenerator(made) else [made]:
                write_report(report, *target, digits)

        epilog = "\n".join(["\b", "Examples:", *(f"  arraycoref {line}" for line in examples)])
        return parent.command(**{"cls": Command} | settings, usual=usual, params=params, epilog=epilog)(run)

    return decorated


def reports(
    *formats: str, about_format: Mapping[str, Any] | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function that returns a report, which is printed; or yields some, each printed at once.

    The command has ``--format``, ``--output`` and ``--quiet``.

    Args:
        formats: values of ``--format``; if there are none, the formats that all reports have.
        about_format: arguments of `choice` for ``--format``, such as ``help``.
        settings: arguments of `command`.
    """
    about = {"help": "Print in this format.", "flags": ["--format"], **(about_format or {})}
    about_output = "Write to FILE; its suffix (.json, .csv, .md, .tex, .html) sets the format."
    output = option(type=TARGET, metavar="FILE", help=about_output)
    printing = {"output_format": choice(*(formats or FORMATS), **about), "output": output, "quiet": QUIET}
    return command(printing=printing, **settings)


def sampling_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options out that say how documents are resampled; return them, and the number of threads."""
    names = [name for name in ("method", *SAMPLING) if name in options]
    return {"threads": options["threads"], **{name: options.pop(name) for name in names}}


def check_effects(ctx: click.Context) -> None:
    """Refuse options that were typed but have no effect beside the others, as they say in ``needs`` and ``not_with``.

    Raises:
        click.UsageError: one of these options was typed.
    """
    options = {parameter.name or "": parameter for parameter in ctx.command.params}

    def flag_of(name: str, value: str = "") -> str:
        parameter = options[name]
        shown = parameter.opts[-1] if isinstance(parameter, click.Option) else str(parameter.metavar).strip("[].")
        return f"{shown} {value}".rstrip()

    def holds(name: str, value: str = "") -> bool:
        return bool(ctx.params.get(name) == value if value else ctx.params.get(name))

    typed = [name for name in options if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    for name in typed:
        needs = [need.partition("=")[::2] for need in getattr(options[name], "needs", ())]
        if needs and not any(holds(*need) for need in needs):
            raise click.UsageError(f"{flag_of(name)} needs {' or '.join(flag_of(*need) for need in needs)}", ctx)
    for name, parameter in options.items():
        not_with = getattr(parameter, "not_with", ())
        for value, excluded in (not_with if isinstance(not_with, Mapping) else {"": not_with}).items():
            for other in typed:
                if other in excluded and holds(name, value):
                    raise click.UsageError(f"{flag_of(other)} has no effect with {flag_of(name, value)}", ctx)


QUIET = flag("Print no warnings and no progress bar.")
METRICS = option(
    group=SCORED,
    multiple=True,
    metavar="NAME,...",
    help="Score these, or others of docs/metrics.md, such as cluster, zero, bridging, rand, vmeasure, ari, purity.  "
    f"[default: {', '.join(DEFAULT_METRICS)}]",
)
POOL = text("NAME", "Add up runs that differ only in this parameter, such as seed.", group=SCORED)
SPANS = entry("spans", group=SCORED)
PRONOUNS = option(
    "--pronouns/--no-pronouns",
    group=SCORED,
    default=True,
    show_default=False,
    help="Represent an entity by its first mention that is not a pronoun.  [default: if parts of speech are known]",
)
SYSTEMS = argument("SYSTEM...", nargs=-1)
SYSTEMS_IN = text("DIR", "Each file and each folder in DIR is a system, as with the quoted 'DIR/*'.", group=SCORED)
BY = text(
    "REGEX",
    "Show groups of documents too, and the total: REGEX finds the group in a document's name, '_([a-z]+)_'.",
    group=SCORED,
)
ABOUT_RECORDS = (
    "Show the fields of records: FILE is a table, or JSON lines, with their ids.  [default: the rest of KEY]"
)
RECORDS = text("FILE", ABOUT_RECORDS)
PER_DOCUMENT = flag("Print each document's scores.")
MACRO = "Print means over documents."
INTERVALS = flag("Print a confidence interval beside each F.", group=STATISTICS)
PROGRESS = option(
    "--progress/--no-progress",
    default=lambda: sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None,
    show_default=False,
    help="Show a bar on long work.  [default: in a terminal with tqdm]",
)

__all__ = ["BOUNDS", "OUTPUT", "READING", "SCORED", "STATISTICS"]
