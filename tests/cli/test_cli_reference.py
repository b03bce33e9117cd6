"""``arraycoref reference``: the reference scorer's arguments, and output as its callers read it."""

import re
import shutil
import subprocess
import sys

import pytest

import arraycoref as ac
from marks import process

NUMBER, PERCENT = r"\([0-9.]+ / [0-9.]+\)", "([0-9.]+)%"
LINE = rf"Recall: {NUMBER} {PERCENT}\tPrecision: {NUMBER} {PERCENT}\tF1: {PERCENT}"
SUMS = r"Recall: \(([\d\.]+) / (\d+)\) [\d\.]+%\tPrecision: \(([\d\.]+) / (\d+)\) [\d\.]+%\tF1: [\d\.]+%"
NAMES = ("muc", "bcub", "ceafm", "ceafe", "blanc")


@pytest.fixture
def expected(key, response):
    """Percentages and sums by metric, as the reference scorer cuts them."""
    b = ac.score_files(key, response, profile="conll")
    values = {}
    for name in ("mentions", *NAMES):
        score = b[name]
        cut = [int(value * 10000 + 1e-9) / 100 for value in (score.recall, score.precision, score.f1)]
        values[name] = cut, [score.recall_num, score.recall_den, score.precision_num, score.precision_den]
    return values


def floats(groups):
    return [float(value) for value in groups]


def of_lines(output):
    """Take F from each line that has it, as programs for ECB+ do."""
    return [float(line.strip().split(": ")[-1][:-1]) for line in output.splitlines() if "F1:" in line]


def of_parts(output):
    """Divide the sums of the line, cut at tabs."""
    recall, precision, _ = next(line for line in output.split("\n") if line.startswith("Coreference: Recall:")).split(
        "\t"
    )
    parts = [part.rpartition(": ")[2].replace("(", "").replace(")", "").split() for part in (recall, precision)]
    return [float(n) / float(d) for n, slash, d, _ in parts if slash == "/"]


CALLERS = {
    "e2e-coref, of MUC": ("muc", lambda o: floats(re.match(rf".*Coreference: {LINE}.*", o, re.DOTALL).groups())),
    "e2e-coref, of B-cubed": ("bcub", lambda o: floats(re.match(rf".*Coreference: {LINE}.*", o, re.DOTALL).groups())),
    "e2e-coref, of CEAFe": ("ceafe", lambda o: floats(re.match(rf".*Coreference: {LINE}.*", o, re.DOTALL).groups())),
    "with BLANC": ("blanc", lambda o: floats(re.match(rf".*BLANC: {LINE}.*", o, re.DOTALL).groups())),
    "any white space": (
        "ceafm",
        lambda o: floats(re.findall(rf"Coreference: {LINE}".replace(r"\t", r"\s+"), o, flags=re.DOTALL)[0]),
    ),
    "third line from the end": (
        "bcub",
        lambda o: floats(
            re.search(
                r"Coreference: Recall: \(.*?\) (.*?)%\tPrecision: \(.*?\) (.*?)%\tF1: (.*?)%", o.split("\n")[-3]
            ).groups()
        ),
    ),
    "any bracket": (
        "muc",
        lambda o: [
            float(re.search(rf"{name}:\s*(?:\([^)]+\))?\s*([\d.]+)%", line)[1])
            for line in o.splitlines()
            if line.startswith("Coreference:")
            for name in ("Recall", "Precision", "F1")
        ],
    ),
}


@pytest.mark.parametrize("name", CALLERS)
def test_callers_of_one_metric(name, run, key, response, expected):
    metric, read = CALLERS[name]
    done = run("reference", metric, key, response, "none")
    assert (done.exit_code, done.stderr) == (0, "")
    assert read(done.stdout) == expected[metric][0]


