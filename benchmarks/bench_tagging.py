"""Measure tagger evaluation: words per second from tag ids, and files from end to end beside plain Python.

    ARRAYCOREF_DATA=.../data python benchmarks/bench_tagging.py
    ARRAYCOREF_DATA=.../data python benchmarks/bench_tagging.py --table     # submissions to the shared task

Plain Python stands in for the evaluation script of the CoNLL 2018 shared task. It is our own simple implementation of
the alignment and the measures that the task describes, with one object per word, lists, and string comparison. Without
a data folder, the files are generated.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from arraycoref.tagging import score_tag_files, score_tag_ids, tag_table
from arraycoref.tagging.tagsets import UniversalTagset

UNIVERSAL = {
    "Abbr",
    "Animacy",
    "Aspect",
    "Case",
    "Definite",
    "Degree",
    "Evident",
    "Foreign",
    "Gender",
    "Mood",
    "NumType",
    "Number",
    "Person",
    "Polarity",
    "Polite",
    "Poss",
    "PronType",
    "Reflex",
    "Tense",
    "VerbForm",
    "Voice",
}
MEASURES = ("Words", "UPOS", "XPOS", "UFeats", "AllTags")


class Word:
    """A word in the plain implementation: its columns, and where its token begins and ends among all characters."""

    def __init__(self, columns: list[str], start: int, end: int, multiword: bool) -> None:
        self.columns = columns
        self.form = columns[1].lower()
        self.start = start
        self.end = end
        self.multiword = multiword


def load(path: Path) -> tuple[list[str], list[Word]]:
    """Read a CoNLL-U file: return the characters of its tokens, and its words."""
    characters: list[str] = []
    words: list[Word] = []
    range_end = start = end = 0
    with path.open(encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\r\n")  # noqa: PLW2901
            if not line:
                range_end = 0
                continue
            if line.startswith("#"):
                continue
            columns = line.split("\t")
            if len(columns) != 10:
                raise ValueError(line)
            if "." in columns[0]:
                continue
            form = columns[1].replace(" ", "").replace("\u00a0", "")
            if "-" in columns[0]:
                range_end = int(columns[0].split("-")[1])
                start = len(characters)
                characters.extend(form)
                end = len(characters)
                continue
            columns[5] = "|".join(sorted(f for f in columns[5].split("|") if f.split("=", 1)[0] in UNIVERSAL))
            if int(columns[0]) <= range_end:
                words.append(Word(columns, start, end, True))
            else:
                begin = len(characters)
                characters.extend(form)
                columns[1] = form
                words.append(Word(columns, begin, len(characters), False))
    return characters, words


def align(gold: list[Word], system: list[Word]) -> list[tuple[Word, Word]]:
    """Align words by characters, and words in multiword tokens by their forms."""
    pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].multiword or system[s].multiword:
            first_g, first_s, g, s = around_multiword(gold, system, g, s)
            pairs += common_words(gold[first_g:g], system[first_s:s])
        elif (gold[g].start, gold[g].end) == (system[s].start, system[s].end):
            pairs.append((gold[g], system[s]))
            g += 1
            s += 1
        elif gold[g].start <= system[s].start:
            g += 1
        else:
            s += 1
    return pairs


def around_multiword(gold: list[Word], system: list[Word], g: int, s: int) -> tuple[int, int, int, int]:
    """Find the run of multiword tokens that begins at words ``g`` and ``s``.

    Returns:
        Positions of the first word of the run on each side, gold and system, and of the first word after the run.
    """
    if gold[g].multiword:
        end = gold[g].end
        s += not system[s].multiword and system[s].start < gold[g].start
    else:
        end = system[s].end
        g += gold[g].start < system[s].start
    first_g, first_s = g, s

    def inside(words: list[Word], i: int) -> bool:
        return i < len(words) and (words[i].start < end if words[i].multiword else words[i].end <= end)

    while inside(gold, g) or inside(system, s):
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word = gold[g]
            g += 1
        else:
            word = system[s]
            s += 1
        if word.multiword:
            end = max(end, word.end)
    return first_g, first_s, g, s


def common_words(gold: list[Word], system: list[Word]) -> list[tuple[Word, Word]]:
    """Align the longest common subsequence of lower-cased forms."""
    lengths = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for g in reversed(range(len(gold))):
        for s in reversed(range(len(system))):
            same = gold[g].form == system[s].form
            lengths[g][s] = 1 + lengths[g + 1][s + 1] if same else max(lengths[g + 1][s], lengths[g][s + 1])
    pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].form == system[s].form:
            pairs.append((gold[g], system[s]))
            g, s = g + 1, s + 1
        elif lengths[g + 1][s] == lengths[g][s]:
            g += 1
        else:
            s += 1
    return pairs


KEYS: dict[str, Callable[[Word], object]] = {
    "Words": lambda word: None,
    "UPOS": lambda word: word.columns[3],
    "XPOS": lambda word: word.columns[4],
    "UFeats": lambda word: word.columns[5],
    "AllTags": lambda word: (word.columns[3], word.columns[4], word.columns[5]),
}


def plain_python(gold_path: Path, system_path: Path) -> dict[str, float]:
    """Score a pair of files in plain Python; return the F1 of each measure."""
    gold_characters, gold = load(gold_path)
    system_characters, system = load(system_path)
    if gold_characters != system_characters:
        raise ValueError("the texts differ")
    pairs = align(gold, system)
    scores = {}
    for name, key in KEYS.items():
        correct = sum(1 for gold_word, system_word in pairs if key(gold_word) == key(system_word))
        scores[name] = 2 * correct / (len(gold) + len(system))
    return scores


def fastest(run: Callable[[], object], repeats: int = 7) -> float:
    """Return the processor time in seconds of the fastest of several runs; each run uses one core."""
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def bench_ids(n_words: int = 4_000_000) -> None:
    """Measure all scoring functions from tag ids, with one tag per word and with several gold tags per word."""
    rng = np.random.default_rng(1)
    features = ["Case=Nom", "Case=Gen", "Case=Acc", "Number=Sing", "Number=Plur", "Gender=Fem", "Gender=Masc"]
    names = [
        f"{pos}|{case}|{gender}|{number}"
        for pos in ("NOUN", "ADJ", "PRON", "DET", "NUM", "PROPN", "VERB", "AUX", "ADP", "ADV", "X", "SYM", "PUNCT")
        for case in features[:3]
        for gender in features[5:]
        for number in features[3:5]
    ]
    table = tag_table(names, UniversalTagset())
    gold = (rng.zipf(1.3, n_words) % len(names)).astype(np.int32)
    system = np.where(rng.random(n_words) < 0.93, gold, rng.permutation(gold)).astype(np.int32)
    documents = np.arange(0, n_words + 1, 500)
    weights = {"pos": 4.0, "Case": 3.0, "Number": 2.0, "Gender": 1.0}
    measures = ("exact", "pos", "pa", "wpa", "cwpa")
    for label, chosen in (("exact", ("exact",)), ("pa", ("pa",)), ("all five scoring functions", measures)):
        seconds = fastest(
            lambda chosen=chosen: score_tag_ids(
                gold, system, documents=documents, table=table, measures=chosen, weights=weights
            ),
            5,
        )
        print(f"tag ids, one per word, {label}: {n_words / seconds / 1e6:.1f} M words/s")
    several = np.where(rng.random(n_words) < 0.2, 2, 1)
    offsets = np.concatenate(([0], np.cumsum(several)))
    first = np.repeat(gold, several)
    second = np.diff(np.repeat(np.arange(n_words), several), prepend=-1) == 0
    many = np.where(second, (first + 1) % len(names), first).astype(np.int32)
    seconds = fastest(
        lambda: score_tag_ids(
            many, system, gold_offsets=offsets, documents=documents, table=table, measures=measures, weights=weights
        ),
        3,
    )
    print(f"tag ids, 1.2 gold tags per word, all five scoring functions: {n_words / seconds / 1e6:.1f} M words/s")


def generate(folder: Path) -> tuple[Path, Path]:
    """Write a gold and a system file; one token in twenty has two words, which are sometimes one word in the system."""
    rng = np.random.default_rng(2)
    tags = ["NOUN\tNN\tNumber=Sing", "VERB\tVBD\tTense=Past|VerbForm=Fin", "ADJ\tJJ\tDegree=Pos", "DET\tDT\t_"]
    paths = []
    for name, error in (("gold", 0.0), ("system", 0.1)):
        lines = []
        for sentence in range(1000):
            i = 0
            for number in np.random.default_rng(sentence).integers(0, 5000, 20).tolist():
                forms = [f"word{number}"]
                if number % 20 == 0 and rng.random() >= error:
                    forms = [f"word{number}a", f"word{number}b"]
                    lines.append(f"{i + 1}-{i + 2}\tword{number}" + "\t_" * 8)
                for form in forms:
                    i += 1
                    tag = tags[int(rng.integers(4)) if rng.random() < error else number % 4]
                    lines.append(f"{i}\t{form}\t{form}\t{tag}\t0\troot\t_\t_")
            lines.append("")
        paths.append(folder / f"{name}.conllu")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths[0], paths[1]


def bench_files() -> None:
    """Measure scoring files from end to end, in one process, after everything is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.environ.get("ARRAYCOREF_DATA")
        if data:
            gold = Path(data) / "tagging" / "gold.conllu"
            systems = sorted(path for path in gold.parent.glob("*.conllu") if path != gold)
        else:
            gold, system = generate(Path(folder))
            systems = [system]
        ratios = []
        for system in systems:
            scores = score_tag_files(gold, system, measures=MEASURES)
            expected = plain_python(gold, system)
            if any(abs(scores[name].f1 - expected[name]) > 1e-12 for name in MEASURES):
                raise SystemExit(f"{system}: the two implementations differ")
            ours = fastest(lambda system=system: score_tag_files(gold, system, measures=MEASURES))
            theirs = fastest(lambda system=system: plain_python(gold, system))
            ratios.append(theirs / ours)
            print(f"{system.stem}: {ours * 1e3:.1f} ms, plain Python {theirs * 1e3:.0f} ms: {ratios[-1]:.1f} x")
        print(f"files end to end: {np.mean(ratios):.1f} x plain Python")


def print_table() -> None:
    """Print exact, pos, pa and wpa of the systems in the data folder, in the form of the paper's tables 2-5."""
    folder = Path(os.environ["ARRAYCOREF_DATA"]) / "tagging"
    names = {"exact": "full tags", "pos": "part of speech", "pa": "positional accuracy", "wpa": "weighted, Poliqarp"}
    print("| measure | system | C | WC | P | R | F |\n|:--|:--|--:|--:|--:|--:|--:|")
    results = {
        path.stem: score_tag_files(folder / "gold.conllu", path, tagset="ud", measures=list(names), weights="poliqarp")
        for path in sorted(folder.glob("*.conllu"))
        if path.stem != "gold"
    }
    for measure, title in names.items():
        for system, scores in results.items():
            score, correct = scores[measure], scores.correctness(measure)
            values = (correct.strong, correct.weak, score.precision, score.recall, score.f1)
            print(f"| `{measure}`, {title} | {system} | " + " | ".join(f"{100 * value:.2f}" for value in values) + " |")


if __name__ == "__main__":
    if "--table" in sys.argv:
        print_table()
    else:
        bench_ids()
        bench_files()
