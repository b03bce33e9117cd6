"""``arraycoref sweep``."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

from arraycoref.cli.group import Commands
from arraycoref.cli.sweep import sweep

KEY = [["(0)", "(0)", "(0)", "(0)"], ["(1)", "-", "(1)"]]
RUNS = {0.1: [["(0)", "(0)", "(1)", "(1)"], ["(7)", "-", "(7)"]], 0.2: KEY, 0.3: [["(0)", "-", "-", "(0)"], ["-"] * 3]}


@pytest.fixture
def runs(write, tmp_path):
    for lr, columns in RUNS.items():
        write(f"lr={lr}.conll", columns)
    return write("key.txt.conll", KEY), str(tmp_path / "lr=*.conll")


@pytest.fixture
def run():
    """Run the command in a group, which turns errors into messages."""
    group = Commands("arraycoref", commands={"sweep": sweep})

    def command(*arguments):
        return CliRunner().invoke(group, ["sweep", *map(str, arguments)])

    return command


def test_table(run, runs):
    result = run(*runs, "--metrics", "muc,conll")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["lr", "(F1)", "muc", "conll", "difference", "95%", "interval"]
    assert [line.split()[0] for line in lines[2:5]] == ["0.2", "0.1", "0.3"]
    assert lines[2].endswith("*")
    assert "3 settings, 2 documents" in result.stdout
    assert "arraycoref|v:" in lines[-1]


def test_machine_formats(run, runs):
    rows = list(csv.DictReader(io.StringIO(run(*runs, "--format", "csv", "--metric", "muc").stdout)))
    assert [float(row["lr"]) for row in rows] == [0.2, 0.1, 0.3]
    assert float(rows[0]["muc_f1"]) == 1.0
    assert float(rows[1]["difference"]) == float(rows[1]["muc_f1"]) - float(rows[0]["muc_f1"])
    assert float(rows[1]["difference_low"]) <= float(rows[1]["difference"]) <= float(rows[1]["difference_high"])
    found = json.loads(run(*runs, "--format", "json", "--top", 2).stdout)
    assert found["best"]["setting"] == {"lr": 0.2}
    assert [row["setting"]["lr"] for row in found["settings"]] == [0.2, 0.1]
    assert found["settings"][0]["difference"] == 0
    assert found["settings"][1]["difference_high"] <= 0 <= found["settings"][1]["pvalue"]
    assert found["n_settings"] == 3


@pytest.mark.parametrize(("format", "start"), [("markdown", "| lr (F1)"), ("latex", "% 3 settings")])
def test_formats_for_papers(run, runs, format, start):
    assert run(*runs, "--format", format).stdout.startswith(start)


def test_several_arguments_and_fields(run, runs, write):
    paths = [runs[1].replace("*", str(lr)) for lr in (0.1, 0.3)]
    result = run(runs[0], *paths, "--metric", "ceaf-phi1", "--field", "recall")
    assert result.stdout.split()[:2] == ["lr", "(recall)"]
    assert "ceaf-phi1" in result.stdout


def test_save_and_output(run, runs, tmp_path):
    saved, output = tmp_path / "s.npz", tmp_path / "o.txt"
    assert run(*runs, "--save", saved, "--output", output).stdout == ""
    first = output.read_text()
    assert run(*runs, "--save", saved).stdout == first


def test_plot(run, runs, tmp_path):
    pytest.importorskip("matplotlib")
    result = run(*runs, "--plot", tmp_path / "f.svg", "--resamples", 20)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")
    for options in (["--confidence", "0.5"], ["--log"], ["--field", "recall", "--metric", "muc"]):
        run(*runs, "--plot", tmp_path / "g.svg", "--resamples", 20, *options)
        assert (tmp_path / "g.svg").read_text() != (tmp_path / "f.svg").read_text()


def test_errors(run, runs):
    assert run(*runs, "--metric", "nosuch").exit_code == 2
    missing = run(runs[0], "none/*.conll")
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert "none/*.conll" in missing.stderr
    assert run(runs[0]).exit_code == 2
    assert run(*runs, "--plot", "f.doc").exit_code == 2
    assert run(*runs, "--missing-documents", "drop").exit_code == 2


def test_documents_that_a_run_lacks(run, runs, write):
    write("lr=0.4.conll", KEY[:1], names=["text/a"])
    assert "run lr=0.4: the response lacks 1 of 2 documents" in run(*runs).stderr
    result = run(*runs, "--missing-documents", "skip")
    assert result.exit_code == 0, result.output
    assert "4 settings, 1 document," in result.stdout
    assert "1 of 2 documents left out, which not every response has" in result.stdout
    found = json.loads(run(*runs, "--missing-documents", "skip", "--format", "json").stdout)
    assert any("left out" in note for note in found["best"]["notes"])
    assert "left out" not in run(*runs, "--missing-documents", "empty").stdout


def test_progress(run, runs):
    assert run(*runs, "--progress").stderr.startswith("runs")
    assert run(*runs, "--progress", "--quiet").stderr == ""
