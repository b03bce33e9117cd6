"""Describe corpora side by side: what papers print of their data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from arraycoref import __version__
from arraycoref.analysis.breakdown import ATTRIBUTES, FIRST, ONE, antecedents, attribute_of, nested
from arraycoref.analysis.index import KEY, MentionIndex
from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable
from arraycoref.exceptions import InputError, check_name
from arraycoref.options import ReadOptions, check_options
from arraycoref.ragged import Bools, Ints
from arraycoref.read import read_side
from arraycoref.read.annotation import with_types_of_all
from arraycoref.read.documents import Documents, with_reference
from arraycoref.read.paths import Source

Numbers = dict[tuple[str, str], tuple[float, float | None]]
"""By attribute and category: a count or a mean, and the count as a fraction of all that are counted, or None.

The attribute of the corpus as a whole is "". Sizes and ranges are counted once for each entity; distances for mentions
with an antecedent, ranges for entities of several mentions.
"""


@dataclass(frozen=True, eq=False, repr=False)
class Description(Report):
    """What some corpora hold.

    Attributes:
        corpora: the numbers of each corpus, by its name.
        attributes: the attributes whose categories have tables.
    """

    corpora: Mapping[str, Numbers]
    attributes: tuple[str, ...]
    key_columns: ClassVar[tuple[str, ...]] = ("corpus", "attribute", "category")

    def tables(self, digits: int) -> list[TextTable]:
        """Return a table of the corpora as wholes, and one for each attribute, without categories that are empty."""
        corpora = list(self.corpora.values())
        tables, groups = [], [("", 1), *((corpus, 2) for corpus in self.corpora)]
        for attribute in ("", *self.attributes):
            names = dict.fromkeys(at for n in corpora for at, value in n.items() if at[0] == attribute and value[0])
            rows = [[at[1], *(text for n in corpora for text in _texts(n.get(at), digits))] for at in names]
            headers = [attribute, *["number", "%"] * len(corpora)]
            tables += [TextTable(headers, rows, groups=groups)] if rows else []
        return tables

    def caption(self, digits: int) -> list[str]:
        """Say what is counted."""
        about = "lengths, ranges and distance-tokens in words, sizes and distances in mentions; percent of mentions, "
        about += "but of entities for singletons, sizes and ranges, and of mentions with an antecedent for distances"
        return [about, f"arraycoref|v:{__version__}"]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each corpus, attribute and category."""
        for corpus, numbers in self.corpora.items():
            for place, values in numbers.items():
                yield dict(zip((*self.key_columns, "number", "fraction"), (corpus, *place, *values), strict=True))


def describe(
    key: Source | Mapping[str, Source],
    response: Source | Mapping[str, Source] | None = None,
    *,
    attributes: str = "length,kind,type,size,distance",
    **options: Unpack[ReadOptions],
) -> Description:
    """Describe corpora: how many documents, words, mentions and entities they have, how long, large and far apart.

    A mention is *nested* if it is inside a longer one, and *crossing* if it overlaps another while each has a word that
    the other lacks; mentions with gaps count from their first to their last word. A mention in two entities counts in
    each.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("a.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 3], [2, 3], [7, 7]], [[3, 4]]]}')
        >>> numbers = ac.describe("a.jsonl").corpora["key"]
        >>> [numbers["", name] for name in ("entities", "singletons", "nested mentions", "crossing mentions")]
        [(2, None), (1, 0.5), (1, 0.25), (3, 0.75)]

    Args:
        key: files, as in `arraycoref.score_files`; or of several corpora, by their names.
        response: the same; None for none.
        attributes: names of the attributes whose categories are printed, where the files have them, with commas; see
            `arraycoref.analysis.breakdown.ATTRIBUTES`. The result has those of all.
        **options: see `arraycoref.options`.

    Returns:
        The numbers of each corpus by its name, ``key`` and ``response`` where none is given, see `Numbers`.

    Raises:
        ReadError, OptionError: as for `arraycoref.score_files`.
        UnknownNameError: there is no such attribute.
    """
    check_options(options, ReadOptions)
    for name in (names := tuple(attributes.split(","))):
        check_name("attribute", name, ATTRIBUTES)
    read = dict[str, Documents]()
    for side, sources in (("key", key), ("response", {} if response is None else response)):
        named = sources if isinstance(sources, Mapping) else {side: sources}
        read |= {name: with_reference(read_side(source, options, side)) for name, source in named.items()}
    sides = map(numbers_of, with_types_of_all(*read.values()))
    return Description(dict(zip(read, sides, strict=True)), names)


