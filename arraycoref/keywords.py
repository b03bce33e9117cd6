"""Describe the keyword arguments that several functions accept: each is written once and shown everywhere."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_PARAGRAPH = re.compile(r"^( *)\*\*options: (.*(?:\n\1 +.*)*)", re.MULTILINE)


@dataclass(frozen=True)
class Option:
    """One option of the public functions and of the command line.

    Attributes:
        default: its value if the user gives none.
        help: what it does, for docstrings.
        brief: what it does in a line, for ``--help``; empty for an option that commands do not have.
        choices: its values, if they are a fixed set; otherwise empty.
        kind: its type as text, for an option without choices.
    """

    default: object
    help: str
    brief: str = ""
    choices: tuple[str, ...] = ()
    kind: str = "str | None"

    @property
    def annotation(self) -> str:
        """The type, as signatures show it."""
        if not self.choices:
            return self.kind
        return f"Literal[{', '.join(map(repr, self.choices))}]{' | None' if self.default is None else ''}"


def shows(*groups: type, known: Mapping[str, Option]) -> Callable[[F], F]:
    """Make a decorator that lists a function's ``**options`` in its signature and docstring, each with its default.

    Editors and type checkers find the same options in ``**options: Unpack[...]``. In the docstring, one paragraph for
    each option replaces the paragraph of ``**options``. Of that paragraph, all sentences after the first are kept, as
    a note below the options.

    Args:
        groups: each ``TypedDict`` of options that the function accepts.
        known: descriptions of the options by name, in the order in which they are listed.
    """
    names = [name for group in groups for name in group.__annotations__]

    def complete(function: F) -> F:
        given = inspect.signature(function)
        own = [p for p in given.parameters.values() if p.kind is not p.VAR_KEYWORD]
        shown = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.annotation
            )
            for name, option in known.items()
            if name in names
        ]
        function.__signature__ = given.replace(parameters=[*own, *shown])  # type: ignore[attr-defined]
        function.__doc__ = _with_options(function.__doc__ or "", {p.name: known[p.name].help for p in shown})
        return function

    return complete


def described_by(function: Callable[..., Any]) -> Mapping[str, Option]:
    """Describe the arguments of a function, by its docstring, as options of the functions that pass them on to it."""
    words = dict(re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", inspect.getdoc(function) or "", re.MULTILINE))
    arguments = inspect.signature(function).parameters.values()
    return {p.name: Option(p.default, " ".join(words[p.name].split()), kind=p.annotation) for p in arguments}


def _with_options(text: str, options: Mapping[str, str]) -> str:
    """Replace the paragraph ``**options: ...`` of a docstring by one per option; keep all but its first sentence."""

    def paragraphs(found: re.Match[str]) -> str:
        indent, words = found[1], " ".join(found[2].split())
        note = words.partition(". ")[2]
        wrapper = textwrap.TextWrapper(120, indent, indent + "    ")
        shown = [wrapper.fill(f"{name}: {help}") for name, help in options.items()]
        if note:
            shown += ["", textwrap.fill(note, 120, initial_indent=indent[4:], subsequent_indent=indent[4:])]
        return "\n".join(shown)

    return _PARAGRAPH.sub(paragraphs, text, count=1)


def refuse_unknown(options: Iterable[str], *groups: type) -> None:
    """Refuse keywords that a function does not accept.

    Args:
        options: the keywords given.
        groups: each ``TypedDict`` of options that the function accepts.

    Raises:
        TypeError: a keyword in none of the groups. The message lists the keywords of the groups and the keyword-only
            arguments that the function has besides.
    """
    known = [name for group in groups for name in group.__annotations__]
    for name in options:
        if name not in known:
            expected = ", ".join(dict.fromkeys([*known, *_own_keywords(name)]))
            raise TypeError(f"got an unexpected keyword argument {name!r}; expected some of: {expected}")


def _own_keywords(name: str) -> tuple[str, ...]:
    """Return the keyword-only arguments of the innermost function on the stack that got ``name`` in ``**options``."""
    frame = inspect.currentframe()
    while frame is not None:
        arguments = inspect.getargvalues(frame)
        if arguments.keywords and name in arguments.locals[arguments.keywords]:
            code = frame.f_code
            return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        frame = frame.f_back
    return ()
