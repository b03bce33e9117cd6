"""``arraycoref table``: blocks of keys, systems of several runs, names of both, and errors that say what is missing."""

import json

import pytest
from test_cli_compare import GOOD, KEYS, POOR

import arraycoref as ac

NAMES = ["doc"] * len(KEYS)
HALF = len(KEYS) // 2
KEY = ["--blocks=dev,test", "gold/{block}.conll"]
OTHER = [*GOOD[:3], *POOR[3:]]
NAMED = {"good": "good", "bad": "poor"}


@pytest.fixture
def folder(write, tmp_path, monkeypatch):
    """Keys and responses of dev and test, and runs of seeds, in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "out/dev", "out/test"):
        (tmp_path / name).mkdir(parents=True)
    for block, part in (("dev", slice(0, HALF)), ("test", slice(HALF, None))):
        write(f"gold/{block}.conll", KEYS[part], names=NAMES[:HALF])
        for name, columns in (("good", GOOD), ("poor", POOR)):
            write(f"out/{block}/{name}.conll", columns[part], names=NAMES[:HALF])
    write("key.conll", KEYS, names=NAMES)
    for system, seed, columns in (("x", 1, GOOD), ("x", 2, OTHER), ("y", 1, POOR), ("y", 2, OTHER)):
        for path in (f"{system}_seed{seed}.conll", f"system={system},seed={seed}.conll"):
            write(path, columns, names=NAMES)
    return tmp_path


def test_prints_what_python_returns(run, folder):
    runs = {name: ac.score_files("gold/dev.conll", f"out/dev/{path}.conll") for name, path in NAMED.items()}
    done = run("table", "gold/dev.conll", "out/dev/good.conll", "bad=out/dev/poor.conll")
    assert (done.exit_code, done.stderr, done.stdout) == (0, "", ac.table(runs).render())


def test_blocks(run, folder):
    systems = ("good", "poor")
    blocks = {
        block: {name: ac.score_files(f"gold/{block}.conll", f"out/{block}/{name}.conll") for name in systems}
        for block in ("test", "dev")
    }
    done = run("table", "gold/{block}.conll", "out/{block}/*.conll", "--blocks", "test,dev")
    assert (done.exit_code, done.stderr, done.stdout) == (0, "", ac.table(blocks).render())


def test_seeds_by_names_and_by_a_regular_expression(run, folder):
    for runs, *options in (
        ("system=*.conll", "--over=seed"),
        ("[xy]_seed?.conll", "--pool=round", "--name-pattern", r"(?P<model>[xy])_seed(?P<round>\d)"),
    ):
        found = json.loads(run("table", "key.conll", runs, *options, "--format=json").stdout)
        assert [(row["system"], row["runs"]) for row in found["rows"]] == [("x", 2), ("y", 2)]
        assert found["pool"] is ("--over=seed" not in options)


def test_options_reach_the_table(run, folder):
    options = [
        *("--metrics=BCUB,conll", "--fields=f1,recall", "--marks", "--baseline=poor", "--sort", "--macro"),
        *("--test=bootstrap", "--correction=holm", "--alpha=0.1", "--interval=percentile", "--confidence=0.9"),
        *("--resamples=60", "--seed=3", "--beta=2", "--intervals"),
    ]
    found = json.loads(run("table", "gold/dev.conll", "--systems-in=out/dev", *options, "--format=json").stdout)
    wanted = {"fields": ["recall", "f1"], "baseline": "poor", "average": "macro", "test": "bootstrap", "alpha": 0.1}
    wanted |= {"correction": "holm", "method": "percentile", "confidence": 0.9, "resamples": 60, "seed": 3}
    assert {name: found[name] for name in wanted} == wanted
    assert found["signature"]["beta"] == 2
    scores = [name for name in found["rows"][0] if name.endswith(("recall", "precision", "f1"))]
    assert scores == ["bcub_recall", "bcub_f1", "conll_f1"]
    rounded = run(
        "table", "gold/dev.conll", "--systems-in=out/dev", "--digits=0", "--metrics=conll"
    ).stdout.splitlines()[3]
    b = ac.score_files("gold/dev.conll", "out/dev/good.conll")
    assert rounded.split() == ["good", f"*{100 * b.conll:.0f}"]


def test_documents_that_are_left_out_are_counted(run, folder, write):
    write("out/test/poor.conll", POOR[HALF:-2], names=NAMES[: HALF - 2])
    done = run("table", *KEY, "--systems-in=out/{block}", "--missing-documents", "skip")
    assert f"dev: {HALF} documents, test: {HALF - 2} documents" in done.stdout
    assert f"note: test: 2 of {HALF} documents left out: not in every response" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["gold/dev.conll", "--systems-in=out/dev", "--blocks=dev"], 2, "'gold/dev.conll' has no {block}"),
        (["gold/dev.conll", "--systems-in=out/dev", "--differences"], 2, "--differences needs --marks or --baseline"),
        ([*KEY, "--systems-in=out/{block}"], 1, "block 'test' has 0 runs of system 'poor', and block 'dev' has 1"),
        (
            ["key.conll", *(f"system={run}.conll" for run in ("x,seed=1", "y,seed=1", "y,seed=2")), "--over=seed"],
            1,
            "system=x has 1 runs by seed",
        ),
    ],
)
def test_errors(run, folder, arguments, status, message):
    (folder / "out/test/poor.conll").unlink()
    done = run("table", *arguments)
    assert message in done.stderr
    assert done.exit_code == status
