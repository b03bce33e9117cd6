"""``arraycoref compare``: its table in every format, its figures, its errors."""

import csv
import json
import sys

import pytest
from click.testing import CliRunner

import arraycoref
from arraycoref.cli import main

KEYS = [
    ["(0)", "(0)", "(1)", "(1)", "(2)", "(2)"],
    ["(1)", "(2)", "(1)"],
    ["(5)", "(5)", "(5)", "(6)"],
    ["(0)", "(0)"],
] * 3
GOOD = [[*KEYS[0][:-1], "-"], *KEYS[1:4]] * 3
POOR = [
    ["(0)", "(1)", "(1)", "(1)", "(0)", "-"],
    ["(1)", "(2)", "(2)"],
    ["(5)", "(5)", "(6)", "(6)"],
    ["(0)", "(1)"],
] * 3


LONG = ["--metric", "bcub", "--field", "recall", "--test", "randomization"]


@pytest.fixture
def runs(write):
    """Key, good and poor outputs: paths."""
    names = ["doc"] * len(KEYS)
    return [
        write(f"{name}.conll", columns, names=names) for name, columns in zip("kgp", (KEYS, GOOD, POOR), strict=True)
    ]


@pytest.fixture
def run(run):
    return lambda *arguments, **options: run("compare", *arguments, **options)


def test_metric_with_its_field(run, runs):
    short, long = (run(*runs, "--resamples", 10, *options) for options in (["--metric", "B3.recall"], LONG))
    assert short.stdout == long.stdout
    refused = run(*runs, "--metric", "muc.recall", "--field", "precision")
    assert "Error: --metric muc.recall and --field precision; expected one of them" in refused.stderr
    assert "Error: metric 'conll' has no recall" in run(*runs, "--metric", "conll.recall").stderr


def test_prints_what_python_returns(run, runs):
    scored = {name: arraycoref.score_files(runs[0], path) for name, path in zip("gp", runs[1:], strict=True)}
    c = arraycoref.compare(scored, resamples=500, seed=4)
    for name in ("table", "json"):
        done = run(*runs, "--format", name, "--resamples", 500, "--seed", 4)
        assert (done.exit_code, done.stderr, done.stdout) == (0, "", c.render(name))


def test_options_reach_the_statistics(run, runs):
    options = [
        *("--metric=BCUB", "--field=recall", "--macro", "--baseline=p", "--test=bootstrap", "--correction=bh"),
        *("--alpha=0.1", "--interval=percentile", "--confidence=0.9", "--resamples=300", "--beta=2"),
    ]
    found = json.loads(run(*runs, "--format=json", *options).stdout)
    wanted = {"metric": "bcub", "field": "recall", "average": "macro", "reference": "p", "baseline": True}
    wanted |= {"test": "bootstrap", "correction": "bh", "alpha": 0.1, "method": "percentile"}
    wanted |= {"confidence": 0.9, "resamples": 300}
    assert {name: found[name] for name in wanted} == wanted
    assert found["signature"]["beta"] == 2


@pytest.mark.parametrize("kind", ["scores", "differences", "correlation"])
def test_plot(run, runs, tmp_path, kind):
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    done = run(*runs, f"x={runs[0]}", "--plot", path, "--plot-kind", kind, "--resamples=100")
    assert (done.exit_code, done.stderr) == (0, "")
    assert path.read_text(encoding="utf-8").lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--baseline=z"], 2, "unknown --baseline 'z'"),
        (["--field=recall"], 2, "metric 'conll' has no recall"),
        (["--plot=x.jpg"], 2, "expected a figure's name to end in"),
        (["--plot-kind=differences"], 2, "--plot-kind needs --plot"),
    ],
)
def test_errors(run, runs, arguments, status, message):
    done = run(*runs, *arguments)
    assert done.exit_code == status
    assert message in done.stderr


def test_what_is_a_system(runs, write, tmp_path):
    """A file; a folder however deep; each match of a glob; each file and folder in a folder: in all commands."""
    (tmp_path / "out" / "deep" / "er").mkdir(parents=True)
    for name, columns in (("out/g", GOOD), ("out/deep/er/p", POOR)):
        write(f"{name}.conll", columns, names=["doc"] * len(columns))
    typed = {
        "typed": [tmp_path / "out/g.conll", tmp_path / "out/deep"],
        "glob": [tmp_path / "out" / "*"],
        "folder": ["--systems-in", tmp_path / "out"],
        "named": [f"g={tmp_path / 'out/g.conll'}", f"deep={tmp_path / 'out/deep/*/p.conll'}"],
    }
    for command in ("compare", "table", "sweep"):

        def run(*systems, command=command):
            return CliRunner().invoke(main, [command, runs[0], *map(str, systems)])

        given = [run(*paths, "--format=csv") for paths in typed.values()]
        assert not any(each.exit_code for each in given), given[0].output
        rows = [sorted(each.stdout.replace("g.conll", "g").splitlines()) for each in given]
        assert rows == rows[:1] * len(rows)
        one = run(tmp_path / "out")
        assert "out/g.conll:1: a second document 'doc_0'; the first begins at" in one.stderr
        assert "read together; --systems-in DIR: Each file and each folder in DIR is a system" in one.stderr
        assert "Missing argument 'SYSTEM...'" in run().stderr
        for systems in ([tmp_path / "[kgp].conll"], [runs[0], tmp_path / "out/g.conll"]):  # as a shell writes a glob
            keyed = run(*systems)
            assert keyed.exit_code == 0
            assert f"warning: {runs[0]}: '{systems[0]}' also matches the key" in keyed.stderr
        assert "the key is scored as a system" not in run(runs[0]).stderr  # which is the only system, and so meant


