"""Files of annotation tools in which links, spans or types were lost without a word; values are counted by hand."""

import json
import re
import tempfile
from pathlib import Path

import pytest

import arraycoref as ac
from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents
from marks import cases

XMI = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:c="http:///x.ecore" '
    'xmlns:t="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore">'
    '<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="a b c d"/>'
)
CHAINS = "#FORMAT=WebAnno TSV 3.3\n#T_CH=x.CoreferenceLink|referenceType|referenceRelation\n\n"


@pytest.fixture
def write(tmp_path):
    """Write files below a new folder, and return it."""

    def write(files):
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return folder

    return write


def entities(path, **options):
    """Return the spans of each entity of all documents, and what was doubtful."""
    doubts = []
    documents = read_documents(path, on_error=doubts.append, **options)
    sets = [sorted(cluster) for document in documents for cluster in document.clusters if cluster]
    return sorted(sets), [doubt.reason for doubt in doubts]


def brat(*links, types="MMM", text="a b c"):
    lines = [f"T{n}\t{kind} {2 * n} {2 * n + 1}\t{text[2 * n]}" for n, kind in enumerate(types)]
    return "\n".join([*lines, *links])


def doccano(*spans, relations=(), text="a b c d"):
    listed = [{"id": id, "label": "M", "start_offset": at, "end_offset": at + 1} for id, at in spans]
    links = [{"from_id": a, "to_id": b, "type": "coref"} for a, b in relations]
    return {"text": text, "entities": listed, "relations": links}


def studio(*spans, relations=(), others=(), text="a b c d"):
    listed = [{"id": i, "type": "labels", "value": {"start": at, "end": at + 1, "labels": ["M"]}} for i, at in spans]
    listed += [{"type": "relation", "from_id": a, "to_id": b, "labels": ["coref"]} for a, b in relations]
    return [{"data": {"text": text}, "annotations": [{"result": [*listed, *others]}]}]


def xmi(*elements):
    return "".join([XMI, *elements, "</xmi:XMI>"])


def link(id, begin, following=""):
    more = f' next="{following}"' if following else ""
    return f'<c:CoreferenceLink xmi:id="{id}" begin="{begin}" end="{begin + 1}"{more}/>'


def mmax(*attributes, stem="x", words=None, level="coref"):
    ids = words or [f"word_{n}" for n, _ in enumerate(attributes, 1)]
    markables = "".join(f'<markable id="m{n}" span="word_{n}" {each}/>' for n, each in enumerate(attributes, 1))
    return {
        f"{stem}_words.xml": "<words>" + "".join(f'<word id="{id}">w</word>' for id in ids) + "</words>",
        f"{stem}_{level}_level.xml": f"<markables>{markables}</markables>",
    }


def scheme(**pointers):
    """Declare pointers, in folders and spellings that are not those of the markables."""
    listed = "".join(f'<attribute name="{name}" type="markable_{kind}"/>' for name, kind in pointers.items())
    return {"SCHEMES/coref_scheme.xml": f"<annotationscheme>{listed}</annotationscheme>"}


ALONE = "3 spans, no two of them in one entity; not read: "


@cases(
    "name,content,said",
    [
        ("x.ann", brat("N1\tReference T0 Q:7\ta", "N2\tReference T1 Q:7\tb"), "normalizations 'Reference' (2)"),
        ("x.ann", brat("A1\tAnimacy T0 yes", "#1\tAnnotatorNotes T1\tx"), "attributes 'Animacy' (1), notes 'Annot"),
        ("x.ann", brat("R1\tBridging Arg1:T0 Arg2:T1"), "links 'Bridging' (1)"),
        ("x.json", studio((1, 0), (2, 2), (3, 4), others=[{"type": "choices", "id": 4}]), "results 'choices' (1)"),
        ("x_words.xml", mmax('kb="Q1"', 'kb="Q1"', 'kb="empty"'), "attributes 'kb' (2)"),
        ("x_words.xml", mmax('to="m2"', "", ""), "pointers that no scheme declares 'to' (1)"),
    ],
)
def test_spans_without_links(write, name, content, said):
    """One warning says what may have held them."""
    path = write(content if isinstance(content, dict) and "_words" in name else {name: content}) / name
    sets, doubts = entities(path)
    assert len(sets) == 3
    assert [doubt[: len(ALONE + said)] for doubt in doubts] == [ALONE + said]


