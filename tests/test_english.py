"""Habits that make a reader start a sentence again: their counts may only fall. Lower a count when a text improves."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = {  # pattern: the most in pages, in the package's strings
    r"(?<!here )\b(?:is|are|was|were) no (?!longer|more|other|such)\w": (0, 0),
    r"\bbehind\b": (0, 1),
    r"\bin place of\b": (0, 0),
    r"(?<!here )\b(?:is|are) none\b": (0, 0),
    r"\bof which\b": (0, 17),
    r"\b[Ll]ikewise\b": (0, 0),
    r"\bpass(?:es|ed)? over\b": (0, 1),
    r"\b(?:tells?|told)\b(?! apart)": (0, 0),
    r"\bhangs? on\b": (0, 0),
    r"\bblanks?\b": (0, 0),
    r"\b(?:whatever|mostly|hardly|play with)\b": (2, 1),
    r"\w*(?:colour|labell|neighbour|behaviour|centre|isation|\w(?:[aeo]r|[aio]n|al|gn|im|at)ise[ds]?)\b": (0, 1),
    r"[A-Z`][^.!?:;|]*(?:(?<!\w)[^\s.!?:;|]+\s+){38}": (3, 2),  # a sentence of more than 38 words
}
NO_PROSE = re.compile(r"```.*?```|\$\$.*?\$\$|<!--.*?-->|`[^`\n]*`", re.DOTALL)


def pages():
    """Return the prose of all pages, without code, formulas and comments."""
    docs = ROOT / "docs"
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *docs.glob("*.md"), *docs.glob("metrics/*.md")]
    texts = (NO_PROSE.sub("`x`", path.read_text(encoding="utf-8")) for path in paths)
    return "\n".join(texts)


def strings():
    """Return all strings of the package, docstrings too."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "arraycoref").rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return ".\n".join(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="no documentation beside the tests")
def test_habits_fall():
    texts = pages(), strings()
    counts = {pattern: tuple(len(re.findall(pattern, text)) for text in texts) for pattern in MOST}
    risen = {pattern: n for pattern, n in counts.items() if n[0] > MOST[pattern][0] or n[1] > MOST[pattern][1]}
    assert not risen, {pattern: MOST[pattern] for pattern in risen}
