"""Check, compare, print and group settings: strings, numbers, tuples, or dicts of parameters; list grids of them."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from arraycoref.errors import InputError, UnknownNameError, printable
from arraycoref.match.objects import is_iterable

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
        InputError: ``parameters`` is no mapping; a parameter has one value, such as a string, in place of a list.
    """
    if not isinstance(parameters, Mapping):
        raise InputError(f"{parameters!r:.60} is no grid; expected a mapping from parameters to lists of values")
    for name, values in parameters.items():
        if not is_listed(values):
            raise InputError(f"the values of {name!r} are {values!r:.60}; expected a list of them")
    columns = [list(values) for values in parameters.values()]
    return [dict(zip(parameters, values, strict=True)) for values in itertools.product(*columns)]


def as_setting(setting: object) -> Setting:
    """Convert a setting to plain Python values, which can be compared, printed and saved.

    Args:
        setting: a string, number, bool or None, NumPy's included; a tuple of these; or a mapping from names to these.
            Anything else becomes its ``str``.

    Raises:
        InputError: two parameters have the same name, for instance 1 and "1".
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
    """Yield the settings given, in order; of a mapping, the combinations that `grid` lists; of None, 0, 1, ...

    Raises:
        InputError: ``settings`` is a single setting, a set, which has no fixed order, or a table.
    """
    if settings is None:
        yield from itertools.count()
    elif isinstance(settings, Mapping):
        yield from map(as_setting, grid(settings))
    elif not is_listed(settings):
        raise InputError(f"settings is {settings!r:.60}; expected a list with a name or dict per response, or a grid")
    else:
        yield from map(as_setting, settings)


def is_listed(given: object) -> bool:
    """Return whether an object is an iterable of items in order, and no string, set, mapping or table."""
    unlisted = isinstance(given, str | bytes | set | frozenset | Mapping) or hasattr(given, "columns")
    return is_iterable(given) and not unlisted


def text_of(setting: Setting) -> str:
    """Write a setting in one line: ``linkage=single, threshold=0.2``; characters that would break it are escaped."""
    if isinstance(setting, dict):
        return printable(", ".join(f"{name}={value}" for name, value in setting.items()))
    return printable(", ".join(map(str, setting)) if isinstance(setting, tuple) else str(setting))


def identity(setting: Setting) -> str:
    """Return a string that is the same for equal settings, and for no others; the order of a dict's names is ignored.

    1 and 1.0 are equal settings, because a dict of groups can have only one of them as a key; True is not equal to 1.
    """
    if isinstance(setting, dict):
        return json.dumps({name: _number(value) for name, value in setting.items()}, sort_keys=True)
    return json.dumps(list(map(_number, setting)) if isinstance(setting, tuple) else _number(setting))


def encoded(setting: Setting) -> dict[str, Any]:
    """Return a setting in a form that JSON can keep, as JSON has no tuples."""
    return {"tuple": list(setting)} if isinstance(setting, tuple) else {"is": setting}


def decoded(item: dict[str, Any]) -> Setting:
    """Return the setting that `encoded` made ``item`` of."""
    return tuple(item["tuple"]) if "tuple" in item else item["is"]


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


def dict_of(setting: Setting, parameter: str) -> dict[str, Scalar]:
    """Check that a setting is a dict with a parameter, and return it.

    Raises:
        UnknownNameError: the setting has no such parameter.
        InputError: the setting is no dict.
    """
    if not isinstance(setting, dict):
        raise InputError(
            f"setting {text_of(setting)} has no parameters; expected a dict with {parameter!r}: runs have one if all "
            "are named like x_seed1 or x/1, or if group=REGEX has named groups",
            option="group",
        )
    if parameter not in list(setting):  # in a list, as a parameter may have no hash
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
        InputError: settings that are no dicts; values with different numbers of settings; equal values of different
            types, such as True and 1.
    """
    groups = positions_by(dict_of(setting, parameter)[parameter] for setting in settings)
    sizes = {len(positions) for _, positions in groups}
    if len(sizes) > 1:
        raise InputError(f"the values of {parameter} have {min(sizes)} to {max(sizes)} settings; expected equal counts")
    found = dict(groups)
    if len(found) < len(groups):
        raise InputError(f"{parameter} has equal values of different types, such as True and 1; expected one type")
    return found


def axis_of(settings: Sequence[Setting], parameter: str | None, others: Sequence[str | None]) -> str:
    """Return the name of the parameter that settings are drawn against, whose values are numbers.

    Args:
        settings: (S,) settings.
        parameter: name of a parameter; None for the only one whose values are numbers and not all the same.
        others: names of parameters that have another use, and are not returned; None among them is ignored.

    Raises:
        InputError: the values of ``parameter`` are no numbers; for None, no parameter or several fit.
    """
    columns = parameters_of(settings)
    numeric = {name: values for name, values in columns.items() if name not in others and _are_numbers(values)}
    if parameter is None:
        varying = [name for name, values in numeric.items() if len(set(values)) > 1] or list(numeric)
        if len(varying) != 1:
            found = ", ".join(varying) or "none"
            raise InputError(
                f"settings vary in these parameters of numbers: {found}; expected parameter=NAME, one of them",
                "parameter",
            )
        parameter = varying[0]
    if parameter not in numeric:
        raise InputError(f"parameter {parameter} has values that are no numbers; expected numbers for an axis")
    return parameter


def positions_of(
    settings: Sequence[Setting], names: Sequence[str], over: str | None
) -> list[tuple[tuple[Scalar, ...], list[int]]]:
    """Group the positions of settings by their values of some parameters.

    Args:
        settings: (S,) settings.
        names: names of the parameters.
        over: the parameter in which the settings of a group differ, such as the seed; None if a group is one setting.

    Returns:
        The values of each group and the positions of its settings, in the order in which groups first appear.

    Raises:
        InputError: two settings have the same values of ``names`` and ``over``.
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
    """Return whether a value is a number that can be drawn on an axis: not NaN, nor an int too large for a float."""
    if isinstance(value, float):
        return not math.isnan(value)
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 1024


def _scalar(value: object) -> Scalar:
    if type(value).__name__ == "MaskedConstant":  # item() of it is 0.0
        raise InputError("a setting or parameter is masked; expected a text or a number")
    item = value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value
    return item if item is None or isinstance(item, str | int | float | bool) else str(item)


def _number(value: Scalar) -> Scalar:
    """Return a float that equals an int as that int, and any other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
