"""Files of annotation tools at the command line: whose work is read, which links are identity."""

import json
import re
import shlex
from pathlib import Path

import pytest

SPANS = "T1\tM 0 3\tAnn\nT2\tM 8 11\ther\n"

SOURCES = ["project", "project/annotation", "task.json", "folders"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write the export of a project with two annotators, and a task of Label Studio with their work."""
    monkeypatch.chdir(tmp_path)
    links = {"anna": "R1\tSame Arg1:T1 Arg2:T2\nR2\tPart Arg1:T1 Arg2:T2\n", "ben": ""}
    for name, link in links.items():
        path = Path("project", "annotation", "a.txt", f"{name}.ann")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SPANS + link)
    results = [
        {"type": "labels", "id": n, "value": {"start": a, "end": a + 3, "labels": ["M"]}} for n, a in enumerate((0, 8))
    ]
    same = [{"type": "relation", "from_id": 0, "to_id": 1, "labels": ["Same"]}]
    annotations = [{"completed_by": name, "result": results + same * (name == "anna")} for name in links]
    Path("task.json").write_text(json.dumps([{"data": {"text": "Ann saw her"}, "annotations": annotations}]))
    for name, link in links.items():
        path = Path("folders", name, "a.ann")
        path.parent.mkdir(parents=True)
        path.write_text(SPANS + link)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("source", SOURCES)
def test_annotators_of_one_place_are_found(run, source):
    done = run("agree", source, "--metrics", "mentions", "--relations", "Same")
    assert "anna, ben        100.00" in done.stdout


@pytest.mark.usefixtures("project")
def test_gold_of_a_project_is_written(run):
    for name in ("anna", "ben"):
        Path("project", "annotation", "a.txt", f"{name}.txt").write_text("Ann saw her.")
    done = run("agree", "project", "--relations", "Same", "--gold", "gold.jsonl", "--quorum", "1", "--format", "json")
    document = json.loads(Path("gold.jsonl").read_text())
    assert document["clusters"] == [[[0, 0], [2, 2]]]
    assert document["sentences"] == [["Ann", "saw", "her", "."]]
    assert json.loads(done.stdout)["left"] == []
    done = run("agree", "project", "--relations", "Same", "--gold", "all.jsonl", "--adjudicated", "gold.jsonl")
    assert "2 of 2 annotators agree on 2 mentions; entities: 2" in done.stdout


@pytest.mark.usefixtures("project")
def test_messages_name_options_as_they_are_typed(run):
    both = ["project/annotation"] * 2
    assert "--annotator 'anna' reads one annotator's" in run("score", *both).stderr
    named = ["--annotator", "key:anna,response:ben"]
    assert "--relations 'NAME,NAME' says which mean identity" in run("score", *both, *named).stderr
    done = run("score", *both, *named, "--relations", "Same", "--metrics", "mentions")
    assert (done.exit_code, "100.00" in done.stdout) == (0, True)


def number_of_errors(output):
    return {row["type"]: row["errors"] for row in json.loads(output)["rows"] if row["errors"]}


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("source", SOURCES)
def test_the_first_annotator_is_the_key(run, source):
    """Anna links both mentions, and Ben none."""
    more = ["--relations", "Same", "--format", "json"]
    done = run("errors", source, "anna", "ben", *more)
    assert ("as a system" in done.stderr, number_of_errors(done.stdout)) == (False, {"divided": 1})
    assert number_of_errors(run("errors", source, "ben", "anna", *more).stdout) == {"conflated": 1}
    shown = run("show", source, "anna", "ben", source[:4] if "." in source else "a", "--relations", "Same").stdout
    assert "1 ÷ divided" in shown
    assert re.search(r"^ +ben ", shown, re.MULTILINE)
    done = run("errors", source, "anna", "bo", *more)
    assert (done.exit_code, "unknown --annotator 'bo'; expected one of: anna, ben" in done.stderr) == (2, True)


@pytest.mark.usefixtures("project")
def test_one_file_has_two_annotators_at_most(run):
    tasks = json.loads(Path("task.json").read_text())
    tasks[0]["annotations"].append(tasks[0]["annotations"][0] | {"completed_by": "cleo"})
    Path("task.json").write_text(json.dumps(tasks))
    assert run("errors", "task.json", "anna", "cleo").exit_code == 0
    done = run("errors", "task.json", "anna", "ben", "cleo")
    assert (done.exit_code, "all annotators in one file; expected two of them" in done.stderr) == (2, True)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("sources", [*([source] for source in SOURCES), ["folders/anna", "folders/ben"]])
def test_agree_says_what_costs_most(run, sources):
    lines = run("agree", *sources, "--relations", "Same").stdout.splitlines()
    conll = float(next(line for line in lines if line.startswith("anna, ben")).split()[-1])
    shares = [float(share) for share in re.findall(r"[\d.]+(?= by)", lines[-2])]
    assert lines[-2].startswith("CoNLL F1 lost: ")
    assert sum(shares) == pytest.approx(100 - conll, abs=0.16)
    assert lines[-2].split(", ")[0].endswith(" by linking")
    command = shlex.split(lines[-1])
    assert command[:2] == ["arraycoref", "report"]
    assert run(*command[1:]).exit_code == 0
    assert all(name in Path("report.html").read_text() for name in ("Content-Security-Policy", "</html>"))


@pytest.mark.usefixtures("project")
def test_agree_reads_standard_input_once(run):
    done = run("agree", "-", "folders/ben/a.ann", "--input-format", "brat", input=SPANS)
    assert (done.exit_code, "arraycoref report" in done.stdout) == (0, False)
