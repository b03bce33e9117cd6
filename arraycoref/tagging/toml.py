"""Read files of TOML, such as tagsets and weights, whatever is in them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from arraycoref.errors import ReadError
from arraycoref.read.sources import load_text

MOST_CHARACTERS = 1 << 19
"""No tagset and no weights come near it, and `tomllib` takes a second for each megabyte."""

MOST_PARTS = 32
_DEEP_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}""")


def load_toml(path: str | Path, what: str) -> dict[str, Any]:
    """Read a file of TOML.

    Args:
        path: the file.
        what: it should be, for messages.

    Raises:
        ReadError: the file cannot be read, is longer than `MOST_CHARACTERS`, or is no TOML; a key of more than
            `MOST_PARTS` parts, for which `tomllib` takes memory of their number squared.
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
    except (ValueError, RecursionError) as error:  # of TOML; of numbers of thousands of digits; of deep nesting
        raise ReadError(str(path), None, f"not {what}: {str(error)[:200]}") from error
