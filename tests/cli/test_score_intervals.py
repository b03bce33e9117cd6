"""``score --intervals``: intervals beside the scores, as `arraycoref.bootstrap` finds them."""

import csv
import json

import pytest

import arraycoref as ac

CHOSEN = ("--resamples", "50", "--seed", "3", "--interval", "percentile", "--metrics", "muc,blanc")


@pytest.fixture
def files(tmp_path):
    for name, other in (("key", 0), ("response", 1)):
        rows = [f"d{d},{m},{m // 3 if (m + d) % 4 else other * m}" for d in range(6) for m in range(9)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["document,mention,label", *rows]) + "\n")
    return str(tmp_path / "key.csv"), str(tmp_path / "response.csv")


@pytest.mark.parametrize("macro", [False, True])
def test_intervals_are_those_of_bootstrap(run, files, macro):
    options = {"resamples": 50, "seed": 3, "method": "percentile", "resample_by": r"d[0-2]|d[3-5]|"}
    average = "macro" if macro else "micro"
    b = ac.score_files(*files, metrics="muc,blanc")
    typed = [*CHOSEN, "--resample-by", options["resample_by"], *["--macro"] * macro]
    expected = ac.bootstrap(b, average=average, **options)["muc"].f1
    found = json.loads(run("score", *files, "--intervals", *typed, "--format", "json").stdout)["intervals"]
    assert found["resample_by"] == options["resample_by"]
    ends = {(row["metric"], row["field"]): row["low"] for row in found["rows"]}
    assert ends["muc", "f1"] == expected.low < expected.high
    text = run("score", *files, "--intervals", *typed).stdout
    assert f"{100 * expected.estimate:.2f}  {100 * expected.low:.2f} to {100 * expected.high:.2f}" in text


def test_csv_has_ends_of_all_fields(run, files):
    rows = list(csv.DictReader(run("score", *files, "--intervals", *CHOSEN, "--format", "csv").stdout.splitlines()))
    assert all(float(rows[0][f"{f}_low"]) <= float(rows[0][f]) for f in ("recall", "precision", "f1"))
    assert [row["f1_low"] == "" for row in rows] == [False, False, True, True]  # link classes of BLANC have none


def test_saved_scores_with_intervals_are_read_again(run, files, tmp_path):
    path = str(tmp_path / "scores.json")
    run("score", *files, "--intervals", *CHOSEN, "--per-document", "--format", "json", "--output", path)
    assert ac.load_scores(path)["muc"].f1 == ac.score_files(*files)["muc"].f1


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        (["--seed", "1"], "--seed needs --intervals"),
        (["--intervals", "--by", "d"], "--intervals has no effect with --by"),
        (["--intervals", "-b", "muc"], "--intervals has no effect with --bare"),
    ],
)
def test_what_would_have_no_effect_is_refused(run, files, typed, reason):
    done = run("score", *files, *typed)
    assert done.exit_code == 2
    assert reason in done.stderr


def test_contrast(run, tmp_path):
    """Two groups of ``--by``: where half of the links of one are missing, and none of the other."""
    for side, second in (("key", [[0, 0], [1, 1]]), ("response", [[0, 0], [2, 2]])):
        clusters = [[[[3, 3], [4, 4]], second], [[[3, 3], [4, 4]], [[0, 0], [1, 1]]]]
        lines = (json.dumps({"doc_key": f"{'ab'[n % 2]}{n}", "clusters": clusters[n % 2]}) for n in range(10))
        (tmp_path / f"{side}.jsonl").write_text("\n".join(lines))
    files = [str(tmp_path / f"{side}.jsonl") for side in ("key", "response")]
    shown = run("score", *files, "--by", "^.", "--contrast", "a,b", "--metrics", "muc", "--format", "json")
    record = json.loads(shown.stdout)
    assert record["groups"] == {"a": 5, "b": 5}
    assert record["rows"][0]["difference"] == -0.5
    assert run("score", *files, "--by", "^.", "--contrast", "a,c").exit_code == 2
    assert "--contrast needs two groups" in run("score", *files, "--by", "^.", "--contrast", "a").stderr
    assert "--contrast needs --by" in run("score", *files, "--contrast", "a,b").stderr
