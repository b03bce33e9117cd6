"""The format ``conll`` against what the reference scorer printed; `golden/README.md` says how that was obtained."""

import json
import re
from pathlib import Path

import pytest
from made import SCORE, render

import arraycoref
from marks import about

GOLDEN = Path(__file__).parent.parent / "golden"
TITLES = {
    "mentions": "Identification of Mentions",
    "coreference": "Coreference",
    "coref": "Coreference links",
    "noncoref": "Non-coreference links",
    "rpf_percent": "BLANC",
}


def read(text, metric):
    """Return the numbers of each line of a metric's totals: sums and percentages."""
    block = re.split(r"METRIC (\w+):\n", text)
    block = block[block.index(metric) + 1]
    found = {}
    for name, title in TITLES.items():
        line = re.search(rf"^{title}: {SCORE}$", block, re.MULTILINE)
        if line:
            a, b, recall, c, d, precision, f1 = map(float, line.groups())
            found[name] = ([a, b, c, d], [recall, precision, f1])
    return found


@pytest.mark.parametrize("name", ["reference_scorer", "reference_cases"])
def test_every_number_to_its_last_digit(name):
    for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        b = arraycoref.score_batch([case["key"]], [case["response"]], profile="conll")
        text = render(b, "conll")
        for metric, lines in case["expected"].items():
            printed = read(text, metric)
            for title, numbers in lines.items():
                assert printed[title][title == "rpf_percent"] == numbers, (case["name"], metric, title)


def test_percentages_as_printed():
    n_printed = 0
    for case in json.loads((GOLDEN / "case_outputs.json").read_text(encoding="utf-8")):
        keys, responses = ([document[side] for document in case["documents"]] for side in ("key", "response"))
        b = arraycoref.score_batch(keys, responses, profile="conll")
        text, rows = render(b, "conll"), render(b, "table").splitlines()
        for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc"):
            for expected in case["expected"].get(metric, ()):
                if "perl" in expected["scorers"]:
                    n_printed += 1
                    with about(f"{case['name']} {metric}"):
                        printed = read(text, metric)["rpf_percent" if metric == "blanc" else "coreference"]
                        row = next(line.split() for line in rows if line.startswith(metric))
                        assert printed[1] == [float(value) for value in row[1:4]] == expected["rpf"]
    assert n_printed == 140
