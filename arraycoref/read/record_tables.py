"""Find the columns of records and of scored pairs in tables, and read them from files of text or Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeVar

from arraycoref.errors import InputError, OptionError
from arraycoref.read.layouts import LAYOUTS, USUAL, Names

RECORDS = (
    ("unique_id_l", "unique_id_r"),
    *((f"{name}_l", f"{name}_r") for name in ("record_id", "id")),
    *((f"{name}{part}1", f"{name}{part}2") for name in ("record_id", "rec_id", "id") for part in ("_", "")),
    *((f"{left}id", f"{right}id") for left, right in (("ltable_", "rtable_"), ("left_", "right_"), ("l_", "r_"))),
    ("left", "right"),
    ("source", "target"),
)
"""Usual names of the columns of the two records of a pair; Splink's come first."""

SOURCES = ("source_dataset_l", "source_dataset_r")
"""Columns of the data sets of the two records, which are part of their ids."""

RECORD_IDS = ("unique_id", "record_id", "rec_id", "id", "Id", "ID")
"""Usual names of the column of ids in a table of records."""

SCORES = ("match_probability", "match_weight", "probability", "score", "similarity", "confidence", "weight", "proba")
"""Usual names of the column of scores, of which the first that a table has counts."""

WEIGHTS = {"match_probability": "match_weight", "probability": "weight"}
"""Columns of probabilities, and of the weights that still differ where probabilities are rounded to 1."""

OF_TWO_TABLES = ("ltable_", "left_", "l_")
"""How the names of the first record's columns begin if the two records of a pair are of two tables."""

EXPECTED = "edge_columns='LEFT,RIGHT,SCORE' names others, SOURCE+ID where two columns make an id"


class HasAll(Protocol):
    """Names of columns."""

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns."""


C = TypeVar("C", bound=HasAll)


class PairColumns(NamedTuple):
    """Names of the columns of a table of pairs.

    Attributes:
        left: columns that make the id of one record.
        right: columns that make the id of the other.
        score: column of the scores; empty for none.
        weight: column of weights beside probabilities; empty for none.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    score: str = ""
    weight: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*self.left, *self.right, *filter(None, [self.score, self.weight]))

    def option(self, score: str) -> str:
        """Write the columns as the option ``edge_columns``, with another column of scores."""
        return ",".join(["+".join(self.left), "+".join(self.right), score])

    @classmethod
    def of(cls, header: Sequence[str], asked: str | None, place: str) -> PairColumns:
        """Find the columns of a table of pairs.

            >>> PairColumns.of(["unique_id_l", "unique_id_r", "gamma", "match_probability"], None, "the pairs").score
            'match_probability'

        Args:
            header: names of the table's columns.
            asked: ``LEFT,RIGHT,SCORE``, with ``SOURCE+ID`` for ids of two columns; None for usual names.
            place: words for the table, for messages.

        Raises:
            OptionError: another number of names.
            InputError: a column that is not there.
        """
        if asked is None:
            records = next((names for names in RECORDS if set(names) <= set(header)), ())
            sources = SOURCES if set(SOURCES) <= set(header) else ()
            score = next((name for name in SCORES if name in header), "")
            if records and score:
                left, right = zip(*filter(None, [sources, records]), strict=True)
                weight = WEIGHTS.get(score, "")
                return cls(left, right, score, weight if weight in header else "")
            lacks = "unique_id_l, unique_id_r or the like" if not records else "match_probability or the like"
        else:
            names = [tuple(name.split("+")) for name in asked.replace(" ", "").split(",")]
            if len(names) != 3 or len(names[0]) != len(names[1]) or len(names[2]) != 1 or not all(chain(*names)):
                expected = "LEFT,RIGHT,SCORE, with as many names of columns joined by + on the left as on the right"
                raise OptionError(f"edge_columns is {asked!r}; expected {expected}", "edge_columns")
            lacks = ", ".join(name for name in chain(*names) if name not in header)
            if not lacks:
                return cls(names[0], names[1], names[2][0])
        shown = ", ".join(map(str, header))[:200]
        raise InputError(f"the columns of {place} are {shown}; expected {lacks}; {EXPECTED}", "edge_columns")


def record_columns(header: Sequence[str], n_parts: int, asked: Any, place: str) -> Names:
    """Find the columns of ids and labels in a table of records.

    Args:
        header: names of the table's columns.
        n_parts: number of columns that make an id.
        asked: ``ID,LABEL``, or `Names`; None for those of tools, see `arraycoref.read.tables`.
        place: words for the table, for messages.

    Raises:
        InputError: a column that is not there.
    """
    names = Names.parse(asked, "key") if isinstance(asked, str) else asked or Names()
    for layout in LAYOUTS.values():
        own = layout.change(names)
        own = replace(own, mention=tuple(parts for parts in own.mention if len(parts) == n_parts))
        if (columns := own.columns(header)) is not None:
            return Names(None, columns.mention, columns.label)
    source = ["source_dataset"] if n_parts == 2 else []
    record = next((name for name in RECORD_IDS if name in header), "")
    entity = next((name for name in USUAL["label"] if name in header), "")
    meant = f"{'+'.join([*source, record])},{entity}" if record and entity and set(source) <= set(header) else ""
    usual = meant or f"{'SOURCE+' * len(source)}ID,LABEL"
    reason = (
        f"the columns of {place} are {', '.join(map(str, header))[:200]}; expected {'+'.join([*source, 'unique_id'])}"
    )
    expected = f"and cluster_id or the like; columns={usual!r} names {'these' if meant else 'others'}"
    raise InputError(f"{reason}; {expected}", {"columns": meant} if meant else "columns")
