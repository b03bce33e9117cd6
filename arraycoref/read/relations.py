"""Hold what the file of a document says of its mentions beside identity: bridging, split antecedents, no reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

import numpy as np

from arraycoref.ragged import Ints, Objects


class Relations(NamedTuple):
    """Relations between the mentions and entities of one document; see `Documents.relations`.

    A mention is named by its number in the document as it was read (`Mentions.number`), which stays the same when
    mentions are dropped or sorted; an entity by its number in the document (`Mentions.entity`).

    Attributes:
        anaphor: int64 (L,) the mention that begins each bridging link.
        antecedent: int64 (L,) the mention to which it leads; -1 if the file names only an entity.
        entity: int64 (L,) the entity to which it leads.
        label: object (L,) the name of each link's relation, a text; None for a link without one.
        whole: int64 (E,) an entity with several elements, its split antecedents.
        element: int64 (E,) the entity of each element.
        pseudo: int64 (P,) entities that refer to nothing.
    """

    anaphor: Ints
    antecedent: Ints
    entity: Ints
    label: Objects
    whole: Ints
    element: Ints
    pseudo: Ints

    @classmethod
    def from_lists(
        cls,
        links: Iterable[tuple[int, int, int, str | None]] = (),
        elements: Iterable[tuple[int, int]] = (),
        pseudo: Iterable[int] = (),
    ) -> Relations:
        """Make the relations of a document; what is repeated is kept once.

            >>> door_of_house = (1, -1, 0, "part")
            >>> relations = Relations.from_lists([door_of_house, door_of_house])
            >>> relations.anaphor, relations.antecedent, relations.entity, relations.label
            (array([1]), array([-1]), array([0]), array(['part'], dtype=object))

        Args:
            links: anaphor, antecedent, its entity and label of each bridging link.
            elements: each entity with elements, with one of them.
            pseudo: entities that refer to nothing.
        """
        columns = np.array([*dict.fromkeys(links)], object).reshape(-1, 4).T
        whole, element = np.array([*dict.fromkeys(elements)], np.int64).reshape(-1, 2).T
        anaphor, antecedent, entity = columns[:3].astype(np.int64)
        of_nothing = np.array([*dict.fromkeys(pseudo)], np.int64)
        return cls(anaphor, antecedent, entity, columns[3], whole, element, of_nothing)

    def labeled(self, names: Sequence[str] | None) -> Relations:
        """Return the relations with the bridging links of these labels only; all links without names."""
        if names is None:
            return self
        kept = np.isin(self.label.astype(str), names)
        return self._replace(
            **{name: getattr(self, name)[kept] for name in ("anaphor", "antecedent", "entity", "label")}
        )


def first_circle(elements: Iterable[tuple[str, str]]) -> list[str]:
    """Return a circle of entities, each an element of the one before; an empty list if there is none.

        >>> first_circle([("they", "Ann"), ("they", "we"), ("we", "they")])
        ['they', 'we', 'they']

    Args:
        elements: entities, each with one of its elements.
    """
    order = TopologicalSorter[str]()
    for whole, element in elements:
        order.add(whole, element)
    try:
        order.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []
