"""Types of errors: what the analysers computed, the slow definition, MUC's lost links, corrections."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.analysis import TYPES
from arraycoref.analysis.errors import corrected, lost_links
from arraycoref.analysis.pair import pair_of
from arraycoref.stats.sample import Sample
from marks import about
from oracle.errors import operations
from strategies import clusters_of, examples, label_documents

GOLDEN = Path(__file__).parent.parent / "golden"
NAMES = ("conflated_entities", "extra_mention", "extra_entity", "divided_entity", "missing_mention", "missing_entity")
KEY_SIDE, RESPONSE_SIDE = (3, 4, 5, 8), (0, 1, 2, 7)


def golden(name):
    return [json.loads(line) for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines()]


def as_spans(clusters):
    return [[tuple(span) for span in cluster] for cluster in clusters]


def numbers(analysis, system=0):
    """Return the number of errors by type, and check that it is that of the pieces."""
    counts = [int(analysis.error_counts.score(name)[system]) for name in TYPES]
    assert np.bincount(analysis.errors(system).type, minlength=len(TYPES)).tolist() == counts
    if len(analysis.documents) == 1:
        by_unit(analysis, system)
    return dict(zip(TYPES, counts, strict=True))


def by_unit(analysis, system):
    """Check that each error counts in the key entities of its mentions, and in mentions that the key lacks."""
    sample = Sample.from_runs(analysis.error_counts.select([system]), "micro")
    if sample.clustering is None:  # of nothing
        return
    key, response = analysis.index.labels[[0, system + 1]].tolist()
    unit = sample.clustering.units(0).tolist()
    named = {
        (k if k >= 0 else f"extra {m}", unit[m])
        for m, (k, r) in enumerate(zip(key, response, strict=True))
        if max(k, r) >= 0
    }
    assert len(named) == len(dict(named)) == len({u for _, u in named}) == sample.n_units
    errors, expected = analysis.errors(system), np.zeros((sample.n_units, len(TYPES)))
    for t, first, last in zip(errors.type, errors.bounds, errors.bounds[1:], strict=False):
        for m in errors.mentions[first:last].tolist():
            expected[unit[m], t] += 1 / (last - first)
    rows = sample.rows[0].reshape(-1, len(TYPES), 4)
    np.testing.assert_allclose(rows[..., 0] + rows[..., 2], expected)


def test_intervals_of_one_clustering():
    """One of 40 pairs is split, nothing else is wrong: Poisson's interval of one error, and of none."""
    key = np.arange(40).repeat(2)
    table = ac.analyze_labels(key, np.append(key[:-1], 40)).error_table("muc")
    ends = {name: (i.estimate, i.low, i.high) for name, i in zip(table.types, table.errors[0], strict=True)}
    assert ends["divided"] == pytest.approx((1, 0.025, 5.57), abs=0.01)
    assert ends["missing-entity"] == pytest.approx((0, 0, 3.69), abs=0.01)
    assert "1 document, 95% intervals (linearized)" in table.caption(2)


def test_operations_of_the_analyser(tmp_path):
    """Rows of texts first apply the analyser's own pairs of spans, which ``spans="text"`` finds too."""
    files = key_file, response_file = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    for row in golden("error_types.jsonl"):
        with about(row["id"]):
            if "sentences" in row:
                for path, side in zip(files, ("key", "response"), strict=True):
                    path.write_text(json.dumps({"doc_key": "d", "clusters": row[side], "sentences": row["sentences"]}))
                a = ac.analyze_files(key_file, response_file, spans="text", on_error=lambda _: None)
                start, end, pairs = a.index.start, a.index.end, a.pairs[0].spans
                spans = [[[int(start[m]), int(end[m])] for m in pair] for pair in pairs[::-1].T]
                assert sorted(spans) == sorted(row["alter"])
                pronouns = set(map(tuple, row["pronouns"]))
                flags = np.array([span in pronouns for span in zip(start.tolist(), end.tolist(), strict=True)], bool)
                a = ac.Analysis(a.index, a.metrics, a.signature, a.notes, "text", flags)
            else:
                pronouns = set(map(tuple, row.get("pronouns") or ()))
                a = ac.analyze(as_spans(row["key"]), as_spans(row["response"]), spans="none", pronouns=pronouns)
            found = numbers(a)
            assert list(found.values())[:6] == [row["errors"][name] for name in NAMES]
            assert found["span"] == row["errors"]["span_error"]


def same(one, other):
    """Whether two label vectors are the same clustering."""
    return {frozenset(c) for c in clusters_of(one)} == {frozenset(c) for c in clusters_of(other)}


@given(label_documents(), st.sets(st.integers(0, 13)))
@examples()
def test_against_the_definition(document, pronouns):
    key, response = (np.array(side, np.int64) for side in document)
    a = ac.analyze_labels(key, response, pronouns=[m in pronouns for m in range(key.size)])
    found = numbers(a)
    sides = [[set(cluster) for cluster in clusters_of(side.tolist())] for side in (key, response)]
    assert found == operations(*sides, pronouns) | {"span": 0}
    # MUC loses a link by each error; an entity that is absent as a whole loses several
    recall, precision = lost_links(a.pairs[0])
    muc = a.scores["response"]["muc"]
    assert recall.sum() == muc.recall_den - muc.recall_num
    assert precision.sum() == muc.precision_den - muc.precision_num
    assert recall[:3].sum() == precision[3:6].sum() == 0
    for types, lost in ((KEY_SIDE, recall), (RESPONSE_SIDE, precision)):
        assert [lost[t] for t in types[:2]] == [found[TYPES[t]] for t in types[:2]]
        assert lost[types[2]] >= found[TYPES[types[2]]]
    # the other way round, the two halves of the table change places
    swapped = numbers(ac.analyze_labels(response, key, pronouns=a.is_pronoun))
    for mine, other in zip(KEY_SIDE, RESPONSE_SIDE, strict=True):
        assert (found[TYPES[mine]], found[TYPES[other]]) == (swapped[TYPES[other]], swapped[TYPES[mine]])
    assert not any(numbers(ac.analyze_labels(key, key)).values())
    # all corrected is the key, nothing corrected the response
    assert same(corrected(a.pairs[0], range(9)), key)
    assert same(corrected(a.pairs[0], ()), response)
    renamed = ac.analyze_labels(np.where(key < 0, -1, 90 - key), response, pronouns=a.is_pronoun)
    assert numbers(renamed) == found


