"""Options of the statistics: shown in full, each with its default, and no others taken."""

from __future__ import annotations

import inspect

import pytest

import arraycoref as ac
from arraycoref.stats.options import STATISTICS

TAKEN = {
    "bootstrap": "metrics average method confidence n_resamples seed threads batch",
    "compare": "metric field average test correction alpha method confidence n_resamples seed threads batch",
    "correlate": "metrics average",
    "paired_test": "metric field average test alternative exact n_resamples seed threads batch",
    "power": "metric field average alpha seed threads",
}


@pytest.mark.parametrize("name", TAKEN)
def test_options_are_shown(name):
    function = getattr(ac, name)
    shown = inspect.signature(function).parameters
    assert not [p for p in shown.values() if p.kind is p.VAR_KEYWORD]
    for option in TAKEN[name].split():
        assert shown[option].default == STATISTICS[option].default
        assert shown[option].kind is inspect.Parameter.KEYWORD_ONLY
    for parameter in shown:
        assert f"\n        {parameter}: " in inspect.getdoc(function).replace("\n    ", "\n        ")
    assert "**options" not in function.__doc__


@pytest.mark.parametrize("name", TAKEN)
def test_no_other_option_is_taken(name, a, b):
    given = {"a": a, "b": b, "c": a}
    arguments = [given] if name in ("compare", "correlate") else [a, b]
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'n_resample'; expected some of: .*average"):
        getattr(ac, name)(*arguments, n_resample=5)


@pytest.mark.parametrize(("option", "value"), [("confidence", 95), ("confidence", 0.0), ("alpha", 1.0)])
def test_fractions(runs, option, value):
    with pytest.raises(ac.InputError, match=f"{option} is {value}; expected a fraction between 0 and 1"):
        ac.compare(runs, **{option: value})
