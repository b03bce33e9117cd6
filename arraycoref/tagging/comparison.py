"""Encoded tags of two sides, segment by segment: what every measure and table is computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import LABEL_SEED
from arraycoref.lazy import cached_property
from arraycoref.tagging.table import TagTable

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TagComparison:
    """N segments, each with a gold word, a system word or both, in D units (documents or sentences).

    Attributes:
        n_tags: the number V of different tags.
        names: the V tags of both sides as written; empty where tags are numbers only.
        gold_offsets: int64 (W+1,) gold word w has the tags ``gold_tags[gold_offsets[w]:gold_offsets[w + 1]]``.
        gold_tags: int32 (T,) places in ``names``.
        system_offsets: int64 (X+1,), as for gold.
        system_tags: int32 (U,).
        gold_word: int64 (N,) -1 where the segment has no gold word.
        system_word: int64 (N,) -1 where it has no system word.
        unit: int64 (N,) unit of each segment.
        unit_names: the D names of the units.
        table: the parsed tags, or None where no tagset was given.
        facets: int32 (V,) each: parts of a tag that are measures of their own (UPOS and so on of CoNLL-U), as numbers
            that are equal where the parts are.
        number_forms: called where forms are asked for: returns the distinct word forms, and int32 (N,) the form of each
            segment; None where there are no forms.
        source: what was compared with what, for messages.
        unit_kind: ``document`` or ``sentence``, what the units are; for the signature, as are the next two.
        missing_documents: what was done with files that the system lacks.
        extra_documents: what was done with files that gold lacks.
    """

    n_tags: int
    names: tuple[str, ...]
    gold_offsets: Int64
    gold_tags: Int32
    system_offsets: Int64
    system_tags: Int32
    gold_word: Int64
    system_word: Int64
    unit: Int64
    unit_names: tuple[str, ...]
    table: TagTable | None = None
    facets: Mapping[str, Int32] = field(default_factory=dict)
    number_forms: Callable[[], tuple[tuple[str, ...], Int32]] | None = None
    source: str = "tags"
    unit_kind: str = "document"
    missing_documents: str = "error"
    extra_documents: str = "error"

    def __len__(self) -> int:
        return int(self.gold_word.shape[0])

    @cached_property
    def _pairs(self) -> tuple[Int32, Int64]:
        from arraycoref.kernels.tag_pairs import pair_tags

        return pair_tags(
            self.gold_word,
            self.system_word,
            self.gold_offsets,
            self.gold_tags,
            self.system_offsets,
            self.system_tags,
            self.n_tags,
            LABEL_SEED,
        )

    @property
    def cells(self) -> Int32:
        """int32 (C,) the pair of each cell: an assigned and a gold tag of one segment."""
        return self._pairs[0]

    @cached_property
    def pairs(self) -> tuple[Int64, Int64]:
        """The P distinct pairs: int64 (P,) assigned and int64 (P,) gold tags."""
        assigned, gold = np.divmod(self._pairs[1], max(self.n_tags, 1))
        return assigned, gold

    @cached_property
    def closest(self) -> Int64:
        """int64 (P,) how many gold tags have each pair as their closest by positional accuracy; the first of equals."""
        from arraycoref.kernels.tag_pairs import closest_pairs
        from arraycoref.tagging.scoring import exact, pa

        if self.table is None:
            score = (self.pairs[0] == self.pairs[1]).astype(np.float64)
        else:
            score = pa(self.table, *self.pairs) + exact(self.table, *self.pairs)
        return closest_pairs(
            self.gold_word, self.system_word, self.gold_offsets, self.system_offsets, self.cells, score
        )
