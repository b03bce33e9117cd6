"""Both readers of CorefUD files, by blocks and one sentence after the other, against each other."""

import random

import pytest
from test_corefud import BROKEN, FAULTS, FIELDS, MENTIONS, sentence, token

from arraycoref.kernels.byte_lines import BLOCK
from arraycoref.kernels.corefud_blocks import Block
from arraycoref.read.mentions import UPOS
from corefud_files import as_text, random_sides
from fuzz.changes import changed
from fuzz.coreference import target_corefud as alike
from marks import cases

pytestmark = pytest.mark.kernels

FIRST = FIELDS + sentence("_") + "\n"
"""A sentence behind which the names of the fields are known, so that blocks are read."""


@cases("text", [each[0] for each in (*MENTIONS, *FAULTS, *BROKEN)])
def test_mentions_and_faults(text):
    for after in ("", "\n", "\n" + sentence("(e1-x-1-", "e1)")):
        whole = FIRST + text + after
        alike(whole.encode())
        alike(whole.replace("\n", "\r\n").encode())


USUAL = [
    sentence("(e1-x-2-", "e1)", "(e2-x-1-)"),
    sentence(
        "(e1-x-2-(e1-x-1-", "e1)(e1-x-1-)", "e1)", "Bridge=a<b|Entity=(e1|Entity2=)", "a=b|Entity=e1)|SpaceAfter=No"
    ),
    sentence("(e1-x-1-", "(e2-x-1-", "e1)", "e2)", "Entity=", "XEntity=(e1)", "(e1-x-1-a:b-c,d:e-f)", "(é--1)"),
    "1-2"
    + token("1-2", "(e9)")[3:]
    + sentence(*["(e1-x-12-", *"_" * 10, "e1)"])
    + token("12.1", "(e2-x-1)", deps="1:x"),
    "# sent_id = a b\n# text = (e1\n#\n# x\n" + token("1", "(e1-x-1-", "NOUN") + token("2", "e1)", "X", "1", "flat:x"),
    token("1").replace("w1", "“\u3042") + token("2").replace("w2", "\u00e9"),
]


@pytest.mark.parametrize("feed", ["\n", "\r\n"])
def test_usual_sentences_are_read_by_blocks(feed):
    text = ("\n".join(USUAL)).replace("\n", feed)
    block = Block(b"\n" + text.encode(), UPOS)
    block.sent_ids()
    assert len(block.mentions(("eid", "etype", "head", "other"), {})["line"]) == 2 + 4 + 4 + 2 + 1
    assert block.is_unusual.tolist() == [False] * len(USUAL)
    alike((FIRST.replace("\n", feed) + text).encode())


@cases(
    "text",
    [
        "# newdoc id = x\n" + sentence("_"),
        "#newdoc\n" + sentence("_"),
        "#  sent_id = x\n" + sentence("_"),
        "# sent_id = x \n" + sentence("_"),
        "# global.Entity = eid\n" + sentence("_"),
        sentence("(e1[1/1]--1)"),
        token("1", "(e1)").replace("w1", "\u3000"),
        token("1", "(e1--00001)"),
        token("01"),
        token("1.1", "(e1)"),
        token("1-2") + sentence("_"),
        token("1") + token("2-2") + token("2-2") + token("2"),
        token("1", "(e1)") + token("2", "_", "X", "1.1", "flat"),
        "# x\n\n" + sentence("_"),
    ],
)
def test_sentences_that_are_read_one_by_one(text):
    block = Block(b"\n" + text.encode(), UPOS)
    block.sent_ids()
    block.mentions(("eid", "etype", "head", "other"), {})
    assert block.is_unusual.any()
    alike((FIRST + text + "\n" + sentence("(e1)")).encode())


def test_many_blocks():
    """Sentences of many blocks, unusual ones among them, and one that is longer than a block."""
    rng = random.Random(3)
    documents = [as_text(random_sides(rng, 30, n_mentions=3)[0], f"d{d}") for d in range(300)]
    text = "".join(documents)
    assert len(text) > BLOCK
    long = sentence(*["(e1--1)"] * (BLOCK // 40))
    alike("\n".join([documents[0], long, documents[1], ""]).encode())
    alike((text + sentence("e1)")).encode())


@pytest.mark.parametrize("seed", range(5))
def test_files_with_some_bytes_changed(seed):
    rng = random.Random(seed)
    files = [as_text(random_sides(rng, 5)[0]).encode() for _ in range(5)]
    for data in changed(files, 60, seed):
        alike(data)
