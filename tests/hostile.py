"""Families of hostile files, for tests and `bench_hostile`; a family is a function that makes a file of a given size.

Time and memory for reading must be linear in the size. Most files are faulty; reading ends with an error or at the end.
"""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from arraycoref import score_files
from arraycoref.errors import ArraycorefError
from arraycoref.read import read_documents
from arraycoref.tagging import compare_texts, load_tagset, read_tagged

B = b"#begin document (x)\n"
MODES = {"conll": ("strict", "lenient", "score"), "jsonl": ("strict", "lenient", "score")}
"""The ways to read files of a suffix; files of other suffixes are read in one way."""


def repeat(piece: bytes, n: int, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Return about n bytes: a piece over and over, between a head and a tail."""
    return head + piece * max(1, (n - len(head) - len(tail)) // len(piece)) + tail


def number(pattern: bytes, n: int, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Return about n bytes: a pattern with 0, 1, 2 and so on instead of ``%d``, between a head and a tail."""
    found, size = [head], len(head) + len(tail)
    for k in count():
        found.append(pattern.replace(b"%d", b"%d" % k))
        size += len(found[-1])
        if size >= n:
            return b"".join([*found, tail])
    raise AssertionError


def conllu(n: int, pattern: bytes) -> bytes:
    """Return about n bytes of CoNLL-U: words in one sentence."""
    found, size = [], 0
    for k in count():
        found.append(b"%d\t" % (k + 1) + pattern.replace(b"%d", b"%d" % k) + b"\n")
        size += len(found[-1])
        if size >= n:
            return b"".join([*found, b"\n"])
    raise AssertionError


W = b"w\tw\tX\tX\t_\t_\t_\t_\t_"
FAMILIES: dict[str, dict[str, Callable[[int], bytes]]] = {
    "conll": {
        "brackets that open, a line each": lambda n: repeat(b"(1\n", n, B),
        "ids that open, a line each": lambda n: number(b"(%d\n", n, B),
        "nested and closed": lambda n: repeat(b"1)\n", n // 2, repeat(b"(1\n", n // 2, B), b"#end document\n"),
        "brackets that close, a line each": lambda n: repeat(b"1)\n", n, B),
        "documents of one name": lambda n: repeat(B + b"#end document\n", n),
        "one id": lambda n: repeat(b"1", n, B + b"(", b")\n#end\n"),
        "ids that begin alike": lambda n: number(b"(" + b"1" * 500 + b"%d)\n", n, B, b"#end\n"),
        "one number of a part": lambda n: repeat(b"0", n, b"#begin document (x); part ", b"x\n#end document\n"),
        "NUL": lambda n: repeat(b"\0", n),
        "line feeds": lambda n: repeat(b"\n", n),
        "spaces": lambda n: repeat(b" ", n, B, b"\n#end\n"),
    },
    "jsonl": {
        "garbage": lambda n: repeat(b"x\n", n),
        "empty objects": lambda n: repeat(b"{}\n", n),
        "nested arrays": lambda n: repeat(b"[", n),
        "one integer": lambda n: repeat(b"1", n, b'{"id": ', b"}"),
        "long integers": lambda n: repeat(b'{"id": ' + b"1" * 4290 + b', "clusters": []}\n', n),
        "other keys": lambda n: number(b'"%d": 1, ', n, b"{", b'"id": 2}'),
        "mentions": lambda n: repeat(b"[0,0],", n, b'{"id": 1, "clusters": [[', b"[0,0]]]}"),
        "an array of documents": lambda n: number(
            b'{"id": %d, "clusters": []},', n, b"[", b'{"id": "x", "clusters": []}]'
        ),
        "one string": lambda n: repeat(b"\\u0041", n, b'{"id": "', b'", "clusters": []}'),
        "documents": lambda n: number(b'{"id": %d, "clusters": []}\n', n),
        "documents on one line": lambda n: number(b'{"id": %d, "clusters": []}', n),
        "documents over lines": lambda n: number(b'{"id": %d,\n"clusters":\n[]}', n),
        "objects that never end": lambda n: repeat(b'{"a": [\n', n),
        "documents of one name": lambda n: repeat(b'{"id": 1, "clusters": []}\n', n),
    },
    "conllu": {
        "one sentence": lambda n: conllu(n, W),
        "other forms": lambda n: conllu(n, b"w%d\tw\tX\tX\t_\t_\t_\t_\t_"),
        "other features": lambda n: conllu(n, b"w\tw\tX\tX\tF%d=1\t_\t_\t_\t_"),
        "one tag": lambda n: repeat(b"A=B|", n, b"1\tw\tw\tX\tX\t", b"C=D\t_\t_\t_\t_\n\n"),
        "documents": lambda n: number(b"# newdoc id = %d\n1\t" + W + b"\n\n", n),
        "multiword tokens": lambda n: repeat(b"1-2\tww\t_\t_\t_\t_\t_\t_\t_\t_\n1\t" + W + b"\n2\t" + W + b"\n\n", n),
        "one multiword token": lambda n: b"1-999999999\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" + conllu(n, W),
        "empty nodes": lambda n: repeat(b"0.1\t" + W + b"\n", n, b"", b"1\t" + W + b"\n\n"),
    },
    "tsv": {
        "tags of a word": lambda n: number(b"%d|", n, b"w\t", b"x"),
        "words": lambda n: repeat(b"w\tX\n", n),
        "other words": lambda n: number(b"%d\t%d\n", n),
    },
    "xml": {
        "elements that open": lambda n: repeat(b"<a>", n),
        "words": lambda n: repeat(b"<tok><orth>w</orth></tok>", n, b"<a>", b"</a>"),
        "interpretations": lambda n: number(
            b'<lex disamb="1"><ctag>%d</ctag></lex>', n, b"<a><tok><orth>w</orth>", b"</tok></a>"
        ),
        "one text": lambda n: repeat(b"w", n, b"<a><tok><orth>", b"</orth></tok></a>"),
        "entities": lambda n: number(b'<!ENTITY e%d "&e;&e;">', n, b'<!DOCTYPE a [<!ENTITY e "e">', b"]><a>&e1;</a>"),
    },
}
"""Families by the suffix of their files, and by name."""


def read(suffix: str, mode: str, path: Path) -> object:
    """Read a file; return the result, or the error of arraycoref that is raised."""
    try:
        if mode == "score":
            return score_files(path, path, duplicates="first", lenient=True, on_error=lambda _: None)
        if mode:
            return read_documents(path, lenient=mode == "lenient", on_error=lambda _: None)
        text = read_tagged(path)
        return compare_texts(text, text, tagset=load_tagset("ud") if suffix == "conllu" else None)
    except ArraycorefError as error:
        return error


def every() -> Iterator[tuple[str, str, str]]:
    """List (suffix, family, mode)."""
    for suffix, families in FAMILIES.items():
        for name in families:
            for mode in MODES.get(suffix, ("",)):
                yield suffix, name, mode
