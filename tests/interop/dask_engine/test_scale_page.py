"""The example of docs/scale.md runs, and prints what its comments say."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "scale.md"


@pytest.mark.skipif(not PAGE.exists(), reason="no documentation beside the tests")
def test_example(tmp_path, monkeypatch, capsys, threads):
    pytest.importorskip("pandas")
    code = next(
        c for c in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL) if "dask" in c
    )
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec"), {})
    said = re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said
    assert len(said) == 2
