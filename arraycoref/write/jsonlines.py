"""Write documents as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from arraycoref.documents import Documents


def jsonlines_blocks(documents: Documents, _most: int | None = None) -> Iterator[bytes]:
    """Yield one line per document: ``doc_key``, ``n_tokens``, and ``clusters`` in the order of entity numbers.

    ``n_tokens`` is left out where the document's file does not say it: a last mention says too few, and a file with
    all tokens on the other side would seem to be of another text.

    It takes no more than the documents do in memory, so that no limit is needed.
    """
    for d, name in enumerate(documents.names):
        clusters: dict[int, list[list[int]]] = {}
        for first, last, entity in zip(*(column.tolist() for column in documents.spans(d)), strict=True):
            clusters.setdefault(entity, []).append([first, last])
        count = {"n_tokens": int(documents.n_tokens[d])} if documents.counted[d] else {}
        record = {"doc_key": name, **count, "clusters": [clusters[entity] for entity in sorted(clusters)]}
        yield json.dumps(record).encode() + b"\n"
