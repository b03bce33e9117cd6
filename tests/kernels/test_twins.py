"""Both ways of each twin give the same, to the bit, or raise the same error."""

import importlib
import pkgutil
from contextvars import copy_context

import numpy as np
import pytest
from arguments import ARGUMENTS, ELSEWHERE, SEEN
from hypothesis import given

import arraycoref as ac
from arraycoref.twin import PLAIN, SMALL, TWINS, _engine, _load, using
from strategies import examples

for room in pkgutil.walk_packages(ac.__path__, "arraycoref."):  # twins are listed when their rooms are imported
    if not room.name.endswith(
        ("__main__", "torchmetrics", "inspect_ai", "evaluate.evaluate")
    ):  # whose libraries are large
        importlib.import_module(room.name)


def frozen(result):
    """Return a result such that ``==`` compares it to the bit."""
    if isinstance(result, np.ndarray):
        return result.dtype.str, result.shape, result.tobytes()
    if isinstance(result, tuple | list):
        return type(result).__name__, [frozen(part) for part in result]
    if hasattr(result, "__dataclass_fields__"):
        return type(result).__name__, [frozen(getattr(result, name)) for name in result.__dataclass_fields__]
    return type(result), repr(result)


def outcome(function, name, arguments):
    """Return what a function returns, or the error that it raises."""
    try:
        result = function(*arguments)
    except ac.ArraycorefError as error:
        return type(error), str(error)
    if result is NotImplemented:
        return None
    return frozen(SEEN[name](result, *arguments) if name in SEEN else result)


def test_small_calls_leave_out_twins_in_numpy(monkeypatch):
    entry = TWINS["conll.read_lines"]
    monkeypatch.setattr(entry, "fast", None)

    def chosen():
        _engine.set(None)
        return entry.chosen(SMALL / 2), entry.chosen(2 * SMALL)

    assert copy_context().run(chosen) == (None, _load(entry.name))


def test_every_twin_is_compared():
    assert ARGUMENTS.keys() | ELSEWHERE == TWINS.keys()


@pytest.mark.filterwarnings("ignore:.* mentions (is|are) shared")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_twins_give_the_same(name):
    plain, fast = TWINS[name].plain, _load(name)

    @given(ARGUMENTS[name])
    @examples(1.5)
    def compare(arguments):
        with using("numba"):
            result = outcome(fast, name, arguments)
        with using(PLAIN):
            assert result is None or result == outcome(plain, name, arguments)

    compare()
