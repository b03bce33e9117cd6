"""``arraycoref errors`` and ``arraycoref breakdown``: tables, formats, and command lines that make no sense."""

import csv
import io
import json

import pytest

import arraycoref as ac
from arraycoref.scoring.format import SUMS

BOTH = ("errors", "breakdown")


def test_errors(run, key, response):
    done = run("errors", key, response, "--resamples", 50)
    assert done.exit_code == 0, done.stderr
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line[:1].isalpha()}
    # part 000 divides the key's entity into three pieces, and the response's entities are pure
    assert rows["divided"][:2] == ["divided", "2"]
    assert rows["conflated"][1] == "0"
    assert "MUC loses 2 recall links (2 divided) and 0 precision links" in done.stdout
    found = json.loads(run("errors", key, response, "--format", "json", "--metric", "muc").stdout)
    assert found["systems"]["response"]["muc_lost_links"] == {"recall": 2, "precision": 0}
    assert found["systems"]["response"]["f1"] == ac.score_files(key, response)["muc"].f1
    listed = run("errors", key, f"A={response}", f"B={key}", "--format", "csv", "--spans", "none")
    table = list(csv.DictReader(io.StringIO(listed.stdout)))
    assert [row["errors"] for row in table if row["type"] == "divided"] == ["2.0", "0.0"]
    assert "span" not in {row["type"] for row in table}


def test_a_response_from_standard_input(run, key, response):
    with open(response, "rb") as file:
        done = run("errors", key, "-", "--format=csv", input=file.read())
    assert done.stdout == run("errors", key, response, "--format=csv").stdout.replace("\nresponse,", "\n-,")


def test_tables_of_errors(run, key, response):
    entities = run("errors", key, response, "--list", "entities", "--format", "csv", "--worst", 1)
    (row,) = csv.DictReader(io.StringIO(entities.stdout))
    assert (row["size"], row["pieces"], row["muc_lost"], row["best_shared"]) == ("6", "3", "2", "3")
    of_response = run("errors", key, response, "--list", "response-entities", "--format", "csv")
    assert len(of_response.stdout.splitlines()) == 1 + 4
    found = run("errors", key, f"old={key}", f"new={response}", "--list", "differences", "--worst", 1)
    assert "1 of 2 documents, by the difference of new from old" in found.stdout
    assert [line.split()[-3:] for line in found.stdout.splitlines() if line.startswith("text/a_0")]


def test_breakdown(run, key, response, tmp_path):
    done = run("breakdown", key, response, "--attribute", "length,size", "--metrics", "muc,conll")
    assert done.exit_code == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith(("length", "size"))][:2]
    usual = run("breakdown", key, response, "--format", "json").stdout
    assert list(dict.fromkeys(row["attribute"] for row in json.loads(usual)["rows"])) == ["length", "size", "distance"]
    found = json.loads(run("breakdown", key, response, "--attribute", "size", "--format", "json").stdout)
    of_size = {(row["class"], row["metric"]): row for row in found["rows"]}
    assert of_size["6-10", "muc"]["recall"] == pytest.approx(0.6)
    sums = [of_size["all", "bcub"][name] for name in SUMS]
    assert sums == ac.score_files(key, response).corpus.counts["bcub"].tolist()
    pytest.importorskip("matplotlib")
    path = tmp_path / "sizes.svg"
    options = ("--plot", path, "--metric", "bcub.recall", "--resamples", 50)
    drawn = run("breakdown", key, f"A={response}", f"B={key}", "--attribute", "size", *options)
    assert drawn.exit_code == 0, drawn.stderr
    assert path.read_text().startswith("<?xml")
    assert "95% intervals" not in drawn.stdout
    shown = run("breakdown", key, response, "--attribute", "size", "--intervals", "--resamples", 50)
    assert "95% intervals" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("breakdown", "--attribute", "color"), "unknown attribute 'color'"),
        (("breakdown", "--attribute", "size,length", "--plot", "x.svg"), "--plot draws one attribute"),
        (("breakdown", "--attribute", "size", "--metric", "muc"), "--metric needs --plot"),
        (("breakdown", "--attribute", "size", "--metrics", "ari"), "no parts by mention"),
        (("breakdown", "--attribute", "upos"), "needs parts of speech, Penn's or universal"),
        (("errors", "--metric", "muc.recall"), "--metric muc.recall: costs are in F"),
        (("errors", "--max-changed", "5%"), "--max-changed has no effect without --tokens 'align'"),
        (("errors", "--worst", "3"), "--worst has no effect with --list types"),
        (("errors", "--list", "differences"), "needs two systems"),
        (("errors", "--duplicates", "both"), "one entity of each mention"),
    ],
)
def test_refused(run, key, response, arguments, message):
    command, *options = arguments
    done = run(command, key, response, *options)
    assert done.exit_code in (1, 2)
    assert message in done.stderr.replace("\n", " ")
