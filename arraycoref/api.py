"""The scoring functions: encode or read, count, and hand over the results.

All take the same options:

    metrics: names (an iterable, or one string with commas); None for the default ones, see `arraycoref.METRIC_NAMES`.
    profile: ``"paper"`` or ``"conll"``: defaults of the policies, BLANC's boundary cases, how percentages are printed.
    duplicates: ``"error"``, ``"first"``, ``"last"`` or ``"drop"``: a mention in two entities, or twice in one. None for
        the profile's: an error, but in profile ``conll`` the first entity for a response mention.
    missing_documents: ``"error"``, ``"empty"`` or ``"skip"``: a key document that the response lacks; None as above.
    extra_documents: ``"error"`` or ``"ignore"``: a response document that the key lacks; None as above.
    singletons: ``"keep"``, or ``"drop"`` to leave out entities of one mention on both sides.
    beta: recall counts ``beta`` times as much as precision in the F-measure that ``.f1`` holds.
    threads: threads over the documents; 0 for one a core. No number depends on it.

and raise `InputError` for input that cannot be scored, `UnknownNameError` for an option that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from arraycoref.batch import Progress, count_documents
from arraycoref.clusterings import Clusterings, document_names
from arraycoref.encode import Clusters, encode, is_iterable
from arraycoref.errors import InputError
from arraycoref.metrics import counted_metrics, resolve_metrics
from arraycoref.pairing import ABSENT, pair_documents
from arraycoref.policies import Policies, resolve_policies
from arraycoref.report.signature import Signature
from arraycoref.results import BatchScores, Scores
from arraycoref.version import __version__

Metrics = str | Iterable[str] | None


def score(
    key: Clusters,
    response: Clusters,
    *,
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
) -> Scores:
    """Score one document, given as clusters of mentions.

    Args:
        key: iterable of entities, each an iterable of hashable mentions. Empty ones are passed over; a mention that is
            a list is taken as a tuple.
        response: likewise.
        metrics: and the options after it: see `arraycoref.api`.
        profile: as above.
        duplicates: as above.
        missing_documents: as above; no effect on one document.
        extra_documents: as above; no effect on one document.
        singletons: as above.
        beta: as above.
        threads: as above; no effect on one document.

    Raises:
        InputError: no clustering, a mention that is not hashable, an unknown option.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    policies = resolve_policies(
        profile,
        duplicates=duplicates,
        missing_documents=missing_documents,
        extra_documents=extra_documents,
        singletons=singletons,
        beta=beta,
    )
    return score_clusterings(encode([key], [response], policies), policies, metrics, threads).corpus


def score_labels(
    key: ArrayLike,
    response: ArrayLike,
    *,
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
) -> Scores:
    """Score one document, given as two label vectors over its mention union index.

    Args:
        key: (M,) integers, the entity of each mention in the key; -1 where the key lacks the mention.
        response: (M,) likewise. An index that both sides lack counts nowhere.
        metrics: and the options after it: see `arraycoref.api`.
        profile: as above.
        duplicates: as above; labels cannot repeat a mention.
        missing_documents: as above; no effect on one document.
        extra_documents: as above; no effect on one document.
        singletons: as above.
        beta: as above.
        threads: as above; no effect on one document.

    Raises:
        InputError: not integers, lengths that differ, a label below -1, an unknown option.
    """
    policies = resolve_policies(
        profile,
        duplicates=duplicates,
        missing_documents=missing_documents,
        extra_documents=extra_documents,
        singletons=singletons,
        beta=beta,
    )
    return score_clusterings(Clusterings.from_labels(key, response), policies, metrics, threads).corpus


