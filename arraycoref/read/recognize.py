"""Recognize what kind of file one is, by how it begins and by its suffix, also kinds that are not read.

`SIGNS` is the only table of kinds: a file has the first row that fits. For a kind that is not read, and for errors in a
file that looks like one of another kind, a message says the way.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import NamedTuple

from arraycoref.exceptions import MissingDependencyError, ReadError
from arraycoref.read import parquet
from arraycoref.read.layouts import TEXTS
from arraycoref.read.paths import JSON
from arraycoref.runtime import Content, open_compressed, split_suffixes

TOOLS = {
    "brat": "brat.read_brat",
    "webanno": "webanno.read_webanno",
    "cas": "cas.read_cas",
    "mmax2": "mmax2.read_mmax2",
    **dict.fromkeys(("label-studio", "doccano", "prodigy"), "span_json.read_spans"),
}
"""Formats of annotation tools, and their readers: a module of this folder, and a function in it."""

SUFFIXES = {
    **{".conllu": "conllu", ".jsonl": "jsonlines", ".jsonlines": "jsonlines", ".json": "jsonlines"},
    **{".conllua": "conllua", ".ann": "brat", ".xmi": "cas", ".ca2": "cas", ".ca2z": "cas", ".mmax": "mmax2"},
    **dict.fromkeys((*TEXTS, *parquet.SUFFIXES), "long"),
    **dict.fromkeys((".7z", ".arrow", ".feather", ".rar", ".tar", ".tgz", ".xlsx", ".xml", ".zip"), ""),
}
"""The format that a suffix means, empty for a suffix of no format; all other files are CoNLL columns."""

OPENING = 1 << 16
"""How many bytes of a file are looked at."""

UTF_16 = re.compile(rb"\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0]")
"""Matches a file that begins as a text in UTF-16 does, with a mark of the order of bytes or without."""


STYLE_SIGNS = {
    "corefinst": r"</m>#|</z>@",
    "seq2seq": r"\| ?[^\s|<>]+ ?</m>",
    "markdown": r"\]\(#|\]#\w",
    "xml-text": r"</(?:(?!h\d)[A-Za-z_][\w.-]*\d|m|mention|ent|entity|coref|cluster)>",
    "crac-text": r"\S\|(?:\[?[\w.-]+\]?,)*(?:\[[\w.-]+\]?|[\w.-]+\])(?:[\s,]|$)",
    "brackets": r"\[[^\[\]\n]+: ?\w+\]",
}
"""What is in annotated text of each style. A file has the first style whose sign is in its text."""

_MARKUP = re.compile(r"\s*<[?!]")
_FIELD = re.compile(rb'"(pred_text|generated_text|output|response|text)"\s*:\s*"')
_SPANS = re.compile(rb'"(?:clusters\w*|corefs|coref_chains|links|spans|entities|labels?|tokens|sentences)"\s*:')


def style_in(data: Content) -> str:
    """Return the style of a file of annotated text by its beginning; empty for what is no such file."""
    begin = bytes(data[:OPENING])
    if JSON.match(begin):
        field = _FIELD.search(begin)
        if field is None or (field[1] in (b"output", b"response", b"text") and _SPANS.search(begin)):
            return ""
        begin = begin.replace(b"\\n", b"\n").replace(b'\\"', b'"')
    text = begin.decode("utf-8", "replace")
    return (
        "" if _MARKUP.match(text) else next((name for name, sign in STYLE_SIGNS.items() if re.search(sign, text)), "")
    )


def begins_as_conll(begin: bytes) -> bool:
    """Return whether a file has ``#begin document`` near its beginning, as CoNLL columns do."""
    return re.search(rb"(?m)^#\s*begin\s", begin) is not None


def is_conllu(begin: bytes) -> bool:
    """Return whether a file begins as CoNLL-U does: lines of ten columns, and no ``#begin document``."""
    rows = [line for line in begin.split(b"\n")[:-1] if line.strip() and not line.startswith(b"#")]
    return len(rows) > 1 and all(row.count(b"\t") == 9 for row in rows) and not begins_as_conll(begin)


def are_members(begin: bytes) -> bool:
    """Return whether a file begins as lines of members do: lines of plain fields, some with more than others."""
    lines = [line for line in begin.splitlines()[:50] if line.strip() and not line.startswith(b"#")]
    mark = next((mark for mark in (b"\t", b",", b";") if any(mark in line for line in lines)), None)
    is_plain = not any(re.search(rb"[(){}<>|\"=]", line) for line in lines)
    return is_plain and len({len(line.split(mark)) for line in lines}) > 1


class Sign(NamedTuple):
    """How one kind of file is recognized.

    Attributes:
        begins: a pattern that a file of this kind begins with, or a function that says of its beginning whether it is
            one; or fields of the first object of JSON.
        format: the format that reads it; empty if none does.
        what: what it is, for messages; and how to have it read, if no format does.
        is_sure: whether it is of this kind with any suffix; otherwise, only the message of a problem says so.
    """

    begins: bytes | Callable[[bytes], object] | tuple[str, ...]
    format: str
    what: str
    is_sure: bool = True


