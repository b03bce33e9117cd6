"""What a score depends on besides its input, and how notes on what happened in several runs are written as one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from arraycoref import __version__
from arraycoref.display.tables import plural
from arraycoref.exceptions import first_names
from arraycoref.options.policies import PROFILES, Notes, Policies

CHANGED = (
    *("duplicates", "missing_documents", "extra_documents", "singletons", "beta"),
    *("lenient", "tokens", "max_changed", "matching", "zeros", "split", "heads", "upos", "restrict", "truth_sample"),
    *("bridging_relations", "frame", "window", "level", "corpus", "zero_division", "average", "subset"),
)
"""The options that a signature names where their values are not those of the profile."""

SHORT = {
    **{"duplicates": "dup", "missing_documents": "missing", "extra_documents": "extra"},
    **{"zero_division": "zero", "matching": "match"},
}


@dataclass(frozen=True)
class Signature(Policies):
    """All that a score depends on besides its input: policies, version and subset.

    It is printed as one line, with the profile and what differs from it.

    What happened in one run, such as documents scored as empty, is not part of it, but a note of the run.

    Attributes:
        version: the version of arraycoref.
        average: ``micro`` for corpus scores, ``macro`` for means of documents' scores.
        subset: which part of the documents was taken, ``all`` or for example ``9 of 20``.
        unit: what is counted and resampled, ``document`` for coreference.
    """

    version: str = __version__
    average: str = "micro"
    subset: str = "all"
    unit = "document"  # not a field: scores of coreference have no other

    def __str__(self) -> str:
        return f"arraycoref|v:{self.version}|profile:{self.profile}{self.changed}"

    @property
    def changed(self) -> str:
        """The options whose values are not those of the profile, such as ``|singletons:drop``."""
        return self._named(PROFILES[self.profile])

    @property
    def full(self) -> str:
        """The line with the policies that matter most, also where they have their defaults."""
        return (
            f"arraycoref|v:{self.version}|profile:{self.profile}|dup:{self.duplicates}|missing:{self.missing_documents}"
            f"|extra:{self.extra_documents}|singletons:{self.singletons}|beta:{self.beta:g}{self.unusual}"
        )

    @property
    def unusual(self) -> str:
        """The other options whose values are not the usual ones."""
        return self._named(Policies(), CHANGED[CHANGED.index("lenient") :])

    def _named(self, usual: Policies, names: Sequence[str] = CHANGED) -> str:
        """Write the options whose values are not the usual ones."""
        of = {**vars(usual), "average": "micro", "subset": "all"}
        values = {name: getattr(self, name) for name in names if getattr(self, name) != of[name]}
        return "".join(
            f"|{SHORT.get(name, name)}:{f'{value:g}' if isinstance(value, float) else value}"
            for name, value in values.items()
        )

    def as_dict(self) -> dict[str, str | float]:
        """Return the version, then the other fields by name, as JSON shows them."""
        others = {name: value for name, value in vars(self).items() if name not in ("version", "notes")}
        return {"version": self.version, **others}

    @property
    def conventions(self) -> dict[str, str | float]:
        """The fields in which scores that are compared must agree: all but the version and the subset."""
        return {name: value for name, value in Signature.as_dict(self).items() if name not in ("version", "subset")}


@cache
def signature(policies: Policies) -> Signature:
    """Return the signature of policies, with which a reader can reproduce a score."""
    return Signature(**vars(policies.with_own_notes()))


def written_notes(notes: Notes) -> tuple[str, ...]:
    """Write what happened in a call, `Policies.notes`: ``3 documents scored as empty``."""
    return tuple(f"{n:,} {plural(n, noun).partition(' ')[2]} {what}" for (noun, what), n in notes.items())


def joint_notes(names: Sequence[str], notes: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Write the notes of several runs as one list: once each, with the names of the runs unless all of them have it.

    >>> joint_notes(["x", "y"], [["2 problems skipped", "lenient"], ["lenient"]])
    ('x: 2 problems skipped', 'lenient')
    """
    having: dict[str, list[str]] = {}
    for name, each in zip(names, notes, strict=True):
        for note in dict.fromkeys(each):
            having.setdefault(note, []).append(name)
    return tuple(
        note if len(those) == len(names) else f"{', '.join(first_names(tuple(those), 5))}: {note}"
        for note, those in having.items()
    )
