"""Nothing that lies in the working directory is imported, or read as settings; and no process is left behind.

By Python's rule, ``python -m arraycoref`` looks for ``arraycoref`` itself in the working directory first, and for what
the first lines of the package import; that is not covered, unless Python is called with ``-P`` or ``-I``.
"""

import os
import signal
import sys
import time

import pytest
from click.testing import CliRunner
from processes import PACKAGE, SCORE, TIMEOUT, environment, expected, python, start

from arraycoref.cli import main
from marks import process, slow

pytestmark = process

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")

KEY, RESPONSE = (PACKAGE / "data" / f"demo_{side}.conll" for side in ("key", "response"))
TRAPS = (
    *("numba", "llvmlite", "numpy", "scipy", "click", "tabulate", "yaml", "matplotlib", "lxml", "narwhals", "pandas"),
    *("pyarrow", "polars", "dask", "signal", "json", "csv", "re", "threading", "sitecustomize", "usercustomize"),
)
"""Names of modules that the commands import, or might."""
SPRUNG = 'import os\nopen(os.path.join(os.path.dirname(__file__), "sprung"), "a").write(__file__)\n'
SCRIPT = "import sys\nfrom arraycoref.__main__ import run\nsys.exit(run())\n"  # what pip makes of an entry point

WAYS = {
    "script": ["script"],
    "-m": ["-m", "arraycoref"],
    "-P -m": ["-P", "-m", "arraycoref"],
    "-I -m": ["-I", "-m", "arraycoref"],
}


@pytest.fixture
def trapped(tmp_path, request):
    """A working directory full of traps; return a function that runs the command there, in some way."""
    here = tmp_path / "here"
    here.mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "arraycoref").write_text(SCRIPT)
    for name in TRAPS:
        (here / f"{name}.py").write_text(SPRUNG)
    (here / "evil.py").write_text(SPRUNG)
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


NUMBA = {
    "settings": "debug_cache: 1\ncache_dir: stolen\nboundscheck: 1\n",
    "what is no mapping": "- 1\n",
    "what is no YAML": "{{{",
    "what is no text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize(
    ("way", "settings"),
    [
        ("script", "settings"),
        ("-m", None),
        ("-I -m", "what is no text"),
        *(pytest.param("-I -m", name, marks=slow) for name in list(NUMBA)[1:-1]),
        pytest.param("-P -m", None, marks=slow),
    ],
)
def test_no_module_is_imported_and_no_settings_of_numba_are_read(trapped, way, settings):
    if settings:
        content = NUMBA[settings]
        (trapped.here / ".numba_config.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
    done, made = trapped(way, "score", KEY, RESPONSE, "--format", "csv")
    assert done.stdout.startswith("metric,")
    assert (done.stderr, made) == ("", [])


COMMANDS = {
    "sweep": ["sweep", KEY, RESPONSE, "--resamples", "20", "--format", "json", "--save", "out.npz"],
    "convert": ["convert", KEY, "out.jsonl"],
    "weights": ["tags", "weights", "--preset", "poliqarp", "--output", "out.toml"],
    "help": ["score", "--help"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_imports_from_here(trapped, name):
    """Nor does ``compare``, which `test_no_settings_of_matplotlib` runs."""
    done, made = trapped("script", *COMMANDS[name])
    assert done.stderr == ""
    assert made == [each for each in COMMANDS[name] if str(each).startswith("out")]


def test_the_traps_work(trapped):
    """Python with the working directory on its path falls into them."""
    python("-c", "import numba", cwd=trapped.here, check=False)
    assert str(trapped.here / "numba.py") in (trapped.here / "sprung").read_text()


@slow
def test_no_settings_of_numba_when_it_compiles(trapped, tmp_path):
    (trapped.here / ".numba_config.yaml").write_text(NUMBA["settings"])
    env = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
    done, made = trapped("-m", "convert", KEY, "-", "--to", "jsonlines", env=env)
    assert done.stdout.startswith("{")
    assert (done.stderr, made) == ("", [])
    assert any((tmp_path / "cache").rglob("*.nbc"))


@slow
def test_settings_of_the_environment_hold(trapped, tmp_path):
    """Numba says what it loads from its cache, and where that is, as the environment asks."""
    (trapped.here / ".numba_config.yaml").write_text("debug_cache: 0\n")
    env = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DEBUG_CACHE": "1", "NUMBA_DISABLE_JIT": "0"}
    done, _ = trapped("script", "convert", KEY, "-", "--to", "jsonlines", env=env)
    assert "[cache] data saved to" in done.stdout


@pytest.mark.parametrize("content", [b"text.color: red\n", pytest.param(b"\xff\xfe\x00", marks=slow)])
@pytest.mark.parametrize("command", ["compare", pytest.param("sweep", marks=slow)])
def test_no_settings_of_matplotlib(trapped, tmp_path, command, content):
    """The figure is the same, byte for byte, and nothing is imported from here."""
    pytest.importorskip("matplotlib")
    runs = [tmp_path / f"lr={n}.conll" for n in (1, 2)]
    for path in runs:
        path.write_bytes(RESPONSE.read_bytes())
    arguments = [command, *map(str, [KEY, *runs]), "--resamples", "20", "--plot"]
    (trapped.here / "matplotlibrc").write_bytes(content)
    done, made = trapped("script", *arguments, "out.svg")
    assert (done.stderr, made) == ("", ["out.svg"])
    assert CliRunner().invoke(main, [*arguments, str(tmp_path / "plain.svg")]).exit_code == 0
    assert (trapped.here / "out.svg").read_bytes() == (tmp_path / "plain.svg").read_bytes()


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=slow)])
def test_a_first_run_leaves_no_process(tmp_path, number):
    """It compiles in its own process, and ends with it."""
    if not os.path.exists("/proc/self/task"):
        pytest.skip("children are found in /proc")
    (tmp_path / "key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [1, 1]]]}\n')
    process = start(
        *("score", tmp_path / "key.jsonl", tmp_path / "key.jsonl"),  # the first kernel for these compiles fast
        env=environment(NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="0"),
        start_new_session=True,
    )
    until = time.monotonic() + TIMEOUT
    while not any(tmp_path.rglob("*.nbc")):  # it is compiling the second kernel
        assert process.poll() is None
        assert time.monotonic() < until
        assert children(process.pid) == []
        time.sleep(0.05)
    process.send_signal(number)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, output, errors) == (-number, "", "")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += file.read().split()
        except FileNotFoundError:  # a thread that has ended, or a system that does not list them
            continue
    return found


def test_the_library_in_a_directory_of_traps(tmp_path):
    """A script elsewhere imports from its own directory, as Python has it, not from the working directory."""
    for name in TRAPS:
        (tmp_path / f"{name}.py").write_text(SPRUNG)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "score.py").write_text(SCORE)
    assert python(str(tmp_path / "scripts" / "score.py"), cwd=tmp_path).stdout == expected()
    assert not (tmp_path / "sprung").exists()
