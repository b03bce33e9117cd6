"""The pages of the documentation: their code runs in an empty folder, and prints what they say."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {
    "files.md": "",
    "interop.md": "pandas polars pyarrow narwhals sklearn",
    "metrics.md": "",
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
    assert n >= 2


def test_every_page_that_shows_output_is_run():
    """Else a page's examples would rot unseen; kernels.md has a test of its own."""
    showing = {path.name for path in DOCS.glob("*.md") if "```text" in path.read_text(encoding="utf-8")}
    assert showing == set(PAGES)


ROOT = DOCS.parent


@pytest.mark.parametrize(
    "page", [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md"], ids=lambda page: page.name
)
def test_figures_and_links_are_there(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} points to {target}"


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "benchmarks/README.md", "docs/statistics.md", "docs/scale.md"])
def test_programs_that_pages_name_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"python -m ((?:benchmarks|tests)(?:\.\w+)?)", text))
    named |= {f"benchmarks.{name}" for name in re.findall(r"`((?:bench|simulate)_\w+)(?:\.py)?`", text)}
    assert named
    for name in named:
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), name


def test_table_of_metrics_is_that_of_the_registry():
    """Metrics that the page does not list yet are added by ``python docs/pages.py docs/metrics.md --write``."""
    from arraycoref.metrics import DEFAULT_METRICS

    module = pages()
    listed = module.TABLE.search((DOCS / "metrics.md").read_text(encoding="utf-8"))[0].splitlines()
    assert set(listed) <= set(module.metrics_table().splitlines())
    assert [row.split("`")[1] for row in listed[2:]][: len(DEFAULT_METRICS)] == list(DEFAULT_METRICS)


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
    page.write_text("<!-- begin metrics -->\nold\n<!-- end metrics -->\n")
    assert module.main(str(page), "--write") == 1
    assert "| `muc` | MUC |" in page.read_text()
    assert module.main(str(page)) == 0
    assert "```text\n3\n```" in text
    assert "```sh\necho hello\n```\n\n```text\nhello\n```\n\nend." in text
    page.write_text("```python\n\nraise KeyError('mine')\n```\n")
    with pytest.raises(KeyError) as failed:
        module.main(str(page))
    assert failed.traceback[-1].lineno + 1 == 3
    page.write_text("```sh\nfalse\n```\n")
    with pytest.raises(module.subprocess.CalledProcessError):
        module.main(str(page))