def test_standard_input(run, runs):
    with open(runs[0], encoding="utf-8") as file:
        done = run("-", *runs[1:], input=file.read())
    assert (done.exit_code, done.stdout) == (0, run(*runs).stdout)


def test_no_document_that_all_systems_have(run, write):
    key = write("keys.conll", GOOD[:2], names=["x", "y"])
    halves = [write(f"{names}.conll", GOOD[:2], names=names) for names in ("xw", "wy")]
    done = run(key, *halves, "--missing-documents=skip", "--extra-documents=ignore")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "keys.conll: no document is in every response; expected at least one" in done.stderr


@pytest.mark.parametrize("command", ["compare", "sweep"])
def test_the_table_is_printed_even_where_no_figure_can_be_drawn(write, command, monkeypatch, tmp_path):
    columns = {"key": KEYS, "lr=1": GOOD, "lr=2": POOR}
    files = [write(f"{name}.conll", found, names=["doc"] * len(KEYS)) for name, found in columns.items()]
    plain = CliRunner().invoke(main, [command, *files])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = CliRunner().invoke(main, [command, *files, "--plot", str(tmp_path / "plot.png")])
    assert (plain.exit_code, done.exit_code, done.stdout) == (0, 1, plain.stdout)
    assert "figures need matplotlib; install with: pip install" in done.stderr


def test_groups_of_documents(runs):
    """A row or a block for each group and the total, in each command; groups are named by the first digit of a name."""
    key, *files = runs
    systems = arraycoref.sweep_files(key, dict(zip("gp", files, strict=True)), metrics="muc")
    parts = {**systems.by([str(d)[0] for d in range(systems.n_documents)]), "total": systems}
    expected = {(group, name): part[name]["muc"].f1 for group, part in parts.items() for name in "gp"}
    for command, paths, group, score, *options in (
        ("score", files[1:], "group", "f1", "--metrics=muc"),
        ("compare", files, "group", "estimate", "--metric=muc", "--resamples=50"),
        ("table", files, "block", "muc_f1", "--metrics=muc"),
    ):
        done = CliRunner().invoke(main, [command, key, *paths, "--by", r"doc_(\d)", "--format=csv", *options])
        assert done.exit_code == 0, done.output
        rows = csv.DictReader(done.stdout.splitlines())
        found = {(row[group], row.get("system", "p")): float(row[score]) for row in rows}
        assert found == {place: value for place, value in expected.items() if place in found}
        assert len(found) == len(parts) * len(paths)
    done = CliRunner().invoke(main, ["compare", key, *files, "--by", r"doc_(\d)", "--resamples=50", "--format=json"])
    assert json.loads(done.stdout)["groups"]["1"]["n_documents"] == 3  # 1, 10 and 11


def test_one_system_is_compared_with_no_other(run, runs):
    """Most likely the key was forgotten: the first system became it."""
    note = f"only one system: the first file, {runs[1]}, is the key"
    assert note in run(*runs[1:], "--resamples", 50).stdout
    assert "one system" not in run(*runs, "--resamples", 50).stdout


@pytest.mark.parametrize("command", ["compare", "table", "sweep"])
def test_units_to_resample(runs, command):
    """Groups by their names, entities of one document, and what documents do not have."""

    def output(*arguments):
        given = [command, *arguments, "--resamples", "50"]
        done = CliRunner().invoke(main, [*given, "--intervals"] if command == "table" else given)
        return done.stdout + done.stderr

    groups = output(*runs, "--resample-by", "doc_.")
    assert "resampled: 10 groups of documents, whose 12 documents are added up" in groups
    assert "there are 12 documents; expected 'document', or groups" in output(*runs, "--resample-by", "entity")


def test_entities_of_one_document(run, write):
    files = [
        write(f"{name}.conll", columns[:1], names=["doc"])
        for name, columns in zip("kgp", (KEYS, GOOD, POOR), strict=True)
    ]
    found = run(*files, "--metric", "bcub").stdout
    assert "note: resampled: 3 key entities of one clustering, some of which share errors (design effect" in found
    document = run(*files, "--metric", "bcub", "--resample-by", "document").stdout
    assert "note: one document: resampling documents says nothing" in document
