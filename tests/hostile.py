"""Families of hostile files, for tests and `bench_hostile`; a family is a function that makes a file of a given size.

Time and memory for reading must be linear in the size. Most files are faulty; reading ends with an error or at the end.
"""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from arraycoref import check, score_files
from arraycoref.exceptions import ArraycorefError
from arraycoref.read import read_documents
from arraycoref.tagging import compare_texts, load_tagset, read_tagged

B = b"#begin document (x)\n"
WAYS = ("strict", "lenient", "score", "check")
MODES = {
    **dict.fromkeys(("conll", "craft.conll", "jsonl", "corefud.conllu", "conllua", "csv", "rttm"), WAYS),
    **dict.fromkeys(("ann", "webanno", "xmi", "mmax2"), ("lenient", "score")),
}
"""The ways to read files that end so; others, of tagged texts, are read in one way."""


def repeat(piece: bytes, n: int, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Return about n bytes: a piece over and over, between a head and a tail."""
    return head + piece * max(1, (n - len(head) - len(tail)) // len(piece)) + tail


def number(pattern: bytes, n: int, head: bytes = b"", tail: bytes = b"", start: int = 0) -> bytes:
    """Return about n bytes: a pattern with 0, 1, 2 and so on instead of ``%d``, between a head and a tail."""
    found, size = [head], len(head) + len(tail)
    for k in count(start):
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


def nested(n: int, opens: bytes, closes: bytes, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Return about n bytes: lines that each open a mention, then as many that each close one."""
    n_lines = max(1, (n - len(head) - len(tail)) // (len(opens) + len(closes) + 8))
    lines = [opens.replace(b"%d", b"%d" % k) for k in range(1, n_lines + 1)]
    lines += [closes.replace(b"%d", b"%d" % k) for k in range(n_lines + 1, 2 * n_lines + 1)]
    return head + b"".join(lines) + tail


UA = b"# global.columns = ID FORM IDENTITY\n# newdoc id = x\n"
XMI = b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:o="http:///o.ecore">'
SEGMENTS = b"http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"
TEXT = b'<cas:Sofa xmi:id="1" sofaString="' + b"w " * 50 + b'"/>'
CHAINS = b"#FORMAT=WebAnno TSV 3.3\n#T_CH=x.CorefLink|referenceType|referenceRelation\n\n"
RELATIONS = b"#FORMAT=WebAnno TSV 3.3\n#T_SP=x.Mention|kind\n#T_RL=x.Coref|kind|BT_x.Mention\n\n"
W = b"w\tw\tX\tX\t_\t_\t_\t_\t_"
UD = b"# newdoc id = x\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n"


def row(id: bytes, misc: bytes = b"_", deps: bytes = b"_") -> bytes:
    """Return a line of CoNLL-U."""
    return id + b"\tw\t_\tNOUN\t_\t_\t0\t_\t" + deps + b"\t" + misc + b"\n"


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
        "mentions of one entity": lambda n: repeat(b"w\t(1)\n", n, B, b"#end document\n"),
        "one mention in many entities": lambda n: number(b"(%d)|", n, B + b"w\t", b"(x)\n#end document\n"),
        "one word": lambda n: repeat(b"w", n, B, b"\t(1)\n#end document\n"),
    },
    "craft.conll": {
        "nested parts": lambda n: nested(n, b"w\t(1a\n", b"w\t1a)\n", B, b"w\t(1b)\n#end document\n"),
        "many parts": lambda n: repeat(b"w\t(1a)\nw\t(1b)\n", n, B, b"#end document\n"),
    },
    "corefud.conllu": {
        "nested": lambda n: nested(n, row(b"%d", b"Entity=(e"), row(b"%d", b"Entity=e)"), UD, b"\n"),
        "nested entities": lambda n: nested(n, row(b"%d", b"Entity=(e%d"), row(b"%d", b"Entity=e1)"), UD, b"\n"),
        "mentions of one entity": lambda n: number(row(b"%d", b"Entity=(e)"), n, UD, b"\n", 1),
        "one mention in many entities": lambda n: number(b"(e%d)", n, UD + row(b"1", b"Entity=")[:-1], b"\n\n"),
        "zeros of one parent": lambda n: number(row(b"1.%d", b"Entity=(e)", b"1:x"), n, UD + row(b"1"), b"\n", 1),
        "relations": lambda n: number(b"e%d<e,", n, UD + row(b"1", b"Entity=(e)|Bridge=")[:-1], b"e<e\n\n"),
        "one comment": lambda n: repeat(b" ", n, UD + b"# text =", b"x\n" + row(b"1", b"Entity=(e)") + b"\n"),
        "one word": lambda n: repeat(b"w", n, UD + b"1\t", row(b"", b"Entity=(e)")[1:] + b"\n"),
    },
    "csv": {
        "rows": lambda n: number(b"d,%d,1\n", n, b"document,mention,label\n"),
        "rows of one mention": lambda n: repeat(b"d,1,1\n", n, b"document,mention,label\n"),
        "one field": lambda n: repeat(b"d", n, b"document,mention,label\n", b",1,1\n"),
        "columns": lambda n: number(b"c%d,", n, b"document,mention,label,", b"x\n"),
    },
    "rttm": {
        "turns": lambda n: number(b"SPEAKER a 1 %d 0.1 <NA> <NA> s\n", n),
        "turns of many speakers": lambda n: number(b"SPEAKER a 1 %d 0.1 <NA> <NA> s%d\n", n),
        "overlapping turns": lambda n: repeat(b"SPEAKER a 1 0 0.1 <NA> <NA> s\n", n),
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
        "spans": lambda n: number(
            b'{"id": %d, "start_offset": 1, "end_offset": 2},',
            n,
            b'{"text": "words", "relations": [], "entities": [',
            b'{"id": "x", "start_offset": 1, "end_offset": 2}]}',
        ),
        "tasks": lambda n: number(b'{"data": {"text": "w", "doc": %d}, "annotations": []}\n', n),
        "spans of one id": lambda n: repeat(
            b'{"id": 1, "start_offset": 1, "end_offset": 2},',
            n,
            b'{"text": "words", "relations": [{"from_id": 1, "to_id": 1}], "entities": [',
            b'{"id": 1, "start_offset": 1, "end_offset": 2}]}',
        ),
        "turns": lambda n: repeat(
            b'{"text": "w"},',
            n,
            b'{"data": {"talk": [',
            b'{"text": "w"}]}, "annotations": [{"result": [{"type": "choices"}]}]}',
        ),
        "features of a structure": lambda n: number(
            b'"f%d": 1,', n, b'{"%TYPES": {}, "%FEATURE_STRUCTURES": [{"%ID": 1, ', b'"x": 2}]}'
        ),
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
    "conllua": {
        "mentions": lambda n: number(b"%d w (EntityID=%d|MarkableID=%d)\n", n, UA, start=1),
        "parts of a mention": lambda n: number(b"%d w (EntityID=1|MarkableID=1)\n", n, UA, start=1),
        "mentions in each other": lambda n: nested(n, b"%d w (EntityID=1|MarkableID=m%d\n", b"%d w )\n", UA),
        "openings": lambda n: number(b"(EntityID=1|MarkableID=%d", n, UA + b"1 w "),
        "one opening": lambda n: repeat(b"(EntityID=1|MarkableID=1", n, UA + b"1 w "),
        "closings": lambda n: repeat(b")", n, UA + b"1 w "),
        "fields": lambda n: number(b"|x%d=1", n, UA + b"1 w (EntityID=1|MarkableID=1", b")\n"),
        "elements in each other": lambda n: number(b"%d w (EntityID=%d|MarkableID=%d|ElementOf=1%d)\n", n, UA, start=1),
        "elements of entities": lambda n: number(b"%d,", n, UA + b"1 w (EntityID=a|MarkableID=1|ElementOf=", b")\n"),
        "empty nodes": lambda n: number(b"1.%d w (EntityID=1|MarkableID=%d)\n", n, UA + b"1 w _\n"),
        "documents": lambda n: number(b"# newdoc id = %d\n1 w (EntityID=1|MarkableID=1)\n", n, UA),
        "columns": lambda n: number(b" X%d", n, UA[:35], UA[35:] + b"1 w _\n"),
    },
    "ann": {
        "spans": lambda n: number(b"T%d\tMention 1 5\tword\n", n),
        "parts": lambda n: repeat(b";1 5", n, b"T1\tMention 1 5", b"\tx\n"),
        "blanks": lambda n: repeat(b" ", n, b"T1\tMention 1 5", b"\tx\n"),
        "spans of one id": lambda n: repeat(b"T1\tMention 1 5\tword\n", n),
        "links": lambda n: number(b"T%d\tM 1 5\tw\nR%d\tCoref Arg1:T%d Arg2:T1\n", n),
        "members of a set": lambda n: repeat(b" T1", n, b"T1\tMention 1 5\tw\n*\tCoref"),
        "links to nothing": lambda n: number(b"R%d\tCoref Arg1:T%d Arg2:T%d\n", n, b"T\tMention 1 5\tw\n"),
        "kinds": lambda n: number(b"R%d\tKind%d Arg1:T1 Arg2:T1\n", n, b"T1\tMention 1 5\tw\n"),
        "lines without tabs": lambda n: repeat(b"word\n", n),
        "lines that are not read": lambda n: number(b"A%d\tKind%d T1\n", n, b"T1\tMention 1 5\tword\n"),
        "types with ids": lambda n: number(b"T%d\tName-%d 1 5\tword\n", n),
    },
    "webanno": {
        "words": lambda n: number(b"%d-%d\t0-1\tw\t_\t_\n", n, CHAINS),
        "chains": lambda n: number(b"%d-%d\t0-1\tw\t*[1]\t*->%d-1\n", n, CHAINS),
        "one chain": lambda n: number(b"%d-%d\t0-1\tw\t*[1]\t*->1-%d\n", n, CHAINS),
        "one mention": lambda n: number(b"%d-%d\t0-1\tw\t*[1]\t*->1-1\n", n, CHAINS),
        "values in a cell": lambda n: number(b"|*->%d-1", n, CHAINS + b"1-1\t0-1\tw\t_\t*->1-1"),
        "escapes": lambda n: repeat(b"\\|", n, CHAINS + b"1-1\t0-1\tw\t_\t*"),
        "brackets": lambda n: repeat(b"[1]", n, RELATIONS + b"1-1\t0-1\tw\tx"),
        "relations": lambda n: number(b"%d-%d\t0-1\tw\tx\tcoref\t1-1[0_0]\n", n, RELATIONS),
        "spans with words between": lambda n: repeat(b"1-2\t0-1\tw\t_\t_\n1-1\t0-1\tw\t*[1]\t*->1-1\n", n, CHAINS),
        "relations to nothing": lambda n: repeat(b"|1-1[3_4]", n, RELATIONS + b"1-1\t0-1\tw\tx\t_\t1-1[0_0]"),
        "layers": lambda n: number(b"#T_SP=layer%d|x|y\n", n, CHAINS, b"1-1\t0-1\tw\n"),
        "parts of a word": lambda n: number(b"1-1.%d\t0-1\tw\t_\t*->1-%d\n", n, CHAINS + b"1-1\t0-1\tw\n"),
    },
    "xmi": {
        "elements that open": lambda n: repeat(b"<a>", n, XMI),
        "links of one chain": lambda n: number(
            b'<o:CLink xmi:id="1%d" begin="0" end="1" next="1%d"/>', n, XMI + TEXT, b"</xmi:XMI>"
        ),
        "mentions of two entities": lambda n: number(
            b'<o:CLink xmi:id="1%d" begin="0" end="1" next="9"/>', n, XMI + TEXT, b'<o:CChain first="9"/></xmi:XMI>'
        ),
        "relations": lambda n: number(
            b'<o:R begin="0" end="1" Governor="1%d" Dependent="7"/>', n, XMI + TEXT, b"</xmi:XMI>"
        ),
        "one text": lambda n: repeat(b"w ", n, XMI + b'<cas:Sofa xmi:id="1" sofaString="', b'"/></xmi:XMI>'),
        "spans of the whole text": lambda n: number(
            b'<o:CLink xmi:id="1%d" begin="0" end="99" next="9"/>',
            n,
            XMI + b'<o:CChain first="9"/><cas:Sofa xmi:id="1" sofaString="' + b"w " * (n // 4) + b'"/>',
            b"</xmi:XMI>",
        ).replace(b'end="99"', b'end="%d"' % (n // 2 // 2)),
        "tokens in each other": lambda n: number(
            b'<t:Token begin="0" end="1%d"/>',
            n,
            XMI.replace(b" xmlns:o", b' xmlns:t="' + SEGMENTS + b'" xmlns:o'),
            b'<cas:Sofa xmi:id="1" sofaString="' + b"w" * (n // 30) + b'"/></xmi:XMI>',
        ),
        "links to nothing": lambda n: number(
            b'<o:CLink xmi:id="1%d" begin="0" end="1" next="7"/>', n, XMI + TEXT, b"</xmi:XMI>"
        ),
        "defaults of attributes": lambda n: repeat(
            b"<o:x/>",
            n,
            b'<!DOCTYPE x [<!ATTLIST o:x f CDATA "' + b"x" * (n // 2) + b'">]>' + XMI,
            TEXT + b"</xmi:XMI>",
        ),
        "members": lambda n: repeat(b"1 ", n, XMI + TEXT + b'<cas:View sofa="1" members="', b'"/></xmi:XMI>'),
        "entities": lambda n: number(b'<!ENTITY e%d "&e;&e;">', n, b'<!DOCTYPE a [<!ENTITY e "e">', b"]><a>&e1;</a>"),
        "namespaces": lambda n: number(b' xmlns:a%d="a%d"', n, XMI + b"<a", b"/></xmi:XMI>"),
    },
    "mmax2": {
        "words": lambda n: number(b'<word id="w%d">w</word>', n, b"<words>", b"</words>"),
        "words of one id": lambda n: repeat(b'<word id="w">w</word>', n, b"<words>", b"</words>"),
        "one word": lambda n: repeat(b"w", n, b"<words><word>", b"</word></words>"),
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
        if mode == "check":
            return check(path)
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