@cases(
    "name,content,said",
    [
        ("x.jsonl", doccano((1, 0), (2, 2)), ["2 spans, no two of them in one entity"]),
        ("x.jsonl", doccano((1, 0)), []),
        ("x.ann", brat("R1\tCoref Arg1:T0 Arg2:T1", "N1\tReference T0 Q:7\ta"), []),
        (
            "x.ann",
            brat("R1\tCoref Arg1:T0 Arg2:T1", "R2\tPart Arg1:T1 Arg2:T2"),
            ["not read: links 'Part' (1); relations='Coref,Part' reads them as identity too"],
        ),
        ("x.ann", brat("R1\tCoref Arg1:T0 Arg2:T1", "R2\tBridging Arg1:T1 Arg2:T2"), []),
    ],
)
def test_what_is_not_read_beside_links(write, name, content, said):
    path = write({name: content}) / name
    assert entities(path)[1] == said
    if "relations" in str(said):
        assert entities(path, relations="Coref,Part") == ([[(0, 0), (2, 2), (4, 4)]], [])


@cases(
    "attributes,declared,sets,said",
    [
        (["", 'antecedent="m1"', "", 'antecedent="m3"'], {"Antecedent": "pointer"}, 2, []),
        (["", 'ANTECEDENT="m1"', "", 'Antecedent="none"'], {"antecedent": "pointer"}, 3, []),
        (["", 'ref="m1"', "", 'antecedent="empty"'], {"Antecedent": "pointer"}, 3, []),
        (["", 'to="m1"', "", 'bridging_to="m1"'], {"To": "pointer", "Bridging_to": "pointer"}, 3, []),
        (["", 'to="m1"', "", 'to="m1;m3"'], {"To": "pointer"}, 3, ["pointers to several markables 'to' (1)"]),
        (["", 'to="coref:m1"', "", 'to="np:m1"'], {"To": "pointer"}, 3, ["pointers into the level 'np' (1)"]),
        (['chain="s"', 'chain="s" to="m3"', "", ""], {"Chain": "set", "To": "pointer"}, 3, ["links 'to' (1)"]),
    ],
)
def test_pointers_that_a_scheme_declares(write, attributes, declared, sets, said):
    found, doubts = entities(write(mmax(*attributes) | scheme(**declared)))
    assert len(found) == sets
    assert [doubt.removeprefix("not read: ").partition(";")[0] for doubt in doubts] == said


COREF, TIME = "R1\tCoreference Arg1:T0 Arg2:T1", "R2\tCoreference Arg1:T2 Arg2:T3"
TEXT = {"anna/m.txt": "a b c d", "ben/m.txt": "a b c d"}


