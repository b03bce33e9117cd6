"""Define the group of commands, their exit statuses and messages of errors, and what they all print."""

from __future__ import annotations

import inspect
import io
import os
import re
import shlex
import shutil
import sys
from contextlib import chdir, suppress
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arraycoref.exceptions import ArraycorefError, OptionError, ReadError, UnknownNameError, printable
from arraycoref.inputs import noting_inputs
from arraycoref.options import OTHER_NAMES
from arraycoref.options.policies import of_side

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from arraycoref.exceptions import Fixes
    from arraycoref.read.problems import ProblemLog

INTERRUPTED, BROKEN_PIPE = 130, 141
"""Exit statuses that shells report for programs ended by SIGINT and SIGPIPE: 128 + 2 and 128 + 13."""

STATUSES = (
    "Exit status: 0 success; 1 the input cannot be scored or has problems; 2 wrong usage; 3 a score misses its bound; "
    "130 interrupted; 141 the reader closed the pipe."
)
COREFUD, SCORED, READING, STATISTICS, BOUNDS, OUTPUT = GROUPS = (
    "As in CorefUD's scorer",
    "What is scored",
    "Reading files",
    "Statistics",
    "Bounds that scores must reach",
    "Output",
)
"""Titles of groups of options, in their order in a help text; an option without a group is in the last."""

MODULES = ("score", "compare", "errors", "explain", "show", "files", "corefud", "tags")
"""The modules of this folder that add commands to `main`; one is imported first for a command of its name."""

COMMANDS = {
    "Score": ("score", "conventions", "tags"),
    "Look": ("report", "show", "errors", "breakdown", "explain", "describe"),
    "Compare": ("compare", "table", "sweep", "agree"),
    "Prepare": ("demo", "check", "convert"),
    "Compatibility": ("corefud", "reference", "warmup"),
}
"""All commands in the order of the help text, by what they are for."""

ALL_SHOWN = "arraycoref.help_all"
"""Key of `click.Context.meta` where a help text shows all options."""

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}


