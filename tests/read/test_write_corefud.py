"""Writing CoNLL-U: mentions of any format on the words and trees of a CoNLL-U file."""

import json
import random
from collections import defaultdict

import pytest

import arraycoref as ac
from arraycoref.exceptions import InputError, OptionError, ReadError
from arraycoref.match import on_words
from arraycoref.read import read_documents
from arraycoref.read.mentions import nodes_of
from arraycoref.read.write import write_documents
from corefud_files import as_text, random_sides

KEY = """# newdoc id = a
# global.Entity = eid-etype-head-other
# sent_id = 1
1-2	du	_	_	_	_	_	_	_	Entity=(e9-x-1-)|SpaceAfter=No
1	de	_	_	_	_	2	_	_	Bridge=e9<e1|Entity=(e1-x-1-
2	le	_	_	_	_	3	_	_	SpaceAfter=No
2.1	_	_	_	_	_	_	_	3:obj	Entity=(e9-x-1-)
3	mot	_	_	_	_	0	_	_	Entity=e1)|SplitAnte=e9<e1

# sent_id = 2
1	et	_	_	_	_	0	_	_	_
"""
WRITTEN = """# newdoc id = a
# global.Entity = eid-etype-head
# sent_id = 1
1-2	du	_	_	_	_	_	_	_	SpaceAfter=No
1	de	_	_	_	_	2	_	_	Entity=(e1--2(e2--2(e3[1/2]--3
2	le	_	_	_	_	3	_	_	Entity=(e1[1/2]--2)(e3--1)e3[1/2])e2)e1)|SpaceAfter=No
2.1	_	_	_	_	_	_	_	3:obj	_
3	mot	_	_	_	_	0	_	_	Entity=(e1[2/2]--2)(e3[2/2]--3)

# sent_id = 2
1	et	_	_	_	_	0	_	_	Entity=(e4--1)

"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else "".join(f"{json.dumps(each)}\n" for each in text))
    return name


def entities(documents):
    """Return the entities of each document as sets of (nodes, head, dependencies of an empty head)."""
    found, mentions = [defaultdict(set) for _ in documents.names], documents.mentions
    for d, own in enumerate(found):
        for m in range(documents.offsets[d], documents.offsets[d + 1]):
            nodes = nodes_of(mentions.parts_of(m)).tolist()
            own[mentions.entity[m]].add((*nodes, int(mentions.head[m]), mentions.deps[m]))
    return [sorted(map(sorted, own.values())) for own in found]


def test_text():
    save("key.conllu", "\ufeff\n" + KEY.replace("\n", "\r\n"))
    clusters = [[[0, 1], [1, 2]], [[0, 1]], [[1, 1], [0, 2]], [[3, 3]]]
    save("r.jsonl", [{"doc_key": "a", "clusters": clusters}])
    write_documents(on_words(read_documents("r.jsonl"), read_documents("key.conllu")), "r.conllu")
    with open("r.conllu", encoding="utf-8", newline="") as file:
        written = file.read()
    assert written == WRITTEN


def test_random_files_are_read_as_they_were():
    rng = random.Random(8)
    for _ in range(60):
        sides = [random_sides(rng, n_entities=4, n_mentions=6)[0] for _ in range(2)]
        text = "".join(as_text(side, name) for side, name in zip(sides, "xy", strict=True))
        before = read_documents(save("a.conllu", text))
        write_documents(before, "b.conllu.gz")
        after = read_documents("b.conllu.gz")
        assert (after.names, entities(after)) == (("x", "y"), entities(before))
        assert [after.text[d].sentences() for d in range(2)] == [before.text[d].sentences() for d in range(2)]


def test_spans_score_as_they_do_against_the_key():
    rng = random.Random(9)
    n_equal = 0
    while n_equal < 40:
        sides = random_sides(rng, n_entities=4, n_mentions=6)
        save("key.conllu", as_text(sides[0]))
        spans, before = defaultdict(list), 0
        for each in sides[0]:
            for first in range(each.n_words):
                spans[rng.randint(0, 3)].append([before + first, before + rng.randint(first, each.n_words - 1)])
            before += each.n_words
        save("r.jsonl", [{"doc_key": "d", "clusters": [*spans.values()]}])
        left_out = []
        documents = on_words(read_documents("r.jsonl"), read_documents("key.conllu"))
        write_documents(documents, "r.conllu", lenient=True, on_error=left_out.append)
        if left_out:
            continue
        n_equal += 1
        for matching in ("exact", "head", "partial"):
            options = {"matching": matching, "on_error": lambda _: None}
            one = ac.score_files("key.conllu", "r.jsonl", heads="key-tree", **options)
            other = ac.score_files("key.conllu", "r.conllu", heads="key-tree", **options)
            for metric in ("mentions", "muc", "bcub", "ceafe", "lea"):
                assert one.counts[metric].tolist() == other.counts[metric].tolist(), (metric, matching)


@pytest.mark.parametrize(
    ("clusters", "reason"),
    [
        ([[[0, 1]], [[2, 3], [1, 3]]], "mention of tokens 2-3 is in two sentences, which .* all such mentions, 2 here"),
        (
            [[[0, 1], [0, 2], [1, 2]]],
            "mention of tokens 1-2 crosses another one of its entity, or both have gaps, .*, 1 here",
        ),
    ],
)
def test_mentions_that_cannot_be_written(clusters, reason):
    save("key.conllu", KEY)
    documents = read_documents(save("r.jsonl", [{"doc_key": "a", "clusters": clusters}]))
    with pytest.raises(ReadError, match=f"r.jsonl:1: document 'a': the {reason}"):
        write_documents(on_words(documents, read_documents("key.conllu")), "r.conllu")
    left_out = []
    written = on_words(documents, read_documents("key.conllu"))
    write_documents(written, "r.conllu", lenient=True, on_error=left_out.append)
    n_given = sum(map(len, clusters))
    assert (len(left_out), len(read_documents("r.conllu").mentions)) == (1, n_given - int("2 here" in reason) - 1)


def test_an_empty_node_that_the_key_lacks():
    documents = read_documents(save("r.conllu", KEY))
    key = read_documents(save("key.conllu", KEY.replace("2.1\t", "2.2\t")))
    with pytest.raises(ReadError, match=r"r.conllu:5: .* has a word or an empty node that the key lacks.* 2 h"):
        write_documents(on_words(documents, key, on_error=lambda _: None), "x.conllu")


def test_documents_without_trees():
    key, documents = (
        read_documents(save("key.conllu", KEY)),
        read_documents(save("r.conll", "#begin document a\nw\t(1)\n#end document\n")),
    )
    with pytest.raises(InputError, match=r"r.conll: no text of document 'a', which CoNLL-U needs"):
        write_documents(documents, "r.conllu")
    with pytest.raises(OptionError, match=r"r.conll: no text of document 'a'; expected the text of each"):
        on_words(key, documents)
