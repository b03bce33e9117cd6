"""CorefUD files that differ from the key in more than their mentions: an error, or the number that sets give."""

import random
import re

import pytest

import arraycoref as ac
from corefud_files import as_text, blocks_of, random_sides, shape_of
from oracle.corefud import count
from oracle.corefud_reader import read
from strategies import EXAMPLES

METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "mor", "zero")


def is_aligned(key, response):
    """Whether files have the same documents, with the same sentences of the same words, ids aside that one lacks."""
    ours, theirs = shape_of(key), shape_of(response)
    if all(name for name, _ in ours + theirs):
        ours, theirs = sorted(ours), sorted(theirs)
    named = all(not one or not other or one == other for (one, _), (other, _) in zip(ours, theirs, strict=False))
    sentences = [[words for _, words in document] for _, document in ours]
    others = [[words for _, words in document] for _, document in theirs]
    ids = [
        (a, b)
        for (_, one), (_, other) in zip(ours, theirs, strict=False)
        for (a, _), (b, _) in zip(one, other, strict=False)
    ]
    return named and sentences == others and all(not a or not b or a == b for a, b in ids)


def without(lines, at):
    return lines[:at] + lines[at + 1 :]


def lose_sentence(rng, blocks):
    return without(blocks, rng.randrange(len(blocks)))


def repeat_sentence(rng, blocks):
    at = rng.randrange(len(blocks))
    return blocks[: at + 1] + blocks[at:]


def swap_sentences(rng, blocks):
    one, other = rng.randrange(len(blocks)), rng.randrange(len(blocks))
    blocks[one], blocks[other] = blocks[other], blocks[one]
    return blocks


def change_line(rng, blocks, pattern, new):
    """Change one line that holds a pattern, or take it out if the new text is None."""
    places = [(b, k) for b, lines in enumerate(blocks) for k, line in enumerate(lines) if re.search(pattern, line)]
    if places:
        b, k = rng.choice(places)
        blocks[b] = without(blocks[b], k) if new is None else [*blocks[b]]
        if new is not None:
            blocks[b][k] = re.sub(pattern, new, blocks[b][k])
    return blocks


def join_sentences(rng, blocks):
    """Move the last word of a sentence to the beginning of the next one, in which no mention and no parent is left."""
    at = rng.randrange(len(blocks))
    if at + 1 == len(blocks) or any(line.startswith("# newdoc") for line in blocks[at + 1]):
        return blocks
    comments = [line for line in blocks[at + 1] if line[0] == "#"]
    words = [
        line.split("\t")[1] for each in (blocks[at], blocks[at + 1]) for line in each if line.split("\t")[0].isdigit()
    ]
    n = rng.randint(1, len(words) - 1)
    rows = [
        ["\t".join([str(k), word, *"________"]) for k, word in enumerate(part, 1)] for part in (words[:n], words[n:])
    ]
    kept = [line for line in blocks[at] if line[0] == "#"]
    return [*blocks[:at], kept + rows[0], comments + rows[1], *blocks[at + 2 :]]


CHANGES = {
    "a sentence is missing": lose_sentence,
    "a sentence is there twice": repeat_sentence,
    "two sentences are exchanged": swap_sentences,
    "a sentence ends elsewhere": join_sentences,
    "a word differs": lambda rng, blocks: change_line(rng, blocks, r"^(\d+)\tw\d+", r"\1\tother"),
    "a line is missing": lambda rng, blocks: change_line(rng, blocks, r"^\d", None),
    "a document does not begin": lambda rng, blocks: change_line(rng, blocks, r"^# newdoc", None),
    "a document has no name": lambda rng, blocks: change_line(rng, blocks, r"^(# newdoc) id = .*", r"\1"),
    "a document has another name": lambda rng, blocks: change_line(rng, blocks, r"^(# newdoc id = ).*", r"\1other"),
    "a document has the name of another": lambda rng, blocks: change_line(rng, blocks, r"^(# newdoc id = ).*", r"\1d0"),
    "a sentence has another id": lambda rng, blocks: change_line(rng, blocks, r"^(# sent_id = ).*", r"\1other"),
    "a sentence has no id": lambda rng, blocks: change_line(rng, blocks, r"^# sent_id", None),
    "no document has a name": lambda _, blocks: [
        [re.sub(r"^(# newdoc).*", r"\1", line) for line in lines] for lines in blocks
    ],
    "nothing": lambda _, blocks: blocks,
}


@pytest.mark.parametrize("what", CHANGES)
def test_files_that_differ(what, tmp_path):
    rng = random.Random(what)
    paths = tmp_path / "key.conllu", tmp_path / "response.conllu"
    n_scored = 0
    for _ in range(EXAMPLES):
        pairs = [random_sides(rng, n_sentences=rng.randint(1, 3)) for _ in range(3)]
        key, response = ("".join(as_text(sides[k], f"d{d}") for d, sides in enumerate(pairs)) for k in range(2))
        blocks = CHANGES[what](rng, blocks_of(response))
        response = "\n\n".join(map("\n".join, blocks)) + "\n\n"
        for path, text in zip(paths, (key, response), strict=True):
            path.write_text(text, encoding="utf-8")
        try:
            b = ac.score_files(*paths, matching="head", heads="file", metrics=METRICS, on_error=lambda _: None)
        except ac.ArraycorefError:
            assert not is_aligned(key, response) or what == "a line is missing"
            continue
        n_scored += 1
        assert is_aligned(key, response), response
        ours, theirs = read(key), read(response)
        for d, (name, one) in enumerate(ours.items()):
            expected = count(one, theirs[name] if name in theirs else [*theirs.values()][d], matching="head")
            for metric in METRICS:
                assert b.counts[metric][d] == pytest.approx([*map(float, expected[metric])], rel=1e-9), metric
    assert n_scored == EXAMPLES or what not in ("nothing", "no document has a name")
