"""Each regular expression of the package takes time that is linear in the text, whatever that is.

Steps of ``re`` cannot be counted, and no test asserts a time: texts of 256 KB go through every pattern in one process,
which takes seconds; a pattern that goes back over what it has seen needs minutes for one of them.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import arraycoref
from arraycoref.read.conll import parse_header
from arraycoref.read.doubts import _VALUE
from arraycoref.read.looks import _KINDS
from arraycoref.sweeps.files import settings_of

PACKAGE = Path(arraycoref.__file__).parent
SIZE, HANGS = 1 << 18, 60

TEXTS: dict[str, list[tuple[str, str]]] = {
    # what leads into a repetition, and what is repeated; in the end comes what the pattern does not expect
    r"\((\d+)": [("", "("), ("", "(1"), ("(", "1")],
    r"\Amax_bytes(?= is )": [("max_bytes", " is"), ("max_bytes", " ")],
    r"\Aunknown max_bytes( policy)?\b": [("unknown max_bytes", " policy")],
    r"(?<!\S)max_bytes=(?='|(?:N|NAME|REGEX)\b|[ ,;])": [("", "max_bytes="), ("", " max_bytes=N"), ("", " ")],
    r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]": [("", "\n"), ("", "a")],
    r"^( *)\*\*options: (.*(?:\n\1 +.*)*)": [("", " "), ("  **options: x", "\n   "), ("**options: x", "\n  \n")],
    r"^    (\w+): (.*(?:\n {8}.*)*)": [("    ", "a"), ("    a: x", "\n        "), ("    a: x", "\n" + 9 * " " + "\n")],
    r"part[ \t]+([0-9]++)\Z": [("part ", "0"), ("part", " "), ("part 1", "0")],
    r"\((.+)\);(?:[ \t]*part[ \t]+([0-9]++))?\Z": [
        *(("(x); part ", "0"), ("(x", ");"), ("(x", "); part 00"), ("(x);", " "), ("(x);part", "\t"), ("(", "(")),
    ],
    r"part[ \t]+[0-9]++\Z": [("part ", "0"), ("part", " "), ("part 1", "0")],
    r"[ \t\r\n]*": [("", " "), ("", "\n")],
    r'"clusters"\s*:': [("", '"clusters"'), ('"clusters"', " "), ("", '"clusters" ')],
    r"(|.*?[/\\])\*\*(?:[/\\](.*))?\Z": [("", "/"), ("", "**"), ("", "/**"), ("", "**x/"), ("", "\\"), ("**/", "a")],
    r"(|.*?/)\*\*(?:/(.*))?\Z": [("", "/"), ("", "**"), ("", "/**"), ("", "**x/"), ("**/", "a")],
    r"[\\`*|<~$]|\](?=[(\[])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])": [
        *(("&", "a"), ("", "&"), ("", "&a"), ("", "&#"), ("", "_"), ("", "a_"), ("", "]"), ("", "]]["))
    ],
    r"(?:^|(?<=;))(?![=+@-]\Z|[+-](?:[\d.]+|inf)\Z|-[^\W\d_]+-\Z)[=+@\uff1d\uff0b\uff20\uff0d-]": [
        *(("=", "1"), ("=", "="), ("-", "1-"), ("", "=a"), ("-", "a"), ("+", "1"), ("+", "."), ("", ";+1"), ("", ";-a"))
    ],
    r"-(?=-)": [("", "-"), ("", "-a")],
    r"`+": [("", "`"), ("", "`a")],
    r"/(?:dev|proc/self)/fd/([0-9]{1,9})": [("/dev/fd/", "1"), ("", "/dev/fd/")],
    r"[,;&]": [("", ","), ("", "a")],
    r"-?[0-9]{1,10}": [("", "1"), ("", "-"), ("-", "1")],
    r"[A-Za-z_]\w*": [("", "a"), ("", "_"), ("", "a.")],
    r"\w[\w.-]*=": [("a", "-"), ("", "a"), ("", "a.")],
    r"(Abbr|Animacy|Aspect|Case|Definite|Degree|Evident|Foreign|Gender|Mood|NumType|Number|Person|Polarity|Polite|Poss"
    r"|PronType|Reflex|Tense|VerbForm|Voice)(=|\Z)": [("", "Abbr"), ("", "Pol"), ("", "Abbr=")],
    r"# *newdoc(?![^ \t])(?:[ \t]+id[ \t]*=)?[ \t]*(.*)": [
        *(("#", " "), ("#newdoc", " "), ("#newdoc id", " "), ("#newdoc id=", " "), ("", "#"), ("#newdoc", " id"))
    ],
    r"\r\n?|\n": [("", "\r"), ("", "\n"), ("", "a")],
    r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?": [("", "1"), ("", "1-"), ("1-", "1")],
    r"[ \t\r\n]+": [("", " "), ("", "a "), ("", "a")],
    r"ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X": [("", "X"), ("", "AD")],
    r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)": [
        *(("", '"'), ('"', "\\"), ('"', '\\"'), ("", "'"), ("", "\"'"), ('"', "a"), ("", '"a'), ("'", '"'))
    ],
    r"(?<![\w$-])([A-Za-z][\w-]*)\s*!?[=~]": [("", "a"), ("a", " "), ("", "a "), ("", "a-"), ("a", "-"), ("", "a!")],
    r"[^0-9]": [("", "1"), ("", "a")],
    r"[\s#]": [("", " "), ("", "#"), ("", "a")],
    r"[ \t\r\n[]*[^ \t\r\n[]": [("", " "), ("", "["), ("", " [")],
    r"\n|\Z": [("", "a"), ("", "\n")],
    r'(\xef\xbb\xbf)?\s*(\{\s*("|\})|\[\s*(\{|\]))': [("", " "), ("{", " "), ("[", "\n"), ("", "{"), ("", "[")],
    r"(?m)^#\s*begin\s": [("", "#"), ("#", " "), ("#", "\n"), ("", "#\n"), ("", "#begin")],
    r"(^|\s)\S+\|(\S+,)?\[e\d+\b": [],  # looks at 2,000 bytes
    **{
        pattern.decode(): [("", " "), ("", "S"), ("", "<"), ("SPEAKER ", "1"), ("", "]"), ("", "]("), ("", "(EntityID")]
        for pattern, _ in _KINDS
    },
    _VALUE.pattern.decode(): [
        *(("", "("), ("", "(1"), ("", "(1|"), ("", "1"), ("", "a"), ("", "1|"), ("", "a)"), ("", "(a)|"), ("", "|")),
    ],
}
"""Every pattern of the package, and the texts that repeat what it repeats."""

MADE = {
    "group": [],  # the user's own
    "f'\\\\A{option.name}(?= is )'": [r"\Amax_bytes(?= is )"],
    "f'\\\\Aunknown {option.name}( policy)?\\\\b'": [r"\Aunknown max_bytes( policy)?\b"],
    'f"(?<!\\\\S){option.name}=(?=\'|(?:N|NAME|REGEX)\\\\b|[ ,;])"': [
        r"(?<!\S)max_bytes=(?='|(?:N|NAME|REGEX)\b|[ ,;])"
    ],
    "b'(?:(?:%b)(?:\\\\|(?!\\\\Z))?+)++\\\\Z' % _ITEM": [_VALUE.pattern.decode()],
    "f'\"{re.escape(wanted[0])}\"\\\\s*:'.encode()": [r'"clusters"\s*:'],
    "pattern": [pattern.decode() for pattern, _ in _KINDS],
}
"""Patterns that are put together where they are used."""

RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import test_patterns
test_patterns.run()
print("done")
"""


