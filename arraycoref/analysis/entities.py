"""Make the table of entities: what each loses, in how many pieces it is, and which entity is its best partner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from arraycoref.analysis.index import KEY, NAMES, PRONOUNS, MentionIndex
from arraycoref.analysis.pair import Pair
from arraycoref.display.formats import HEAD, Report
from arraycoref.display.tables import TextTable
from arraycoref.ragged import Floats, Ints, run_starts
from arraycoref.scoring.metrics import ceaf, lea
from arraycoref.scoring.signature import Signature

SHOWN = ("size", "absent", "pieces", "cost", "bcub", "muc_lost", "expected_extra", "expected_absent", "best_shared")
"""The columns of numbers that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class Entities(Report):
    """The E entities of one side, those that cost most first.

    Sums over all entities are the sums of metrics: of ``cost``, the mentions that B-cubed loses; of ``muc_lost``, the
    links that MUC loses; of ``lea * size``, LEA's numerator. An entity of size k is in cells of n mentions with the
    other side's entities of size r; other mentions of it are absent there.

    Attributes:
        data: the columns by name, (E,) each.
            ``document``: name of the document; ``entity``: number in it, from 0, by first mention; ``mention``: text of
            the first mention. ``size``: k. ``absent``: mentions that the other side lacks. ``pieces``: cells and absent
            mentions. ``muc_lost``: pieces - 1. ``bcub``: sum of n^2 / k^2. ``lea``: share of its links that are
            resolved. ``cost``: k (1 - bcub). ``expected_extra``, ``expected_absent``: how many mentions too many, and
            too few, are with a mention of the entity on average; ``relative_extra``, ``relative_absent``: as shares of
            r and k. ``effective_pieces``: exp of the entropy of the sizes of pieces. ``is_wrong``: whether it is not
            equal to an entity of the other side. ``best``: number in the document of the most similar entity by phi4,
            the earliest of several, -1 for none, and ``best_shared`` mentions that both have. ``aligned``: number of
            the entity that CEAF aligns it with by phi4, -1 for none.
        order: int64 (E,) the entities, as `MentionIndex.labels` numbers them.
        side: 0 for the key's entities, otherwise the side of the response.
        signature: signature of the scores.
        n_entities: number of entities of the side; these may be the first of them.
        head: how many entities are printed.

    Source: Binette et al. (2023), "How to evaluate entity resolution systems", with absent mentions kept.
    """

    data: dict[str, Any]
    order: Ints
    side: int
    signature: Signature
    n_entities: int
    head: int = HEAD
    key_columns: ClassVar[tuple[str, ...]] = ("document", "entity")

    def __len__(self) -> int:
        return self.order.size

    def columns(self) -> dict[str, Any]:
        """Return the columns of `data`."""
        return dict(self.data)

    def first(self, n: int) -> Entities:
        """Return the n entities that cost most."""
        data = {name: column[:n] for name, column in self.data.items()}
        return replace(self, data=data, order=self.order[:n], head=n)

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the entities that cost most."""
        n = min(len(self), self.head)
        names = ("document", "entity", "mention", *SHOWN)
        cells = [[_text(value, digits) for value in self.data[name][:n]] for name in names]
        return [TextTable(names, list(zip(*cells, strict=True)), "lrl" + "r" * len(SHOWN))]

    def caption(self, digits: int) -> list[str]:
        """Say which entities are shown."""
        side, other, ratio = ("key", "response", "recall") if self.side == KEY else ("response", "key", "precision")
        shown = f"{min(len(self), self.head)} of {self.n_entities} entities of the {side}"
        about = f"cost: mentions lost in B³ {ratio}; absent: mentions missing from the {other}"
        return [f"{shown}, by cost; {about}", str(self.signature)]


def _text(value: Any, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, float | np.floating) else str(value)


def entities_of(pair: Pair, of_response: bool, signature: Signature) -> Entities:
    """Make the table of the key's entities, or of the response's.

    Args:
        pair: a key and a response; mentions whose span alone is wrong count as absent.
        of_response: whether the entities are those of the response.
        signature: signature of the scores.
    """
    one, other, index = int(of_response), 1 - int(of_response), pair.index
    size, n_entities = pair.sides[one].sizes.astype(np.float64), pair.n_entities[one]
    mine, theirs = pair.cell_entities[one], pair.cell_entities[other]
    n = pair.cell_size.astype(np.float64)
    k, r = size[mine], pair.sides[other].sizes.astype(np.float64)[theirs]

    def add(values: Floats) -> Floats:
        sums: Floats = np.bincount(mine, values, n_entities).astype(np.float64, copy=False)
        return sums

    absent, cells = pair.sides[one].n_absent, np.bincount(mine, minlength=n_entities)
    bcub, is_twin = add(n * n) / size**2, (n == k) & (k == r)
    entropy = add(-n / k * np.log(n / k)) + absent / size * np.log(size)
    bounds = [index.entity_bounds[side] for side in (KEY, pair.side)]
    document = bounds[one].searchsorted(np.arange(n_entities), side="right") - 1

    def number(entities: Ints) -> Ints:
        """Number entities of the other side from 0 in their documents; -1 stays."""
        return np.where(entities < 0, -1, entities - bounds[other][document])

    order = np.lexsort((theirs, -2.0 * n / (k + r), mine))
    starts = run_starts(mine[order])
    best, best_shared = np.full(n_entities, -1), np.zeros(n_entities, np.int64)
    chosen = order[starts]
    best[mine[chosen]], best_shared[mine[chosen]] = theirs[chosen], pair.cell_size[chosen]
    is_aligned = pair.is_aligned(ceaf.similarity(pair.cells))
    aligned = np.full(n_entities, -1)
    aligned[mine[is_aligned]] = theirs[is_aligned]
    first = np.full(n_entities + 1, -1)
    first[pair.labels[one][::-1]] = np.arange(len(index))[::-1]  # absent mentions, -1, write to the last place
    first = first[:-1]
    cost = size * (1.0 - bcub)
    order = np.lexsort((np.arange(n_entities), -cost.round(9)))
    texts = {d: index.texts(d) for d in dict.fromkeys(document[order].tolist())}
    places = zip(document[order].tolist(), (first - index.offsets[document])[order].tolist(), strict=True)
    data = {
        "document": [index.names[d] for d in document[order].tolist()],
        "entity": (np.arange(n_entities) - bounds[one][document])[order],
        "mention": [texts[d][m] for d, m in places],
    }
    columns = {
        "size": pair.sides[one].sizes,
        "absent": absent,
        "pieces": cells + absent,
        "muc_lost": cells + absent - 1,
        "bcub": bcub,
        "lea": np.where(size > 1, add(lea.resolved(n, k)) / size, add(is_twin * 1.0)),
        "cost": cost,
        "expected_extra": add(n * (r - n)) / size,
        "expected_absent": (add(n * (k - n)) + absent * (size - 1)) / size,
        "relative_extra": add(n * (r - n) / r) / size,
        "relative_absent": (add(n * (k - n)) + absent * (size - 1)) / size**2,
        "effective_pieces": np.exp(entropy),
        "is_wrong": add(is_twin * 1.0) == 0,
        "best": number(best),
        "best_shared": best_shared,
        "aligned": number(aligned),
    }
    data |= {name: column[order] for name, column in columns.items()}
    return Entities(data, order, pair.side if of_response else KEY, signature, n_entities)


def forms_of(index: MentionIndex, d: int) -> list[int]:
    """Return the form of each mention of a document: 0 for a name, 2 for a pronoun, otherwise 1.

    Without parts of speech, a name begins with a word that has a capital letter inside a sentence, and a small one
    nowhere in the document; another single word is taken for a pronoun.
    """
    rows = slice(*index.offsets[d : d + 2].tolist())
    if index.any_upos is not None:
        upos = index.any_upos[rows]
        return np.select([upos == NAMES, upos == PRONOUNS], [0, 2], 1).tolist()  # type: ignore[no-any-return]
    sentences = index.pieces(d) if index.has_spans else None
    if sentences is None:
        return [1] * (rows.stop - rows.start)
    words = {word for sentence in sentences for word in sentence}
    inside = {word for sentence in sentences for word in sentence[1:]}
    names = {word for word in inside if word[:1].isupper() and len(word) > 1 and word.lower() not in words}
    texts = (text.split(" ") for text in index.texts(d))
    return [0 if text[0] in names else 1 if len(text) > 1 else 2 for text in texts]


def name_of(texts: Sequence[str], forms: Sequence[int]) -> str:
    """Return the name of an entity from its mentions: the most frequent text with a name, else a noun, else a pronoun.

    >>> name_of(["he", "my uncle", "he", "Tom", "Mr. Tom", "Tom"], [2, 1, 2, 0, 0, 0])
    'Tom'
    """
    best = min(forms)
    return Counter(text for text, form in zip(texts, forms, strict=True) if form == best).most_common(1)[0][0]


def losses_of(pair: Pair) -> tuple[Floats, Ints]:
    """Return what B-cubed recall loses of each of E entities of the key, float64 (E,), and their pieces, int64 (E,)."""
    key, n = pair.sides[0], pair.cell_size
    kept = np.bincount(pair.cell_entities[0], n * n, pair.n_entities[0]) / key.sizes
    return key.sizes - kept, np.bincount(pair.cell_entities[0], minlength=kept.size) + key.n_absent
