"""Recognise the files of annotation tools, also of tools that are not read: for these, a message says the way."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress

from arraycoref.errors import MissingDependencyError, ReadError
from arraycoref.runtime import Content, open_compressed, split_suffixes

_OPENING = 1 << 16
_PROLOGUE = rb"\s*(?:<[?!][^>]*>\s*)*"
_LONG = "a script that writes a table of the columns document, start, end and label"

_LABELS = "numpy.savetxt('labels.txt', labels, fmt='%s') writes a label in each line, which format='labels' reads"

BEGINNINGS = (
    (rb"#FORMAT=WebAnno TSV 3", "webanno"),
    (rb"[TR]\d+\t\S+ \S+ [^\t\n]+\t|\*\t\S+ T\d", "brat"),
    (rb"(MENTION|COREF)\tT\d+\t", "brat"),
    (rb'\s*\{\s*"%(TYPES|FEATURE_STRUCTURES|VIEWS|FLAGS)"', "cas"),
    (_PROLOGUE + rb"<\w+:XMI[\s>]", "cas"),
    (_PROLOGUE + rb"<(words|mmax_project)[\s>]", "mmax2"),
)
"""How files of tools begin that are read, and the format."""

OTHERS = (
    (
        rb"(?:[^\n]*\n){0,99}?#(textid|TOKENIZATION-TYPE):",
        "SACR",
        "sacr2conll.py of boberle/corefconversion writes CoNLL",
    ),
    (_PROLOGUE + rb"<TEI[\s>]", "TEI", "CorefAnnotator imports it, and exports CoNLL 2012"),
    (_PROLOGUE + rb"<NAF[\s>]", "NAF", "naf2conll of cltl/FormatConversions writes CoNLL"),
    (_PROLOGUE + rb"<GateDocument[\s>]", "GATE", f"the library gatenlp reads it, for {_LONG}"),
    (_PROLOGUE + rb"<FoLiA[\s>]", "FoLiA", f"the library folia reads it, for {_LONG}"),
    (
        rb"\s*<(?s:.*?)<COREF ID=",
        "SGML of MUC or OntoNotes",
        f"OntoNotes: the scripts of CoNLL-2012 write CoNLL; MUC: expected {_LONG}",
    ),
    (
        _PROLOGUE + rb"<(annotations textSource=|knowtator-project)",
        "Knowtator",
        "CRAFT's converter writes CoNLL: boot part-of-speech coreference convert, which fails without part-of-speech",
    ),
    (rb'c="[^"\n]*" \d+:\d+ \d+:\d+\|\|', "i2b2", f"its numbers are of tokens in lines, for {_LONG}"),
    (rb"ID\tText\tPronoun\tPronoun-offset\t", "GAP", "it has pairs of a pronoun and a name, and no clustering"),
    (
        rb"# \S+ \|[^\n]*\n(?:[^\n]*\n){0,99}?#id=",
        "WebAnno TSV 1 or 2",
        "INCEpTION imports it, and exports UIMA CAS JSON",
    ),
    (
        rb"PK\x03\x04(?s:.*)exportedproject\.json",
        "the export of an INCEpTION project",
        "unpack it, exported with UIMA CAS JSON or WebAnno TSV as second format, and name the folder annotation",
    ),
    (rb"\xac\xed\x00\x05|UIMA[\x00-\x1f]", "a UIMA CAS in binary form", "INCEpTION exports UIMA CAS JSON"),
    (rb"\x93NUMPY|PK\x03\x04(?s:.*)\.npy", "arrays that NumPy saved (.npy, .npz)", _LABELS),
    (rb"\x80[\x02-\x05]", "a pickle of Python", _LABELS),
    (rb"PK\x03\x04(?s:.*)TypeSystem\.xml", "a zipped export of INCEpTION", "unpack it, and name the .xmi in it"),
)
"""How files begin that are not read, the name of their format, and the way."""

TOOLS = (
    (("%FEATURE_STRUCTURES",), "cas"),
    (("data", "annotations"), "label-studio"),
    (("data", "predictions"), "label-studio"),
    (("entities", "relations", "text"), "doccano"),
    (("relations", "tokens", "spans"), "prodigy"),
)
"""Fields of the first object of JSON that is read, and the format."""

OTHER_TOOLS = (
    (("_context", "_views"), "UIMA JSON of the legacy form", 'INCEpTION exports "UIMA CAS JSON 0.4.0"'),
    (("_referenced_fss",), "UIMA JSON of the legacy form", 'INCEpTION exports "UIMA CAS JSON 0.4.0"'),
    (("vertexSet",), "DocRED", "a script makes mention_clusters of PreCo of vertexSet: [sent_id, *pos]"),
    (
        ("entities", "includes"),
        "RuCoCo",
        "unit='character', end='exclusive' and clusters_field='entities' read it",
    ),
    (("annotation_id", "lead_time"), "JSON_MIN of Label Studio", "it lacks relations; the export JSON has them"),
    (("span_links", "span_annotations"), "Potato", f"its span_ids are SCHEMA_begin_end_LABEL, for {_LONG}"),
)
"""Fields of JSON that is not read, the name of its format, and the way."""


def format_of_beginning(data: Content, path: str) -> str | None:
    """Return the format of a file that begins as those of an annotation tool do; None for any other.

    Raises:
        ReadError: a format that is not read; the message says what makes another of it.
    """
    begin = bytes(data[:_OPENING]).removeprefix(b"\xef\xbb\xbf")
    for pattern, format in BEGINNINGS:
        if re.match(pattern, begin):
            return format
    if begin.startswith(b"PK\x03\x04"):
        begin += bytes(data[-_OPENING:])
    for pattern, name, way in OTHERS:
        if re.match(pattern, begin):
            raise _not_read(path, name, way)
    return None


def tool_of(fields: Collection[str], path: str) -> str | None:
    """Return the format of JSON whose first object has the fields of an annotation tool; None for any other.

    Raises:
        ReadError: a format that is not read; the message says what makes another of it.
    """
    if any("clusters" in name for name in fields):
        return None
    for names, format in TOOLS:
        if all(name in fields for name in names):
            return format
    for names, name, way in OTHER_TOOLS:
        if all(name in fields for name in names):
            raise _not_read(path, name, way)
    return None


def is_webanno(path: str) -> bool:
    """Return whether a file begins as WebAnno TSV 3 does, not as a table whose header has names of columns."""
    compression = split_suffixes(path)[2]
    if not os.path.isfile(path):
        return False
    with suppress(OSError, EOFError, MissingDependencyError), open(path, "rb") as file:
        begin = (file if compression is None else open_compressed(file, compression, "rb")).read(64)
        return re.match(BEGINNINGS[0][0], begin.removeprefix(b"\xef\xbb\xbf")) is not None
    return False


def _not_read(path: str, name: str, way: str) -> ReadError:
    return ReadError(path, None, f"this looks like {name}; {way}")
