"""JSON, CSV and dictionaries: the schema, and no NaN."""

import csv
import io
import json

from made import render

from arraycoref.scoring.signature import Signature

SUMS = ["recall_num", "recall_den", "precision_num", "precision_den"]
SEVEN = ["recall", "precision", "f1", *SUMS]


def refuse(constant):
    raise ValueError(constant)


def load(text):
    return json.loads(text, parse_constant=refuse)


def test_json_schema(paper):
    found = load(render(paper, "json"))
    assert list(found) == ["signature", "notes", "documents", "scores"]
    named = {"version": "9.9", "profile": "paper", "duplicates": "error", "singletons": "keep", "beta": 1.0}
    assert named.items() <= found["signature"].items()
    assert found["signature"] == Signature(version="9.9").as_dict()
    assert found["documents"] == 2
    assert list(found["scores"]) == list(paper.metrics)
    for metric in ("mentions", "muc", "bcub", "ceafm", "ceafe"):
        assert list(found["scores"][metric]) == SEVEN
    assert found["scores"]["muc"]["recall"] == 4 / 6
    assert found["scores"]["muc"]["recall_den"] == 6
    assert list(found["scores"]["conll"]) == ["f1"]


def test_json_blanc(paper):
    blanc = load(render(paper, "json"))["scores"]["blanc"]
    assert list(blanc) == [*SEVEN, "coreference", "non_coreference"]
    assert [blanc[name] for name in SUMS] == [None] * 4
    assert list(blanc["coreference"]) == list(blanc["non_coreference"]) == SEVEN
    assert blanc["coreference"]["recall_num"] == 3
    assert blanc["non_coreference"]["precision"] == 4 / 16


def test_json_per_document_and_macro(paper):
    found = load(render(paper, "json", per_document=True, macro=True))
    assert list(found) == ["signature", "notes", "documents", "scores", "macro", "per_document", "sums"]
    assert found["signature"]["average"] == "macro"
    assert list(found["per_document"]) == ["a_b|c_0", "d & e"]
    assert found["per_document"]["a_b|c_0"]["muc"]["recall"] == 0.6
    assert found["per_document"]["d & e"]["blanc"]["coreference"]["f1"] == 1
    assert found["macro"]["muc"] == {"recall": 0.8, "precision": 1.0, "f1": paper.macro["muc"].f1}
    assert list(found["macro"]["conll"]) == ["f1"]
    assert found["scores"] == load(render(paper, "json"))["scores"]
    assert found["sums"]["documents"]["d & e"][:2] == [[2, 2, 2, 2], [1, 1, 1, 1]]
    assert found["sums"]["groups"][-3:] == ["blanc/coreference", "blanc/non_coreference", "blanc/mentions"]


def test_csv(paper):
    text = render(paper, "csv")
    assert "\r" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["metric", *SEVEN, "notes", "signature"]
    names = [row["metric"] for row in rows]
    assert names[5:] == ["blanc", "blanc_coreference", "blanc_non_coreference", "conll"]
    assert float(rows[1]["recall"]) == 4 / 6
    assert rows[5]["recall_num"] == rows[8]["recall"] == ""


def test_csv_per_document(paper):
    rows = list(csv.DictReader(io.StringIO(render(paper, "csv", per_document=True))))
    assert [row["document"] for row in rows] == ["a_b|c_0"] * 9 + ["d & e"] * 9
    assert float(rows[1]["f1"]) == paper.documents["muc"].f1[0]


def test_signature():
    signature = Signature(version="0.1.0")
    policies = "dup:error|missing:error|extra:error|singletons:keep|beta:1"
    assert (str(signature), signature.full) == (
        "arraycoref|v:0.1.0|profile:paper",
        f"arraycoref|v:0.1.0|profile:paper|{policies}",
    )
    crac = Signature(version="0.1.0", profile="crac", duplicates="both", matching="partial", max_changed=0.05)
    assert str(crac) == "arraycoref|v:0.1.0|profile:crac|singletons:keep|max_changed:0.05|match:partial"
    assert Signature(**signature.as_dict()) == signature
