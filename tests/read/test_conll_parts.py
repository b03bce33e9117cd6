"""Mentions with gaps in CoNLL's columns, whose parts have ids such as ``0a``, as in CRAFT: read, scored and written."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from read_helpers import one

import arraycoref as ac
from arraycoref.exceptions import InputError, OptionError, ReadError
from arraycoref.ragged import bounds_of
from arraycoref.read import read_documents
from arraycoref.read.mentions import BITS, nodes_of, parts_between
from arraycoref.read.write import write_documents
from marks import cases
from strategies import as_documents, examples

KEY = ["(0a)", "-", "(1", "1)|(0a)", "(0)", "(1)"]
SUMS = ("recall_num", "recall_den", "precision_num", "precision_den")


def write(path, cells):
    path.write_text(one("".join(f"c\t0\t{n}\tw\t{cell}\n" for n, cell in enumerate(cells))))
    return path


def words_of(documents):
    """Return the words of each mention."""
    mentions = documents.mentions
    return [((nodes_of(mentions.parts_of(m)) >> BITS) - 1).tolist() for m in range(len(mentions))]


def test_scores_by_hand(tmp_path):
    """The second response lacks a part."""
    key = write(tmp_path / "key.conll", KEY)
    perfect = write(tmp_path / "perfect.conll", [cell.replace("0", "5") for cell in KEY])
    half = write(tmp_path / "half.conll", ["(5a)", "-", "(1", "1)", "(5)", "(1)"])
    for response, sums in (
        (perfect, [[4, 4, 4, 4], [2, 2, 2, 2], [4, 4, 4, 4], [2, 2, 2, 2]]),
        (half, [[3, 4, 3, 4], [1, 2, 1, 2], [2.5, 4, 2.5, 4], [1.5, 2, 1.5, 2]]),
    ):
        for profile in ("paper", "conll"):
            found = ac.score_files(key, response, profile=profile)
            rows = [[getattr(found[name], field) for field in SUMS] for name in ("mentions", "muc", "bcub", "ceafe")]
            np.testing.assert_allclose(rows, sums, rtol=0, atol=1e-12)
    for option, needs in (({"matching": "head"}, "needs the heads"), ({"upos": "NOUN"}, "needs parts of speech")):
        with pytest.raises(OptionError, match=needs):
            ac.score_files(key, perfect, **option)
    assert ac.score_files(key, half, matching="head", heads="first")["mentions"].recall == 1
    assert str(ac.check(key)) == "0 errors in 1 document, 4 mentions"


@cases(
    "cells,format,mentions",
    [
        ("(0) (0a) _ (0a)", None, [[0], [1, 3]]),
        ("(0a) _ (0a) (0b) _ (0b)", None, [[0, 2], [3, 5]]),
        ("(0ab _ 0ab) _ (0ab) (0) (12c) (12c)", None, [[0, 1, 2, 4], [5], [6, 7]]),  # 12c as 0ab: a part
        ("(0) (0a) _ (0a _ 0a) . (0b) _ (0b) (0)", None, [[0], [1, 3, 4, 5], [6, 8], [9]]),
        ("(0a) (1b) (0a) (x)", None, [[0], [1], [2], [3]]),
        ("(7a) _ (7a) (1)", None, "format="),
        ("(7a) _ (7a) (1)", "craft", [[0, 2], [3]]),
        ("(7a) _ (7a) (1)", "conll", [[0], [2], [3]]),
        ("(7) (7a) _ . (7a)", None, "format="),
        ("(7) (7a) _ . (7a)", "craft", [[0], [1, 3]]),
        ("(7) (7a) _ . (7a)", "conll", [[0], [1], [3]]),
        ("(7) (7a (7a) 7a)", None, "format="),
        ("(7) (7a (7a) 7a)", "craft", "overlap"),
    ],
)
def test_whether_ids_are_parts(read, cells, format, mentions):
    """A stop stands for the end of a sentence."""
    text = one("".join("\n" if cell == "." else f"w\t{cell}\n" for cell in cells.split(" ")))
    if isinstance(mentions, str):
        with pytest.raises(ReadError, match=rf"x\.conll:[0-9]: mentions '7a' as in the .* parts of a .*{mentions}"):
            read(text, format=format)
        told = []
        assert (
            read(text, format=format, lenient=True, on_error=told.append).mentions.start.size == 1
        )  # the others are left out
        assert len(told) == 1
    else:
        found = read(text, format=format)
        assert words_of(found) == mentions
        assert found.mentions.start.tolist() == [own[0] for own in mentions]
        assert found.mentions.end.tolist() == [own[-1] for own in mentions]


def test_parts_against_nodes_of_a_tree(tmp_path):
    """A mention with gaps is the same one in CoNLL-U; no heads are known but with the key's trees."""
    rows = [("a", 4, "Entity=(e[1/2]-x-2)"), ("b", 3, "_"), ("c", 4, "Entity=(e[2/2]-x-2)"), ("d", 0, "Entity=(e-x-1)")]
    lines = [f"{n}\t{word}\t_\tX\t_\t_\t{head}\tx\t_\t{misc}" for n, (word, head, misc) in enumerate(rows, 1)]
    key, response = tmp_path / "key.conllu", tmp_path / "response.conll"
    key.write_text("\n".join(["# newdoc id = x", "# global.Entity = eid-etype-head", *lines, "", ""]))
    response.write_text(
        one(
            "".join(
                f"x\t0\t{n}\t{w}\t{c}\n"
                for n, (w, c) in enumerate(zip("abcd", ("(0a)", "-", "(0a)", "(0)"), strict=True))
            )
        )
    )
    assert ac.score_files(key, response, metrics="muc,mor")["mor"].f1 == 1
    assert ac.score_files(response, key)["muc"].f1 == 1
    assert ac.score_files(key, response, matching="head", heads="key-tree")["muc"].f1 == 1
    with pytest.raises(OptionError, match="needs the heads of mentions"):
        ac.score_files(key, response, matching="head")


