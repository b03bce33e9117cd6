"""The formats for people: exact text."""

import numpy as np
from made import COUNTS, batch, muc_of, render

import arraycoref as ac
from arraycoref.display.formats import FORMATS
from arraycoref.display.tables import TextTable
from arraycoref.scoring.reports import ScoresReport
from marks import cases

SIGNATURE = "arraycoref|v:9.9|profile:{}|dup:error|missing:error|extra:error|singletons:keep|beta:1"

TABLE = f"""\
metric               recall    precision     F1    recall counts    precision counts
-----------------  --------  -----------  -----  ---------------  ------------------
mentions              87.50        77.78  82.35            7 / 8               7 / 9
muc                   66.67       100.00  80.00            4 / 6               4 / 4
bcub                  66.67        69.44  68.03         5.33 / 8            6.25 / 9
ceafm                 75.00        66.67  70.59            6 / 8               6 / 9
ceafe                 55.00        44.00  48.89         2.20 / 4            2.20 / 5
blanc                 48.18        37.50  42.09
- coreference         60.00        50.00  54.55            3 / 5               3 / 6
- non-coreference     36.36        25.00  29.63           4 / 11              4 / 16
conll                                     65.64

2 documents with 8 key and 9 response mentions; recall, precision and F1 in percent
{SIGNATURE.format("paper")}
"""

DOCUMENTS = """\
document (F1)      mentions     muc    bcub    ceafm    ceafe    blanc    conll
---------------  ----------  ------  ------  -------  -------  -------  -------
a_b|c_0               76.92   75.00   58.02    61.54    34.29    37.04    55.77
d & e                100.00  100.00  100.00   100.00   100.00   100.00   100.00

"""


def test_table(paper):
    assert render(paper, "table", per_document=True, counts=True) == DOCUMENTS + TABLE
    assert render(paper, counts=True) == TABLE
    assert ["muc", "66.67", "100.00", "80.00"] in [line.split() for line in render(paper).splitlines()]
    assert render(paper).endswith(
        "with 8 key and 9 response mentions; recall, precision and F1 in percent\narraycoref|v:9.9|profile:paper\n"
    )


def test_table_macro(paper):
    lines = render(paper, "table", macro=True).splitlines()
    assert [line.split() for line in (lines[0], lines[3], lines[8])] == [
        ["metric", "recall", "precision", "F1"],
        ["muc", "80.00", "100.00", "87.50"],
        ["conll", "77.88"],
    ]
    assert lines[10] == "mean over 2 documents; recall, precision and F1 in percent"


def test_markdown_and_latex_escape_names():
    b = batch(counts={"muc": COUNTS["muc"]})
    markdown, latex = (render(b, name, per_document=True, counts=True) for name in ("markdown", "latex"))
    assert "\n| a_b\\|c_0        |  75.00 |\n| d & e           | 100.00 |\n" in markdown
    assert "\n| muc      |    66.67 |      100.00 | 80.00 |           4 / 6 |              4 / 4 |\n" in markdown
    assert markdown.endswith(f"\n\n2 documents; recall, precision and F1 in percent, `{SIGNATURE.format('paper')}`\n")
    for row in (
        r" a\_b\textbar{}c\_0 &  75.00 \\",
        r" d \& e             & 100.00 \\",
        r" muc    &  66.67 &    100.00 & 80.00 &         4 / 6 &            4 / 4 \\",
    ):
        assert row in latex.splitlines()
    assert latex.startswith(
        f"% 2 documents; recall, precision and F1 in percent\n% {SIGNATURE.format('paper')}\n\\begin{{tabular}}"
    )


def test_digits():
    assert render(muc_of(1, 3, 1, 3), digits=4).splitlines()[3].split()[1] == "33.3333"
    assert render(muc_of(2, 3, 2, 3, profile="conll"), digits=1).splitlines()[3].split()[1] == "66.6"


def test_header_tells_beta():
    b = muc_of(1, 2, 1, 3, beta=0.5)
    assert render(b).split()[3] == "F0.5"
    assert "document (F0.5)" in render(b, "markdown", per_document=True)
    assert "beta:0.5" in render(b)


@cases("name", [*FORMATS, "conll"])
def test_no_format_prints_nan_and_all_end_lines(paper, conll, name):
    none = batch([], {"mentions": np.zeros((0, 4)), "muc": np.zeros((0, 4))})
    for b in (paper, conll, none):
        for options in ({}, {"per_document": True}, *([{"macro": True}] if name != "conll" else ())):
            text = render(b, name, **options)
            assert "nan" not in text.lower()
            assert text.endswith("\n")
            assert not text.endswith("\n\n")


def test_scores_are_cut_off_alike_wherever_they_are_printed():
    """As README says of the profile ``conll``: MUC finds two of three links, which `score` prints as 66.66."""
    options = {"profile": "conll", "metrics": "muc"}
    b = ac.score_labels_batch([0] * 8, [0, 0, 0, 1] * 2, [0, 4, 8], **options)
    swept = ac.sweep([0] * 4, [[0, 0, 0, 1], [0, 1, 2, 3]], settings={"t": [1, 2]}, **options)
    printed = {
        "scores": repr(b),
        "comparison": ac.compare({"x": b}, metric="muc", field="recall").render(),
        "intervals": ac.bootstrap(b).render("html"),
        "table": str(ac.table({"x": b}, metrics="muc", intervals=True)),
        "sweep's best": str(swept.select([0]).best(field="recall")),
    }
    assert {name: ("66.66" in text, "66.67" in text) for name, text in printed.items()} == dict.fromkeys(
        printed, (True, False)
    )
    assert "66.67" in ac.bootstrap(b, ac.score_labels_batch([0] * 8, range(8), [0, 4, 8], **options)).render("html")


def test_captions_say_which_columns_are_counts():
    b = ac.score_labels_batch([0, 0, 1], [0, 0, 0], [0, 3], metrics="muc,merge-distance")
    lines = [str(ac.table({"x": b}, metrics=metrics)).split("\n") for metrics in ("muc", "merge-distance", b.metrics)]
    units = [next(line for line in each if "micro average" in line).split(", ")[-1] for each in lines]
    assert units == ["percent", "counts", "percent and counts"]


NARROW = """\
document
(F1)      mentions     muc    bcub   ceafm   ceafe
--------  --------  ------  ------  ------  ------
a_b|c_0      76.92   75.00   58.02   61.54   34.29
d & e       100.00  100.00  100.00  100.00  100.00

document
(F1)       blanc   conll
--------  ------  ------
a_b|c_0    37.04   55.77
d & e     100.00  100.00
"""


def test_tables_fit_a_width(paper):
    """The head gets narrow first; then the columns go on below, beside the names."""
    report = ScoresReport(paper, per_document=True)
    assert report.render(width=200) == report.render()
    assert report.render(width=50).startswith(NARROW)
    for width in (90, 80, 70, 60):
        tables = report.render(width=width).rpartition("\n\n")[0]
        assert max(map(len, tables.split("\n"))) <= width
    wide = TextTable(["é", "日本語"], [["日本", "1"], ["e\u0301", "2"]])
    assert wide.text().split("\n")[2:] == ["日本         1", "e\u0301            2"]
