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
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from arraycoref.analysis.layout import Analyzed, TextLayout
from arraycoref.analysis.page_summary import Summary
from arraycoref.errors import OptionError
from arraycoref.report.formats import plain
from arraycoref.report.tables import number_of
from arraycoref.runtime import atomic_write
from arraycoref.scoring.format import is_count

CHUNK = 60_000
"""Mentions and words that documents of one chunk have together, unless it is one document."""

LARGE = 100_000_000
"""A page of more bytes opens slowly."""


@dataclass(frozen=True, eq=False)
class Page:
    """An analysis of one response, or of two, as a page.

    Attributes:
        analysis: the analysis.
        names: names of the key and of the responses, for people; None for ``key`` and those of the analysis.
        words: whether the page has words; otherwise, the numbers of words.
        chosen: positions of the documents of the page; None for all.
    """

    analysis: Analyzed
    names: Sequence[str] | None = None
    words: bool = True
    chosen: Sequence[int] | None = None

    def write(self, path: str | os.PathLike[str]) -> int:
        """Write the page, whole or not at all.

        Returns:
            The number of bytes; with more than `LARGE`, `chosen` and `words` make a page smaller.

        Raises:
            OptionError: more than two responses, or other names than sides; no score that is a ratio; a path from which
                the analysis was read.
            OSError: the file cannot be written.
        """
        n_systems = len(self.analysis.systems)
        if n_systems > 2:
            raise OptionError(f"a page shows one or two responses, not {n_systems}")
        if self.names is not None and len(self.names) != n_systems + 1:
            raise OptionError(f"got {len(self.names)} names for a key and {n_systems} responses", "names")
        if all(map(is_count, self.analysis.scores.metrics)):
            raise OptionError(
                f"no score of {', '.join(self.analysis.scores.metrics)} is a ratio; expected one", "metrics"
            )
        read = {name for side in self.analysis.index.documents for name in side.files if name}
        with atomic_write(path, read) as file:
            return sum(file.write(block) for block in self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """Yield the content of the file."""
        text = {name: files(__package__).joinpath(f"page.{name}").read_text("utf-8") for name in ("html", "css", "js")}
        hashes = (f"{kind}-src '{_digest(text[name])}'" for kind, name in (("style", "css"), ("script", "js")))
        policy = f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; {'; '.join(hashes)}"
        key, *systems = self.names or ("key", *self.analysis.systems)
        summary = Summary(self.analysis, self.documents, key, systems, self.words).record()
        sizes = f"{number_of(len(self.documents), 'document')} · {number_of(len(self.analysis.index), 'mention')}"
        signs = list(enumerate(summary["types"], 1))
        values = {
            "policy": policy,
            "style": text["css"],
            "script": text["js"],
            "title": escape(f"{summary['title']} · coreference report"),
            "about": f"<b>{escape(' · '.join((key, *systems)))}</b> · {sizes}",
            "signs": "".join(f"<dt>{t} <b>{each['sign']}</b></dt><dd>{each['name']}</dd>" for t, each in signs),
        }
        head, tail = (
            re.sub(r"\{(\w+)\}", lambda name: values[name[1]], part).encode("utf-8", "backslashreplace")
            for part in text["html"].split("{data}")
        )
        yield head
        yield _packed(
            "index", summary | {"places": [[c, n] for c, of in enumerate(self.chunks) for n in range(len(of))]}
        )
        for c, chunk in enumerate(self.chunks):
            yield _packed(f"c{c}", [self.document(d) for d in chunk])
        yield tail

    @cached_property
    def documents(self) -> list[int]:
        """Positions of the documents of the page, in the order of the key."""
        every = range(len(self.analysis.documents))
        return list(every) if self.chosen is None else sorted(self.chosen)

    @cached_property
    def chunks(self) -> list[list[int]]:
        """The documents of each chunk."""
        chunks: list[list[int]] = []
        sizes, room = np.diff(self.analysis.index.offsets) + self.layout.lengths, 0
        for d in self.documents:
            if not chunks or sizes[d] > room:
                chunks.append([])
                room = CHUNK
            chunks[-1].append(d)
            room -= int(sizes[d])
        return chunks

    @cached_property
    def layout(self) -> TextLayout:
        """Where words and mentions are."""
        return TextLayout(self.analysis.index, self.words)

    def document(self, d: int) -> dict[str, Any]:
        """Return a document as its chunk holds it, with M mentions in the order of the index.

        Returns:
            ``k``: by side, the entities of mentions, -1 where it lacks them. ``a``: gaps between their first words;
            ``l``: how many words follow the first, -1 for an empty node. ``x``: by side, the first and last word of
            mentions that are others there. ``e``: by response, the types of its errors as digits, their numbers of
            mentions, and these. ``w``, ``s``, ``unit``, ``kind``: see `arraycoref.analysis.layout.Rows`. Of mentions
            that are no spans, there are the texts ``v`` in place of all that is about words.
        """
        index = self.analysis.index
        first, last = index.offsets[d : d + 2].tolist()
        rows, none = slice(first, last), [0] * (last - first)
        record: dict[str, Any] = {"k": [labels[rows].tolist() for labels in self.layout.entities], "e": [], "x": {}}
        for s in range(len(self.analysis.systems)):
            pieces = self.analysis.pieces(s)
            of = pieces.of(d)
            bounds = pieces.bounds[of.start : of.stop + 1]
            mentions = pieces.mentions[bounds[0] : bounds[-1]] - first
            types = "".join(map(str, pieces.type[of].tolist()))
            record["e"].append([types, np.diff(bounds).tolist(), mentions.tolist()])
        if not index.has_spans:
            texts = self.layout.texts(d) if self.words else list(map(str, range(last - first)))
            return record | {"a": none, "l": none, "v": texts, "kind": ""}
        start, end = (column[rows].copy() for column in self.layout.spans[0])
        for side, columns in enumerate(self.layout.spans[1:], 1):
            own_start, own_end = (column[rows] for column in columns)
            unknown = start < 0
            start[unknown], end[unknown] = own_start[unknown], own_end[unknown]
            other = np.flatnonzero((own_start >= 0) & ((own_start != start) | (own_end != end)))
            own = np.stack([own_start[other], own_end[other]], axis=1).tolist()
            record["x"] |= {side: dict(zip(other.tolist(), own, strict=True))} if other.size else {}
        record |= {"a": np.diff(start, prepend=0).tolist(), "l": (end - start).tolist()}
        words, lengths, unit, is_plain = self.layout.rows(d)
        return record | {"w": words, "s": lengths, "unit": unit, "kind": "plain" if is_plain else ""}


def _digest(text: str) -> str:
    """Return the hash of a style or a script as a content policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(name: str, record: Any) -> bytes:
    """Return a record as an element of the page that browsers neither run nor show."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=plain)
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 6))  # \udc80 is JSON's escape too
    return b'<script type="text/plain" id="%s">%s</script>\n' % (name.encode(), packed)
