"""Read files of coreference: CoNLL columns, JSON of many tools, tables; plain or compressed; a file, folder or pattern.

A new format is a module with a `Reader`, and a line in `FORMATS`; a layout of JSON or of a table only a line in
`arraycoref.read.layouts`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import repeat
from typing import Any, Unpack

import numpy as np

from arraycoref.exceptions import OptionError, ReadError, check_name
from arraycoref.options import OPTIONS, check_options
from arraycoref.options.policies import Policies, of_side
from arraycoref.read import parquet, paths
from arraycoref.read.annotated_text import STRINGS, STYLES
from arraycoref.read.annotation import PROJECT, Annotated, documents_of, name_of
from arraycoref.read.documents import Documents, Parsed, join_documents, take
from arraycoref.read.layouts import ANNOTATOR, ENDS, SHAPES, SIDES, STARTS, UNITS, Names
from arraycoref.read.paths import Source
from arraycoref.read.problems import NO_LEVEL, DocumentOptions, ProblemLog, ReadingOptions, quote
from arraycoref.read.recognize import TOOLS, UTF_16, format_of, looks_like, recognized
from arraycoref.read.tables import FORMATS as TABLES, kinds
from arraycoref.runtime import Content, archived, load, split_suffixes

__all__ = ["FORMATS", "annotators_in", "format_of", "read_documents"]


def __dir__() -> list[str]:
    return __all__


Reader = Callable[[Content, str, ReadingOptions], Parsed | list[Annotated]]

FORMATS: Mapping[str, str] = {
    "conll": "conll.read_conll",
    "jsonlines": "json.read_json",
    "conllu": "corefud.read_conllu",
    "craft": "conll.read_conll",
    "conllua": "conllua.read_conllua",
    "npy": "arrays.read_arrays",
    **TOOLS,
    **dict.fromkeys(SHAPES, "json.read_json"),
    **dict.fromkeys(TABLES, "tables.read_text"),
    **dict.fromkeys((*STYLES, STRINGS), "annotated_text.read_annotated"),
}
"""Name of a format, and its reader: a module of this folder, imported for the first such file, and a `Reader` in it.

