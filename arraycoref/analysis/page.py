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

from arraycoref.analysis.analyzed import Analyzed
from arraycoref.analysis.index import KEY
from arraycoref.analysis.pair import OF_KEY, TYPES
from arraycoref.analysis.show import SIGNS, TextLayout
from arraycoref.errors import InputError, OptionError
from arraycoref.ragged import Floats
from arraycoref.report.formats import encodable, plain
from arraycoref.report.tables import number_of
from arraycoref.runtime import atomic_write
from arraycoref.scoring.format import is_count, metric_title
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.stats import Interval, bootstrap

SHAPES = dict.fromkeys(("conflated", "divided"), "piece")

ATTRIBUTES = {
    "kind": "kind of mention",
    "type": "type of mention",
    "length": "words of the mention",
    "size": "mentions of the entity",
    "distance": "mentions since the closest antecedent",
}
"""Attributes by which scores are broken down, and their titles."""

SHOWN_ENTITIES = 20

RESAMPLES = 2_000
"""Resamples of intervals. Their ends are within about 0.1 points of those with the default, which would take longer
than the rest of the page."""

WIDTH, LEFT, BOTTOM, TOP = 940, 46, 340, 34
"""Pixels of the plot of documents: of the whole, and of the ends of its axes."""

Column = dict[str, Any]
Cells = list[Any]


def _percent(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.2f}"


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def _points(fractions: Floats) -> list[float]:
    return np.round(100 * fractions, 2).tolist()  # type: ignore[no-any-return]


