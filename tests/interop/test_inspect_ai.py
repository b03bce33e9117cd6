"""The scorer of inspect-ai, on a data set of three texts with the mock model."""

import json

import pytest

import arraycoref as ac
from interop.test_examples import example

inspect_ai = pytest.importorskip("inspect_ai")
coref_scorer, read_json = ac.interop.inspect_ai.coref_scorer, ac.interop.inspect_ai.read_json
pytestmark = pytest.mark.filterwarnings("ignore")  # its own


@pytest.mark.parametrize("epochs", [1, 2])
def test_corpus_scores(epochs, tmp_path):
    module = example("inspect_task")
    numbers = module.main(str(tmp_path), epochs)
    keys = [clusters for _, clusters in module.DOCUMENTS]
    responses = [keys[0], [["John", "It", "him"], ["a dog"]], []]
    scores = ac.score_batch(keys, responses, metrics="muc,bcub").to_dict(flat=True)
    assert numbers == pytest.approx(scores | {"documents": 3 * epochs, "unreadable": epochs}, rel=1e-12)
    (path,) = tmp_path.glob("*.eval")
    samples = inspect_ai.log.read_eval_log(str(path)).samples
    assert len(samples) == 3 * epochs
    for sample in samples:
        score, one = sample.scores["coref_scorer"], (keys[sample.id - 1], responses[sample.id - 1])
        assert score.value == {name: each.f1 for name, each in ac.score(*one, metrics="muc,bcub").items()}
        assert (score.reason == "invalid_response_format") is (sample.id == 3)
        assert ("scored as no clusters: 'I see" in score.explanation) is (sample.id == 3)


def run(tmp_path, target, answer, **options):
    module = example("inspect_task")
    module.ANSWERS["Mary"] = answer
    task = module.task()
    task.dataset[0].target = target
    task.scorer = [coref_scorer(metrics="muc", **options)]
    model = inspect_ai.model.get_model("mockllm/model", custom_outputs=module.answer)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none", limit=1)
    return log


@pytest.mark.parametrize(("options", "reason"), [({}, "invalid_response_format"), ({"duplicates": "first"}, None)])
def test_mentions_that_repeat(options, reason, tmp_path):
    log = run(tmp_path, '[["Mary", "her"]]', '[["Mary", "her"], ["her"]]', **options)
    score = log.samples[0].scores["coref_scorer"]
    assert score.reason == reason
    assert score.value == {"muc": 1.0 if options else 0.0}
    assert options or "duplicate" in score.explanation


def test_a_reader_of_ones_own(tmp_path):
    def lines(text):
        return [line.split(" = ") for line in text.splitlines()]

    log = run(tmp_path, "Mary = her\nkeys", "Mary = her = keys", read=lines)
    assert log.results.scores[0].metrics["muc_precision"].value == 0.5


def test_a_target_that_cannot_be_read(tmp_path):
    log = run(tmp_path, "none", "[]")
    assert log.status == "error"
    assert "'none' holds no clusters" in log.error.message


def test_options_are_checked_before_a_model_is_asked():
    with pytest.raises(ac.UnknownNameError, match="duplicates"):
        coref_scorer(duplicates="frist")


@pytest.mark.parametrize("text", ["", "[" * 100_000 + "]", "] [", "```json\n[[1, 2\n```", "[nothing]"])
def test_no_json(text):
    with pytest.raises(ac.InputError, match="holds no clusters"):
        read_json(text)


def test_json_among_words():
    assert read_json('First: ```[["a"]]``` and then, rather:\n```json\n[["b"], [[0, 1]]]\n```') == [["b"], [[0, 1]]]
    assert read_json(f"so {json.dumps([['a', 'b']])}.") == [["a", "b"]]
