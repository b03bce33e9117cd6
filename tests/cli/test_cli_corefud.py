"""The command ``corefud``: the command line and the output of the shared tasks' scorer, and all variants in one run."""

import json
import random
import re

import pytest

import arraycoref as ac
from corefud_files import as_text, random_sides

pytestmark = pytest.mark.filterwarnings("ignore::arraycoref.ReadWarning")


@pytest.fixture
def files(tmp_path):
    """Write a key and a response with several documents, and return their paths."""
    rng = random.Random(9)
    pairs = [random_sides(rng, n_sentences=4, most_words=6) for _ in range(6)]
    paths = [tmp_path / "key.conllu", tmp_path / "response.conllu"]
    for k, path in enumerate(paths):
        path.write_text("".join(as_text(sides[k], f"d{d}") for d, sides in enumerate(pairs)), encoding="utf-8")
    return paths


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["-s"], {"singletons": "keep"}),
        (["-x"], {"matching": "exact"}),
        (["-a", "partial-corefud", "-z", "linear"], {"matching": "partial", "zeros": "linear"}),
    ],
)
def test_what_scripts_read(files, run, arguments, options):
    b = ac.score_files(*files, profile="corefud", metrics="muc,bcub,ceafe,zero", **options)
    done = run("corefud", *arguments, *files, "-m", "muc", "bcub", "ceafe", "zero")
    assert done.exit_code == 0
    names = ["muc", "bcub", "ceafe", "zero"]
    percent = [[100 * ratio for ratio in (b[name].recall, b[name].precision, b[name].f1)] for name in names]
    ratios = ["Recall: {:.2f} Precision: {:.2f} F1: {:.2f}".format(*three) for three in percent]
    assert done.stdout.splitlines()[:-1] == [line for pair in zip(names, ratios, strict=True) for line in pair]
    mean = sum(b[name].f1 for name in names[:3]) / 3
    assert re.findall(r"CoNLL score: (\d+\.?\d*)", done.stdout) == [f"{100 * mean:.2f}"]
    assert run("corefud", "-m", "muc", "bcub", *files).stdout.count("Recall: ") == 2
    assert run("corefud", *files).stdout.count("Recall: ") == 8


def test_variants(files, run):
    done = run("corefud", *files, "-m", "muc", "bcub", "ceafe", "--variants", "--format", "json")
    found = json.loads(done.stdout)
    for name, options in (
        ("head", {}),
        ("partial", {"matching": "partial"}),
        ("exact", {"matching": "exact"}),
        ("head, singletons", {"singletons": "keep"}),
    ):
        b = ac.score_files(*files, profile="corefud", metrics="mentions,muc,bcub,ceafe,conll", **options)
        assert found[name] == json.loads(json.dumps(b.to_dict()))
        assert ac.score_variants(*files)[name].conll == b.conll
    assert re.search(r"^head, singletons +\d", run("corefud", *files, "--variants").stdout, re.MULTILINE)
    assert run("corefud", *files, "--variants", "--format", "csv").stdout.count("\n") == 1 + 4 * 10


def test_a_metric_that_there_is_not(files, run):
    done = run("corefud", *files, "-m", "mucc")
    assert (done.exit_code, "did you mean 'muc'?" in done.stderr) == (2, True)