``jsonlines`` recognizes the layout by the fields; other JSON is a layout each.
"""

CHOICES = {"format": FORMATS, "unit": UNITS, "end": ENDS, "start": STARTS}


def read_documents(source: Source, side: str = "key", **options: Unpack[DocumentOptions]) -> Documents:
    """Read the documents of one side; iterating over them yields the name, words and clusters of each.

        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 1], [4, 4]]]}')
        >>> documents = read_documents("key.jsonl")
        >>> documents.names, documents.mentions.start, documents.mentions.end
        (('a',), array([0, 4], dtype=int32), array([1, 4], dtype=int32))

    In CoNLL files, a line that begins with ``#`` is a comment. The exception: within a document, in a line with tabs
    between its columns, ``#`` is a token if it stands alone or a word follows without a space. An empty column counts
    as a column. Numbers without a bracket in the column of the coreference, such as the 5 of ``(0|5``, are skipped
    one by one, with one warning for all files. An item with several ids is a problem, such as ``(1,2)``. For parts of
    mentions with gaps, such as ``(0a)``, see `arraycoref.read.conll.join_gaps`.

    JSON is lines of one object per document, an array of them, or objects one after the other, in the layouts that
    ``docs/formats.md`` lists. A row of a Parquet file may be a document too, and counts as a line. For
    tables of text, see `arraycoref.read.tables`; a problem in one is an error even if ``lenient``. The clusters of a
    response are read from the field of predictions or, if no document of the file has this field, from the field of
    the key's clusters. A document without a name is named by its number, or, if it is the only one in its file, by the
    file's name.

    Args:
        source: a file, a directory (all files below it that are not hidden, sorted), a glob pattern, ``-`` for standard
            input, a named pipe, or a list of these. A zip archive is a directory. Decompressed where the suffix is .gz,
            .bz2, .xz or .zst.
        side: ``key``, ``response`` or ``annotator``; a file may hold the clusters of several.
        **options: see `arraycoref.options` and, for what readers make of them, `ReadingOptions`. With ``lenient``,
            brackets that never open or never close are dropped, a missing ``#end document`` is supplied, other values
            count as no mention, and of documents with one name the first is kept. More than 10,000 problems in one file
            are an error. Without ``max_bytes``, ``ARRAYCOREF_MAX_BYTES`` in the environment says how many bytes a file
            may hold, decompressed; without either, a compressed file may hold 1 GiB, or 200 times its size if that is
            more.

    Returns:
        The documents, in the order of the files and within them.

    Raises:
        ReadError: a file that cannot be read, or its first problem; if `lenient`, its 10,001st.
        UnknownNameError: a format, side, unit or end that does not exist.
        OptionError: column 0, or a limit that is not a number of bytes.
    """
    check_options(options, DocumentOptions)
    check_name("side", side, (*SIDES, ANNOTATOR))
    own = reading(options, side)
    documents = _read_files(source, own)
    if options.get("on_error") is None:
        own.problems.close()
    return documents


def _read_files(source: Source, options: ReadingOptions) -> Documents:
    """Read the documents of all files of one side; arguments and errors are those of `read_documents`."""
    problems = options.problems
    texts = list[str]()
    files = list(paths.expand(source, texts, options.max_bytes))
    unnamed = {*files} - {*paths.named(source)}
    parts: list[Documents] = []
    seen_fields: dict[str, str] = {}
    bare: list[tuple[str, int, int, str]] = []
    places: dict[str, tuple[str, int]] = {}
    stems = Counter(os.path.basename(split_suffixes(path)[0]) for path in files)
    root = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in files])
    for path, parsed in _parsed_files(files, options, unnamed, texts):
        if parsed.clusters_field is not None:
            for earlier, other in seen_fields.items():
                if earlier != parsed.clusters_field:
                    reason = f"the clusters are in {parsed.clusters_field}, but in {earlier} in {other}"
                    problems.error(path, None, f"{reason}; expected one field in all files")
            seen_fields.setdefault(parsed.clusters_field, path)
        if parsed.bare_numbers is not None:
            bare.append((path, *parsed.bare_numbers))
        documents = parsed.documents
        if len(documents) == 1 and not documents.named[0] and stems[documents.names[0]] > 1:
            name = _path_below(root, path)  # another folder has a file of this name
            documents = replace(documents, names=(name,), headers=(f"({name})",))
        if parts and kinds(documents.columns) != kinds(parts[0].columns):
            kind, first_kind = ("+".join(part.columns) or "spans" for part in (documents, parts[0]))
            raise ReadError(path, None, f"mentions are {kind}; elsewhere {first_kind}")
        if len(set(documents.names)) == len(documents.names) and places.keys().isdisjoint(documents.names):
            places.update(zip(documents.names, zip(repeat(path), parsed.begins, strict=False), strict=False))
        else:
            documents = _first_of_each_name(replace(parsed, documents=documents), path, root, places, problems)
        parts.append(documents)
    if texts:
        shown = f"{texts[0]}{f' and {len(texts) - 1} more' if len(texts) > 1 else ''}"
        problems.note("", len(texts), "text", f"skipped, without documents: {shown}")
    if bare:
        problems.warning(*_bare_numbers(bare))
    if len(parts) == 1:
        return parts[0]
    # A document that is the only one in its file is named by the file's name.
    return join_documents([replace(part, named=np.ones(1, np.bool_)) if len(part) == 1 else part for part in parts])


def _parsed_files(
    files: Sequence[str], options: ReadingOptions, unnamed: Set[str], texts: list[str]
) -> Iterator[tuple[str, Parsed]]:
    """Yield the path and the documents of each file; those of annotation tools last, whose rules see the whole side.

    Args:
        files: their paths.
        options: how to read them.
        unnamed: those that the user did not name, but a directory or pattern that they are in.
        texts: receives those that are skipped.
    """
    annotated: list[Annotated] = []
    without, n_read = "", 0
    for path in files:
        try:
            parsed = read_file(path, options)
        except ReadError as error:
            if path in unnamed and (n_read or path != files[-1]) and paths.is_text(path, files):
                texts.append(path)
                continue
            error = paths.with_pattern(error, files)
            if path == files[-1] and not n_read:
                raise error from None
            options.problems.broken(error)
            continue
        n_read += 1
        if isinstance(parsed, Parsed):
            yield path, parsed
        elif parsed:
            annotated += parsed
        else:
            without = path
    if annotated:
        yield from documents_of(annotated, options)
    elif without:
        (_, one), *_ = documents_of([Annotated(without, "")], options)
        yield without, Parsed(take(one.documents, []), ())


def read_file(path: str, options: ReadingOptions) -> Parsed | list[Annotated]:
    """Read the documents of one file; those of an annotation tool as it has them.

    Raises:
        ReadError: a file that cannot be read, is in UTF-16, of a kind that is not read, or breaks its format.
    """
    content: Content = b""
    if not path.lower().endswith(parquet.SUFFIXES):
        content = load(path, options.max_bytes)
        if UTF_16.match(content):
            raise ReadError(path, None, "text in UTF-16; expected UTF-8, which `iconv -f UTF-16 -t UTF-8` writes")
        format = options.format or recognized(content, path)
    elif parquet.holds_documents(path):
        content = parquet.load_rows(path, options.max_bytes)
        format = options.format or "jsonlines"
    else:
        format = options.format or "long"  # whose reader opens the file
    module, _, function = FORMATS[format].partition(".")
    reader: Reader = getattr(import_module(f"{__name__}.{module}"), function)
    if options.level != "document" and function != "read_json":
        raise ReadError(path, None, NO_LEVEL, "level")
    if options.layer is not None and format != "conllua":
        reason = f"column {options.layer!r} is a name, which only CoNLL-UA has; expected a number"
        raise ReadError(path, None, reason, "column")
    kind = "jsonlines" if function == "read_json" else format
    is_clear = function not in ("read_conll", "read_json")  # the others are recognized by more than a suffix
    options.problems.hint = None if is_clear else partial(looks_like, content, kind)
    try:
        return reader(content, path, options)
    finally:
        options.problems.hint = None


def read_side(source: Source, options: Mapping[str, Any], side: str, policies: Policies | None = None) -> Documents:
    """Read the documents of one side; an error if none is left in lenient mode.

    Args:
        source: its files.
        options: keywords that the user gave, those of `read_documents` and others.
        side: ``key``, ``response`` or ``annotator``.
        policies: receive a note of how many problems were skipped; None for no note.

    Raises:
        ReadError: as `read_documents` does; or every document has a problem.
    """
    own = reading(options, side, policies)
    documents = _read_files(source, own)
    if options.get("on_error") is None:
        own.problems.close()
    if not documents.names:
        is_faulty = "no document is left: every one has a problem"
        reason = is_faulty if options.get("lenient") else "no document; expected rows, each of a mention"
        raise ReadError(", ".join(paths.named(source)), None, reason)
    if policies is not None and own.noted:
        policies.note(len(documents.names), "document", f"of the {side} read with {', '.join(own.noted)}")
    return documents


def reading(options: Mapping[str, Any], side: str, policies: Policies | None = None) -> ReadingOptions:
    """Make the options for reading the files of one side.

        >>> made = reading({"beta": 2, "response_format": "s2e", "unit": "key:word", "end": "exclusive"}, "response")
        >>> made.format, made.unit, made.noted
        ('s2e', None, ('format=s2e', 'end=exclusive'))

    Args:
        options: keywords that the user gave, those of `DocumentOptions` and others.
        side: ``key``, ``response`` or ``annotator``.
        policies: receive notes, and have the profile; None for warnings instead.

    Raises:
        OptionError: a value such as ``key:VALUE`` of one side, where annotators are read; column 0.
        UnknownNameError: a format, unit or end that does not exist.
    """
    known = DocumentOptions.__annotations__.keys() - {"on_error"}
    own = {name: value for name, value in options.items() if name in known and value is not None}
    for name, value in own.items() if side == ANNOTATOR else ():
        if name.endswith("_format") or re.search(r"(^|,)\s*(key|response):", str(value)):
            raise OptionError(f"{name} is {value!r}, for one side; expected options that hold for all annotators", name)
    formats = {name: own.pop(f"{name}_format", None) for name in SIDES}
    if formats.get(side) is not None:
        check_name(f"{side}_format", formats[side], tuple(FORMATS))
        own["format"] = formats[side]
    for name, option in OPTIONS.items():
        if option.per_side and isinstance(own.get(name), str):
            own[name] = of_side(own[name], side) or None
    own = {name: value for name, value in own.items() if value is not None}
    noted = tuple([f"{name}={own[name]}" for name, option in OPTIONS.items() if option.noted and name in own])
    if "start" in own:
        own["start"] = str(own["start"])
    for name in CHOICES.keys() & own.keys():
        check_name(name, own[name], CHOICES[name])
    if "column" in own:
        column = own["column"]
        if isinstance(column, str) and re.fullmatch("-?[0-9]{1,10}", column):
            own["column"] = column = int(column)
        if isinstance(column, str) and column.isidentifier():
            own["layer"] = own.pop("column").upper()
        elif not isinstance(column, int) or column == 0 or abs(column) >= 2**31:
            expected = "expected 1, 2, ... from the left or -1, -2, ... from the right"
            raise OptionError(f"column is {column!r}; {expected}", "column")
    if isinstance(own.get("columns"), str):
        own["columns"] = Names.parse(own["columns"])
    if "relations" in own:
        names = own["relations"].split(",") if isinstance(own["relations"], str) else own["relations"]
        own["relations"] = frozenset(name.strip() for name in names)
    own |= {} if policies is None else {"profile": policies.profile}
    problems = ProblemLog.from_options(options, side, policies)
    return ReadingOptions(**own | {"side": side, "problems": problems, "noted": noted})


def _bare_numbers(bare: list[tuple[str, int, int, str]]) -> tuple[str, int, str, str]:
    """Return place, reason and option of the warning of items that were skipped.

    They are numbers without a bracket and, for the profile ``conll``, items such as ``(1+2)``. Of each file its
    path, how many, and line and text of the first are given.
    """
    path, _, line, value = bare[0]
    what = f"is skipped; there are {sum(n for _, n, *_ in bare):,} such in all"
    if value.startswith("("):
        return path, line, f"the item {quote(value)}, which has two antecedents, {what}", ""
    first = f"the number {quote(value)} without a bracket {what}"
    return path, line, f"{first}. If another holds the coreference, column=N says which", "column"


def _path_below(folder: str, path: str) -> str:
    """Return the path of a file in a folder from there, without suffixes."""
    return os.path.relpath(split_suffixes(path)[0], folder).replace(os.sep, "/")


def _first_of_each_name(
    parsed: Parsed, path: str, root: str, places: dict[str, tuple[str, int]], problems: ProblemLog
) -> Documents:
    """Drop each document whose name was read before; but if only its number or file named it, give it a new name."""
    names, kept = [], []
    for d, (read_name, line) in enumerate(zip(parsed.documents.names, parsed.begins, strict=True)):
        is_new = read_name in places and not parsed.documents.named[d]
        name = f"{_path_below(root, path)}:{read_name}" if is_new else read_name
        if name in places:
            first, begins = places[name]
            reason = f"a second document {name!r}; the first begins at {first}:{begins}"
            if first == path:
                problems.error(path, line, reason)
            else:
                problems.error(path, line, f"{reason}, and the files of one side are read together", "systems_in")
        else:
            places[name] = path, line
            kept.append(d)
            names.append(name)
    return replace(take(parsed.documents, kept), names=tuple(names))


def annotators_in(source: str, format: str | None = None, max_bytes: int | None = None) -> dict[str, list[str]]:
    """Return the files of each annotator, by name; nothing if there are not two at least.

        >>> from pathlib import Path
        >>> Path("p/annotation/novel.txt").mkdir(parents=True)
        >>> for name in ("anna", "ben"):
        ...     _ = Path(f"p/annotation/novel.txt/{name}.tsv").write_text("#FORMAT=WebAnno TSV 3.3")
        >>> annotators_in("p/annotation")
        {'anna': ['p/annotation/novel.txt/anna.tsv'], 'ben': ['p/annotation/novel.txt/ben.tsv']}

    Args:
        source: the export of a project, zipped or not; a folder with one for each annotator; or a file
            with the work of several, such as tasks of Label Studio.
        format: format of a file with the work of several; None to recognize it.
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
    files = list(paths.expand(source, max_bytes=max_bytes))
    names = [name_of(path)[1] for path in files]
    if (os.path.isdir(source) or archived(source, max_bytes)) and not all(names):
        below = [os.path.relpath(path, source).split(os.sep) for path in files]
        names = [parts[0] if len(parts) > 1 else "" for parts in below]
    result: dict[str, list[str]] = {}
    for path, name in zip(files, names, strict=True):
        of_file = [name]
        if not any(names):
            silent = ProblemLog(lambda _: None, is_every=True)
            found = read_file(path, ReadingOptions(format=format, max_bytes=max_bytes, problems=silent))
            of_file = [] if isinstance(found, Parsed) else [document.annotator for document in found]
        for annotator in filter(None, dict.fromkeys(of_file)):
            result.setdefault(annotator, []).append(path)
    return result if len(result) > 1 else {}
