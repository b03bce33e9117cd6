"""Name systems by what is typed: NAME=PATH, or a file's name; or by the parameters of their runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arraycoref.sweeps.settings import Setting


def named(responses: tuple[str, ...]) -> dict[str, str]:
    """Name each response, unlike all others.

    Args:
        responses: paths, or ``NAME=PATH``.

    Raises:
        click.UsageError: two systems of one name.
    """
    from arraycoref.sweeps.runs import stem_of

    given = [split_name(response) for response in responses]
    stems = [name or stem_of(path) or path for name, path in given]
    names = [stem if name or stems.count(stem) == 1 else path for (name, path), stem in zip(given, stems, strict=True)]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two systems are named {name!r}; name them apart with NAME=PATH")
    return {name: path for name, (_, path) in zip(names, given, strict=True)}


def split_name(response: str) -> tuple[str, str]:
    """Return what stands before and behind the ``=`` of NAME=PATH; no name where this is a path that exists."""
    name, equals, path = response.partition("=")
    return (name, path) if equals and name and path and not Path(response).exists() else ("", response)


def system_name(setting: Setting) -> str:
    """Name a system by its parameters, by the value alone where it has one."""
    from arraycoref.sweeps.settings import text_of

    return str(*setting.values()) if isinstance(setting, dict) and len(setting) == 1 else text_of(setting)
