"""Explain the score of a document as papers draw their examples: entities, their pieces, sums of exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, islice
from typing import Any

from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.pair import pair_of
from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable
from arraycoref.scoring.cells import links
from arraycoref.scoring.metrics import ceaf
from arraycoref.scoring.signature import Signature

SHOWN = 24
"""How many terms of a sum, or links of a class, are written out."""

LONGEST = 40
"""Most characters of a mention's text, and of a fraction in a line."""

LETTERS = "KR"
"""The letters of the entities of key and response."""

Sums = tuple[Fraction, Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Step:
    """A line such as ``R = 2 / 5 = 40.00 %``.

    Attributes:
        name: what stands before the first sign; or the line, if it has no value.
        formula: what stands after the sign.
        value: the value from 0 to 1, or None.
    """

    name: str
    formula: str = ""
    value: Fraction | None = None

    def text(self, digits: int) -> str:
        """Write the line, with the value as a fraction, then in percent."""
        if self.value is None:
            return self.name
        is_long = len(str(self.value)) > LONGEST  # of many entities; `to_dict` has it
        is_same = self.formula.replace(" ", "").endswith(str(self.value)) and self.value.denominator > 1
        middle = "" if is_same or is_long else f" = {self.value}"
        return f"{self.name} = {self.formula}{middle} = {100 * float(self.value):.{digits}f} %"


@dataclass(frozen=True, eq=False, repr=False)
class Worked:
    """What a metric makes of a document; see `Explanation`."""

    headers: tuple[str, ...]
    parts: Sequence[Sequence[Sequence[Any]]]
    totals: Sequence[Sequence[Any]]
    steps: Sequence[Step]
    sums: Sequence[Sums]


class TextsOfDocument:
    """The entities, cells and mentions of a document, as texts and numbers.

    Args:
        index: the index of this document alone.
        side: side of the response, from 1.
    """

    def __init__(self, index: MentionIndex, side: int) -> None:
        self.pair = pair_of(index, side)
        self.labels = [labels.tolist() for labels in self.pair.labels]
        self.mentions = [[m for m, e in enumerate(labels) if e >= 0] for labels in self.labels]
        texts = index.texts(0)
        often = Counter(texts)
        places = index.start.tolist() if index.has_spans else range(len(texts))
        self.names = [
            (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…") + (f" @{place}" if often[text] > 1 else "")
            for text, place in zip(texts, places, strict=True)
        ]
        self.entities: list[list[list[int]]] = [[[] for _ in range(n)] for n in self.pair.n_entities]
        self.cells: dict[tuple[int, int], list[int]] = {}
        for m, cell in enumerate(zip(*self.labels, strict=True)):
            for entities, e in zip(self.entities, cell, strict=True):
                if e >= 0:
                    entities[e].append(m)
            if min(cell) >= 0:
                self.cells.setdefault(cell, []).append(m)
        self.sizes = [[*map(len, entities)] for entities in self.entities]

    @property
    def texts(self) -> tuple[list[list[str]], list[list[str]]]:
        """The texts of the mentions of each entity of key and response."""
        key, response = ([[self.names[m] for m in entity] for entity in side] for side in self.entities)
        return key, response

    def pieces(self, one: int, entity: int) -> list[list[int]]:
        """Return the pieces of an entity of a side: cells, and each mention that the other side lacks."""
        other = self.labels[1 - one]
        pieces: dict[tuple[int, int], list[int]] = {}
        for m in self.entities[one][entity]:
            pieces.setdefault((other[m], m if other[m] < 0 else 0), []).append(m)
        return list(pieces.values())

    def set_of(self, mentions: Iterable[int]) -> str:
        """Write a set of mentions."""
        return set_text(self.names[m] for m in mentions)


def set_text(names: Iterable[str]) -> str:
    """Write a set: ``{a, b}``."""
    return f"{{{', '.join(names)}}}"


def over(num: Fraction, den: Fraction) -> Fraction:
    """Divide; 0 where the denominator is 0."""
    return num / den if den else Fraction(0)


def f_step(recall: Fraction, precision: Fraction, beta: float, sub: str = "") -> Step:
    """Compute F from recall and precision."""
    weight = Fraction(beta) ** 2
    value = over((1 + weight) * precision * recall, weight * precision + recall)
    factors = ("2", "") if weight == 1 else (f"(1 + {weight})", f"{weight} ")
    return Step(f"F{sub}", f"{factors[0]} P{sub} R{sub} / ({factors[1]}P{sub} + R{sub})", value)


def _steps(group: Sums, terms: Sequence[Sequence[str]], below: Sequence[str], sub: str = "") -> list[Step]:
    """Write recall and precision as ratios, from the terms of their numerators and the texts of their denominators."""
    steps = []
    for name, num, den, summands, written in zip("RP", group[::2], group[1::2], terms, below, strict=True):
        above = _sum_text(summands)
        short = f"({num})" if num.denominator > 1 else str(num)
        middle = "" if (above, written) == (str(num), str(den)) else f" = {short} / {den}"
        steps.append(Step(name + sub, f"{above} / {written}{middle}", over(num, den)))
    return steps


def _sum_text(terms: Sequence[str]) -> str:
    """Write a sum; of a long one the first terms."""
    more = [f"… {len(terms) - SHOWN} more"] if len(terms) > SHOWN else []
    return f"({' + '.join([*terms[:SHOWN], *more])})" if len(terms) > 1 else "".join(terms) or "0"


def _by_entity(document: TextsOfDocument, titles: Sequence[str], work: Callable[..., tuple[Any, ...]]) -> Worked:
    """Make a table of the entities of each side, and their pieces.

    Args:
        document: the document.
        titles: titles of the columns after the pieces; the last two are added up.
        work: returns, for a side and the pieces of an entity, the cells of these columns, the term in the sum of the
            numerator, and numbers: what the entity adds to numerator and denominator.
    """
    parts, totals, sums, terms, below = [], [], [], [], []
    for one, letter in enumerate(LETTERS):
        rows, written, num, den = [], [], Fraction(0), 0
        for e in range(len(document.sizes[one])):
            pieces = document.pieces(one, e)
            cells, term, more, size = work(document, one, pieces)
            rows.append([f"{letter}{e + 1}", " ".join(map(document.set_of, pieces)), *cells])
            written.append(term)
            num, den = num + more, den + size
        parts.append(rows)
        totals.append(["sum", "", *[""] * (len(titles) - 2), num, den])
        terms.append(written)
        of_den = [f"({row[-1]})" for row in rows if isinstance(row[-1], str)]
        below.append(_sum_text(of_den) if of_den else str(den))
        sums += [num, Fraction(den)]
    group: Sums = tuple(sums)  # type: ignore[assignment]
    return Worked(("entity", "pieces", *titles), parts, totals, _steps(group, terms, below), [group])


def _of_muc(document: TextsOfDocument, one: int, pieces: Sequence[Sequence[int]]) -> tuple[Any, ...]:
    size = sum(map(len, pieces))
    text = f"{size} − {len(pieces)}"
    return [text, f"{size} − 1"], f"({text})", size - len(pieces), size - 1


def _of_lea(document: TextsOfDocument, one: int, pieces: Sequence[Sequence[int]]) -> tuple[Any, ...]:
    size = sum(map(len, pieces))
    resolved, most = sum(links(len(piece)) for piece in pieces), links(size)
    if size == 1:  # its link is to itself
        other = document.labels[1 - one][pieces[0][0]]
        resolved, most = int(other >= 0 and document.sizes[1 - one][other] == 1), 1
    value = size * Fraction(resolved, most)
    return [f"{resolved} of {most}", value, size], f"{size} · {resolved}/{most}", value, size


def _bcub(document: TextsOfDocument) -> Worked:
    rows, totals = [], [Fraction(0), Fraction(0)]
    for m, cell in enumerate(zip(*document.labels, strict=True)):
        n = len(document.cells.get(cell, ()))
        shares = [Fraction(n, sizes[e]) if e >= 0 else None for sizes, e in zip(document.sizes, cell, strict=True)]
        totals = [total + (share or 0) for total, share in zip(totals, shares, strict=True)]
        entities = [f"{letter}{e + 1}" if e >= 0 else "" for letter, e in zip(LETTERS, cell, strict=True)]
        rows.append([document.names[m], *entities, n, *("" if share is None else share for share in shares)])
    sizes = [*map(len, document.mentions)]
    group = (totals[0], Fraction(sizes[0]), totals[1], Fraction(sizes[1]))
    terms = [
        [f"{len(mentions)}²/{document.sizes[side][cell[side]]}" for cell, mentions in document.cells.items()]
        for side in range(2)
    ]
    headers = ("mention", "key", "response", "shared", "recall", "precision")
    return Worked(headers, [rows], [["sum", "", "", "", *totals]], _steps(group, terms, [*map(str, sizes)]), [group])


def _ceaf(document: TextsOfDocument, *, by_mentions: bool) -> Worked:
    cells = document.pair.cells
    weights = cells.shared.astype(float) if by_mentions else ceaf.similarity(cells)
    pairs = zip(cells.key.tolist(), cells.response.tolist(), strict=True)
    aligned = {pair for pair, chosen in zip(pairs, document.pair.is_aligned(weights).tolist(), strict=True) if chosen}
    rows, total, terms = [], Fraction(0), []
    for (i, j), mentions in sorted(document.cells.items()):
        k, r, n = document.sizes[0][i], document.sizes[1][j], len(mentions)
        value = Fraction(n) if by_mentions else Fraction(2 * n, k + r)
        text = str(n) if by_mentions else f"2·{n}/({k} + {r})"
        rows.append([f"K{i + 1}", f"R{j + 1}", document.set_of(mentions), text, value, "yes" * ((i, j) in aligned)])
        if (i, j) in aligned:
            total += value
            terms.append(text)
    sizes = [sum(side) if by_mentions else len(side) for side in document.sizes]
    group = (total, Fraction(sizes[0]), total, Fraction(sizes[1]))
    alone = [
        f"{letter}{e + 1}"
        for side, letter in enumerate(LETTERS)
        for e in sorted({*range(len(document.sizes[side]))} - {pair[side] for pair in aligned})
    ]
    steps = [Step(f"not aligned: {', '.join(alone) or 'none'}"), *_steps(group, [terms, terms], [*map(str, sizes)])]
    headers = ("key", "response", "both", "φ3" if by_mentions else "φ4", "value", "aligned")
    return Worked(headers, [rows], [["sum", "", "", "", total, "aligned"]], steps, [group])


def _links(document: TextsOfDocument, *, classes: str) -> Worked:
    """Compare the links in C, between mentions of one entity, and in N, between those of two."""
    rows, steps, sums = [], [], []
    sets = (*document.entities, [mentions for _, mentions in sorted(document.cells.items())])
    shared = [m for m in document.mentions[0] if document.labels[1][m] >= 0]
    inside = [sum(map(links, sizes)) for sizes in document.sizes]
    both = sum(links(len(cell)) for cell in document.cells.values())
    among = [sum(map(links, Counter(document.labels[side][m] for m in shared).values())) for side in range(2)]
    for letter in classes:
        of_class = letter == "C"
        n = inside if of_class else [links(len(of)) - k for of, k in zip(document.mentions, inside, strict=True)]
        n_both = both if of_class else links(len(shared)) - sum(among) + both
        listed = [
            chain.from_iterable(combinations(group, 2) for group in groups) if of_class else _apart(document, *sides)
            for groups, sides in zip(sets, ((0,), (1,), (0, 1)), strict=True)
        ]
        for name, pairs, size in zip(("{0}_k", "{0}_r", "{0}_k ∩ {0}_r"), listed, (*n, n_both), strict=True):
            texts = [f"({document.names[a]}, {document.names[b]})" for a, b in islice(pairs, min(size, SHOWN))]
            more = [f"… {size - SHOWN} more"] if size > SHOWN else []
            steps.append(Step(f"{name.format(letter)} = {set_text([*texts, *more])}"))
        name = "coreference" if of_class else "non-coreference"
        rows.append([name, n[0], n[1], n_both])
        group = (Fraction(n_both), Fraction(n[0]), Fraction(n_both), Fraction(n[1]))
        sub = f"_{letter.lower()}" if len(classes) > 1 else ""
        steps += _steps(group, [[str(n_both)]] * 2, [*map(str, n)], sub)
        sums.append(group)
    return Worked(("links", "of key", "of response", "in both"), [rows], [[]], steps, sums)


def _apart(document: TextsOfDocument, *sides: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of mentions that all of some sides have, in two entities on each."""
    labels = [document.labels[side] for side in sides]
    mentions = [m for m in document.mentions[sides[0]] if all(of[m] >= 0 for of in labels)]
    return ((a, b) for a, b in combinations(mentions, 2) if all(of[a] != of[b] for of in labels))


WORKED: Mapping[str, Callable[[TextsOfDocument], Worked]] = {
    "muc": partial(_by_entity, titles=("size − pieces", "size − 1"), work=_of_muc),
    "bcub": _bcub,
    "ceafm": partial(_ceaf, by_mentions=True),
    "ceafe": partial(_ceaf, by_mentions=False),
    "blanc": partial(_links, classes="CN"),
    "lea": partial(_by_entity, titles=("resolved links", "size · share", "size"), work=_of_lea),
    "pairwise": partial(_links, classes="C"),
}
"""The metrics that can be worked out."""


WIDEST = {True: 400, False: 68}
"""Most characters of a cell in a table, by `Explanation.is_full`: rows are as wide as the widest. JSON has all."""

TEXTS = ("entity", "pieces", "mention", "key", "response", "both", "links")
"""The columns of texts."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Explanation(Worked, Report):
    """How a metric scores one document of a response, in exact fractions.

    Attributes:
        metric: name of the metric.
        document: name of the document.
        entities: the entities of key and response, a text for each mention, in the order of the text.
        headers: titles of the table.
        parts: rows of the table: those of recall, then those of precision, or one part for both. A cell is a text, a
            whole number or a fraction; it is an empty text where the side lacks the mention.
        totals: the last row of each part, maybe empty.
        steps: the lines that compute the score from the rows.
        sums: the sums of the metric's groups, as `arraycoref.Counts` has them: recall numerator and denominator,
            precision numerator and denominator. BLANC's groups are coreference links and non-coreference links.
        recall: from 0 to 1.
        precision: from 0 to 1.
        f1: from 0 to 1; with the signature's beta.
        signature: signature of the scores.
        notes: notes of the run.
        is_full: whether tables have the entities that are the same on both sides, and all of long texts.
    """

    metric: str
    document: str
    entities: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]
    recall: Fraction
    precision: Fraction
    f1: Fraction
    signature: Signature
    notes: tuple[str, ...] = ()
    is_full: bool = True

    @property
    def same(self) -> dict[str, str]:
        """The names of the entities that key and response have with the same mentions, ``{"K1": "R2"}``."""
        names = {tuple(entity): f"{LETTERS[1]}{i}" for i, entity in enumerate(self.entities[1], 1)}
        pairs = ((f"{LETTERS[0]}{i}", names.get(tuple(entity))) for i, entity in enumerate(self.entities[0], 1))
        return {key: response for key, response in pairs if response}

    def opening(self, digits: int) -> list[str]:
        """Say the scores."""
        scores = {"recall": self.recall, "precision": self.precision, f"F{self.signature.beta:g}": self.f1}
        written = ", ".join(f"{name} {100 * float(value):.{digits}f}" for name, value in scores.items())
        return [f"{self.metric} of document {self.document}, percent: {written}"]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the entities, and the pieces with their sums."""
        hidden = set[object]() if self.is_full else {*self.same, *self.same.values()}

        def short(text: str) -> str:
            most = WIDEST[self.is_full]
            return text if len(text) <= most else f"{text[: most - 1]}…"

        named = [
            (name, short(set_text(names)), str(len(names)))
            for letter, entities in zip(LETTERS, self.entities, strict=True)
            for i, names in enumerate(entities, 1)
            if (name := f"{letter}{i}") not in hidden
        ]
        align = "".join("l" if title in TEXTS else "r" for title in self.headers)
        places = [n for n, title in enumerate(self.headers) if title in ("entity", "key", "response")]
        tables = []
        for rows, total in zip(self.parts, self.totals, strict=True):
            shown = [row for row in rows if not (places and hidden.issuperset(row[n] for n in places))]
            cells = [[short(str(cell)) for cell in row] for row in (*shown, total) if row]
            tables.append(TextTable(self.headers, cells, align))
        return [TextTable(("entity", "mentions", "size"), named, "llr"), *tables]

    def caption(self, digits: int) -> list[str]:
        """Write the steps; notes and the signature come last."""
        about = ["K: entities of the key, R: of the response"]
        if self.same and not self.is_full:
            n = f"{len(self.same)} of {len(self.entities[0])} key entities"
            about.append(f"left out: {n}, which are the same in the response (--all lists them)")
        return [*about, *(step.text(digits) for step in self.steps), *self.notes, str(self.signature)]

    def facts(self) -> dict[str, Any]:
        """Return entities, sums and scores; fractions are texts."""
        key, response = ([list(names) for names in side] for side in self.entities)
        scores = {name: str(getattr(self, name)) for name in ("recall", "precision", "f1")}
        of_document = {"metric": self.metric, "document": self.document, "key": key, "response": response}
        return {**of_document, "sums": [list(map(str, group)) for group in self.sums], **scores}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the table; fractions are texts such as ``35/12``."""
        for row in (row for part in self.parts for row in part):
            cells = (str(cell) if isinstance(cell, Fraction) else cell for cell in row)
            yield dict(zip(self.headers, cells, strict=True))


def explain_document(
    index: MentionIndex, side: int, metric: str, signature: Signature, notes: tuple[str, ...]
) -> Explanation:
    """Explain a metric's score of one document; see `arraycoref.explain`.

    Args:
        index: the index of this document alone.
        side: side of the response, from 1.
        metric: a name of `WORKED`.
        signature: signature of the scores.
        notes: notes of the run.
    """
    document = TextsOfDocument(index, side)
    worked = WORKED[metric](document)
    groups = [(over(group[0], group[1]), over(group[2], group[3])) for group in worked.sums]
    subs = ("_c", "_n") if metric == "blanc" else ("",)
    f_steps = [f_step(r, p, signature.beta, sub) for (r, p), sub in zip(groups, subs, strict=True)]
    scores = [[r, p, step.value or Fraction(0)] for (r, p), step in zip(groups, f_steps, strict=True)]
    steps, means = [*worked.steps, *f_steps], scores[0]
    if metric == "blanc":
        used = [
            sub
            for sub, group in zip(subs, worked.sums, strict=True)
            if group[1] or (signature.profile != "conll" and group[3])
        ]
        none = Fraction(signature.profile == "paper" and document.mentions[0] == document.mentions[1])
        chosen = [score for sub, score in zip(subs, scores, strict=True) if sub in used] or [[none] * 3]
        means = [sum(values, Fraction(0)) / len(chosen) for values in zip(*chosen, strict=True)]
        for name, letter, mean in zip(("R", "P", "BLANC"), "RPF", means, strict=True):
            formula = " + ".join(letter + sub for sub in used) or "no links; 1 for the same mentions"
            steps.append(Step(name, f"({formula}) / 2" if len(used) > 1 else formula, mean))
    return Explanation(
        **{**vars(worked), "steps": steps},
        recall=means[0],
        precision=means[1],
        f1=means[2],
        metric=metric,
        document=index.names[0],
        entities=document.texts,
        signature=signature,
        notes=notes,
    )
