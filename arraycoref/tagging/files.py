"""Compare and score tagged files."""

from __future__ import annotations

from arraycoref.options import PolicyOptions, resolve_policies
from arraycoref.read.parsed import Fault
from arraycoref.tagging.api import AnyTagset, AnyWeights, Measures, score_comparison
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.inputs import Progress, Reading, Source, read_pairs
from arraycoref.tagging.matching import compare_pairs
from arraycoref.tagging.read import fault_of
from arraycoref.tagging.results import TagScores
from arraycoref.tagging.tagsets import load_tagset
from arraycoref.threads import thread_count


def compare_files(
    gold: Source,
    system: Source,
    *,
    tagset: AnyTagset = None,
    format: str | None = None,
    separator: str = "|",
    unit: str = "document",
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    threads: int = 1,
    lenient: bool = False,
    report: Fault | None = None,
    max_bytes: int | None = None,
    progress: Progress | None = None,
) -> TagComparison:
    """Read the files of two sides and align their words by characters.

    Args:
        gold: CoNLL-U, XCES or tab-separated: a file, a directory, a glob pattern, a list of files, or ``-`` for
            standard input. Compressed where the suffix is .gz, .bz2, .xz or .zst.
        system: likewise, over the same text. One file on each side are a pair; of more, those of one name are, without
            folders and suffixes (of a directory: the path below it).
        tagset: a name of `TAGSETS`, a definition file or a tagset. None: tags are compared as they are written.
        format: of all files; by default what each suffix says.
        separator: of tab-separated files, what stands between the tags of a word; empty where a word has one tag.
        unit: ``document`` or ``sentence``, of gold: what counts belong to.
        missing_documents: of files of gold that the system lacks: ``error`` (the default), ``empty`` to leave their
            words unaligned, ``skip``.
        extra_documents: of files of the system that gold lacks: ``error`` (the default) or ``ignore``.
        threads: threads over files, 0 for one a core.
        lenient: pass over faults of the files, each with a `ReadWarning`. A tag that the tagset does not know then
            counts as a part of speech of its own; of other faults see the readers.
        report: called with each fault passed over, in place of the warning.
        max_bytes: the most bytes that a file may hold, decompressed; see `arraycoref.read.read_documents`.
        progress: called with the number of files read and their number.

    Returns:
        The comparison, from which scores and tables are computed.

    Raises:
        ReadError: a file that breaks its format, or a tag that the tagset does not know, with its line.
        DocumentMismatchError: a file on one side only, where the policy refuses that.
        InputError: files over different texts, or an unknown option.
    """
    policies = resolve_policies(
        {"missing_documents": missing_documents, "extra_documents": extra_documents}, PolicyOptions
    )
    loaded = None if tagset is None else load_tagset(tagset)
    reading = Reading(format, separator, lenient, report, max_bytes, threads, progress)
    pairs = read_pairs(gold, system, policies, reading)
    return compare_pairs(
        pairs,
        tagset=loaded,
        unit=unit,
        policies=policies,
        fault=fault_of(lenient, report),
        threads=thread_count(threads),
    )


def score_tag_files(
    gold: Source,
    system: Source,
    *,
    tagset: AnyTagset = None,
    format: str | None = None,
    separator: str = "|",
    unit: str = "document",
    measures: Measures = None,
    weights: AnyWeights = None,
    beta: float = 1.0,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    threads: int = 1,
    lenient: bool = False,
    report: Fault | None = None,
    max_bytes: int | None = None,
    progress: Progress | None = None,
) -> TagScores:
    """Score tagged files against gold files.

    Args:
        gold: and ``system``, ``tagset``, ``format``, ``separator``, ``unit``, ``missing_documents`` and all that
            follow it: see `compare_files`.
        system: as above.
        tagset: as above.
        format: as above.
        separator: as above.
        unit: as above.
        measures: names; None for all that need nothing more than there is: on CoNLL-U UPOS, XPOS, UFeats and AllTags.
        weights: for ``wpa`` and ``cwpa``: a mapping, a file, ``poliqarp`` or a `Weights`.
        beta: weight of recall against precision in F.
        missing_documents: as above.
        extra_documents: as above.
        threads: as above.
        lenient: as above.
        report: as above.
        max_bytes: as above.
        progress: as above.

    Returns:
        The scores of all units and of each, with their counts.

    Raises:
        ReadError: as `compare_files`.
        InputError: as `compare_files` and `score_comparison`.
    """
    loaded = None if tagset is None else load_tagset(tagset)
    comparison = compare_files(
        gold,
        system,
        tagset=loaded,
        format=format,
        separator=separator,
        unit=unit,
        missing_documents=missing_documents,
        extra_documents=extra_documents,
        threads=threads,
        lenient=lenient,
        report=report,
        max_bytes=max_bytes,
        progress=progress,
    )
    return score_comparison(comparison, measures, weights, tagset=loaded, beta=beta)