@cases(
    "anna,ben,expected",
    [
        ([COREF, TIME], [COREF], {"mentions": (4, 4, 4, 4), "muc": (1, 2, 1, 1), "bcub": (3, 4, 4, 4)}),
        ([COREF], [COREF, TIME], {"mentions": (4, 4, 4, 4), "muc": (1, 1, 1, 2), "bcub": (4, 4, 3, 4)}),
        ([COREF], [], {"mentions": (2, 2, 2, 2), "muc": (0, 1, 0, 0)}),
        ([], [], {"mentions": (4, 4, 4, 4)}),
        ([COREF], [COREF], {"mentions": (2, 2, 2, 2)}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no two of them in one entity")
def test_types_are_those_of_both_sides(write, anna, ben, expected):
    files = {
        f"{who}/m.ann": brat(*links, types="PPTT", text="a b c d") for who, links in (("anna", anna), ("ben", ben))
    }
    path = write(files | TEXT)
    scores = ac.score_files(path / "anna", path / "ben" / "m.ann")
    for metric, sums in expected.items():
        of = scores[metric]
        assert (of.recall_num, of.recall_den, of.precision_num, of.precision_den) == sums
    several = ac.analyze_files(path / "anna", {"one": path / "ben", "other": path / "anna"})
    assert several.systems == ("one", "other")
    three = {"anna": path / "anna", "ben": path / "ben", "more": path / "ben"}
    assert ac.agree(three, metrics="mentions").means == {"mentions": 1.0}


WORDS = {
    "doc_key": "d",
    "sentences": [["Mara", "read", "her", "notebook", "."]],
    "clusters": [[[0, 0], [2, 2]], [[2, 3]]],
}
CHARACTERS = {"doc_key": "d", "text": "Mara read her notebook.", "clusters": [[[0, 4], [10, 13]], [[10, 18]]]}


@cases(
    "name,content,n",
    [
        ("d.jsonl", CHARACTERS, 1),
        ("d.jsonl", {**CHARACTERS, "clusters": [[[0, 4], [10, 13]], [[10, 22]]]}, 0),
        ("d.jsonl", {**CHARACTERS, "clusters": [[[1, 4], [10, 13]], [[10, 21]]]}, 2),
        ("d.ann", "T0\tM 0 4\tMara\nT1\tM 10 13\ther\nT2\tM 10 18\ther note\nR1\tCoref Arg1:T0 Arg2:T1", 1),
        ("d.ann", "T0\tM 0 4\tMara\nT1\tM 10 13\ther\nT2\tM 10 12;14 22\the notebook\nR1\tCoref Arg1:T0 Arg2:T1", 1),
    ],
)
@pytest.mark.parametrize("of_key", [False, True])
def test_parts_of_words_are_named(write, name, content, n, of_key):
    folder, doubts = write({"k.jsonl": WORDS, name: content, "d.txt": CHARACTERS["text"]}), []
    sides = [folder / "k.jsonl", folder / name]
    options = {("key" if of_key else "response") + "_format": "fastcoref"} if name == "d.jsonl" else {}
    scores = ac.score_files(*sides[:: -1 if of_key else 1], on_error=doubts.append, **options)
    assert scores["mentions"].f1 == 1
    side = "key" if of_key else "response"
    said = (
        f"{n} mention{'s' * (n > 1)} of the {side} with a boundary within a word, counted as whole words; the first is"
    )
    assert [doubt.reason.startswith(said) for doubt in doubts] == [True] * (n > 0)


@cases("names", ["CoreferenceLink,ThingLink", "x.CoreferenceLink,x.ThingLink", "Coreference,x.Thing"])
def test_layers_of_chains_by_the_names_of_the_header(write, names):
    header = CHAINS.replace("\n\n", "\n#T_CH=x.ThingLink|referenceType|referenceRelation\n\n")
    rows = [
        "1-1\t0-1\ta\t_[1]\t*->1-1\t_\t_",
        "1-2\t2-3\tb\t_\t_\t_[1]\t*->1-1",
        "1-3\t4-5\tc\t_[1]\t*->1-2\t_[1]\t*->1-2",
    ]
    assert len(entities(write({"x.tsv": header + "\n".join(rows)}) / "x.tsv", relations=names)[0]) == 2


def turn(n, end, stop):
    return {"start": str(n), "end": str(end), "startOffset": 0, "endOffset": stop, "paragraphlabels": ["P"]}


def dialogue(*values, turns=("Mara saw Ben.", "She waved.")):
    spans = [{"id": f"s{n}", "type": "paragraphlabels", "value": value} for n, value in enumerate(values)]
    spans.append({"type": "relation", "from_id": "s1", "to_id": "s0", "labels": ["coref"]})
    return [{"data": {"talk": [{"author": "A", "text": text} for text in turns]}, "annotations": [{"result": spans}]}]


def test_turns_of_a_dialogue(write):
    read = lambda task: entities(write({"x.json": task}) / "x.json")  # noqa: E731
    assert read(dialogue(turn(0, 0, 4), turn(1, 1, 3))) == ([[(0, 3), (14, 16)]], [])
    assert read(dialogue(turn(0, 0, 4), turn(0, 1, 3))) == ([[(0, 3), (0, 16)]], [])
    with pytest.raises(ReadError, match=r"end of a span is '2'; expected one of 2 turns, from 0"):
        read(dialogue(turn(0, 0, 4), turn(1, 2, 3)))
    with pytest.raises(
        ReadError, match=r"no text among the fields 'talk' of data; expected a field text, or a list of"
    ):
        read(dialogue(turn(0, 0, 4), turns=(1, 2)))
    task = dialogue(turn(0, 0, 4), turn(1, 1, 3))[0]
    task["data"] |= {"title": "x", "tags": ["a"], "numbers": [1, 2]}
    assert read([task]) == ([[(0, 3), (14, 16)]], [])
    task["data"] |= {"other": [{"text": "a"}], "more": "y"}
    with pytest.raises(ReadError, match=r"no text among the fields 'title, more' of data"):
        read([task])


@cases("folder", ["customization", "Customizations", "schemes", "Styles", "STYLES"])
def test_folders_beside_mmax2(write, folder):
    files = {"x.mmax": "<mmax_project><words>x_words.xml</words></mmax_project>", f"{folder}/x.xsl": "<a/>"}
    assert entities(write(mmax('coref_class="s"', 'coref_class="s"') | files)) == ([[(0, 0), (1, 1)]], [])


@cases(
    "broken,said",
    [
        ("<xmi:XMI><a></xmi:XMI>", "not XML: unbound prefix"),
        ("<mmax_project><words>y_words.xml</words></mmax_project>", "the words are in 'y_words.xml', which is neither"),
        ("<words><word>", "not XML: no element found"),
        ('{"%FEATURE_STRUCTURES": []', "not JSON"),
        (XMI + "</xmi:XMI>\xff", "not XML"),
    ],
)
def test_check_goes_on(write, broken, said):
    path = write({"a.xmi": broken, "m.ann": brat(COREF), "z.ann": brat("T9\tM 3 3\t")})
    found = ac.check(path)
    errors = [error.message for error in found.errors]
    assert len(errors) == 2
    assert errors[0].startswith(said)
    assert errors[1].startswith("the span 'T9' from 3 to 3 is empty")
    assert (found.n_documents, found.n_mentions) == (2, 6)


@cases(
    "name,content,said",
    [
        ("x.jsonl", doccano(([1], 0)), r"id is \[1\]; expected a text or a number"),
        ("x.json", studio(({"a": 1}, 0)), r"id is {'a': 1}; expected a text or a number"),
        ("x.json", studio((1, 0), relations=[([1], 1)]), r"from_id is \[1\]; expected a text or a number"),
        ("x.jsonl", doccano((1, 0), (2, 2), (2, 4), relations=[(1, 2)]), "the link 'coref' names '2', which is two sp"),
        ("x.json", studio((1, 0), (2, 2), (2, 4), relations=[(2, 1)]), "the link 'coref' names '2', which is two sp"),
        ("x.json", studio((1, 0), relations=[(1, 3)]), "the link 'coref' names '3', which is no span"),
        (
            "x.xmi",
            xmi(link(4, 0, 5), link(55, 2, 6), link(6, 4)),
            "the link 'x.CoreferenceLink' names '5', which is no span",
        ),
        (
            "x.xmi",
            xmi(link(4, 0, 5), link(5, 2), link(5, 4)),
            "the link 'x.CoreferenceLink' names '5', which is two spa",
        ),
        (
            "x.xmi",
            xmi(link(5, 0), '<c:Coref xmi:id="7" begin="0" end="1" Governor="5" Dependent="8"/>'),
            "the link 'x.Coref' names '8', which is no span",
        ),
        ("x_words.xml", mmax("", "", words=["word_1", "word_1", "word_2"]), "a second word 'word_1'"),
        (
            "x.tsv",
            CHAINS + "1-1\t0-1\ta\t_\t*->1-1\n1-2\t2-3\tb\t_\t_\n1-3\t4-5\tc\t_\t*->1-1",
            "the span '1-1' of line",
        ),
    ],
)
def test_doubled_and_dangling_references(write, name, content, said):
    """Each is a fault, which lenient reading passes over."""
    path = write(content if "_words" in name else {name: content}) / name
    with pytest.raises(ReadError, match=said):
        read_documents(path)
    faults = []
    read_documents(path, lenient=True, on_error=faults.append)
    assert sum(re.search(said, fault.reason) is not None for fault in faults) == 1


def test_markables_of_one_id(write):
    files = mmax("", 'ref="m1"', 'ref="m2"')
    name = next(name for name in files if "level" in name)
    path = write(files | {name: files[name].replace('"m3"', '"m1"')})
    with pytest.raises(ReadError, match="the link 'coref' names 'm1', which is two spans of this document"):
        read_documents(path)


SETS = ('coref_class="s"', 'coref_class="s"')


@cases(
    "other,sets",
    [
        (("", 'ref="m1"'), [[(0, 0), (1, 1)]]),
        (("", 'antecedent="m1"'), [[(0, 0), (1, 1)]]),
        (("", ""), [[(0, 0)], [(1, 1)]]),
        (('coref_class="t"', 'ref="m1"'), [[(0, 0)], [(1, 1)]]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*not read")
def test_sets_and_pointers_each_in_their_documents(write, other, sets):
    path = write(mmax(*SETS, stem="a") | mmax(*other, stem="b") | scheme(Antecedent="pointer"))
    documents = read_documents(path)
    assert [sorted(map(sorted, documents[name].clusters)) for name in "ab"] == [[[(0, 0), (1, 1)]], sets]


def test_chains_and_relations_of_cas_each_in_their_documents(write):
    mention = '<c:M xmi:id="{0}" begin="{1}" end="{2}"/>'
    relation = '<c:CorefRelation begin="0" end="1" Governor="4" Dependent="5"/>'
    other = xmi(mention.format(4, 0, 1), mention.format(5, 2, 3), mention.format(6, 4, 5), relation)
    path = write({"a.xmi": xmi(link(4, 0, 5), link(5, 2)), "b.xmi": other})
    documents = read_documents(path)
    found = [sorted(map(sorted, documents[name].clusters)) for name in "ab"]
    assert found == [[[(0, 0), (2, 2)]], [[(0, 0), (2, 2)], [(4, 4)]]]


def test_defaults_of_attributes_are_not_taken(write):
    default = '<!DOCTYPE x [<!ATTLIST c:CoreferenceLink next CDATA "4">]>'
    elements = '<c:CoreferenceChain first="4"/>', link(4, 0), link(5, 2)
    content = f'<?xml version="1.0"?>{default}{xmi(*elements)}'
    assert entities(write({"x.xmi": content}) / "x.xmi")[0] == [[(0, 0)], [(2, 2)]]


@cases("tokens,n", [([(0, 1), (2, 3)], 0), ([(0, 3), (2, 3)], 1), ([(0, 1), (0, 1)], 1), ([(0, 3), (2, 5), (4, 5)], 1)])
def test_tokens_that_overlap(write, tokens, n):
    """Their mentions are of characters, with a warning."""
    listed = [f'<t:Token xmi:id="{i}" begin="{a}" end="{b}"/>' for i, (a, b) in enumerate(tokens, 9)]
    doubts = []
    path = write({"x.xmi": xmi(*listed, link(4, 0, 5), link(5, 2))}) / "x.xmi"
    documents = read_documents(path, on_error=doubts.append)
    assert documents.units == (("character" if n else "word"),)
    assert [doubt.reason.startswith("the words overlap, as one from") for doubt in doubts] == [True] * n


@cases("shift,said", [(0, 0), (1, 0), (2, 1)])
def test_numbers_beside_a_byte_order_mark(write, shift, said):
    """Some programs count it, and others do not."""
    lines = [f"T{n}\tM {at + shift} {at + shift + 1}\t{letter}" for n, (at, letter) in enumerate([(0, "a"), (2, "b")])]
    content = "\n".join([*lines, "R1\tCoref Arg1:T0 Arg2:T1"])
    sets, doubts = entities(write({"x.ann": content, "x.txt": "\ufeffaxbxyz"}) / "x.ann")
    assert (len(sets), len(doubts)) == (1, said)


@cases(
    "sentences,expected",
    [
        ({}, [4]),
        ({"x_sentence_level.xml": ["word_1..word_3", "word_4"]}, [3, 1]),
        ({"Markables/x_sentences_level.xml": ["word_3..word_4"]}, [2, 2]),
        ({"x_sentence_level.xml": ["word_9", ""]}, [4]),
    ],
)
def test_sentences_of_mmax2(write, sentences, expected):
    files = {
        name: "<markables>" + "".join(f'<markable id="m" span="{span}"/>' for span in spans) + "</markables>"
        for name, spans in sentences.items()
    }
    documents = read_documents(write(mmax(*SETS, "", "") | files))
    assert [len(words) for words in documents[0].sentences] == expected
    assert sorted(map(sorted, documents[0].clusters)) == [[(0, 0), (1, 1)], [(2, 2)], [(3, 3)]]


@cases("labels,n", [(["1", "1", "-1", "-1"], 2), (["1", "1"], 0), (["1", ""], 1)])
def test_rows_of_booknlp_without_an_entity(write, labels, n):
    rows = [f"{label}\t{at}\t{at}\tPER\tx" for at, label in enumerate(labels)]
    table = "\n".join(["COREF\tstart_token\tend_token\tcat\ttext", *rows, ""])
    path = write({"x.entities": table}) / "x.entities"
    scores = ac.score_files(path, path)
    assert scores["mentions"].recall_den == len(labels) - n
    said = [
        f"{n} mention{'s' * (n > 1)} of the {side} in no entity (COREF is -1) left out" for side in ("key", "response")
    ]
    assert list(scores.notes) == said * (n > 0)
