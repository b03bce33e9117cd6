"""Public functions say what they take: in ``help`` and notebooks by signatures, to type checkers by types."""

import inspect
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

import click
import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli.main import main
from arraycoref.options import OPTIONS, OTHER_NAMES, with_signature
from arraycoref.scoring.metrics.registry import PlainMetric
from arraycoref.stats import how

FUNCTIONS = [name for name in ac.__all__ if inspect.isfunction(getattr(ac, name))]


def values_of(kind):
    """Return the values of a Literal, or of a union of one with None; None for other types."""
    kinds = (
        [each for each in get_args(kind) if each is not NoneType] if get_origin(kind) in (Union, UnionType) else [kind]
    )
    return {*get_args(kinds[0])} if len(kinds) == 1 and get_origin(kinds[0]) is Literal else None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_has_every_option_with_default_and_values(name):
    parameters = inspect.signature(getattr(ac, name)).parameters
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters.values())
    shown = {name: p for name, p in parameters.items() if name in OPTIONS and not isinstance(p.annotation, str)}
    for option, parameter in shown.items():
        assert parameter.kind is parameter.KEYWORD_ONLY
        assert parameter.default is OPTIONS[option].default
        choices = {*OPTIONS[option].choices}
        assert values_of(parameter.annotation) == (choices or None), option
    takes_options = inspect.unwrap(getattr(ac, name)).__code__.co_flags & inspect.CO_VARKEYWORDS
    assert bool(takes_options) == bool(shown)


@pytest.mark.parametrize("name", ["field", "average", "method", "test", "alternative", "correction"])
def test_values_of_statistics_are_those_of_their_options(name):
    assert values_of(getattr(how, name.title())) == {*OPTIONS[name].choices}


def test_signatures_change_no_call():
    """They are what ``help`` reads; a function without options keeps its own."""
    parameters = inspect.signature(ac.score).parameters
    assert list(parameters)[:4] == ["key", "response", "heads", "metrics"]
    assert parameters["singletons"].default is None
    with pytest.raises(TypeError, match="unexpected keyword argument 'singleton'"):
        ac.score([["a"]], [["a"]], singleton="drop")
    assert not hasattr(with_signature(ac.warmup), "__signature__")
    for method in (ac.Accumulator, ac.Analysis.error_table, ac.Analysis.breakdown):
        assert {"singletons", "confidence"} & inspect.signature(method).parameters.keys()


def test_errors_about_old_names_have_the_new_ones():
    taken = {"max_sentences", "file_pairs", *OPTIONS, *ac.__all__}
    for command in (main.get_command(None, name) for name in main.list_commands(None)):
        taken |= {str(parameter.name) for parameter in command.params if isinstance(parameter, click.Option)}
    assert {*OTHER_NAMES.values()} <= taken
    with pytest.raises(AttributeError, match="'score_pairs'; it is named 'score_file_pairs'"):
        getattr(ac, "score_pairs")  # noqa: B009
    with pytest.raises(TypeError, match="unexpected keyword argument 'rows'; expected max_sentences=3"):
        ac.show([["a"]], [["a"]], rows=3)
    for line in (
        "sweep k r --edges x: --scored-pairs",
        "sweep k r --over s: --average",
        "show k r --colour=never: --color",
    ):
        typed, _, new = line.partition(": ")
        done = CliRunner().invoke(main, typed.split())
        assert (done.exit_code, done.stderr.splitlines()[-1].endswith(f" is named {new}")) == (2, True)


def test_metrics_that_type_checkers_know_are_those_of_the_registry():
    with_parts = {"blanc", "blanc-gold"}
    known = {value for kind in get_args(PlainMetric) for value in get_args(kind)}
    assert known == {*ac.METRIC_NAMES} - with_parts
    assert {
        name for name in ac.METRIC_NAMES if type(ac.score([["a"]], [["a"]], metrics=name)[name]) is not ac.Score
    } == with_parts


def test_dir_of_results_has_what_users_call():
    b = ac.score_batch({"x": [["a", "b"]]}, {"x": [["a"]]})
    results = [
        b,
        b["x"],
        b.documents,
        b.by(["g"]),
        ac.compare({"a": b}),
        ac.sweep([0, 0], [[0, 0]]),
        ac.agree({"a": [], "b": []}),
    ]
    for result in results:
        names = [name for name in dir(result) if name[0] != "_"]
        assert {"render", "rows", "to_dict", "to_frame"} < {*names}
        assert not {"as_part", "caption", "inner", "nested", "of", "opening", "tables"} & {*names}
        assert all(hasattr(result, name) for name in names)
