"""The table of conventions: the command beside each row prints its numbers, and published figures are found."""

import json
import re
import shlex
from collections import Counter

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.options import OPTIONS
from arraycoref.pairs import conventions

NESTED = [[[0, 0], [4, 4], [9, 10]], [[2, 3], [7, 7]], [[5, 5]]]
FOUND = [[[0, 0], [4, 4]], [[2, 3], [9, 10], [11, 11]], [[6, 6]]]


def conllu(*marks):
    """Write a sentence in which each word is the parent of the one before it, the last is the root."""
    rows = [f"{n}\tw\t_\tNOUN\t_\t_\t{(n + 1) % 7}\t_\t_\tEntity={mark}" for n, mark in enumerate(marks, 1)]
    return "\n".join(["# newdoc id = d", "# global.Entity = eid-etype-head", *rows, ""]).replace("\tEntity=-", "\t_")


def lines(*documents):
    words = [["w"] * 20]
    return "\n".join(
        json.dumps({"doc_key": f"{n}", "sentences": words, "clusters": clusters})
        for n, clusters in enumerate(documents)
    )


def mention(document, chain, sentence, *tokens):
    return {"coref_chain": chain, "conll_doc_key": document, "sent_id": sentence, "tokens_number": tokens}


ACROSS = [
    mention(document, chain, 0, token) for document, chain, token in zip("abcbac", "xxxyzz", range(6), strict=True)
]
INPUTS = {
    "several": ("jsonl", lines(NESTED, [[[0, 0], [1, 1], [2, 2]]]), lines(FOUND, [[[0, 0], [1, 1]]])),
    "repeated": ("jsonl", lines(NESTED), lines([*FOUND, [[0, 0], [5, 5]]])),
    "lacking": ("jsonl", lines(NESTED, NESTED), lines(FOUND)),
    "conllu": (
        "conllu",
        conllu("(e1-x-2(e2-x-1)", "e1)", "(e1-x-1)", "-", "(e3-x-1)", "(e2-x-1)"),
        conllu("(e2-x-1)", "(e1-x-1)", "(e1-x-1)", "-", "(e2-x-1", "e2)"),
    ),
    "across": (
        "json",
        json.dumps([{**each, "conll_doc_key": f"1/{each['conll_doc_key']}"} for each in ACROSS]),
        json.dumps([{**each, "conll_doc_key": f"1/{each['conll_doc_key']}", "coref_chain": "x"} for each in ACROSS]),
    ),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name):
        suffix, *texts = INPUTS[name]
        paths = [f"{side}.{suffix}" for side in ("key", "response")]
        for path, text in zip(paths, texts, strict=True):
            (tmp_path / path).write_text(text + "\n", encoding="utf-8")
        return paths

    return write


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        *((name, "") for name in INPUTS),
        ("several", "--matching head --heads first"),
        ("repeated", "--singletons drop --duplicates last"),
        ("conllu", "--profile corefud"),
    ],
)
def test_the_command_beside_each_row_prints_its_numbers(name, asked, files, run):
    table = json.loads(run("conventions", *files(name), *asked.split(), "--format", "json").stdout)
    names = [row["convention"] for row in table["rows"]]
    assert len(set(names)) == len(names) > 3
    for row in table["rows"]:
        printed = run(*shlex.split(row["command"])[1:], "--format", "json")
        assert printed.exit_code == 0, row["command"]
        scores = json.loads(printed.stdout)
        scores = scores["macro" if "--macro" in row["options"] else "scores"]
        scores.setdefault("conll", scores.get("kbp"))
        for metric, score in scores.items():
            for field in score.keys() & {"recall", "precision", "f1"} if metric != "kbp" else ():
                assert row.get(f"{metric}_{field}") == score[field], (row["command"], metric, field)
    every = {*names, *table["no_effect"], *table["same_as"], *table["not_applicable"]}
    n_singletons, n_profiles = (len(OPTIONS[name].choices) for name in ("singletons", "profile"))
    assert sum(way.startswith("singletons ") for way in every) == n_singletons - 1
    assert sum(way.startswith("profile ") for way in every) >= n_profiles - 1
    assert "window bookcoref" in every


def test_files_are_read_and_counted_once_where_the_result_is_the_same(files, monkeypatch):
    """Under profile conll, CoNLL files are read in another way; what differs in its average only is not counted."""
    calls = Counter()

    def counted(name):
        function = getattr(conventions, name)
        return lambda *arguments: calls.update([name]) or function(*arguments)

    for name in ("read_sides", "score_clusterings"):
        monkeypatch.setattr(conventions, name, counted(name))
    table = ac.conventions(*files("several"))
    assert calls["read_sides"] == 2 + 3  # levels, which these files refuse
    assert calls["score_clusterings"] <= len(table) < len(table) + len(table.no_effect)


@pytest.mark.parametrize(
    ("name", "first", "changed"),
    [
        ("several", "profile paper", {"singletons drop", "mean of documents' F", "mean of four F, with BLANC"}),
        ("repeated", "profile paper", {"profile conll", "duplicates last", "duplicates drop"}),
        ("lacking", "profile paper", {"missing documents skip"}),
        ("conllu", "profile paper", {"matching head", "matching partial", "matching head, heads first"}),
        ("across", "profile paper", {"level subtopic"}),
    ],
)
def test_rows_that_change_a_number(name, first, changed, files):
    table = ac.conventions(*files(name), on_error=lambda _: None)
    assert table.ways[0].name == first
    assert changed <= {*table}
    for row in table.ways[1:]:
        assert table.changes(row) or row.name == "profile conll"  # which cuts off what others round


