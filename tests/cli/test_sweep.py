"""``arraycoref sweep``."""

import json

import pytest
from click.testing import CliRunner

import arraycoref
from arraycoref.cli import main

KEY = [["(0)", "(0)", "(0)", "(0)"], ["(1)", "-", "(1)"]]
RUNS = {0.1: [["(0)", "(0)", "(1)", "(1)"], ["(7)", "-", "(7)"]], 0.2: KEY, 0.3: [["(0)", "-", "-", "(0)"], ["-"] * 3]}


@pytest.fixture
def runs(write, tmp_path):
    for lr, columns in RUNS.items():
        write(f"lr={lr}.conll", columns)
    return write("key.txt.conll", KEY), str(tmp_path / "lr=*.conll")


@pytest.fixture
def run(run):
    return lambda *arguments: run("sweep", *arguments)


def test_prints_what_python_returns(run, runs):
    best = arraycoref.sweep_files(*runs, metrics="muc,conll").best("muc")
    for name in ("table", "csv"):
        result = run(*runs, "--metrics", "muc,conll", "--metric", "muc", "--format", name)
        assert (result.exit_code, result.stdout) == (0, best.render(name))
    found = json.loads(run(*runs, "--format", "json", "--top", 2).stdout)
    assert [row["lr"] for row in found["rows"]] == [0.2, 0.1]
    assert found["n_systems"] == 3
    missing = run(runs[0], "none/*.conll")
    assert (missing.exit_code, missing.stdout, "none/*.conll" in missing.stderr) == (1, "", True)


def test_save_and_output(run, runs, tmp_path):
    saved, output = tmp_path / "s.npz", tmp_path / "o.txt"
    assert run(*runs, "--save", saved, "--output", output).stdout == ""
    first = output.read_text()
    assert run(*runs, "--save", saved).stdout == first


def test_plot(run, runs, write, tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "seeds").mkdir()
    for lr, columns in RUNS.items():
        for seed in (1, 2):
            write(f"seeds/lr={lr},seed={seed}.conll", columns)
    seeds = runs[0], str(tmp_path / "seeds" / "*.conll")
    drawn = set()
    for files, *options in (
        (runs, "--log", "--field=recall", "--metric=muc"),
        (seeds, "--average=seed"),
        (seeds, "--lines=seed", "--parameter=lr"),
    ):
        result = run(*files, "--plot", tmp_path / "f.svg", "--resamples", 20, *options)
        assert result.exit_code == 0, result.output
        drawn.add((tmp_path / "f.svg").read_text())
    assert len(drawn) == 3
    none = run(runs[0], runs[0], "--plot", tmp_path / "g.svg", "--resamples", 20)
    assert "parameters of numbers: none; expected --parameter NAME, one of them" in none.stderr


def test_documents_that_a_run_lacks(run, runs, write):
    write("lr=0.4.conll", KEY[:1], names=["text/a"])
    assert "run lr=0.4: missing from the response: 1 of 2 documents" in run(*runs).stderr
    result = run(*runs, "--missing-documents", "skip")
    assert result.exit_code == 0, result.output
    assert "4 settings, 1 document," in result.stdout
    assert "1 of 2 documents left out: not in every response" in result.stdout
    assert "left out" not in run(*runs, "--missing-documents", "empty").stdout


def test_seeds_are_added_up(run, write, tmp_path):
    key = write("key.txt", KEY)
    (tmp_path / "runs").mkdir()
    columns = {"x1": KEY, "x2": RUNS[0.1], "y1": RUNS[0.1], "y2": RUNS[0.3]}
    paths = [write(f"runs/{name}.conll", column) for name, column in columns.items()]
    group = ["--name-pattern", r"(?P<system>[xy])(?P<seed>\d)"]
    options = [*group, "--pool", "seed", "--metric", "muc", "--format", "json"]
    result = run(key, *paths, *options, "--resamples", 20)
    assert result.exit_code == 0, result.output
    settings = json.loads(result.stdout)["rows"]
    assert [row["system"] for row in settings] == ["x", "y"]
    # KEY has 3 + 1 links; found are 4 and 2 + 1 of 4 and 3, and then 2 + 1 and 1 of 3 and 1
    assert [row["muc_recall"] for row in settings] == [(4 + 3) / 8, (3 + 1) / 8]
    assert [row["muc_precision"] for row in settings] == [(4 + 3) / 7, (3 + 1) / 4]
    compared = CliRunner().invoke(main, ["compare", key, *paths, *options])
    assert compared.exit_code == 0, compared.output
    found = json.loads(compared.stdout)
    assert [system["system"] for system in found["rows"]] == ["x", "y"]
    assert "each system is the sum of 2 responses" in str(found)
    assert run(key, *paths, "--pool", "size", *group).exit_code == 2
    twice = run(key, *paths, "--name-pattern", "(?P<system>[xy])")  # which would lose two of four
    assert (twice.exit_code, "two runs are named system=" in twice.stderr) == (1, True)
