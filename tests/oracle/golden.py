"""Load the expected values of tests/golden; `golden/README.md` states which program or paper each file is from."""

import json
from fractions import Fraction
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "golden"
REFERENCE_METRICS = ("muc", "bcub", "ceafm", "ceafe")


def entities(side):
    """Make the mentions hashable: spans become tuples."""
    return [[tuple(mention) if isinstance(mention, list) else mention for mention in entity] for entity in side]


def reference_documents(name):
    """Return the documents of reference_scorer.jsonl or reference_cases.jsonl."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    return [one | {"key": entities(one["key"]), "response": entities(one["response"])} for one in documents]


def documents_with_bare_numbers():
    """Return the documents of reference_bare.jsonl; each side is the values of the coreference column."""
    return [json.loads(line) for line in (FOLDER / "reference_bare.jsonl").read_text(encoding="utf-8").splitlines()]


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
