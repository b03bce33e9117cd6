"""Commands at their edges: each annotator's only document, broken files among others, names without a group."""

import json
import math

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from marks import cases

BRAT = "T1\tM 0 3\tAnn\nT2\tM 8 11\ther\n"
LINK = "R1\tCoref Arg1:T1 Arg2:T2\n"
ONE = {"doc_key": "d", "clusters": [[[0, 0], [2, 2]]]}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Write files, by their names, and run ``arraycoref`` in their folder; it ends without a traceback."""
    monkeypatch.chdir(tmp_path)

    def command(line, files=()):
        for name, text in dict(files).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        done = CliRunner(env={"COLUMNS": None}).invoke(main, line.split(), prog_name="arraycoref")
        assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
        return done

    return command


LINES = '{"clusters": [[[0, 0], [2, 2]]], "sentences": [["Ann", "saw", "her"]]}\n' * 2
TABLE = "unique_id,cluster_id\nu1,a\nu2,a\nu3,b\nu4,{}\n"
SIDES = {
    "csv": ({"1.csv": TABLE.format("b"), "2.csv": TABLE.format("c")}, {}),
    "labels": ({f"{n}.labels": f"1\n1\n2\n{n}\n" for n in (1, 2, 3)}, {"format": "labels"}),
    "brat": (
        {f"{n}.ann": BRAT + LINK * (n > 1) for n in (1, 2, 3)} | {f"{n}.txt": "Ann saw her." for n in (1, 2, 3)},
        {},
    ),
    "folders": ({f"{n}/{n}.csv": TABLE.format(n) for n in "ab"}, {}),
    "several": (
        {
            "a.jsonl": LINES,
            "b.jsonl": LINES.replace("{", '{"doc_key": "x", ', 1).replace("\n{", '\n{"doc_key": "y", '),
        },
        {},
    ),
}


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("kind", SIDES)
def test_each_annotators_only_document_is_the_others(run, kind, turn):
    files, options = SIDES[kind]
    sides = sorted({name.partition("/")[0] for name in files if not name.endswith(".txt")})[::turn]
    shown = run(" ".join(["agree", *sides, *(f"--input-{name} {value}" for name, value in options.items())]), files)
    assert "empty" not in shown.stdout
    found = ac.agree({side: side for side in sides}, metrics="muc,bcub", on_error=lambda _: None, **options)
    assert len(found.documents) == 1 + (kind == "several")
    for pair, scores in found.scores.items():
        assert scores["bcub"] == pytest.approx(ac.score_files(*pair, on_error=lambda _: None, **options)["bcub"].f1)
    assert kind == "several" or not math.isfinite(found.chains["kappa"].low)  # one document gives no interval


BROKEN = {
    "a.xmi": "<x",
    "b.json": "{",
    "c.csv": "key,response\n",
    "d.mmax": "<x",
    "e.tsv": "unique_id,cluster_id\n",
}


@pytest.mark.parametrize("names", ["a.xmi", "b.json", "c.csv", "d.mmax", "e.tsv", "a.xmi b.json c.csv d.mmax e.tsv"])
def test_check_goes_on_after_a_file_that_cannot_be_parsed(run, names):
    files = {f"all/{name}": BROKEN[name] for name in names.split()}
    last = {"all/z.jsonl": json.dumps(ONE) + "\n", "all/zz.jsonl": json.dumps({**ONE, "doc_key": "e"}) + "\n{\n"}
    done = run("check all", files | last)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].endswith("in 2 documents, 4 mentions")
    for name in (*files, "all/zz.jsonl"):
        assert done.stdout.count(f"{name}") == 1, done.stdout
    alone = run("check all/" + names.split()[0]).stdout
    assert "error" in alone


NAMED = {"key.jsonl": "".join(json.dumps({**ONE, "doc_key": name}) + "\n" for name in ("x_1", "plain", "y_1"))}


@cases("command", ["score", "compare", "table", "errors", "breakdown --attribute length", "score --format json"])
def test_documents_without_a_group_are_a_group_of_their_own(run, command):
    done = run(f"{command} key.jsonl key.jsonl --by ([a-z])_", NAMED)
    assert done.exit_code == 0
    assert done.stdout.index("y") < done.stdout.index("(other)")
    if "json" not in command:
        assert "(other): documents whose names the expression does not match" in done.stdout
    none = run(f"{command} key.jsonl key.jsonl --by ([0-9]+)x")
    assert none.exit_code == 1
    assert "is not found in 'x_1'; expected it in each document's name" in none.stderr


@cases("figure", ["0.4361", "conll=.4361", "bcub.recall=0.5"])
def test_a_published_fraction_is_read_as_one(run, figure):
    done = run(f"conventions key.jsonl key.jsonl --published {figure}", NAMED)
    percent = "conll 43.61" if "4361" in figure else "bcub.recall 50"
    assert f"read as a fraction, in percent: {percent}" in done.stdout
    whole = run(
        f"conventions key.jsonl key.jsonl --published {'43.61' if '4361' in figure else 'bcub.recall=50'}"
    ).stdout
    assert "fraction" not in whole
    assert done.stdout.replace(f"read as a fraction, in percent: {percent}\n", "") == whole


@cases(
    "line,said",
    [
        ("compare key.jsonl nosuch.conll", "nosuch.conll: no such file"),
        ("table key.jsonl key.jsonl nosuch", "nosuch: no such file"),
        ("sweep key.jsonl a=nosuch*.conll", "nosuch*.conll: no file matches this pattern"),
        ("score a.conll a.conll --level topic", "JSON with one object per mention (--level topic)\n"),
        ("score key.jsonl key.jsonl --level corpus", "JSON with one object per mention (--level corpus)\n"),
        ("agree key.jsonl --input-format x", "unknown --input-format 'x'; expected one of: conll, jsonlines"),
        ("agree nosuch --input-format x", "unknown --input-format 'x'"),
    ],
)
def test_messages_name_what_was_typed(run, line, said):
    done = run(line, NAMED | {"a.conll": "#begin document (d);\na\t(1)\n#end document\n"})
    assert done.exit_code in (1, 2)
    assert said in done.stderr


@cases("line", ["score a.jsonl a.csv", "score a.csv a.jsonl", "conventions a.jsonl a.csv", "score a.jsonl u.csv"])
def test_records_are_not_aligned_with_words(run, line):
    words = json.dumps({**ONE, "sentences": [["Ann", "saw", "her"]]}) + "\n"
    rows = "document,mention,label\nd,m1,a\nd,m2,a\n"
    files = {"a.jsonl": words, "a.csv": rows, "u.csv": TABLE.format("b")}
    done = run(f"{line} --tokens align", files)
    assert done.exit_code == 1
    assert "mentions are of " in done.stderr
    assert "of column " in done.stderr
