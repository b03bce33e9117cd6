"""Measure reading of CoNLL and JSON files: speed on one core, and peak memory."""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from arraycoref.read import read_documents
from benchmarks.data import data_file, documents, write_conll
from benchmarks.timing import in_turn, python

MEMORY = """
import sys
from pathlib import Path
from arraycoref.read import read_documents

def status(field):
    return next(int(line.split()[1]) for line in Path("/proc/self/status").open() if line.startswith(field)) * 1024

read_documents(sys.argv[2])                      # libraries are in memory now
Path("/proc/self/clear_refs").write_text("5")    # the peak starts again from here (Linux)
before = status("VmRSS")
documents = read_documents(sys.argv[1])
print(status("VmHWM") - before)
"""


SENTENCE = 20  # words


def write_json(path: Path, n_documents: int, n_mentions: int, *, tokens: bool, seed: int = 0) -> None:
    """Write documents as neural systems do, with words of frequencies and lengths as in English, or clusters only."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlu"))
    vocabulary = ["".join(rng.choice(letters, length)) for length in rng.integers(1, 11, 20_000)]
    with path.open("w", encoding="utf-8") as file:
        for d in range(n_documents):
            n_words = n_mentions * 9
            start = rng.integers(0, n_words - 4, n_mentions)
            spans = np.stack([start, start + rng.integers(0, 4, n_mentions)], axis=1).tolist()
            record = {"doc_key": f"nw/wsj/{d % 25:02}/wsj_{d:05}_0"}
            if tokens:
                words = np.minimum(rng.zipf(1.3, n_words) - 1, len(vocabulary) - 1).tolist()
                lists = [[vocabulary[w] for w in words[k : k + SENTENCE]] for k in range(0, n_words, SENTENCE)]
                record |= {"sentences": lists, "speakers": [["-"] * len(each) for each in lists]}
            record["clusters"] = [spans[k : k + 4] for k in range(0, n_mentions, 4)]
            file.write(json.dumps(record) + "\n")


def as_programs_do(function: Callable[[], object]) -> None:
    """Call a function with the garbage collector on, as in programs; it takes time where many objects are made."""
    gc.enable()
    function()
    gc.disable()


JSON_HEADER = "| file | size | speed | json | kept | orjson | kept | peak memory, times the file |"


def parse(loads: Callable[[bytes], object], lines: list[bytes], kept: bool) -> None:
    """Parse lines; keep all objects, as a scorer in Python has to, or drop each at once."""
    if kept:
        _ = [loads(line) for line in lines]
    else:
        for line in lines:
            loads(line)


def json_rows(folder: Path) -> Iterator[str]:
    """Yield a row per file: MB/s, the times of parsers as multiples of the time to read, and memory as in `rows`."""
    small = folder / "small.jsonl"
    write_json(small, 2000, 60, tokens=False)
    for name, n_documents, n_mentions, tokens in (
        ("clusters only, 60 mentions a document", 30_000, 60, False),
        ("clusters only, 1,000 mentions a document", 1_800, 1000, False),
        ("words and clusters, 60 mentions a document", 2_500, 60, True),
    ):
        path = folder / "large.jsonl"
        write_json(path, n_documents, n_mentions, tokens=tokens)
        lines = path.read_bytes().splitlines()
        parsers = [json.loads]
        if importlib.util.find_spec("orjson"):
            parsers.append(importlib.import_module("orjson").loads)
        works = [lambda path=path: as_programs_do(lambda: read_documents(path))]
        works += [
            lambda loads=loads, lines=lines, kept=kept: as_programs_do(lambda: parse(loads, lines, kept))
            for loads in parsers
            for kept in (False, True)
        ]
        seconds = in_turn(works, rounds=5)
        own, *others = (
            np.median(seconds[:, :1], axis=0).tolist() + np.median(seconds[:, 1:] / seconds[:, :1], axis=0).tolist()
        )
        size = path.stat().st_size
        peak = int(python("-c", MEMORY, os.fspath(path), os.fspath(small)))
        ratios = " | ".join(f"{ratio:.1f} x" for ratio in [*others, *[float("nan")] * (4 - len(others))])
        yield f"| {name} | {size / 1e6:.0f} MB | {size / own / 1e6:.0f} MB/s | {ratios} | {peak / size:.2f} x |"


def repeated(source: Path, target: Path, times: int) -> Path:
    """Write the documents of a file several times, each time under new names, and return the path written."""
    text = source.read_text(encoding="utf-8")
    with target.open("w", encoding="utf-8") as file:
        for copy in range(times):
            file.write(text.replace("#begin document (", f"#begin document ({copy}_"))
    return target


def read_naively(path: Path) -> dict[str, dict[str, list[tuple[int, int]]]]:
    """Read a CoNLL file as scorers in Python do: line by line, into the mentions of each entity of each document."""
    documents = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.startswith("#begin document"):
                token, entities, opened = 0, defaultdict(list), defaultdict(list)
                documents[line.removeprefix("#begin document").strip()] = entities
            elif line.strip() and not line.startswith("#"):
                value = line.split("\t")[-1].strip()
                for item in value.split("|") if value not in ("", "_", "-", "*") else ():
                    entity = item.strip("()")
                    if item.startswith("("):
                        opened[entity].append(token)
                    if item.endswith(")"):
                        entities[entity].append((opened[entity].pop(), token))
                token += 1
    return documents


CONLL_HEADER = "| file | size | speed | naive reader | peak memory, times the file |"


def rows(folder: Path) -> Iterator[str]:
    """Yield a row per file: MB/s, how many times as long `read_naively` takes, and peak memory added, in file sizes."""
    batch = documents(200, 300, seed=3)
    small, narrow, wide = folder / "small.conll", folder / "narrow.conll", folder / "wide.conll"
    write_conll(small, batch.key, batch.offsets)
    write_conll(narrow, batch.key, batch.offsets, repeat=200)
    columns = "a/document_name\t0\t12\tword\tNN\t(NP*)\t-\t-\t-\t-\t*\t"
    write_conll(wide, batch.key, batch.offsets, columns, repeat=40)
    files = [("3 columns, nothing but a mention per line", narrow), ("14 columns, a mention per line", wide)]
    for name, title, times in (("gum_gum_key.conll", "GUM key", 40), ("litbank.conll", "LitBank", 10)):
        if source := data_file(name):
            files.append((f"{title}, {times} times over", repeated(source, folder / name, times)))
    for name, path in files:
        size = path.stat().st_size
        works = [lambda path=path: read_documents(path), lambda path=path: read_naively(path)]
        seconds, naively = np.median(in_turn([partial(as_programs_do, work) for work in works], rounds=3), axis=0)
        peak = int(python("-c", MEMORY, os.fspath(path), os.fspath(small)))
        speed = f"{size / seconds / 1e6:.0f} MB/s | {naively / seconds:.1f} x"
        yield f"| {name} | {size / 1e6:.0f} MB | {speed} | {peak / size:.2f} x |"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        for header, table in ((CONLL_HEADER, rows), (JSON_HEADER, json_rows)):
            print(header)
            print("|" + "---|" * (header.count("|") - 1))
            for row in table(Path(temporary)):
                print(row, flush=True)