def numbers_of(side: Documents) -> Numbers:
    """Count what is in documents: in the corpus as a whole, and by each attribute that its mentions have."""
    mentions = side.mentions
    order = np.lexsort((mentions.last, mentions.first, mentions.document))
    of_files = {"documents": (side,), "rows": order[np.newaxis]}
    index = MentionIndex.of_labels((), [mentions.entity[order].astype(np.int64)], side.offsets, side.names, **of_files)
    labels, sizes = index.labels[KEY], np.bincount(index.labels[KEY])
    numbers: Numbers = {("", "documents"): (len(side), None)}
    lengths = zip(index.sentence_bounds, side.lengths.tolist(), strict=True)
    n_words = [-1 if bounds is None or bounds[-1] < 1 <= n else int(bounds[-1]) for bounds, n in lengths]
    if -1 not in n_words:
        numbers["", "sentences"] = sum(len(bounds) - 1 for bounds in index.sentence_bounds if bounds is not None), None
    elif side.lengths.min(initial=0) >= 0 and {*side.units} <= {"word"}:
        n_words = side.lengths.tolist()
    numbers |= {} if -1 in n_words else {("", "words"): (sum(n_words), None)}
    numbers |= {("", "mentions"): (labels.size, None), ("", "entities"): (sizes.size, None)}
    counted = {"singletons": sizes == 1, "mentions in several entities": index.is_repeated(KEY)}
    if index.has_spans:
        counted |= {"zeros": mentions.is_zero, "mentions with gaps": ~mentions.are_spans & mentions.are_words}
        places = np.unique(np.stack([index.column(KEY, "first"), index.column(KEY, "last")]), return_inverse=True)[1]
        first, last = places.reshape(2, -1) + index.document * (places.max(initial=0) + 1)
        counted["nested mentions"] = nested(first, last)
        counted["crossing mentions"] = crossed(first, last) | crossed(-last, -first)
    numbers |= {("", name): (n := int(each.sum()), n / max(each.size, 1)) for name, each in counted.items()}
    is_later = antecedents(labels) >= 0
    for name in ATTRIBUTES:
        with suppress(InputError):
            attribute = attribute_of(index, name)
            codes, has_special = attribute.codes[KEY], not attribute.of_mention and attribute.classes[0] in (FIRST, ONE)
            chosen = (codes >= has_special) & (~is_later | (name not in ("size", "range")))
            if attribute.values is not None and chosen.any() and name not in ("position", "rank"):
                values = attribute.values[KEY, chosen]
                numbers["", f"{name}: mean"] = float(values.mean()), None
                numbers["", f"{name}: most"] = int(values.max()), None
            counts = np.bincount(codes[chosen], minlength=len(attribute.classes)).tolist()
            for category, n in [*zip(attribute.classes, counts, strict=True)][has_special:]:
                numbers[name, category] = n, n / max(sum(counts), 1)
    return numbers


def crossed(first: Ints, last: Ints) -> Bools:
    """Return which of M ranges have an end of another inside, which began before them, bool (M,).

    The least beginning of those that end from `first` to before `last` is that of two runs of 2^k ends, which overlap.
    """
    order = last.argsort(kind="stable")
    least, low, high = first[order], *(last[order].searchsorted(end) for end in (first, last))
    result = np.zeros(first.size, np.bool_)
    step = 1
    while (chosen := np.flatnonzero(high - low >= step)).size:
        result[chosen] = np.minimum(least[low[chosen]], least[high[chosen] - step]) < first[chosen]
        least, step = np.minimum(least[:-step], least[step:]), 2 * step
    return result


def _texts(value: tuple[float, float | None] | None, digits: int) -> tuple[str, str]:
    number, fraction = value or ("", None)
    shown = f"{number:.{digits}f}" if isinstance(number, float) else str(number)
    return shown, "" if fraction is None else f"{100 * fraction:.{digits}f}"
