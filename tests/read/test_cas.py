"""UIMA CAS: chains, relations and CorefAnnotator's mentions, in XMI and in JSON."""

import gzip
import json
import re

import pytest
from read_helpers import texts

from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents

pytestmark = [pytest.mark.filterwarnings(f"ignore:.*{what}") for what in ("no two of them in one entity", "not read")]

TEXT = "Ann saw \U0001f60a her dog ."
DKPRO = "de/tudarmstadt/ukp/dkpro/core/api"
SPACES = {
    "xmi": "http://www.omg.org/XMI",
    "cas": "http:///uima/cas.ecore",
    "meta": f"http:///{DKPRO}/metadata/type.ecore",
    "seg": f"http:///{DKPRO}/segmentation/type.ecore",
    "type7": f"http:///{DKPRO}/coref/type.ecore",
    "dep": f"http:///{DKPRO}/syntax/type/dependency.ecore",
    "own": "http:///webanno/custom.ecore",
    "v1": "http:///de/unistuttgart/ims/coref/annotator/api/v1.ecore",
    "v2": "http:///de/unistuttgart/ims/coref/annotator/api/v2.ecore",
}
"""Prefixes mean nothing: two of these are not those that tools use."""

WORDS = [(0, 3), (4, 7), (8, 10), (11, 14), (15, 18), (19, 20)]
"""In units of UTF-16."""
TOKENS = [("seg:Token", {"begin": a, "end": b}) for a, b in WORDS] + [("seg:Sentence", {"begin": 0, "end": 20})]
CHAIN = [
    ("type7:CoreferenceLink", {"id": 91, "begin": 11, "end": 14}),
    ("type7:CoreferenceLink", {"id": 90, "begin": 0, "end": 3, "next": 91}),
    ("type7:CoreferenceChain", {"first": 90}),
    ("type7:CoreferenceLink", {"id": 92, "begin": 11, "end": 18}),
    ("type7:CoreferenceChain", {"first": 92}),
]
ENTITIES = [["Ann", "her"], ["her dog"]]


def numbered(structures):
    """Give ids to structures that have none."""
    return [(kind, {"id": n, **features}) for n, (kind, features) in enumerate(structures, 10)]


def xmi(*structures, text=TEXT, head='<?xml version="1.0"?>', left_out=()):
    """Make a file of structures of a type with a prefix, all but a few in the view."""
    listed = numbered(structures)
    lines = []
    for kind, features in listed:
        attributes = "".join(f' {"xmi:id" if name == "id" else name}="{value}"' for name, value in features.items())
        lines.append(f"<{kind}{attributes}/>")
    spaces = "".join(f' xmlns:{prefix}="{space}"' for prefix, space in SPACES.items())
    members = " ".join(str(features["id"]) for _, features in listed if features["id"] not in left_out)
    lines.append(
        f'<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="{text}"/><cas:View sofa="1" members="{members}"/>'
    )
    return "\n".join([f"{head}<xmi:XMI{spaces}>", *lines, "</xmi:XMI>"])


def in_json(*structures, mapping=False):
    """Make the JSON of structures; of a list, or of a mapping from ids."""
    listed = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": TEXT}]
    for kind, features in numbered(structures):
        prefix, name = kind.split(":")
        space = SPACES[prefix].removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
        own = {
            f"@{n}" if n in ("next", "first", "Governor", "Dependent") else n: v
            for n, v in features.items()
            if n != "id"
        }
        listed.append({"%ID": features["id"], "%TYPE": f"{space}.{name}", **own})
    members = [each["%ID"] for each in listed[1:]]
    views = {"_InitialView": {"%SOFA": 1, "%MEMBERS": members}}
    of_ids = {str(each.pop("%ID")): each for each in map(dict, listed)}
    return json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": of_ids if mapping else listed, "%VIEWS": views})


