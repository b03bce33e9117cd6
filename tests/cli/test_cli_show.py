"""``arraycoref show`` and ``report``: options reach the analysis; colors, names, sizes."""

import pytest
from test_cli_compare import GOOD, KEYS, POOR

import arraycoref as ac
from arraycoref.analysis import page
from pages_of_html import records

NAMES = [f"d{n}" for n in range(len(KEYS))]


@pytest.fixture
def files(write):
    systems = [write(f"{name}.conll", columns, names=NAMES) for name, columns in (("good", GOOD), ("poor", POOR))]
    return write("key.conll", KEYS, names=NAMES), *systems


def test_shows_what_python_shows(run, files):
    analysis = ac.analyze_files(files[0], {"poor": files[2]})
    assert run("show", files[0], files[2]).stdout == analysis.show(worst=3, max_sentences=12).text()
    chosen = run("show", files[0], files[2], "--worst=2", "--sort=muc.recall", "--sentences=1").stdout
    assert chosen == analysis.show(worst=2, sort="muc.recall", max_sentences=1).text()
    name = analysis.documents[3]
    assert run("show", files[0], files[2], name).stdout == analysis.show(name).text()
    done = run("show", files[0], files[2], "d")
    assert (done.exit_code, "unknown document 'd'" in done.stderr) == (2, True)
    done = run("show", files[0], files[2], name, "--worst=2")
    assert (done.exit_code, "--worst has no effect with DOCUMENT" in done.stderr) == (2, True)


def test_colors(run, files, monkeypatch):
    assert "\x1b[" not in run("show", *files[:2]).stdout
    assert "\x1b[" in run("show", *files[:2], "--color=always", color=True).stdout
    assert "\x1b[" not in run("show", *files[:2], "--color=never", color=True).stdout


def test_a_page_of_two_annotators(run, files, tmp_path):
    path = tmp_path / "report.html"
    done = run("report", *files, "--names=anna, ben,cleo", "--worst=3", "--sort=lea", "--no-words", "--output", path)
    assert (done.exit_code, done.output) == (0, "")
    index, documents = records(path)
    assert (index["key"], index["systems"], len(documents)) == ("anna", ["ben", "cleo"], 3)
    analysis = ac.analyze_files(files[0], {"good": files[1], "poor": files[2]})
    assert set(documents) == {analysis.documents[d] for d in analysis.worst(3, "lea")}
    assert all(document["kind"] == "plain" for document in documents.values())
    done = run("report", *files, "--names=anna,ben", "--output", path)
    assert (done.exit_code, "got 2 --names for a key and 2 responses" in done.stderr) == (2, True)


def test_a_large_page_is_warned_of(run, files, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "LARGE", 30_000)
    path = tmp_path / "report.html"
    assert "--worst N and --no-words make it smaller" in run("report", *files, "--output", path).stderr
    assert run("report", *files, "--quiet", "--output", path).stderr == ""


TABLES = {
    "truth.csv": "unique_id,cluster_id,name,born\na,1,Ann Lee,1990\nb,1,A. Lee,\nc,2,Bo,1980\n",
    "plain.csv": "unique_id,cluster_id\na,1\nb,1\nc,2\n",
    "records.csv": "unique_id,name,born\na,Ann Lee,1990\nb,A. Lee,\nc,Bo,1980\n",
    "clusters.csv": "unique_id,cluster_id\na,7\nb,8\nc,8\n",
}
ROWS = """   fields: name, born
    1.0  k1
         r1
                 a  Ann Lee  1990
         r2 (+1)
               ÷ b  A. Lee
              k2 c  Bo       1980
    0.0  k2
         r2 (+1)
                 c  Bo       1980
              k1 b  A. Lee
"""


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize("key", [["truth.csv"], ["plain.csv", "--records=records.csv"]])
def test_records_are_rows_with_their_fields(run, tables, tmp_path, key):
    done = run("show", key[0], "clusters.csv", *key[1:])
    title, rows = done.stdout.split("\n", 1)
    assert title.endswith("; 1 ≠ conflated, 1 ÷ divided")
    assert rows == ROWS
    run("report", key[0], "clusters.csv", *key[1:], "--output=page.html")
    index, documents = records(tmp_path / "page.html")
    assert index["fields"] == ["id", "name", "born"]
    (document,) = documents.values()
    assert document["f"] == [["a", "Ann Lee", "1990"], ["b", "A. Lee", ""], ["c", "Bo", "1980"]]
    run("report", key[0], "clusters.csv", *key[1:], "--output=page.html", "--no-words")
    assert "Ann" not in str(records(tmp_path / "page.html"))


def test_records_that_lack_a_row_are_counted(run, tables, tmp_path):
    (tmp_path / "records.csv").write_text("unique_id,name\nb,Bea\n")
    done = run("show", "truth.csv", "clusters.csv", "--records=records.csv")
    assert "records.csv: no row for 2 records" in done.stderr
    assert "                 a\n" in done.stdout
    assert "÷ b  Bea\n" in done.stdout
    run("report", "truth.csv", "clusters.csv", "--records=records.csv", "--output=page.html")
    assert "2 records without a row in records.csv" in records(tmp_path / "page.html")[0]["notes"]