def literals(node: ast.expr) -> list[str]:
    """Return the patterns that an expression may be."""
    if isinstance(node, ast.IfExp):
        return literals(node.body) + literals(node.orelse)
    if isinstance(node, ast.Constant):
        return [node.value if isinstance(node.value, str) else node.value.decode()]
    return MADE[ast.unparse(node)]


def uses() -> list[tuple[str, str, int]]:
    """List each use of a pattern in the package: the function of ``re``, the pattern, its flags."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        assert not any(isinstance(node, ast.ImportFrom) and node.module in ("re", "regex") for node in nodes), path
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        names = {
            id(node.value): ast.unparse(node.targets[0])
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for call in calls:
            if ast.unparse(call.func.value) != "re" or call.func.attr == "escape":
                continue
            rest = [ast.unparse(argument) for argument in (*call.args[1:], *(k.value for k in call.keywords))]
            flags = sum(getattr(re, name[3:]) for name in rest if name in ("re.DOTALL", "re.MULTILINE"))
            functions = {call.func.attr}
            if functions == {"compile"}:
                functions = {other.func.attr for other in calls if ast.unparse(other.func.value) == names[id(call)]}
                assert functions, f"{path}: {ast.unparse(call)} is used in another file"
            found += [(function, pattern, flags) for function in functions for pattern in literals(call.args[0])]
    return found


def run() -> None:
    """Put every text through its pattern, in the way in which the package does."""
    for function, source, flags in uses():
        method = getattr(re.compile(source, flags), function)
        for start, piece in TEXTS[source]:
            text = start + piece * ((SIZE - len(start)) // len(piece)) + "\0"
            method("", text) if function == "sub" else method(text)
    for text in ("(x); part " + "0" * SIZE + "x", "(x) part " + "0" * SIZE + "x", "part 0" * SIZE):
        parse_header(text)
    settings_of(["." + ".a" * SIZE + "!", "a=1." + "_" * SIZE + "-", "a=" + ".1" * SIZE])


def test_every_pattern_is_here():
    assert {pattern for _, pattern, _ in uses()} == set(TEXTS)


def test_long_texts_end():
    try:
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(Path(__file__).parent)],
            check=False,
            timeout=HANGS,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired:
        pytest.fail("a pattern goes back over what it has seen")
    assert done.stdout == "done\n", done.stderr


@pytest.mark.parametrize("header", ["({}); part {}", "({}) part {}", "({});part\t{}", " ({}); part {} "])
@pytest.mark.parametrize(("digits", "number"), [("0", "0"), ("000", "0"), ("007", "7"), ("70", "70")])
def test_numbers_of_parts(header, digits, number):
    """The zeros in front of a number do not belong to it, but that of nought."""
    assert parse_header(header.format("x", digits)) == f"x_{number}"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a=1.conll", 1),
        ("a=1.5.conll.gz", 1.5),
        ("a=x._y.z1", "x"),
        ("a=.1", 0.1),
        ("a=v1.2.é", "v1.2.é"),
        ("a=.b", ""),
    ],
)
def test_suffixes_are_no_part_of_a_value(path, value):
    assert settings_of([path]) == [{"a": value}]
