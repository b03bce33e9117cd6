"""Read TOML files, such as tagsets and weights, within limits on time and memory, whatever the files contain."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from arraycoref.errors import ReadError
from arraycoref.runtime import load_text

MOST_CHARACTERS = 1 << 19
"""Limit on the characters of a file: tagsets and weights are far smaller, and `tomllib` needs a second per megabyte."""

MOST_PARTS = 32
"""Limit on the parts of a key such as ``a.b.c``: `tomllib` needs memory that grows with the square of their number."""
_DEEP_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}""")


def load_toml(path: str | Path, what: str) -> dict[str, Any]:
    """Read a file of TOML.

    Args:
        path: the file.
        what: what the file should be, such as ``a weights file``, for messages.

    Raises:
        ReadError: the file cannot be read, is longer than `MOST_CHARACTERS`, is no TOML, or has a key of more than
            `MOST_PARTS` parts.
    """
    text = load_text(path)
    if len(text) > MOST_CHARACTERS:
        raise ReadError(str(path), None, f"not {what}: {len(text)} characters; expected at most {MOST_CHARACTERS}")
    deep = _DEEP_KEY.search(text)
    if deep:
        line = text.count("\n", 0, deep.start()) + 1
        raise ReadError(str(path), line, f"not {what}: a key of more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # for invalid TOML, integers of thousands of digits, deep nesting
        raise ReadError(str(path), None, f"not {what}: {str(error)[:200]}") from error
