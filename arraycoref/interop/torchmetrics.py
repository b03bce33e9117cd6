"""A metric of torchmetrics, whose state adds up over batches, devices and processes. Needs torch and torchmetrics."""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics import Metric

from arraycoref.interop.accumulator import Accumulator
from arraycoref.interop.rows import document_counts, scores_from_counts
from arraycoref.options import Metrics, PolicyOptions
from arraycoref.scoring.scores import Scores


class CorefMetric(Metric):  # type: ignore[misc]  # torchmetrics is not installed where types are checked
    """Score coreference over all batches of all processes; predictions come first, as in all of torchmetrics.

        >>> metric = CorefMetric("muc,bcub")
        >>> metric.update(preds=torch.tensor([[0, 0, 0, -1]]), target=torch.tensor([[0, 0, 1, -1]]))
        >>> {name: round(value.item(), 2) for name, value in metric.compute().items()}["muc_precision"]
        0.5

    ``compute`` and ``forward`` return a tensor for each name that `Scores.to_dict` with ``flat`` has. A corpus score is
    a ratio of sums over all documents, and not a mean over batches. A sampler that repeats documents, so that all
    processes get equally many, has them counted twice: `scores` says how many documents were counted.

    Args:
        metrics: names of the metrics; None for the default metrics.
        **options: see `arraycoref.options`; ``ignore_index`` is a label of ``target``, such as -100 for padding, whose
            positions are left out; others are those of ``torchmetrics.Metric``, such as ``process_group``.

    Attributes:
        metrics: names of the metrics.
        options: those of `arraycoref.options` that were given.
        counts: float64 (1 + 4K,), the state: `Accumulator.state`, summed over processes. It stays float64 where a model
            is cast to half precision. Where a device has no float64 (MPS), leave the metric on the CPU.

    Raises:
        OptionError: a value that is not allowed for its option, or `UnknownNameError`: a name that does not exist.
        ValueError: an option that does not exist.
    """

    is_differentiable = False
    full_state_update = False
    counts: Any

    def __init__(self, metrics: Metrics = None, **options: Any) -> None:
        own = (*PolicyOptions.__annotations__, "ignore_index")
        self.options = {name: options.pop(name) for name in own if name in options}
        super().__init__(**options)
        empty = Accumulator(metrics, **self.options)
        self.metrics = empty.metrics
        self.add_state("counts", torch.from_numpy(empty.state), dist_reduce_fx="sum")

    def update(self, preds: Any, target: Any) -> None:
        """Add documents.

        Args:
            preds: labels of the response, (M,) of one document or padded rows (D, L), tensors of any device; or a list
                of D vectors, or clusters: what `Accumulator.update` takes.
            target: the same, of the key.

        Raises:
            InputError: input that the scoring functions refuse; the state is then unchanged.
        """
        counts = document_counts(_on_cpu(target), _on_cpu(preds), self.metrics, **self.options)
        sums = torch.tensor(counts, dtype=torch.float64, device=self.counts.device)
        self.counts = self.counts + sums  # not in place, which would keep the half precision of a model that was cast

    def compute(self) -> dict[str, torch.Tensor]:
        """Return recall, precision and F of each metric, such as ``muc_f1``: fractions, as float64 tensors ().

        Raises:
            InputError: there are no documents.
        """
        flat = self.scores().to_dict(flat=True)
        return {name: torch.tensor(value, dtype=torch.float64, device=self.device) for name, value in flat.items()}

    def scores(self) -> Scores:
        """Return the scores with counts and signature; of all processes within ``with metric.sync_context():``.

        Raises:
            InputError: there are no documents.
        """
        return scores_from_counts([self.counts.tolist()], self.metrics, **self.options)


def _on_cpu(labels: Any) -> Any:
    """Move a tensor, or a list of tensors, to the CPU."""
    if isinstance(labels, torch.Tensor):
        return labels.detach().cpu()
    if isinstance(labels, list | tuple) and any(isinstance(vector, torch.Tensor) for vector in labels):
        return [_on_cpu(vector) for vector in labels]
    return labels
