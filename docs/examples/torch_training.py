"""Score a model after each epoch of a torch training loop, with an `Accumulator`.

The model links each mention to an earlier one or to none. Labels go in as tensors, padded with -1, and are not copied
through lists. If training runs in several processes, one more line adds up the counts of all of them.
"""

from __future__ import annotations

import torch

from arraycoref.interop.accumulator import Accumulator

N_DOCUMENTS, LENGTH, WIDTH = 48, 20, 6


def batches(seed: int = 0) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return batches of mention vectors (8, L, W) and entities (8, L), -1 for padding."""
    generator = torch.Generator().manual_seed(seed)
    entities = torch.randint(0, 5, (N_DOCUMENTS, LENGTH), generator=generator)
    centers = 2 * torch.randn(N_DOCUMENTS, 5, WIDTH, generator=generator)
    vectors = torch.gather(centers, 1, entities[..., None].expand(-1, -1, WIDTH))
    vectors = vectors + torch.randn(vectors.shape, generator=generator)
    lengths = torch.randint(10, LENGTH + 1, (N_DOCUMENTS, 1), generator=generator)
    entities[torch.arange(LENGTH) >= lengths] = -1
    return list(zip(vectors.split(8), entities.split(8), strict=True))


class Linker(torch.nn.Module):
    """Score each pair of mentions by their weighted squared distance; no antecedent scores 0."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((WIDTH,), -1.0))
        self.bias = torch.nn.Parameter(torch.zeros(()))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return scores (B, L, 1 + L): first for no antecedent, then for each mention, -inf if it is not earlier."""
        distance = (vectors[:, :, None] - vectors[:, None]) ** 2
        scores = self.bias + distance @ self.weight
        later = ~torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril(-1)
        return torch.nn.functional.pad(scores.masked_fill(later, -torch.inf), (1, 0))


def loss_of(scores: torch.Tensor, entities: torch.Tensor) -> torch.Tensor:
    """Return the marginal log-likelihood of the right antecedents, negated."""
    same = (entities[:, :, None] == entities[:, None]) & torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril(-1)
    right = torch.cat([~same.any(2, keepdim=True), same], 2)
    likelihood = scores.masked_fill(~right, -torch.inf).logsumexp(2) - scores.logsumexp(2)
    return -likelihood[entities >= 0].mean()


def clusters_of(scores: torch.Tensor, entities: torch.Tensor) -> torch.Tensor:
    """Turn the best antecedent of each mention into labels (B, L); padding stays -1."""
    best = scores.argmax(2) - 1
    labels = torch.arange(LENGTH).expand(best.shape).clone()
    for mention in range(LENGTH):
        linked = best[:, mention] >= 0
        labels[linked, mention] = labels[linked, best[linked, mention]]
    return labels.masked_fill(entities < 0, -1)


def main(epochs: int = 8) -> list[float]:
    """Return the CoNLL average before each epoch."""
    torch.manual_seed(0)
    model, found = Linker(), []
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    accumulator = Accumulator("conll")
    for _ in range(epochs):
        accumulator.reset()
        for vectors, entities in batches():
            scores = model(vectors)
            with torch.no_grad():
                accumulator.update(entities, clusters_of(scores, entities))
            loss = loss_of(scores, entities)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(torch.from_numpy(accumulator.state))  # changes the state in place
        found.append(accumulator.compute().conll)
    return found


if __name__ == "__main__":
    print(*(f"{100 * f1:.2f}" for f1 in main()))
