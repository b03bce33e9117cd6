"""Settings of runs, such as the names of systems: strings, numbers, tuples, or dicts of parameters; grids of them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, UnknownNameError, printable

Scalar = str | int | float | bool | None
Setting = Scalar | tuple[Scalar, ...] | dict[str, Scalar]
S = TypeVar("S", bound=Setting)

EVERY = "all"
"""Value of the parameter that runs are pooled or averaged over, where they have no other parameter."""


def grid(parameters: Mapping[str, Iterable[object]]) -> list[dict[str, Any]]:
    """List every combination of parameters, the last one changing fastest.

        >>> grid({"linkage": ["single", "average"], "threshold": [0.1, 0.2]})[1]
        {'linkage': 'single', 'threshold': 0.2}

    Args:
        parameters: the values of each parameter.

    Raises:
        InputError: a parameter has a text, whose letters would be its values, or a set, which has no order.
    """
    for name, values in parameters.items():
        require_order(f"the values of {name!r} are", values)
    return [dict(zip(parameters, values, strict=True)) for values in itertools.product(*parameters.values())]


def require_order(what: str, values: object) -> None:
    """Refuse a text or a set in place of a list."""
    if isinstance(values, str | set | frozenset):
        raise InputError(f"{what} {values!r:.60}; expected a list")


def as_setting(setting: object) -> Setting:
    """Convert a setting to plain Python values, which can be compared, printed and saved.

    Args:
        setting: a string, number, bool or None, NumPy's included; a tuple of these; or a mapping from names to these.
            Anything else becomes its ``str``.
    """
    if isinstance(setting, Mapping):
        return {str(name): _scalar(value) for name, value in setting.items()}
    return tuple(map(_scalar, setting)) if isinstance(setting, tuple) else _scalar(setting)


def _scalar(value: object) -> Scalar:
    item = value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value
    return item if item is None or isinstance(item, str | int | float | bool) else str(item)


def text_of(setting: Setting) -> str:
    """Write a setting in one line: ``linkage=single, threshold=0.2``; characters that would break it are escaped."""
    if isinstance(setting, dict):
        return printable(", ".join(f"{name}={value}" for name, value in setting.items()))
    return printable(", ".join(map(str, setting)) if isinstance(setting, tuple) else str(setting))


def name_of(setting: Setting) -> str:
    """Name a system by its setting: by all of its parameters, or by the value alone if there is one parameter."""
    return text_of(*setting.values()) if isinstance(setting, dict) and len(setting) == 1 else text_of(setting)


def identity(setting: Setting) -> str:
    """Return a string that is the same for equal settings, and for no others; the order of a dict's names is ignored.

    1 and 1.0 are equal settings, as they are equal keys of a dict; True is not equal to 1.
    """
    if isinstance(setting, dict):
        return json.dumps({name: _number(value) for name, value in setting.items()}, sort_keys=True)
    return json.dumps(list(map(_number, setting)) if isinstance(setting, tuple) else _number(setting))


def _number(value: Scalar) -> Scalar:
    """Return a float that equals an int as that int, and any other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def parameters_of(settings: Sequence[Setting]) -> dict[str, list[Scalar]]:
    """Return S values of each parameter, None where a setting lacks it; one column ``setting`` if not all are dicts."""
    if settings and all(isinstance(setting, dict) for setting in settings):
        dicts: list[dict[str, Scalar]] = [setting for setting in settings if isinstance(setting, dict)]
        names = dict.fromkeys(name for setting in dicts for name in setting)
        return {name: [setting.get(name) for setting in dicts] for name in names}
    return {"setting": [setting if isinstance(setting, Scalar) else text_of(setting) for setting in settings]}


def beside(parameters: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of parameters, followed by other columns.

    Raises:
        InputError: a parameter has the name of another column, which would replace it.
    """
    if both := parameters.keys() & columns.keys():
        raise InputError(f"a parameter and a column of scores are both named {min(both)!r}; expected names that differ")
    return {**parameters, **columns}


def positions_by(values: Iterable[S]) -> list[tuple[S, list[int]]]:
    """List each setting, or value of a parameter, with its positions, in the order in which these first appear."""
    groups: dict[str, tuple[S, list[int]]] = {}
    for position, value in enumerate(values):
        groups.setdefault(identity(value), (value, []))[1].append(position)
    return list(groups.values())


def grouped_over(
    settings: Sequence[Setting], parameter: str, *, by_value: bool = False
) -> tuple[tuple[Setting, ...], NDArray[np.int64]]:
    """Group the settings that differ in one parameter only, such as the seed.

    Args:
        settings: dicts with the parameter.
        parameter: its name.
        by_value: group the settings that share a value of the parameter instead; the settings of groups are the values.

    Returns:
        (G,) settings without that parameter, and int64 (G, R) positions of the settings of each group.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are no dicts, or groups of different sizes, whose sums could not be compared.
    """
    kept: list[Setting] = []
    for setting in settings:
        if not isinstance(setting, dict):
            raise InputError(
                f"setting {text_of(setting)} has no parameters; expected a dict with {parameter!r}: runs in files have "
                f"one if all paths are like {parameter}=1, or if group=REGEX has named groups",
                option="group",
            )
        if parameter not in setting:
            raise UnknownNameError("parameter", parameter, setting)
        others = {name: value for name, value in setting.items() if name != parameter}
        kept.append(setting[parameter] if by_value else others or {parameter: EVERY})
    groups = positions_by(kept)
    sizes = {len(positions) for _, positions in groups}
    if len(sizes) > 1:
        fewest, _ = min(groups, key=lambda group: len(group[1]))
        raise InputError(
            f"{text_of(fewest)} has {min(sizes)} {'settings' if by_value else 'runs'} by {parameter}, and others up to "
            f"{max(sizes)}; expected the same for each"
        )
    positions = np.array([group for _, group in groups], np.int64).reshape(len(groups), -1)
    return tuple(setting for setting, _ in groups), positions
