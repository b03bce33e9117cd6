"""The examples of docs/statistics.md run, and print what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


@pytest.mark.skipif(not PAGE.exists(), reason="no documentation beside the tests")
def test_examples(tmp_path, monkeypatch):
    """Each block of code is followed by its output, or prints nothing."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    found = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, flags=re.DOTALL)
    assert len(found) >= 6
    for code, expected in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue() == expected
