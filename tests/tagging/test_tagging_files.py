"""Several files a side: paired by name, scored as one, under the policies for files that one side lacks."""

import gzip
import os

import numpy as np
import pytest

from arraycoref.exceptions import DocumentMismatchError, InputError, OptionError, ReadError
from arraycoref.tagging import compare_files, confusions, read_lexicon, score_known, score_tag_files

ONE = "a\tconj\nb\tsubst:sg:nom:n\n\nc\tconj\n"
TWO = "d\tconj\ne\tadj:sg:nom:n:pos\n"
BAD = "d\tinterp\ne\tsubst:sg:acc:n\n"


@pytest.fixture
def folders(tmp_path):
    """Gold: one, two, lower/three; the system: one (compressed), two, four."""
    for side, files in (
        ("gold", {"one.tsv": ONE, "two.tsv": TWO, "lower/three.tsv": ONE}),
        ("system", {"one.tsv.gz": ONE, "two.txt": BAD, "four.tsv": ONE, ".hidden.tsv": "x"}),
    ):
        for name, text in files.items():
            path = tmp_path / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return tmp_path / "gold", tmp_path / "system"


def score(folders, **options):
    return score_tag_files(*folders, tagset="nkjp", measures="exact,pa,Words", **options)


def test_policies(folders):
    with pytest.raises(DocumentMismatchError, match=r"missing from .*: 1 of 3 documents \('lower/three'\)"):
        score(folders)
    with pytest.raises(DocumentMismatchError, match=r"missing from .*: 1 of 3 documents \('four'\)"):
        score(folders, missing_documents="skip")
    skipped = score(folders, missing_documents="skip", extra_documents="ignore")
    assert skipped.counts["exact"].tolist() == [[3, 3, 3, 3], [0, 2, 0, 2]]
    assert skipped.signature.missing_documents == "skip"
    empty = score(folders, missing_documents="empty", extra_documents="ignore")
    assert empty.names == ("lower/three", "one", "two")
    assert empty.counts["exact"].tolist() == [[0, 3, 0, 0], [3, 3, 3, 3], [0, 2, 0, 2]]
    assert empty.counts["Words"].tolist() == [[0, 3, 0, 0], [3, 3, 3, 3], [2, 2, 2, 2]]


def test_files_are_scored_as_one_text(folders):
    together = score(folders, missing_documents="skip", extra_documents="ignore", unit="sentence")
    assert together.names == ("one:1", "one:2", "two:1")
    gold, system = folders
    alone = [
        score((gold / a, system / b), unit="sentence") for a, b in (("one.tsv", "one.tsv.gz"), ("two.tsv", "two.txt"))
    ]
    for name in together.metrics:
        rows = np.concatenate([scores.counts[name] for scores in alone])
        np.testing.assert_array_equal(together.counts[name], rows)
    table = compare_files(*folders, tagset="nkjp", missing_documents="skip", extra_documents="ignore")
    assert confusions(table) == [("adj", "subst", 1), ("conj", "interp", 1)]
    known = score_known(table, read_lexicon(gold / "one.tsv"), measures="exact")
    assert known["unknown"]["exact"].recall_den == 2
    assert known["known"].correctness("exact") == (1, 1, 1)


def test_patterns_lists_and_one_file(folders):
    gold, system = folders
    paths = [gold / "two.tsv", gold / "one.tsv"], [system / "one.tsv.gz", str(system / "two.txt")]
    assert score(paths).names == ("two", "one")
    assert score((str(gold / "[ot]*.tsv"), str(system / "*")), extra_documents="ignore").names == ("one", "two")
    assert score((gold / "two.tsv", system), extra_documents="ignore").names == ("two",)
    # one file a side are a pair, whatever they are called, and keep the names that the file gives its documents
    assert score((gold / "one.tsv", system / "four.tsv")).names == (str(gold / "one.tsv"),)


def test_documents_of_files(tmp_path):
    text = "# newdoc id = {}\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "x.conllu").write_text(text.format("d") + text.format("e"))
        (tmp_path / side / "y.conllu").write_text(text.format("d"))
        (tmp_path / side / "z.conllu").write_text(text.format("").replace(" id = ", ""))
    scores = score_tag_files(tmp_path / "gold", tmp_path / "system")
    assert scores.names == ("x:d", "x:e", "y:d", "z:document 1")
    assert scores["UPOS"].f1 == 1


def test_faults_of_several_files(folders):
    gold, system = folders
    options = {"missing_documents": "skip", "extra_documents": "ignore"}
    (system / "two.txt").write_text("x\tconj\n")
    with pytest.raises(InputError, match=r"the texts differ: 'de' at .*two\.tsv:1, 'x' at .*two\.txt:1"):
        score(folders, **options)
    (gold / "one.xml").write_text("<c/>")
    with pytest.raises(InputError, match="two files are named 'one'"):
        score(folders, **options)


def test_a_pipe_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.tsv")
    for path in (tmp_path / "pipe.tsv", "-"):
        with pytest.raises(OptionError, match="can be read only once"):
            compare_files([path], path)


def test_separators(tmp_path):
    path = tmp_path / "ud.tsv"
    path.write_text("a\tNOUN|Case=Nom\n")
    with pytest.raises(ReadError, match="unknown part of speech 'Case=Nom'"):
        score_tag_files(path, path, tagset="ud")
    assert score_tag_files(path, path, tagset="ud", separator="")["pa"].recall_num == 1
