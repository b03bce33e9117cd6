"""Load the expected values of tests/golden; `golden/README.md` states which program or paper each file is from."""

import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "golden"
REFERENCE_METRICS = ("muc", "bcub", "ceafm", "ceafe")
CLASSES = {"coreference": "coref", "non_coreference": "noncoref"}


def entities(side):
    """Make the mentions hashable: spans become tuples."""
    return [[tuple(mention) if isinstance(mention, list) else mention for mention in entity] for entity in side]


def reference_documents(name):
    """Return the documents of reference_scorer.jsonl or reference_cases.jsonl."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    return [one | {"key": entities(one["key"]), "response": entities(one["response"])} for one in documents]


def documents_of_cells(name):
    """Return the documents of reference_bare.jsonl or reference_repeated.jsonl: values of the coreference column."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def case_outputs():
    """Return the cases of case_outputs.json."""
    return json.loads((FOLDER / "case_outputs.json").read_text(encoding="utf-8"))


def worked_examples():
    """Return the rows of worked_examples.json; entities become lists of letters, numbers fractions."""
    rows = json.loads((FOLDER / "worked_examples.json").read_text(encoding="utf-8"))
    for row in rows:
        row["key"] = [list(letters) for letters in row["key"]]
        row["response"] = [list(letters) for letters in row["response"]]
        row["counts"] = {name: [Fraction(value) for value in values] for name, values in row.get("counts", {}).items()}
        row["exact"] = {name: Fraction(value) for name, value in row.get("exact", {}).items()}
        row.setdefault("printed", {})
    return rows


def matches_print(value, printed, how):
    """Return whether a fraction equals what a scorer printed in percent with two decimals, truncated or rounded."""
    percent = float(value) * 100
    if how == "truncated":
        return -1e-9 < percent - printed < 0.01 + 1e-9
    return abs(percent - printed) < 0.005 + 1e-9


def counts(score):
    """Return the four sums of a score."""
    return [score.recall_num, score.recall_den, score.precision_num, score.precision_den]


def check_against_reference(scores, expected):
    """Compare one document's scores with what the reference scorer printed."""
    for metric in REFERENCE_METRICS:
        assert counts(scores[metric]) == pytest.approx(expected[metric]["coreference"], rel=1e-9, abs=1e-9), metric
    assert counts(scores["mentions"]) == expected["muc"]["mentions"]
    for attribute, name in CLASSES.items():
        assert counts(getattr(scores["blanc"], attribute)) == expected["blanc"][name], attribute
    blanc = scores["blanc"]
    for value, printed in zip((blanc.recall, blanc.precision, blanc.f1), expected["blanc"]["rpf_percent"], strict=True):
        assert matches_print(value, printed, "truncated"), (value, printed)


def files_of_cells(cases, folder):
    """Write cases of cells as CoNLL files, and return the paths of key and response."""
    paths = [folder / f"{side}.conll" for side in ("key", "response")]
    for path in paths:
        lines = []
        for case in cases:
            lines += [f"#begin document ({case['name']}); part 000", *(f"w\t{cell}" for cell in case[path.stem])]
            lines += ["", "#end document"]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def few_errors():
    """Return the rows of few_errors.jsonl.gz."""
    with gzip.open(FOLDER / "few_errors.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def entity_samples():
    """Return the rows of entity_sample.jsonl.gz."""
    with gzip.open(FOLDER / "entity_sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def one_clusterings():
    """Return the rows of one_clustering.jsonl.gz; texts of fractions become fractions."""

    def exact(value):
        if isinstance(value, str) and value[:1].isdigit() | value.startswith("-"):
            return Fraction(value)
        if isinstance(value, dict):
            return {name: exact(each) for name, each in value.items()}
        return list(map(exact, value)) if isinstance(value, list) else value

    with gzip.open(FOLDER / "one_clustering.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [exact(json.loads(line)) for line in lines]


def universal_anaphora(name):
    """Return the rows of ua_documents, ua_reading or ua_bridge_split.jsonl.gz."""
    return [json.loads(line) for line in gzip.decompress((FOLDER / f"ua_{name}.jsonl.gz").read_bytes()).splitlines()]
