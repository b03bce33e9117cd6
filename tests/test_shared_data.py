"""Real corpora and system outputs, where they are at hand; the folder is not part of the project.

Set ARRAYCOREF_DATA to the folder that holds expected_scores.json and ecbplus/.
"""

import functools
import itertools
import json
import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.match import on_words
from arraycoref.read import read_documents
from arraycoref.read.mentions import nodes_of
from arraycoref.read.write import write_documents
from marks import about
from oracle import corefud
from oracle.corefud_reader import read
from oracle.golden import check_against_reference, counts, files_of_cells

FOLDER = Path(os.environ.get("ARRAYCOREF_DATA", ""))
pytestmark = pytest.mark.skipif(
    not os.environ.get("ARRAYCOREF_DATA"), reason="ARRAYCOREF_DATA is not set: it names the folder of shared corpora"
)


def load(path):
    """Read a JSON file of the folder, or nothing where there is no folder (the tests are then skipped)."""
    return json.loads((FOLDER / path).read_text(encoding="utf-8")) if os.environ.get("ARRAYCOREF_DATA") else {}


EXPECTED = load("expected_scores.json")
PUBLISHED = load("ecbplus/published_scores.json")
CLASSES = {"coreference": "coreference_links", "non_coreference": "non_coreference_links"}


def require(rows):
    """Parametrize over the rows, with one skipped placeholder where there are none."""
    return sorted(rows) or [pytest.param("-", marks=pytest.mark.skip(reason="ARRAYCOREF_DATA is not set"))]


@pytest.mark.parametrize("corpus", require(EXPECTED))
def test_reference_scorer_and_coval(corpus):
    expected = EXPECTED[corpus]
    batch = ac.score_files(FOLDER / expected["key"], FOLDER / expected["response"], profile="conll")
    for metric, row in expected["reference_scorer"].items():
        if metric == "blanc":
            for attribute, name in CLASSES.items():
                assert counts(getattr(batch["blanc"], attribute)) == row[name], attribute
        else:
            assert counts(batch[metric]) == pytest.approx(row, rel=1e-9), metric
    for metric, row in expected["coval_percent"].items():
        score = batch[metric]
        percent = [100 * score.recall, 100 * score.precision, 100 * score.f1]
        assert percent == pytest.approx(row, abs=0.005 + 1e-9), metric


@pytest.mark.parametrize("name", require(PUBLISHED))
def test_published_scores(name):
    metrics = ("mentions", "muc", "bcub", "ceafe", "lea", "conll")
    batch = ac.score_files(
        FOLDER / "ecbplus" / "key.conll", FOLDER / "ecbplus" / name, profile="conll", metrics=metrics
    )
    attributes = {"F1": "f1", "P": "precision", "R": "recall"}
    for path, expected in PUBLISHED[name].items():
        metric, letter = path.split(".")
        if metric == "conll":
            assert 100 * batch.conll == pytest.approx(expected, rel=1e-9)
        else:
            assert getattr(batch[metric], attributes[letter]) == pytest.approx(expected, rel=1e-9), path


@pytest.mark.parametrize("name", require(PUBLISHED))
def test_published_scores_are_found(name):
    """With two decimals, and 15; a figure that no convention gives is consistent with none."""
    letters = {"F1": "f1", "P": "precision", "R": "recall"}
    for digits in (2, 15):
        figures = []
        for path, value in PUBLISHED[name].items():
            metric, letter = path.split(".")
            percent = value if metric == "conll" else 100 * value
            figures.append(f"{metric}.{letters[letter]}={percent:.{digits}f}")
        found = ac.conventions(FOLDER / "ecbplus" / "key.conll", FOLDER / "ecbplus" / name, published=figures)
        assert "profile paper" in {row.name for row in found.consistent}
    others = ac.conventions(FOLDER / "ecbplus" / "key.conll", FOLDER / "ecbplus" / name, published="12.34")
    assert not others.consistent


@pytest.mark.parametrize("corpus", require(EXPECTED))
def test_figures_of_coval_are_found(corpus):
    expected = EXPECTED[corpus]
    fields = ("recall", "precision", "f1")
    rows = expected["coval_percent"].items()
    figures = [
        f"{metric}.{field}={value:.2f}" for metric, row in rows for field, value in zip(fields, row, strict=True)
    ]
    paths = FOLDER / expected["key"], FOLDER / expected["response"]
    found = ac.conventions(*paths, published=figures, on_error=lambda _: None)
    assert {row.name for row in found.consistent} == {"profile paper", "profile conll"}
    assert not ac.conventions(*paths, published="55.5", on_error=lambda _: None).consistent


