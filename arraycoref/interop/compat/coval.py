"""Offer coval's reader and evaluator: `get_coref_infos` and `evaluate_documents`, called as there.

    from arraycoref.interop.compat import coval as evaluator, coval as reader

The metrics are named as there: `muc`, `b_cubed`, `ceafe`, `lea` and `mentions`. Results are recall, precision, F. What
coval takes from parse trees (``NP_only``, ``min_span``) and ``remove_nested`` are refused. Files may be of any format;
a document that the response lacks, and documents of other words, are errors. See the profile ``coval``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arraycoref.api import read_sides, score_batch
from arraycoref.exceptions import OptionError
from arraycoref.match import match_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.read.documents import Documents
from arraycoref.read.paths import Source

muc, b_cubed, ceafe, lea, mentions = "muc", "bcub", "ceafe", "lea", "mentions"

Span = tuple[int, int]
CorefInfo = tuple[list[list[Span]], list[list[Span]], dict[Span, int], dict[Span, int]]


def get_coref_infos(
    key_file: Source,
    sys_file: Source,
    NP_only: bool = False,  # noqa: N803  # the original's name
    remove_nested: bool = False,
    keep_singletons: bool = True,
    min_span: bool = False,
) -> dict[str, CorefInfo]:
    """Read two files, and return the clusters of each document of the key, by its name.

    Args:
        key_file: a source as `arraycoref.score_files` takes it.
        sys_file: the same.
        NP_only: must be False.
        remove_nested: must be False.
        keep_singletons: whether to keep clusters of one mention, on both sides.
        min_span: must be False.

    Returns:
        The clusters of (first word, last word) of key and response; the number of the response's cluster of each
        mention of the key that the response has, and of the key's cluster of those of the response.

    Raises:
        OptionError: an argument that must be False.
        ReadError, DocumentMismatchError: as for `arraycoref.score_files`.
    """
    for name, value in (("NP_only", NP_only), ("remove_nested", remove_nested), ("min_span", min_span)):
        if value:
            raise OptionError(f"{name} is {value!r}; expected False: mentions are scored as the files have them")
    options: Any = {"profile": "coval"}
    policies = resolve_policies(options, FileOptions)
    key, response = match_documents(*read_sides(key_file, sys_file, options, policies), policies).sides
    infos = {}
    for d, name in enumerate(key.names):
        every, least = (_clusters(key, d), _clusters(response, d)), 1 if keep_singletons else 2
        sides = [[cluster for cluster in side if len(cluster) >= least] for side in every]
        of_key, of_response = ({m: c for c, cluster in enumerate(side) for m in cluster} for side in sides)
        in_response = {m: of_response[m] for m in of_key if m in of_response}
        in_key = {m: of_key[m] for m in of_response if m in of_key}
        infos[name] = sides[0], sides[1], in_response, in_key
    return infos


def _clusters(side: Documents, d: int) -> list[list[Span]]:
    clusters: dict[int, list[Span]] = {}
    for first, last, entity in zip(*(column.tolist() for column in side.mentions_of(d)), strict=True):
        clusters.setdefault(entity, []).append((first, last))
    return list(clusters.values())


def evaluate_documents(
    doc_coref_infos: Mapping[str, CorefInfo], metric: str, beta: float = 1
) -> tuple[float, float, float]:
    """Score all documents by one metric.

        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> infos = get_coref_infos("key.jsonl", "response.jsonl", False, False, True)
        >>> evaluate_documents(infos, muc)
        (0.5, 1.0, 0.6666666666666666)

    Args:
        doc_coref_infos: what `get_coref_infos` returns.
        metric: one of this module's metrics, or another name of a metric.
        beta: of the F-measure.

    Returns:
        Recall, precision and F, 0-1.
    """
    key, response = ({name: info[side] for name, info in doc_coref_infos.items()} for side in (0, 1))
    recall, precision, f1 = score_batch(key, response, metrics=metric, profile="coval", beta=float(beta))[metric]
    return recall, precision, f1
