"""Find the annotators whose work is in one place: an exported project, a folder with a folder for each, one file."""

from __future__ import annotations

import os

from arraycoref.errors import check_name
from arraycoref.read import FORMATS, read_file
from arraycoref.read.annotators import PROJECT, name_of
from arraycoref.read.documents import Parsed
from arraycoref.read.faults import ReadingOptions
from arraycoref.read.paths import expand


def annotators_in(source: str, format: str | None = None, max_bytes: int | None = None) -> dict[str, list[str]]:
    """Return the files of each annotator, by name; nothing if there are not two at least.

        >>> from pathlib import Path
        >>> Path("p/annotation/novel.txt").mkdir(parents=True)
        >>> for name in ("anna", "ben"):
        ...     _ = Path(f"p/annotation/novel.txt/{name}.tsv").write_text("#FORMAT=WebAnno TSV 3.3")
        >>> annotators_in("p/annotation")
        {'anna': ['p/annotation/novel.txt/anna.tsv'], 'ben': ['p/annotation/novel.txt/ben.tsv']}

    Args:
        source: the export of a project, or ``annotation`` in it; a folder with one for each annotator; or a file
            with the work of several, such as tasks of Label Studio.
        format: format of a file with the work of several; None to recognise it.
        max_bytes: the most bytes of such a file.

    Raises:
        ReadError: a file that cannot be read or breaks its format.
        UnknownNameError: a format that does not exist.
    """
    if format is not None:
        check_name("format", format, FORMATS)
    if not os.path.exists(source):
        return {}
    inner = os.path.join(source, PROJECT[0])
    source = inner if os.path.isdir(inner) else source
    files = list(expand(source))
    names = [name_of(path)[1] for path in files]
    if os.path.isdir(source) and not all(names):
        below = [os.path.relpath(path, source).split(os.sep) for path in files]
        names = [parts[0] if len(parts) > 1 else "" for parts in below]
    result: dict[str, list[str]] = {}
    for path, name in zip(files, names, strict=True):
        of_file = [name]
        if not any(names):
            found = read_file(path, ReadingOptions(format=format, on_doubt=lambda _: None), max_bytes)
            of_file = [] if isinstance(found, Parsed) else [document.annotator for document in found]
        for annotator in filter(None, dict.fromkeys(of_file)):
            result.setdefault(annotator, []).append(path)
    return result if len(result) > 1 else {}
