"""Tell whose annotation a file has, by its path or by what it says, and read that of one annotator."""

from __future__ import annotations

import os
from collections.abc import Sequence

from arraycoref.errors import ReadError, first_names
from arraycoref.read.annotated import Annotated
from arraycoref.read.faults import ReadingOptions
from arraycoref.runtime import split_suffixes

PROJECT = ("annotation", "curation")
"""Folders of an exported project, which have a folder for each document, with a file for each annotator."""


def name_of(path: str) -> tuple[str, str]:
    """Return the name of a file's document, and the annotator, which is empty where the path does not tell.

    A file is named by its stem; but the export of a project has ``annotation/DOCUMENT/ANNOTATOR.tsv``. There, a folder
    of files ``.ann`` is a document only if its name has a suffix: others keep brat's files in folders of that name too.

    >>> name_of("a/novel.ann"), name_of("export/annotation/novel.txt/anna.tsv")
    (('novel', ''), ('novel.txt', 'anna'))
    """
    stem, suffix, _ = split_suffixes(os.path.basename(path))
    folders = os.path.dirname(os.path.abspath(path)).split(os.sep)
    if len(folders) > 2 and folders[-2] in PROJECT and (suffix != ".ann" or "." in folders[-1]):
        return folders[-1], stem
    return stem, ""


def of_one_annotator(side: Sequence[Annotated], options: ReadingOptions) -> Sequence[Annotated]:
    """Leave out the annotation of others than the annotator whom the user names.

    Raises:
        ReadError: a document that several annotated, and none is named; or none of this name.
    """
    names = list(dict.fromkeys(document.annotator for document in side if document.annotator))
    shown = ", ".join(map(repr, first_names(names)))
    if options.annotator is not None and names:
        kept = [document for document in side if document.annotator in ("", options.annotator)]
        if options.annotator not in names:
            raise ReadError(
                side[0].path, None, f"no annotator {options.annotator!r}; expected one of {shown}", "annotator"
            )
        return kept
    of_document: dict[str, Annotated] = {}
    for document in side:
        other = of_document.setdefault(document.name, document)
        if document.annotator and other.annotator not in ("", document.annotator):
            reason = f"document {document.name!r} is annotated by {other.annotator!r} and {document.annotator!r}"
            hint = f"annotator={other.annotator!r} reads one annotator's, of {shown}; `arraycoref agree` compares all"
            raise ReadError(document.path, document.line, f"{reason}; {hint}", "annotator")
    return side
