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
from urllib.parse import urlencode

import numpy as np

from arraycoref.analysis.analyzed import Analyzed
from arraycoref.analysis.entities import forms_of, losses_of, name_of
from arraycoref.analysis.index import KEY
from arraycoref.analysis.pair import OF_KEY, TYPES
from arraycoref.analysis.show import LETTERS, TextLayout
from arraycoref.display.formats import encodable, plain
from arraycoref.display.tables import pvalue_text
from arraycoref.exceptions import InputError, OptionError
from arraycoref.ragged import Floats
from arraycoref.runtime import atomic_write
from arraycoref.scoring.format import field_name, is_count, metric_title, score_name
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.stats import Interval, bootstrap, paired_test

SHAPES = dict.fromkeys(("conflated", "divided"), "piece")

CIRCLE = "M1.5 6a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0"
PATHS = (
    *("M1.5 4h9M1.5 8h9M8.5 1l-5 10", "M6 1v10M1 6h10", f"{CIRCLE}M3.5 6h5M6 3.5v5"),
    *("M1 6h10M6 2v.1M6 9.9v.1", "M1.5 6h9", f"{CIRCLE}M3.5 6h5", "M1 6h10M4 3L1 6l3 3M8 3l3 3l-3 3"),
    *("M3 6a3 3 0 1 0 6 0a3 3 0 1 0-6 0M5 6a1 1 0 1 0 2 0a1 1 0 1 0-2 0", "M2 6a4 4 0 1 0 8 0a4 4 0 1 0-8 0"),
)
"""The sign of each type of errors as lines in a square of 12, since fonts lack some of `SIGNS`."""

TITLES = {
    "kind": "kind of mention",
    "type": "type of mention",
    "length": "words of the mention",
    "size": "mentions of the entity",
    "distance": "mentions since the closest antecedent",
}
"""Titles of the attributes by which scores are broken down; records, which have no order, have no distance."""

RECORDS = {
    "mention": "record",
    "Mention": "Record",
    "entity": "cluster",
    "entities": "clusters",
    "Entities": "Clusters",
}
"""Words for what has no text: records of tables, and labels."""

SHOWN_ENTITIES = 20

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 940, 380, 46, 924, 340, 34
"""Pixels of the plot of documents: of the whole, and of the ends of its axes."""

PARTS = re.compile(r"[\W_]*[^\W_]+|[\W_]+$")
"""A part of a name, with what stands before it."""

Column = dict[str, Any]
Cells = list[Any]


def _percent(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.2f}"


def _range(i: Interval, spec: str, unit: float = 100.0) -> str:
    return "" if np.isnan(i.low) else f"{unit * i.low:{spec}} – {unit * i.high:{spec}}"


def _better(a: float, b: float = -np.inf) -> str:
    """Return the style of the better of two responses; of two equal ones, none."""
    return "s1" if b > a else "s0" if a > b else ""


def _track(i: Interval, kind: str) -> dict[str, Any]:
    """Return the cell of a value and its interval, in percent, before it is `_scaled`."""
    ends = i.estimate, *(i.estimate if np.isnan(end) else end for end in (i.low, i.high))
    return {"ends": [100 * end for end in ends], "kind": kind}


def _points(fractions: Floats) -> list[float]:
    return np.round(100 * fractions, 2).tolist()  # type: ignore[no-any-return]


