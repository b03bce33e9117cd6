"""``--sort`` and ``--worst``: the documents that a table lists, in which order, and that no sums are lost by it."""

import json

import pytest
from test_cli_compare import GOOD, KEYS, POOR

import arraycoref as ac

NAMES = [f"d{n}" for n in range(len(KEYS))]


@pytest.fixture
def files(write):
    return write("key.conll", KEYS, names=NAMES), write("r.conll", [*GOOD[:3], *POOR[3:]], names=NAMES)


def names_in(text):
    return [line.split()[0] for line in text.split("\n\n")[0].splitlines()[2:]]


@pytest.mark.parametrize("name", ["muc", "bcub.recall", "merge-distance"])
def test_worst_first(run, files, name):
    metric, _, field = name.partition(".")
    scores, field = ac.score_files(*files, metrics=metric), field or "f1"
    worse = 1 if name.startswith("merge") else -1
    values = [worse * getattr(document[metric], field) for document in scores]
    wanted = sorted(range(len(values)), key=lambda d: -values[d])  # Python's sort keeps the order of equals
    for options, n in (([], None), (["--worst=3"], 3)):
        done = run("score", *files, "--per-document", "--sort", name, *options)
        assert names_in(done.stdout) == [f"(d{d});" for d in wanted[:n]]
        assert f"the worst first by {metric}.{field}" in done.stdout


def test_sums_of_all_documents_stay(run, files, tmp_path):
    path = tmp_path / "scores.json"
    assert run("score", *files, "--worst", "2", "--format", "json", "--output", path).exit_code == 0
    assert len(json.loads(path.read_text())["per_document"]) == 2
    assert ac.load_scores(path).conll == ac.score_files(*files).conll


def test_summary_for_github(run, files):
    done = run("score", *files, "--worst", "2", "--sort", "muc", "--format", "github")
    assert f"<summary>2 documents, the worst first by muc.f1, 2 of {len(KEYS)}</summary>" in done.stdout


def test_systems_by_a_score(run, write):
    key = write("key.conll", KEYS, names=NAMES)
    systems = [write(f"{name}.conll", columns, names=NAMES) for name, columns in (("poor", POOR), ("good", GOOD))]
    for options, first in (([], "poor"), (["--sort"], "good"), (["--sort=bcub.precision"], "good")):
        rows = json.loads(run("table", key, *systems, *options, "--format=json").stdout)["rows"]
        assert rows[0]["system"] == first
    assert "metric 'conll' has no recall" in run("table", key, *systems, "--sort", "conll.recall").stderr