_XML = rb"\s*(?:<[?!][^>]*>\s*)*"
_TABLE = "for a script that writes a table of the columns document, start, end and label"
_LABELS = "numpy.savetxt('labels.txt', labels, fmt='%s') writes a label in each line, which format='labels' reads"
_CAS = 'INCEpTION exports "UIMA CAS JSON 0.4.0"'
_CRAFT = "CRAFT's converter writes CoNLL: boot part-of-speech coreference convert, which fails without part-of-speech"
_RUCOCO = "unit='character', end='exclusive' and clusters_field='entities' read it"
_SGML = f"OntoNotes: the scripts of CoNLL-2012 write CoNLL; MUC: it is {_TABLE}"
_S2AND = "which format='s2and' reads, or from members, which format='clusim' does"

WEBANNO = Sign(rb"#FORMAT=WebAnno TSV 3", "webanno", "WebAnno TSV 3")

SIGNS = (
    WEBANNO,
    Sign(rb"(?:#[^\n]*\n)*?# *global\.columns *=[^\n]*\bIDENTITY\b", "conllua", "CoNLL-UA, of Universal Anaphora"),
    Sign(rb"[TR]\d+\t\S+ \S+ [^\t\n]+\t|\*\t\S+ T\d", "brat", "brat"),
    Sign(rb"(MENTION|COREF)\tT\d+\t", "brat", "LitBank's tables"),
    Sign(rb'\s*\{\s*"%(TYPES|FEATURE_STRUCTURES|VIEWS|FLAGS)"', "cas", "UIMA CAS JSON"),
    Sign(_XML + rb"<\w+:XMI[\s>]", "cas", "UIMA CAS"),
    Sign(_XML + rb"<(words|mmax_project)[\s>]", "mmax2", "MMAX2"),
    Sign(("%FEATURE_STRUCTURES",), "cas", "UIMA CAS JSON"),
    Sign(("data", "annotations"), "label-studio", "Label Studio"),
    Sign(("data", "predictions"), "label-studio", "Label Studio"),
    Sign(("entities", "relations", "text"), "doccano", "doccano"),
    Sign(("relations", "tokens", "spans"), "prodigy", "Prodigy"),
    Sign(("_context", "_views"), "", f"UIMA JSON of the legacy form; {_CAS}"),
    Sign(("_referenced_fss",), "", f"UIMA JSON of the legacy form; {_CAS}"),
    Sign(("vertexSet",), "", "DocRED; a script makes mention_clusters of PreCo of vertexSet: [sent_id, *pos]"),
    Sign(("entities", "includes"), "", f"RuCoCo; {_RUCOCO}"),
    Sign(("annotation_id", "lead_time"), "", "JSON_MIN of Label Studio; it lacks relations; the export JSON has them"),
    Sign(("span_links", "span_annotations"), "", f"Potato; its span_ids are SCHEMA_begin_end_LABEL, {_TABLE}"),
    Sign(
        rb"(?:[^\n]*\n){0,99}?#(textid|TOKENIZATION-TYPE):", "", "SACR; sacr2conll.py of corefconversion writes CoNLL"
    ),
    Sign(_XML + rb"<TEI[\s>]", "", "TEI; CorefAnnotator imports it, and exports CoNLL 2012"),
    Sign(_XML + rb"<NAF[\s>]", "", "NAF; naf2conll of cltl/FormatConversions writes CoNLL"),
    Sign(_XML + rb"<GateDocument[\s>]", "", f"GATE; the library gatenlp reads it, {_TABLE}"),
    Sign(_XML + rb"<FoLiA[\s>]", "", f"FoLiA; the library folia reads it, {_TABLE}"),
    Sign(rb"\s*<(?s:.*?)<COREF ID=", "", f"SGML of MUC or OntoNotes; {_SGML}"),
    Sign(_XML + rb"<(annotations textSource=|knowtator-project)", "", f"Knowtator; {_CRAFT}"),
    Sign(rb'c="[^"\n]*" \d+:\d+ \d+:\d+\|\|', "", f"i2b2; its numbers are of tokens in lines, {_TABLE}"),
    Sign(rb"ID\tText\tPronoun\tPronoun-offset\t", "", "GAP; it has pairs of a pronoun and a name, and no clustering"),
    Sign(rb"# \S+ \|[^\n]*\n(?:[^\n]*\n){0,99}?#id=", "", f"WebAnno TSV 1 or 2; INCEpTION imports it; {_CAS}"),
    Sign(rb"\xac\xed\x00\x05|UIMA[\x00-\x1f]", "", f"a UIMA CAS in binary form; {_CAS}"),
    Sign(rb"\x93NUMPY|PK\x03\x04(?s:.*)\.npy", "npy", "arrays that NumPy saved"),
    Sign(rb"\x80[\x02-\x05]", "", f"a pickle of Python; {_LABELS}"),
    Sign(rb"BZh|\xfd7zXZ\0|\x28\xb5\x2f\xfd", "", "a compressed file; rename it to end in .gz, say", False),
    Sign(rb"PK\x03\x04", "", "a zip archive; rename it to end in .zip", False),
    Sign(rb"PAR1", "", "a Parquet table; rename it to end in .parquet", False),
    Sign(rb"\s*<(\?xml|!DOCTYPE|html|TEI|[A-Za-z]+[ >])", "", "XML or HTML", False),
    Sign(rb"SPEAKER \S+ \d+ [\d.]+ [\d.]+ ", "rttm", "RTTM, the segments of speakers", False),
    Sign(rb"COREF\tstart_token\tend_token\t", "booknlp", "the .entities table of BookNLP", False),
    Sign(rb"(?s:.*?)\]\(#", "markdown", "text with Markdown links as mentions", False),
    Sign(rb"(?s:.{0,2000}?)(?<!\S)\S+\|(\S+,)?\[e\d+\b", "crac-text", "the text format of CRAC 2025", False),
    Sign(rb'\s*\{\s*"[^"]*"\s*:\s*\{[^{}]*"signature_ids"', "s2and", "clusters of S2AND", False),
    Sign(rb'\s*\{\s*"[^"]*"\s*:\s*\[\s*("|-?\d)', "", f"a mapping from clusters to members, {_S2AND}", False),
    Sign(rb"\s*\[\s*\[\s*\[", "", "dedupe's clusters [ids, confidences]; format='s2and' reads {cluster: ids}", False),
    Sign(rb"(?:\S+[ \t]*\r?\n){2,}\S*\Z", "labels", "a label in each line", False),
    Sign(rb"(?s:.*?)\((EntityID|MarkableID)=", "conllua", "CoNLL-UA, of Universal Anaphora", False),
    Sign(is_conllu, "conllu", "CoNLL-U", False),
    Sign(JSON.match, "jsonlines", "JSON", False),
    Sign(are_members, "members", "a cluster in each line", False),
)
"""Each kind of file. Rows that are not sure come last: they may fit other files too."""


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's suffix means, without the suffix of a compression.

    >>> format_of("key.jsonl.gz"), format_of("key.conll")
    ('jsonlines', 'conll')
    """
    return SUFFIXES.get(split_suffixes(os.fspath(path))[1].lower()) or "conll"


def recognized(data: Content, path: str) -> str:
    """Return the format of a file, by how it begins, or else by its suffix.

    Raises:
        ReadError: a kind that is not read; the message says the way.
    """
    begin = _opening(data)
    for sign in SIGNS:
        if sign.is_sure and _fits(sign, begin):
            return _read_as(sign, path)
    usual = format_of(path)
    if usual != "long" and JSON.match(begin):
        usual = "jsonlines"
    if usual in ("conll", "conllu") and begins_as_conll(begin):
        return "conll"
    if usual == "conll" and is_conllu(begin):
        return "conllu"
    return usual if usual not in ("conll", "jsonlines") else style_in(begin) or usual


def recognized_tool(fields: Collection[str], path: str) -> str:
    """Return the format of JSON whose first object has the fields of an annotation tool; empty for any other.

    Raises:
        ReadError: a format that is not read; the message says the way.
    """
    if not any("clusters" in name for name in fields):
        for sign in SIGNS:
            if isinstance(sign.begins, tuple) and all(name in fields for name in sign.begins):
                return _read_as(sign, path)
    return ""


def looks_like(data: Content, format: str = "") -> str:
    """Return a hint for the message of a fault: what kind of file this may be; empty if it is of no other kind.

        >>> looks_like(b"PAR1")
        '; this looks like a Parquet table; rename it to end in .parquet'

    Args:
        data: the bytes of a file.
        format: the format that it was read in.
    """
    begin = _opening(data)
    sign = next((sign for sign in SIGNS if _fits(sign, begin)), None)
    if sign is None or (format and sign.format == format):
        return ""
    return f"; this looks like {sign.what}{f'; format={sign.format!r} reads it' if sign.format else ''}"


def is_webanno(path: str) -> bool:
    """Return whether a file begins as WebAnno TSV 3 does, not as a table whose header has names of columns."""
    compression = split_suffixes(path)[2]
    if not os.path.isfile(path):
        return False
    with suppress(OSError, EOFError, MissingDependencyError), open(path, "rb") as file:
        begin = (file if compression is None else open_compressed(file, compression, "rb")).read(64)
        return _fits(WEBANNO, _opening(begin))
    return False


def _opening(data: Content) -> bytes:
    """Return the beginning of a file; of an archive, also its end, where the names of its files are."""
    begin = bytes(data[:OPENING]).removeprefix(codecs.BOM_UTF8)
    return begin + bytes(data[-OPENING:]) if begin.startswith(b"PK\x03\x04") else begin


def _fits(sign: Sign, begin: bytes) -> bool:
    if isinstance(sign.begins, bytes):
        return re.match(sign.begins, begin) is not None
    return callable(sign.begins) and bool(sign.begins(begin))


def _read_as(sign: Sign, path: str) -> str:
    if not sign.format:
        raise ReadError(path, None, f"this looks like {sign.what}")
    return sign.format
