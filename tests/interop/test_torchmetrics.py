"""The metric of torchmetrics gives what one scoring of all documents gives, in one process and in two."""

import json

import pytest

import arraycoref as ac
from hardening.processes import python
from interop.test_examples import EXAMPLES, example
from marks import process

torch = pytest.importorskip("torch")
pytest.importorskip("torchmetrics")
CorefMetric = ac.interop.torchmetrics.CorefMetric
METRICS = "muc,bcub,ceafe,conll"


@pytest.fixture
def batches():
    return example("torchmetrics_processes").batches()


def expected(batches, **options):
    preds, target = (torch.cat(side) for side in zip(*batches, strict=True))
    offsets = range(0, preds.numel() + 1, preds.shape[1])
    return ac.score_labels_batch(target.flatten(), preds.flatten(), offsets, metrics=METRICS, **options)


def close(values, scores):
    assert {name: float(value) for name, value in values.items()} == pytest.approx(scores.to_dict(flat=True), rel=1e-12)


def test_batches(batches):
    metric = CorefMetric(METRICS, beta=2.0)
    for n, (preds, target) in enumerate(batches):
        close(metric(preds, target), expected(batches[n : n + 1], beta=2.0))
    close(metric.compute(), expected(batches, beta=2.0))
    assert metric.scores().n_documents == 36
    assert metric.scores().signature == expected(batches, beta=2.0).signature
    metric.reset()
    metric.update(*batches[0])
    close(metric.compute(), expected(batches[:1], beta=2.0))


def test_other_forms_of_documents():
    metric = CorefMetric("muc,bcub")
    metric.update([torch.tensor([0, 0, 1]), torch.tensor([0, 1])], [torch.tensor([0, 0, 0]), torch.tensor([0, 0])])
    metric.update(preds=[["Ada", "she"]], target=[["Ada", "she"], ["Bob"]])
    keys, responses = [[[0, 1, 2]], [[0, 1]], [["Ada", "she"], ["Bob"]]], [[[0, 1], [2]], [[0], [1]], [["Ada", "she"]]]
    close(metric.compute(), ac.score_batch(keys, responses, metrics="muc,bcub"))


def test_models_of_half_precision(batches):
    """What is summed in half precision stops at 2,048."""
    metric = CorefMetric(METRICS)
    torch.nn.ModuleList([metric]).to(torch.float16)
    for _ in range(10):
        for batch in batches:
            metric.update(*batch)
    close(metric.compute(), expected(batches * 10))


def test_options_of_both():
    assert CorefMetric("muc", profile="conll", sync_on_compute=False).options == {"profile": "conll"}
    with pytest.raises(ValueError, match="profil"):
        CorefMetric("muc", profil="conll")
    with pytest.raises(ac.UnknownNameError, match="profile"):
        CorefMetric("muc", profile="conl")


SCRIPT = """
import json, runpy, sys
scores = runpy.run_path(sys.argv[1])["main"]()
import os
json.dump(scores, open(os.path.join(sys.argv[2], os.environ["RANK"]), "w"))
"""


@process
def test_two_processes_are_one(batches, tmp_path):
    """Of five batches, one process has three and the other two."""
    (tmp_path / "script.py").write_text(SCRIPT)
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    python(*launcher, str(tmp_path / "script.py"), str(EXAMPLES / "torchmetrics_processes.py"), str(tmp_path))
    first, second = (json.loads((tmp_path / rank).read_text()) for rank in "01")
    assert first == second
    close(first, expected(batches))
