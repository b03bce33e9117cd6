"""A limit of time reaches whatever may take long, and is looked at between its pieces."""

from __future__ import annotations

import gzip
import io
import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref import deadline
from arraycoref.cli import main
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from arraycoref.stats.best_set import best_pvalues
from arraycoref.stats.options import Settings
from arraycoref.tagging import load_tagset, read_tagged, score_tag_files, weights

TAGGED = "".join(f"1\tw{n}\t_\tNOUN\t_\t_\t0\t_\t_\t_\n\n" for n in range(3))
XCES = "<cesAna>" + "<tok><orth>w</orth><lex disamb='1'><ctag>x</ctag></lex></tok>" * 3 + "</cesAna>"
RULE = '{"terminals": [{"pos": "adj", "categories": ["case"]}]}\n'


@pytest.fixture(scope="module")
def batches():
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 169, 12)  # of 14 documents there are 16,384 exchanges, more than `LISTED_ROWS`
    key = rng.integers(0, 3, 168)
    return [ac.score_labels_batch(key, np.where(rng.random(168) < 0.3, 4, key), offsets) for _ in range(3)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documents = [json.dumps({"id": d, "clusters": [[[0, 0], [d, d + 1]], [[5, 5], [7, 7]]]}) for d in range(1, 4)]
    texts = {
        "key.jsonl": "\n".join(documents),
        "array.json": f"[{', '.join(documents)}]",
        "words.conllu": TAGGED,
        "faulty.conllu": TAGGED.replace("1\tw1", "3\tw1"),
        "words.tsv": "a\tX\nb\tX\n\nc\tX\n",
        "words.xml": XCES,
        "rules.jsonl": RULE * 3,
        "queries.txt": "[pos=subst]\n[case=nom]\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(texts["key.jsonl"].encode()))
    write_documents(read_documents("key.jsonl"), "key.conll")
    for run in ("a", "b"):
        write_documents(read_documents("key.jsonl"), f"{run}=1.conll")


def nothing(_):
    return None


def generated():
    yield from ([0, 0, s] for s in range(3000))


STATISTICS = {
    "bootstrap": lambda b: ac.bootstrap(b[0], resamples=1000),
    "bootstrap in threads": lambda b: ac.bootstrap(b[0], b[1], resamples=1000, threads=2),
    "randomisation": lambda b: ac.paired_test(b[0], b[1], resamples=1000, exact=False),
    "every exchange": lambda b: ac.paired_test(b[0], b[1], exact=True),
    "paired bootstrap": lambda b: ac.paired_test(b[0], b[1], test="bootstrap", resamples=1000),
    "every resample": lambda b: ac.paired_test(b[0], b[1], test="bootstrap", exact=True),
    "compare": lambda b: ac.compare({str(n): each for n, each in enumerate(b)}, resamples=1000),
    "power": lambda b: ac.power(b[0], b[1], sizes=[10, 20], resamples=1000),
}
FILES = {
    "score files": lambda: ac.score_files("key.conll", "a=1.conll"),
    "read CoNLL": lambda: read_documents(["key.conll", "key.conll"], lenient=True, report=nothing),
    "read JSON lines": lambda: read_documents("key.jsonl"),
    "read a JSON array": lambda: read_documents("array.json"),
    "read a compressed file": lambda: read_documents("packed.jsonl.gz"),
    "read with a limit of bytes": lambda: read_documents("key.conll", max_bytes=10_000),
    "write CoNLL": lambda documents: write_documents(documents, "out.conll"),
    "write JSON lines": lambda documents: write_documents(documents, "out.jsonl"),
    "sweep files": lambda: ac.sweep_files("key.conll", "[ab]=1.conll"),
    "sweep cuts": lambda: ac.sweep_linkage(
        [0, 0, 1, 1], [np.array([[0, 1, 0.5, 2]])] * 2, [0.4, 0.6], [0, 2, 4], metrics="muc"
    ),
    "sweep a generator": lambda: ac.sweep([0, 0, 1], generated()),
    "best of a sweep": lambda found: found.best("muc", resamples=1000),
    "score tagged files": lambda: score_tag_files("words.conllu", "words.conllu"),
    "score tagged files in threads": lambda: score_tag_files("words.conllu", "words.conllu", threads=2),
    "repair CoNLL-U": lambda: read_tagged("faulty.conllu", lenient=True, report=nothing),
    "read columns of tags": lambda: read_tagged("words.tsv"),
    "read XCES": lambda: read_tagged("words.xml"),
    "weights of rules": lambda: weights.rule_weights(weights.read_rules("rules.jsonl")),
    "weights of a treebank": lambda: list(weights.read_agreement("words.conllu", load_tagset("ud"))),
    "weights of queries": lambda: weights.query_weights(weights.read_queries("queries.txt"), load_tagset("nkjp")),
}


def ends_between_pieces(monkeypatch, work):
    """Let each look at the clock take a second: the limit is kept when it is reached early, late, and not at all."""
    work()  # what is read once is read
    ticks = itertools.count()
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    with ac.time_limit(10**9):
        begun = next(ticks)
        work()
        looks = next(ticks) - begun - 1
    assert looks > 1
    for limit in {0.5, looks - 0.5}:
        with pytest.raises(ac.TimeLimitError, match=f"within the limit of {limit:g} s"), ac.time_limit(limit):
            work()
    with ac.time_limit(looks + 0.5):
        work()


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics(monkeypatch, batches, name):
    if name == "every resample":  # of 8 documents there are 6,435, more than `LISTED_ROWS`
        batches = [type(b)(b.metrics, b.counts.take(np.arange(14) < 8), b.signature) for b in batches]
    ends_between_pieces(monkeypatch, lambda: STATISTICS[name](batches))


@pytest.mark.parametrize("name", ["set of the best", "intervals", "intervals of runs"])
def test_many_systems_with_few_resamples(monkeypatch, batches, name):
    """Each system is a piece of work, too: with hundreds of them, comparing them takes longer than drawing."""
    systems = {str(n): batches[n % 3] for n in range(12)}
    work = {
        "set of the best": lambda: best_pvalues(list(systems.values()), 0, Settings(resamples=1)),
        "intervals": lambda: ac.table(systems, intervals=True, resamples=1),
        "intervals of runs": lambda: ac.table({s: [b, b] for s, b in systems.items()}, intervals=True, resamples=1),
    }[name]
    ticks = itertools.count()
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    with pytest.raises(ac.TimeLimitError), ac.time_limit(len(systems) - 2):
        work()


@pytest.mark.parametrize("name", FILES)
def test_files_and_sweeps(monkeypatch, files, name):
    if "XCES" in name:
        pytest.importorskip("lxml")
    given = ()
    if name.startswith("write"):
        given = (read_documents("key.jsonl"),)
    if name.startswith("best"):
        rng = np.random.default_rng(0)
        given = (ac.sweep(rng.integers(0, 3, 40), rng.integers(0, 3, (3, 40)), range(0, 41, 5)),)
    ends_between_pieces(monkeypatch, lambda: FILES[name](*given))


COMMANDS = [
    "score key.conll a=1.conll",
    "compare key.conll a=1.conll b=1.conll",
    "sweep key.conll a=1.conll b=1.conll",
    "table key.conll a=1.conll b=1.conll",
    "check key.conll",
    "convert key.jsonl out.conll",
    "convert key.conll out.jsonl",
    "tags score words.conllu words.conllu",
    "tags score words.tsv words.tsv",
    "tags confusions words.conllu words.conllu --tagset ud",
    "tags weights --rules rules.jsonl",
    "tags weights --queries queries.txt --tagset nkjp",
    "tags weights --treebank words.conllu --tagset ud",
    "tags weights --ambiguity words.conllu --tagset ud",
    "demo",
    "warmup",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands(tmp_path, files, line):
    done = CliRunner().invoke(main, ["--time-limit", "1e-7", *line.split()], prog_name="arraycoref")
    assert (done.exit_code, done.stderr) == (1, "arraycoref: error: not done within the limit of 1e-07 s\n")
    assert not list(tmp_path.glob("out.*"))
    assert not list(tmp_path.glob(".arraycoref-*"))


def test_every_command_is_tried():
    tried = {line.split()[0] for line in COMMANDS}
    assert tried == set(main.commands)
    assert {line.split()[1] for line in COMMANDS if line.startswith("tags")} == set(main.commands["tags"].commands)


def test_a_limit_is_no_fault_of_a_file(tmp_path, monkeypatch):
    """It is not taken for corrupt data, nor passed over with the faults of a file."""
    (tmp_path / "key.jsonl.gz").write_bytes(gzip.compress(b"x\n" * 10))
    seen = []
    with pytest.raises(ac.TimeLimitError), ac.time_limit(1e-9):
        read_documents(tmp_path / "key.jsonl.gz", lenient=True, report=seen.append)
    assert seen == []


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"x" * 10)))
    with pytest.raises(ac.TimeLimitError), ac.time_limit(1e-9):
        read_documents("-")
