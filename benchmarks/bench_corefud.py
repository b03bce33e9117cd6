"""Measure CorefUD files of GUM's size, from files to scores: ``python -m benchmarks.bench_corefud [KEY RESPONSE]``.

Without files, documents are generated: 281 of 950 words, with all columns, as GUM in CorefUD's form has. Times are CPU
times of one process.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import arraycoref as ac
from arraycoref.cli.corefud import METRICS
from arraycoref.match import match_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.read import read_documents
from benchmarks.timing import python

DOCUMENTS, SENTENCES, WORDS = 281, 48, 20
"""Number of documents, of sentences in each, and of words in a sentence on average."""

MENTIONS, ZEROS, GAPS = 6.0, 0.05, 0.01
"""Mentions in a sentence on average, in the key; shares of zeros and of mentions with a gap among them."""

FRESH = """
import sys, time
from pathlib import Path
import arraycoref as ac
key, response, name, *metrics = sys.argv[1:]
scores = getattr(ac, name)(key, response, profile="corefud", metrics=metrics)
str(scores.report() if name == "score_files" else scores)
peak = next(line for line in Path("/proc/self/status").open() if line.startswith("VmHWM"))  # Linux
print(time.process_time(), int(peak.split()[1]) / 1024)
"""
UPOS = ["NOUN", "VERB", "ADP", "DET", "ADJ", "PRON", "PROPN", "ADV", "AUX", "PUNCT"]
Drawn = list[tuple[int, list[tuple[int, int]], int, bool]]
"""Of each mention in a sentence its entity, first and last place of its parts, its head, and whether it is a zero."""


def write_pair(folder: Path, n_documents: int = DOCUMENTS, n_sentences: int = SENTENCES) -> tuple[Path, Path]:
    """Write generated documents of key and response, and return their paths."""
    rng = np.random.default_rng(281)
    letters = np.array(list("etaoinshrdlu"))
    vocabulary = ["".join(rng.choice(letters, length)) for length in rng.integers(1, 11, 5000)]
    paths = folder / "key.conllu", folder / "response.conllu"
    with paths[0].open("w", encoding="utf-8") as key, paths[1].open("w", encoding="utf-8") as response:
        for d in range(n_documents):
            for file in (key, response):
                file.write(f"# newdoc id = GUM_genre_{d}\n# global.Entity = eid-etype-head-other\n")
            for s in range(n_sentences):
                rows = list(_rows(rng, vocabulary, int(rng.integers(4, 2 * WORDS - 3))))
                drawn = _draw(rng, len(rows) - 1, n_sentences * 2)
                disturbed = [_disturbed(rng, mention, n_sentences * 2) for mention in drawn if rng.random() < 0.85]
                for file, drawn_here in ((key, drawn), (response, disturbed)):
                    mentions = list({str(mention[1]): mention for mention in drawn_here}.values())  # none twice
                    file.write(f"# sent_id = GUM_genre_{d}-{s + 1}\n# s_type = decl\n# text = {rows[0][1]} and so on\n")
                    file.writelines(_with_mentions(rows, mentions))
                    file.write("\n")
    return paths


def _rows(rng: np.random.Generator, vocabulary: list[str], n_words: int) -> Iterator[list[str]]:
    """Yield the columns of each word of a sentence, and of an empty node after the last one."""
    for number in range(1, n_words + 1):
        form, tag = vocabulary[min(int(rng.zipf(1.3)), len(vocabulary)) - 1], UPOS[int(rng.integers(len(UPOS)))]
        parent = int(rng.integers(number))
        relation = "flat" if rng.random() < 0.02 else "nmod" if parent else "root"
        features = "Case=Nom|Number=Sing|Person=3|PronType=Prs"
        yield [str(number), form, form, tag, tag, features, str(parent), relation, f"{parent}:{relation}", "XML=<w>"]
    yield [f"{n_words}.1", "_", "_", "PRON", "_", "_", "_", "_", f"{n_words}:nsubj", "_"]


def _draw(rng: np.random.Generator, n_words: int, n_entities: int) -> Drawn:
    """Draw the mentions of a sentence, of an entity each."""
    found = []
    entities = np.unique((n_entities * rng.random(rng.poisson(MENTIONS)) ** 1.5).astype(np.int64))
    for entity in entities.tolist():
        start = int(rng.integers(n_words))
        end = min(start + int(rng.geometric(0.4)) - 1, n_words - 1)
        is_zero, has_gap = rng.random() < ZEROS, rng.random() < GAPS and start > 2
        parts = [(n_words, n_words)] if is_zero else [(0, 0)] * has_gap + [(start, end)]
        found.append((entity, parts, 1 if is_zero or has_gap else int(rng.integers(end - start + 1)) + 1, is_zero))
    return found


def _disturbed(rng: np.random.Generator, mention: tuple, n_entities: int) -> tuple:
    """Return a mention with another entity, or without its last word, at times."""
    entity, parts, head, is_zero = mention
    if rng.random() < 0.2:
        entity = n_entities + int(rng.integers(1 << 40))  # in a sentence, no two of one entity may cross
    (start, end), others = parts[-1], parts[:-1]
    if rng.random() < 0.15 and end > start and not others:
        parts, head = [(start, end - 1)], min(head, end - start)
    return entity, parts, head, is_zero


def _with_mentions(rows: list[list[str]], mentions: Drawn) -> Iterator[str]:
    """Yield the lines of a sentence."""
    items = [["", ""] for _ in rows]
    for entity, parts, head, _ in mentions:
        for number, (start, end) in enumerate(parts, 1):
            name = f"e{entity}" + (f"[{number}/{len(parts)}]" if len(parts) > 1 else "")
            items[start][1] += f"({name}-person-{head}-" + (")" if start == end else "")
            items[end][0] += f"{name})" if start < end else ""
    for row, (closing, opening) in zip(rows, items, strict=True):
        entity = f"Entity={closing}{opening}|" if closing or opening else ""
        yield "\t".join([*row[:-1], f"{entity}{row[-1]}"]) + "\n"


def _cpu(function: Callable[[], object], repeats: int = 5) -> float:
    """Return the median CPU time of calls, after one to warm up."""
    times = []
    for _ in range(1 + repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return float(np.median(times[1:]))


def _fresh(key: Path, response: Path, *metrics: str) -> list[tuple[float, float]]:
    """Return the median CPU time of fresh processes, in seconds, and their peak memory, in MB: one column, and four."""
    runs = [
        [
            python("-c", FRESH, str(key), str(response), name, *metrics).split()
            for name in ("score_files", "score_corefud")
        ]
        for _ in range(7)
    ]
    return [
        (float(np.median([float(run[0]) for run in of_way])), max(float(run[1]) for run in of_way))
        for of_way in zip(*runs, strict=True)
    ]


def rows(key: Path, response: Path, folder: Path) -> Iterator[str]:
    """Yield the lines of a table."""
    documents = read_documents(key)
    n_words, n_mentions = documents.n_tokens.sum(), len(documents.mentions)
    size = f"{key.stat().st_size / 1e6:.0f} MB, {n_words:,} words, {n_mentions:,} mentions"
    yield f"{size} in the key\n"
    yield "| files to scores | CPU time | peak memory |\n|---|--:|--:|"
    task = ("mentions", "muc", "bcub", "ceafe", "conll")
    for what, metrics in (("all eight metrics", METRICS), ("the metrics of the tasks' table", task)):
        (one, memory), (four, memory_of_four) = _fresh(key, response, *metrics)
        yield f"| {what}, head matching, from process start | {one:.2f} s | {memory:.0f} MB |"
        again = _cpu(lambda m=metrics: str(ac.score_files(key, response, profile="corefud", metrics=m).report()))
        yield f"| the same a second time in one process | {again:.2f} s | |"
        yield f"| the tasks' four columns in one run | {four:.2f} s, {four / one:.2f} x | {memory_of_four:.0f} MB |"
    large = [read_documents(path) for path in write_pair(folder, 1, 2000)]
    for matching in ("head", "partial", "exact"):
        policies = resolve_policies({"profile": "corefud", "matching": matching, "singletons": "keep"}, FileOptions)
        seconds = _cpu(lambda p=policies: match_documents(*large, p))
        yield f"| one document of {len(large[0].mentions):,} mentions, matched: {matching} | {1e3 * seconds:.0f} ms | |"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        key, response = map(Path, sys.argv[1:3]) if len(sys.argv) > 2 else write_pair(folder)
        other = folder / "large"
        other.mkdir()
        for line in rows(key, response, other):
            print(line, flush=True)


if __name__ == "__main__":
    main()
