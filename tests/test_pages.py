"""The pages of the documentation: their code runs in an empty folder, and prints what they say."""

import contextlib
import functools
import gzip
import importlib.util
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

import arraycoref as ac

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {
    "agreement.md": "",
    "api.md": "",
    "breakdowns.md": "matplotlib",
    "annotation.md": "",
    "bridging.md": "",
    "ci.md": "",
    "cli.md": "",
    "coming_from.md": "sklearn",
    "conventions.md": "",
    "convert.md": "",
    "corefud.md": "",
    "errors.md": "",
    "explain.md": "",
    "files.md": "",
    "formats.md": "",
    "five_minutes.md": "",
    "index.md": "",
    "language_models.md": "",
    "long_texts.md": "",
    "interop.md": "pandas polars pyarrow narwhals",
    "metrics.md": "",
    "one-clustering.md": "pandas pyarrow",
    "options.md": "",
    "records.md": "matplotlib pandas pyarrow",
    "report.md": "",
    "reporting.md": "",
    "shared_tasks.md": "",
    "score_differs.md": "",
    "statistics.md": "matplotlib",
    "sweeps.md": "pandas",
    "tables.md": "",
    "tagging.md": "",
    "training.md": "",
    "tutorial.md": "matplotlib pandas",
    "verified.md": "",
    **{f"metrics/{path.name}": "" for path in DOCS.glob("metrics/*.md") if "```text" in path.read_text("utf-8")},
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
    assert n
    drawn = [name for _, name in module.PICTURE.findall((DOCS / page).read_text(encoding="utf-8"))]
    assert not [name for name in drawn if not (tmp_path / name).exists()], "the page's code draws no such picture"


def recipes():
    """Return the commands in each block of YAML of the page on pipelines, lines put together."""
    text = (DOCS / "ci.md").read_text(encoding="utf-8").replace("\\\n", " ")
    found = [
        re.findall(r"\barraycoref (?:check|score) .*", block) for block in re.findall(r"```yaml\n(.*?)```", text, re.S)
    ]
    assert [len(commands) for commands in found] == [3, 4]
    return found


def run_recipe(commands):
    """Run commands in this process; return statuses, and what the last of a job's summary holds."""
    from click.testing import CliRunner

    from arraycoref.cli import main

    statuses, summary = [], ""
    for command in commands:
        words, _, target = command.partition(" >> ")
        done = CliRunner().invoke(main, shlex.split(words)[1:], prog_name="arraycoref")
        statuses.append(done.exit_code)
        summary += done.stdout if target == '"$GITHUB_STEP_SUMMARY"' else ""
    return statuses, summary


def test_recipes_for_pipelines_run(tmp_path, monkeypatch):
    """As printed; and they stop where the system gets worse, or the key has a fault."""
    monkeypatch.chdir(tmp_path)
    next(pages().run(DOCS / "ci.md", tmp_path))
    (workflow, stages), statuses = recipes(), []
    for commands in (workflow, stages):
        found, summary = run_recipe(commands)
        statuses.append(found)
        assert ("<summary>30 documents</summary>" in summary) == (commands is workflow)
    assert statuses == [[0, 0, 0], [0, 0, 0, 0]]
    scored = ac.score_files("data/key.conll", "out/response.jsonl")
    assert ac.load_scores("scores.json").counts.rows.tolist() == scored.counts.rows.tolist()
    assert Path("metrics.json").stat().st_size < Path("scores.json").stat().st_size / 20
    Path("out/response.jsonl").write_bytes(gzip.decompress(Path("litbank/test/strings.jsonl.gz").read_bytes()))
    assert run_recipe(workflow)[0] == [0, 3, 0]
    assert run_recipe(stages)[0] == [0, 0, 0, 3]
    with open("data/key.conll", "a") as file:
        file.write("(0\n")
    assert run_recipe(workflow)[0] == [1, 1, 1]


def test_recipes_are_yaml():
    yaml = pytest.importorskip("yaml")
    texts = re.findall(r"```yaml\n(.*?)```", (DOCS / "ci.md").read_text(encoding="utf-8"), re.DOTALL)
    workflow, pipeline = map(yaml.safe_load, texts)
    steps = [step["run"] for step in workflow["jobs"]["score"]["steps"] if "run" in step]
    cmds = [stage["cmd"] for stage in pipeline["stages"].values()]
    cmds = [each for cmd in cmds for each in ([cmd] if isinstance(cmd, str) else cmd)]
    for commands, found in ((steps, recipes()[0]), (cmds, recipes()[1])):
        ours = [" ".join(each.replace("\\\n", " ").split()) for each in commands if each.startswith("arraycoref")]
        assert ours == [" ".join(each.split()) for each in found]
    for stage in pipeline["stages"].values():
        assert stage.keys() <= {"cmd", "deps", "outs", "metrics"}
        assert all(path in str(stage["cmd"]) for path in stage["deps"])


def test_every_page_that_shows_output_is_run():
    """Else a page's examples would rot unseen; the kernels of performance.md have a test of their own."""
    showing = {
        path.relative_to(DOCS).as_posix()
        for path in DOCS.rglob("*.md")
        if "```text" in path.read_text(encoding="utf-8")
    }
    assert showing == set(PAGES)


def test_loggers_get_floats_of_the_training_page(monkeypatch):
    """Its code for other libraries runs with stand-ins; the function for the Trainer gets what that hands on."""
    text = (DOCS / "training.md").read_text(encoding="utf-8")
    for name in ("wandb", "mlflow", "transformers"):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    names = {"ac": ac, "model": None, "dev": None, "scores": ac.score([["a", "b"], ["c"]], [["a", "b"], ["c"]])}
    exec(re.search(r"```python\n(import numpy.*?)```", text, re.S)[1], names)
    for code in re.findall(r"```py\n(.*?)```", text, re.S):
        exec(code, names)
    logged = [sys.modules["wandb"].init().log.call_args.args[0], sys.modules["mlflow"].log_metrics.call_args.args[0]]
    for values in logged:
        assert values["dev/conll_f1"] == 1
        assert {type(value) for value in values.values()} == {float}
    assert sys.modules["transformers"].Trainer.call_args.kwargs["compute_metrics"] is names["compute_metrics"]
    predictions = np.zeros((1, 4, 2))
    predictions[0, [2, 3], 1] = 1
    labels = np.array([[5, 5, 0, -100]])
    found = names["compute_metrics"](SimpleNamespace(predictions=predictions, label_ids=labels))
    assert found["conll_f1"] == 1


ROOT = DOCS.parent
PACKAGE = Path(ac.__file__).parent
"""Not always in `ROOT`: tests of a release run beside an installed package."""


@pytest.mark.parametrize(
    "page", [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md"], ids=lambda page: page.name
)
def test_links_lead_somewhere(page):
    """On a code host, which shows files as they are: to a file or folder, and to one of its headings."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "code", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([\w-]+))?\)", prose):
        inside = target.partition("arraycoref/")[2] if target.startswith("../arraycoref/") else ""
        path = PACKAGE / inside if inside else page.parent / target if target else page
        assert path.exists(), f"{page.name} points to {target}"
        assert not anchor or anchor in anchors(path), f"{page.name} points to {target}#{anchor}"


def anchors(page):
    """Return what a code host calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S), re.M)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_home_is_read_on_a_code_host_too():
    """No directive is shown as code; and it has the README's table of what to type."""
    home, readme = ((ROOT / name).read_text(encoding="utf-8") for name in ("docs/index.md", "README.md"))
    assert not re.search(r"^[`:]{3,}\{", home + readme, re.MULTILINE)
    assert re.search(r"\| I have.*?\n\n", readme, re.S)[0].replace("](docs/", "](") in home


