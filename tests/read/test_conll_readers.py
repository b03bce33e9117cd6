"""Both readers of CoNLL files, by blocks and by lines, against each other and against the rules in plain Python."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from reference import parse

from arraycoref.exceptions import ReadError
from arraycoref.kernels.conll import BLOCK, LONGEST_ID, MOST_NESTED, read_lines
from arraycoref.read.conll import LineReader, read_conll
from arraycoref.read.mentions import BITS, nodes_of
from arraycoref.read.problems import ProblemLog, ReadingOptions
from fuzz.changes import changed
from fuzz.promises import facts
from marks import cases
from strategies import examples

pytestmark = pytest.mark.kernels

KINDS = {
    "unexpected coreference column": "bad value",
    "no column": "too few columns",
    "text outside": "outside",
    "has no '#end document' up to here": "no end",
    "without '#begin document'": "no begin",
    "closes here, but none is open": "never opened",
    "opens here never closes": "never closed",
    "between brackets in the": "joint",
    "several ids": "several",
    "parts of a mention": "part",
}
OF_FILES = ("not text in UTF-8", "a carriage return within", "has no mention in its last column", "no document;")
"""What only `read_conll` reports."""

PIECES = [
    b"#begin document (x); part 0", b"#begin document y", b"# begin document z ", b"#begin documents",
    b"#begin\tdocument(q)", b"#end document", b"#end", b"# end", b"# end of it", b"#end x", b"#ending", b"# x",
    b"#\t(1)", b"#", b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\t", b"\t", b" ", b"  ", b"|", b"(", b")", b"(1", b"1)",
    b"(1)", b"(12", b"12)", b"(a|(b)", b"a)", b"_", b"-", b"*", b"w", b"x y", b"1", b"2", b"\v", b"\f", b"\r",
    b"\xc3\xa9", b"\xff", b"\0", b"\xef\xbb\xbf",
]  # fmt: skip
LINES = [
    b"#begin document (x); part 0\n", b"#begin document (x); part 0\n", b"#end document\n", b"#end document\n",
    b"a\tb\t-\n", b"a b (1)\n", b"a b (1\n", b"a b 1)\n", b"a\tb\t(2|(1\n", b"a\tb\t2)|1)\n", b"a\tb\t(22)(1\n",
    b"a\tb\t(3)\t\n", b"a\t)\t\n", b"a\t(3)\t \r\n", b"# b (1)\n", b"#b  c (1)\n", b"# a b (1)\n", b"# a = (1)\n",
    b"a b 3|(1)\n", b"a\tb\t(1)44\n", b"a\tb\t33|(2\n", b"a\tb\t(1\n", b"a\tb\t1\n", b"a\tb\t1)\n", b"\n",
    b"w w\t\n", b"w\n", b"_\n", b"(333\n", b"333)\n", b"a\tb c\t1)2)\r\n", b"# c\n", b"  x   (4)  y (4)\n",
]  # fmt: skip


def by_lines(data: bytes, column: int | None, profile: str, format: str | None):
    """Read leniently, line by line only; return what was found, the faults, and numbers without a bracket."""
    text = np.frombuffer(data, np.uint8)
    faults = []
    options = ReadingOptions(
        lenient=True, problems=ProblemLog(faults.append, True, True), column=column, profile=profile, format=format
    )
    reader = LineReader(text, "file", options)
    found = reader.read(3 if data.startswith(b"\xef\xbb\xbf") else 0)
    return found, faults, reader.bare


def alike(data: bytes, column: int | None = None, profile: str = "paper", format: str | None = None):
    """Check that `read_conll` finds what `LineReader` alone does, and reports the same; return that."""
    found, expected, bare = by_lines(data, column, profile, format)
    faults: list[ReadError] = []
    options = ReadingOptions(
        lenient=True, problems=ProblemLog(faults.append, True, True), column=column, profile=profile, format=format
    )
    parsed = read_conll(data, "file", options)
    told = [str(fault) for fault in faults if not any(each in fault.reason for each in OF_FILES)]
    assert told == [str(fault) for fault in expected]
    documents, (rows, columns, *_) = parsed.documents, found
    for name, numbers in zip(("start", "end", "entity", "line"), columns, strict=True):
        assert getattr(documents.mentions, name).tolist() == numbers.tolist()
    assert np.diff(documents.offsets).tolist() == rows[:, 5].tolist()
    assert documents.n_tokens.tolist() == rows[:, 3].tolist()
    assert list(parsed.begins) == rows[:, 2].tolist()
    assert parsed.bare_numbers == bare
    if faults:
        with pytest.raises(ReadError) as caught:
            read_conll(data, "file", ReadingOptions(column=column, profile=profile, format=format))
        assert str(caught.value) in map(str, faults)
    return parsed, expected


def same(data: bytes, column: int | None = None, profile: str = "paper", format: str | None = None) -> None:
    """Check both readers against the rules."""
    documents, faults = parse(data, -1 if column is None else column, profile, format)
    parsed, told = alike(data, column, profile, format)
    kinds = [next(kind for text, kind in KINDS.items() if text in fault.reason) for fault in told]
    assert sorted(zip([fault.line for fault in told], kinds, strict=True)) == faults
    headers = tuple(document.header.decode("utf-8", "backslashreplace") for document in documents)
    assert parsed.documents.headers == headers
    assert list(parsed.begins) == [document.line for document in documents]
    assert [each[1:] for each in facts(parsed.documents)] == [(each.n_tokens, each.entities()) for each in documents]
    mentions = parsed.documents.mentions
    assert mentions.has_parts == any(document.joined for document in documents)
    if mentions.has_parts:
        words = [((nodes_of(mentions.parts_of(m)) >> BITS) - 1).tolist() for m in range(len(mentions))]
        assert words == [own for document in documents for own in document.words()]
    n_bare = sum(document.n_bare for document in documents)
    assert (parsed.bare_numbers or (0,))[0] == n_bare
    if n_bare:
        assert parsed.bare_numbers[1] == min(document.first_bare for document in documents if document.n_bare)


@examples()
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), st.sampled_from([None, -1, 1, 2, 3, -2, -3]))
def test_pieces(data, column):
    same(data, column)


# Bytes that differ in one bit from what ends an id, or stand on either side of it.
NEAR = [bytes([byte]) for byte in b"112a!\"'*,~}\x1f\x08\x0e\x7f\x80\xa8"]
ID = st.one_of(st.sampled_from([b"1", b"12", b"1234567"]), st.lists(st.sampled_from(NEAR), max_size=9).map(b"".join))
WORD = st.sampled_from([b"a", b"ab\tc", b"a b", b"$", b"#", b'"', b"a\tb c", b"ab\t", b"a!", b"\tw"])
ITEM = st.tuples(st.sampled_from([b"(", b"(", b"", b"(("]), ID, st.sampled_from([b")", b")", b"", b"|", b"))"])).map(
    b"".join
)
VALUE = st.one_of(
    ITEM, ITEM, st.lists(ITEM, max_size=3).map(b"|".join), st.sampled_from([b"_", b"-", b"*", b"", b"__", b"(", b")"])
)
GAP = st.sampled_from([b"\t", b"\t", b"\t", b" ", b"  ", b" \t", b"\t ", b"\v", b"\x1f", b"\x00"])
LINE = st.tuples(WORD, GAP, VALUE, st.sampled_from([b"\n", b"\n", b"\r\n", b" \n", b"\t\n"])).map(b"".join)


@examples(3)
@given(
    st.one_of(st.lists(LINE, max_size=12), st.lists(st.sampled_from([*LINES, b"a\t-\r\n", b"a\t7) \n"]), max_size=99)),
    st.sampled_from([b"#end document\n", b"#end", b""]),
    st.sampled_from([None, None, -1, 2, -2, 9]),
)
def test_lines(lines, end, column):
    """Columns and items of every shape."""
    same(b"#begin document (x)\n" + b"".join(lines) + end, column)


SHORT = st.lists(st.sampled_from(b"( ( ) ) | , _ ; + 0 0 1 12 a 0a 1a".split()), min_size=1, max_size=9)


@examples(3)
@given(st.lists(SHORT.map(b"".join), min_size=1, max_size=6), st.sampled_from(["paper", "conll"]))
def test_items_that_may_be_read_in_two_ways(cells, profile):
    """Other separators than bars, several ids in one item, and ids such as 0a."""
    same(
        b"#begin document (x)\nw\t(0)\n" + b"".join(b"w\t%b\n" % cell for cell in cells) + b"#end document\n",
        profile=profile,
    )


IDS = st.sampled_from(b"0 0a 0b 1a 1ab 12 12c 2a1 x0a".split())
CELLS_OF_PARTS = st.lists(
    st.one_of(
        st.just(b"\n"),
        st.lists(st.tuples(IDS, st.sampled_from([b"(%b)", b"(%b)", b"(%b", b"%b)"])), max_size=2).map(
            lambda items: b"w\t%b\n" % (b"|".join(pattern % who for who, pattern in items) or b"-")
        ),
    ),
    max_size=12,
)


@examples(3)
@given(st.lists(CELLS_OF_PARTS, min_size=1, max_size=3), st.sampled_from([None, "craft", "conll"]))
def test_parts_of_mentions_with_gaps(documents, format):
    same(
        b"".join(b"#begin document %d\n%b#end document\n" % (d, b"".join(lines)) for d, lines in enumerate(documents)),
        format=format,
    )


@examples()
@given(st.binary(max_size=200))
def test_random_bytes(data):
    same(data)


CELLS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.sampled_from(["(%d", "%d)", "(%d)"])), max_size=40)


@examples(3)
@given(
    CELLS,
    st.sampled_from(["", "é", "1234567", "12345678", "x" * 15, "y" * 16, "z" * (LONGEST_ID - 1), "z" * LONGEST_ID]),
    st.sampled_from(["\t", " ", "   "]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_brackets_that_nest_and_cross(cells, prefix, gap, feed, all_close):
    """Ids around the length of one word of the processor, and around the longest that is read by blocks."""
    lines, n_open = [[]], {}
    for n_lines, entity, pattern in cells:
        lines += [[] for _ in range(n_lines)]
        change = {"(%d": 1, "%d)": -1}.get(pattern, 0)
        if not all_close or n_open.get(entity, 0) + change >= 0:
            n_open[entity] = n_open.get(entity, 0) + change
            lines[-1].append(pattern.replace("%d", f"{prefix}{entity}"))
    if all_close:
        lines += [[f"{prefix}{entity})"] * n for entity, n in n_open.items()]
    text = "".join(f"a{gap}w{gap}{'|'.join(line) or '-'}{gap}x{feed}" for line in lines)
    same(f"#begin document (x){feed}{text}#end document{feed}#begin document y{feed}{text}#end".encode(), -2)


USUAL = "#begin document (x);\na\tb c\t(1)|(2\n\n#word\t1\t_\n!\t(\t2)(3)\n# no token\nd\t)\t\n#end document\n"


@cases(
    "data,column",
    [
        (USUAL, None),
        (USUAL.replace("\n", "\r\n"), None),
        (USUAL.replace("2)(3)", "2)(3)\t"), 3),
        ("#begin document x\na  b (1)  c\nd e -  f\n\n# (\n# end document\n# begin document (y)\na b * d\n#end", -2),
        ("#begin document 1\n(17740950239373139\n(17740950239373138)\n17740950239373139)\n#end document 1\n", 1),
    ],
)
def test_usual_files_are_read_by_blocks(data, column):
    text = np.frombuffer(data.encode(), np.uint8)
    reader = LineReader(text, "file", ReadingOptions(column=column))
    assert read_lines(text, 0, reader) is not NotImplemented
    same(data.encode(), column)


def test_many_blocks():
    """Documents shorter and longer than a block, a line longer than one, and faults between documents without any."""
    lines = b"".join(b"w\t%d\t(%d\nv\tv\t%d)\n" % (k, k, k) for k in range(BLOCK // 30))
    document = b"#begin document (x)\n" + lines + b"#end document\n"
    short = b"#begin document y\nw\t(0)\n\n#end document\n" * 1000
    odd = b"#begin document z\nw\t(0|(1)\n \nw\t7\t(1)|8)\n#end document\n"
    long = b"#begin document z\n" + b"w" * (BLOCK + 1) + b"\t(0)\n#end document\n"
    for other in (odd, long, odd[:-14]):
        alike(document + short + other + short + document.replace(b"#end", b"# end") + other + short)
    alike(document[:-1])


@pytest.mark.parametrize("n", [1, 2, 70, 300])
def test_deep_nesting_and_many_entities(n):
    opens = b"".join(b"(%d\n" % (7 * k) for k in range(n))
    closes = b"".join(b"%d)\n" % (7 * k) for k in range(n))
    for text in (opens + closes, opens, closes, b"(1\n" * n + b"1)\n" * n, b"|".join(opens.split()) + b"\n"):
        same(b"#begin document (x)\n" + text + b"#end document\n#begin document (y)\n(1)\n#end\n")


def test_deeper_nesting_than_is_read_by_blocks():
    n = MOST_NESTED + 1
    parsed, _ = alike(b"#begin document (x)\n" + b"(1\n" * n + b"1)\n" * n + b"#end document\n")
    assert parsed.documents.mentions.end.tolist() == list(range(2 * n - 1, n - 1, -1))


@pytest.mark.parametrize("seed", range(5))
def test_files_with_some_bytes_changed(seed):
    """Changes of files that both readers read."""
    whole = [
        b"#begin document (x); part 0\n",
        b"a\tb\t(1)\n",
        b"a\tb\t(12|(3)\n",
        b"\n",
        b"w\tw\t12)\n",
        b"#end document\n",
    ]
    files = [b"".join(whole) * n for n in (1, 3)]
    files += [file.replace(old, new) for file in files[:2] for old, new in ((b"\t", b"  "), (b"\n", b"\r\n"))]
    for data in changed(files, 100, seed):
        alike(data)
        alike(data, 3)