def _counted(name: str, values: Any, **about: Any) -> Column:
    """Return a column of numbers, the largest first; with an ``isCount`` of -1, the smallest."""
    return {"name": name, "values": np.asarray(values).astype(int).tolist(), "isCount": 1} | about


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
        summary = self.summary()
        sizes = f"{number_of(len(self.documents), 'document')} · {number_of(len(self.analysis.index), 'mention')}"
        signs = list(enumerate(summary["types"], 1))
        values = {
            "policy": policy,
            "style": text["css"],
            "script": text["js"],
            "title": escape(f"{summary['title']} · coreference report"),
            "about": f"<b>{escape(' · '.join((self.key, *self.systems)))}</b> · {sizes}",
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

    @property
    def key(self) -> str:
        """Name of the key, for people."""
        return self.names[0] if self.names else "key"

    @property
    def systems(self) -> Sequence[str]:
        """Names of the responses, for people."""
        return self.names[1:] if self.names else self.analysis.systems

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
            mentions, and these. ``w``, ``s``, ``unit``, ``kind``: see `arraycoref.analysis.show.Rows`. Of mentions
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

    def summary(self) -> dict[str, Any]:
        """Return what the page shows of all documents; cells of tables are texts, or say what to draw."""
        columns, analysis = self.columns, self.analysis
        first = next(c for c, column in enumerate(columns) if column.get("isFirst"))
        left_out = len(analysis.documents) - len(self.documents)
        chosen = f"{len(self.documents)} of {len(analysis.documents)} documents are shown; scores are those of all"
        notes = [chosen] if left_out else []
        return {
            "title": f"{' and '.join(self.systems)} against {self.key}",
            "key": self.key,
            "systems": list(self.systems),
            "names": [encodable(analysis.index.names[d]) for d in self.documents],
            "types": [
                {
                    "name": name.replace("-", " "),
                    "sign": SIGNS[name],
                    "side": "key" if t in OF_KEY else "response",
                    "shape": SHAPES.get(name, "lost"),
                    "pair": name == "span",
                }
                for t, name in enumerate(TYPES)
            ],
            "columns": columns,
            "first": first,
            "cards": list(self._cards()),
            "tables": [self._scores(), self._errors(), *self._entities(), *self._breakdowns()],
            "plot": self._plot() if len(self.documents) > 2 else None,
            "notes": [*notes, *analysis.scores.joint_notes, str(analysis.scores.signature)],
        }

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics that are ratios."""
        return [name for name in self.analysis.scores.metrics if not is_count(name)]

    @property
    def first(self) -> str:
        """The metric that documents are listed by at first."""
        first: str = self.analysis.scores.first_metric
        return first if first in self.metrics else self.metrics[0]

    @cached_property
    def scores(self) -> list[Any]:
        """The scores of each response."""
        return [self.analysis.scores.batch(s) for s in range(len(self.systems))]

    @cached_property
    def errors(self) -> list[Any]:
        """The numbers of errors of each response."""
        return [self.analysis.error_types.batch(s) for s in range(len(self.systems))]

    @property
    def _is_pair(self) -> bool:
        return len(self.systems) > 1

    @cached_property
    def columns(self) -> list[Column]:
        """What documents can be listed by: differences of two responses, scores, numbers of errors, their sizes."""
        columns: list[Column] = []
        of = [f" · {system}" if self._is_pair else "" for system in self.systems]
        for name in self.metrics:
            title, is_first = metric_title(name), name == self.first
            values = [self._of(run, name) for run in self.scores]
            if self._is_pair:
                apart = f"{title}: {self.systems[1]} − {self.systems[0]}"
                columns.append(
                    {"name": apart, "values": _points(values[1] - values[0]), "isGap": 1, "isFirst": is_first}
                )
            for s, score in enumerate(values):
                about = {"name": title + of[s], "short": title, "metric": name, "system": s}
                columns.append(about | {"values": _points(score), "isFirst": is_first and not self._is_pair})
        counts = [[self._of(run, name) for name in TYPES] for run in self.errors]
        columns += [_counted(f"errors{of[s]}", np.sum(each, axis=0)) for s, each in enumerate(counts)]
        for s, each in enumerate(counts):
            named = zip(TYPES, each, strict=True)
            columns += [_counted(f"{name.replace('-', ' ')}{of[s]}", n, type=t) for t, (name, n) in enumerate(named)]
        sizes = np.diff(self.analysis.index.offsets)[self.documents]
        return [
            *columns,
            _counted("mentions", sizes),
            _counted("order of the key", 1 + np.arange(len(sizes)), isCount=-1),
        ]

    def _of(self, scores: Any, name: str) -> Floats:
        values: Floats = scores.documents[name].f1[self.documents]
        return values

    def _table(
        self, title: str, heads: list[tuple[str, str]], rows: list[Cells], notes: Sequence[str]
    ) -> dict[str, Any]:
        """Return a table; heads have their alignment or width, and rows of two responses say whose they are."""
        heads[1:1] = [("response", "")] * self._is_pair
        return {"title": title, "heads": heads, "rows": rows, "notes": notes}

    def _row(self, s: int, name: Any, *cells: Any) -> Cells:
        """Return a row of a response: the name is at the first one only."""
        return ["" if s else name, *([{"system": s}] if self._is_pair else []), *cells]

    def _cards(self) -> Iterator[tuple[str, str]]:
        for name in dict.fromkeys([self.first, *[name for name in ("mentions",) if name in self.metrics]]):
            for system, run in zip(self.systems, self.scores, strict=True):
                yield f"{100 * run[name].f1:.2f}", metric_title(name) + (f", {system}" if self._is_pair else "")
        for system, run in zip(self.systems, self.errors, strict=True):
            n = int(sum(run[name].f1 for name in TYPES))
            yield f"{n:,}", "errors" + (f", {system}" if self._is_pair else "")
        for n, noun in ((len(self.analysis.documents), "document"), (len(self.analysis.index), "mention")):
            yield f"{n:,}", noun + ("" if n == 1 else "s")

    def _scores(self) -> dict[str, Any]:
        intervals = [bootstrap(run, resamples=RESAMPLES) for run in self.scores]
        rows: list[Cells] = []
        for name in self.metrics:
            for s, of_run in enumerate(intervals):
                ratios = [_percent(getattr(of_run[name], field).estimate) for field in RATIOS]
                f1, *ends = (100 * value for value in (of_run[name].f1.estimate, *_ends(of_run[name].f1)))
                low, high = (f1 if np.isnan(end) else end for end in ends)
                span = "" if np.isnan(ends[0]) else f"{low:.2f} – {high:.2f}"
                track = {"at": f1, "low": low, "high": high, "system": s}
                rows.append(self._row(s, metric_title(name), *ratios, span, track))
        heads = [
            ("metric", ""),
            *((name, "r") for name in ("recall", "precision", "F1", "95 % interval")),
            ("", "wide"),
        ]
        return self._table("Scores", heads, rows, intervals[0].caption(2)[:-1])

    def _errors(self) -> dict[str, Any]:
        """Return the table of error types: how many, how sure that is, and what F gains if one type is corrected."""
        table = self.analysis.error_table(self.first, resamples=RESAMPLES)
        most = max(1.0, *(i.estimate for errors in table.errors for i in errors))
        rows: list[Cells] = []
        for t, type_ in enumerate(map(TYPES.index, table.types)):
            for s, errors in enumerate(table.errors):
                n, (low, high) = errors[t].estimate, _ends(errors[t])
                span = "" if np.isnan(low) else f"{low:,.0f} – {high:,.0f}"
                kind = ("key" if type_ in OF_KEY else "response") + (".other" if s else "")
                bar, gain = {"bar": 100 * n / most, "kind": kind}, f"{100 * table.alone[s, t]:+.2f}"
                rows.append(self._row(s, {"type": type_}, f"{n:,.0f}", span, bar, gain))
        heads = [("type", ""), ("errors", "r"), ("95 % interval", "r"), ("", "wide")]
        heads.append((f"{metric_title(self.first)} if corrected", "r"))
        *notes, _ = table.caption(2)[1 : -1 - len(table.notes)]
        return self._table("Errors", heads, rows, notes)

    def _breakdowns(self) -> Iterator[dict[str, Any]]:
        """Yield B-cubed recall and precision by classes of mentions, for each attribute that these have."""
        for name, title in ATTRIBUTES.items():
            try:
                parts = self.analysis.breakdown(name, "bcub")
            except InputError:  # an attribute that these mentions do not have
                continue
            rows: list[Cells] = []
            values = np.array([parts.score("bcub", field) for field in RATIOS[:2]])
            for c, of_class in enumerate(parts.classes[:-1]):
                for s, ratios in enumerate(values[:, :, c].T.tolist()):
                    bars = [{"bar": 100 * np.nan_to_num(value), "kind": f"s{s}"} for value in ratios]
                    texts = [_percent(value) or "–" for value in ratios]
                    if parts.key_mentions[c] or parts.response_mentions[s, c]:
                        numbers = f"{parts.key_mentions[c]:,}", texts[0], bars[0], texts[1], bars[1]
                        rows.append(self._row(s, of_class, *numbers))
            heads = [("", ""), ("in the key", "r"), ("recall", "r"), ("", "half"), ("precision", "r"), ("", "half")]
            yield self._table(f"B³ by {title}", heads, rows, [])

    def _entities(self) -> Iterator[dict[str, Any]]:
        """Yield the table of the key's entities of which a response loses most mentions, as B-cubed counts them."""
        entities, bounds = self.analysis.entities(), self.analysis.index.entity_bounds[KEY]
        place = {d: n for n, d in enumerate(self.documents)}
        document = (bounds.searchsorted(entities.order, side="right") - 1).tolist()
        data, most, rows = entities.data, float(entities.data["cost"].max(initial=0.0)), list[Cells]()
        for n, d in enumerate(document):
            if len(rows) < SHOWN_ENTITIES and data["cost"][n] > 1e-9 and d in place:
                at = {"document": place[d]}
                entity = at | {"entity": f"k{data['entity'][n] + 1}"}
                text = self.layout.plain(data["mention"][n]) if self.words else ""
                cells = text, str(data["size"][n]), str(data["pieces"][n]), f"{data['cost'][n]:.1f}"
                rows.append([at, entity, *cells, {"bar": 100 * data["cost"][n] / most, "kind": "key"}])
        heads = [("document", ""), ("entity", ""), ("", "text"), ("mentions", "r"), ("pieces", "r"), ("lost", "r")]
        if rows:
            title = "Entities that lose most" + (f", {self.systems[0]}" if self._is_pair else "")
            note = "Lost is what B³ recall counts: of an entity of k mentions in pieces of n, k minus the sum of n²/k."
            yield {"title": title, "heads": [*heads, ("", "wide")], "rows": rows, "notes": [note]}

    def _plot(self) -> dict[str, Any]:
        """Lay out a point for each document: of two responses, the score of both; of one, mentions and the score."""
        named = {(column.get("metric"), column.get("system")): c for c, column in enumerate(self.columns)}
        detection = "mentions" if "mentions" in self.metrics else self.metrics[0]
        chosen = (
            [named[self.first, 0], named[self.first, 1]]
            if self._is_pair
            else [named[detection, 0], named[self.first, 0]]
        )
        values = [np.array(self.columns[c]["values"]) for c in chosen]
        low = [max(0, 10 * int((each.min() - 1) // 10)) for each in values]
        if self._is_pair:
            low = [min(low)] * 2
        low = [min(each, 90) for each in low]
        x, y = (
            (begin + (end - begin) * (each - least) / (100 - least)).round(1)
            for each, least, begin, end in zip(values, low, (LEFT, BOTTOM), (WIDTH - 16, TOP), strict=True)
        )
        names = [self.columns[c]["name"] for c in chosen]
        lines: list[list[Any]] = []
        for least, is_x in zip(low, (True, False), strict=True):
            for tick in range(least, 101, 10):
                part = (tick - least) / (100 - least)
                at = LEFT + (WIDTH - 16 - LEFT) * part if is_x else BOTTOM + (TOP - BOTTOM) * part
                path = f"M{at:.1f} {TOP}V{BOTTOM}" if is_x else f"M{LEFT} {at:.1f}H{WIDTH - 16}"
                place = {"x": at, "y": BOTTOM + 18} if is_x else {"x": LEFT - 8, "y": at + 4}
                lines += [["path.grid", {"d": path}], ["text.x" if is_x else "text.y", place, str(tick)]]
        if self._is_pair:
            lines.append(["path.grid", {"d": f"M{LEFT} {BOTTOM}L{WIDTH - 16} {TOP}"}])
        lines.append(["text.y", {"x": WIDTH - 16, "y": BOTTOM + 36}, f"{names[0]} F1 →"])
        lines.append(["text", {"x": 14, "y": 20}, f"↑ {names[1]} F1"])
        label = f"A point for each document: {names[0]} to the right, {names[1]} upwards"
        return {"x": x.tolist(), "y": y.tolist(), "lines": lines, "label": label, "columns": chosen}


def _digest(text: str) -> str:
    """Return the hash of a style or a script as a content policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(name: str, record: Any) -> bytes:
    """Return a record as an element of the page that browsers neither run nor show."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=plain)
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 6))  # \udc80 is JSON's escape too
    return b'<script type="text/plain" id="%s">%s</script>\n' % (name.encode(), packed)
