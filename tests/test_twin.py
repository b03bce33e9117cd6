"""The choice between a plain function and its fast twin."""

import pytest

from arraycoref import twin


@pytest.mark.parametrize(("is_compiled", "loads"), [(True, True), (False, False)])
def test_only_time_that_machine_code_would_save_makes_a_process_load_it(is_compiled, loads, monkeypatch):
    """Time in plain readers, whose twins are written in NumPy, says nothing about numba."""
    slow, small = (
        twin.Twin(name, len, len, 0.0, 0.0, 0.0, compiled) for name, compiled in (("a", is_compiled), ("b", True))
    )
    monkeypatch.setattr(twin, "TWINS", {"a": slow, "b": small})
    monkeypatch.setattr(twin, "_load", lambda _name: sum)
    slow.spent = 2 * twin.LOADING
    token = twin._engine.set(None)
    try:
        assert small.chosen(0.0) == (sum if loads else None)
    finally:
        twin._engine.reset(token)
