"""``--fail-under``, ``--compare-to``, ``--fail-under-previous`` and ``--format github`` of ``arraycoref score``."""

import json
import re

import pytest

import arraycoref as ac

# the files of conftest.py, as clusters of tokens: MUC recall is 4/6 and precision 4/4, so that F1 is 80
KEY = {"a": [[0, 1, 2, 3, 4, 5]], "b": [[0, 2]]}
RESPONSE = {"a": [[0, 1], [2, 3, 4], [5]], "b": [[0, 2]]}


@pytest.mark.parametrize(
    ("bounds", "missed"),
    [
        (["muc=80", "muc.recall=66.66", "MUC.Precision=100", "conll=0"], []),
        (["muc=80.01"], ["muc F1 is 80.00, 0.01 below 80.01"]),
        (["muc.recall=66.667"], ["muc recall is 66.6667, 0.0003 below 66.6670"]),  # digits enough to tell them apart
        (["muc.recall=70", "muc.precision=70", "muc=90"], ["muc recall is 66.67, 3.33 below", "muc F1 is 80.00, 10"]),
        (["merge-distance=2"], []),  # two entities of the response are put to another
        (["merge-distance=1.5"], ["merge-distance is 2.0, 0.5 above 1.5"]),
    ],
)
def test_scores_below_their_bounds_end_in_status_3(run, key, response, bounds, missed):
    done = run("score", key, response, *[part for each in bounds for part in ("--fail-under", each)])
    assert done.exit_code == (3 if missed else 0)
    lines = done.stderr.splitlines()
    assert len(lines) == len(missed)
    assert all(line.startswith(f"arraycoref: {said}") for line, said in zip(lines, missed, strict=True))
    assert done.stdout.startswith("metric")


def test_bounds_hold_for_what_is_printed(run, key, response, tmp_path):
    assert run("score", key, response, "--macro", "--fail-under", "muc.recall=80").exit_code == 0  # (3/5 + 1) / 2
    done = run("score", key, response, "--macro", "--fail-under", "muc.recall=80.01")
    assert (done.exit_code, done.stderr) == (3, "arraycoref: muc recall is 80.00, 0.01 below 80.01\n")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(f"{key}\t{response}\n{key}\t{key}\n")
    assert run("score", "--file-pairs", pairs, "--fail-under", "muc.recall=83.33").exit_code == 0  # 10/12
    assert run("score", "--file-pairs", pairs, "--fail-under", "muc.recall=83.34").exit_code == 3
    f2 = run("score", key, response, "--beta", "2", "--fail-under", "muc=99").stderr  # 5 P R / (4 P + R)
    assert f2 == "arraycoref: muc F2 is 71.43, 27.57 below 99.00\n"


def test_what_bounds_need_is_scored_too(run, key, response):
    done = run("score", key, response, "--metrics", "muc", "--fail-under", "lea.recall=1", "--format", "json")
    found = json.loads(done.stdout)
    assert list(found["scores"]) == ["muc", "lea"]
    lea = ac.score_files(key, response)["lea"].recall
    assert found["bounds"] == [{"metric": "lea", "field": "recall", "value": lea, "bound": 0.01, "reached": True}]
    plain = run("score", key, response, "--format", "conll")
    for bound, status in (("conll=1", 0), ("lea=1", 0), ("conll=99", 3)):
        done = run("score", key, response, "--format", "conll", "--fail-under", bound)
        assert (done.exit_code, done.stdout) == (status, plain.stdout)


@pytest.mark.parametrize(
    ("bound", "metrics", "status", "said"),
    [
        ("70", "muc,b3,ceafe", 3, "conll F1 is 68.61, 1.39 below 70.00"),
        ("=60", None, 0, ""),
        ("70", "lea", 3, "lea F1 is 59.43, 10.57 below 70.00"),
        ("1.5", "lea.f1", 2, "unknown metric 'lea.f1'"),
    ],
)
def test_a_bound_alone_is_of_the_average_or_the_only_metric(run, key, response, bound, metrics, status, said):
    chosen = [] if metrics is None else ["--metrics", metrics]
    done = run("score", key, response, *chosen, "--fail-under", bound)
    assert (done.exit_code, said in done.stderr) == (status, True), done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--fail-under", "cnll=70"], 2, "unknown metric in --fail-under 'cnll'; did you mean 'conll'"),
        (["--fail-under", "conll.recall=70"], 2, "metric 'conll' has no recall; expected field 'f1'"),
        (["--fail-under", "conll=0.7"], 2, "'conll=0.7'; expected percent; did you mean --fail-under conll=70?"),
        (["--fail-under", "0.7"], 2, "--fail-under is '0.7'; expected percent; did you mean --fail-under 70?"),
        (["--fail-under", "=1"], 2, "--fail-under is '=1'; expected percent; did you mean --fail-under =100?"),
        (["--fail-under", "70%"], 2, "--fail-under is '70%'; expected percent, as in conll=70"),
        (["--fail-under", "101"], 2, "--fail-under is '101'; expected percent, as in conll=70"),
        (["--fail-under", "nan"], 2, "--fail-under is 'nan'; expected percent, as in conll=70"),
        (["--fail-under", "conll"], 2, "--fail-under is 'conll'; expected percent, as in conll=70"),
        (["--metrics", "lea,b3", "--fail-under", "70"], 2, "conll is not scored; expected one of lea=70, bcub=70"),
        (["--fail-under-previous", "0.5"], 2, "--fail-under-previous needs --compare-to"),
        (["--compare-to", "scores.json", "--fail-under-previous", "x"], 2, "'x'; expected points, as in 0.5 or"),
        (
            ["--compare-to", "short.json"],
            1,
            "short.json: not a file of scores; .*: no sums of documents; .* --per-document",
        ),
        (["--compare-to", "scores.json", "--fail-under-previous", "ari=3"], 1, "scores.json holds no ari; its metrics"),
        (["--compare-to", "scores.json", "--beta", "2"], 1, "'previous' was scored with --beta 1.0 and 'now' with 2.0"),
        (["--compare-to", "other.json"], 1, "document 'text/a_0' differs: the denominator of muc recall is 3 for"),
    ],
)
def test_wrong_bounds_are_refused(run, key, response, tmp_path, monkeypatch, arguments, status, said):
    monkeypatch.chdir(tmp_path)
    ac.score_files(key, response, metrics="muc,conll").save("scores.json")
    ac.score_files(response, response, metrics="muc,conll").save("other.json")
    run("score", key, response, "--format", "json", "--output", "short.json")
    done = run("score", key, response, *arguments, terminal_width=500)
    assert done.exit_code == status
    assert re.search(said.replace("[", "\\["), done.stderr)


