"""CoNLL files: headers, columns, brackets, and each structural fault with its place."""

import numpy as np
import pytest
from read_helpers import mentions, one

from arraycoref.exceptions import ReadError, ReadWarning
from arraycoref.read.conll import find_bad_text, parse_header
from marks import cases


@cases(
    "header,name",
    [
        ("(x); part 000", "x_0"),
        ("(x); part 003", "x_3"),
        ("x;", "x"),
        ("x; part 2", "x_2"),
        ("(x) part 2", "x_2"),
        ("()", ""),
        ("(a/b (c)); part 1", "a/b (c)_1"),
        ("(a;b); part 01", "a;b_1"),
        ("my part 3", "my part 3"),
        ("(x);\tpart  7", "x_7"),
        ("(x); part b", "(x); part b"),
        (f"(x); part {'9' * 5000}", f"x_{'9' * 5000}"),
    ],
)
def test_header(header, name):
    assert parse_header(f"  {header} \t") == name


def test_headers_in_a_file(read):
    found = read(
        "# a comment\n\n#begin document (a); part 001\nx\t(1)\n#end document\n# begin document b\nx\t-\n#end\n"
        "#  begin document (c)\n#\t(1\n# no token\n \t \n#\t1)\n#end document (c)\n#begin document(d);\n"
        "# end document\n"
    )
    assert found.names == ("a_1", "b", "c", "d")
    assert found.headers == ("(a); part 001", "b", "(c)", "(d);")
    assert found.n_tokens.tolist() == [1, 1, 2, 0]
    assert [mentions(found, d) for d in range(4)] == [[(0, 0, 0)], [], [(0, 1, 0)], []]
    assert found.mentions.line.tolist() == [4, 10]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("a\t(1\nb\t1)\n", [(0, 1, 0)]),
        ("a (1\nb   1)  \n", [(0, 1, 0)]),
        ("a\t(1|(2)\r\n\r\nb\t1)\r\n", [(0, 1, 0), (0, 0, 1)]),
        ("a\t(1(2)\nb\t1)(3\nc\t3)(4)\n", [(0, 1, 0), (0, 0, 1), (1, 2, 2), (2, 2, 3)]),
        ("(1)\n_\n*\n-\n(1)\n", [(0, 0, 0), (4, 4, 0)]),
        ("New York\t(1)\nNew (York)\t\nx\t_\t\n", [(0, 0, 0)]),  # words may hold spaces and brackets in lines with tabs
        ("a\t(1\nb\t(1\nc\t1)\nd\t1)\n", [(0, 3, 0), (1, 2, 0)]),  # the last opened closes first
        ("a\t(1|(1)\nb\t1)|(1\nc\t1)\n", [(0, 1, 0), (0, 0, 0), (1, 2, 0)]),
        ("a\t(17740950239373139|(17740950239373138)\nb\t17740950239373139)\n", [(0, 1, 0), (0, 0, 1)]),
        (f"a\t({'9' * 99}8)|({'9' * 99}7)|({'9' * 99}8)\n", [(0, 0, 0), (0, 0, 1), (0, 0, 0)]),
        ("a\t(01)|(1)|(é)|(e:1,x)\n", [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3)]),  # ids are compared as bytes
        ("a\t(2|(1\nb\t2)\nc\t1)\n", [(0, 1, 0), (0, 2, 1)]),  # crossing
        ("a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\t(0)\nx\t(0)\n", [(0, 0, 0), (1, 1, 0)]),  # any number of columns
    ],
)
def test_columns_and_brackets(read, lines, expected):
    assert mentions(read(one(lines))) == expected


def test_bom_and_no_final_newline(read):
    assert mentions(read(b"\xef\xbb\xbf" + one("a\t(1)\n").rstrip("\n").encode())) == [(0, 0, 0)]


@cases(
    "column,line",
    [(1, "(1)\tx\ty\n"), (-2, "x\t(1)\ty\n"), (3, "x  y (1) z\n"), (-2, "  x  y (1) z\n"), (1, "  (1) x\n")],
)
def test_column(read, column, line):
    assert len(read(one(line), column=column).mentions) == 1


