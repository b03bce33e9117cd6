"""Names of settings: a text or number each, or a `dict` of parameters; grids of parameters."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from arraycoref.errors import InputError, UnknownNameError, printable
from arraycoref.objects import is_iterable

Scalar = str | int | float | bool | None
Setting = Scalar | tuple[Scalar, ...] | dict[str, Scalar]
Settings = Iterable[object] | Mapping[str, Sequence[object]] | None
S = TypeVar("S", bound=Setting)


def grid(parameters: Mapping[str, Iterable[object]]) -> list[dict[str, Any]]:
    """List every combination of parameters, the last one changing fastest.

        >>> grid({"linkage": ["single", "average"], "threshold": [0.1, 0.2]})[1]
        {'linkage': 'single', 'threshold': 0.2}

    Args:
        parameters: the values of each parameter.

    Raises:
        InputError: no mapping; one value, such as a text, in place of a list.
    """
    if not isinstance(parameters, Mapping):
        raise InputError(f"{parameters!r:.60} is no grid; expected a mapping from parameters to lists of values")
    for name, values in parameters.items():
        if not is_listed(values):
            raise InputError(f"the values of {name!r} are {values!r:.60}; expected a list of them")
    columns = [list(values) for values in parameters.values()]
    return [dict(zip(parameters, values, strict=True)) for values in itertools.product(*columns)]


def as_setting(setting: object) -> Setting:
    """Bring a setting to plain Python values, which can be compared, printed and saved.

    Args:
        setting: a text, number, bool or None, NumPy's included; a tuple of such; or a mapping of names to such.
            Of anything else the ``str`` is taken.

    Raises:
        InputError: two parameters of one name, as 1 and "1" are.
    """
    if isinstance(setting, Mapping):
        found = {str(name): _scalar(value) for name, value in setting.items()}
        if len(found) < len(setting):
            raise InputError(f"setting {setting!r:.60} has two parameters of one name; expected each once")
        return found
    if isinstance(setting, tuple):
        return tuple(map(_scalar, setting))
    return _scalar(setting)


def iter_settings(settings: Settings) -> Iterator[Setting]:
    """Yield settings as they are given, from a grid as `grid` lists it; positions 0, 1, ... where none are given.

    Raises:
        InputError: one setting in place of several, a set, whose order is by chance, or a table.
    """
    if settings is None:
        yield from itertools.count()
    elif isinstance(settings, Mapping):
        yield from map(as_setting, grid(settings))
    elif not is_listed(settings):
        raise InputError(f"settings is {settings!r:.60}; expected one name or dict a response in a list, or a grid")
    else:
        yield from map(as_setting, settings)


def is_listed(given: object) -> bool:
    """Whether an object has items in an order that means something, which texts, sets, mappings and tables have not."""
    unlisted = isinstance(given, str | bytes | set | frozenset | Mapping) or hasattr(given, "columns")
    return is_iterable(given) and not unlisted


def text_of(setting: Setting) -> str:
    """Print a setting in one line: ``linkage=single, threshold=0.2``; what would break the line is escaped."""
    if isinstance(setting, dict):
        return printable(", ".join(f"{name}={value}" for name, value in setting.items()))
    return printable(", ".join(map(str, setting)) if isinstance(setting, tuple) else str(setting))


def identity(setting: Setting) -> str:
    """Return a text that is the same for equal settings only; the order of a dict's names does not count.

    1 and 1.0 are equal, for a dict of groups can hold one of them only; True is another setting.
    """
    if isinstance(setting, dict):
        return json.dumps({name: _number(value) for name, value in setting.items()}, sort_keys=True)
    return json.dumps(list(map(_number, setting)) if isinstance(setting, tuple) else _number(setting))


def encoded(setting: Setting) -> dict[str, Any]:
    """Return what JSON keeps of a setting, as it has no tuples."""
    return {"tuple": list(setting)} if isinstance(setting, tuple) else {"is": setting}


def decoded(item: dict[str, Any]) -> Setting:
    """Return the setting of which `encoded` made this."""
    return tuple(item["tuple"]) if "tuple" in item else item["is"]


def parameters_of(settings: Sequence[Setting]) -> dict[str, list[Scalar]]:
    """Return columns of parameters, each with S values, None where a setting lacks it; one ``setting`` if not dicts."""
    if settings and all(isinstance(setting, dict) for setting in settings):
        dicts: list[dict[str, Scalar]] = [setting for setting in settings if isinstance(setting, dict)]
        names = dict.fromkeys(name for setting in dicts for name in setting)
        return {name: [setting.get(name) for setting in dicts] for name in names}
    return {"setting": [setting if isinstance(setting, Scalar) else text_of(setting) for setting in settings]}


def beside(parameters: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of parameters, and others behind them.

    Raises:
        InputError: a parameter named like one of the others, which would take its place.
    """
    if both := parameters.keys() & columns.keys():
        raise InputError(f"a parameter and a column of scores are both named {min(both)!r}; expected names that differ")
    return {**parameters, **columns}


