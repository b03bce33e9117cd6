"""What two error analysers computed on real corpora, where these are at hand, see `test_shared_data`."""

import functools
import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from test_error_types import NAMES, numbers

import arraycoref as ac
from arraycoref.analysis import TYPES

FOLDER = Path(os.environ.get("ARRAYCOREF_DATA", ""))
ORACLE = FOLDER.parent / "oracle" / "errors"
pytestmark = pytest.mark.skipif(
    not os.environ.get("ARRAYCOREF_DATA"), reason="ARRAYCOREF_DATA is not set: it names the folder of shared corpora"
)
FILES = {
    "gum_gum": ("gum_gum_key.conll", "gum_gum_resp.conll"),
    "litbank": ("litbank.conll", "litbank_response.conll.gz"),
    "titaantjes": ("titaantjes_key.conll", "titaantjes_response.conll"),
}


@functools.cache
def analysis(group, spans="none"):
    files = (FOLDER / name for name in FILES[group])
    return ac.analyze_files(*files, spans=spans, on_error=lambda _: None)


def rows(name, group):
    lines = (ORACLE / name).read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["group"] == group]


@functools.cache
def places(group):
    return {name: d for d, name in enumerate(analysis(group).documents)}


@pytest.mark.parametrize("group", FILES)
def test_operations(group):
    by_mode = {}
    for row in rows("operations.jsonl", group):
        by_mode.setdefault(row["mode"], []).append(row)
    assert by_mode
    for mode, of_mode in by_mode.items():
        a = analysis(group, "text" if mode == "spans" else "none")
        start, end = a.index.start, a.index.end
        if mode != "clusters":
            flags = np.zeros(len(a.index), bool)
            for row in of_mode:
                here = slice(*a.index.offsets[places(group)[row["id"]] :][:2].tolist())
                spans = np.stack([start[here], end[here]], axis=1).tolist()
                flags[here] = [span in row["pronouns"] for span in spans]
            a = ac.Analysis(a.index, a.metrics, a.signature, a.notes, a.spans, flags)
        numbers(a)
        counts = a.error_counts.counts.rows[0, :, :, ::2].sum(axis=2)
        for row in of_mode:
            d = places(group)[row["id"]]
            assert counts[d, :6].tolist() == [row["errors"][name] for name in NAMES], row["id"]
            assert counts[d, TYPES.index("span")] == row["errors"]["span_error"], row["id"]


@pytest.mark.parametrize("group", FILES)
def test_links(group):
    a = analysis(group)
    start, end, document = a.index.start, a.index.end, a.index.document
    links = {side: np.stack(a.links(precision=side == "precision").wrong, axis=1) for side in ("recall", "precision")}
    found = rows("links.jsonl", group)
    assert found
    for row in found:
        d = places(group)[row["id"]]
        for side, pairs in links.items():
            here = pairs[document[pairs[:, 0]] == d]
            assert len(here) == row[f"n_{side}"]
            if f"{side}_closest" in row:
                spans = [[[int(start[m]), int(end[m])] for m in pair] for pair in here]
                assert sorted(spans) == sorted(row[f"{side}_closest"])
            else:
                lengths = Counter(str(end[m] - start[m] + 1) for m in here[:, 0])
                assert lengths == row[f"{side}_by_anaphor_length"]


def test_published_figures_of_gum():
    """Scores after the correction of one type, as a prototype found them."""
    table = analysis("gum_gum").error_table(resamples=2)
    alone = dict(zip(table.types, (100 * table.gain_if_fixed[0]).round(2).tolist(), strict=True))
    assert alone == {
        "conflated": 11.85,
        "extra-mention": 2.39,
        "extra-entity": 0.57,
        "divided": 13.33,
        "missing-mention": 3.32,
        "missing-entity": 0.89,
        "extra-singleton": 2.4,
        "missing-singleton": 4.64,
    }
    b = analysis("gum_gum").breakdown("length", "mentions,muc,bcub,lea")
    f1 = {name: (100 * b.score(name)[0]).round(1).tolist()[:2] for name in b.metrics}
    assert f1 == {"mentions": [89.3, 88.4], "muc": [70.6, 57.7], "bcub": [62.4, 67.0], "lea": [52.4, 49.5]}


@pytest.mark.parametrize("group", FILES)
def test_these_files_have_no_tags_of_known_sets(group):
    """Only Titaantjes has tags, of a Dutch set; GUM has three columns, and LitBank ``_`` for tags."""
    a = analysis(group)
    assert a.index.any_upos is None
    assert ["neither Penn's nor universal" in note for note in a.notes[0]].count(True) == (group == "titaantjes")
