"""The command ``corefud``: the command line and the output of the shared tasks' scorer, and all variants in one run."""

import itertools
import json
import random
import re

import pytest

import arraycoref as ac
from corefud_files import as_text, random_sides, shape_of
from oracle.conll_files import conll_text, conllu_text
from oracle.corefud import spans_of
from oracle.corefud_reader import read

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
    ratios = ["Recall: {:.2f}  Precision: {:.2f}  F1: {:.2f}".format(*three) for three in percent]
    assert done.stdout.splitlines()[:-1] == [line for pair in zip(names, ratios, strict=True) for line in pair]
    mean = sum(b[name].f1 for name in names[:3]) / 3
    assert re.findall(r"CoNLL score: (\d+\.?\d*)", done.stdout) == [f"{100 * mean:.2f}"]
    assert run("corefud", "-m", "muc", "bcub", *files).stdout.count("Recall: ") == 2
    assert run("corefud", *files).stdout.count("Recall: ") == 8


def test_variants(files, run):
    done = run("score", *files, "--corefud-columns", "--format", "json")
    found = json.loads(done.stdout)
    for name, options in (
        ("head", {}),
        ("partial", {"matching": "partial"}),
        ("exact", {"matching": "exact"}),
        ("head, singletons", {"singletons": "keep"}),
    ):
        b = ac.score_files(*files, profile="corefud", metrics="mentions,muc,bcub,ceafe,conll", **options)
        assert found[name] == json.loads(json.dumps(b.to_dict()))
        assert ac.score_corefud(*files)[name].conll == b.conll
    assert re.search(r"^head, singletons +\d", run("score", *files, "--corefud-columns").stdout, re.MULTILINE)
    assert run("score", *files, "--corefud-columns", "--format", "csv").stdout.count("\n") == 1 + 4 * 5


def test_variants_of_score(files, run):
    of_score = run("score", *files, "--corefud-columns", "-b", "mentions.recall")
    found = ac.score_corefud(*files)
    assert of_score.stdout.split() == [f"{100 * b['mentions'].recall:.2f}" for b in found.values()]
    table = run("score", *files, "--corefud-columns", "--metrics", "mentions,muc,bcub,ceafe,conll").stdout
    assert table == f"{found}\n"
    for option in ("--matching=exact", "--macro"):
        done = run("score", *files, "--corefud-columns", option)
        refused = f"{option.partition('=')[0]} has no effect with --corefud-columns" in done.stderr
        assert (done.exit_code, refused) == (2, True)
    assert (
        "unknown --format with --corefud-columns 'conll'"
        in run("score", *files, "--corefud-columns", "--format", "conll").stderr
    )
    assert run("score", files[0], "--corefud-columns").exit_code == 2


def test_variants_of_pairs(files, run, tmp_path):
    key, response = files
    lines = [f"{key}\t{response}\n", f"{response}\t{key}\n", f"{key}\tabsent\n"]
    (tmp_path / "pairs.tsv").write_text("".join(lines))
    both = {"1": (key, response), "2": (response, key)}
    done = run("score", "--file-pairs", tmp_path / "pairs.tsv", "--corefud-columns", "--format", "json")
    assert (done.exit_code, "pair 'absent'" in done.stderr) == (1, True)
    found, groups = json.loads(done.stdout), ac.score_corefud(both, file_pairs=True)
    means = {}
    for name, group in groups.items():
        singly = [ac.score_corefud(*pair)[name] for pair in both.values()]
        assert [b.counts.rows.tolist() for b in group.values()] == [b.counts.rows.tolist() for b in singly]
        means[name] = sum(b.conll for b in singly) / 2
        assert found[name]["mean"]["conll"]["f1"] == pytest.approx(means[name], abs=1e-15)
        assert list(found[name]["failures"]) == ["absent"]
    last = str(groups).split("\n\n")[1].splitlines()
    assert re.split("  +", last[0]) == ["pair (conll)", *found]
    assert re.split("  +", last[-1]) == ["mean of pairs", *(f"{100 * mean:.2f}" for mean in means.values())]
    bare = run("score", "--file-pairs", tmp_path / "pairs.tsv", "--corefud-columns", "-b", "conll")
    assert bare.stdout.split() == [f"{100 * mean:.2f}" for mean in means.values()]
    rows = run(
        "score", "--file-pairs", tmp_path / "pairs.tsv", "--corefud-columns", "--format", "csv"
    ).stdout.splitlines()
    assert rows[0] == "variant,pair,metric,recall,precision,f1,notes,signature"
    assert len(rows) == 1 + 4 * 4 * 5
    frame = groups.columns()
    assert [
        n
        for n, m in zip(frame["f1"], zip(frame["pair"], frame["metric"], strict=True), strict=True)
        if m == ("mean of pairs", "conll")
    ] == pytest.approx(list(means.values()))


def test_variants_warn_once(run, tmp_path):
    paths = [tmp_path / "key.conllu", tmp_path / "response.conllu"]
    for path, shift in zip(paths, (0, 1), strict=True):
        marks = ["Entity=(e1--1)" if n % 2 == shift else "_" for n in range(20)]
        words = "".join(f"{n}\tw{n}" + 7 * "\t_" + f"\t{mark}\n" for n, mark in enumerate(marks, 1))
        path.write_text(f"# global.Entity = eid-etype-head\n{words}\n")
    assert run("score", *paths, "--corefud-columns").stderr.count("none of 10 and 10 mentions is shared") == 1


def test_a_metric_that_there_is_not(files, run):
    done = run("corefud", *files, "-m", "mucc")
    assert (done.exit_code, "did you mean 'muc'?" in done.stderr) == (2, True)


def test_one_score_of_all_formats(files, run, tmp_path):
    """Spans of words as JSON lines, as columns of CoNLL-2012 and as CoNLL-U, against trees of the key."""
    text = files[1].read_text(encoding="utf-8")
    rows = []
    for (name, found), entities in zip(shape_of(text), read(text).values(), strict=True):
        words = [sentence for _, sentence in found]
        rows.append((name, words, spans_of(entities, [*map(len, words)])))
    texts = {
        "jsonl": "".join(json.dumps({"doc_key": n, "sentences": w, "clusters": c}) + "\n" for n, w, c in rows),
        "conll": conll_text([(n, [*itertools.chain(*w)], c) for n, w, c in rows]),
        "conllu": "".join(conllu_text(*row) for row in rows),
    }
    printed = set()
    for suffix, text in texts.items():
        (tmp_path / f"x.{suffix}").write_text(text, encoding="utf-8")
        for command in (["corefud"], ["score", "--profile", "corefud"], ["score", "--matching", "exact"]):
            done = run(*command, files[0], tmp_path / f"x.{suffix}", "--heads", "key-tree")
            assert done.exit_code == 0, done.stderr
            printed.add((*command, done.stdout))
    assert len(printed) == 3