ENTITIES = st.lists(
    st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=4).map(frozenset), min_size=1, max_size=3, unique=True),
    max_size=4,
)


def with_gaps(entities):
    """Make a document of 10 words from sets of words."""
    sets = [(sorted(words), k) for k, entity in enumerate(entities) for words in entity]
    documents = as_documents({"x": [(words[0], words[-1], k) for words, k in sets]}, [10])
    nodes = np.array([word + 1 << BITS for words, _ in sets for word in words], np.int64)
    own = bounds_of(words for words, _ in sets)
    parts, part_bounds = parts_between(nodes, own[:-1], own[1:] - 1)
    return replace(documents, mentions=replace(documents.mentions, parts=parts, part_bounds=part_bounds))


def has_gap(words):
    return max(words) - min(words) >= len(words)


def cross(one, other):
    """Whether two mentions of one entity cross, which brackets cannot say; parts have ids of their own."""
    (a, b), (c, d) = sorted([(min(one), -max(one)), (min(other), -max(other))])
    return not (has_gap(one) or has_gap(other)) and a < c < -b < -d


@examples()
@given(ENTITIES)
def test_what_is_written_reads_back(tmp_path_factory, entities):
    path = tmp_path_factory.mktemp("x") / "x.conll"
    documents = with_gaps(entities)
    of_gaps = [len(entity) for entity in entities if any(map(has_gap, entity))]
    reasons = ["cross"] if any(cross(one, other) for entity in entities for one in entity for other in entity) else []
    reasons += ["only one of its entity"] if of_gaps and max(of_gaps) == 1 else []
    if reasons:
        with pytest.raises(InputError, match="|".join(reasons)):
            write_documents(documents, path)
        return
    write_documents(documents, path)
    found = read_documents(path)
    read = defaultdict(list)
    for words, entity in zip(words_of(found), found.mentions.entity.tolist(), strict=True):
        read[entity].append(words)
    assert sorted(map(sorted, read.values())) == sorted(sorted(map(sorted, entity)) for entity in entities)
    if of_gaps:
        with pytest.raises(ReadError, match="has a gap, which JSON lines cannot hold; lenient"):
            write_documents(documents, path, format="jsonlines")


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match="the mention with a gap of entity 1 is the only one of its entity"):
        write_documents(with_gaps([[{0}], [{1, 3}]]), tmp_path / "x.conll")
    many = with_gaps([[{n, 9} for n in range(8)], [{1}]])
    write_documents(many, tmp_path / "x.conll")
    assert words_of(read_documents(tmp_path / "x.conll"))[0] == [0, 9]
