"""Small files of many kinds, and what each must give: sums of metrics, a text that is printed, or either of these.

The values are those of the scorers that the formats come with, or were counted by hand or with sets.
"""

import json
import re
from pathlib import Path

import pytest

import arraycoref as ac
from marks import about, cases
from oracle.golden import check_against_reference, files_of_cells

FOLDER = "coref"

CASES = {
    "zero-twice/key.conllu key.conllu --profile corefud --metrics zero": [{"zero": 2 / 3}],
    "ucdcr-cross/key.json response.json": [{"muc": (1, 3, 1, 1), "conll": 0.62510}, "2 entities .*several documents"],
    "ucdcr-cross/key.json response.json --level corpus": [{"muc": (1, 3, 1, 1), "conll": 0.62510}],
    "ucdcr-cross/key.conll response.conll": [{"muc": (1, 3, 1, 1), "conll": 0.62510}],
    "ucdcr-gap/key.json key.json": [{"mentions": (5, 5, 5, 5), "muc": (2, 2, 2, 2)}],
    "crac-json-zeros/key.conllu same.json --heads key-tree --profile corefud --singletons keep --metrics "
    "mentions,conll,zero": [{"mentions": (5, 5, 5, 5), "conll": 1.0, "zero": 1.0}],
    "mixed-empty-inside/key.conllu response.jsonl": [{"mentions": (4, 4, 4, 4)}, "2 mentions of the key .*empty nodes"],
    "minus-one/key.conll withheld.conll": ["-1"],
    "types-as-ids/gum-key.conllu gum-response.conllu": [{"muc": (1, 2, 1, 2)}, "error: .*global.Entity", "ids.*person"],
    "json-tokens/key.jsonl other.jsonl": ["6 of 6 tokens differ"],
    "wl-doc-key/key.jsonl response.jsonl": [{"mentions": (3, 4, 3, 4), "muc": (1, 2, 1, 2)}],
    "names-colon/key.conll response.jsonl": [{"mentions": (4, 4, 4, 4), "muc": (2, 2, 2, 2)}],
    "names-colon/key.conll key.conll --per-document": [r"\(ge/animal\.xml\); part 000"],
    "separator-blank/key.conll behind.conll --profile conll": [{"mentions": (6, 6, 6, 6), "muc": (3, 3, 3, 3)}],
    "separator-blank/key.conll behind.conll": [{"mentions": (6, 6, 6, 6), "muc": (3, 3, 3, 3)}, "a blank"],
    "hf-conll2012/key.jsonl response.jsonl": [{"mentions": (4, 6, 4, 4), "muc": (2, 3, 2, 2)}],
    "corefud heads-other-rule/key.conllu last.conllu -s": ["6 of 6 mentions"],
    "check check-bridge/bridge-undefined.conllu": ["warning.*e7"],
    "check check-bridge/splitante-twice.conllu": ["warning.*e1<e2"],
    "convert convert-zeros/key.conllu -  --to conll": ["error: .*--"],
}
"""Arguments, of `score` if no command is named; and what is right, any one of several. A number is a metric's F."""


def value(score, expected):
    if isinstance(expected, float):
        return score["f1"]
    return tuple(score[f"{ratio}_{part}"] for ratio in ("recall", "precision") for part in ("num", "den"))


@cases("line", [*CASES])
def test_case(run, line):
    words = line.split() if line.startswith(("check", "convert", "corefud")) else ["score", *line.split()]
    if words[0] in ("score", "corefud"):
        words[2] = str(Path(words[1]).with_name(words[2]))
    texts = [each for each in CASES[line] if isinstance(each, str)]
    values = [each for each in CASES[line] if isinstance(each, dict)]
    printed = run(*words).output
    if any(re.search(text, printed) for text in texts):
        return
    assert values, printed
    (expected,) = values
    done = run(*words, "--format", "json")
    assert done.exit_code == 0, done.stderr
    scores = json.loads(done.stdout)["scores"]
    found = {metric: value(scores[metric], values) for metric, values in expected.items()}
    assert found == {metric: pytest.approx(values, abs=5e-6) for metric, values in expected.items()}


def test_annotators_agree_in_any_order(run):
    """Recall and precision change places, and their F stays."""
    policies = ("--missing-documents", "empty", "--metrics", "muc", "--format", "json")
    for more in ((), ("--extra-documents", "ignore")):
        for pair in ("AC", "CA"):
            done = run("agree", *(f"agree-order/{name}" for name in pair), *policies, *more)
            assert done.exit_code == 0, done.stderr
            assert json.loads(done.stdout)["rows"][0]["muc"] == pytest.approx(2 / 3)


def test_a_mention_twice_in_one_entity(tmp_path):
    """The sums are the reference scorer's, version 8.01; the files have mentions in several entities too."""
    cases = [json.loads(line) for line in Path(__file__).with_name("twice.jsonl").read_text("utf-8").splitlines()]
    for number, case in enumerate(cases):
        case["name"] = f"d{number}"
    batch = ac.score_files(*files_of_cells(cases, tmp_path), profile="conll", on_error=lambda _: None)
    for number, case in enumerate(cases):
        with about((number, case["group"])):
            check_against_reference(batch[number], case["expected"])
