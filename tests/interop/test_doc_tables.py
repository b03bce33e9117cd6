"""The rows of the docs' tables of shapes: each Python call and command is run on small files and objects."""

import json
import re
from pathlib import Path
from types import SimpleNamespace as Object

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.interop.tables import score_table_files
from arraycoref.read.texts import FORMATS

DOCS = Path(__file__).parents[2] / "docs"
KEY = [["Ada", "she"], ["Bob"]]
HEADER = "COREF\tstart_token\tend_token\tprop\tcat\ttext\n"

FILES = {
    "key.tsv": "mention\tlabel\nAda\t0\nshe\t0\nBob\t1\n",
    "long.csv": "label,mention,other\nx,Ada,1\nx,she,1\ny,Bob,\n-1,it,\n",
    "own.tsv": "book\tfrom\tto\twho\na\t0\t1\tAda\na\t4\t4\tAda\nb\t0\t0\tBob\n",
    "key.entities": HEADER + "7\t0\t1\tPROP\tPER\tAda\n7\t4\t4\tPRON\tPER\tshe\n",
    "book.entities": HEADER
    + "3\t0\t1\tPROP\tPER\tAda\n3\t0\t1\tPROP\tORG\tAda\n3\t4\t4\tPRON\tPER\tshe\n-1\t6\t6\tNOM\tFAC\tit\n",
    "key.conll": "#begin document (a); part 000\n"
    + "\n".join(f"a\t{n}\t{cell}" for n, cell in enumerate(["(0", "0)", "-", "-", "(0)"]))
    + "\n#end document\n",
    "splink.csv": "cluster_id,unique_id\nx,Ada\nx,she\ny,Bob\n",
    "zingg.csv": "id,Z_MINSCORE,Z_CLUSTER\nAda,1,4\nshe,1,4\nBob,1,5\n",
    "dedupe.csv": "Cluster ID,confidence_score,Id\n0,0.9,Ada\n0,0.9,she\n1,1.0,Bob\n",
    "gold.json": json.dumps(
        {c: {"cluster_id": c, "signature_ids": m, "model_version": -1} for c, m in zip("xy", KEY, strict=True)}
    ),
    "s2and.json": json.dumps({"p_0": ["she", "Ada"], "p_1": ["Bob"]}),
    "clusim.json": json.dumps({"Ada": [0], "she": [0], "Bob": [1]}),
    "clueval.txt": "Ada|she\nBob\n",
    "key.rttm": "SPEAKER a 1 0.00 0.10 <NA> <NA> Ada <NA> <NA>\nSPEAKER a 1 0.20 0.06 <NA> <NA> Bob <NA> <NA>\n",
    "pyannote.rttm": "SPEAKER a 1 0.005 0.10 <NA> <NA> 0 <NA> <NA>\nSPEAKER a 1 0.20 0.062 <NA> <NA> 1 <NA> <NA>\n",
}


def rows(page, section):
    """Return the cells of the table of a section."""
    text = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    table = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]


FILE_ROWS = rows("files.md", "Tables")
OBJECT_ROWS = rows("interop.md", "What coreference tools hold in memory")


@pytest.mark.parametrize("row", FILE_ROWS, ids=lambda row: row[0])
def test_files(tmp_path, monkeypatch, row):
    """Every example has one clustering, written twice."""
    assert {row[0].strip("`") for row in FILE_ROWS} == set(FORMATS)
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    python = eval(row[4].strip("`"), {"ac": ac, "score_table_files": score_table_files})
    assert python["bcub"].f1 == python["mentions"].f1 == 1.0
    assert python["mentions"].recall_num == {"booknlp": 2, "rttm": 8}.get(row[0].strip("`"), 3)
    arguments = row[3].strip("`").split()[1:]
    result = CliRunner().invoke(main, [*arguments, "--metrics", "mentions", "--format", "json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["scores"]["mentions"]["recall_num"] == python["mentions"].recall_num


@pytest.mark.parametrize("row", OBJECT_ROWS, ids=lambda row: row[0])
def test_objects(row):
    pandas = pytest.importorskip("pandas")
    mentions = [Object(sentence=0, start_word=0, end_word=1), Object(sentence=1, start_word=(2, 1), end_word=(2, 1))]
    known = {
        "key": KEY,
        "series": pandas.Series([5, 5, 6, -1], ["she", "Ada", "Bob", "it"]),
        "other": pandas.Series([7, 8, 8, -1], ["Bob", "Ada", "she", "it"]),
        "words_of_sentences": [[(0, 0, 1), (1, (2, 1), (2, 1))]],
        "stanza_doc": Object(coref=[Object(mentions=mentions)]),
        "tokens": [[(0, 2), (5, 6)]],
        "spacy_doc": Object(spans={"coref_clusters_1": [Object(start=0, end=2), Object(start=5, end=6)]}, _=Object()),
    }
    scores = eval(row[2].strip("`"), {"ac": ac, **known})
    assert scores["bcub"].f1 == scores["mentions"].f1 == 1.0
