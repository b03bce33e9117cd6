"""The pages of the documentation: their code runs in an empty folder, and prints what they say."""

import importlib.util
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {
    "interop.md": "pandas polars pyarrow narwhals sklearn",
    "statistics.md": "matplotlib",
    "sweeps.md": "matplotlib pandas xarray",
    "tagging.md": "",
    "tutorial.md": "matplotlib",
}
"""Pages that show what their code prints, and the modules that they need."""

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="no documentation beside the tests")


def pages():
    spec = importlib.util.spec_from_file_location("pages", DOCS / "pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path):
    for needed in PAGES[page].split():
        pytest.importorskip(needed)
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    module, n = pages(), 0
    for block, printed in module.run(DOCS / page, tmp_path):
        assert module.VERSION.sub("", printed) == module.VERSION.sub("", block.said), f"{page}:{block.line}"
        n += 1
    assert n >= 5


def test_every_page_that_shows_output_is_run():
    """Else a page's examples would rot unseen; kernels.md has a test of its own."""
    showing = {path.name for path in DOCS.glob("*.md") if "```text" in path.read_text(encoding="utf-8")}
    assert showing == set(PAGES)


def test_figures_and_links_are_there():
    import re

    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (DOCS / target).exists(), f"{page.name} points to {target}"


def test_differences_are_seen_and_written(tmp_path, capsys):
    module = pages()
    page = tmp_path / "page.md"
    page.write_text(
        "Say\n\n```python\nx = 2\nprint(x, '|v:9|')\n```\n\n```text\n2 |v:1|\n```\n\nand\n\n"
        "```python\nprint(x + 1)\n```\n\n```text\n4\n```\n\nand\n\n```sh\necho hello\n```\n\nend.\n"
    )
    assert module.main(str(page)) == 2
    assert f"{page}:14 prints\n3\n" in capsys.readouterr().out
    assert "```text\n4\n" in page.read_text()
    assert module.main(str(page), "--write") == 2
    assert module.main(str(page)) == 0
    text = page.read_text()
    assert "```text\n3\n```" in text
    assert "```sh\necho hello\n```\n\n```text\nhello\n```\n\nend." in text
    page.write_text("```python\n\nraise KeyError('mine')\n```\n")
    with pytest.raises(KeyError) as failed:
        module.main(str(page))
    assert failed.traceback[-1].lineno + 1 == 3
    page.write_text("```sh\nfalse\n```\n")
    with pytest.raises(module.subprocess.CalledProcessError):
        module.main(str(page))