def test_repeated_mentions_score_as_if_resolved():
    key = FOLDER / "gum_gum_key.conll"
    resolved = ac.score_files(key, FOLDER / "gum_gum_resp.conll")
    for options in ({"duplicates": "first"}, {"profile": "conll", "duplicates": "first"}):
        repeated = ac.score_files(key, FOLDER / "gum_gum_resp_repeated.conll", **options)
        for metric in ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "pairwise"):
            np.testing.assert_array_equal(repeated.counts[metric], resolved.counts[metric], err_msg=metric)
        for attribute in CLASSES:
            one, two = getattr(repeated["blanc"], attribute), getattr(resolved["blanc"], attribute)
            assert counts(one) == counts(two)


COREFUD = FOLDER.parent / "oracle" / "corefud"
METRICS = ("muc", "bcub", "ceafm", "ceafe", "lea", "mor", "zero")
LINKS = {"blancc": "coreference", "blancn": "non_coreference"}
REST = ("dependent", "linear", "drop"), ("keep", "drop")
ROWS = ("expected.jsonl", "scorer_tests_corefud/expected.jsonl")

BY_NUMBER = {"p09_zero_cycle_of_three", "p10_zero_unmatched_takes_credit"}
"""Files on which the scorer confuses zeros of both sides that have one number: compared with the definitions alone."""

PARTLY_READ = {"44_bridge_unknown_target", "45_bridge_unknown_source", "46_bridge_itself", "47_bridge_broken"}
PARTLY_READ |= {"48_split_unknown", "34_no_global"}
"""Files that are advised to be errors, but are read: bridging and split antecedents are not looked at, and the names of
the usual fields may be missing."""


def load_rows(name):
    """Read a file of rows, where there is a folder."""
    return [*map(json.loads, (COREFUD / name).read_text(encoding="utf-8").splitlines())] if EXPECTED else []


SYNTAX = {row.get("file", row.get("key")).split(".")[0]: row for row in load_rows("syntax/syntax.jsonl")}


def sums_of(b):
    """Return the four sums of each metric, and of both classes of BLANC."""
    return {name: counts(b[name]) for name in METRICS} | {n: counts(getattr(b["blanc"], a)) for n, a in LINKS.items()}


def score(key, response, matching, zeros, singletons, **options):
    """Score two CorefUD files."""
    options |= {"matching": matching.removesuffix("-corefud"), "zeros": zeros, "singletons": singletons}
    metrics = ("blanc", *METRICS, "conll")
    options = {"profile": "corefud", **options, "metrics": metrics, "on_error": lambda _: None}
    return ac.score_files(key, response, **options)


@functools.cache
def entities_of(path):
    """Read the entities of a file's documents by the slow reader."""
    return read(path.read_text(encoding="utf-8"))


def slow_sums(key, response, matching, zeros, singletons, upos=None):
    """Count the four sums of each metric from the definitions, with sets."""
    total = {}
    for ours, theirs in zip(entities_of(key).values(), entities_of(response).values(), strict=True):
        sides = [[e for e in side if not upos or any(upos in m.upos for m in e)] for side in (ours, theirs)]
        options = {"matching": matching.removesuffix("-corefud"), "zeros": zeros, "singletons": singletons}
        for name, sums in corefud.count(*sides, **options).items():
            total[name] = [a + float(b) for a, b in zip(total.get(name, [0] * 4), sums, strict=True)]
    return total


def alike(sums, expected):
    """Return the names of the metrics whose sums are alike."""
    return {name for name, row in sums.items() if row == pytest.approx([*map(float, expected[name])], rel=1e-9)}


@pytest.mark.parametrize("name", require(ROWS if EXPECTED else []))
def test_sums_of_the_scorer_of_corefud(name):
    """All sums; ties and pairs of zeros as the folder's README says, and with profile `crac` as the scorer has them.

    Where the scorer divides by zero, and for parts of speech, the sums are also those of the definitions. Of 630 sums
    for parts of speech, the scorer's table of pairs (a zero of the key and one of the response with one number) spoils
    ten: of pronouns in academic_librarians, all but MOR's, and zeros in court_property.
    """
    n_equal = n_undefined = n_upos = n_upos_equal = n_other = 0
    for row in load_rows(name):
        files = [(COREFUD / name).parent / row[side] for side in ("key", "response")]
        chosen = row["match"], row["zeros"], row["singletons"]
        b = score(*files, *chosen)
        sums = sums_of(b)
        if "error" in row:
            n_undefined += 1
            assert alike(sums, slow_sums(*files, *chosen)) == {*sums}, row
        else:
            n_equal += 1
            assert alike(sums, row["total"] | row.get("by_rule", {})) == {*sums}, row
            sums_of_crac = sums_of(score(*files, *chosen, profile="crac"))
            assert alike(sums_of_crac, row["total"]) == {*sums}, row
            n_other += alike(sums_of_crac, sums) != {*sums}
            for metric, ratios in row.get("scores", {}).items() if "by_rule" not in row else ():
                found = b.conll if metric == "conll" else [b[metric].recall, b[metric].precision, b[metric].f1]
                assert found == pytest.approx(ratios, rel=1e-9), (row, metric)
        for upos, part in row.get("upos", {}).items():
            sums = sums_of(score(*files, *chosen, upos=upos))
            assert alike(sums, slow_sums(*files, *chosen, upos=upos)) == {*sums}, row
            n_upos, n_upos_equal = n_upos + len(sums), n_upos_equal + len(alike(sums, part["total"]))
    expected = {ROWS[0]: (614, 78, 630, 620, 105), ROWS[1]: (766, 54, 0, 0, 24)}
    assert (n_equal, n_undefined, n_upos, n_upos_equal, n_other) == expected[name]


