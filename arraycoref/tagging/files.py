"""Compare and score tagged files."""

from __future__ import annotations

from pathlib import Path

from arraycoref.errors import InputError
from arraycoref.tagging.api import AnyTagset, AnyWeights, Measures, score_comparison
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.matching import compare_texts
from arraycoref.tagging.read import read_tagged
from arraycoref.tagging.results import TagScores
from arraycoref.tagging.tagsets import load_tagset


def compare_files(
    gold: str | Path, system: str | Path, *, tagset: AnyTagset = None, format: str | None = None,
    unit: str = "document",
) -> TagComparison:  # fmt: skip
    """Read two files and align their words by characters.

    Args:
        gold: CoNLL-U, XCES or tab-separated.
        system: likewise, over the same text.
        tagset: a name of `TAGSETS`, a definition file or a tagset. None: tags are compared as they are written.
        format: of both files; by default what each suffix says.
        unit: ``document`` or ``sentence``, of gold: what counts belong to.

    Returns:
        The comparison, from which scores and tables are computed.

    Raises:
        ReadError: a file that breaks its format, or a tag that the tagset does not know, with its line.
        InputError: files over different texts.
    """
    if str(gold) == "-" and str(system) == "-":
        raise InputError("gold and system are both '-'; standard input can be only one of them")
    loaded = None if tagset is None else load_tagset(tagset)
    return compare_texts(read_tagged(gold, format), read_tagged(system, format), tagset=loaded, unit=unit)


def score_tag_files(
    gold: str | Path,
    system: str | Path,
    *,
    tagset: AnyTagset = None,
    format: str | None = None,
    unit: str = "document",
    measures: Measures = None,
    weights: AnyWeights = None,
    beta: float = 1.0,
) -> TagScores:
    """Score a tagged file against a gold file.

    Args:
        gold: and ``system``, ``tagset``, ``format``, ``unit``: see `compare_files`.
        system: as above.
        tagset: as above.
        format: as above.
        unit: as above.
        measures: names; None for all that need nothing more than there is: on CoNLL-U UPOS, XPOS, UFeats and AllTags.
        weights: for ``wpa`` and ``cwpa``: a mapping, a file, ``poliqarp`` or a `Weights`.
        beta: weight of recall against precision in F.

    Returns:
        The scores of all units and of each, with their counts.

    Raises:
        ReadError: as `compare_files`.
        InputError: as `compare_files` and `score_comparison`.
    """
    loaded = None if tagset is None else load_tagset(tagset)
    comparison = compare_files(gold, system, tagset=loaded, format=format, unit=unit)
    return score_comparison(comparison, measures, weights, tagset=loaded, unit=unit, beta=beta)
