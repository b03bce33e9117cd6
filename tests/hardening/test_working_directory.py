"""Nothing that lies in the working directory is imported, or read as settings.

By Python's rule, ``python -m arraycoref`` looks for ``arraycoref`` itself in the working directory first, and for what
the first lines of the package import; that is not covered, unless Python is called with ``-P`` or ``-I``.
"""

import os

import pytest
from click.testing import CliRunner
from processes import KEY, RESPONSE, python

from arraycoref.cli import main
from marks import process

pytestmark = process

TRAPS = (
    *("numba", "llvmlite", "numpy", "scipy", "click", "yaml", "matplotlib", "lxml", "narwhals", "pandas"),
    *("pyarrow", "polars", "dask", "tqdm", "json", "csv", "re", "threading", "sitecustomize", "usercustomize"),
)
"""Names of modules that the commands import, or might."""
SPRUNG = 'import os\nopen(os.path.join(os.path.dirname(__file__), "sprung"), "a").write(__file__)\n'
SCRIPT = "import sys\nfrom arraycoref.__main__ import run\nsys.exit(run())\n"  # what pip makes of an entry point
WAYS = {"script": ["script"], "-m": ["-m", "arraycoref"], "-I -m": ["-I", "-m", "arraycoref"]}


@pytest.fixture
def trapped(tmp_path):
    """A working directory full of traps; return a function that runs the command there, in some way."""
    here = tmp_path / "here"
    here.mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "arraycoref").write_text(SCRIPT)
    for name in (*TRAPS, "evil"):
        (here / f"{name}.py").write_text(SPRUNG)
    (here / "evil-1.dist-info").mkdir()
    (here / "evil-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    (here / "evil-1.dist-info" / "entry_points.txt").write_text("[numba_extensions]\ninit = evil:evil\n")

    def run(way, *arguments, **options):
        if way != "-m":
            (here / "arraycoref.py").write_text(SPRUNG)
        start = [str(tmp_path / "bin" / "arraycoref") if each == "script" else each for each in WAYS[way]]
        before = sorted(os.listdir(here))
        done = python(*start, *map(str, arguments), cwd=here, **options)
        assert not (here / "sprung").exists(), (here / "sprung").read_text()
        return done, sorted(set(os.listdir(here)) - set(before))

    run.here = here
    return run


def test_the_traps_work(trapped):
    """Python with the working directory on its path falls into them."""
    python("-c", "import numba", cwd=trapped.here, check=False)
    assert str(trapped.here / "numba.py") in (trapped.here / "sprung").read_text()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("settings", [b"debug_cache: 1\ncache_dir: stolen\nboundscheck: 1\n", b"\xff\xfe\x00"])
def test_no_settings_of_numba(trapped, way, settings):
    (trapped.here / ".numba_config.yaml").write_bytes(settings)
    done, made = trapped(way, "score", KEY, RESPONSE, "--format", "csv")
    assert done.stdout.startswith("metric,")
    assert (done.stderr, made) == ("", [])


@pytest.mark.parametrize(
    "arguments",
    [
        ["sweep", KEY, RESPONSE, "--resamples", "20", "--format", "json"],
        ["convert", KEY, "out.jsonl"],
        ["tags", "weights", "--preset", "poliqarp", "--output", "out.toml"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_command_imports_from_here(trapped, arguments):
    done, made = trapped("script", *arguments)
    assert done.stderr == ""
    assert made == [each for each in arguments if str(each).startswith("out")]


def test_no_settings_of_matplotlib(trapped, tmp_path):
    """The figure is the same, byte for byte, and nothing is imported from here."""
    pytest.importorskip("matplotlib")
    runs = [tmp_path / f"lr={n}.conll" for n in (1, 2)]
    for path in runs:
        path.write_bytes(RESPONSE.read_bytes())
    arguments = ["compare", *map(str, [KEY, *runs]), "--resamples", "20", "--plot"]
    (trapped.here / "matplotlibrc").write_bytes(b"text.color: red\n")
    done, made = trapped("script", *arguments, "out.svg")
    assert (done.stderr, made) == ("", ["out.svg"])
    assert CliRunner().invoke(main, [*arguments, str(tmp_path / "plain.svg")]).exit_code == 0
    assert (trapped.here / "out.svg").read_bytes() == (tmp_path / "plain.svg").read_bytes()
