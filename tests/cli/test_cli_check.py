"""``arraycoref check`` and ``ac.check``: all faults of annotation files at once, with their places."""

import gzip
import json

import pytest

import arraycoref as ac
from alike import alike

BROKEN = """#begin document (1)
1\t0\t(0
1\t1\t(2)|(3)
1\t2\t5
1\t3\t(2)
#end document
#begin document (1)
1\t0\t4)
#end document
"""
FOUND = [
    ("broken.conll", 2, "error", "the mention of entity '0' that opens here never closes"),
    ("broken.conll", 3, "warning", "document '1': the mention of tokens 1-1 is in two entities, also on line 3"),
    ("broken.conll", 4, "warning", "the number '5' without a bracket is skipped; there are 1 such in all."),
    ("broken.conll", 7, "error", "a second document '1'; the first begins at broken.conll:1"),
    ("broken.conll", 8, "error", "a mention of entity '4' closes here, but none is open"),
]
LINES = """{"doc_key": "1", "clusters": [[[0, 1], [4, 3]], [[2, 2], [2, 2]]]}
{"doc_key": "2"}
{"doc_key": "3", "clusters": []}
{bad
"""
FOUND_OF_LINES = [
    ("broken.jsonl", 1, "error", "the mention [4, 3] has no tokens;"),
    ("broken.jsonl", 1, "warning", "document '1': the mention of tokens 2-2 is in one entity twice, also on line 1"),
    ("broken.jsonl", 2, "error", "no clusters among the fields 'doc_key'"),
    ("broken.jsonl", 4, "error", "not JSON: "),
]
GOOD = '{"doc_key": "1", "clusters": [[[0, 1], [4, 4]]], "predicted_clusters": [[[0, 1], [0, 1]]]}\n'
OTHERS = {
    "good.jsonl": (GOOD, []),
    "none.jsonl": (
        '{"doc_key": "1", "clusters": []}\n{"doc_key": "2", "clusters": []}\n',
        [("none.jsonl", None, "warning", "no mention in 2 documents")],
    ),
    "table.csv": ("mention,label\nr1,Ada\nr2\n", [("table.csv", 3, "error", "1 columns; expected 2")]),
    "twice.csv": (
        "document,mention,label\nx,r1,Ada\nx,r1,Bob\ny,r1,Ada\ny,r1,Ada\n",
        [
            ("twice.csv", None, "warning", "document 'x': the mention 'r1' is in two entities"),
            ("twice.csv", None, "warning", "document 'y': the mention 'r1' is in one entity twice"),
        ],
    ),
    "empty.csv": ("document,mention,label\n", [("empty.csv", None, "error", "no document; expected rows")]),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"broken.conll": BROKEN, "broken.jsonl": LINES, **{n: t for n, (t, _) in OTHERS.items()}}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def same(found, expected):
    """Whether problems are those expected, whose messages may be longer."""
    pairs = zip(found, expected, strict=True)
    return all(
        (each.path, each.line, each.severity) == end[:3] and each.message.startswith(end[3]) for each, end in pairs
    )


def test_every_fault_is_found_with_its_place(run):
    found = ac.check(["broken.conll", "broken.jsonl", *OTHERS, "absent.conll"])
    expected = [*FOUND, *FOUND_OF_LINES, *(each for _, problems in OTHERS.values() for each in problems)]
    expected.append(("absent.conll", None, "error", "No such file or directory"))
    assert same(found.problems, expected)
    # 1 of broken.conll, the documents 1 and 3 of broken.jsonl, 1 of good.jsonl, 2 of none.jsonl, 2 of twice.csv
    assert (found.n_documents, found.n_mentions) == (8, 3 + 3 + 2 + 0 + 4)
    assert alike(ac.check("broken.conll").problems, found.problems[: len(FOUND)])


def test_text(run):
    done = run("check", "broken.conll")
    assert (done.exit_code, done.stderr) == (1, "")
    *lines, last = done.stdout.splitlines()
    assert all(
        line.startswith(f"{path}:{number}: {severity}: {message}")
        for line, (path, number, severity, message) in zip(lines, FOUND, strict=True)
    )
    assert last == "3 errors, 2 warnings in 1 document, 3 mentions"
    assert str(ac.check("broken.conll")).replace("column=N", "--column N") == done.stdout.rstrip("\n")


def test_json_and_annotations(run):
    found = json.loads(run("check", "broken.jsonl", "--format", "json").stdout)
    assert [found[name] for name in ("errors", "warnings", "documents", "mentions")] == [3, 1, 2, 3]
    assert [tuple(each.values())[:3] for each in found["rows"]] == [each[:3] for each in FOUND_OF_LINES]
    lines = run("check", "broken.conll", "absent.conll", "--format", "github").stdout.splitlines()
    assert lines[0] == f"::error file=broken.conll,line=2,title=arraycoref check::{FOUND[0][3]}"
    assert lines[-2] == "::error file=absent.conll,title=arraycoref check::No such file or directory"
    frame = ac.check("broken.jsonl").to_frame("pandas")
    assert frame["line"].tolist() == [1, 1, 2, 4]


@pytest.mark.parametrize(
    ("arguments", "status", "n"),
    [
        (["good.jsonl"], 0, 1),
        (["none.jsonl", "--strict"], 1, 2),
        (["broken.conll", "--quiet"], 1, 4),
        (["good.jsonl", "--side", "response", "--strict"], 1, 2),
        (["*.csv"], 1, 4),
    ],
)
def test_exit_status(run, arguments, status, n):
    done = run("check", *arguments)
    assert (done.exit_code, len(done.stdout.splitlines())) == (status, n), done.output


def test_directories_compressed_files_and_standard_input(run, folder):
    (folder / "more").mkdir()
    (folder / "more" / "a.conll.gz").write_bytes(gzip.compress(BROKEN.encode()))
    (folder / "more" / "b.conll").write_text("#begin document (1)\n1\t0\t(0)\n#end document\n")
    found = ac.check("more")
    assert [each.path for each in found.problems] == ["more/a.conll.gz"] * 5 + ["more/b.conll"]
    assert found.problems[-1].message.startswith("a second document '1'; the first begins at more/a.conll.gz:1")
    done = run("check", "-", input=BROKEN)
    assert done.stdout.startswith("<stdin>:2: error: ")
