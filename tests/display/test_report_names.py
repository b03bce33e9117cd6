"""Names of documents, systems, settings and tags are escaped for every format, whatever the report."""

import csv
import dataclasses
import io
import re
from html.parser import HTMLParser

import pytest
from made import batch

import arraycoref
from arraycoref.display.formats import FORMATS
from arraycoref.display.tables import csv_text, latex_text, markdown_code, markdown_text
from arraycoref.scoring.reports import ScoresReport
from arraycoref.stats import compare
from arraycoref.tagging import score_tags
from arraycoref.tagging.report import CountsReport, TagsReport
from marks import cases

STRANGE = "a\nb\r\x1b[31m\x9b2J\u2028\u202ec\u2066d\x00\ud800\t"
"""Line feeds, what steers a terminal or turns the direction of writing: nothing of it may come out as it is."""

KEY = {"d": [["a", "b"], ["c", "e"]], "f": [["a", "b", "c"]]}
GOOD, POOR = {"d": [["a", "b"], ["c"]], "f": [["a", "b", "c"]]}, {"d": [["a", "c"], ["b"]], "f": [["a", "b"]]}


def rankings(first="a", second="b", **options):
    runs = {first: arraycoref.score_batch(KEY, GOOD), second: arraycoref.score_batch(KEY, POOR)}
    return compare(runs, resamples=20, **options)


def scores(*names):
    return ScoresReport(batch(names, {"mentions": [[1, 2, 1, 1]] * len(names)}), per_document=True)


def sweeps(name):
    swept = arraycoref.sweep(KEY, {name: GOOD, "b": POOR}, metrics="muc")
    return swept.best(resamples=20)


def tags(name):
    return CountsReport(["gold", name, "tags"], [[name, "b", 3], ["c", name, 2]])


def tag_scores(name):
    made = score_tags(["X", "Y"], ["X", "X"])
    signature = dataclasses.replace(made.signature, tagset=name, weights=name)
    counts = dataclasses.replace(made.counts, names=(name,))
    return TagsReport(type(made)(made.metrics, counts, signature), per_document=True)


def tables(name):
    one, other = arraycoref.score_batch(KEY, GOOD), arraycoref.score_batch(KEY, POOR)
    block = {name: [one, other, one], "b": [other, one, one]}
    return arraycoref.table({name: block, "test": block}, marks=True, baseline=name, resamples=20)


REPORTS = [scores, rankings, sweeps, tags, tag_scores, tables]
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def test_errors_and_warnings_show_names_escaped():
    batch = arraycoref.score_batch({STRANGE: []}, {STRANGE: []}, metrics="muc")
    swept = arraycoref.sweep({"a": []}, [{"a": []}], settings=[STRANGE], metrics="muc")
    for wrong in (
        lambda: batch["nothing"],
        lambda: batch[0][STRANGE],
        lambda: swept.at("nothing"),
        lambda: compare({STRANGE: batch}, metric="muc", baseline="nothing"),
        lambda: arraycoref.score_batch({STRANGE: []}, {}),
        lambda: arraycoref.score_batch({STRANGE: [[1], [1]]}, {STRANGE: []}),
    ):
        with pytest.raises(arraycoref.ArraycorefError) as raised:
            wrong()
        assert not STEERING.search(str(raised.value))
    assert not STEERING.search(str(arraycoref.ReadError(STRANGE, 3, STRANGE)))


@cases("format", list(FORMATS))
@pytest.mark.parametrize("report", REPORTS)
def test_names_cannot_break_lines_nor_steer_terminals(report, format):
    text = report(STRANGE).render(format)
    assert not STEERING.search(text.replace("\n", ""))
    text.encode()
    assert not STEERING.search(report(STRANGE)._repr_html_())
    plain = report("plain").render(format)
    assert text.count("\n") == plain.count("\n")


@pytest.mark.parametrize("name", ["[2cm] x", "*", "*x", "[a]", " [a]"])
def test_latex_rows_do_not_begin_with_an_argument(name):
    """Else a rule, or the end of the line before, takes it for its own."""
    for report in (scores("first", name), tags(name), tables(name)):
        lines = report.render("latex").splitlines()
        assert any(line.startswith(" {}" + name) for line in lines)
        assert not any(line.lstrip().startswith(("[", "*")) for line in lines)


def test_latex_escapes():
    assert latex_text("a|b--c---") == r"a\textbar{}b-{}-c-{}-{}-"
    assert latex_text(r"a_b&50%$#{}~^\<>") == (
        r"a\_b\&50\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}\ensuremath{<}\ensuremath{>}"
    )


@cases(
    "name,expected",
    [
        ("a_b c-d.e (f) d & e 1.5", "a_b c-d.e (f) d & e 1.5"),
        (r"a\|b", r"a\\\|b"),
        ("*b* _b_ __c__", r"\*b\* \_b\_ \_\_c\_\_"),
        ("`b` ~~b~~ $x$", r"\`b\` \~\~b\~\~ \$x\$"),
        ("<b>&lt;&#60;", r"\<b>\&lt;\&#60;"),
        ("[b](c) ![d](e) [f][g]", r"[b\](c) ![d\](e) [f\][g]"),
    ],
)
def test_markdown_escapes(name, expected):
    assert markdown_text(name) == expected


def test_markdown_code():
    """As CommonMark says: a span ends at as many backticks as it began with; a space at both ends is left out."""
    written = {"a_b|c": "`a_b|c`", "a`b`": "`` a`b` ``", "``a": "``` ``a ```"}
    assert {name: markdown_code(name) for name in written} == written


@pytest.mark.parametrize("report", REPORTS)
def test_markdown_rows_have_as_many_cells(report):
    def borders(name):
        lines = [line for line in report(name).render("markdown").splitlines() if line.startswith("|")]
        return [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines]

    assert borders("a|b\\|c") == borders("abc")


@cases(
    "name,expected",
    [
        ("=1+1", "'=1+1"),
        ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("--1", "'--1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\t=1+1", r"\t=1+1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("=1;x;@SUM(1);-2", "'=1;x;'@SUM(1);-2"),
        *((name, name) for name in ("-0.5", "+3", "-", "=", "-LRB-", "@", "a=1", "d-1", "", "1e-5", "a; b", "a;-LRB-")),
    ],
)
def test_csv_holds_no_formulas(name, expected):
    assert csv_text(name) == expected
    assert next(csv.reader(io.StringIO(tags(name).render("csv").splitlines()[1])))[0] == expected


def test_html_escapes():
    class Cells(HTMLParser):
        found = ""

        def handle_data(self, data):
            self.found += data

        def handle_starttag(self, tag, attrs):
            assert tag in {"style", "div", "table", "p", "thead", "tbody", "tr", "th", "td", "br", "strong", "u", "sup"}

    for report in (rankings("<b>&x"), scores("<b>&x"), sweeps("<b>&x"), tags("<b>&x"), tables("<b>&x")):
        parser = Cells()
        parser.feed(report._repr_html_())
        assert "<b>&x" in parser.found
    assert "<br>arraycoref|v:" in rankings()._repr_html_()
