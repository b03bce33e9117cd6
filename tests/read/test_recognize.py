"""Formats of annotation tools that are not read: a message names each and says the way."""

import pytest

from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents

XML = '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd">\n'
FILES = {
    "x.sacr": ("#title: Ann\n\n#textid: ann\n\n{Ann Ann} saw {Ann her} dog .\n", "SACR; sacr2conll.py"),
    "x.txt": ("{Ann Ann} saw {Ann her} dog .\n\n#TOKENIZATION-TYPE:0\n", "SACR; sacr2conll.py"),
    "tei.xml": (XML + '<TEI xmlns="http://www.tei-c.org/ns/1.0"/>', "TEI; CorefAnnotator imports it"),
    "naf.xml": ('<NAF xml:lang="en" version="v3"></NAF>', "NAF; naf2conll"),
    "gate.xml": (XML + '<GateDocument version="3"/>', "GATE; the library gatenlp"),
    "folia.xml": (XML + '<FoLiA xmlns="x"/>', "FoLiA; the library folia"),
    "x.sgml": ('<DOC>\n<TXT><COREF ID="1">Ann</COREF></TXT></DOC>', "SGML of MUC or OntoNotes; OntoNotes: the scripts"),
    "k.xml": (XML + '<annotations textSource="x.txt"/>', "Knowtator; CRAFT's converter .* boot part-of-speech"),
    "p.xml": ("<knowtator-project></knowtator-project>", "Knowtator"),
    "x.chains": ('c="ann" 1:0 1:0||c="her" 1:2 1:2||t="coref person"\n', "i2b2; its numbers are of tokens in lines"),
    "x.json": ('[{"title": "a", "sents": [], "vertexSet": []}]', "DocRED; a script makes mention_clusters of PreCo"),
    "gap.tsv": ("ID\tText\tPronoun\tPronoun-offset\tA\n", "GAP; it has pairs"),
    "r.json": (
        '{"text": "Ann", "entities": [[[0, 3]]], "includes": [[]]}',
        "RuCoCo; unit='character', end='exclusive'",
    ),
    "p.jsonl": ('{"id": 1, "text": "Ann", "span_annotations": {}, "span_links": []}', "Potato; its span_ids"),
    "w.tsv": ("# own.Coref | value\n#id=1\n#text=Ann saw\n1-1\tAnn\tO\n", "WebAnno TSV 1 or 2; INCEpTION imports it"),
    "u.json": (
        '{"_context": {}, "_views": {}, "_referenced_fss": {}}',
        'UIMA JSON of the legacy form; .* CAS JSON 0.4.0"',
    ),
    "a.ser": ("\xac\xed\x00\x05sr", "a UIMA CAS in binary form; INCEpTION exports"),
    "min.json": (
        '[{"text": "Ann", "id": 1, "annotation_id": 1, "lead_time": 2}]',
        "JSON_MIN of Label Studio; it lacks",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_the_message_says_the_way(tmp_path, name):
    content, message = FILES[name]
    (tmp_path / name).write_text(content, encoding="latin-1")
    with pytest.raises(ReadError, match=f"{name}: this looks like {message}"):
        read_documents(tmp_path / name)


def test_what_the_message_says_of_rucoco_works(tmp_path):
    (tmp_path / "r.json").write_text('{"text": "Ann saw", "entities": [[[0, 3], [4, 7]]], "includes": [[]]}')
    documents = read_documents(tmp_path / "r.json", unit="character", end="exclusive", clusters_field="entities")
    assert documents.mentions.end.tolist() == [2, 6]
