"""Files of annotation tools at the command line: whose work is read, which links are identity."""

import json
from pathlib import Path

import pytest

SPANS = "T1\tM 0 3\tAnn\nT2\tM 8 11\ther\n"


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
    annotations = [{"completed_by": name, "result": results} for name in links]
    Path("task.json").write_text(json.dumps([{"data": {"text": "Ann saw her"}, "annotations": annotations}]))


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("source", ["project", "project/annotation", "task.json"])
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
    assert "2 of 2 annotators agree on 2 mentions in 2 entities" in done.stdout


@pytest.mark.usefixtures("project")
def test_messages_name_options_as_they_are_typed(run):
    both = ["project/annotation"] * 2
    assert "--annotator 'anna' reads one annotator's" in run("score", *both).stderr
    named = ["--annotator", "key:anna,response:ben"]
    assert "--relations 'NAME,NAME' says which mean identity" in run("score", *both, *named).stderr
    done = run("score", *both, *named, "--relations", "Same", "--metrics", "mentions")
    assert (done.exit_code, "100.00" in done.stdout) == (0, True)