def as_id(node):
    return f"{node[1]}.{node[2]}" if node[2] else str(node[1])


@pytest.mark.parametrize("name", require(SYNTAX and [path.name for path in sorted(COREFUD.glob("*.conllu"))]))
def test_corefud_is_written_as_it_was_read(name, tmp_path):
    """Entities, words and names; and spans of a response score alike as JSON, on the key's words, and in columns."""
    left_out, before = [], read_documents(COREFUD / name)  # bridges are not written, which is said
    write_documents(before, tmp_path / name, on_error=left_out.append)
    after = read_documents(tmp_path / name)
    assert (after.names, entities(after), after.text[0].sentences()) == (
        (before.names, entities(before), before.text[0].sentences())
    )
    key = COREFUD / f"{name.split('.')[0]}.key.conllu"
    mentions = before.mentions.take(np.flatnonzero(before.mentions.are_spans))
    names = ("parts", "part_bounds", "head", "sentence", "upos", "deps")
    spans = replace(before, mentions=replace(mentions, **dict.fromkeys(names)))
    files = [tmp_path / f"x.{suffix}" for suffix in ("jsonl", "conll", "conllu")]
    for path in files[:2]:
        write_documents(spans, path, on_error=left_out.append)
    write_documents(on_words(read_documents(files[0]), read_documents(key)), files[2], on_error=left_out.append)
    for matching in ("exact", "head"):
        options = {"matching": matching, "heads": "key-tree", "on_error": lambda _: None}
        sums = [ac.score_files(key, path, **options).counts["bcub"].ravel() for path in files]
        assert sums[0] == pytest.approx(sums[1])
        assert sums[0] == pytest.approx(sums[2])


def entities(documents):
    """Return the entities of each document as sorted rows of their mentions' nodes and heads."""
    found, mentions = [defaultdict(list) for _ in documents.names], documents.mentions
    for d, own in enumerate(found):
        for m in range(documents.offsets[d], documents.offsets[d + 1]):
            own[mentions.entity[m]].append((*nodes_of(mentions.parts_of(m)), mentions.head[m]))
    return [sorted(map(sorted, own.values())) for own in found]


@pytest.mark.parametrize("name", require(SYNTAX))
def test_syntax_of_corefud(name):
    """Files are read or refused as advised; their mentions and their sums are those of udapi, the scorer, and sets."""
    row = SYNTAX[name]
    files = [COREFUD / "syntax" / row.get("file", row.get(side)) for side in ("key", "response")]
    if row["advice"].startswith("error") and name not in PARTLY_READ:
        with pytest.raises((ac.ReadError, ac.DocumentMismatchError)) as raised:
            score(*files, "exact", "linear", "keep")
        assert isinstance(raised.value, ac.DocumentMismatchError) == name.startswith("p")
        return
    if "udapi" in row and name != "51_ten_empty_nodes":  # it reads 1.10 as 1.1
        mentions = [m for entities in entities_of(files[0]).values() for entity in entities for m in entity]
        shown = [[*map(as_id, sorted(m.nodes)), as_id(m.head)] for m in mentions]
        assert sorted(shown) == sorted([*words.split(), head] for _, _, words, head, *_ in row["udapi"])
    for matching, zeros, singletons in itertools.product(("exact", "head", "partial"), *REST):
        options = {"tokens": "ignore"} if name == "p12_head_tie" else {}  # its response has one word more
        sums = sums_of(score(*files, matching, zeros, singletons, **options))
        assert alike(sums, slow_sums(*files, matching, zeros, singletons)) == {*sums}
        suffix = "-corefud" if matching == "partial" else ""
        expected = row["scorer"].get(f"{matching}{suffix} {singletons} {zeros}")
        if isinstance(expected, dict):
            equal = {"mor"} if name in BY_NUMBER and zeros == "dependent" else {*sums}
            assert alike(sums, expected) == equal


def test_sums_of_the_reference_scorer_on_repeated_mentions(tmp_path):
    lines = (FOLDER.parent / "oracle" / "reference_quirks.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{"name": f"d{n}", **json.loads(line)} for n, line in enumerate(lines)]
    b = ac.score_files(*files_of_cells(rows, tmp_path), profile="conll", on_error=lambda _: None)
    for n, row in enumerate(rows):
        with about(row["key"]):
            check_against_reference(b[n], row["expected"])
    assert len(rows) == 160
