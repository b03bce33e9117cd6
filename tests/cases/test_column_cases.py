"""CoNLL columns and CoNLL-U: words that hide something, columns that a format cannot hold, and what each must give."""

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.exceptions import DocumentMismatchError, ReadError, ReadWarning
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from marks import cases

CELLS = ("(0", "0)", "-", "(1)", "(0)", "(1)")
ENGLISH = ("the", "cat", "saw", "Ann", "it", "her")


def conll(words, cells=CELLS):
    pairs = enumerate(zip(words, cells, strict=True))
    rows = ["\t".join(["nw/y", "0", str(n), word, *7 * "-", cell]) for n, (word, cell) in pairs]
    return "\n".join(["#begin document (nw/y); part 000", *rows, "#end document", ""])


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


@cases("gap,parted", [("\t", "\r\t"), ("\t", " \r\t"), ("   ", "\r   "), ("   ", " \r   ")])
def test_carriage_returns_before_blanks(write, gap, parted):
    text = conll(ENGLISH).replace("\t", gap)
    file = write("a.conll", text.replace(f"cat{gap}", f"cat{parted}").replace(f"-{gap}(1)", f"-{parted}(1)"))
    scores = ac.score_files(file, write("b.conll", text))
    assert (scores["mentions"].recall, scores["muc"].f1, read_documents(file).text[0].words()) == (1, 1, [*ENGLISH])


def test_a_carriage_return_that_may_end_a_line(write):
    with pytest.raises(ReadError, match=":3: a carriage return within a line"):
        read_documents(write("a.conll", conll(("the", "c\rat", *ENGLISH[2:]))))


@cases("mask", ["[WORD]", "_", "x"])
def test_masked_words(write, mask):
    key, response = write("key.conll", conll(6 * [mask])), write("response.conll", conll(ENGLISH))
    for sides in ((key, response), (response, key)):
        assert ac.score_files(*sides)["muc"].f1 == 1


def test_words_that_differ_are_not_masked(write):
    with pytest.raises(DocumentMismatchError, match="6 of 6 tokens differ"):
        ac.score_files(write("key.conll", conll(ENGLISH)), write("response.conll", conll(ENGLISH[::-1])))


@cases("text", ['""" it"', '" it', '"it'])
def test_texts_in_quotes(write, text):
    key = write("key.conll", conll(("Ann", '"', "it", "."), ("(0)", "(1", "1)", "-")))
    rows = f"COREF\tstart_token\tend_token\tprop\tcat\ttext\n0\t0\t0\tPROP\tPER\tAnn\n1\t1\t2\tPROP\tPER\t{text}\n"
    assert ac.score_files(key, write("r.entities", rows))["mentions"].f1 == 1


@cases("text", ['""" her"', '"her"'])
def test_other_texts_in_quotes(write, text):
    key = write("key.conll", conll(("Ann", '"', "it", "."), ("(0)", "(1", "1)", "-")))
    rows = f"COREF\tstart_token\tend_token\tprop\tcat\ttext\n0\t0\t0\tPROP\tPER\tAnn\n1\t1\t2\tPROP\tPER\t{text}\n"
    with pytest.raises(DocumentMismatchError, match="1 of 2 mentions"):
        ac.score_files(key, write("r.entities", rows))


@cases("style", ["markdown", "xml-text"])
def test_words_that_part_windows_are_listed(write, tmp_path, style):
    documents = read_documents(write("a.conll", conll(("the", "cat", "[MID]", "Ann", "it", "her"))))
    with pytest.warns(ReadWarning, match=r"words \[MID\], which part windows \(1\)"):
        write_documents(documents, tmp_path / "out.jsonl", format=style)


@cases("begin", ["\ufeff", "\ufeff ", "\n\ufeff"])
def test_a_mark_at_the_beginning_of_a_text_is_no_part_of_a_word(write, tmp_path, begin):
    text, at = f"{begin}Ann ran. She won.", len(begin)
    spans = [[at, at + 3], [at + 9, at + 12]]
    file = write("a.jsonl", f'{{"text": "{text}", "clusters": [{spans}]}}'.replace("\n", "\\n") + "\n")
    write_documents(read_documents(file, unit="character", end="exclusive"), tmp_path / "out.conll")
    (document,) = read_documents(tmp_path / "out.conll")
    assert (document.words, document.clusters) == (["Ann", "ran.", "She", "won."], [[(0, 0), (2, 2)]])


@cases(
    "rows,n",
    [("d 0 Ann (0)|d 1 ran -", 2), ("d\t0\tx\t7\tAnn\t(0)", 2), ("Ann\t(0)|she\t(0)", 1), ("d 0 (0)|d 1 -", 0)],
)
def test_cells_that_may_be_words_are_listed(write, tmp_path, rows, n):
    lines = rows.replace("|", "\n")
    doubts = []
    documents = read_documents(write("a.conll", f"#begin document (d)\n{lines}\n#end document\n"))
    write_documents(documents, tmp_path / "out.jsonl", on_error=doubts.append)
    assert [doubt.reason.partition(": ")[2] for doubt in doubts] == [f"cells of columns that may be words ({n})"] * (
        n > 0
    )


@cases("command", ["convert a.conll b.jsonl", "check a.conll"])
@cases("cell,way", [("(1+2)", "--profile 'conll', which skips"), ("(1),(2)", "--profile 'conll' reads in its")])
def test_options_that_a_command_lacks_are_of_another(write, monkeypatch, tmp_path, command, cell, way):
    write("a.conll", conll(ENGLISH[:1], [cell]))
    monkeypatch.chdir(tmp_path)
    done = CliRunner(env={"COLUMNS": None}).invoke(main, command.split())
    assert f"score {way}" in done.output