@pytest.fixture
def cas(tmp_path):
    """Write a file and read it."""

    def read(content, name="x.xmi", **options):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_documents(tmp_path / name, **options)

    return read


@pytest.mark.parametrize(("make", "name"), [(xmi, "x.xmi"), (in_json, "x.json"), (xmi, "x.xml"), (xmi, "x.txt")])
def test_chains_are_what_next_connects(cas, make, name):
    documents = cas(make(*TOKENS, *CHAIN), name)
    assert texts(documents) == ENTITIES
    assert documents.text[0].sentences() == [["Ann", "saw", "\U0001f60a", "her", "dog", "."]]
    assert (documents.names, documents.units, documents.mentions.end.tolist()) == (("x",), ("word",), [0, 4, 3])
    assert documents.entities == (("90", "92"),)


def test_json_with_a_mapping_from_ids_or_as_format(cas):
    assert texts(cas(in_json(*TOKENS, *CHAIN, mapping=True), "x.json")) == ENTITIES
    assert texts(cas(in_json(*TOKENS, *CHAIN), "x.json", format="cas")) == ENTITIES
    assert texts(cas(in_json(*CHAIN).replace('"%TYPES": {}, ', '"other": 1, '), "x.json")) == ENTITIES


@pytest.mark.parametrize("words", [[], [("seg:Token", {"begin": 0, "end": 10}), *TOKENS[3:]]])
def test_without_words_at_all_ends_spans_are_of_characters(cas, words):
    documents = cas(xmi(*words, *CHAIN))
    assert texts(documents) == ENTITIES
    assert (documents.units, documents.mentions.start.tolist(), documents.n_tokens.tolist()) == (
        ("character",),
        [0, 10, 10],
        [19],
    )


def test_only_members_of_the_view_count(cas):
    assert texts(cas(xmi(*TOKENS, *CHAIN, left_out=[92]))) == ENTITIES[:1]


def test_documents_are_named_by_their_title(cas, tmp_path):
    own = ("meta:DocumentMetaData", {"documentTitle": "novel.txt", "documentId": "anna", "begin": 0, "end": 20})
    documents = cas(xmi(*CHAIN, own))
    assert (documents.names, documents.named.tolist()) == (("novel.txt",), [True])
    cas(xmi(*CHAIN, (own[0], own[1] | {"documentId": "ben"})), "y.xmi")
    with pytest.raises(ReadError, match=r"document 'novel.txt' is annotated by 'anna' and 'ben'"):
        read_documents(tmp_path)
    assert len(read_documents(tmp_path, annotator="ben")) == 1


MENTIONS = [("own:Mention", {"id": n, "begin": a, "end": b}) for n, a, b in ((50, 0, 3), (51, 11, 14), (52, 11, 18))]
OTHERS = [
    ("own:RoleLink", {"role": "agent", "target": 50}),
    ("dep:Dependency", {"begin": 0, "end": 3, "Governor": 10, "Dependent": 11}),
    ("own:Amount", {"begin": 4, "end": 7}),
]


def test_relations_of_spans(cas):
    link = ("own:CorefRelation", {"begin": 0, "end": 3, "Governor": 50, "Dependent": 51, "label": "same"})
    bridge = ("own:CorefRelation", {"begin": 0, "end": 3, "Governor": 50, "Dependent": 52, "label": "bridging"})
    for make, name in ((xmi, "x.xmi"), (in_json, "x.json")):
        assert texts(cas(make(*TOKENS, *MENTIONS, *OTHERS, link, bridge), name)) == ENTITIES
    assert len(cas(xmi(*TOKENS, *MENTIONS, *OTHERS)).mentions) == 0  # no chain and no relation: no mentions
    missing = ("own:CorefRelation", {"id": 70, "begin": 0, "end": 3, "Governor": 50, "Dependent": 99})
    with pytest.raises(
        ReadError, match=r"x.xmi:5: the link 'webanno.custom.CorefRelation' names '99', which is no span"
    ):
        cas(xmi(*MENTIONS, missing))