BAD = ["()", "(", ")", "(1)|", "|(1)", "(1)||(2)", "(1))", "((1)", "_|_", "(1|x", "1|", "-1", "٣", "(1 2)", "(a)b"]
FAULTS = [
    ("a (1)\n", [(1, "outside a document: 'a (1)'")]),
    (
        "# c\n\na (1)\na (1)\n#begin document x\n#end document\nb\n",
        [(3, "outside a document"), (7, "outside a document: 'b'")],
    ),
    ("#begin document x\na (1)\n#begin document y\n#end\n", [(3, "'x', which begins on line 1, has no '#end doc")]),
    ("#begin document x\na (1)\n\n", [(3, "the document 'x', which begins on line 1, has no")]),
    ("#end document\n#begin document x\n#end\n#end\n", [(1, "without '#begin"), (4, "without '#begin")]),
    ("", [(None, "no document")]),
    (one("a\t-\na\t-\nb\t12)|(1)\n"), [(4, "entity '12' closes here, but none is open")]),
    (one("a\t(7\na\t(1)|(8\nb\t-\n"), [(2, "entity '7' that opens here never closes"), (3, "entity '8' that")]),
    (one("a\t(1)\na\tword\n"), [(3, "column 'word'; expected '_', '-', '*' or nothing for no mention, or")]),
    *[(one(f"a\t{bad}\n"), [(2, f"column {bad!r}")]) for bad in BAD],
    (one(f"a\t{'z' * 10**6}\n"), [(2, f"column '{'z' * 60}'...")]),
    (b"#begin document x\na\t-\n\xe9t\xe9\t-\n#end\n", [(3, "not text in UTF-8")]),
    (b"#begin document x\na\t-\n#end\n\xc3", [(4, "not text"), (4, "outside a document")]),
    (
        "#begin document x\n#end\na\n#begin document (x);\na\t(1)\n#end\n",
        [(3, "outside"), (4, "a second document 'x'; the first begins at PATH:1")],
    ),
]


@pytest.mark.parametrize(("text", "faults"), FAULTS)
def test_faults(read, tmp_path, text, faults):
    path = str(tmp_path / "x.conll")
    with pytest.raises(ReadError) as caught:
        read(text)
    assert (caught.value.path, caught.value.line) == (path, faults[0][0])
    assert faults[0][1].replace("PATH", path) in caught.value.reason
    passed: list[ReadError] = []
    read(text, lenient=True, on_error=passed.append)
    assert [fault.line for fault in passed] == [line for line, _ in faults]
    for fault, (_, reason) in zip(passed, faults, strict=True):
        assert reason.replace("PATH", path) in str(fault)
        assert str(fault).startswith(path)
    with pytest.warns(ReadWarning) as caught_warnings:
        read(text, lenient=True)
    assert [str(each.message) for each in caught_warnings] == [str(fault) for fault in passed]


def test_lenient_keeps_the_rest(read):
    text = (
        "#begin document (x)\na\t(1\nb\t2)|(3)\nc\t(4|(1\nd\tword\ne\t1)\n#begin document (y)\n\xff\t(1)\n#end\n"
        "#begin document (x)\nz\t(9)\n"
    ).encode("latin-1")
    passed: list[ReadError] = []
    found = read(text, lenient=True, on_error=passed.append)
    assert found.names == ("x", "y")
    assert mentions(found, 0) == [(1, 1, 1), (2, 4, 0)]  # 1 comes first, though its first mention is lost
    assert mentions(found, 1) == [(0, 0, 0)]
    assert found.n_tokens.tolist() == [5, 1]
    assert [fault.line for fault in passed] == [8, 2, 3, 4, 5, 7, 11, 10]


def test_too_few_columns(read):
    with pytest.raises(ReadError, match=r"x\.conll:3: no column 3 in 'a b'"):
        read(one("a b (1)\na b\n"), column=3)
    with pytest.raises(ReadError, match=r"x\.conll:2: no column -3 in"):
        read(one("a\tb\n"), column=-3)
    assert len(read(one("a b (1)\na b\n"), column=3, lenient=True, on_error=lambda fault: None).mentions) == 1


def test_bad_text_is_found_across_blocks():
    block = 1 << 20
    for before in (block - 1, block - 2, block, 2 * block, 5):
        text = np.frombuffer(b"a" * before + "é".encode() * 3 + b"\xff", np.uint8)
        assert find_bad_text(text) == before + 6
        assert find_bad_text(text[:-1]) is None
        assert find_bad_text(text[:-2]) == before + 4
    assert find_bad_text(np.frombuffer("é".encode() * block, np.uint8)) is None
    assert find_bad_text(np.frombuffer(b"\xff\0", np.uint8)) == 1
