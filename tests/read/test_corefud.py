"""CorefUD files: which words and empty nodes a mention consists of, its head, and each fault with its place."""

import random

import pytest

from arraycoref.exceptions import ReadError, ReadWarning
from arraycoref.read import read_documents
from arraycoref.read.mentions import AT_START, BITS, UPOS, nodes_of
from corefud_files import as_text, random_sides
from marks import cases

FIELDS = "# global.Entity = eid-etype-head-other\n"


def token(number, entity="_", upos="_", head="_", deprel="_", deps="_"):
    misc = entity if "=" in entity or entity == "_" else f"Entity={entity}"
    return "\t".join([number, f"w{number}", "_", upos, "_", "_", head, deprel, deps, misc]) + "\n"


def sentence(*entities):
    return "".join(token(str(number), entity) for number, entity in enumerate(entities, 1))


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a file of a text."""

    def read(text, **options):
        path = tmp_path / "x.conllu"
        path.write_bytes(text.encode("utf-8"))
        return read_documents(path, **options)

    return read


def node(value):
    word, n = value >> BITS, value & ((1 << BITS) - 1)
    return f"{word}.s{n - AT_START}" if n >= AT_START else f"{word}.{n}" if n else str(word)


def mentions(found):
    """Return (entity, nodes, head) of each occurrence, nodes as ``5``, ``5.1``, or ``5.s1`` before a sentence."""
    every = found.mentions
    parts = [nodes_of(every.parts_of(m)).tolist() for m in range(len(every))]
    rows = zip(every.entity.tolist(), parts, every.head.tolist(), strict=True)
    return [(entity, " ".join(map(node, part)), node(head)) for entity, part, head in rows]


TWO = (2, "2", "2"), (3, "2", "2")


MENTIONS = [
    (sentence("(e1-x-2-", "e1)", "(e2-x-1-)"), [(0, "1 2", "2"), (1, "3", "3")]),
    (sentence("(e1-x-2-", "(e1-x-1-", "e1)", "e1)"), [(0, "1 2 3 4", "2"), (0, "2 3", "2")]),
    (sentence("(e1-x-3-(e1-x-1-", "e1)", "e1)"), [(0, "1 2 3", "3"), (0, "1 2", "1")]),
    (sentence("(e1-x-1-", "(e2-x-1-", "e1)", "e2)"), [(0, "1 2 3", "1"), (1, "2 3 4", "2")]),
    (sentence("(e1-x-1-(e2-x-1-", "e1)e2)"), [(0, "1 2", "1"), (1, "1 2", "1")]),
    (sentence("(e1-x-1-)(e2-x-1-", "(e3-x-1-)e2)(e4-x-1-)"), [(0, "1", "1"), (1, "1 2", "1"), *TWO]),
    (sentence("(e1-x-1-", "e1)(e1-x-1-", "e1)"), [(0, "1 2", "1"), (0, "2 3", "2")]),
    (sentence("(e1[1/2]-x-3-", "e1[1/2])", "_", "(e1[2/2]-x-3-)"), [(0, "1 2 4", "4")]),
    (
        sentence("(e1[1/3]-x-2-)", "(e1-x-1)", "(e1[2/3]-x-2-)", "_", "(e1[3/3]-x-2-)"),
        [(0, "1 3 5", "3"), (0, "2", "2")],
    ),
    (sentence("(e1", "(e2--1)", "e1)"), [(0, "1 2 3", "1"), (1, "2", "2")]),
    (sentence("(e1[1/2]-x-1-)", "(e1[2/2]-x-1-)"), [(0, "1 2", "1")]),
    (sentence("(e1-x-1-a:b-c,d:e-f)", "Entity="), [(0, "1", "1")]),
    (sentence("(e1-x-1-)", "(e1-y-1-)"), [(0, "1", "1"), (0, "2", "2")]),
    (
        sentence("Bridge=e9<e1:part|Entity=(e1-x-1-)", "Entity=(e1-x-1-)|SplitAnte=e1<e1"),
        [(0, "1", "1"), (0, "2", "2")],
    ),
    (
        token("0.1", "(e1-x-1-)") + token("1", "(e2-x-2-") + token("1.1") + token("1.10", "e2)(e1-x-1-)") + token("2"),
        [(0, "0.s1", "0.s1"), (1, "1 1.1 1.10", "1.1"), (0, "1.10", "1.10")],
    ),
    (token("1-2", "(e9-x-1-)") + sentence("(e1-x-1-)", "_"), [(0, "1", "1")]),
]


@cases("lines,expected", MENTIONS)
def test_mentions(read, lines, expected):
    assert mentions(read(FIELDS + lines)) == expected
    assert mentions(read("\ufeff" + (FIELDS + lines).replace("\n", "\r\n"))) == expected


def test_words_are_counted_through_the_document(read):
    text = FIELDS + sentence("(e1-x-1-)", "_") + "\n" + token("0.1", "(e1-x-1-)") + sentence("(e2-x-1-", "e2)")
    found = read(text, format="conllu")
    assert mentions(found) == [(0, "1", "1"), (0, "2.s1", "2.s1"), (1, "3 4", "3")]
    assert tuple(getattr(found.mentions, name).tolist() for name in ("start", "end", "line")) == (
        [0, 1, 2],
        [0, 1, 3],
        [2, 5, 6],
    )
    assert found.mentions.sentence.tolist() == [0, 1, 1]
    assert (found.n_tokens.tolist(), found.names) == ([4], ("x",))
    assert found.text[0].sentences() == [["w1", "w2"], ["w1", "w2"]]


def test_documents_and_other_names_of_fields(read):
    text = "# newdoc id = a\n# global.Entity = GRP-entity-head\n# sent_id = 1\n" + sentence("(7-x-2", "7)")
    found = read(f"{text}\n# newdoc id = b\n# sent_id = 2\n{sentence('(7-x-1)', '_')}")
    assert (found.names, found.offsets.tolist(), found.mentions.entity.tolist()) == (("a", "b"), [0, 1, 2], [0, 0])
    assert [text.sent_ids for text in found.text] == [("1",), ("2",)]
    assert [found.text[d].words() for d in range(2)] == [["w1", "w2"]] * 2
    found = read(f"# newdoc\n{FIELDS}{sentence('(1-x-1)')}\n\n\n# newdoc\n{sentence('(1-x-1)')}\n\n\n")
    assert (found.names, found.named.tolist()) == (("1", "2"), [False, False])


def test_heads(read):
    lines = token("1", "(e1-x-1-", "PROPN", "0") + token("2", "e1)", "NUM", "1", "flat:name")
    found = read(FIELDS + lines + token("2.1", "(e1-x-1-)", "PRON", deps="1:nsubj|2.1:obj"))
    bits = [1 << UPOS.index(tag) for tag in ("PROPN", "NUM", "PRON")]
    assert found.mentions.upos.tolist() == [bits[0] | bits[1], bits[2]]
    assert found.mentions.deps.tolist() == ["", "1:nsubj|2.1:obj"]
    assert found.mentions.is_zero.tolist() == [False, True]


FAULTS = [
    (sentence("_", "e1)"), 3, "a mention of entity 'e1' closes here, but none is open in this sentence"),
    (sentence("(e1-x-1-", "_"), 2, "a mention of entity 'e1' opens here, but does not close in its sentence"),
    (sentence("(e1-x-1-") + "\n" + sentence("e1)"), 2, "does not close in its sentence"),
    (sentence("(e1-x-3-", "e1)"), 2, "the head is word 3 for the mention of entity 'e1' that opens here, which has 2"),
    (sentence("(e1-x-2-)"), 2, "the head is word 2"),
    (sentence("(e1-x-0-)"), 2, "the head of 'e1-x-0-' is '0'; expected 1, 2, ..., a place in the mention"),
    (sentence("(e1-x-y-)"), 2, "is 'y'"),
    (sentence("(e1-x--)"), 2, "is ''"),
    (sentence("_", "(e1[2/2]-x-1-)"), 3, "'e1[2/2]' without part 1 in its sentence"),
    (sentence("(e1[1/2]-x-1-)", "_"), 2, "of the mention of entity 'e1', part 2 of 2 is not in the sentence"),
    (sentence("(e1[1/2]-x-1-)", "(e1[2/3]-x-1-)"), 3, "'e1[2/3]' where 'e1[2/2]' is expected"),
    (sentence("(e1[1/2]-x-1-", "(e1[2/2]-x-1-)", "e1[1/2])"), 3, "after the part before is closed"),
    (sentence("(e1[1/2]-x-1-", "e1)"), 3, "Is 'e1[1/2]' meant?"),
    (sentence("(e1[1/2]-x-1-)", "(e1[2/2]-x-2-)"), 3, "the head of 'e1[2/2]-x-2-' is 2 here and 1 in the part before"),
    (sentence("(e1[1/2]-x-1-)", "(e1[1/2]-x-1-)"), 3, "another mention of entity 'e1' begins before all parts"),
    (sentence("(e1[0/2]-x-1-)"), 2, "'e1[0/2]' is part 0 of 2"),
    (sentence("(-x-1-)"), 2, "a mention '-x-1-' without an entity"),
    (sentence("e1"), 2, "Entity='e1'; expected items such as (e1-person-1 and e1) and (e1-person-1)"),
    (sentence("(e1-x-1-a(b)c"), 2, "expected items such as"),
    (sentence("Entity=(e1)|Entity=(e2)"), 2, "Entity twice in one line"),
]
BROKEN = [
    (sentence("_") + "\n# global.Entity = eid-head\n" + sentence("_"), 4, "'eid-head' here and 'eid-etype-head-other'"),
    (sentence("_") + "\n# newdoc id = a\n" + sentence("_"), 4, "sentences before it are in no document"),
    ("\n" + sentence("_"), 1, "comments without a sentence"),
    (
        sentence("_") + "# newdoc id = a\n" + token("2"),
        1,
        "a document begins within a sentence; expected an empty line",
    ),
    ("# newdoc id = a\n# newdoc id = b\n" + sentence("_"), 1, "a second document begins here"),
    (sentence("_") + token("1.1", "_") + token("1.1", "_"), 4, "the empty node '1.1'; expected it after word 1"),
    (token("1.1", "(e1)") + sentence("_"), 2, "the empty node '1.1'; expected it after word 1"),
    (sentence("_") + token("2.1"), 3, "the empty node '2.1', but its sentence has no such word"),
    (token("1", "(e1)") + "2\tw\n", 3, "2 columns, expected 10"),
    (sentence("_") + " \n" + sentence("_"), 3, "1 columns, expected 10"),
    (sentence("(e1-x-1-)").replace("\t", " "), 2, "1 columns, expected 10"),
]


@cases("text,line,reason", [*FAULTS, *BROKEN])
def test_faults_are_errors(read, text, line, reason):
    with pytest.raises(ReadError, match=rf"x\.conllu:{line}: ") as raised:
        read(FIELDS + text)
    assert reason in str(raised.value)


@cases("text,line,reason", FAULTS)
def test_a_faulty_mention_is_dropped(read, text, line, reason):
    with pytest.warns(ReadWarning) as warned:
        found = read(FIELDS + text + "\n" + sentence("(e2-x-1-)"), lenient=True)
    assert any(f":{line}: " in str(each.message) and reason in str(each.message) for each in warned)
    assert mentions(found)[-1][1:] == (str(found.n_tokens[0]),) * 2


def test_fields_that_are_not_named_are_the_usual_ones(read):
    with pytest.warns(ReadWarning, match="x.conllu:1: mentions, but no '# global.Entity'"):
        assert mentions(read(sentence("(e1-x-2-", "e1)"))) == [(0, "1 2", "2")]


def test_files_without_mentions(read):
    with pytest.raises(ReadError, match=r"x\.conllu:4: a second document 'a'; the first begins at .*x\.conllu:1"):
        read(f"# newdoc id = a\n{token('1')}\n# newdoc id = a\n{token('1')}")
    with pytest.raises(ReadError, match="no sentence"):
        read("\n")
    with pytest.raises(ReadError, match=r"x\.conllu:1: .*without eid; expected fields such as eid-etype-head-other"):
        read("# global.Entity = etype-head\n" + sentence("_"))
    assert len(read(sentence("_", "_")).mentions) == 0


def test_random_documents_are_read_as_written(read):
    rng = random.Random(5)
    for _ in range(60):
        sentences = random_sides(rng, n_entities=4, n_mentions=5)[0]
        expected, before = [], 0
        for each in sentences:
            for name, parts, head in each.mentions:
                nodes = [each.nodes[place] for place in each.places(parts)]
                shown = [f"{before + w}.{'' if w else 's'}{n}" if n else str(before + w) for w, n in nodes]
                expected.append((name, " ".join(shown), shown[head]))
            before += each.n_words
        found = read(as_text(sentences))
        assert sorted(row[1:] for row in mentions(found)) == sorted(row[1:] for row in expected)
        together = {name: {row[1] for row in expected if row[0] == name} for name, *_ in expected}
        entities = {
            number: {row[1] for row in mentions(found) if row[0] == number} for number in found.mentions.entity.tolist()
        }
        assert sorted(map(sorted, together.values())) == sorted(map(sorted, entities.values()))


def test_words_with_a_gap_of_an_empty_node_are_a_span(read):
    lines = token("1", "(e1[1/2]-x-1-") + token("2", "e1[1/2])") + token("2.1") + token("3", "(e1[2/2]-x-1-)(e2-x-1-)")
    found = read(FIELDS + lines).mentions
    assert (found.are_spans.tolist(), found.start.tolist(), found.end.tolist()) == ([True, True], [0, 2], [2, 2])
    assert found.parts_of(0).tolist() == [[1 << BITS, 3 << BITS]]


def test_a_parent_of_many_digits_is_no_word(read):
    found = read(FIELDS + token("1", head="0") + token("2", head="1" * 20) + token("3", head="2"))
    assert found.text[0].tree().tolist() == [0, 0, 2]


def test_blanks_at_the_end_of_comments_do_not_count(read):
    found = read("# global.Entity = eid-etype-head-other   \n# sent_id =  a  b  \n" + sentence("(e1-x-1-)"))
    assert (found.text[0].sent_ids, len(found.mentions)) == (("a  b",), 1)
