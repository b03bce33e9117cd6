"""What a score depends on besides its input, in one line: printed with every result, so that it can be repeated."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Signature:
    """Version, profile and policies of one scoring run.

    Attributes:
        version: the version of arraycoref.
        profile: ``paper`` or ``conll``.
        duplicates: what was done with a mention in two entities: ``error``, ``first``, ``last`` or ``drop``, or
            ``error/first`` and the like where key and response were treated differently.
        missing_documents: what was done with a key document that the response lacks: ``error``, ``empty`` or ``skip``.
        extra_documents: what was done with a response document that the key lacks: ``error`` or ``ignore``.
        singletons: ``keep`` or ``drop``, on both sides.
        beta: weight of recall against precision in F.
    """

    version: str
    profile: str
    duplicates: str
    missing_documents: str
    extra_documents: str
    singletons: str
    beta: float

    def __str__(self) -> str:
        return (
            f"arraycoref|v:{self.version}|profile:{self.profile}|dup:{self.duplicates}|missing:{self.missing_documents}"
            f"|extra:{self.extra_documents}|singletons:{self.singletons}|beta:{self.beta:g}"
        )

    def as_dict(self) -> dict[str, str | float]:
        """Return the fields by name, as JSON shows them."""
        return asdict(self)
