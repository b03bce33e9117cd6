"""Options of the statistics: shown in full, each with its default, and no others taken."""

from __future__ import annotations

import json
import re
import resource
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from stats_data import some_documents

import arraycoref as ac
from arraycoref.errors import UnknownNameError
from arraycoref.stats import adjust_pvalues
from arraycoref.stats.figures import plot_correlation
from marks import cases

TAKEN = {
    "bootstrap": "metrics average method confidence resamples seed threads batch",
    "compare": "metric field average test correction alpha method confidence resamples seed threads batch",
    "correlate": "metrics average",
    "paired_test": "metric field average test alternative exact resamples seed threads batch",
    "power": "metric field average alpha seed threads",
}


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


@cases(
    "option,value",
    [(name, value) for name in ("resamples", "batch") for value in (0, -1, 2.5, 20.0, "20", True, [20])]
    + [(name, value) for name in ("alpha", "confidence") for value in ("x", None, 1j, np.nan, [0.5])]
    + [("resamples", None), ("metric", ["muc"]), ("seed", "x"), ("threads", 1.5)],
)
def test_values_of_another_kind(runs, option, value):
    with pytest.raises(ac.InputError, match=rf"^{option} is {re.escape(repr(value))}; expected"):
        ac.compare(runs, **{option: value})


def test_numbers_of_numpy(runs):
    some = ac.compare(
        runs, resamples=np.int32(20), alpha=np.float32(0.5), confidence=np.float64(0.5), batch=np.uint8(9)
    )
    assert some == ac.compare(runs, resamples=20, alpha=0.5, confidence=0.5)
    assert '"resamples": 20' in some.render("json")


def test_exact_is_a_truth_value(a, b):
    with pytest.raises(ac.InputError, match="exact is 'no'; expected True, False or None"):
        ac.paired_test(a, b, exact="no")


def test_results_of_one_corpus_are_refused(a):
    """Where the scores of each document are needed."""
    for wrong in (a.corpus, a.macro, a.documents, a.counts, None, 5):
        kind = type(wrong).__name__
        for ask in (
            lambda wrong=wrong: ac.bootstrap(wrong),
            lambda wrong=wrong: ac.bootstrap(a, wrong) if wrong is not None else ac.bootstrap(wrong),
            lambda wrong=wrong: ac.compare({"x": a, "y": wrong}),
            lambda wrong=wrong: ac.correlate({"x": a, "y": wrong, "z": a}),
            lambda wrong=wrong: ac.paired_test(a, wrong),
            lambda wrong=wrong: ac.power(wrong, a),
        ):
            with pytest.raises(ac.InputError, match=rf"' is {kind}; expected BatchScores"):
                ask()


def test_systems_are_a_mapping(a):
    for wrong in ([a, a], a, (("x", a),), None, 5):
        for ask in (ac.compare, ac.correlate):
            with pytest.raises(ac.InputError, match=f"systems are {type(wrong).__name__}; expected a mapping"):
                ask(wrong)


@pytest.mark.parametrize("names", [(1, 2), (0.5, "x"), ("x", None), (True, 3)])
def test_systems_may_be_named_by_the_values_of_a_parameter(a, b, names):
    """As `Sweep.pooled` names them."""
    for pair in ((a, b), (a, a)):
        ranked = ac.compare(dict(zip(names, pair, strict=True)), resamples=20)
        assert {system.name for system in ranked.systems} == set(names)
        for format in ("table", "csv", "markdown", "latex", "json"):
            assert str(names[0]) in ranked.render(format).replace("null", "None").replace("true", "True")
        assert str(names[1]) in ranked._repr_html_()


def test_names_are_texts(runs):
    for value in (["micro"], np.array(["micro"]), None):
        with pytest.raises(ac.InputError, match=r"unknown average .*; expected one of: micro, macro"):
            ac.compare(runs, average=value)


def test_names_of_any_kind_are_refused_by_name(runs):
    """Arrays have no one truth, and lists no hash."""
    two = np.array(["holm", "pearson"])
    for call in (
        lambda: adjust_pvalues([0.5], two),
        lambda: ac.correlate(runs, method=two),
        lambda: ac.correlate(runs, metrics="muc,bcub").against(two),
        lambda: ac.correlate(runs, metrics="muc,bcub").against("muc", two),
        lambda: ac.bootstrap(runs["s1"], metrics="muc", resamples=2)[two],
        lambda: ac.table(runs, fields=[two]),
        lambda: ac.compare(runs, field=two),
        lambda: ac.compare(runs).to_frame(two),
        lambda: ac.compare(runs).render(two),
        lambda: plot_correlation(ac.correlate(runs, metrics="muc,bcub"), against=two),
    ):
        with pytest.raises(UnknownNameError, match=r"unknown .* array\(\['holm', 'pearson'\]"):
            call()


