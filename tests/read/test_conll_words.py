"""Words of CoNLL files compared with NumPy, against lists of words."""

import random
from operator import ne

import numpy as np
import pytest
from hypothesis import given, strategies as st

from arraycoref.kernels.byte_lines import BLOCK
from arraycoref.kernels.conll_words import count_different_words
from arraycoref.match import same_text
from arraycoref.read.conll import read_conll
from arraycoref.read.faults import ReadingOptions
from strategies import examples

pytestmark = pytest.mark.kernels

CELLS = st.sampled_from(["a", "_", "the", "w" * 9, "ü", "..", "b" * 70, ""])
DOCUMENTS = st.lists(st.lists(st.tuples(CELLS, CELLS, st.booleans()), min_size=1, max_size=9), min_size=1, max_size=4)


@examples()
@given(DOCUMENTS, st.sampled_from("\t "), st.sampled_from("\t "), st.booleans(), st.randoms(use_true_random=False))
def test_words(documents, one, other, is_usual, rng):
    """Documents of two files, in another order in the second; ``is_usual`` says that NumPy must read them."""
    order = rng.sample(range(len(documents)), len(documents))
    texts, places, words = [], [], []
    for k, separator in enumerate((one, other)):
        own = [[pair[k and not pair[2]] or ("" if separator == "\t" else "-") for pair in each] for each in documents]
        orders = range(len(own)) if k == 0 else order
        data = b"".join(written(own[d], separator, is_usual, rng) for d in orders)
        found = read_conll(data, "file", ReadingOptions()).documents
        place = np.argsort(orders)
        assert [found.text.words(d) for d in place] == [[] if set(each) == {"_"} else each for each in own]
        texts.append(next(iter(found.text.files)))
        places.append(found.text.places[place])
        words.append(own)
    expected = [0 if {"_"} in (set(a), set(b)) else sum(map(ne, a, b)) for a, b in zip(words[0], words[1], strict=True)]
    n_tokens = np.array([len(each) for each in documents])
    columns = texts[0], places[0], texts[1], places[1], n_tokens
    assert same_text.count_different_words(*columns).tolist() == expected
    counted = count_different_words(*columns)
    assert not is_usual if counted is NotImplemented else counted.tolist() == expected


def written(words, separator, is_usual, rng: random.Random) -> bytes:
    """Write a document with blank lines and comments; with spaces around columns, and either end of lines."""
    odd = "  " * (not is_usual)
    lines = ["#begin document (x)" + rng.choice(["", odd])]
    for word in words:
        lines += rng.choice([[], [], [odd], ["# c"], ["#", ""]])
        columns = [rng.choice(["nw/x", "q" * 80]), "0", "1", word, *["*"] * rng.choice([7, 9]), "-"]
        if separator == "\t":
            columns[3] += rng.choice(["", odd])
        gap = separator if separator == "\t" else " " * rng.choice([1, 3])
        lines.append(gap.join(columns) + rng.choice(["", "\r" * (not is_usual)]))
    return ("\n".join([*lines, "#end document"]) + "\n").encode()


def test_documents_longer_than_a_block():
    """Files of other columns, whose blocks begin at other tokens."""
    n, rest = BLOCK // 30, "-\t" * 7
    found = []
    for prefix, changed in (("a", []), ("ab" * 9, [3, n - 1])):
        rows = [f"{prefix}\t0\t{k}\t{'x' if k in changed else k % 7}\t{rest}-\n" for k in range(n)]
        data = "".join(f"#begin document {name}\n{''.join(rows)}#end document\n" for name in "xy").encode()
        documents = read_conll(data, "file", ReadingOptions()).documents
        found += [documents.text.files[0], documents.text.places]
    assert count_different_words(*found, np.array([n, n])).tolist() == [2, 2]