class Command(click.Command):
    """A command that ends with a message on standard error, never with a traceback, when the input is to blame.

    Bugs keep their tracebacks. Its ``--help-all`` shows the options in groups.

    Args:
        usual: names of the parameters that ``--help`` shows, for a command that has many more.
    """

    def __init__(self, *args: Any, usual: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.usual = usual.split()
        if usual:
            about = f"Show all {sum(isinstance(p, click.Option) for p in self.params)} options, in groups."
            acts: Any = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": _show_all}
            self.params.append(click.Option(["--help-all"], help=about, **acts))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; where an option has another name, the error says which."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = OTHER_NAMES.get(error.option_name.lstrip("-").replace("-", "_"))
            new = [option.opts[0] for option in self.params if option.name == name]
            raise click.UsageError(f"{error.option_name} is named {new[0]}", ctx) if new else error from None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does; in a short help its first two paragraphs."""
        text = self.help
        if self.usual and ALL_SHOWN not in ctx.meta:
            self.help = "\n\n".join(inspect.cleandoc(text or "").split("\n\n")[:2])
        super().format_help_text(ctx, formatter)
        self.help = text

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups; and the commands of a group of these."""
        is_short = bool(self.usual) and ALL_SHOWN not in ctx.meta
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        if is_short:
            options = [option for option in options if option.name in (*self.usual, "help", "help_all")]
        shown: dict[str, list[tuple[str, str]]] = {}
        for title, option in product(GROUPS, options):
            if getattr(option, "group", OUTPUT) == title and (record := option.get_help_record(ctx)) is not None:
                shown.setdefault("" if is_short else title, []).append(record)
        for title, records in shown.items():
            note = " (SIDE is key or response)" if any("SIDE" in flags for flags, _ in records) else ""
            with formatter.section(title + note if len(shown) > 1 else "Options"):
                formatter.write_dl(records)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn errors in input, options or output, and Ctrl-C, into messages and exit statuses."""
        try:
            with noting_inputs():
                return super().invoke(ctx)
        except (OptionError, UnknownNameError) as error:
            raise click.UsageError(printable(as_typed(error, ctx)), ctx) from error
        except click.ClickException as error:
            lines = map(printable, error.message.split("\n"))  # may be a help text of many lines
            error.message = "\n".join(lines)  # type: ignore[misc]
            raise
        except BrokenPipeError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())  # for the interpreter, which flushes at its end
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        except KeyboardInterrupt:
            click.echo("arraycoref: interrupted", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except (ArraycorefError, OSError, MemoryError) as error:
            way = ""
            if isinstance(error, ReadError) and error.line and not error.option and ctx.params.get("lenient") is False:
                way = "; add --lenient to skip it; `arraycoref check FILE` lists all problems"
            click.echo(f"arraycoref: {flagged('error', 'red')} {printable(as_typed(error, ctx))}{way}", err=True)
            raise click.exceptions.Exit(1) from None


def _show_all(ctx: click.Context, _parameter: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        ctx.meta[ALL_SHOWN] = True
        click.echo(ctx.get_help())
        ctx.exit()


class Commands(Command, click.Group):
    """A group of commands that handles errors as `Command` does, also those of the command lines of its commands."""

    command_class = Command


class Main(Commands):
    """The group of all commands, which imports the module of a command when that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        for module in MODULES:
            import_module(f"arraycoref.cli.{module}")
        return [name for names in COMMANDS.values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups."""
        width = max(map(len, self.list_commands(ctx)))
        for title, names in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", self.commands[name].get_short_help_str(80)) for name in names])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of this name."""
        if cmd_name in MODULES:
            import_module(f"arraycoref.cli.{cmd_name}")
        elif cmd_name:
            self.list_commands(ctx)
        return super().get_command(ctx, cmd_name)


def as_typed(error: Exception, ctx: click.Context | None = None) -> str:
    """Return the message of an error with its option named as on the command line, instead of as in Python.

    ``threads is -1`` becomes ``--threads is -1``, ``unknown format`` ``unknown --input-format``, and
    ``tokens='ignore'`` ``--tokens 'ignore'``. An option that fixes the input and is not in the message is added to it,
    with its help text unless it was typed.

    Args:
        error: the error.
        ctx: context of the command, which may have the option; None for the one that runs.
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    if isinstance(error, MemoryError):
        return ": ".join(filter(None, ["out of memory", str(error)]))
    message, named = str(error), getattr(error, "option", "")
    fixes: Fixes = {} if isinstance(named, str) else named
    names = list(fixes) or str(named).split()
    ctx = ctx or click.get_current_context(silent=True)
    if ctx is None:
        return message
    options = {option.name: option for option in ctx.command.params if isinstance(option, click.Option)}
    score: Any = main.get_command(ctx, "score") if names else ctx.command  # whose options others may lack
    elsewhere = {parameter.name: f"score {parameter.opts[0]}" for parameter in score.params}
    for name in names:
        option = options.get(name)
        flag = option.opts[0] if option else elsewhere.get(name, f"--{name.replace('_', '-')}")
        message, n = re.subn(rf"\b{name}=(?=['A-Z])", f"{flag} ", message)  # but not in paths
        if option and not n:
            if re.search(rf"\b{name}\b", message):
                message = re.sub(rf"\b{name}\b", flag, message, count=1)
            elif ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                value = ctx.params.get(name)
                message += f" ({option.opts[0]} {','.join(value) if isinstance(value, tuple) else value})"
            elif not fixes:
                mark, text = "" if message.endswith("?") else ";", str(option.help).partition("  [default")[0]
                message += f"{mark} {option.opts[0]} {option.metavar or ''}: {text}"
    if fixes and fixes.keys() <= ctx.params.keys():
        message += f"{' Try' if message.endswith('?') else '; try'}: {corrected(ctx, values=fixes)}"
    return message


def corrected(
    ctx: click.Context, *arguments: str, command: str = "", values: Fixes | None = None, without: Collection[str] = ()
) -> str:
    """Return the command line that was typed, with some changes, quoted for a shell.

    Args:
        ctx: context of the command that was typed.
        arguments: arguments instead of those typed; if there are none, these.
        command: another command, which gets those of the options typed that it has.
        values: of parameters, by name or flag; or those of an option's sides, which are added to what was typed.
        without: names of options typed that are left out.
    """
    target = main.get_command(ctx, command) or ctx.command
    has_sides = "key" in [parameter.name for parameter in target.params]
    typed, options, values = list(arguments), [], values or {}
    for parameter in target.params:
        name, value = parameter.name or "", ctx.params.get(parameter.name or "")
        if isinstance(parameter, click.Argument):
            value = values.get(name, value)
            typed += [] if arguments or not value else [value] if isinstance(value, str) else value
        elif (fixed := values.get(parameter.opts[0], values.get(name))) is not None:
            if not isinstance(fixed, str):
                fixed = _by_side(str(value or ""), fixed) if has_sides else next(iter(fixed.values()))
            options += [parameter.opts[0], fixed]
        elif name in ctx.params.keys() - without and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            each = value if isinstance(value, tuple) else (value,)
            flags = parameter.opts if value else parameter.secondary_opts
            is_flag = getattr(parameter, "is_flag", False)
            options += flags[:1] if is_flag else [text for one in each for text in (parameter.opts[0], str(one))]
    are_like_options = any(word.startswith("-") and word != "-" for word in typed)
    words = [*options, "--", *typed] if are_like_options else [*typed, *options]
    return shlex.join(["arraycoref", target.name or "", *words])


def _by_side(typed: str, values: Mapping[str, str]) -> str:
    """Return the value of an option of both sides in which those of some sides are replaced.

    >>> _by_side("exclusive", {"key": "inclusive"}), _by_side("doc,id,key:a,response:b", {"response": "doc,id,c"})
    ('key:inclusive,response:exclusive', 'key:doc,id,a,response:doc,id,c')
    """
    sides = {side: values.get(side, of_side(typed, side)) for side in ("key", "response")}
    if sides["key"] == sides["response"]:
        return sides["key"]
    return ",".join(f"{side}:{value}" for side, value in sides.items() if value)


def refuse(reason: str, *names: str) -> None:
    """Refuse options that were typed but have no effect beside the others.

    Args:
        reason: what the message says of such an option, after its name: ``needs --plot``.
        names: names of the command's parameters that have no effect.

    Raises:
        click.UsageError: one of these options was typed.
    """
    ctx = click.get_current_context()
    for option in ctx.command.params:
        if option.name in names and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} {reason}")


def write_output(text: str, path: str | None = None) -> None:
    """Write text to a file, all or nothing, or to standard output.

    A character that the encoding of standard output lacks, say in a document's name, becomes a backslash escape.

    Args:
        text: what to write.
        path: the file, compressed if its suffix is one of compression; None or ``-`` for standard output.

    Raises:
        OSError: the file cannot be written.
    """
    from arraycoref.runtime import print_bytes, write_text

    if path is not None and path != "-":
        write_text(text, path)
    elif sys.stdout is None or isinstance(sys.stdout, io.TextIOWrapper):
        print_bytes([text.encode(getattr(sys.stdout, "encoding", "utf-8"), "backslashreplace")])
    else:
        click.echo(text, nl=False)


def write_report(report: Any, format: str, path: str | None, digits: int = 2, **choices: Any) -> None:
    """Write a report to a file, or to standard output, where a table keeps to the width of the terminal.

    The other arguments are those of `Report.render`.
    """
    has_width = is_terminal(path) or (path in (None, "-") and "COLUMNS" in os.environ)
    width = shutil.get_terminal_size().columns if has_width else None
    color = is_terminal(path) and is_colored()
    write_output(report.render(format, digits=digits, width=width, color=color, **choices), path)


def is_terminal(path: str | None) -> bool:
    """Return whether an output, a file or standard output, is a terminal."""
    return path in (None, "-") and sys.stdout is not None and sys.stdout.isatty()


def is_colored() -> bool:
    """Return whether a terminal may get colors: unless ``NO_COLOR`` is set, as no-color.org says, or it has none."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.platform != "win32"


def warn(error: ReadError) -> None:
    """Print a warning, unless ``--quiet`` was typed."""
    if not click.get_current_context().params.get("quiet"):
        click.echo(f"arraycoref: {flagged('warning', 'yellow')} {printable(as_typed(error))}", err=True)


def flagged(word: str, color: str) -> str:
    """Return a word with a colon, in color where `click.echo` writes to a terminal that may get it."""
    return click.style(f"{word}:", fg=color) if is_colored() else f"{word}:"


def warner() -> ProblemLog:
    """Return what prints the warnings of a command, and when it ends how many problems more there are."""
    from arraycoref.read.problems import ProblemLog

    problems = ProblemLog(warn)
    click.get_current_context().call_on_close(problems.close)
    return problems


@click.group(
    cls=Main,
    help="Score coreference resolution and other clusterings: MUC, B-cubed, CEAF, BLANC, LEA and others.\n\n"
    "\b\nExamples:\n  arraycoref score key.conll response.conll\n  arraycoref errors key.conll response.conll\n"
    "  arraycoref compare key.conll a.conll b.conll\n  arraycoref score --help",
    epilog=STATUSES,
    context_settings=SETTINGS,
)
@click.version_option(package_name="arraycoref", prog_name="arraycoref")
def main() -> None:
    """Run a command."""
    # Numba and matplotlib would read settings in the working directory, which anyone may have put there. Those in the
    # environment and the home directory are read as usual, and in a program that imports this package, all are.
    for file, library in ((".numba_config.yaml", "numba"), ("matplotlibrc", "matplotlib")):
        if os.path.exists(file) and library not in sys.modules:
            with chdir(os.path.dirname(__file__)), suppress(ImportError):
                import_module(library)
