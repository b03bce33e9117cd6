"""``arraycoref tags``: score, weights, confusions; files and folders, formats, the CoNLL 2018 table."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.display.formats import FORMATS
from arraycoref.tagging import load_weights, score_tag_files
from arraycoref.tagging.report import TagsReport

GOLD = "mam\tfin:sg:pri:imperf\nzadanie\tsubst:sg:acc:n|subst:sg:nom:n\n.\tinterp\n"
SYSTEM = "mam\tfin:sg:pri:imperf\nzadanie\tger:sg:nom:n:perf:aff\n.\tinterp\n"
ROW = "{}\t{}\t_\t{}\tX\t{}\t0\tdep\t_\t_\n"
GOLD_TREE = "".join(
    (ROW.format(1, "ab", "NOUN", "Case=Nom"), ROW.format(2, "c", "VERB", "_"), ROW.format(3, "d", "X", "Own=1"), "\n")
)
WORDS = ((1, "a", "NOUN", "Case=Nom"), (2, "b", "X", "_"), (3, "c", "VERB", "_"), (4, "d", "X", "_"))
SYSTEM_TREE = "".join(ROW.format(*word) for word in WORDS)


@pytest.fixture
def files(tmp_path):
    for name, text in (("gold.tsv", GOLD), ("system.tsv", SYSTEM)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(tmp_path / "gold.tsv"), str(tmp_path / "system.tsv")


@pytest.fixture
def folders(tmp_path):
    """Two files of CoNLL-U in two folders, and a third of gold's."""
    for side, text in (("gold", GOLD_TREE), ("system", SYSTEM_TREE)):
        (tmp_path / side).mkdir()
        for name in ("one", "two"):
            (tmp_path / side / f"{name}.conllu").write_text(text)
    (tmp_path / "gold" / "three.conllu").write_text(GOLD_TREE)
    return tmp_path / "gold", tmp_path / "system"


def run(*arguments, status=0, **options):
    result = CliRunner().invoke(main, ["tags", *map(str, arguments)], **options)
    assert result.exit_code == status, result.output
    return result.output


def test_prints_what_python_returns(files):
    scores = score_tag_files(*files, tagset="nkjp", weights="poliqarp")
    for name in FORMATS:
        printed = run("score", *files, "--tagset", "nkjp", "--weights", "poliqarp", "--format", name)
        assert printed == TagsReport(scores).render(name)


def test_sentences_are_called_so(files):
    for file in files:
        Path(file).write_text(2 * (Path(file).read_text(encoding="utf-8") + "\n"), encoding="utf-8")
    for name, head in (("table", "sentence (F1)"), ("csv", "sentence,metric")):
        output = run("score", *files, "--unit", "sentence", "--per-document", "--format", name)
        assert head in output
        assert "document" not in output
    scores = score_tag_files(*files, unit="sentence")
    assert "2 sentences, micro average" in str(ac.compare({"a": scores}, metric="exact"))


def test_lexicon_and_output(files, tmp_path):
    (tmp_path / "lexicon.tsv").write_text(".\tinterp\n")
    arguments = [*files, "--lexicon", tmp_path / "lexicon.tsv"]
    assert run("score", *arguments, "--format", "json", "--output", tmp_path / "out.json") == ""
    words = json.loads((tmp_path / "out.json").read_text())["words"]
    accuracies = {kind: scores["exact"]["aligned_accuracy"] for kind, scores in words.items()}
    assert accuracies == {"known": 1, "unknown": None, "ambiguous": None}  # zadanie has two tags
    table = run("score", *arguments).split("\n\n")
    assert table[1].split("\n")[3].split() == ["unknown", "40.00"]  # 1 of 3 gold tags, 1 of 2 assigned
    rows = csv.DictReader(io.StringIO(run("score", *arguments, "--format", "csv")))
    recalls = [("all", "0.5"), ("known", "1.0"), ("unknown", repr(1 / 3)), ("ambiguous", "0.0")]
    assert [(row["words"], row["recall"]) for row in rows] == recalls