def dict_of(setting: Setting, parameter: str) -> dict[str, Scalar]:
    """Return a setting that has a parameter.

    Raises:
        UnknownNameError: one without it.
        InputError: one that is no dict.
    """
    if not isinstance(setting, dict):
        raise InputError(
            f"setting {text_of(setting)} has no parameters; expected a dict with {parameter!r}, as runs have that are "
            "all named like x_seed1 or x/1, or with group=REGEX by the named groups of a regular expression"
        )
    if parameter not in list(setting):  # a list has no hash
        raise UnknownNameError("parameter", parameter, setting)
    return setting


def positions_by(values: Iterable[S]) -> list[tuple[S, list[int]]]:
    """List each setting, or value of a parameter, with its positions, in the order in which these first appear."""
    groups: dict[str, tuple[S, list[int]]] = {}
    for position, value in enumerate(values):
        groups.setdefault(identity(value), (value, []))[1].append(position)
    return list(groups.values())


def distinct(values: Iterable[S]) -> list[S]:
    """List each setting, or value of a parameter, once, in the order in which they first appear."""
    return [value for value, _ in positions_by(values)]


def positions_by_value(settings: Sequence[Setting], parameter: str) -> dict[Scalar, list[int]]:
    """Group the positions of settings by their values of a parameter, in the order in which these first appear.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are no dicts; values of different numbers of settings.
    """
    groups = positions_by(dict_of(setting, parameter)[parameter] for setting in settings)
    sizes = {len(positions) for _, positions in groups}
    if len(sizes) > 1:
        raise InputError(f"the values of {parameter} have {min(sizes)} to {max(sizes)} settings; expected as many each")
    found = dict(groups)
    if len(found) < len(groups):
        raise InputError(f"{parameter} has values beside numbers that equal them, as True and 1; expected one kind")
    return found


def axis_of(settings: Sequence[Setting], parameter: str | None, others: Sequence[str | None]) -> str:
    """Return the name of the parameter of numbers that settings are drawn against.

    Args:
        settings: (S,).
        parameter: one of their names; None for the only parameter whose values are numbers and not all the same.
        others: names of parameters that are not meant; None among them for nothing.

    Raises:
        InputError: a parameter that is no number, or none or several that could be meant.
    """
    columns = parameters_of(settings)
    numeric = {name: values for name, values in columns.items() if name not in others and _are_numbers(values)}
    if parameter is None:
        varying = [name for name, values in numeric.items() if len(set(values)) > 1] or list(numeric)
        if len(varying) != 1:
            found = ", ".join(varying) or "none"
            raise InputError(f"settings vary in these parameters of numbers: {found}; expected parameter=, one of them")
        parameter = varying[0]
    if parameter not in numeric:
        raise InputError(f"parameter {parameter} has values that are no numbers; expected numbers for an axis")
    return parameter


def positions_of(
    settings: Sequence[Setting], names: Sequence[str], over: str | None
) -> list[tuple[tuple[Scalar, ...], list[int]]]:
    """Group the positions of settings by their values of some parameters.

    Args:
        settings: (S,).
        names: of the parameters.
        over: the parameter that the settings of a group differ in, as their seed; None for one setting a group.

    Returns:
        Values and their positions, in the order in which these first appear.

    Raises:
        InputError: settings of a group that ``over`` does not tell apart.
    """
    columns = parameters_of(settings)
    told = [*names, *([over] if over is not None else [])]
    if len(positions_by(zip(*(columns[name] for name in told), strict=True))) < len(settings):
        raise InputError(
            f"several settings share a value of {', '.join(told)}: by= draws a line for each value of another "
            "parameter, over= their mean, and Sweep.select takes some of them out"
        )
    return positions_by(zip(*(columns[name] for name in names), strict=True))


def _are_numbers(values: Sequence[Scalar]) -> bool:
    return all(map(_is_number, values))


def _is_number(value: Scalar) -> bool:
    """Whether a value has a place on an axis, which NaN and an int that no float holds have not."""
    if isinstance(value, float):
        return not math.isnan(value)
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 1024


def _scalar(value: object) -> Scalar:
    if type(value).__name__ == "MaskedConstant":  # whose item is 0.0
        raise InputError("a setting or parameter is masked; expected a text or a number")
    item = value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value
    return item if item is None or isinstance(item, str | int | float | bool) else str(item)


def _number(value: Scalar) -> Scalar:
    """Return the int that a float equals, if there is one; others as they are."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
