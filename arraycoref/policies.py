"""The conventions in which scorers differ silently: named, with two profiles of defaults."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Literal, TypeVar, get_args

from arraycoref.errors import OptionError, UnknownNameError

Profile = Literal["paper", "conll"]
Duplicates = Literal["error", "first", "last", "drop"]
MissingDocuments = Literal["error", "empty", "skip"]
ExtraDocuments = Literal["error", "ignore"]
Singletons = Literal["keep", "drop"]

T = TypeVar("T")

LARGEST_BETA = 1e150


@dataclass(frozen=True)
class Policies:
    """What is done where the definitions leave a choice.

    Attributes:
        profile: which BLANC boundary cases, and how percentages are printed: as the papers say, or as the reference
            scorer 8.01 does.
        key_duplicates: a key mention in two entities or twice in one: refuse, keep it in the entity that comes first
            or last, or drop it.
        response_duplicates: the same for response mentions.
        missing_documents: a key document that the response lacks: refuse, score it against an empty response, or skip.
        extra_documents: a response document that the key lacks: refuse or ignore.
        singletons: keep or drop entities of one mention, on both sides.
        beta: recall counts beta times as much as precision in the F-measure.
    """

    profile: Profile = "paper"
    key_duplicates: Duplicates = "error"
    response_duplicates: Duplicates = "error"
    missing_documents: MissingDocuments = "error"
    extra_documents: ExtraDocuments = "error"
    singletons: Singletons = "keep"
    beta: float = 1.0

    @property
    def duplicates(self) -> str:
        """One word where both sides have the same policy, otherwise ``key/response``."""
        if self.key_duplicates == self.response_duplicates:
            return self.key_duplicates
        return f"{self.key_duplicates}/{self.response_duplicates}"


PROFILES = MappingProxyType(
    {
        "paper": Policies(),
        "conll": Policies(
            profile="conll", response_duplicates="first", missing_documents="empty", extra_documents="ignore"
        ),
    }
)


def resolve_policies(
    profile: str = "paper",
    *,
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
) -> Policies:
    """Fill a profile's defaults with what the user asked for.

    Raises:
        UnknownNameError: a profile or policy that does not exist.
        OptionError: ``beta`` that `check_beta` refuses.
    """
    if not isinstance(profile, str) or profile not in PROFILES:
        raise UnknownNameError("profile", profile, PROFILES)
    base = PROFILES[profile]
    check_beta(beta)
    return Policies(
        profile=base.profile,
        key_duplicates=_choose("duplicates policy", duplicates, Duplicates, base.key_duplicates),
        response_duplicates=_choose("duplicates policy", duplicates, Duplicates, base.response_duplicates),
        missing_documents=_choose(
            "missing_documents policy", missing_documents, MissingDocuments, base.missing_documents
        ),
        extra_documents=_choose("extra_documents policy", extra_documents, ExtraDocuments, base.extra_documents),
        singletons=_choose("singletons policy", singletons, Singletons, base.singletons),
        beta=float(beta),
    )


def check_beta(beta: float) -> None:
    """Refuse what is no weight of recall against precision.

    Raises:
        OptionError: ``beta`` not a positive number, or so large that its square is none.
    """
    number: object = beta
    try:
        value = float(number) if isinstance(number, Real) else 0.0
    except OverflowError:
        value = 0.0
    if not 0.0 < value <= LARGEST_BETA:
        raise OptionError(f"beta is {beta!r}; expected a positive number, at most {LARGEST_BETA:g}")


def _choose(kind: str, asked: str | None, choices: object, default: T) -> T:
    """Return the policy asked for, or the profile's where none was."""
    if asked is None:
        return default
    if asked not in get_args(choices):
        raise UnknownNameError(kind, asked, get_args(choices))
    return asked  # type: ignore[return-value]  # one of the choices, as was just checked
