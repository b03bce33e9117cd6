"""``arraycoref sweep TRUTH --scored-pairs PAIRS``."""

import json

import pytest

import arraycoref as ac
from marks import cases

TRUTH = "unique_id,cluster_id\n1,x\n2,x\n3,x\n4,y\n5,y\n"
PAIRS = "unique_id_l,unique_id_r,match_probability\n1,2,0.9\n1,3,0.85\n2,3,0.92\n4,5,0.7\n3,4,0.6\n"


@pytest.fixture
def run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text(TRUTH)
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return lambda *arguments: run("sweep", "truth.csv", "--scored-pairs", "pairs.csv", *arguments)


def test_prints_what_python_returns(run):
    best = ac.sweep_pairs("truth.csv", "pairs.csv", None, [0.9, 0.7], metrics="bcub").best("bcub")
    done = run("--thresholds", "0.9,0.7", "--metrics", "bcub", "--format", "csv")
    assert (done.exit_code, done.stdout) == (0, best.render("csv"))
    found = json.loads(run("--format", "json", "--metrics", "bcub", "--save", "s.npz").stdout)
    assert found["rows"][0]["threshold"] == 0.7
    assert len(ac.load_runs("s.npz")) == found["n_systems"] == 4


def test_the_curve_of_many_thresholds_is_printed_before_the_tests(run, monkeypatch):
    many = ["--thresholds", ",".join(f"0.{n}" for n in range(60, 95)), "--metrics", "bcub", "--resamples", 50]
    swept = ac.sweep_pairs("truth.csv", "pairs.csv", None, [n / 100 for n in range(60, 95)], metrics="bcub")
    done = run(*many)
    rows = [line.split() for line in done.stdout.split("\n\n")[0].splitlines()[2:]]
    assert [row[1] for row in rows] == [f"{100 * value:.2f}" for value in swept["bcub"].f1]
    assert "35 settings, F1; below: the best by its test" in done.stdout
    assert done.stdout.index("35 settings, F1") < done.stdout.index("difference from")
    assert "settings, F1; below" not in run(*many, "--format", "csv").stdout
    assert "settings, F1; below" not in run("--metrics", "bcub").stdout
    monkeypatch.setattr(ac.Runs, "best", lambda *_, **__: 1 / 0)
    assert "35 settings, F1; below" in run(*many).stdout  # whatever the tests do


def test_figure_and_wrong_pairs(run, tmp_path):
    pytest.importorskip("matplotlib")
    done = run("--thresholds", "0.95,0.6", "--metric", "bcub", "--plot", "curve.svg", "--wrong", "wrong.csv")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "curve.svg").stat().st_size > 1000
    assert (tmp_path / "wrong.csv").read_text() == (
        "unique_id_l,unique_id_r,match_probability,error\n3,4,0.6,false link\n"
    )
    (tmp_path / "pairs.csv").write_text(PAIRS.replace("4,5,0.7\n", "").replace("3,4,0.6\n", ""))
    assert run("--thresholds", "0.85", "--wrong", "wrong.csv").exit_code == 0
    assert (tmp_path / "wrong.csv").read_text().splitlines()[1:] == ["4,5,,no pair"]


def test_the_command_that_works_is_named(run, tmp_path):
    (tmp_path / "truth.csv").write_text(TRUTH.replace("cluster_id", "cluster"))
    done = run("--metrics", "bcub")
    assert done.stderr.endswith(" --scored-pairs pairs.csv --metrics bcub --columns unique_id,cluster\n")


@cases(
    "arguments,message",
    {
        "system": (["x.conll"], "--scored-pairs takes no SYSTEM"),
        "matching": (["--matching", "head"], "--matching has no effect with --scored-pairs"),
        "thresholds": (["--thresholds", "a"], "--thresholds is 'a'; expected numbers"),
        "columns": (["--pair-columns", "a,b,c"], "expected a, b, c; --pair-columns 'LEFT,RIGHT,SCORE' names others"),
        "over the input": (["--wrong", "pairs.csv"], "the output would replace the input"),
    },
)
def test_what_is_refused(run, arguments, message):
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert message in done.stderr, done.stderr