def test_ways_that_give_other_numbers_than_asked_are_compared_with_it(files, run):
    """The first row is what was asked for, and its options are part of each command."""
    paths = files("several")
    table = ac.conventions(*paths, singletons="drop", metrics="muc,bcub")
    asked = f"arraycoref score {' '.join(paths)} --singletons drop --metrics muc,bcub"
    assert (table.ways[0].name, table.ways[0].command) == ("as asked", asked)
    assert table["singletons keep"].command == asked.replace(" --singletons drop", "") + " --singletons keep"
    assert {*table.metrics} == {"muc", "bcub"}


def test_a_note_says_why_an_input_is_scored_in_another_way_than_asked(files):
    table = ac.conventions(*files("lacking"))
    assert table.ways[0].options == "--missing-documents empty"
    assert table.notes[0].startswith(
        "scored with missing documents empty, as otherwise: missing from the response: 1 of 2"
    )
    asked = ac.conventions(*files("lacking"), missing_documents="error", profile="conll", metrics="muc")
    assert {*asked} == {"missing documents empty", "missing documents skip"}
    assert "missing from the response: 1 of 2" in asked.not_applicable["as asked"]


def test_published_figures_are_found_to_their_digits(files, run):
    paths = files("several")
    table = ac.conventions(*paths)
    dropped = table["singletons drop"].values["conll"][2]
    for digits in (0, 1, 2, 5):
        fit = ac.conventions(*paths, published=f"{100 * dropped:.{digits}f}").consistent
        exact = [
            row.name
            for row in table.ways
            if f"{100 * row.values['conll'][2]:.{digits}f}" == f"{100 * dropped:.{digits}f}"
        ]
        assert [row.name for row in fit if row.name != "profile conll"] == [
            name for name in exact if name != "profile conll"
        ]
    recall = f"{100 * table.ways[0].values['bcub'][0]:.2f}"
    text = run("conventions", *paths, "--published", f"b3.recall={recall}").stdout
    assert f"bcub.recall {recall}: consistent with" in text
    assert "profile paper" in text.splitlines()[2]


def test_no_row_where_no_convention_gives_the_figure(files, run):
    text = run("conventions", *files("several"), "--published", "12.3").stdout
    assert text.startswith("conll 12.3: no row of ")
    assert "is consistent with it; the nearest, " in text
    assert "profile paper  " not in text


def test_a_figure_that_the_reference_scorer_cut_off(tmp_path, monkeypatch):
    """2 of 3 are 66.67 percent, and 66.66 where they are cut off after two decimals."""
    monkeypatch.chdir(tmp_path)
    for side, clusters in (("key", [[[0, 0], [1, 1], [2, 2]]]), ("response", [[[0, 0], [1, 1]]])):
        (tmp_path / f"{side}.jsonl").write_text(lines(clusters), encoding="utf-8")
    found = [
        ac.conventions("key.jsonl", "response.jsonl", published=f"mentions.recall={f}") for f in ("66.67", "66.66")
    ]
    assert "profile paper" in {row.name for row in found[0].consistent}
    assert [row.name for row in found[1].consistent] == ["profile conll"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--published", "much"), "--published is 'much'; expected a percentage"),
        (("--published", "mucc=3"), "unknown metric 'mucc'"),
    ],
)
def test_refusals(arguments, said, files, run):
    found = run("conventions", *files("several"), *arguments)
    assert (found.exit_code, said in found.stderr) == (2, True)


def test_a_file_that_no_convention_can_score(files, run):
    files("several")
    found = run("conventions", "key.jsonl", "no.jsonl")
    assert (found.exit_code, "no.jsonl" in found.stderr) == (1, True)


def test_documents_without_response_clusters_and_what_is_left_out(tmp_path, monkeypatch):
    """MUC of the first document is 1/2, 1/1; the second has two links in the key, and nothing in the response."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key.jsonl").write_text(lines([[[0, 0], [1, 1], [2, 2]]], [[[0, 0], [1, 1], [2, 2]]]))
    (tmp_path / "response.jsonl").write_text(lines([[[0, 0], [1, 1]]], []))
    found = ac.conventions("key.jsonl", "response.jsonl", metrics="muc")
    assert found["profile paper"].values["muc"][0] == 1 / 4
    assert found["documents without response clusters skipped"].values["muc"][:2] == (1 / 2, 1)
    command = ["conventions", "key.jsonl", "response.jsonl", "--metrics", "muc"]
    short, full = (CliRunner().invoke(main, [*command, *more]).stdout for more in ([], ["--all"]))
    assert full == str(found) + "\n"
    assert "score key.jsonl response.jsonl --metrics muc OPTIONS" in short
    assert re.search(r"^other conventions: \d+ change nothing, .*\(--all lists them\)$", short, re.MULTILINE)
    assert len(short) < len(full)