def test_callers_that_read_sums_or_all_metrics(run, key, response, expected):
    output, of_muc = (run("reference", metric, key, response, "none").stdout for metric in ("all", "muc"))
    f1 = {name: values[2] for name, (values, _) in expected.items()}
    four = [f1[name] for name in NAMES[:4]]
    # CoreNLP takes the first, second and fourth of these; BLANC's line does not match.
    assert floats(re.findall(r"Coreference:.*F1: (.*)%", output)) == four
    lines = output.splitlines()
    mentions = next(
        filter(
            None,
            (re.fullmatch(r"Identification of Mentions: Recall: \(([\d.]+).*F1: ([\d.]+)%.*", line) for line in lines),
        )
    )
    assert floats(mentions.groups()) == [expected["mentions"][1][0], f1["mentions"]]
    assert [float(m[1]) for line in lines if (m := re.fullmatch(r"BLANC: .*F1: ([\d.]+)%.*", line))] == [f1["blanc"]]
    joined = "".join(
        line if line.startswith("METRIC") else f"{line}\n"
        for line in lines
        if line.startswith("METRIC") or ("Recall" in line and not line.startswith("Identification"))
    )
    assert float(re.search(r"METRIC bcub:Coreference: Recall: \(([\d.]+).*F1: ([\d.]+)%.*", joined)[2]) == f1["bcub"]
    # Programs for ECB+ take the second, fourth and eighth.
    assert [of_lines(output)[k] for k in (1, 3, 7)] == [f1["muc"], f1["bcub"], f1["ceafe"]]
    both = re.search(rf"(?m)^Identification of Mentions: {SUMS}\n-+\nCoreference: {SUMS}\n-+", of_muc)
    assert floats(both.groups()) == [*expected["mentions"][1], *expected["muc"][1]]
    sums = re.match(rf".*Coreference: {SUMS}.*".replace(r"\d+", "[0-9.]+"), of_muc, re.DOTALL)
    assert floats(sums.groups()) == expected["muc"][1]
    recall_num, recall_den, precision_num, precision_den = expected["muc"][1]
    assert of_parts(of_muc) == [recall_num / recall_den, precision_num / precision_den]
    found = re.search(r"Mentions:\s+Recall:[\(\)\d/ ]+ ([\d\.]+)%\s+Precision:[\(\)\d/ ]+ ([\d\.]+)%", output)
    assert floats(found.groups()) == expected["mentions"][0][:2]


def test_names_of_documents(run, key, response):
    everything = run("reference", "MUC", key, response)
    assert everything.stdout == run("score", key, response, "--metrics=muc", "--format=conll", "--per-document").stdout
    for name in ("(text/a); part 001", "text/a_1"):
        one = run("reference", "muc", key, response, name)
        assert one.stdout.splitlines()[1] == "(text/a); part 001:"
        assert "Coreference: Recall: (1 / 1) 100%" in one.stdout
        assert "part 000" not in one.stdout
    done = run("reference", "muc", key, response, "text/b")
    assert (done.exit_code, "unknown document 'text/b'; expected one of: (text/a); part 000" in done.stderr) == (
        2,
        True,
    )


def test_what_the_reference_scorer_passes_over(run, write, key):
    """Other words, of which it reads none, and documents that the response lacks."""
    other = write("other.conll", [["(0)", "(0)", "(0)", "(0)", "(0)", "(0)"]], names=["text/a"])
    with open(other, encoding="utf-8") as file:
        text = file.read().replace("word", "another")
    with open(other, "w", encoding="utf-8") as file:
        file.write(text)
    done = run("reference", "muc", key, other, "none")
    assert (done.exit_code, "Coreference: Recall: (5 / 6) 83.33%" in done.stdout) == (0, True)
    assert "warning" in done.stderr
    assert run("reference", "lea", key, other).exit_code == 2


@process
@pytest.mark.skipif(shutil.which("perl") is None, reason="needs perl")
def test_a_script_in_its_place(tmp_path, key, response, expected):
    script = tmp_path / "scorer.pl"
    program = f'"{sys.executable}", "-m", "arraycoref"'
    script.write_text(f'#!/usr/bin/env perl\nuse strict;\nexec {program}, "reference", @ARGV;\n', encoding="utf-8")
    script.chmod(0o755)
    for command in ([script], ["perl", script]):
        output = subprocess.run([*command, "muc", key, response, "none"], capture_output=True, text=True, check=True)
        assert floats(re.match(rf".*Coreference: {LINE}.*", output.stdout, re.DOTALL).groups()) == expected["muc"][0]