def test_tree_of_contributing_has_every_file_and_folder():
    tree = re.search(
        r"```\narraycoref/\n(.*?)\ntests/", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
    )
    named = [line.split()[0] for line in tree[1].splitlines()]
    there = {path.name for path in PACKAGE.glob("*.py")}
    there |= {f"{path.name}/" for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert sorted(named) == sorted(there)


def test_walks_of_contributing_are_what_runs(tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## From labels")[1].split("\n## ")[0]
    assert all(found(name) for name in re.findall(r"`((?:\w+\.)+\w+)`", text) if not name.startswith("ac."))
    for mention in ("key", "response"):
        rows = ["\t".join([str(n), "w", *8 * "_"]) for n in (1, 2)]
        rows[0] = rows[0].removesuffix("_") + f"Entity=(e1--1){'(e2--1)' * (mention == 'key')}"
        (tmp_path / mention).write_text(
            "\n".join(["# newdoc id = d", "# global.Entity = eid-etype-head", *rows, "", ""])
        )
    calls = [
        lambda: ac.score_labels([0, 0, 1], [0, 1, 1])["muc"].f1,
        lambda: ac.score_files(tmp_path / "key", tmp_path / "response", matching="head", duplicates="last"),
        lambda: ac.compare(dict.fromkeys("ab", ac.score_batch([[[1, 2]], [[3]]], [[[1, 2]], [[3]]])), resamples=20),
    ]
    for walk, call in zip(text.split("\n\nWith "), calls, strict=True):
        steps = re.findall(r"^\d+\. `([\w.]+)`", walk, re.MULTILINE)
        call()  # imports and compiles
        assert [name for name in functions_called(call) if name in steps] == steps


def functions_called(call):
    """Return the names of the package's functions in the order in which they are first called."""
    ran = {}

    def note(frame, event, _argument):
        if event == "call":
            module = frame.f_globals.get("__name__", "").removeprefix("arraycoref.")
            ran.setdefault(f"{module}.{frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(ran)


def found(name):
    """Return what a dotted name below the package names."""
    parts = name.split(".")
    for n in range(len(parts) - 1, 0, -1):
        with contextlib.suppress(ModuleNotFoundError):
            return functools.reduce(getattr, parts[n:], importlib.import_module(f"arraycoref.{'.'.join(parts[:n])}"))
    raise AssertionError(f"no module in {name}")


@pytest.mark.parametrize(
    "page", ["CONTRIBUTING.md", "benchmarks/README.md", "docs/simulations.md", "docs/performance.md"]
)
def test_programs_that_pages_name_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"python -m ((?:benchmarks|tests)(?:\.\w+)?)", text))
    named |= {f"benchmarks.{name}" for name in re.findall(r"`((?:bench|simulate)_\w+|differential)`", text)}
    assert named
    for name in named:
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), name


def test_the_address_and_the_version_are_in_one_place():
    """Only pyproject.toml names the repository, once there is one; the citation has the package's version."""
    root = DOCS.parent
    paths = [*root.glob("*.md"), *root.glob("*.cff"), *DOCS.rglob("*.md"), *(root / "arraycoref").rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    assert [path for path, text in texts.items() if re.search(r"https?://\S*arraycoref", text)] == []
    assert f"\nversion: {ac.__version__}\n" in texts[root / "CITATION.cff"]


def test_table_of_metrics_is_that_of_the_registry():
    """Metrics that the page does not list yet are added by ``python docs/pages.py docs/metrics.md --write``."""
    from arraycoref.scoring.metrics.registry import DEFAULT_METRICS

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
    assert module.main(str(page), "--write") == 2
    assert module.main(str(page)) == 0
    assert "```text\n3\n```" in page.read_text()
    assert "```sh\necho hello\n```\n\n```text\nhello\n```\n\nend." in page.read_text()
    for failing in ("false\n", "arraycoref score absent absent\n"):
        page.write_text(f"```sh\n{failing}```\n")
        with pytest.raises(module.subprocess.CalledProcessError):
            module.main(str(page))
