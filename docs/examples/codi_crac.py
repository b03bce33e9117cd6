"""Convert CoNLL-UA, the files of the CODI-CRAC shared tasks, to JSON lines: ``python codi_crac.py IN > OUT.jsonl``.

Only identity is converted, without non-referring mentions (``-Pseudo``), which the tasks' scorer leaves out too. A
mention with gaps would need its parts here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def identities(path: str) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file, with words and clusters of (first, last) word."""
    for text in Path(path).read_text(encoding="utf-8").split("# newdoc id = ")[1:]:
        name, _, lines = text.partition("\n")
        words: list[str] = []
        clusters: dict[str, list[tuple[int, int]]] = {}
        opened: list[tuple[str, int]] = []
        for fields in (line.split() for line in lines.splitlines() if line and line[0] != "#"):
            closing = len(fields[10]) - len(fields[10].lstrip(")"))
            mentions = [(*opened.pop(), len(words)) for _ in range(closing)]
            for entity, end in re.findall(r"\([^()]*EntityID=([^|()]+)[^()]*(\)?)", fields[10][closing:]):
                if end:
                    mentions.append((entity, len(words), len(words)))
                else:
                    opened.append((entity, len(words)))
            for entity, start, last in mentions:
                if not entity.endswith("-Pseudo"):
                    clusters.setdefault(entity, []).append((start, last))
            words.append(fields[1])
        yield {"doc_key": name, "sentences": [words], "clusters": list(clusters.values())}


if __name__ == "__main__":
    for document in identities(sys.argv[1]):
        print(json.dumps(document))
