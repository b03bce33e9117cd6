"""The compiled scanner against the rules in plain Python."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from reference import parse

from arraycoref.read.conll_scanner import ITEMS, scan_bytes
from strategies import examples

KINDS = [
    None, "bad value", "too few columns", "outside", "no end", "no begin", "too many tokens", "never opened",
    "never closed", "too many mentions",
]  # fmt: skip

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


def same(data: bytes, column: int = -1, seed: int | None = None) -> None:
    text = np.frombuffer(data, np.uint8)
    text = text[3:] if data.startswith(b"\xef\xbb\xbf") else text
    documents, faults = parse(data, column)
    for lenient in (True, False):
        found = scan_bytes(text, column, lenient, seed=seed)
        if not lenient and faults:
            assert len(found.faults) >= 1
            continue
        assert sorted((row[1], KINDS[row[0]]) for row in found.faults.tolist()) == faults
        assert [bytes(text[a:b]).strip(b" \t\r\v\f") for _, a, b, *_ in found.documents.tolist()] == [
            document.header for document in documents
        ]
        assert found.documents[:, 3].tolist() == [document.line for document in documents]
        assert found.documents[:, 4].tolist() == [document.n_tokens for document in documents]
        bounds = [*found.documents[:, 0].tolist(), len(found.start)]
        assert found.bare[0] == sum(document.n_bare for document in documents)
        if found.bare[0]:
            assert found.bare[1] == min(document.first_bare for document in documents if document.n_bare)
            assert bytes(text[found.bare[2] :])[:1].isdigit()
        rows = list(
            zip(found.start.tolist(), found.end.tolist(), found.entity.tolist(), found.line.tolist(), strict=True)
        )
        for d, document in enumerate(documents):
            assert rows[bounds[d] : bounds[d + 1]] == document.entities()


@examples()
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), st.sampled_from([-1, -1, 1, 2, 3, -2, -3]))
def test_pieces(data, column):
    same(data, column)


# Bytes that differ in one bit from what ends an id, or stand on either side of it.
NEAR = [bytes([byte]) for byte in b"112a!\"'*,~}\x1f\x08\x0e\x7f\x80\xa8"]
ID = st.one_of(st.sampled_from([b"1", b"12", b"1234567"]), st.lists(st.sampled_from(NEAR), max_size=9).map(b"".join))
WORD = st.sampled_from(
    [b"a", b"ab\tc", b"a b", b"$", b"#", b'"', b"a\tb c", b"ab\t", b"a!", b"abcdefghijklmnopqrstuvwxyz\tw"]
)
ITEM = st.tuples(st.sampled_from([b"(", b"(", b"", b"(("]), ID, st.sampled_from([b")", b")", b"", b"|", b"))"])).map(
    b"".join
)
VALUE = st.one_of(
    ITEM, ITEM, st.lists(ITEM, max_size=3).map(b"|".join), st.sampled_from([b"_", b"-", b"*", b"", b"__", b"(", b")"])
)
GAP = st.sampled_from([b"\t", b"\t", b"\t", b" ", b"  ", b" \t", b"\t ", b"\v", b"\x1f", b"\x00"])
LINE = st.tuples(WORD, GAP, VALUE, st.sampled_from([b"\n", b"\n", b"\r\n", b" \n", b"\t\n"])).map(b"".join)


MORE = [b"w\t_\n" * 30, b"w (1)\n" * 30]  # 64 bytes are looked at together only where as many follow


@examples(3)
@given(
    st.integers(0, 63),
    st.one_of(
        st.lists(LINE, max_size=12),
        st.lists(st.sampled_from([*LINES, b"a\t-\r\n", b"a\t(7\r\n", b"a\t7) \n"]), max_size=99),
    ).map(b"".join),
    st.sampled_from([*MORE, b""]),
    st.sampled_from([b"#end document\n", b"#end", b""]),
    st.sampled_from([-1, -1, -1, 2, -2, 9]),
)
def test_lines(shift, lines, more, end, column):
    """Columns and items of every shape, at every alignment, up to the last bytes of a file."""
    same(b"#begin document (" + b"x" * shift + b")\n" + lines + more + end, column)


@examples()
@given(st.binary(max_size=200))
def test_random_bytes(data):
    same(data)


@pytest.mark.parametrize(
    ("n", "seed"),
    [*product([15, 16, 17, 63, 64, 65, 127, 128, 129], [1, 2**64 - 1, None]), (ITEMS + 1, None)],
)
@pytest.mark.parametrize("word", [b"", b"word\t"])
def test_arrays_grow(n, seed, word):
    """Documents, mentions, entities and faults, past each size of their arrays."""
    ids = [b"%d" % (7 * k) for k in range(n)]
    opens = b"#begin document (x)\n" + b"".join(b"%s(%s\n" % (word, each) for each in ids)
    closes = b"".join(b"%s%s)\n" % (word, each) for each in ids)
    one = word + b"(1)\n"
    same(opens + closes + b"#end document\n" + opens + b"#end\n", seed=seed)
    same(opens + b"#end document\n" + b"#begin document (y)\n" + one + b"#end document\n", seed=seed)
    same(b"#begin document (x)\n" + closes, seed=seed)
    same(b"#begin document (x)\n" + word + b"|".join(b"(%s" % each for each in ids) + b"\n", seed=seed)
    same((b"#begin document (x)\n" + one + b"#end document\n") * n, seed=seed)
    same(b"#begin document (x)\n" + (word + b"(1\n") * n + (word + b"1)\n") * n, seed=seed)


def test_ids_of_eight_bytes():
    """One more than fit into a key beside their length."""
    for ids in ([b"11234567", b"91234567"], [b"1234567", b"12345678"], [b"\x08234567", b"1234567\x08"]):
        lines = b"".join(b"word\t(%s)\n(%s)\n" % (each, each) for each in [*ids, *ids[::-1]])
        same(b"#begin document (x)\n" + lines + b"#end document\n")


@pytest.mark.parametrize("most", [1, 63, 64, 65, 100, 127, 128, 199])
@pytest.mark.parametrize("line", [b"a\t_\n", b"a\t(1)\n"])
def test_token_limit_of_a_long_document(most, line):
    text = np.frombuffer(b"#begin document x\n" + line * 200 + b"#end document\n", np.uint8)
    assert scan_bytes(text, -1, True, max_tokens=most).faults[:, :2].tolist() == [[6, most + 2]]
    assert scan_bytes(text, -1, False, max_tokens=200).faults.size == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs mprotect of the C library")
def test_nothing_is_read_past_the_end():
    """Texts of every length, and then a page that may not be read."""
    code = """
import ctypes, mmap
import numpy as np
from arraycoref.read.conll_scanner import scan_bytes

page = mmap.PAGESIZE
room = np.frombuffer(mmap.mmap(-1, 2 * page), np.uint8)
last = ctypes.c_void_p(room.ctypes.data + page)
libc = ctypes.CDLL(None, use_errno=True)
some = b"a\\t(1)\\nbc\\t_\\nd (2)\\ne\\t(12345678\\n" * 5
ends = b"", b"a\\t(1", b"a\\t(12345678)\\n", b"#end\\n"
texts = [some[:length] + end for length in range(len(some)) for end in ends]
texts += [b"x" * shift + b"\\t_\\n" + b"a\\t(1)\\n" * 20 for shift in range(64)]
for text in texts:
    text = b"#begin document (x)\\n" + text
    assert libc.mprotect(last, page, mmap.PROT_READ | mmap.PROT_WRITE) == 0
    room[page - len(text) : page] = np.frombuffer(text, np.uint8)
    assert libc.mprotect(last, page, 0) == 0
    data = room[page - len(text) : page]
    data.flags.writeable = False
    for column in (-1, 2):
        scan_bytes(data, column, True)
print("read")
"""
    run = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert run.stdout == "read\n", run.stderr
