"""What is a token, a comment, a number without a bracket or the end of a line in CoNLL files."""

import pytest
from read_helpers import mentions, one

import arraycoref as ac
from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents
from marks import cases


def test_a_word_that_begins_with_a_hash_is_a_token(read):
    text = one("#metoo\tNN\t(1)\nshe\tPRP\t(1)\n# of tweets: 1 (1)\n# speaker: A\t(1)\n# x\t\n#\t(1)\n#begin\t-\n")
    found = read(text)
    assert mentions(found) == [(0, 0, 0), (1, 1, 0), (2, 2, 0)]
    assert found.n_tokens.tolist() == [4]
    assert len(read("# a comment\twith a tab\n" + text)) == 1  # outside documents there are no tokens
    with pytest.raises(ReadError, match=r"x\.conll:2: unexpected coreference column 'of words'"):
        read(one("#text\tof words\n"))


@cases(
    "text,line",
    [
        ("#begin document (a);\r\rw\t(1)\n#end document\n", 1),
        ("#begin document (a);\r\nw\t(1)\rw\t(1)\r\n#end document\r\n", 2),
        ("#begin document (a);\n" + "w\t-\r\n" * 20_000 + "w\rw\t-\n#end document\n", 20_002),
    ],
)
def test_a_carriage_return_within_a_line(read, text, line):
    with pytest.raises(ReadError, match=rf"x\.conll:{line}: a carriage return within a line"):
        read(text)
    faults = []
    read(text, lenient=True, on_error=faults.append)
    assert "a carriage return within a line" in faults[0].reason


def test_line_ends(read):
    for end in ("\n", "\r\n", "\r\r\n"):
        text = one("w\t(1)\nw\t(1)\n").replace("\n", end)
        assert mentions(read(text)) == [(0, 0, 0), (1, 1, 0)]
        assert mentions(read(text.removesuffix("\n"))) == [(0, 0, 0), (1, 1, 0)]


def test_what_is_a_comment_among_columns_parted_by_spaces(read):
    text = "# a b (1)\na b (0)\n# text of (1)\nc d (1)\n# no (x\n# no x)x\n# two\n#(1)\n\n# a b (0)\ne f (0)\n# a _\n"
    assert mentions(read(one(text))) == [(0, 0, 0), (1, 1, 1), (2, 2, 0)]
    assert mentions(read(one("a b (0)\n\n# b (1)\n"))) == [(0, 0, 0)]


def test_a_comment_behind_the_header(read):
    for mark in ("", "\ufeff"):
        assert len(read(f"{mark}#begin document x\n# x (1)\na (0)\n#end\n").mentions) == 1
        assert len(read(f"{mark}#begin document\n#begin x (1)\na (0)\n#end\n").mentions) == 1


@pytest.mark.parametrize("lenient", [False, True])
def test_bare_numbers(read, lenient):
    """Each alone is passed over, with one warning for all; `test_scanner` holds others against the rules."""
    told: list[ReadError] = []
    found = read(one("w\t_\nw\t5|(0\nw\t7|0)|6\n"), lenient=lenient, on_error=told.append)
    assert mentions(found) == [(1, 2, 0)]
    assert found.n_tokens.tolist() == [3]
    assert len(told) == 1
    assert str(told[0]).endswith(
        "x.conll:3: the number '5' without a bracket is skipped; there are 3 such in all. If another holds the "
        "coreference, column=N says which"
    )


def test_bare_numbers_of_several_files(tmp_path):
    """They are counted together."""
    for name, cells in (("a", "_ (0)"), ("b", "(0|5 0)"), ("c", "7 8 9")):
        lines = "".join(f"w\t{cell}\n" for cell in cells.split())
        (tmp_path / f"{name}.conll").write_text(one(lines).replace("(x)", f"({name})"))
    told: list[ReadError] = []
    assert len(read_documents(tmp_path, on_error=told.append)) == 3
    assert [(error.path, error.line) for error in told] == [(str(tmp_path / "b.conll"), 2)]
    assert "'5' without a bracket is skipped; there are 4 such" in str(told[0])


def test_words_that_end_in_a_bracket_before_an_empty_column(read):
    text = one("\n)\t\na\t(0)\n(b)\t\n\n:)\t\n")
    assert mentions(read(text)) == [(1, 1, 0)]
    assert len(read(one("a\tb\t(0)\nc\t(9)\t\n")).mentions) == 1  # the second is a word in the second of three columns