def lines(path, documents):
    """Write clusters of single tokens as JSON lines, and return the path."""
    spans = {name: [[[t, t] for t in cluster] for cluster in clusters] for name, clusters in documents.items()}
    path.write_text("".join(json.dumps({"doc_key": name, "clusters": found}) + "\n" for name, found in spans.items()))
    return path


@pytest.fixture
def previous(tmp_path):
    """Scores of a response that has everything right, its documents the other way round."""
    key = lines(tmp_path / "turned.jsonl", dict(reversed(KEY.items())))
    ac.score_files(key, key, metrics="muc,conll").save(tmp_path / "previous.json")
    return tmp_path / "previous.json"


@pytest.fixture
def files(tmp_path):
    return lines(tmp_path / "k.jsonl", KEY), lines(tmp_path / "r.jsonl", RESPONSE)


def test_differences_are_those_of_compare(run, files, previous):
    before, now = ac.score_files(files[0], files[0]), ac.score_files(*files)
    for options, asked in (([], {}), (["--macro", "--metrics", "muc"], {"metric": "muc", "average": "macro"})):
        done = run("score", *files, "--compare-to", previous, *options, "--format", "json")
        c = ac.compare({"previous": before, "now": now}, baseline="previous", **asked)
        assert (done.exit_code, json.loads(done.stdout)["compared"]) == (0, [json.loads(c.render("json"))])
    c = ac.compare({"previous": before, "now": now}, baseline="previous")
    assert run("score", *files, "--compare-to", previous).stdout == f"{run('score', *files).stdout}\n{c.render()}"


@pytest.mark.parametrize(
    ("drops", "missed"),  # from 100: MUC recall 66.67, F1 80
    [
        (["muc=20"], []),
        (["muc=19.99"], ["muc F1 is 80.00, 0.01 below 80.01, 19.99 less than in "]),
        (["muc.recall=33.3", "muc.precision=0"], ["muc recall is 66.67, 0.03 below 66.70, 33.30 less than in "]),
        (["3"], ["conll F1 is "]),
    ],
)
def test_scores_worse_than_before_end_in_status_3(run, files, previous, drops, missed):
    asked = [part for each in drops for part in ("--fail-under-previous", each)]
    done = run("score", *files, "--compare-to", previous, *asked)
    assert done.exit_code == (3 if missed else 0)
    said = zip(done.stderr.splitlines(), missed, strict=True)
    assert all(line.startswith(f"arraycoref: {start}") for line, start in said)
    assert done.stdout.count("difference from the baseline (previous)") == len(drops)


def test_summary_for_github(run, files, previous):
    arguments = ["--compare-to", previous, "--fail-under", "muc=90", "--fail-under", "muc.recall=1", "--per-document"]
    done = run("score", *files, *arguments, "--format", "github")
    assert done.exit_code == 3
    assert done.stderr == "::error title=arraycoref score::muc F1 is 80.00, 10.00 below 90.00\n"
    markdown = run("score", *files, "--format", "markdown").stdout
    assert done.stdout.startswith(f"### Coreference scores\n\n{markdown}\n")
    assert "- :x: muc F1 is 80.00, 10.00 below 90.00\n- :white_check_mark: muc recall is 66.67, at least 1.00\n" in (
        done.stdout
    )
    assert f"\n\n#### Compared with {previous}\n\n|" in done.stdout.replace("\\_", "_")
    documents = done.stdout.split("<details>\n<summary>2 documents</summary>\n\n")[1]
    assert documents.startswith("| document (F1)")
    assert documents.endswith("|\n\n</details>\n")
    assert "details" not in run("score", *files, "--format", "github").stdout
