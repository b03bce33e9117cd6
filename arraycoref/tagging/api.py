"""Score the tags of two sides, given as a comparison, as integers, as strings, or as tagged files paired by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict, Unpack

from numpy.typing import ArrayLike

from arraycoref.errors import InputError, OptionError, ReadError
from arraycoref.match.documents import pair_documents
from arraycoref.options import OPTIONS, PolicyOptions, Progress, check_options, resolve_policies
from arraycoref.read.sources import expand, is_stream, named
from arraycoref.runtime import STDIN, in_threads, reported, split_suffixes, thread_count
from arraycoref.tagging.comparison import TagComparison, check_comparison, compare_ids, compare_strings
from arraycoref.tagging.matching import TextPair, compare_pairs
from arraycoref.tagging.measures import count_measures, resolve_measures
from arraycoref.tagging.read import ReadingOptions, fault_of, read_tagged
from arraycoref.tagging.results import TagScores, TagSignature
from arraycoref.tagging.table import TagTable
from arraycoref.tagging.tagsets import AnyTagset, load_tagset
from arraycoref.tagging.texts import TaggedText
from arraycoref.tagging.weights import Weights, load_weights

Measures = str | Iterable[str] | None
AnyWeights = str | Path | Mapping[str, Any] | Weights | None
Tags = str | Iterable[str]
Source = str | Path | Sequence[str | Path]


class MeasureOptions(TypedDict, total=False):
    """What is scored, and how; see `score_comparison`."""

    measures: Measures
    weights: AnyWeights
    beta: float


class FileOptions(ReadingOptions, total=False):
    """How tagged files are compared; see `compare_files`."""

    tagset: AnyTagset | None
    unit: str
    missing_documents: str | None
    extra_documents: str | None
    threads: int
    progress: Progress | None


def score_comparison(
    comparison: TagComparison, measures: Measures = None, weights: AnyWeights = None, *, beta: float = 1.0
) -> TagScores:
    """Score a comparison.

        >>> from arraycoref.tagging import compare_strings
        >>> score_comparison(compare_strings(["X", "Y"], ["X", "Z"]))["exact"].f1
        0.5

    Args:
        comparison: N segments in D units.
        measures: names from `MEASURES`; None for all whose needs (a tagset, weights, columns of CoNLL-U) are met,
            except ``Words``.
        weights: for ``wpa`` and ``cwpa``: a mapping, a file, ``poliqarp`` or a `Weights`; see `load_weights`.
        beta: weight of recall against precision in F.

    Returns:
        The scores of all units together and of each unit.

    Raises:
        UnknownNameError: an unknown measure.
        InputError: ``comparison`` is no comparison, a measure needs weights or a tagset that were not given, weights
            were given without a tagset, a category has no weight, or ``beta`` is not positive.
    """
    check_comparison(comparison)
    OPTIONS["beta"].check("beta", beta)
    tagset = None if comparison.table is None else comparison.table.tagset
    loaded = None if weights is None else load_weights(weights, tagset)
    if loaded is not None and tagset is None:
        raise InputError("weights need a tagset, which splits tags into categories; expected tagset=")
    names = resolve_measures(measures, comparison, loaded)
    counts = count_measures(comparison, names, loaded)
    return TagScores(names, counts, TagSignature.of(comparison, loaded, beta))


def score_tag_ids(
    gold: ArrayLike,
    system: ArrayLike,
    *,
    gold_offsets: ArrayLike | None = None,
    system_offsets: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    table: TagTable | None = None,
    **options: Unpack[MeasureOptions],
) -> TagScores:
    """Score integer tags of W words that both sides have.

        >>> score_tag_ids([0, 1, 2, 2], [0, 1, 1, 2])["exact"].f1
        0.75

    Args:
        gold: integers (T,), tags of gold words: one per word, or several where ``gold_offsets`` is given.
        system: integers (U,), tags of the system's words.
        gold_offsets: integers (W+1,), word w has the tags ``gold[gold_offsets[w]:gold_offsets[w + 1]]``, all
            different. None: one tag per word.
        system_offsets: integers (W+1,), the same for the system's words.
        documents: integers (D+1,), document d has the words ``documents[d]:documents[d + 1]``. None: one document.
        table: the parsed tags, from `tag_table`; tag i is row i of the table. Tags of a word that are equal in the
            table, such as ``NOUN|Case=Nom|Number=Sing`` and ``NOUN|Number=Sing|Case=Nom``, count as one tag. None:
            tags can only be equal or not, which is the measure ``exact``.
        **options: as in `score_comparison`.

    Returns:
        The scores of all documents together and of each document, with their counts.

    Raises:
        InputError: arrays whose types or lengths do not fit, Series with different indices, a tag that a word has
            twice, and the errors of `score_comparison`.
    """
    offsets = {"gold_offsets": gold_offsets, "system_offsets": system_offsets, "documents": documents}
    return score_comparison(compare_ids(gold, system, **offsets, table=table), **options)


def score_tags(
    gold: Sequence[Tags],
    system: Sequence[Tags],
    *,
    tagset: AnyTagset | None = None,
    documents: ArrayLike | None = None,
    **options: Unpack[MeasureOptions],
) -> TagScores:
    """Score tags as strings, of W words that both sides have.

        >>> score_tags(["NOUN", "DET|PronType=Art"], ["NOUN", "DET"], tagset="ud", measures="pos,pa")["pos"].f1
        1.0

    Args:
        gold: the tags of W words, in a sequence or a column of any library: for each word a tag or an iterable of tags.
        system: the system's tags of the same W words, in the same form.
        tagset: a name from `TAGSETS`, a definition file or a tagset. Tags of a word that are equal for the tagset, such
            as ``NOUN|Case=Nom|Number=Sing`` and ``NOUN|Number=Sing|Case=Nom``, count as one tag. None: tags can only be
            equal or not, which is the measure ``exact``.
        documents: integers (D+1,), document d has the words ``documents[d]:documents[d + 1]``. None: one document.
        **options: as in `score_comparison`.

    Returns:
        The scores of all documents together and of each document, with their counts.

    Raises:
        InputError: sides of different length, Series with different indices, a value that is no tag, a tag that the
            tagset does not know, and the errors of `score_comparison`.
    """
    return score_comparison(compare_strings(gold, system, tagset=tagset, documents=documents), **options)


def compare_files(
    gold: Source,
    system: Source,
    *,
    tagset: AnyTagset | None = None,
    unit: str = "document",
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> TagComparison:
    r"""Read the files of two sides and align their words by characters.

        >>> _ = Path("gold.tsv").write_text("zum\tX\n.\tY\n")
        >>> _ = Path("system.tsv").write_text("zu\tX\nm\tX\n.\tY\n")
        >>> len(compare_files("gold.tsv", "system.tsv"))
        4

    With ``lenient``, a tag that the tagset does not know is also passed over as a fault: it then counts as a part of
    speech of its own.

    Args:
        gold: CoNLL-U, XCES or tab-separated: a file, a directory, a glob pattern, a list of files, or ``-`` for
            standard input. Compressed where the suffix is .gz, .bz2, .xz or .zst.
        system: files of the same kinds, over the same text. If each side has one file, these two are compared.
            Otherwise files with the same name are compared. A name has no folders and no suffixes; the name of a file
            that was found in a directory is its path below the directory, without suffixes.
        tagset: a name from `TAGSETS`, a definition file or a tagset. Tags of a word that are equal for the tagset count
            as one tag. None: tags are compared as they are written.
        unit: ``document`` or ``sentence``: whether there are scores for each document or for each sentence of gold.
        missing_documents: what to do with gold files that the system lacks: ``error`` (the default), ``empty`` to count
            their words as unaligned, or ``skip`` to leave them out.
        extra_documents: what to do with system files that gold lacks: ``error`` (the default) or ``ignore``.
        threads: number of threads, which share the files; 0 for one per core.
        progress: called after each file with the number of files that were read, and the number of all files.
        **options: as in `read_tagged`.

    Returns:
        The comparison, from which scores and tables are computed.

    Raises:
        ReadError: a file that breaks its format, or a tag that the tagset does not know, with its line.
        DocumentMismatchError: a file that only one side has, where the policy for it is ``error``.
        InputError: files over different texts, two files with the same name on one side, both sides from standard
            input or the same pipe, or an option with an unknown value.
        TypeError: an unknown keyword.
    """
    check_options(options, FileOptions)
    asked = {"missing_documents": missing_documents, "extra_documents": extra_documents}
    policies = resolve_policies(asked, PolicyOptions)
    loaded = None if tagset is None else load_tagset(tagset)
    threads = thread_count(threads)
    fault = fault_of(options.get("lenient", False), options.get("report"))
    ours, theirs = named_files(gold), named_files(system)
    for path in set(ours.values()) & set(theirs.values()):
        if path == STDIN or is_stream(path):
            shown = "-" if path == STDIN else path
            raise OptionError(f"gold and system are both {shown!r}, which can be read only once")
    if len(ours) == len(theirs) == 1:  # whatever their names
        (gold_path,), (system_path,) = ours.values(), theirs.values()
        ours, theirs = {"": gold_path}, {"": system_path}
    names = list(ours)
    names = [names[place] for place in pair_documents(names, list(theirs), policies)[0]]
    paths = [side[name] for name in names for side in (ours, theirs) if name in side]
    found = list(reported(in_threads(lambda path: _read(path, options), paths, threads), [1] * len(paths), progress))
    for error in chain.from_iterable(faults for _, faults in found):
        fault(error)
    texts = {path: text for path, (text, _) in zip(paths, found, strict=True)}
    pairs = [TextPair(texts[ours[name]], texts[theirs[name]] if name in theirs else None, name) for name in names]
    return compare_pairs(pairs, tagset=loaded, unit=unit, policies=policies, fault=fault, threads=threads)


def score_tag_files(
    gold: Source,
    system: Source,
    *,
    measures: Measures = None,
    weights: AnyWeights = None,
    beta: float = 1.0,
    **options: Unpack[FileOptions],
) -> TagScores:
    r"""Score tagged files against gold files.

        >>> _ = Path("gold.tsv").write_text("a\tDET\nrun\tNOUN\n")
        >>> _ = Path("system.tsv").write_text("a\tDET\nrun\tVERB\n")
        >>> score_tag_files("gold.tsv", "system.tsv", tagset="ud", measures="pos")["pos"].f1
        0.5

    Args:
        gold: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input.
        system: the files of the system, over the same text.
        measures: names from `MEASURES`; None for all whose needs (a tagset, weights, columns of CoNLL-U) are met,
            except ``Words``. For CoNLL-U without a tagset, these are UPOS, XPOS, UFeats and AllTags.
        weights: for ``wpa`` and ``cwpa``: a mapping, a file, ``poliqarp`` or a `Weights`.
        beta: weight of recall against precision in F.
        **options: as in `compare_files`.

    Returns:
        The scores of all units together and of each unit, with their counts.

    Raises:
        ReadError: as `compare_files`.
        InputError: as `compare_files` and `score_comparison`.
    """
    return score_comparison(compare_files(gold, system, **options), measures, weights, beta=beta)


def named_files(source: Source) -> dict[str, str]:
    """List the files of a source by name.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
        InputError: two files with the same name, no files at all, or a value that is no path.
    """
    found: dict[str, str] = {}
    for folder in named(source):
        for path in expand(folder):
            relative = os.path.relpath(path, folder) if os.path.isdir(folder) else os.path.basename(path)
            name = split_suffixes(relative)[0].replace(os.sep, "/")
            if name in found:
                raise InputError(f"two files are named {name!r}: {found[name]} and {path}; expected names that differ")
            found[name] = path
    if not found:
        raise InputError("no files were given; expected one at least")
    return found


def _read(path: str, reading: ReadingOptions) -> tuple[TaggedText, list[ReadError]]:
    """Read a file and collect its faults; they are reported later, since threads read files in any order."""
    faults: list[ReadError] = []
    own: ReadingOptions = {**reading, "report": faults.append}
    return read_tagged(path, **own), faults
