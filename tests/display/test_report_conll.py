"""The format ``conll`` against what the reference scorer, version 8.01, is known to print."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made import COUNTS, SCORE, batch, muc_of, render

from arraycoref.exceptions import InputError
from arraycoref.scoring.conll_format import number
from arraycoref.scoring.counts import columns
from arraycoref.scoring.metrics import blanc
from arraycoref.scoring.metrics.score import plain_score

RULE = "-" * 74

TOTALS = f"""\
version: 8.01 arraycoref 9.9

METRIC muc:

====== TOTALS =======
Identification of Mentions: Recall: (7 / 8) 87.5%\tPrecision: (7 / 9) 77.77%\tF1: 82.35%
{RULE}
Coreference: Recall: (4 / 6) 66.66%\tPrecision: (4 / 4) 100%\tF1: 80%
{RULE}

METRIC blanc:

====== TOTALS =======
Identification of Mentions: Recall: (7 / 8) 87.5%\tPrecision: (7 / 9) 77.77%\tF1: 82.35%
{RULE}

Coreference:
Coreference links: Recall: (3 / 5) 60%\tPrecision: (3 / 6) 50%\tF1: 54.54%
{RULE}
Non-coreference links: Recall: (4 / 11) 36.36%\tPrecision: (4 / 16) 25%\tF1: 29.62%
{RULE}
BLANC: Recall: (0.481818181818182 / 1) 48.18%\tPrecision: (0.375 / 1) 37.5%\tF1: 42.08%
{RULE}
"""

DOCUMENT = f"""\
a_b|c_0:
Total key mentions: 6
Total response mentions: 7
Strictly correct identified mentions: 5
Partially correct identified mentions: 0
No identified: 1
Invented: 2
Recall: (3 / 5) 60%\tPrecision: (3 / 3) 100%\tF1: 74.99%
{RULE}
"""


def test_totals():
    b = batch(counts={m: COUNTS[m] for m in ("mentions", "muc", "blanc")}, profile="conll")
    assert render(b, "conll") == TOTALS


def test_per_document(conll):
    text = render(conll, "conll", per_document=True)
    assert "METRIC muc:\n" + DOCUMENT in text
    assert text.count("\nd & e:\n") == 4
    assert text.count("\nTotal key mentions: ") == 10
    assert text.count(f"\n{RULE}\n\n====== TOTALS =======\n") == 4
    blanc = text[text.index("METRIC blanc:") :]
    assert blanc.startswith("METRIC blanc:\n:\nTotal key mentions: 6\n")
    assert "\nInvented: 2\n:\nTotal key mentions: 2\n" in blanc
    assert "\nInvented: 0\n\n====== TOTALS =======\n" in blanc


def test_headers_of_the_file_name_the_documents():
    text = render(batch(profile="conll", headers=("(a/b|c); part 000", "d & e")), "conll", per_document=True)
    assert "\n(a/b|c); part 000:\nTotal key mentions: 6\n" in text


def test_wrapper_that_runs_one_metric_and_takes_the_last_score(conll):
    b = batch(conll.names, {m: conll.counts[m] for m in ("mentions", "bcub")}, profile="conll")
    text = render(b, "conll", per_document=True)
    assert "METRIC" not in text
    found = re.match(rf".*Coreference: {SCORE}.*", text, re.DOTALL)
    assert found.groups() == ("5.33333333333333", "8", "66.66", "6.25", "9", "69.44", "68.02")


def test_refuses_what_it_cannot_tell():
    with pytest.raises(InputError, match="beta 1"):
        render(muc_of(1, 2, 1, 2, beta=2.0), "conll")
    with pytest.raises(InputError, match="'mentions'"):
        render(batch(["d"], {"muc": [[1, 1, 1, 1]]}), "conll")


def test_numbers():
    """Fifteen digits, as Perl prints them."""
    written = {3.0: "3", 0.5: "0.5", 1 / 3: "0.333333333333333", 0.1 + 0.2: "0.3", 2.0**53: "9007199254740992"}
    assert {value: number(value) for value in written} == written


def in_order(*sums):
    """Recall, precision and F1 by the reference scorer's own operations, in its order."""
    recall, precision = (num / den if den else 0.0 for num, den in (sums[:2], sums[2:]))
    return recall, precision, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def blanc_in_order(coreference, non_coreference):
    """The reference scorer's BLANC: the mean of the classes of links that the key has."""
    present = [in_order(*sums) for sums in (coreference, non_coreference) if sums[1]]
    if len(present) == 2:
        return tuple((a + b) / 2 for a, b in zip(*present, strict=True))
    return present[0] if present else (0.0, 0.0, 0.0)


@given(sums=st.lists(st.one_of(st.integers(0, 60), st.floats(0.001, 60)), min_size=8, max_size=8))
def test_scores_are_divided_in_the_order_of_the_reference_scorer(sums):
    """To the bit, for its percentages are truncated: so reports print what scores hold, and compute nothing again."""
    rows = [sums[:4], sums[4:]]
    scores = [plain_score([float(value) for value in row]) for row in rows]
    assert [(s.recall, s.precision, s.f1) for s in scores] == [in_order(*row) for row in rows]
    groups = np.array([*rows, [0, 0, 0, 0]], float)
    one = blanc.score(groups.tolist(), "conll")
    assert (one.recall, one.precision, one.f1) == blanc_in_order(*rows)
    arrays = blanc.score(columns(groups[np.newaxis], 1), "conll")
    assert (arrays.recall[0], arrays.precision[0], arrays.f1[0]) == blanc_in_order(*rows)
