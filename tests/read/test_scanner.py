"""The compiled scanner against the rules in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import parse

from arraycoref.read.scanner import scan_bytes

KINDS = [
    None, "bad value", "too few columns", "never opened", "never closed", "outside", "no end", "no begin", "too long",
]  # fmt: skip

PIECES = [
    b"#begin document (x); part 0", b"#begin document y", b"# begin document z ", b"#begin documents",
    b"#begin\tdocument(q)",
    b"#end document", b"#end", b"# end", b"# end of it", b"#end x", b"#ending", b"# x", b"#\t(1)", b"#", b"\n", b"\n",
    b"\n", b"\n",
    b"\r\n", b"\t", b"\t", b" ", b"  ", b"|", b"(", b")", b"(1", b"1)", b"(1)", b"(12", b"12)", b"(a|(b)", b"a)", b"_",
    b"-",
    b"*", b"w", b"x y", b"1", b"2", b"\v", b"\f", b"\r", b"\xc3\xa9", b"\xff", b"\0", b"\xef\xbb\xbf",
]  # fmt: skip
LINES = [
    b"#begin document (x); part 0\n", b"#begin document (x); part 0\n", b"#end document\n", b"#end document\n",
    b"a\tb\t-\n",
    b"a b (1)\n", b"a b (1\n", b"a b 1)\n", b"a\tb\t(2|(1\n", b"a\tb\t2)|1)\n", b"a\tb\t(22)(1\n", b"\n", b"w w\t\n",
    b"w\n",
    b"_\n", b"(333\n", b"333)\n", b"a\tb c\t1)2)\r\n", b"# c\n", b"  x   (4)  y (4)\n",
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
        rows = list(
            zip(found.start.tolist(), found.end.tolist(), found.entity.tolist(), found.line.tolist(), strict=True)
        )
        for d, document in enumerate(documents):
            assert rows[bounds[d] : bounds[d + 1]] == document.entities()


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), st.sampled_from([-1, -1, 1, 2, 3, -2, -3]))
def test_pieces(data, column):
    same(data, column)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=60).map(b"".join), st.sampled_from([-1, -1, -1, 2, -2, 9]))
def test_lines(data, column):
    same(b"#begin document (a)\n" + data, column)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(data):
    same(data)


@pytest.mark.parametrize("n", [15, 16, 17, 63, 64, 65, 127, 128, 129, 5000])
@pytest.mark.parametrize("seed", [65536, 2**31 - 2, None])
def test_arrays_grow(n, seed):
    """Documents, mentions, entities and faults, past each size of their arrays."""
    ids = [b"%d" % (7 * k) for k in range(n)]
    opens = b"#begin document (x)\n" + b"".join(b"(%s\n" % each for each in ids)
    same(opens + b"".join(b"%s)\n" % each for each in ids) + b"#end document\n" + opens + b"#end\n", seed=seed)
    same(opens + b"#end document\n" + b"#begin document (y)\n(1)\n#end document\n", seed=seed)
    same(b"#begin document (x)\n" + b"".join(b"%s)\n" % each for each in ids), seed=seed)
    same(b"#begin document (x)\n" + b"|".join(b"(%s" % each for each in ids) + b"\n", seed=seed)
    same(b"#begin document (x)\n(1)\n#end document\n" * n, seed=seed)
    same(b"#begin document (x)\n" + b"(1\n" * n + b"1)\n" * n, seed=seed)


def test_ids_that_share_a_beginning():
    same(b"#begin document (x)\n" + b"|".join(b"(" + b"9" * k + b")" for k in range(1, 300)) + b"\n#end")


def test_one_compilation():
    """Whatever the bytes come from, the scanner is compiled for one set of types."""
    from arraycoref.kernels import conll

    same(b"#begin document (x)\n(1)\n#end")
    scan_bytes(np.frombuffer(b"#begin document (x)\n(1)\n#end", np.uint8)[1:], 2, False)
    assert len(getattr(conll.scan, "signatures", [()] * 4)) <= 4  # with and without a column, strict and lenient


def test_token_limit():
    text = np.frombuffer(b"#begin document x\n(1)\n(1)(1)\n#end\n", np.uint8)
    assert scan_bytes(text, -1, False, max_tokens=3).faults.size == 0
    assert scan_bytes(text, -1, True, max_tokens=2).faults[:, :2].tolist() == [[8, 3]]
    assert scan_bytes(text, -1, True, max_tokens=1).faults[:, :2].tolist() == [[8, 3]]
