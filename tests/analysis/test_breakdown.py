"""Breakdowns: the shares of each mention by the slow definition, which add up to the metrics' own sums."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.analysis.breakdown import ATTRIBUTES, GROUPS, add_up, attribute_of
from arraycoref.exceptions import InputError, OptionError
from oracle.errors import shares
from strategies import clusters_of, examples, label_documents

PLAIN = ("mentions", "muc", "bcub", "lea", "pairwise")


def sides_of(key, response):
    return [[set(cluster) for cluster in clusters_of(side.tolist())] for side in (key, response)]


@given(label_documents())
@examples()
def test_shares_of_each_mention(document):
    """Each mention in a class of its own: its class has its four numbers."""
    key, response = (np.array(side, np.int64) for side in document)
    pair = ac.analyze_labels(key, response).pairs[0]
    own = np.arange(key.size)
    for metric in (*PLAIN, "other links"):
        names = ("blanc",) if metric == "other links" else (metric,)
        rows = add_up(pair, names, (own, own), max(key.size, 1))[0][:, int(metric == "other links")]
        for mention, numbers in shares(*sides_of(key, response), metric).items():
            assert rows[mention].tolist() == pytest.approx(list(map(float, numbers)))


@given(st.lists(label_documents(), min_size=1, max_size=4), st.data())
@examples()
def test_classes_add_up(documents, data):
    """Document by document, to what scoring counts; CEAF too, whatever alignment is found."""
    key, response = (np.array([label for d in documents for label in d[side]], np.int64) for side in (0, 1))
    offsets = np.cumsum([0, *(len(d[0]) for d in documents)])
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=key.size, max_size=key.size))
    a = ac.analyze_labels(key, response, offsets)
    for attribute in (labels, "size", "distance"):
        b = a.breakdown(attribute, tuple(GROUPS))
        rows, last = np.moveaxis(b.by_class.counts.rows, 0, 1)[:, :-1], b.by_class.counts.rows[-1]
        expected = a.scores.counts.setting(0).only(tuple(GROUPS)).rows
        assert rows.sum(axis=1) == pytest.approx(expected, abs=1e-9)
        assert last == pytest.approx(expected, abs=1e-9)
        assert b.key_mentions[:-1].sum() == b.key_mentions[-1] == np.count_nonzero(key >= 0)
        assert b.response_mentions[0, :-1].sum() == b.response_mentions[0, -1] == np.count_nonzero(response >= 0)


@pytest.fixture
def texts(tmp_path):
    """A key and two responses with words and sentences; the second is the key."""
    sentences = '[["Ann", "Lee", "saw", "the", "cat"], ["It", "ran", "off"], ["She", "and", "the", "cat"]]'
    key = "[[[0, 1], [8, 8]], [[3, 4], [5, 5], [10, 11]]]"
    for name, clusters in (("key", key), ("same", key), ("other", "[[[0, 1], [5, 5], [8, 8]], [[3, 4]]]")):
        line = f'{{"doc_key": "d", "sentences": {sentences}, "clusters": {clusters}}}'
        (tmp_path / f"{name}.jsonl").write_text(line)
    return tmp_path


def found(b, side=0):
    """Return the classes with the mentions of the key and of a response that have them, where there are any."""
    numbers = zip(b.classes, b.key_mentions.tolist(), b.response_mentions[side].tolist(), strict=True)
    return {name: (k, r) for name, k, r in numbers if k or r}


def test_attributes(texts):
    responses = {name: texts / f"{name}.jsonl" for name in ("other", "same")}
    a = ac.analyze_files(texts / "key.jsonl", responses)
    cases = {
        "length": {"1": (2, 2), "2": (3, 2)},
        "size": {"1": (0, 1), "2": (2, 0), "3-5": (3, 3)},
        "range": {"one mention": (0, 1), "1-10": (5, 3)},
        "distance": {"first": (2, 2), "1": (1, 1), "2-5": (2, 1)},
        "distance-tokens": {"first": (2, 2), "2-5": (2, 2), "6-10": (1, 0)},
        "distance-sentences": {"first": (2, 2), "1": (2, 2), "2-3": (1, 0)},
    }
    for attribute, expected in cases.items():
        b = a.breakdown(attribute, "mentions,muc")
        assert found(b) == {**expected, "all": (5, 4)}
        assert {r for _, r in found(b, 1).values()} == {k for k, _ in found(b, 1).values()}
    ranges = dict(zip(a.breakdown("range").classes, a.breakdown("range").key_mentions, strict=True))
    assert ranges["1-10"] == 5  # from the first word of the first mention to the last word of the last: 9 words


def test_labels_of_mentions():
    key, response = [["ann", "she"], ["bo"]], [["ann", "she", "bo"], ["x"]]
    a = ac.analyze(key, response)
    b = a.breakdown({"ann": "name", "bo": "name", "she": "pronoun"}, "mentions,muc,conll", title="form")
    assert found(b) == {"name": (2, 2), "pronoun": (1, 1), "(none)": (0, 1), "all": (3, 4)}
    assert b.score("muc", "precision").tolist() == [[0.0, 1.0, pytest.approx(np.nan, nan_ok=True), 0.5]]
    of_none = next(line.split() for line in b.render("table").splitlines() if line.startswith("(none)"))
    assert of_none[3:6] == ["-", "0.00", "0.00"]
    with pytest.raises(InputError, match=r"shape \(1,\); expected \(4,\)"):
        a.breakdown(["name"])
    with pytest.raises(OptionError, match="'ari' has no parts by mention"):
        a.breakdown("size", "ari")
    for name in ("length", "upos", "type", "distance-sentences"):
        with pytest.raises(InputError, match=f"attribute '{name}' needs"):
            a.breakdown(name)
    assert set(ATTRIBUTES) >= {"length", "kind"}


def test_two_systems_with_intervals(tmp_path):
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(1)
    key = rng.integers(0, 5, 120)
    noisy = np.where(rng.random(120) < 0.3, rng.integers(0, 5, 120), key)
    a = ac.analyze_labels(key, {"noisy": noisy, "right": key}, range(0, 121, 10))
    b = a.breakdown(key % 2, "bcub,muc", title="parity", intervals=True, resamples=200)
    f1, c = b.score("bcub"), b.classes.index("1")
    assert f1[1].tolist() == [1, 1, 1]
    assert b.low[0, 2, 0, c] < f1[0, c] < b.high[0, 2, 0, c]
    rows = {(row["system"], row["class"], row["metric"]): row for row in b.to_dict()["rows"]}
    assert rows["noisy", "1", "bcub"]["f1_low"] == b.low[0, 2, 0, c]
    alone = ac.bootstrap(b.runs("1")["noisy"], metrics="bcub", resamples=200)["bcub"].f1
    assert (alone.estimate, alone.low) == pytest.approx((f1[0, c], b.low[0, 2, 0, c]))
    figure = b.plot("bcub", width=3.0)
    assert len(figure.axes[0].patches) == 2 * len(b.classes)
    assert "bcub noisy" in b.render(width=60)


def test_all_mentions_are_as_scored():
    """MUC of singletons is 0/0, which scoring counts as 0; a class may have the name of the last row."""
    a = ac.analyze_labels([0, 1, 2], [0, 1, 2])
    b = a.breakdown(["all", "all", "(all)"], "muc,ceafe,conll", title="label")
    assert b.classes == ("all", "(all)", "((all))")
    for metric in b.metrics:
        assert b.score(metric)[0, -1] == a.scores["response"].corpus[metric].f1
    assert np.isnan(b.score("conll")[0, :-1]).all()
    assert b.runs(b.classes[-1])["response"]["ceafe"].recall_num == 3
    assert {row["class"]: row["key_mentions"] for row in b.to_dict()["rows"]} == {
        "(all)": 1,
        "all": 2,
        "((all))": 3,
    }


def test_nested_and_rank():
    """Of each side, a mention is nested if another of that side contains it; entities are ranked by size."""
    key = {"a": [[(0, 4), (6, 6), (8, 8)], [(2, 3), (2, 2)], [(700, 700)]], "b": [[(0, 0), (3, 4)]]}
    response = {"a": [[(2, 3), (6, 6)], [(2, 2), (700, 700), (8, 8)]], "b": [[(0, 0), (3, 4)]]}
    index = ac.analyze(key, response).index
    nested, rank, position = (attribute_of(index, name) for name in ("nested", "rank", "position"))
    spans = list(zip(index.document.tolist(), index.start.tolist(), index.end.tolist(), strict=True))
    for side, clusters in enumerate((key, response)):
        for m, (d, *span) in enumerate(spans):
            own = [
                (size, cluster) for size, cluster in ((len(c), c) for c in clusters["ab"[d]]) if tuple(span) in cluster
            ]
            if not own:
                assert nested.codes[side, m] == rank.codes[side, m] == -1
                continue
            others = [other for cluster in clusters["ab"[d]] for other in cluster if other != tuple(span)]
            is_inside = any(start <= span[0] and span[1] <= end for start, end in others)
            assert nested.classes[nested.codes[side, m]] == ("nested" if is_inside else "outermost")
            sizes = sorted(map(len, clusters["ab"[d]]), reverse=True)
            assert rank.classes[rank.codes[side, m]] == ("1" if own[0][0] == sizes[0] else "2-3")
            assert position.classes[position.codes[side, m]] == ("0-511" if span[0] < 512 else "512-1023")