@given(label_documents(), st.sets(st.integers(0, 8)))
@examples()
def test_corrected_errors_are_gone(document, types):
    """A corrected type of absent mentions is gone, and no mention leaves or enters for another reason."""
    key, response = (np.array(side, np.int64) for side in document)
    pair = ac.analyze_labels(key, response).pairs[0]
    labels = corrected(pair, types)
    errors = pair.pieces
    changed = set(np.flatnonzero((labels >= 0) != (pair.response >= 0)).tolist())
    owner = np.arange(len(errors)).repeat(np.diff(errors.bounds))
    corrected_mentions = set(errors.mentions[np.isin(errors.type[owner], [*types])].tolist())
    heads = {int(m) for side in pair.sides for m in side.representatives}
    assert changed - corrected_mentions <= heads  # a cell that moves may take its head with it
    for t in types - {0, 3, 6}:
        gone = set(errors.mentions[errors.type[owner] == t].tolist())
        assert gone <= changed


def test_pieces_are_where_they_are_wrong():
    #          0  1  2  3  4   5   6   7  8  9
    key = [0, 0, 0, 1, 1, 1, -1, -1, 2, 3]
    response = [0, 0, 1, 1, 1, -1, 1, 2, -1, 3]
    errors = ac.analyze_labels(key, response).errors()
    bounds = zip(errors.bounds, errors.bounds[1:], strict=False)
    found = [
        (TYPES[t], side, errors.mentions[b:e].tolist())
        for t, side, (b, e) in zip(errors.type, errors.side, bounds, strict=True)
    ]
    assert found == [
        ("divided", 0, [2]),
        ("conflated", 1, [3, 4]),
        ("missing-mention", 0, [5]),
        ("extra-mention", 1, [6]),
        ("extra-singleton", 1, [7]),
        ("missing-singleton", 0, [8]),
    ]
    of_response = errors.type_of_mentions(1, 10)
    assert {m: TYPES[t] for m, t in enumerate(of_response) if t >= 0} == {
        **dict.fromkeys((3, 4), "conflated"),
        6: "extra-mention",
        7: "extra-singleton",
    }


def test_spans_by_head():
    """Two mentions of one last word are one, unless there are several such mentions; then the word is no help."""
    key, response = [[(0, 2), (5, 6)], [(8, 9), (9, 9)]], [[(1, 2), (5, 6)], [(7, 9)]]
    a = ac.analyze(key, response)
    found = numbers(a)
    assert Counter(found) == Counter({"span": 1, "missing-entity": 1, "extra-singleton": 1}) + Counter()
    assert a.pairs[0].spans.T.tolist() == [[0, 1]]
    table = a.error_table(resamples=10)
    lost = dict(zip(table.types, table.lost[0].sum(axis=0).tolist(), strict=True))
    muc = a.scores["response"]["muc"]
    assert lost["span"] == 2
    assert table.lost_links[0].tolist() == [muc.recall_den - muc.recall_num, muc.precision_den - muc.precision_num]
    assert same(corrected(a.pairs[0], [6]), pair_of(a.index, 1, None, "head").response)


def test_types_are_counts_like_any_metric():
    """Rows per document: intervals, tests and comparisons work on them; fewer errors are better."""
    rng = np.random.default_rng(0)
    key = rng.integers(0, 4, 200)
    offsets = range(0, 201, 10)
    worse = np.where(rng.random(200) < 0.5, rng.integers(0, 4, 200), key)
    a = ac.analyze_labels(key, {"worse": worse, "same": key}, offsets)
    c = ac.compare(a.error_counts, metric="divided", resamples=99)
    assert c.systems[0].name == "same"
    divided = ac.bootstrap(a.error_counts["worse"], metrics="divided", resamples=99)["divided"].f1
    assert divided.low < divided.estimate == a.error_counts.counts.rows[0, :, 3, 0].sum() < divided.high


def test_gains():
    """What a type gains alone is the score of its correction; without its errors a type gains nothing."""
    key, response = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, -1]
    table = ac.analyze_labels(key, response).error_table("bcub", resamples=10)
    by_type = dict(zip(table.types, table.gain_if_fixed[0], strict=True))
    base = ac.score_labels(key, response)["bcub"].f1
    assert by_type["missing-singleton"] == pytest.approx(ac.score_labels(key, [0, 0, 1, 1, 1, 2])["bcub"].f1 - base)
    assert by_type["divided"] == pytest.approx(ac.score_labels(key, [0, 0, 0, 1, 1, -1])["bcub"].f1 - base)
    assert by_type["extra-entity"] == 0
    assert dict(zip(table.types, table.loss_if_left[0], strict=True))["missing-singleton"] == pytest.approx(
        1 - ac.score_labels(key, [0, 0, 0, 1, 1, -1])["bcub"].f1
    )
    for format in ("table", "json", "csv", "markdown", "latex", "html"):
        assert "divided" in table.render(format)
