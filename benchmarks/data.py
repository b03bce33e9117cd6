"""Generate documents from seeds, and find the GUM pair in the folder that ARRAYCOREF_DATA names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


class Batch(NamedTuple):
    """Ragged label vectors, as `arraycoref.score_labels_batch` takes them."""

    key: Labels
    response: Labels
    offsets: Labels

    @property
    def n_mentions(self) -> int:
        """Number of mentions in all documents, those that one side lacks included."""
        return len(self.key)


def documents(n_documents: int, n_mentions: int, seed: int = 0) -> Batch:
    """Generate documents like those of a system on real text.

    Entities have three mentions on average, with skewed sizes. The response moves a fifth of the mentions to another
    entity, and each side lacks 8 % of the mentions.
    """
    rng = np.random.default_rng(seed)
    size = n_documents * n_mentions
    n_entities = max(n_mentions // 3, 1)
    key = (n_entities * rng.random(size) ** 1.5).astype(np.int64)
    response = np.where(rng.random(size) < 0.2, (n_entities * rng.random(size)).astype(np.int64), key)
    key[rng.random(size) < 0.08] = -1
    response[rng.random(size) < 0.08] = -1
    return Batch(key, response, np.arange(0, size + 1, n_mentions))


def data_file(name: str) -> Path | None:
    """Return the path of a file in the data folder, None if it is not there."""
    folder = os.environ.get("ARRAYCOREF_DATA")
    path = Path(folder, name) if folder else None
    return path if path is not None and path.exists() else None


def gum_files(folder: Path) -> tuple[Path, Path, str]:
    """Return the paths of GUM's key and response, and a name for the pair.

    Without them in the data folder, documents of the same number and mean length are generated and written to
    ``folder``.
    """
    key, response = data_file("gum_gum_key.conll"), data_file("gum_gum_resp.conll")
    if key is not None and response is not None:
        return key, response, "GUM pair"
    batch = documents(281, 315, seed=281)
    paths = folder / "key.conll", folder / "response.conll"
    for path, labels in zip(paths, (batch.key, batch.response), strict=True):
        write_conll(path, labels, batch.offsets)
    return *paths, "generated in the shape of the GUM pair"


def write_conll(path: Path, labels: Labels, offsets: Labels, columns: str = "", repeat: int = 1) -> None:
    """Write documents of one-token mentions as CoNLL columns, ``repeat`` times, each time under new names.

    Args:
        path: the file to write.
        labels: entity of each token; -1 for a token that is not a mention.
        offsets: where documents begin and end among the labels.
        columns: columns to put before the three that are written, with tabs.
        repeat: how many copies of the documents to write.
    """
    bodies = []
    for d in range(len(offsets) - 1):
        rows = (
            f"{columns}{t}\t_\t({e})\n\n" if t % 20 == 19 else f"{columns}{t}\t_\t({e})\n"
            for t, e in enumerate(labels[offsets[d] : offsets[d + 1]].tolist())
        )
        bodies.append("".join(rows).replace("(-1)", "_"))
    with path.open("w") as file:
        for r in range(repeat):
            for d, body in enumerate(bodies):
                file.write(f"#begin document (document_{r}_{d}); part 000\n{body}#end document\n")


def as_labels(key: Path, response: Path) -> Batch:
    """Read a key file and a response file into label vectors."""
    from arraycoref.match import match_documents
    from arraycoref.options import PolicyOptions, resolve_policies
    from arraycoref.read import read_documents

    clusterings = match_documents(
        read_documents(key, side="key"),
        read_documents(response, side="response"),
        resolve_policies({"profile": "conll"}, PolicyOptions),
    ).clusterings
    return Batch(
        clusterings.key.astype(np.int64), clusterings.response.astype(np.int64), np.asarray(clusterings.offsets)
    )


def as_sets(batch: Batch) -> list[tuple[list[set[int]], list[set[int]]]]:
    """Return key and response of each document as lists of sets, which other Python scorers take."""
    pairs = []
    for lo, hi in zip(batch.offsets[:-1].tolist(), batch.offsets[1:].tolist(), strict=True):
        sides = []
        for labels in (batch.key[lo:hi].tolist(), batch.response[lo:hi].tolist()):
            entities: dict[int, set[int]] = {}
            for mention, entity in enumerate(labels):
                if entity >= 0:
                    entities.setdefault(entity, set()).add(mention)
            sides.append(list(entities.values()))
        pairs.append((sides[0], sides[1]))
    return pairs
