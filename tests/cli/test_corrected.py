"""Messages print the command that works: a command as it is typed, and what its message says, which ends with 0."""

import json
import shlex

import pytest
from click.testing import CliRunner

from arraycoref.cli.main import main
from marks import cases

GOLD = {"doc_key": "d", "sentences": [["a", "b", "c", "d"]], "clusters": [[[0, 1], [2, 3]]]}
TABLE = "doc_id,{},entity\nd,{}\nd,{}\n".format("start,end", "0,1,1", "2,3,1")
CONLL = "#begin document (d);\na\t(1)\nb\t(1)\n\n#end document\n"

FILES = {
    **{f"{side}/{n}.{side}.conll": CONLL.replace("(d)", f"({n})") for side in ("gold", "pred") for n in "12"},
    **{f"{name}.conll": CONLL for name in ("key", "a", "b", "-k")},
    "gold.jsonl": json.dumps(GOLD),
    "fields.jsonl": json.dumps({"doc_key": "d", "gold": GOLD["clusters"], "pred_clusters": GOLD["clusters"]}),
    "characters.jsonl": json.dumps({"doc_key": "d", "text": "a b c d", "clusters": [[[0, 3], [4, 7]]]}),
    "exclusive.jsonl": json.dumps(GOLD | {"clusters": [[[0, 2], [2, 4]]]}),
    "from-one.jsonl": json.dumps(GOLD | {"clusters": [[[1, 2], [4, 4]]]}),
    "characters-of-words.jsonl": json.dumps(GOLD | {"text": "a b c d", "clusters": [[[0, 3], [4, 7]]]}),
    "one-word.jsonl": json.dumps(GOLD | {"clusters": [[[0, 0], [2, 3]]]}),
    "predicted.jsonl": json.dumps({"doc_key": "d", "predicted_clusters": GOLD["clusters"]}),
    "both.jsonl": json.dumps(GOLD | {"predicted_clusters": GOLD["clusters"]}),
    "table.csv": TABLE,
    "other.csv": "id,Cluster ID\n0,a\n2,a\n",
    "usual.csv": "mention,label\n0,1\n2,1\n",
    "true.csv": "Id,Name,True Id\n0,x,1\n2,y,1\n",
    "one.csv": "doc_id,mention_id,gold,pred\nd,0,1,1\nd,2,1,1\n",
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command line in a folder with the files."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda line: CliRunner().invoke(main, shlex.split(line)[1:], prog_name="arraycoref")


@cases(
    "typed,printed",
    [
        ("score key.conll a.conll b.conll --singletons drop", "compare key.conll a.conll b.conll --singletons drop"),
        (
            "score --singletons drop -- -k.conll a.conll b.conll",
            "compare --singletons drop -- -k.conll a.conll b.conll",
        ),
        ("score table.csv table.csv", "score table.csv table.csv --columns doc_id,start+end,entity"),
        ("score one.csv", "score one.csv --columns doc_id,mention_id,key:gold,response:pred"),
        (
            "score gold.jsonl fields.jsonl",
            "score gold.jsonl fields.jsonl --clusters-field response:pred_clusters",
        ),
        (
            "score gold.jsonl fields.jsonl --clusters-field key:clusters",
            "score gold.jsonl fields.jsonl --clusters-field key:clusters,response:pred_clusters",
        ),
        (
            "score gold.jsonl characters.jsonl --format json",
            "score gold.jsonl characters.jsonl --unit response:character --end response:exclusive --format json",
        ),
        ("score gold.jsonl exclusive.jsonl", "score gold.jsonl exclusive.jsonl --end response:exclusive"),
        ("score gold.jsonl from-one.jsonl", "score gold.jsonl from-one.jsonl --start response:1"),
        ("convert from-one.jsonl out.conll", "convert from-one.jsonl out.conll --start 1"),
        ("score key.conll a.conll --matching head", "score key.conll a.conll --matching head --heads first"),
        (
            "score gold.jsonl characters-of-words.jsonl",
            "score gold.jsonl characters-of-words.jsonl --unit response:character --end response:exclusive",
        ),
        (
            "score characters-of-words.jsonl characters-of-words.jsonl",
            "score characters-of-words.jsonl characters-of-words.jsonl --unit character --end exclusive",
        ),
        ("score both.jsonl gold.jsonl", "score gold.jsonl both.jsonl"),
        ("score other.csv other.csv", "score other.csv other.csv --columns 'id,Cluster ID'"),
        (
            "score other.csv usual.csv",
            "score other.csv usual.csv --columns 'key:id,Cluster ID'",
        ),
        (
            "score usual.csv other.csv --columns mention,label",
            "score usual.csv other.csv --columns 'key:mention,label,response:id,Cluster ID'",
        ),
        (
            "score true.csv other.csv --columns 'response:id,Cluster ID'",
            "score true.csv other.csv --columns 'key:Id,True Id,response:id,Cluster ID'",
        ),
        (
            "score exclusive.jsonl one-word.jsonl --end exclusive",
            "score exclusive.jsonl one-word.jsonl --end key:exclusive,response:inclusive",
        ),
        ("compare gold.jsonl exclusive.jsonl", "compare gold.jsonl exclusive.jsonl --end response:exclusive"),
    ],
)
def test_the_printed_command_works(run, typed, printed):
    shown = run(f"arraycoref {typed}").output
    assert f"ry: arraycoref {printed}\n" in shown
    assert run(f"arraycoref {printed}").exit_code == 0


def test_a_key_of_predictions_may_be_swapped(run):
    shown = run("arraycoref score predicted.jsonl gold.jsonl").output
    assert "are the sides swapped?" in shown
    assert "try:" not in shown
    assert run("arraycoref score gold.jsonl predicted.jsonl").exit_code == 0


def test_folders_without_a_common_name_are_one_message(run):
    done = run("arraycoref score --file-pairs gold pred")
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "suffix" in done.stderr


def test_settings_that_are_names_are_not_drawn(run, tmp_path):
    for name in ("key", "a", "b"):
        (tmp_path / f"{name}.conll").write_text("#begin document (d)\nd\t0\t(0)\n#end document\n")
    done = run("arraycoref sweep key.conll a=a.conll b=b.conll --plot curve.png")
    assert "settings vary in these parameters of numbers: none" in done.stderr
