"""Each regular expression of the package takes time that is linear in the text, whatever that is.

Steps of ``re`` cannot be counted, and no test asserts a time: texts that repeat pieces of the pattern go through it in
one process, which takes seconds; a pattern that goes back over what it has seen needs minutes for one of them.
"""

import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path

import arraycoref

PACKAGE = Path(arraycoref.__file__).parent
SIZE, HANGS = 1 << 17, 100
SHORT = {r"(^|\s)\S+\|(\S+,)?\[e\d+\b"}
"""Patterns for the first 2,000 bytes of a file only."""
USED = {"search", "match", "fullmatch", "findall", "finditer", "sub", "split"}


def literals(node: ast.expr) -> list[str]:
    """Return the patterns that an expression may be; none for one that is put together where it is used."""
    if isinstance(node, ast.IfExp):
        return literals(node.body) + literals(node.orelse)
    if isinstance(node, ast.Constant):
        return [node.value if isinstance(node.value, str) else node.value.decode("latin-1")]
    return []


def uses() -> list[tuple[str, str, int]]:
    """List each use of a literal pattern in the package: the function of ``re``, the pattern, its flags."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        assert not any(isinstance(node, ast.ImportFrom) and node.module in ("re", "regex") for node in nodes), path
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        names = {id(node.value): ast.unparse(node.targets[0]) for node in nodes if isinstance(node, ast.Assign)}
        for call in calls:
            if ast.unparse(call.func.value) != "re" or call.func.attr == "escape":
                continue
            rest = [ast.unparse(argument) for argument in (*call.args[1:], *(k.value for k in call.keywords))]
            flags = sum(getattr(re, name[3:]) for name in rest if name in ("re.DOTALL", "re.MULTILINE"))
            functions = {call.func.attr}
            if functions == {"compile"}:
                name = names.get(id(call))
                functions = {each.func.attr for each in calls if ast.unparse(each.func.value) == name} or {"match"}
            found += [(each, pattern, flags) for each in functions & USED for pattern in literals(call.args[0])]
    return found


def texts(pattern: str) -> list[str]:
    """Repeat words and characters of the pattern, alone, after another and in pairs; the end matches nothing."""
    plain = re.sub(r"\\(?:x..|u....|[A-Za-z])|\(\?|\[\^", " ", pattern)
    atoms = list(dict.fromkeys([" ", "a", "1", *re.findall(r"[A-Za-z]{2,}|\W|_", plain)]))[:8]
    pieces = [("", atom) for atom in atoms]
    pieces += [pair for one, other in itertools.permutations(atoms, 2) for pair in ((one, other), ("", one + other))]
    return [start + piece * (SIZE // len(piece)) + "\0" for start, piece in pieces]


def run() -> None:
    """Put every text through its pattern, in the way in which the package does."""
    for function, source, flags in uses():
        method = getattr(re.compile(source, flags), function)
        for text in texts(source) if source not in SHORT else ():
            found = method("", text) if function == "sub" else method(text)
            if function == "finditer":
                list(found)


def test_long_texts_end():
    assert len(uses()) > 20
    code = [sys.executable, "-c", "import test_patterns; test_patterns.run()"]
    subprocess.run(code, check=True, timeout=HANGS, cwd=Path(__file__).parent)
