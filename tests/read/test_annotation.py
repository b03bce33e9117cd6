"""The rules for the files of all annotation tools: identity, mentions, places, names; shown by brat, the plainest."""

import pytest
from read_helpers import texts

import arraycoref as ac
from arraycoref.exceptions import ReadError, ReadWarning
from arraycoref.read import annotators_in, read_documents

pytestmark = [pytest.mark.filterwarnings(f"ignore:.*{what}") for what in ("no two of them in one entity", "not read")]

TEXT = "Ann saw her dog . It was hers .\n"
SPANS = ["T1\tMention 0 3\tAnn", "T2\tMention 8 11\ther", "T3\tMention 8 15\ther dog", "T4\tMention 18 20\tIt"]


@pytest.fixture
def folder(tmp_path):
    """Write a file for each name, lines of an ``.ann`` with the same text; return the folder."""

    def write(text=TEXT, **files):
        for name, lines in files.items():
            (tmp_path / f"{name}.ann").write_text("\n".join(lines), encoding="utf-8")
            (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def joins(*kinds):
    """Links of Ann with her, by each of some kinds."""
    return [f"R{n}\t{kind} Arg1:T2 Arg2:T1" for n, kind in enumerate(kinds)]


@pytest.mark.parametrize("kinds", [["COREFERENCE"], ["Coref_Of", "Part_Of"], ["EntityCoref", "coref"], ["Same"]])
def test_links_of_coreference_or_of_the_only_kind_are_identity(folder, kinds):
    assert texts(read_documents(folder(x=SPANS + joins(*kinds)))) == [["Ann", "her"], ["her dog"], ["It"]]


@pytest.mark.parametrize("kinds", [["Bridging"], ["Split_antecedent"], ["bridge:aggr", "split"]])
def test_bridging_and_split_antecedents_are_never_identity(folder, kinds):
    alone = [["Ann"], ["her dog"], ["her"], ["It"]]
    assert texts(read_documents(folder(x=SPANS + joins(*kinds)))) == alone  # all spans are mentions
    assert texts(read_documents(folder(x=SPANS + joins(*kinds, "Same")))) == [["Ann", "her"], ["her dog"], ["It"]]


def test_of_several_kinds_the_user_says_which(folder):
    path = folder(x=SPANS + joins("Same", "Part", "Bridging") + ["R9\tSame Arg1:T4 Arg2:T3"])
    reason = r"several relations, none named coreference: 'Same' \(2\), 'Part' \(1\); relations='NAME,NAME'"
    with pytest.raises(ReadError, match=reason) as caught:
        read_documents(path)
    assert caught.value.option == "relations"
    assert texts(read_documents(path, relations="Part")) == [["Ann", "her"], ["her dog"], ["It"]]
    assert texts(read_documents(path, relations=["Part", "Same"])) == [["Ann", "her"], ["her dog", "It"]]
    with pytest.raises(ReadError, match=r"no relation or layer Other; expected some of 'Same' \(2\), 'Part' \(1\)"):
        read_documents(path, relations="Other")
    assert ac.score_files(path, path, relations="Part,Same").notes[0].endswith("relations=Part,Same")


def test_types_are_those_that_any_file_joins(folder):
    """A document does not depend on which links its annotator drew."""
    amount = "T5\tAmount 4 7\tsaw"
    path = folder(x=[*SPANS, amount, *joins("coref")], y=[*SPANS, amount])
    documents = read_documents(path)
    assert texts(documents, 1) == [["Ann"], ["her dog"], ["her"], ["It"]]
    assert len(texts(read_documents(path / "y.ann"))) == 5  # no link: all spans


def test_blanks_at_ends_and_between_parts_are_nothing(folder):
    spans = ["T1\tMention 3 8;8 15\t", "T2\tMention 15 20\t", "T3\tMention 0 3;4 7\t", "T4\tMention 0 3;8 11\t"]
    documents = read_documents(folder(x=[*spans, "T5\tMention 16 20;0 7;3 4\t", "*\tcoref T1 T2"]))
    assert texts(documents) == [["Ann saw . It"], ["Ann her"], ["Ann saw"], ["saw her dog", ". It"]]
    assert [len(documents.mentions.parts_of(m)) for m in range(5)] == [2, 2, 1, 1, 1]


@pytest.fixture
def key(folder):
    """Write a key of the words: entity 0 has Ann, and a mention of two parts, her and It; her dog is alone."""
    cells = {0: "(0)", 2: "(1|(0a)", 3: "1)", 5: "(0a)"}
    rows = ["\t".join(["x\t0", str(n), word, *"-------", cells.get(n, "-")]) for n, word in enumerate(TEXT.split())]
    path = folder() / "key" / "key.conll"
    path.parent.mkdir()
    path.write_text("\n".join(["#begin document (x);", *rows, "#end document\n"]))
    return path


@pytest.mark.parametrize(("parts", "f1"), [("8 11;18 20", 1), ("18 20;10 11;8 9", 1), ("8 15;18 20", 2 / 3)])
def test_mentions_with_gaps_are_equal_if_all_parts_are(folder, key, parts, f1):
    """Also as words, of which parts of characters may be parts; two parts of neighbors are one."""
    spans = [SPANS[0], f"T2\tMention {parts}\t", "T3\tMention 8 11;12 14\t", "*\tcoref T1 T2"]
    path = folder(x=spans)
    with pytest.warns(ReadWarning, match=r"[12] mentions? of the response with a boundary within a word, counted as"):
        assert ac.score_files(key, path / "x.ann")["mentions"].f1 == pytest.approx(f1)


def test_numbers_are_of_code_points(folder):
    path = folder("\U0001f60a Ann saw her dog .", x=["T1\tMention 2 5\tAnn", "T2\tMention 10 13\ther", *joins("coref")])
    assert texts(read_documents(path)) == [["Ann", "her"]]


def test_a_span_in_two_entities_is_named_with_both(folder):
    path = folder(x=[*SPANS, "T5\tMention 8 11\ther", *joins("coref"), "R9\tcoref Arg1:T5 Arg2:T4"])
    reason = (
        "x.ann:5: document 'x': the mention 'her' of characters 8-10 is in two entities, 'T1' and 'T5', also on line 2"
    )
    with pytest.raises(ac.DuplicateMentionError, match=reason):
        ac.score_files(path, path)
    assert "warning: " + reason.partition(": ")[2] in str(ac.check(path / "x.ann"))


def test_a_span_twice_in_one_entity_counts_once(folder):
    path = folder(x=[*SPANS, "T5\tMention 8 11\ther", *joins("coref"), "R9\tcoref Arg1:T5 Arg2:T1"])
    with pytest.warns(
        ReadWarning, match=r"x.ann:5: 1 span twice in one entity, which count once; the first is 'her', 'T2' and 'T5'"
    ):
        assert texts(read_documents(path)) == [["Ann", "her"], ["her dog"], ["It"]]


def test_what_lies_beside_documents_is_passed_over(folder):
    path = folder(x=SPANS + joins("coref"))
    for name in ("annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf", ".stats_cache", "TypeSystem.xml"):
        (path / name).write_text("no document")
    for source in (path, f"{path}/*"):
        assert read_documents(source).names == ("x",)


def test_project_exports_name_documents_by_folders(tmp_path):
    for name, link in {"anna": joins("coref"), "ben": [], "INITIAL_CAS": []}.items():
        for document in ("a.txt", "b.txt"):
            path = tmp_path / "annotation" / document / f"{name}.ann"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(SPANS + link))
    root = str(tmp_path / "annotation")
    assert {name: len(files) for name, files in annotators_in(root).items()} == {"anna": 2, "ben": 2}
    reason = (
        "document 'a.txt' is annotated by 'anna' and 'ben'; annotator='anna' reads one annotator's, of 'anna', 'ben'"
    )
    with pytest.raises(ReadError, match=reason):
        read_documents(root)
    assert read_documents(root, annotator="ben").names == ("a.txt", "b.txt")
    with pytest.raises(ReadError, match="no annotator 'cleo'; expected one of 'anna', 'ben'"):
        read_documents(root, annotator="cleo")
    scores = ac.score_files(root, root, annotator="key:anna,response:ben")
    assert scores["mentions"].f1 == 1
    agreement = ac.agree(annotators_in(root), metrics="mentions,muc")
    assert list(agreement.documents) == ["a.txt", "b.txt"]
    assert agreement.means == {"mentions": 1.0, "muc": 0.0}
    (tmp_path / "key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0]]]}\n{"doc_key": "b", "clusters": []}')
    with pytest.raises(
        ac.InputError, match=r"document 'a(.txt)?': mentions are of characters in .*; expected the text on both"
    ):
        ac.score_files(tmp_path / "key.jsonl", root, annotator="anna")  # the names pair


def test_folders_named_annotation_that_are_no_project(tmp_path):
    for name in ("x", "y"):
        (tmp_path / "annotation" / "train").mkdir(parents=True, exist_ok=True)
        (tmp_path / "annotation" / "train" / f"{name}.ann").write_text("\n".join(SPANS))
    assert read_documents(tmp_path).names == ("x", "y")
    assert annotators_in(str(tmp_path / "no such folder")) == {}


def test_a_project_is_known_by_its_root(tmp_path):
    for name in ("source/a", "annotation/a/anna.tsv", "annotation/a/ben.tsv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#FORMAT=WebAnno TSV 3.3")
    assert list(annotators_in(str(tmp_path))) == ["anna", "ben"]