@pytest.mark.parametrize("end", ["\t\n", "\t\r\n", "\t\t\n", "\t \t\n"])
def test_a_separator_after_the_last_column(read, end):
    """Every mention of such a document would be lost without a word."""
    good = one("w\t(1)\n").replace("(x)", "(y)")
    text = one("w\t-\nw\t(e1|(12)\nw\te1)\n#metoo\t_\n").replace("\n", end).replace(f";{end}", ";\n")
    text = text.replace(f"document{end}", "document\n")
    for whole, line in ((text, 1), (good + text, 4), (text + good, 1)):
        with pytest.raises(
            ReadError, match=rf"x\.conll:{line}: the document '\(x\);' has no mention in its last column"
        ):
            read(whole)
        faults = []
        assert len(read(whole, lenient=True, on_error=faults.append)) == 1 + (whole != text)
        assert len(faults) == 1
    assert mentions(read(text, column=-1)) == []
    if end == "\t\n":
        assert mentions(read(text, column=-2)) == [(1, 2, 0), (1, 1, 1)]


@cases(
    "lines",
    [
        "w\t(V*)\t\nw\t(1)\t(1)\n",
        "1\tOption\t\n2\t2)\t\n3\tis\t\n",  # an enumeration
        "Option\t\n2)\t\n(1)\t\n",
        "w\t(1\t\nw\t-\t\n",  # brackets that do not close
        "w\t\n",
    ],
)
def test_an_empty_last_column(read, lines):
    assert len(read(one(lines))) == 1


BARS = ["(0", "-", "-", "(1|(0)", "1)|0)", "-", "(2|(3)", "2)", "(0)", "(2)"]
SPLIT = ["(1)", "(2)", "(1+2)", "(1)", "(2)", "(1+2)"]


def write(path, cells):
    path.write_text(one("".join(f"c\t0\t{n}\tw\t{cell}\n" for n, cell in enumerate(cells))))
    return path


@cases("mark", ["_", ",", ";", ",_"])
def test_other_marks_than_bars_between_brackets(tmp_path, mark):
    key = write(tmp_path / "key.conll", BARS)
    path = write(tmp_path / "other.conll", [cell.replace("|", mark) for cell in BARS])
    with pytest.raises(
        ReadError, match=rf"other\.conll:5: '{mark}' between brackets in the coreference column '\(1{mark}"
    ):
        ac.score_files(key, path)
    found = ac.score_files(key, path, profile="conll")
    assert found["mentions"].recall_num == found["mentions"].precision_den == 7
    assert found["muc"].recall_num == found["muc"].precision_den == 3
    with pytest.warns(ac.ReadWarning, match="between brackets"):
        assert ac.score_files(path, key, lenient=True)["muc"].recall_num == 3


def test_an_anaphor_with_two_antecedents(tmp_path):
    """The reference scorer passes over it, if the second number has one digit."""
    response = write(tmp_path / "response.conll", [cell.replace("(1+2)", "-") for cell in SPLIT])
    key = write(tmp_path / "key.conll", SPLIT)
    with pytest.raises(
        ReadError, match=r"key\.conll:4: several ids, '1\+2', in the coreference column '\(1\+2\)'.*'conll'"
    ):
        ac.score_files(key, response)
    with pytest.warns(ac.ReadWarning, match=r"key\.conll:4: the item '\(1\+2\)', which .* there are 2 such in all"):
        found = ac.score_files(key, response, profile="conll")
    counts = [[found[name].recall_num, found[name].recall_den] for name in ("mentions", "muc", "bcub", "ceafe")]
    assert counts == [[4, 4], [2, 2], [4, 4], [2, 2]]
    with pytest.warns(ac.ReadWarning, match="several ids"):
        assert ac.score_files(key, response, lenient=True)["mentions"].recall_den == 4


@cases("cell", ["(1,2)", "(1;2)", "(1+12)", "(e1+e2)", "(3)|(1,2)", "(1+2|(1)"])
@pytest.mark.parametrize("profile", ["paper", "conll"])
def test_several_ids_in_one_item(read, cell, profile):
    with pytest.raises(ReadError, match=r"x\.conll:4: several ids, .* in the coreference column"):
        read(one(f"w\t(1)\nw\t(2)\nw\t{cell}\n"), profile=profile)


@cases("cells", ["(a0) (0)", "(0ab) (0)", "(x_1) (x) (_1 _1)", "(A,B) (A)"])
def test_ids_that_hold_letters_and_marks(read, cells):
    found = read(one("".join(f"w\t{cell}\n" for cell in cells.split())))
    assert [start for start, *_ in mentions(found)] == [n for n, cell in enumerate(cells.split()) if "(" in cell]
