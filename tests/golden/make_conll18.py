"""Record what the evaluation of the CoNLL 2018 shared task says of small files with multiword tokens.

Usage: python make_conll18.py conll18_ud_eval.py > conll18.jsonl

The script is the shared task's own, version 1.2 (universaldependencies.org/conll18/evaluation.html); it is run as
its users run it, with ``--counts`` and with ``--verbose``, and is no part of this project. The files are the hand-made
ones below and random ones: one text cut into tokens in two ways, some tokens standing for several words, of few forms
so that subsequences tie.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

MEASURES = ("Words", "UPOS", "XPOS", "UFeats", "AllTags")
WORDS = ["a", "b", "ab", "B", "c", "É"]

# A token is its form, or (form, [words]).
HAND_MADE = {
    "zum, split and not": ([("zum", ["zu", "dem"]), "Haus"], ["zum", "Haus"]),
    "zum, split alike but for case": ([("Zum", ["Zu", "dem"]), "Haus"], [("Zum", ["zu", "Dem"]), "Haus"]),
    "vámonos al mar": (
        [("vámonos", ["vamos", "nos"]), ("al", ["a", "el"]), "mar"],
        [("vámonosal", ["vamos", "nos", "a", "el"]), "mar"],
    ),
    "vámonos and al, other words": (
        [("vámonos", ["vamos", "nos"]), ("al", ["a", "el"])],
        [("vámonos", ["vámonos", "a"]), ("al", ["al", "el"])],
    ),
    "a token that crosses both": ([("ab", ["a", "b"]), ("cd", ["c", "d"])], ["a", ("bc", ["b", "c"]), "d"]),
    "a chain of overlaps": ([("abc", ["a", "b", "c"]), ("def", ["d", "e", "f"])], ["ab", ("cd", ["c", "d"]), "ef"]),
    "words that repeat": ([("dodo", ["do", "do"]), "do"], [("dodo", ["do", "do", "do"]), "do"]),
    "ties": ([("abab", ["a", "b", "a", "b"])], [("abab", ["b", "a", "b", "a"])]),
    "spaces inside forms": (["1 000", ("kmh", ["km", "h"])], ["1\u00a0000", ("kmh", ["km", "/", "h"])]),
    "a spaced word beside a multiword token": (["1 000", "km"], [("1 000km", ["1 000", "km"])]),
    "a spaced word in a multiword token": (["1 000", "km"], [("1 000km", ["1000", "km"])]),
    "words before the span": (["ab", ("cd", ["b", "d"])], ["a", "b", ("cd", ["c", "d"])]),
    "words before the span, one passed over": (["abc", ("de", ["b", "e"])], ["a", "b", "c", "de"]),
    "one word a multiword token": ([("ab", ["ab"]), "c"], ["ab", ("c", ["c"])]),
    "nothing in common": ([("ab", ["x"])], [("ab", ["y", "z"])]),
}


def conllu(tokens, rng):
    """Write tokens as CoNLL-U, with empty nodes between tokens and random tags; heads make a tree."""
    lines, n = [], 0
    for token in tokens:
        form, words = (token, [token]) if isinstance(token, str) else token
        if not isinstance(token, str):
            lines.append(f"{n + 1}-{n + len(words)}\t{form}" + "\t_" * 8)
        for word in words:
            n += 1
            upos, xpos = rng.choice(["NOUN", "VERB"]), rng.choice("XY")
            feats = rng.choice(["_", "Case=Nom", "Case=Nom|Own=1", "Number=Sing|Case=Nom"])
            lines.append(f"{n}\t{word}\t_\t{upos}\t{xpos}\t{feats}\t{int(n > 1)}\t{'dep' if n > 1 else 'root'}\t_\t_")
        if rng.random() < 0.2:
            lines.append(f"{n}.1\tghost" + "\t_" * 8)
        if rng.random() < 0.15:
            lines.append("")
            n = 0
    return "\n".join([*lines, ""] if lines[-1] else lines) + "\n"


def cut(text, rng):
    """Cut a text into tokens."""
    cuts = sorted(rng.sample(range(1, len(text)), rng.randint(0, min(6, len(text) - 1))))
    pieces = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [
        (piece, [rng.choice([*WORDS, piece]) for _ in range(rng.randint(1, 4))]) if rng.random() < 0.4 else piece
        for piece in pieces
    ]


def evaluate(script, gold, system):
    """Run the script; return its counts by measure, and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("gold.conllu", "system.conllu")]
        for path, text in zip(paths, (gold, system), strict=True):
            path.write_text(text, encoding="utf-8")
        printed = [
            subprocess.run([sys.executable, script, option, *paths], check=True, capture_output=True, text=True).stdout
            for option in ("--counts", "--verbose")
        ]
    rows = {row[0].strip(): row[1:] for row in (line.split("|") for line in printed[0].splitlines())}
    # Where no words are aligned, their number is left out.
    counts = {name: [int(value.strip() or 0) for value in rows[name]] for name in MEASURES}
    lines = printed[1].splitlines()
    table = lines[:2] + [line for line in lines if line.split("|")[0].strip() in MEASURES]
    return counts, "\n".join(table) + "\n"


def main():
    rng = random.Random(2018)
    cases = list(HAND_MADE.items())
    for n in range(85):
        text = "".join(rng.choice("abcB") for _ in range(rng.randint(2, 12)))
        cases.append((f"random {n}", (cut(text, rng), cut(text, rng))))
    for name, (gold, system) in cases:
        texts = conllu(gold, rng), conllu(system, rng)
        counts, table = evaluate(sys.argv[1], *texts)
        row = {"name": name, "gold": texts[0], "system": texts[1], "counts": counts, "printed": table}
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
