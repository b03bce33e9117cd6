"""Files of real size: from some 64 KB on, libraries read and compute with other code, not always rightly."""

import json

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.read import read_documents

MENTIONS = [[start, start + start % 3] for start in range(300, 24_300, 2)]
CLUSTERS = [MENTIONS[k::40] for k in range(40)]
WORDS = [f"w{n}" for n in range(24_303)]


@pytest.fixture
def written(tmp_path):
    """Write the same document in JSON, CoNLL and a table; return the paths."""
    paths = [tmp_path / f"a.{suffix}" for suffix in ("jsonl", "conll", "csv")]
    paths[0].write_text(json.dumps({"doc_key": "d", "sentences": [WORDS], "clusters": CLUSTERS}) + "\n")
    cells = [[] for _ in WORDS]
    for k, cluster in enumerate(CLUSTERS):
        for start, end in cluster:
            cells[start].append(f"({k})" if start == end else f"({k}")
            cells[end] += [] if start == end else [f"{k})"]
    lines = [f"{word}\t{'|'.join(cell) or '-'}" for word, cell in zip(WORDS, cells, strict=True)]
    paths[1].write_text("\n".join(["#begin document (d);", *lines, "", "#end document", ""]))
    rows = [f"d,{start},{end},{k}" for k, cluster in enumerate(CLUSTERS) for start, end in cluster]
    paths[2].write_text("\n".join(["document,start,end,label", *rows, ""]))
    return paths


def test_numbers_of_large_files(written):
    for path in written:
        mentions = read_documents(path).mentions
        assert path.stat().st_size > 1 << 16
        assert sorted(np.column_stack([mentions.start, mentions.end]).tolist()) == MENTIONS


@pytest.mark.usefixtures("engine")
def test_scores_of_large_files(written):
    for response in written[1:]:
        scores = ac.score_files(written[0], response, on_error=lambda _doubt: None).corpus
        assert {scores[name].f1 for name in ("mentions", "muc", "bcub", "ceafe", "blanc", "lea")} == {1.0}
