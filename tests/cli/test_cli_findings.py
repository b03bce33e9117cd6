"""``errors`` opens with findings, whose commands have the files and options that were typed, and run."""

import json
import re
import shlex

import numpy as np
import pytest

from pages_of_html import records


def write(path, sides):
    lines = [json.dumps({"doc_key": name, "clusters": clusters}) for name, clusters in sides.items()]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines))
    return str(path)


def files(folder, names, groups=("sea", "hill")):
    """Write a key and responses, each of which has more wrong links in the second group than the one before."""
    rng = np.random.default_rng(0)
    sides = {name: {} for name in names}
    for d in range(24):
        name, entity = f"{groups[d % 2]}_{d:02}", rng.integers(0, 5, 30)
        for s, side in enumerate(names):
            is_wrong = rng.random(30) < ((0.1, 0.6)[d % 2], 0.3)[s == 2] * (s > 0)
            labels = np.where(is_wrong, rng.integers(0, 5, 30), entity)
            sides[side][name] = [[[int(m), int(m)] for m in np.flatnonzero(labels == e)] for e in range(5)]
    return [write(folder / f"{name}.jsonl", own) for name, own in sides.items()]


def commands(text):
    """Return the words of each command in an output."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("  arraycoref ")]


def test_errors_open_with_findings(run, tmp_path):
    key, response = files(tmp_path, ("key", "a b"))
    lines = run("errors", key, response).stdout.splitlines()
    assert lines[0].startswith("CoNLL F1 is ")
    assert lines[1] == f"  arraycoref show {key} '{response}'"
    assert lines[2].startswith("12 documents named “hill” score ")
    assert lines[3] == f"  arraycoref errors {key} '{response}' --by hill"
    assert lines[lines.index("") + 1].split()[0] == "errors"
    groups = run("errors", key, response, "--by", "hill").stdout.splitlines()
    assert groups[:3] == lines[:3]
    assert groups[3] != lines[3]  # the command that runs
    for format, before, after in (("markdown", "`", "`"), ("html", "<code>", "</code>")):
        written = run("errors", key, response, "--format", format).stdout
        assert f"{before}arraycoref show {key} &#x27;" in written.replace("'", "&#x27;")
        assert f"--by hill{after}" in written
    found = json.loads(run("errors", key, response, "--format", "json").stdout)["findings"]
    assert [finding["kind"] for finding in found][:2] == ["score", "documents"]
    assert found[1]["p"] <= 0.05
    assert found[1]["command"] == lines[3].strip()


@pytest.mark.parametrize("options", [[], ["--metric", "muc", "--lenient", "--singletons", "drop", "--seed", "3"]])
@pytest.mark.parametrize("name", ["distance", "RESPONSE", "my sys"])
def test_commands_of_findings_run(run, tmp_path, name, options):
    """Words of a command that are names of files, groups or systems are kept."""
    key, first, second = files(tmp_path, ("KEY", "s/errors", "s/other"), ("KEY", "RESPONSE"))
    systems = first, f"{name}={second}"
    output = "--output", str(tmp_path / "out.txt")
    for typed in ([first], systems, ["--systems-in", str(tmp_path / "s"), "--format", "table", *output]):
        done = run("errors", key, *typed, *options)
        made = commands(done.stdout or (tmp_path / "out.txt").read_text())
        assert len(made) > 1
        assert typed != systems or [words[3] for words in made if len(words) > 3].count(systems[1]) == 2
        for words in made:
            assert words[1] == key
            assert words[2] in (first, second)
            assert ("--lenient" in words) == bool(options)
            assert ("--metric" in words) == (bool(options) and words[0] == "errors")
            assert not {"--output", "--systems-in"} & set(words)
            assert run(*words).exit_code == 0


def test_findings_of_standard_input_have_no_commands(run, tmp_path):
    _, response = files(tmp_path, ("key", "response"))
    assert not commands(run("errors", "-", response, input=(tmp_path / "key.jsonl").read_text()).stdout)


@pytest.mark.parametrize("metric", ["conll", "muc", "lea", "bcub"])
def test_commands_of_conventions_print_their_scores(run, tmp_path, metric):
    """Documents that are empty in the response, or not in it, singletons, repeated mentions."""
    rng = np.random.default_rng(1)
    key, sides = {}, {"empty": {}, "absent": {}, "single": {}, "repeated": {}}
    for d in range(16):
        clusters = [[[int(m), int(m)] for m in range(e, 60, 6)] for e in range(6)]
        key[f"d{d}"] = clusters
        wrong = [cluster[: int(rng.integers(5, 11))] for cluster in clusters]
        sides["empty"][f"d{d}"] = wrong if d % 4 else []
        sides["absent"] |= {f"d{d}": wrong} if d % 4 else {}
        sides["single"][f"d{d}"] = [*wrong, *([[m, m]] for m in range(100, 120))]
        sides["repeated"][f"d{d}"] = [[*cluster, *wrong[e - 1][:3]] for e, cluster in enumerate(wrong)]
    path = write(tmp_path / "key.jsonl", key)
    for name, side in sides.items():
        options = ["--missing-documents", "empty", "--duplicates", "first", "--metric", metric]
        shown = run("errors", path, write(tmp_path / f"{name}.jsonl", side), *options).stdout
        made = re.findall(r"^.*(?:Without .*, F1 is ([\d.]+)).*\n  arraycoref (.*)", shown, re.M)
        assert made or (name, metric) == ("single", "muc")
        assert name != "repeated" or made[0][1].startswith("check ")
        for f1, command in made if name != "repeated" else ():
            printed = run(*shlex.split(command), "--format", "json").stdout
            assert any(f"{value:.1f}" == f1 for value in numbers(json.loads(printed)))


def numbers(record):
    """Yield the numbers in a JSON record, as percentages."""
    if isinstance(record, float):
        yield 100 * record
    elif isinstance(record, dict | list):
        for part in record.values() if isinstance(record, dict) else record:
            yield from numbers(part)


def test_systems_are_listed_once(run, key, response):
    done = run("errors", key, key, response)
    assert done.exit_code == 0
    assert done.stderr.count("also matches the key") == 1


def test_commands_of_a_page_have_what_was_typed(run, tmp_path):
    key, response = files(tmp_path, ("key", "a"))
    page = tmp_path / "page.html"
    typed = ["--singletons", "drop", "--spans", "text"]
    assert run("report", key, response, *typed, "--worst", "3", "--output", page).exit_code == 0
    printed = [shlex.split(finding["command"]) for finding in records(page)[0]["findings"] if finding["command"]]
    assert ["arraycoref", "show", key, response] in [words[:4] for words in printed]
    for words in printed:
        assert all(" ".join(typed[n : n + 2]) in " ".join(words) for n in (0, 2) if words[1] in ("show", "errors"))
        assert run(*words[1:]).exit_code == 0
