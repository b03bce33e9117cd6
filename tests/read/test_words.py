"""Mentions of characters become spans of words where they are written as CoNLL or JSON lines."""

import pytest
from read_helpers import mentions, texts

import arraycoref as ac
from arraycoref.read import read_documents
from arraycoref.read.write import with_words, write_documents

TEXT = "Ann saw\nher  dog .\n"
SPANS = ["T1\tMention 0 3\tAnn", "T2\tMention 8 11\ther", "T3\tMention 8 16\ther  dog", "*\tcoref T1 T2"]


@pytest.fixture
def brat(tmp_path):
    def write(*lines):
        (tmp_path / "x.ann").write_text("\n".join(lines))
        (tmp_path / "x.txt").write_text(TEXT)
        return tmp_path / "x.ann"

    return write


def test_words_between_blanks_and_a_sentence_on_each_line(brat):
    documents = with_words(read_documents(brat(*SPANS)))
    assert mentions(documents) == [(0, 0, 0), (2, 3, 1), (2, 2, 0)]
    assert documents.text[0].sentences() == [["Ann", "saw"], ["her", "dog", "."]]
    assert (documents.units, documents.n_tokens.tolist()) == (("word",), [5])


def test_parts(brat):
    documents = with_words(read_documents(brat(*SPANS, "T4\tMention 0 3;8 11\t", "T5\tMention 4 7;13 16\t")))
    parts = [documents.mentions.parts_of(m).tolist() for m in range(5)]
    assert [[[end >> 20 for end in part] for part in each] for each in parts][:2] == [[[1, 1], [3, 3]], [[1, 1]]]
    assert documents.mentions.end.tolist() == [2, 0, 3, 3, 2]
    assert texts(documents)[0] == ["Ann her"]


@pytest.mark.parametrize("suffix", [".conll", ".jsonl"])
def test_written_and_read_again(brat, tmp_path, suffix):
    path = brat(*SPANS)
    write_documents(read_documents(path), tmp_path / f"y{suffix}", on_error=lambda _: None)
    again = read_documents(tmp_path / f"y{suffix}")
    assert sorted(mentions(again)) == sorted(mentions(with_words(read_documents(path))))
    assert ac.score_files(tmp_path / f"y{suffix}", path, tokens="ignore").conll == 1


@pytest.mark.parametrize("place", ["0 2", "9 11", "8 15"])
def test_a_mention_within_a_word_is_named(brat, place):
    documents = read_documents(brat(f"T1\tMention {place}\t"))
    with pytest.raises(ac.InputError, match=r"x.ann: document 'x': the mention '.*' of characters .* within a word"):
        write_documents(documents, "-", format="conll")