GROUPS = [
    (f"{{}}:{name}", {"id": n, "Label": label})
    for name, n, label in (("Entity", 60, "Ann"), ("EntityGroup", 61, "dog"), ("Entity", 62, "?"))
]
WITHIN = [("v1:Mention", {"begin": 0, "end": 3, "Entity": 60}), ("v1:Mention", {"begin": 11, "end": 14, "Entity": 60})]
PARTS = [
    ("v1:Mention", {"begin": 4, "end": 7, "Entity": 61, "Discontinuous": 63}),
    ("v1:DetachedMentionPart", {"id": 63, "begin": 15, "end": 18}),
]
SURFACES = [
    *[("v2:Mention", {"id": n, "Entity": entity}) for n, entity in ((64, 60), (65, 60), (66, 61))],
    *[
        ("v2:MentionSurface", {"begin": a, "end": b, "Mention": n})
        for n, a, b in ((64, 0, 3), (65, 11, 14), (66, 15, 18), (66, 4, 7))
    ],
]


@pytest.mark.parametrize(("version", "mentions"), [("v1", WITHIN + PARTS), ("v2", SURFACES)])
def test_corefannotator_with_groups_and_parts(cas, version, mentions):
    content = xmi(*[(kind.format(version), features) for kind, features in GROUPS], *mentions)
    for name, data in (
        ("x.xmi", content),
        ("x.ca2", content),
        ("x.ca2z", gzip.compress(content.encode())),
        ("x.xmi.gz", gzip.compress(content.encode())),
    ):
        documents = cas(data, name)
        assert texts(documents) == [["Ann", "her"], ["saw dog"]]
        assert documents.entities == (("Ann (60)", "dog (61)"),)
        assert len(documents.mentions.parts) == 4


def test_mentions_without_an_entity_are_alone(cas):
    bare = [("v1:Mention", {"begin": a, "end": b}) for a, b in ((0, 3), (11, 14))]
    assert texts(cas(xmi(*bare))) == [["Ann"], ["her"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            xmi(*CHAIN, text="a&#1;b", head='<?xml version="1.1"?>'),
            r"x.xmi:7: not XML: .*; export it as XML 1.0, as XML 1.1",
        ),
        (xmi(*CHAIN).replace("</xmi:XMI>", ""), r"x.xmi:8: not XML: no element found"),
        (re.sub('sofaString="[^"]*"', "", xmi(*CHAIN)), r"x.xmi: no sofaString, the text of a UIMA CAS"),
        (b"\x1f\x8b broken", "x.xmi: corrupt .gz data"),
        (
            xmi(*CHAIN, head='<!DOCTYPE a [<!ENTITY e "e"><!ENTITY f "&e;&e;">]>'),
            r"x.xmi:1: the entity 'e' of the document's own",
        ),
        (
            xmi(("type7:CoreferenceLink", {"id": 5, "begin": 3, "end": 3, "next": 5})),
            r"x.xmi:2: the span '5' from 3 to 3 is empty",
        ),
    ],
)
def test_faults(cas, content, message):
    with pytest.raises(ReadError, match=message):
        cas(content)


def test_faults_of_json(cas):
    with pytest.raises(ReadError, match=r"x.json:1: no %FEATURE_STRUCTURES; expected a UIMA CAS in JSON 0.4"):
        cas('{"%TYPES": {}}', "x.json")
    with pytest.raises(ReadError, match=r"x.json:1: not JSON"):
        cas('{"%TYPES": {}', "x.json")


def test_ends_that_are_no_numbers(cas):
    for begin in ("-1", "x"):
        with pytest.raises(ReadError, match=r"x.xmi:2: the span '5' from (-1 to 3|0 to 0) is empty"):
            cas(xmi(("type7:CoreferenceLink", {"id": 5, "begin": begin, "end": 3, "next": 5})))