def test_confusions(files):
    assert "ger" in run("confusions", *files, "--tagset", "nkjp", "--category", "pos")
    found = json.loads(run("confusions", *files, "--tagset", "nkjp", "--format", "json"))
    assert list(found["rows"][0].items())[:4] == [("category", "pos"), ("gold", 4), ("correct", 2), ("wrong", 2)]
    output = run("confusions", *files, "--tagset", "nkjp", "--category", "case", "--top", "1", "--format", "csv")
    assert output == "gold,assigned,tags\nacc,nom,1\n"


TREE = "1\tnowy\t_\tADJ\t_\tCase=Nom\t2\tamod\t_\t_\n2\tdom\t_\tNOUN\t_\tCase=Nom\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("source", "text", "options", "expected"),
    [
        ("queries", "[case=nom]\n[pos=subst & case=acc]\n", ["--tagset", "nkjp"], {"pos": 1, "case": 2}),
        ("rules", '{"terminals": [{"pos": "prep", "categories": ["pos", "case"]}]}\n', [], {"pos": 1, "case": 1}),
        ("treebank", TREE, ["--tagset", "ud"], {"pos": 2, "Case": 2}),
        ("ambiguity", GOLD, ["--tagset", "nkjp", "--input-format", "tsv"], {"case": pytest.approx(2 / 3)}),
    ],
)
def test_weights(tmp_path, source, text, options, expected):
    (tmp_path / "file").write_text(text, encoding="utf-8")
    of_file = run("weights", f"--{source}", tmp_path / "file", *options)
    assert run("weights", f"--{source}", "-", *options, input=text) == of_file.replace(f"{tmp_path}/file", "<stdin>")
    run("weights", f"--{source}", tmp_path / "file", *options, "--output", tmp_path / "w.toml")
    categories = load_weights(tmp_path / "w.toml").categories
    assert {name: categories[name] for name in expected} == expected
    assert '"case" = 14055.0' in run("weights", "--preset", "poliqarp")


def test_the_table_of_the_shared_task(folders):
    """3 words against 4; c and d are aligned, ab is not, and the tags of both are right."""
    pair = [folder / "one.conllu" for folder in folders]
    printed = run("score", *pair, "--format", "conll").splitlines()
    assert printed[2] == "Words      |     50.00 |     66.67 |     57.14 |"
    chosen = run("score", pair[0], "-", "--input-format=conllu", "--format=conll", "--measure=upos", input=SYSTEM_TREE)
    assert chosen.splitlines() == [*printed[:2], "UPOS       |     50.00 |     66.67 |     57.14 |    100.00"]


def test_folders_and_policies(folders):
    message = run("score", *folders, status=1)
    assert "missing from the response: 1 of 3 documents ('three')" in message
    assert "--missing-documents" in message
    found = json.loads(run("score", *folders, "--missing-documents=empty", "--per-document", "--format=json"))
    assert [found["per_document"][name]["UPOS"]["recall_num"] for name in ("one", "three", "two")] == [2, 0, 2]
    table = run("confusions", *folders, "--missing-documents", "empty", "--tagset", "ud", "--format", "csv")
    assert table.splitlines()[1] == "pos,9,4,0,0,5,0"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["score", "GOLD", "none.tsv"], 1, "none.tsv: No such file"),
        (["score", "GOLD", "SYSTEM", "--format=csv", "--macro", "--per-document"], 2, "--format csv has rows for one"),
        (["score", "GOLD", "SYSTEM", "--format", "conll"], 1, "'UPOS' needs CoNLL-U"),
        (["score", "GOLD", "SYSTEM", "--format", "conll", "--metrics", "exact"], 1, "AllTags; not exact"),
        (["confusions", "GOLD", "SYSTEM"], 2, "expected --tagset"),
        (["weights"], 2, "expected one of --preset"),
        (["weights", "--rules", "GOLD", "--max-bytes", "9"], 2, "--max-bytes needs --ambiguity"),
    ],
)
def test_errors(files, arguments, status, message):
    named = {"GOLD": files[0], "SYSTEM": files[1]}
    assert message in run(*(named.get(argument, argument) for argument in arguments), status=status)
