"""Score a validation set in several processes, as a training run on several devices does, with a torchmetrics metric.

``torchrun --nproc-per-node 2 torchmetrics_processes.py`` prints what ``python torchmetrics_processes.py`` prints.
"""

from __future__ import annotations

import os

import torch
from torch import distributed

from arraycoref.interop.torchmetrics import CorefMetric


def batches(seed: int = 0) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return five batches of predicted and true entities, (B, 20) each, -1 for padding; B is 8, and 4 in the last."""
    generator = torch.Generator().manual_seed(seed)
    target = torch.randint(0, 5, (36, 20), generator=generator)
    wrong = torch.rand(target.shape, generator=generator) < 0.3
    preds = torch.where(wrong, torch.randint(0, 5, target.shape, generator=generator), target)
    padding = torch.arange(20) >= torch.randint(10, 21, (36, 1), generator=generator)
    return list(zip(*(side.masked_fill(padding, -1).split(8) for side in (preds, target)), strict=True))


def main() -> dict[str, float]:
    """Return recall, precision and F over the batches of all processes, the same in each process."""
    if "RANK" in os.environ:  # as torchrun sets it
        distributed.init_process_group("gloo")
    rank, n_processes = (int(os.environ.get(name, default)) for name, default in (("RANK", 0), ("WORLD_SIZE", 1)))
    metric = CorefMetric("muc,bcub,ceafe,conll")
    for preds, target in batches()[rank::n_processes]:
        metric.update(preds, target)
    scores = {name: value.item() for name, value in metric.compute().items()}  # adds up the counts of all processes
    if rank == 0:
        print(*(f"{name} {value:.4f}" for name, value in scores.items()), sep="\n")
    if "RANK" in os.environ:
        distributed.destroy_process_group()
    return scores


if __name__ == "__main__":
    main()