def score_batch(
    keys: Iterable[Clusters] | Mapping[str, Clusters],
    responses: Iterable[Clusters] | Mapping[str, Clusters],
    *,
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    names: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> BatchScores:
    """Score many documents, given as clusters of mentions.

    Args:
        keys: D clusterings, or a mapping from document names to clusterings.
        responses: as many, or a mapping; mappings are paired by name, in the key's order.
        metrics: and the options after it: see `arraycoref.api`.
        profile: as above.
        duplicates: as above.
        missing_documents: as above; two sequences must be equally long.
        extra_documents: as above.
        singletons: as above.
        beta: as above.
        threads: as above.
        names: (D,) document names of two sequences.
        progress: called with the number of documents scored and D.

    Raises:
        InputError: as for `score`; a mapping beside a sequence; sequences of different lengths.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    policies = resolve_policies(
        profile,
        duplicates=duplicates,
        missing_documents=missing_documents,
        extra_documents=extra_documents,
        singletons=singletons,
        beta=beta,
    )
    if isinstance(keys, Mapping) and isinstance(responses, Mapping):
        if names is not None:
            raise InputError("names were given beside mappings, whose keys are the names")
        key_names, response_names = list(keys), list(responses)
        k, r = pair_documents(key_names, response_names, policies)
        found: tuple[str, ...] | None = tuple(key_names[position] for position in k)
        key_documents = [keys[key_names[position]] for position in k]
        response_documents = [() if position == ABSENT else responses[response_names[position]] for position in r]
    elif isinstance(keys, Mapping) or isinstance(responses, Mapping):
        raise InputError("one side is a mapping and the other is not; expected two mappings or two sequences")
    else:
        for side, documents in (("keys", keys), ("responses", responses)):
            unordered = isinstance(documents, str | bytes | set | frozenset) or hasattr(documents, "columns")
            if unordered or not is_iterable(documents):
                raise InputError(f"{side} is {documents!r:.60}; expected a list of clusterings, or a mapping to them")
        key_index, response_index = _index_of(keys), _index_of(responses)
        if key_index is not None and response_index is not None and not key_index.equals(response_index):
            raise InputError("keys and responses are Series of different indices; expected the same")
        key_documents, response_documents = list(keys), list(responses)
        if len(key_documents) != len(response_documents):
            raise InputError(
                f"got {len(key_documents)} key documents and {len(response_documents)} response documents; "
                "expected as many, or two mappings from names to clusterings"
            )
        found = document_names(names, len(key_documents))
    return score_clusterings(
        encode(key_documents, response_documents, policies, found), policies, metrics, threads, progress
    )


def score_labels_batch(
    key: ArrayLike,
    response: ArrayLike,
    offsets: ArrayLike,
    *,
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    names: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> BatchScores:
    """Score many documents, given as ragged label vectors over their mention union indices.

    Args:
        key: (M,) integers, the entity of each mention in the key, -1 where the key lacks it. Labels mean something
            within a document only.
        response: (M,) likewise. An index that both sides lack counts nowhere.
        offsets: (D+1,) integers from 0 to M; document d owns ``key[offsets[d]:offsets[d + 1]]``.
        metrics: and the options after it: see `arraycoref.api`.
        profile: as above.
        duplicates: as above; labels cannot repeat a mention.
        missing_documents: as above; no effect, since both sides have the same documents.
        extra_documents: as above; no effect.
        singletons: as above.
        beta: as above.
        threads: as above.
        names: (D,) document names.
        progress: called with the number of documents scored and D.

    Raises:
        InputError: not integers, lengths that differ, a label below -1, bad offsets, an unknown option.
    """
    policies = resolve_policies(
        profile,
        duplicates=duplicates,
        missing_documents=missing_documents,
        extra_documents=extra_documents,
        singletons=singletons,
        beta=beta,
    )
    if offsets is None:
        raise InputError("offsets is None; expected the bounds of documents (score_labels takes one document)")
    clusterings = Clusterings.from_labels(key, response, offsets, names)
    return score_clusterings(clusterings, policies, metrics, threads, progress)


def score_clusterings(
    clusterings: Clusterings,
    policies: Policies,
    metrics: Metrics = None,
    threads: int = 1,
    progress: Progress | None = None,
    headers: tuple[str, ...] | None = None,
) -> BatchScores:
    """Score validated clusterings; what all other functions end in.

    Args:
        clusterings: of D documents.
        policies: resolved.
        metrics: see `arraycoref.api`.
        threads: see `arraycoref.api`.
        progress: called with the number of documents scored and D.
        headers: (D,) headers of documents that come from files.
    """
    wanted = resolve_metrics(metrics)
    if policies.singletons == "drop":
        clusterings = clusterings.without_singletons()
    counts = count_documents(clusterings, counted_metrics(wanted), threads=threads, progress=progress)
    for array in counts.values():
        array.flags.writeable = False
    return BatchScores(wanted, counts, signature(policies), clusterings.names, headers)


def _index_of(documents: object) -> Any:
    """Return the index of a Series of pandas, None of anything else."""
    return documents.index if hasattr(documents, "index") and hasattr(documents, "isna") else None


def signature(policies: Policies) -> Signature:
    """What a reader of a score needs to reproduce it."""
    return Signature(
        version=__version__,
        profile=policies.profile,
        duplicates=policies.duplicates,
        missing_documents=policies.missing_documents,
        extra_documents=policies.extra_documents,
        singletons=policies.singletons,
        beta=policies.beta,
    )
