"""Guess from its first bytes what kind of file this is, if no reader accepts it."""

from __future__ import annotations

import codecs
import re

from arraycoref.runtime import Content

_BEGIN = 1 << 16
JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\{\s*("|\})|\[\s*(\{|\]))')
"""Matches a file that begins as objects of JSON, or an array of them, do."""
_KINDS = (
    (
        rb"\x1f\x8b|BZh|\xfd7zXZ\0|\x28\xb5\x2f\xfd",
        "a compressed file without its suffix; rename it to end in .gz, say",
    ),
    (rb"PK\x03\x04", "a zip archive; unpack it"),
    (rb"PAR1", "a Parquet table; rename it to end in .parquet"),
    (rb"\s*<(\?xml|!DOCTYPE|html|TEI|[A-Za-z]+[ >])", "XML or HTML"),
    (rb"SPEAKER \S+ \d+ [\d.]+ [\d.]+ ", "RTTM, the segments of speakers"),
    (rb"COREF\tstart_token\tend_token\t", "the .entities table of BookNLP"),
    (rb"(?s:.*?)\]\(#", "text with Markdown links as mentions"),
    (
        rb"(?s:.*?)(\((EntityID|MarkableID)=| IDENTITY BRIDGING )",
        "CoNLL-UA, of Universal Anaphora; expected CoNLL-2012 columns or JSON",
    ),
)


def looks_like(data: Content, as_json: bool = False) -> str:
    """Return a hint for the message of an error: what kind of file this may be; empty if no known kind fits.

        >>> looks_like(b"<?xml version='1.0'?>")
        '; this looks like XML or HTML'

    Args:
        data: the bytes of a file.
        as_json: whether the file was read as JSON already, so that the hint need not say that it is JSON.
    """
    begin = bytes(data[:_BEGIN]).removeprefix(codecs.BOM_UTF8)
    kind = next((kind for pattern, kind in _KINDS if re.match(pattern, begin)), "")
    rows = [line for line in begin.split(b"\n")[:-1] if line.strip() and not line.startswith(b"#")]
    if len(rows) > 1 and all(row.count(b"\t") == 9 for row in rows) and not re.search(rb"(?m)^#\s*begin\s", begin):
        entities = " with Entity=" if b"Entity=" in begin else ""
        kind = f"CoNLL-U{entities}; expected CoNLL-2012 columns or JSON, which CorefUD's converters write"
    elif re.search(rb"(^|\s)\S+\|(\S+,)?\[e\d+\b", begin[:2000]):
        kind = "the text format of CRAC 2025; its converter writes CoNLL-U or JSON"
    elif not kind and not as_json and JSON.match(data):
        kind = "JSON; the format jsonlines reads it"
    return f"; this looks like {kind}" if kind else ""
