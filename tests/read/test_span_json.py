"""JSON of spans and relations: Label Studio, doccano, Prodigy."""

import json

import pytest
from read_helpers import texts

import arraycoref as ac
from arraycoref.exceptions import ReadError
from arraycoref.read import annotators_in, read_documents

pytestmark = [pytest.mark.filterwarnings(f"ignore:.*{what}") for what in ("no two of them in one entity", "not read")]

TEXT = "Ann saw \U0001f60a her dog ."
POINTS = {"a": (0, 3), "b": (10, 13), "c": (10, 17)}
UNITS = {"a": (0, 3), "b": (11, 14), "c": (11, 18)}
ENTITIES = [["Ann", "her"], ["her dog"]]


@pytest.fixture
def tool(tmp_path):
    """Write values, on a line each or as an array, and read them."""

    def read(*values, array=False, **options):
        path = tmp_path / ("x.json" if array else "x.jsonl")
        path.write_text(json.dumps(values) if array else "\n".join(map(json.dumps, values)))
        return read_documents(path, **options)

    return read


def annotation(places=POINTS, person=1, link="coref", **more):
    """Make an annotation of Label Studio."""
    results = [
        {"id": id, "type": "labels", "value": {"start": a, "end": b, "labels": ["NP"], "text": text}}
        for (id, (a, b)), text in zip(places.items(), ("Ann", "her", "her dog"), strict=True)
    ]
    results += [{"type": "relation", "from_id": "b", "to_id": "a", "direction": "right", "labels": [link]}]
    return {"completed_by": person, "result": [*results, {"type": "choices", "value": {"choices": ["x"]}}], **more}


def task(*annotations, n=1, **more):
    return {"id": n, "data": {"text": TEXT, "doc": f"doc{n}"}, "annotations": list(annotations), **more}


@pytest.mark.parametrize("places", [POINTS, UNITS])
def test_label_studio_in_either_unit(tool, places):
    documents = tool(task(annotation(places)), array=True)
    assert (texts(documents), documents.names, documents.mentions.start.tolist()) == (ENTITIES, ("doc1",), [0, 10, 10])


def test_label_studio_with_several_annotators(tool, tmp_path):
    people = [{"id": 7, "email": "anna@x.org"}, {"id": 8, "email": "ben@x.org"}, {"id": 9, "email": "cleo@x.org"}]
    made = [
        annotation(person=people[0]),
        annotation(person=people[1], link="bridging"),
        annotation(person=people[2], was_cancelled=True),
    ]
    reason = (
        "document 'doc1' is annotated by 'anna@x.org' and 'ben@x.org'; annotator='anna@x.org' reads one annotator's"
    )
    with pytest.raises(ReadError, match=reason):
        tool(task(*made), task(*made, n=2), array=True)
    path = str(tmp_path / "x.json")
    assert texts(read_documents(path, annotator="anna@x.org"), 1) == ENTITIES
    assert annotators_in(path) == {"anna@x.org": [path], "ben@x.org": [path]}
    assert ac.agree(annotators_in(path), metrics="mentions,muc").means == {"mentions": 1.0, "muc": 0.0}


def test_predictions_are_a_response(tool, tmp_path):
    values = [task(annotation(), predictions=[annotation(UNITS, link="bridging", model_version="m1")])]
    assert texts(tool(*values, array=True)) == ENTITIES
    path = tmp_path / "x.json"
    assert ac.score_files(path, path, metrics="mentions,muc")["muc"].recall == 0
    assert texts(tool({"data": {"body": TEXT}, "predictions": [annotation()]})) == ENTITIES  # the only field of text


def doccano(n=1, **more):
    entities = [{"id": id, "label": "NP", "start_offset": a, "end_offset": b} for id, (a, b) in UNITS.items()]
    return {
        "id": n,
        "text": TEXT,
        "entities": entities,
        "relations": [{"from_id": "b", "to_id": "a", "type": "same"}],
        **more,
    }


def test_doccano_in_units_of_utf_16(tool):
    documents = tool(doccano())
    assert (texts(documents), documents.names, documents.named.tolist()) == (ENTITIES, ("x",), [False])
    assert tool(doccano(3), doccano(7)).names == ("3", "7")  # ids are names of documents among others
    assert tool(doccano(3, meta={"book": "emma"}), name_field="book").names == ("emma",)


def prodigy(**more):
    """Make a line of Prodigy, whose last mention is an end of a relation only."""
    tokens = [{"text": word, "id": n} for n, word in enumerate(TEXT.split())]
    spans = [{"token_start": 0, "token_end": 0, "label": "NP"}, {"token_start": 3, "token_end": 4, "label": "NP"}]
    relation = {"head_span": {"token_start": 3, "token_end": 3}, "child_span": spans[0], "label": "COREF"}
    return {"text": TEXT, "tokens": tokens, "spans": spans, "relations": [relation], "_input_hash": 5} | more


def test_prodigy_in_words(tool):
    rejected = prodigy(answer="reject", spans=[])
    documents = tool(prodigy(answer="accept"), rejected)
    assert (texts(documents), documents.units, documents.names) == (ENTITIES, ("word",), ("x",))
    of_words = prodigy(relations=[{"head": 3, "child": 0, "label": "COREF"}])
    assert texts(tool(of_words)) == ENTITIES
    with pytest.raises(ReadError, match="document 'x' is annotated by 'anna' and 'ben'"):
        tool(prodigy(_annotator_id="anna"), prodigy(_session_id="ben"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            task({"result": [{"type": "labels", "id": "a", "value": {"start": 1.5, "end": 2}}]}),
            "start and end of a span are 1.5 and 2; expected whole",
        ),
        (task({"result": {}}), "result is {}; expected a list of objects"),
        (
            task({"result": [{"type": "relation", "from_id": "z", "to_id": "a"}]}),
            "a link names 'z', which is no span of this document",
        ),
        (
            {"data": {"a": "x", "b": "y"}, "annotations": []},
            "no text among the fields 'a, b' of data; expected a field text, or a list of turns",
        ),
        (doccano(text=1), "text is 1; expected a string"),
        (
            doccano(entities=[{"id": "a", "label": "NP", "start_offset": 4, "end_offset": 4}], relations=[]),
            "the span 'a' from 4 to 4 is empty",
        ),
        (
            doccano(entities=[{"id": "a", "label": "NP", "start_offset": 4, "end_offset": 44}], relations=[]),
            "the span 'a' from 4 to 44 lies past the 19 char",
        ),
        (
            prodigy(relations=[{"head": None, "child": 0}]),
            "head and child of a span are None and None; expected whole numbers",
        ),
    ],
)
def test_faults(tool, value, message):
    with pytest.raises(ReadError, match=rf"x.jsonl:2: {message}"):
        tool(doccano() if "entities" in value else task() if "data" in value else prodigy(), value)
    fine, faults = {**value, "annotations": []} if "data" in value else value, []
    tool(fine, value, lenient=True, on_error=faults.append)
    assert faults


def test_documents_with_clusters_are_read_as_these(tool):
    documents = tool({"id": 1, "text": "Ann", "entities": [], "relations": [], "clusters": [[[0, 0]]]}, unit="word")
    assert (documents.units, len(documents.mentions)) == (("word",), 1)


def test_values_that_are_no_objects(tool):
    with pytest.raises(ReadError, match=r"x.jsonl:2: expected a JSON object, not 3"):
        tool(doccano(), 3)
