"""Write an analysis as one page of HTML that needs no network: documents side by side, their errors, and a summary.

The file holds a style, a script and data. The data are texts of JSON, each compressed with zlib and written in base64:
``index`` has the summary and what is known of each document, ``c0``, ``c1`` and so on have the documents themselves,
and the page unpacks those that are looked at. All text from files is put into the page as text, never as markup; and
its content policy lets nothing run but the script, and nothing be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np

from arraycoref.analysis.page_summary import SIGNS, Summary
from arraycoref.analysis.results import Analysis
from arraycoref.errors import OptionError
from arraycoref.ragged import Bools, Ints
from arraycoref.read.mentions import BITS
from arraycoref.report.formats import plain
from arraycoref.runtime import atomic_write
from arraycoref.scoring.metrics.registry import direction, split_field
from arraycoref.scoring.metrics.score import best_first

PLACEHOLDERS = {"", "_", "-", "*"}
"""Words that stand for words that were taken out of a corpus."""

GLUED = re.compile(r"[.,;:!?)\]}%…]+|['’]\w{0,2}|n['’]t")
"""Words that follow the word before them without a space."""

CHUNK = 60_000
"""Mentions and words that documents of one chunk have together, unless it is one document."""

LARGE = 100_000_000
"""A page of more bytes opens slowly."""

ROW = 24
"""Words of a row where files have no sentences; more where a mention would be cut."""


@dataclass(frozen=True, eq=False)
class Page:
    """An analysis of one response, or of two, as a page.

    Attributes:
        analysis: the analysis.
        names: names of the key and of the responses, for people; None for ``key`` and those of the analysis.
        words: whether the page has words; otherwise, the numbers of words.
        worst: how many documents it has, the worst by ``sort``; 0 for all.
        sort: a score, ``muc`` or ``muc.recall``; empty for CoNLL, or the first score.
    """

    analysis: Analysis
    names: Sequence[str] | None = None
    words: bool = True
    worst: int = 0
    sort: str = ""

    def write(self, path: str | os.PathLike[str]) -> int:
        """Write the page, whole or not at all.

        Returns:
            The number of bytes. With more than `LARGE`, `worst` and `words` make pages smaller.

        Raises:
            OptionError: more than two responses, or other names than sides; a path from which the analysis was read.
            OSError: the file cannot be written.
        """
        n_systems = len(self.analysis.systems)
        if n_systems > 2:
            raise OptionError(f"a page shows one or two responses, not {n_systems}")
        if self.names is not None and len(self.names) != n_systems + 1:
            raise OptionError(f"got {len(self.names)} names for a key and {n_systems} responses", "names")
        with atomic_write(path) as file:
            return sum(file.write(block) for block in self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """Yield the content of the file."""
        text = {name: files(__package__).joinpath(f"page.{name}").read_text("utf-8") for name in ("html", "css", "js")}
        hashes = (f"{kind}-src '{_digest(text[name])}'" for kind, name in (("style", "css"), ("script", "js")))
        policy = f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; {'; '.join(hashes)}"
        head, tail = text["html"].replace("{policy}", policy).replace("{style}", text["css"]).split("{data}")
        yield head.encode()
        key, *systems = self.names or ("key", *self.analysis.systems)
        summary = Summary(self.analysis, self.documents, key, systems, self.sort, self.words).record()
        yield _packed("index", summary | {"places": [[c, n] for c, of in enumerate(self.chunks) for n in range(len(of))]})
        for c, chunk in enumerate(self.chunks):
            yield _packed(f"c{c}", [self.document(d) for d in chunk])
        yield tail.replace("{script}", text["js"]).encode()

    @cached_property
    def documents(self) -> list[int]:
        """Positions of the documents of the page, in the order of the key."""
        scores = self.analysis.scores.batch(0)
        if not self.worst or self.worst >= len(scores):
            return list(range(len(scores)))
        metric, field = split_field(self.sort or self.analysis.scores.first_metric)
        order = best_first(-direction(metric) * getattr(scores.documents[metric], field))
        return sorted(order[: self.worst].tolist())

    @cached_property
    def chunks(self) -> list[list[int]]:
        """The documents of each chunk."""
        chunks: list[list[int]] = []
        sizes, room = np.diff(self.analysis.index.offsets) + self.lengths, 0
        for d in self.documents:
            if not chunks or sizes[d] > room:
                chunks.append([])
                room = CHUNK
            chunks[-1].append(d)
            room -= int(sizes[d])
        return chunks

    @cached_property
    def lengths(self) -> Ints:
        """Number of words or characters of each document, int64 (D,); 0 where mentions are no spans."""
        index = self.analysis.index
        if not index.has_spans:
            return np.zeros(len(index.names), np.int64)
        lengths: Ints = np.max([side.n_tokens for side in index.documents], axis=0)
        return lengths

    @cached_property
    def spans(self) -> list[tuple[Ints, Ints]]:
        """First and last word of each mention on each side, (M,); an empty node ends before the word behind it."""
        index, spans = self.analysis.index, []
        for side, documents in enumerate(index.documents):
            start, end = index.span(side)
            if documents.mentions.has_parts and index.rows is not None:
                row = index.rows[side]
                is_zero = (row >= 0) & ~documents.mentions.are_words[row]
                behind = np.minimum(documents.mentions.first[row] >> BITS, self.lengths[index.document] - 1)
                start, end = np.where(is_zero, behind, start), np.where(is_zero, behind - 1, end)
            spans.append((start, end))
        return spans

    @cached_property
    def entities(self) -> list[Ints]:
        """The entity of each mention on each side, (M,), from 0 in each document."""
        index = self.analysis.index
        return [index.entity_in_document(side) for side in range(len(index.labels))]

    def document(self, d: int) -> dict[str, Any]:
        """Return a document as its chunk holds it, with M mentions in the order of the index.

        Returns:
            ``k``: by side, the entities of mentions, -1 where it lacks them. ``a``: gaps between their first words;
            ``l``: how many words follow the first, -1 for an empty node. ``x``: by side, the first and last word of
            mentions that are others there. ``e``: by response, the types of its errors as digits, their numbers of
            mentions, and these. ``w``: words, each after a space if there is one, and ``s``: how many of them are in
            each row, a ``unit``; or ``v``: the texts of mentions that are no spans. ``kind``: ``plain`` for a document
            without words, in which their numbers stand for them.
        """
        index, first, last = self.analysis.index, *self.analysis.index.offsets[d : d + 2].tolist()
        rows, none = slice(first, last), [0] * (last - first)
        record: dict[str, Any] = {"k": [labels[rows].tolist() for labels in self.entities], "e": [], "x": {}, "kind": ""}
        for s in range(len(self.analysis.systems)):
            pieces = self.analysis.pieces(s)
            of = pieces.of(d)
            bounds = pieces.bounds[of.start : of.stop + 1]
            mentions = pieces.mentions[bounds[0] : bounds[-1]] - first
            types = "".join(map(str, pieces.type[of].tolist()))
            record["e"].append([types, np.diff(bounds).tolist(), mentions.tolist()])
        if not index.has_spans:
            texts = index.texts(d) if self.words else list(map(str, range(last - first)))
            return record | {"a": none, "l": none, "v": texts}
        start, end = self.spans[0][0][rows].copy(), self.spans[0][1][rows].copy()
        for side, columns in enumerate(self.spans[1:], 1):
            own_start, own_end = (column[rows] for column in columns)
            unknown = start < 0
            start[unknown], end[unknown] = own_start[unknown], own_end[unknown]
            other = np.flatnonzero((own_start >= 0) & ((own_start != start) | (own_end != end)))
            own = np.stack([own_start[other], own_end[other]], axis=1).tolist()
            record["x"] |= {side: dict(zip(other.tolist(), own, strict=True))} if other.size else {}
        record |= {"a": np.diff(start, prepend=0).tolist(), "l": (end - start).tolist()}
        every = np.concatenate([np.stack([each[rows] for each in columns]) for columns in self.spans], axis=1)
        every = every[:, every[0] >= 0]
        sentences = index.sentences(d) or []
        words, lengths = [word for sentence in sentences for word in sentence], list(map(len, sentences))
        n = int(self.lengths[d])
        if not self.words or PLACEHOLDERS.issuperset(words):
            record |= {"w": _numbers(n, every), "kind": "plain"}
        elif "character" in index.documents[0].units[d]:
            record["w"] = words
        else:
            record["w"] = [mark + word for mark, word in zip(_spaces(words, sentences), words, strict=True)]
        is_cut = len(lengths) > 1 and sum(lengths) == len(record["w"])
        cuts = lengths if is_cut else _rows(len(record["w"]), every, ROW if record["w"] is not words else 6 * ROW)
        return record | {"s": cuts, "unit": "sentence" if is_cut else "row"}


def _spaces(words: Sequence[str], sentences: Sequence[Sequence[str]]) -> list[str]:
    """Return what is in front of each word: a space, or nothing before closing and after opening punctuation."""
    spaces, is_open, is_tight = [], False, True
    starts = {0}
    for sentence in sentences:
        starts.add(max(starts) + len(sentence))
    for n, word in enumerate(words):
        is_quote = word == '"'
        is_open = is_open and not (is_quote and n in starts)
        spaces.append("" if is_tight or (is_quote and is_open) or GLUED.fullmatch(word) else " ")
        is_open ^= is_quote
        is_tight = is_open if is_quote else word in {"(", "[", "{", "“", "‘"}
    return spaces


def _numbers(n: int, spans: Ints) -> list[str]:
    """Return what stands for n words that are not shown: `` #`` for the number of each at an end of a mention.

    >>> "".join(_numbers(9, np.array([[2, 4], [6, 4]])))
    ' · # … # … # ·'
    """
    inside = np.zeros(n + 1, np.int64)
    np.add.at(inside, spans[0], 1)
    np.add.at(inside, spans[1] + 1, -1)
    is_end: Bools = np.zeros(n, np.bool_)
    is_end[spans[0]] = is_end[np.maximum(spans[1], spans[0])] = True
    kind = np.where(is_end, 2, np.cumsum(inside[:n]) > 0)
    is_new = is_end | np.append(True, kind[1:] != kind[:-1])[:n]
    marks = np.where(is_new, np.array([" ·", " …", " #"], object)[kind], "")
    return marks.tolist()  # type: ignore[no-any-return]


def _rows(n: int, spans: Ints, least: int) -> list[int]:
    """Return lengths of rows of n words, at least so many of them, at whose ends no mention is open."""
    change = np.zeros(n + 1, np.int64)
    np.add.at(change, spans[0], 1)
    np.add.at(change, np.maximum(spans[1], spans[0]), -1)
    ends = np.flatnonzero(np.cumsum(change[:n]) == 0) + 1
    lengths, at = [], 0
    while at < n:
        k = int(ends.searchsorted(at + least))
        end = int(ends[k]) if k < ends.size else n
        lengths.append(end - at)
        at = end
    return lengths


def _digest(text: str) -> str:
    """Return the hash of a style or a script as a content policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(name: str, record: Any) -> bytes:
    """Return a record as an element of the page that browsers neither run nor show."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=plain)
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 6))  # \udc80 is JSON's escape too
    return b'<script type="text/plain" id="%s">%s</script>\n' % (name.encode(), packed)


__all__ = ["LARGE", "SIGNS", "Page"]