def _counted(name: str, values: Any, **about: Any) -> Column:
    """Return a column of numbers, the largest first; with a ``sense`` of 1, the smallest."""
    return {"name": name, "values": np.asarray(values).astype(int).tolist(), "isCount": 1, "sense": -1} | about


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
        findings: sentences for the top of the page: the text of each, a command or "", and the place that it leads to:
            ``errors``, ``entities``, ``scores``, ``breakdown=NAME``, ``group=NAME`` for documents with this in their
            names, or "".
    """

    analysis: Analyzed
    names: Sequence[str] | None = None
    words: bool = True
    chosen: Sequence[int] | None = None
    findings: Sequence[tuple[str, str, str]] = ()

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
            metrics = ", ".join(self.analysis.scores.metrics)
            raise OptionError(f"no score of {metrics} is a ratio; expected one", "metrics")
        read = {name for side in self.analysis.index.documents for name in side.files if name}
        with atomic_write(path, read) as file:
            return sum(file.write(block) for block in self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """Yield the content of the file."""
        text = {name: files(__package__).joinpath(f"page.{name}").read_text("utf-8") for name in ("html", "css", "js")}
        hashes = (f"{kind}-src '{_digest(text[name])}'" for kind, name in (("style", "css"), ("script", "js")))
        policy = f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; {'; '.join(hashes)}"
        summary = self.summary()
        documents = f"{len(self.documents):,} document{'s' * (len(self.documents) != 1)}"
        values = {
            "policy": policy,
            "style": text["css"],
            "script": text["js"],
            **{word: self._worded(word) for word in ("entity", "entities")},
            "title": escape(f"{summary['title']} · coreference report"),
            "about": f"<b>{escape(' · '.join((self.key, *self.systems)))}</b> · {documents}",
        }
        parts = (re.sub(r"\{(\w+)\}", lambda name: values[name[1]], part) for part in text["html"].split("{data}"))
        head, tail = (part.encode("utf-8", "backslashreplace") for part in parts)
        yield head
        places = [[c, n] for c, chunk in enumerate(self.chunks) for n in range(len(chunk))]
        yield _packed("index", summary | {"places": places})
        for c, chunk in enumerate(self.chunks):
            yield _packed(f"c{c}", [self.document(d) for d in chunk])
        yield tail

    @property
    def key(self) -> str:
        """Name of the key, for people."""
        return self.names[0] if self.names else "key"

    @cached_property
    def systems(self) -> Sequence[str]:
        """Names of the responses, for people; two without the parts that both begin and end with."""
        if self.names:
            return self.names[1:]
        parts = [PARTS.findall(name) for name in self.analysis.systems]
        for _ in range(2):  # from the front, then from the end
            while min(map(len, parts)) > 1 and len({of_name[0] for of_name in parts}) == 1 < len(parts):
                parts = [of_name[1:] for of_name in parts]
            parts = [of_name[::-1] for of_name in parts]
        short = [re.sub(r"^[\W_]+", "", "".join(of_name)) for of_name in parts]
        return short if all(short) and len(set(short)) == len(short) else self.analysis.systems

    @property
    def nouns(self) -> tuple[str, ...]:
        """What a mention, an entity and entities in a title are called."""
        return tuple(map(self._worded, ("mention", "entity", "Entities")))

    def _worded(self, text: str) -> str:
        """Write a text in the words of the input, which has records and clusters if mentions are not spans."""
        for word, record in RECORDS.items():
            text = text if self.analysis.index.has_spans else text.replace(word, record)
        return text

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
            ``k``: by side, the entities of mentions, -1 where it lacks them. ``n``: their forms, see `forms_of`, a
            digit each. ``a``: gaps between their first words;
            ``l``: how many words follow the first, -1 for an empty node. ``x``: by side, the first and last word of
            mentions that are others there. ``e``: by response, the types of its errors as digits, their numbers of
            mentions, and these. ``w``, ``s``, ``unit``: words, lengths and unit of `arraycoref.analysis.show.Rows`;
            ``kind`` is ``plain`` or "". Of mentions that are not spans, there are the texts ``v`` instead of all that
            is about words; of records with fields, instead of these, the id and the fields ``f``.
        """
        index = self.analysis.index
        first, last = index.offsets[d : d + 2].tolist()
        rows, none = slice(first, last), [0] * (last - first)
        labels = [labels[rows].tolist() for labels in self.layout.entities]
        record: dict[str, Any] = {"k": labels, "n": "".join(map(str, forms_of(index, d))), "e": [], "x": {}}
        for s in range(len(self.analysis.systems)):
            pieces = self.analysis.pairs[s].marks
            of = pieces.range_of(d)
            bounds = pieces.bounds[of.start : of.stop + 1]
            mentions = pieces.mentions[bounds[0] : bounds[-1]] - first
            types = "".join(map(str, pieces.type[of].tolist()))
            record["e"].append([types, np.diff(bounds).tolist(), mentions.tolist()])
        if not index.has_spans:
            texts = self.layout.texts(d) if self.words else list(map(str, range(last - first)))
            shown = {"f": self.layout.cells(d)} if self.words and index.fields.names else {"v": texts}
            return record | {"a": none, "l": none, **shown, "kind": ""}
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
        n, n_shown = len(analysis.documents), len(self.documents)
        notes = [f"{n_shown} of {n} documents are shown; scores are those of all"] if n_shown < n else []
        tables = [*([self._comparison()] if self._is_pair else []), *self._entities(), self._scores(), self._errors()]
        return {
            "title": f"{' and '.join(self.systems)} against {self.key}",
            "key": self.key,
            "systems": list(self.systems),
            "letters": LETTERS,
            "nouns": self.nouns,
            "fields": ["id", *names] if (names := self.analysis.index.fields.names) and self.words else [],
            "names": [encodable(analysis.index.names[d]) for d in self.documents],
            "types": [
                {
                    "name": self._worded(name.replace("-", " ")),
                    "path": PATHS[t],
                    "side": "key" if t in OF_KEY else "response",
                    "shape": SHAPES.get(name, "lost"),
                    "pair": name == "span",
                }
                for t, name in enumerate(TYPES)
            ],
            "columns": columns,
            "first": next(c for c, column in enumerate(columns) if column.get("isFirst")),
            "findings": list(map(laid_out, self.findings)),
            "cards": [] if self._is_pair else list(self._cards()),
            "tables": [*tables, *self._breakdowns()],
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
        return [self.analysis.error_counts.batch(s) for s in range(len(self.systems))]

    @property
    def _is_pair(self) -> bool:
        return len(self.systems) > 1

    @cached_property
    def columns(self) -> list[Column]:
        """What documents can be listed by: differences of two responses, scores, numbers of errors, their sizes."""
        columns: list[Column] = []
        of = [f" · {system}" if self._is_pair else "" for system in self.systems]
        for name in self.metrics:
            title, is_first = self._worded(metric_title(name)), name == self.first
            values = [self._of(run, name) for run in self.scores]
            if self._is_pair:
                apart = {"name": f"{title}: {self.systems[1]} − {self.systems[0]}", "isGap": 1, "isFirst": is_first}
                columns.append(apart | {"values": _points(values[1] - values[0])})
            for s, score in enumerate(values):
                about = {"name": title + of[s], "short": title, "metric": name, "system": s, "isMain": is_first}
                columns.append(about | {"values": _points(score), "isFirst": is_first and not self._is_pair})
        counts = [[self._of(run, name) for name in TYPES] for run in self.errors]
        columns += [_counted(f"errors{of[s]}", np.sum(n, axis=0), system=s) for s, n in enumerate(counts)]
        for s, of_system in enumerate(counts):
            for t, (name, n) in enumerate(zip(TYPES, of_system, strict=True)):
                columns.append(_counted(self._worded(name.replace("-", " ")) + of[s], n, type=t, system=s))
        sizes = np.diff(self.analysis.index.offsets)[self.documents]
        order = _counted("order of the key", 1 + np.arange(len(sizes)), sense=1)
        return [*({"sense": 1} | column for column in columns), _counted(f"{self.nouns[0]}s", sizes), order]

    def _of(self, scores: Any, name: str) -> Floats:
        values: Floats = scores.documents[name].f1[self.documents]
        return values

    def _table(
        self, title: str, heads: list[tuple[str, str]], rows: list[Cells], notes: Sequence[str]
    ) -> dict[str, Any]:
        """Return a table; heads have their alignment or width, and rows of two responses say whose they are."""
        heads[1:1] = [("response", "")] * self._is_pair
        return {"title": title, "at": title.lower(), "heads": heads, "rows": rows, "notes": notes}

    def _row(self, s: int, name: Any, *cells: Any) -> Cells:
        """Return a row of a response: the name is at the first one only."""
        return ["" if s else name, *([{"system": s}] if self._is_pair else []), *cells]

    def _cards(self) -> Iterator[tuple[str, str]]:
        (scores,), (errors,), labels = self.scores, self.errors, self.analysis.index.labels
        for name in dict.fromkeys([self.first, *[name for name in ("mentions",) if name in self.metrics]]):
            yield f"{100 * scores[name].f1:.2f}", self._title(name)
        yield f"{int(sum(errors[name].f1 for name in TYPES)):,}", "errors"
        for side, n in zip((self.key, *self.systems), np.count_nonzero(labels >= 0, axis=1).tolist(), strict=True):
            yield f"{n:,}", f"{self.nouns[0]}s in {side}"

    def _title(self, metric: str) -> str:
        """Return the title of F of a metric."""
        return self._worded(score_name(metric, "f1", self.analysis.signature.beta, title=True))

    def _comparison(self) -> dict[str, Any]:
        """Return the table of what the second response has more than the first, with intervals and tests."""
        a, b = self.scores
        intervals, rows = bootstrap(b, a), list[Cells]()
        for name in self.metrics:
            apart, test = intervals[name].f1, paired_test(b, a, metric=name, field="f1")
            cells = [_percent(run[name].f1) for run in (a, b)]
            cells += [f"{100 * apart.estimate:+.2f}", _range(apart, "+.2f"), pvalue_text(test.pvalue)]
            rows.append([self._title(name), *cells, _track(apart, _better(0.0, apart.estimate))])
        numbers = (*self.systems, f"{self.systems[1]} − {self.systems[0]}", "95 % interval", "p")
        heads = [("metric", ""), *((name, "r") for name in numbers), (_scaled(rows, 0.0), "wide")]
        notes = self._without_signature([*intervals.caption(2), *test.caption(2)])
        return {"title": "Comparison", "at": "comparison", "heads": heads, "rows": rows, "notes": notes}

    def _without_signature(self, lines: Sequence[str]) -> list[str]:
        known = *self.analysis.scores.joint_notes, str(self.analysis.signature)
        return [line for line in dict.fromkeys(lines) if line not in known]

    def _scores(self) -> dict[str, Any]:
        intervals = [bootstrap(run) for run in self.scores]
        rows: list[Cells] = []
        for name in self.metrics:
            for s, of_run in enumerate(intervals):
                f1, ratios = of_run[name].f1, (_percent(getattr(of_run[name], field).estimate) for field in RATIOS)
                cells = *ratios, _range(f1, ".2f"), _track(f1, f"s{s}")
                rows.append(self._row(s, self._worded(metric_title(name)), *cells))
        fields = ("recall", "precision", field_name("f1", self.analysis.signature.beta), "95 % interval")
        heads = [("metric", ""), *((name, "r") for name in fields), (_scaled(rows), "wide")]
        return self._table("Scores", heads, rows, self._without_signature(intervals[0].caption(2)))

    def _errors(self) -> dict[str, Any]:
        """Return the table of error types: how many, how sure that is, and what F gains if one type is corrected."""
        table = self.analysis.error_table(self.first)
        most = max(1.0, *(i.estimate for errors in table.errors for i in errors))
        worst = {(of.get("type"), of.get("system")): int(np.argmax(of["values"])) for of in self.columns}
        rows: list[Cells] = []
        for t, type_ in enumerate(map(TYPES.index, table.types)):
            for s, errors in enumerate(table.errors):
                n = errors[t].estimate
                bar, gain = {"bar": 100 * n / most, "kind": f"s{s}"}, f"{100 * table.gain_if_fixed[s, t]:+.2f}"
                query = f"t={type_ + 1}" + f"&o={s + 1}" * self._is_pair
                number: Any = {"document": worst[type_, s], "query": query, "text": f"{n:,.0f}"} if n else "0"
                rows.append(self._row(s, {"type": type_}, number, _range(errors[t], ",.0f", 1.0), bar, gain))
        heads = [("type", ""), ("errors", "r"), ("95 % interval", "r"), ("", "wide")]
        heads.append((f"{metric_title(self.first)} if corrected", "r"))
        gains = f"{metric_title(self.first)} if corrected: what F gains if only errors of this type are corrected."
        notes = ["A number leads to the document with most errors of its type.", gains]
        return self._table("Errors", heads, rows, notes)

    def _breakdowns(self) -> Iterator[dict[str, Any]]:
        """Yield B-cubed recall and precision by classes of mentions, for each attribute that these have."""
        for name, title in TITLES.items():
            if name == "distance" and not self.analysis.index.has_spans:
                continue
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
            yield self._table(f"B³ by {self._worded(title)}", heads, rows, []) | {"at": f"breakdown={name}"}

    def _entities(self) -> Iterator[dict[str, Any]]:
        """Yield tables of the key's entities: smaller losses in the second response, larger ones; which lose most."""
        index, place = self.analysis.index, {d: n for n, d in enumerate(self.documents)}
        costs, pieces = map(np.array, zip(*map(losses_of, self.analysis.plain_pairs), strict=True))
        owner = index.entity_bounds[KEY].searchsorted(np.arange(costs.shape[1]), side="right") - 1
        costs[:, ~np.isin(owner, self.documents)] = 0.0
        chosen = {}
        if self._is_pair:
            gain = (costs[0] - costs[1]).round(9)
            for how, sign, values in (("repaired", "−", gain), ("broken", "+", -gain)):
                n, total = np.count_nonzero(values > 0), values[values > 0].sum()
                chosen[f"Entities {how} by {self.systems[1]} ({n:,}, {sign}{total:,.1f})"] = values
        chosen["Entities that lose most"] = costs.sum(axis=0).round(9)
        heads = [(self.nouns[1], "text"), ("document", "where")]
        heads += [(name, "r") for name in (f"{self.nouns[0]}s", "pieces", "lost")]
        note = "Lost is what B³ recall counts: of k in pieces of n, k minus the sum of n²/k"
        note += f"; {self.systems[0]} → {self.systems[1]}." if self._is_pair else "."
        for title, values in chosen.items():
            order = np.lexsort((np.arange(values.size), -values))[:SHOWN_ENTITIES]
            rows: list[Cells] = []
            for e in order[values[order] > 0].tolist():
                d = int(owner[e])
                members = np.flatnonzero(index.labels[KEY, slice(*index.offsets[d : d + 2].tolist())] == e).tolist()
                name, k = encodable(self._named(d, members)), e - int(index.entity_bounds[KEY, d]) + 1
                bar = {"bar": 100 * values[e] / values[order[0]], "kind": _better(*-costs[:, e])}
                numbers = map(str, pieces[:, e].tolist()), (f"{cost:.1f}" for cost in costs[:, e])
                at, size = {"document": place[d]}, f"{len(members):,}"
                rows.append([at | {"entity": f"k{k}", "text": name}, at, size, *map(" → ".join, numbers), bar])
            if rows:
                about = {"title": self._worded(title), "at": "entities", "heads": [*heads, ("", "wide")]}
                yield about | {"rows": rows, "notes": [note]}

    def _named(self, d: int, members: Sequence[int]) -> str:
        """Return the name of an entity from its mentions, as positions in their document; "" without words."""
        if not self.words or (self.analysis.index.has_spans and self.layout.rows(d).is_plain):
            return ""
        texts, forms = self.layout.texts(d), forms_of(self.analysis.index, d)
        return name_of([texts[m] for m in members], [forms[m] for m in members])

    def _plot(self) -> dict[str, Any]:
        """Lay out a point for each document: of two responses, the score of both; of one, mentions and the score."""
        named = {(column.get("metric"), column.get("system")): c for c, column in enumerate(self.columns)}
        detection = "mentions" if "mentions" in self.metrics else self.metrics[0]
        chosen = [named[self.first if self._is_pair else detection, 0], named[self.first, int(self._is_pair)]]
        values = [np.array(self.columns[c]["values"]) for c in chosen]
        low = [max(0, 10 * int((each.min() - 1) // 10)) for each in values]
        if self._is_pair:
            low = [min(low)] * 2
        low = [min(each, 90) for each in low]
        x = (LEFT + (RIGHT - LEFT) * (values[0] - low[0]) / (100 - low[0])).round(1)
        y = (BOTTOM + (TOP - BOTTOM) * (values[1] - low[1]) / (100 - low[1])).round(1)
        names = [self.columns[c]["name"] for c in chosen]
        lines: list[list[Any]] = []
        for least, is_x in zip(low, (True, False), strict=True):
            for tick in range(least, 101, 10):
                part = (tick - least) / (100 - least)
                at = LEFT + (RIGHT - LEFT) * part if is_x else BOTTOM + (TOP - BOTTOM) * part
                path = f"M{at:.1f} {TOP}V{BOTTOM}" if is_x else f"M{LEFT} {at:.1f}H{RIGHT}"
                place = {"x": at, "y": BOTTOM + 18} if is_x else {"x": LEFT - 8, "y": at + 4}
                lines += [["path.grid", {"d": path}], ["text.x" if is_x else "text.y", place, str(tick)]]
        if self._is_pair:
            lines.append(["path.grid", {"d": f"M{LEFT} {BOTTOM}L{RIGHT} {TOP}"}])
        lines.append(["text.y", {"x": RIGHT, "y": BOTTOM + 36}, f"{names[0]} →"])
        lines.append(["text", {"x": 14, "y": 20}, f"↑ {names[1]}"])
        label = f"A point for each document: {names[0]} to the right, {names[1]} upwards"
        gains = values[1] > values[0] if self._is_pair else np.zeros(x.size, np.bool_)
        plot = {"x": x.tolist(), "y": y.tolist(), "system": gains.astype(int).tolist(), "lines": lines, "label": label}
        return plot | {"columns": chosen, "width": WIDTH, "height": HEIGHT, "right": RIGHT}


def _scaled(rows: Sequence[Cells], *inside: float) -> str:
    """Scale the values and intervals at the ends of rows to 0-100 between their bounds; return these as a text."""
    ends = np.nan_to_num(np.array([[*row[-1].pop("ends"), 0.0] for row in rows]))
    known = np.append(ends[:, :3], inside)
    low = np.floor(known.min())
    high = max(np.ceil(known.max() - 1e-9), low + 1)
    for row, places in zip(rows, (100 * (ends - low) / (high - low)).tolist(), strict=True):
        row[-1] |= dict(zip(("at", "low", "high", "zero"), places, strict=True))
    return f"{low:g} … {high:g}"


def laid_out(finding: tuple[str, str, str]) -> dict[str, str]:
    """Return a sentence as the page shows it: its text, the command that shows more, and its address on the page.

    >>> laid_out(("18 documents ...", "arraycoref show ...", "group=reddit"))["address"]
    '#?f=reddit'
    """
    text, command, place = map(encodable, finding)
    query = {"f": place.removeprefix("group=")} if place.startswith("group=") else {"at": place}
    return {"text": text, "command": command, "address": f"#?{urlencode(query)}" if place else ""}


def _digest(text: str) -> str:
    """Return the hash of a style or a script as a content policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(name: str, record: Any) -> bytes:
    """Return a record as an element of the page that browsers neither run nor show."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=plain)
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 6))  # \udc80 is JSON's escape too
    return b'<script type="text/plain" id="%s">%s</script>\n' % (name.encode(), packed)
