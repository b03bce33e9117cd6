"""Target: mentions in each other and entities of any size are analyzed, explained, shown, and written with tags."""

import json
import tempfile
from pathlib import Path

import arraycoref as ac
from arraycoref.analysis.explanation import WORKED
from arraycoref.read import read_documents
from arraycoref.read.annotated_text import annotated_blocks
from fuzz.promises import Errors

WORD, OPENS, CLOSES, MENTION = range(4)
REPEATED = 32
"""How many words a byte stands for: what is not linear is seen in short inputs then."""


def target_analyzed(data: bytes) -> None:
    """The first byte says what is made; each other one is words, with one mention of all of them, or its first word."""
    how, (n_words, clusters) = data[0] if data else 0, mentions_of(data[1:])
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{side}.jsonl" for side in ("key", "response")]
        for path, entities in zip(paths, clusters, strict=True):
            path.write_text(json.dumps({"doc_key": "d", "sentences": [["w"] * n_words], "clusters": entities}))
        if how % 4 == 0:
            for style in ("xml-text", "markdown"):
                (line,) = annotated_blocks(read_documents(paths[1]), style, by_line=True, problems=Errors(lenient=True))
                assert line.count(b"w") >= n_words
            return
        a = ac.analyze_files(*paths, singletons="keep")
        if how % 4 == 1:
            assert len(a.entities().columns()["mention"]) == len(clusters[0])
        elif how % 4 == 2:
            assert len(str(a.explain(list(WORKED)[how // 4 % len(WORKED)], 0))) > 0
        else:
            assert a.save_html(Path(folder) / "page.html") > 0


def mentions_of(data: bytes) -> tuple[int, list[list[list[list[int]]]]]:
    """Read words: their number, and the entities of the key, which are one and many singletons, and of the response."""
    opened, spans = list[tuple[int, int]](), list[tuple[int, int, int]]()
    n = 0
    for byte in data:
        for _ in range(REPEATED):
            kind, entity = byte & 3, byte >> 2 & 1
            if kind == OPENS:
                opened.append((n, entity))
            elif kind == CLOSES and opened and opened[-1][0] < n:
                first, entity = opened.pop()
                spans.append((first, n, entity))
            elif kind == MENTION:
                spans.append((n, n, entity))
            n += 1
    of_two = [[[first, last] for first, last, entity in spans if entity == e] for e in (0, 1)]
    key = [of_two[0], *([span] for span in of_two[1])]
    response = [*([span] for span in of_two[0]), of_two[1]]
    return n, [[entity for entity in side if entity] for side in (key, response)]