def test_threads_are_checked_where_all_outcomes_are_listed(a, b):
    with pytest.raises(ac.InputError, match="threads is -5; expected 1 or more"):
        ac.paired_test(some_documents(a, [0, 1]), some_documents(b, [0, 1]), threads=-5)


@pytest.mark.parametrize("value", [10**400, -(10**400)], ids=["large", "negative"])
def test_numbers_too_large_for_a_float(a, b, value):
    for name in ("alpha", "confidence"):
        with pytest.raises(ac.InputError, match=rf"^{name} is -?1000.*; expected a fraction between 0 and 1"):
            ac.compare({"a": a, "b": b}, **{name: value})
    with pytest.raises(ac.InputError, match=r"^resamples is -?1000.*; expected"):
        ac.bootstrap(a, resamples=value)


def test_resamples_are_not_listed_before_they_are_drawn(a):
    """A number of them that nobody waits for ends at the limit of time; the list of their blocks took all memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ac.TimeLimitError), ac.time_limit(0.2):
        ac.bootstrap(a, resamples=2**31)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


def test_two_systems_of_one_name(a, b):
    """As all that is printed shows them."""
    twice = {1: a, "1": b, "x": a}
    for ask in (ac.compare, ac.correlate, ac.table):
        with pytest.raises(ac.InputError, match="2 systems are named 1; expected names that differ as texts"):
            ask(twice)
    with pytest.raises(ac.InputError, match="block 'dev': 2 systems are named 1"):
        ac.table({"dev": twice})


def test_systems_may_be_named_by_what_json_lacks(a, b):
    """Paths, for which scores are made in a loop; keys of groups, which are tuples."""
    names = [Path("runs/a.conll"), ("x", np.int64(1))]
    for runs in ({names[0]: a, names[1]: b}, {names[1]: a, names[0]: b}):
        ranked, table = ac.compare(runs, resamples=20, baseline=names[0]), ac.table(runs, baseline=names[0])
        for report in (ranked, table):
            found = json.loads(report.render("json"))
            rows = found["systems"] if report is ranked else found["rows"]
            assert {row["system"] for row in rows} == set(map(str, names))
            assert (found["reference"] if report is ranked else found["baseline"]) == str(names[0])
            for backend in ("pandas", "polars", "pyarrow"):
                pytest.importorskip(backend)
                assert set(map(str, report.to_frame(backend)["system"])) == set(map(str, names))
    numbers = ac.table({np.int64(1): a, np.int64(2): b}, baseline=np.int64(2))
    assert json.loads(numbers.render("json"))["baseline"] == numbers.systems[1] == "2"


def test_conventions_that_the_printed_line_does_not_say(a, b, runs):
    """The signature below a table is that of the first system."""
    other = replace(b, signature=replace(b.signature, duplicates="first"))
    note = "systems were scored with different duplicates: error of {}; first of {}"
    found = ac.compare({"x": a, "y": other, "z": a}, resamples=20)
    assert note.format("x, z", "y") in found.notes
    for result in (
        ac.bootstrap(a, other, metrics="muc", resamples=20),
        ac.paired_test(a, other, resamples=20),
        ac.power(a, other, resamples=20, sizes=[20]),
        ac.table({"a": a, "other": other}),
        ac.table({"a": [a, a], "other": [other]}, marks=True, resamples=20),
    ):
        assert any("with different duplicates: error of" in each for each in result.notes)
    assert not any("different" in each for each in ac.compare(runs, resamples=20).notes)
    with pytest.raises(ac.InputError, match=r"'a' was scored with beta 1.0 and 'b' with 2.0; expected the same"):
        ac.correlate({"a": a, "b": replace(b, signature=replace(b.signature, beta=2.0)), "c": a})


def test_a_document_of_most_mentions_is_no_matter_of_macro_averages(a):
    large = ac.score_labels_batch([0] * 90 + [0, 1] * 5, [0] * 80 + [1] * 10 + [0, 1] * 5, [0, 90, 92, 94, 96, 98, 100])
    for average, times in (("micro", 1), ("macro", 0)):
        for result in (
            ac.bootstrap(large, average=average, resamples=20),
            ac.compare({"a": large}, average=average, resamples=20),
            ac.table({"a": large}, average=average, intervals=True, resamples=20),
        ):
            assert sum("holds 90% of the key" in note for note in result.notes) == times
