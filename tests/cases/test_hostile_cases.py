"""Files and environments that take a program down: each run ends with a score or a message, in time and memory.

Each has a process of its own, with some twenty times the time and memory that a linear program needs.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from hardening.processes import environment
from marks import cases, process, slow

pytestmark = [process, pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")]

FOLDER = Path(__file__).parent / "hostile"
SECONDS, BYTES = 20, 4 << 30
NEW = "# newdoc id = x\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n"


def row(i, entity="_", head=0, deps="_"):
    return f"{i}\tw\t_\tNOUN\t_\t_\t{head}\t_\t{deps}\t{entity if entity == '_' else 'Entity=' + entity}\n"


@pytest.fixture
def start(tmp_path):
    """Run Python in an empty folder; the arguments are those of ``python``."""

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

    def started(*arguments, seconds=SECONDS, memory=True, **changes):
        line = [sys.executable, *map(str, arguments)]
        options = {"env": environment(**changes), "preexec_fn": limited if memory else None}
        return subprocess.run(
            line, capture_output=True, text=True, timeout=seconds, cwd=tmp_path, check=False, **options
        )

    return started


@pytest.fixture
def ends(start):
    """Run ``arraycoref``, which ends in time, and without a traceback."""

    def command(*arguments, **options):
        done = start("-m", "arraycoref", *arguments, **options)
        assert done.returncode in (0, 1, 2), done.stderr[-300:]
        assert "Traceback" not in done.stderr, done.stderr[-300:]
        return done

    return command


LARGE = {
    "objects in one line": "".join(json.dumps({"doc_key": str(i), "clusters": [[[0, 1]]]}) for i in range(40_000)),
    "blanks in a name": f"# newdoc id = x\n# sent_id = a{' ' * 300_000}b\n{row(1)}\n",
    "blanks in fields": f"# newdoc id = x\n# global.Entity = eid-x{' ' * 300_000}b\n{row(1)}\n",
    "nested": NEW + "".join(row(i, "(e" if i <= 16_000 else "e)") for i in range(1, 32_001)) + "\n",
    "zeros of one parent": NEW
    + row(1)
    + "".join(row(f"1.{k}", f"(e{k % 9})", deps="1:a") for k in range(1, 700))
    + "\n",
    "mentions of one entity": NEW + "".join(row(i, "(e)") for i in range(1, 60_000)) + "\n",
    "one mention in many entities": json.dumps({"doc_key": "d", "clusters": [[[0, 1]]] * 40_000}),
    "many mentions in two entities": json.dumps({"doc_key": "d", "clusters": [[[i, i] for i in range(20_000)]] * 2}),
    "mentions in each other": json.dumps(
        {"doc_key": "d", "sentences": [["w"] * 64_000], "clusters": [[[i, 63_999 - i] for i in range(32_000)]]}
    ),
    "an entity of all mentions": json.dumps(
        {"doc_key": "d", "sentences": [["w"] * 12_000], "clusters": [[[i, i] for i in range(12_000)]]}
    ),
}
"""Files whose reading, checking or scoring took time or memory that grows with the square of their size."""

COMMANDS = {
    "check {}": ["objects in one line", "blanks in a name", "blanks in fields", "mentions of one entity"],
    "score {} {} --metrics muc": ["nested"],
    "score {} {} --profile corefud": ["zeros of one parent"],
    "score {} {} --profile paper --duplicates both": ["one mention in many entities"],
    "score {} {} --profile conll --duplicates both": ["many mentions in two entities"],
    "convert {} out.txt --to xml-text": ["mentions in each other"],
    "convert {} out.txt --to markdown": ["mentions in each other"],
    "errors {} {} --list entities": ["mentions in each other"],
    "report {} {} --output out.html": ["mentions in each other"],
    "explain bcub {} {}": ["an entity of all mentions"],
    "explain ceafe {} {}": ["an entity of all mentions"],
}


@slow
@pytest.mark.parametrize(("line", "name"), [(line, name) for line, names in COMMANDS.items() for name in names])
def test_time_and_memory_are_linear(tmp_path, ends, line, name):
    path = tmp_path / ("a.jsonl" if LARGE[name].startswith("{") else "a.conllu")
    path.write_text(LARGE[name])
    ends(*line.format(path, path).split())


@slow
def test_a_parquet_file_that_unpacks_to_gigabytes(tmp_path, ends):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    text = [{"tokens": [{"text": "x" * 1_000_000}]}]
    one = arrow.Table.from_pylist([{"id": "d", "sentences": text, "coref_chains": [[[0, 0, 0]]]}])
    names = arrow.array([f"d{i}" for i in range(4000)])
    rows = arrow.concat_tables([one] * 4000).set_column(0, "id", names)
    parquet.write_table(rows, tmp_path / "a.parquet", compression="zstd")
    assert "--max-bytes" in ends("score", *[tmp_path / "a.parquet"] * 2, seconds=60).stderr


@cases("files", ["key.conllu long-span.jsonl", "long-head.conllu response.jsonl"])
def test_numbers_that_no_text_has(ends, files):
    ends("score", *(FOLDER / name for name in files.split()), "--matching", "head", "--heads", "key-tree")


def test_ids_that_end_in_a_letter(ends):
    """In the format conll, ``1`` and ``1a`` are two entities."""
    files = (FOLDER / f"craft-ids.{side}.conll" for side in ("key", "response"))
    assert ends("score", *files, "--input-format", "conll", "--bare", "conll").stdout.strip() == "100.00"


def scoring(size):
    """Return code that scores labels as many times as numba is loaded for."""
    return (
        "import numpy as np, arraycoref as ac\n"
        f"random = np.random.default_rng(0); k = np.repeat(np.arange({size} // 4), 4)\n"
        f"s = np.where(random.random({size}) < 0.8, k, random.integers(0, {size} // 4, {size}))\n"
        "for _ in range(60): scores = ac.score_labels(k, s)\n"
    )


@cases("least,options", {"same": (0, {}), "restricted": (-1, {"restrict": "shared"}), "twinless": (-1, {})})
def test_engines_agree_to_the_bit(start, least, options):
    """Sums of logarithms and of fractions, in whichever order the cells and entities of a large document are."""
    metrics = ["bcub-0", "bcub-all", "bcub-sys"] + ["vmeasure"] * (least == 0 or bool(options))
    code = (
        f"import numpy as np, arraycoref as ac; k, s = np.random.default_rng(0).integers({least}, 300, (2, 1 << 17))\n"
        "for engine in ('numpy', 'numba'):\n"
        f"    print(ac.score_labels(k, s, metrics={metrics}, engine=engine, **{options}).counts.rows.tolist())"
    )
    one, other = start("-c", code, seconds=120).stdout.splitlines()
    assert one == other


@cases("error", ["ImportError", "AttributeError"])
def test_a_numba_that_cannot_be_imported(tmp_path, start, error):
    """As after every release of NumPy; a warning says so."""
    (tmp_path / "numba.py").write_text(f'raise {error}("Numba needs NumPy 2.4 or less. Got NumPy 2.5.")\n')
    changes = {"PYTHONPATH": f"{tmp_path}:{environment()['PYTHONPATH']}", "ARRAYCOREF_ENGINE": None}
    done = start("-W", "always", "-c", scoring(20_000), **changes)
    assert done.returncode == 0, done.stderr[-300:]
    assert done.stderr.count("Numba needs NumPy 2.4") == 1


@slow
def test_an_interrupt_while_numba_is_imported(start):
    """A session that goes on can score."""
    code = (
        "import os, signal, sys, threading, numpy as np, arraycoref as ac\n"
        "k = np.arange(2000) % 200; ac.score_labels(k, k, engine='numpy')\n"
        "threading.Timer(float(sys.argv[1]), lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    [ac.score_labels(k, k, engine='numba') for _ in range(3000)]\nexcept KeyboardInterrupt:\n    pass\n"
        "print(ac.score_labels(k, k, engine='numba')['muc'].f1)\n"
    )
    for milliseconds in range(20, 80, 10):
        done = start("-c", code, milliseconds / 1000, seconds=120)
        assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr[-300:]


@slow
def test_a_fork_while_numba_is_imported(start):
    """The child waits for no thread that it lacks."""
    code = (
        "import os, sys, threading, time, numpy as np, arraycoref as ac\n"
        "k = np.arange(2000) % 200; ac.score_labels(k, k, engine='numpy')\n"
        "thread = threading.Thread(target=lambda: ac.score_labels(k, k, engine='numba')); thread.start()\n"
        "time.sleep(float(sys.argv[1])); child = os.fork()\n"
        "if not child:\n    os._exit(round(ac.score_labels(k, k, engine='numba')['muc'].f1 * 7))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])); thread.join()\n"
    )
    for milliseconds in (20, 100, 200, 300):
        done = start("-W", "ignore", "-c", code, milliseconds / 1000, seconds=120, memory=False)
        assert done.stdout == "7\n", done.stderr[-300:]


@slow
def test_machine_code_that_cannot_be_read(tmp_path, start):
    """Damaged, or of another processor or user: then NumPy scores until compiling would be worth it."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "seconds": 120, "memory": False}
    assert start("-c", scoring(20_000), ARRAYCOREF_ENGINE="numba", **cache).returncode == 0
    for path in (tmp_path / "cache").rglob("*.nbc"):
        path.write_bytes(b"")
    code = "from numba.core import event\nwith event.install_recorder('numba:compile') as seen:\n    exec(%r)\n"
    done = start("-c", code % scoring(20_000) + "print(len(seen.buffer))", ARRAYCOREF_ENGINE=None, **cache)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr[-300:]


def test_an_engine_in_the_environment(ends):
    key = FOLDER / "key.conllu"
    assert "ARRAYCOREF_ENGINE" in ends("score", key, key, ARRAYCOREF_ENGINE="foo").stderr


def test_the_footer_shows_frames(ends):
    files = [FOLDER / f"frame.{side}.rttm" for side in ("key", "response")]
    one, other = (ends("score", *files, "--frame", frame).stdout.splitlines() for frame in (0.01, 0.5))
    assert one[2:-2] != other[2:-2]
    assert one[-2:] != other[-2:]


def test_the_footer_of_a_sweep(ends):
    runs = [f"a={FOLDER / 'key.conllu'}", f"b={FOLDER / 'long-head.conllu'}"]
    shown = ends("sweep", FOLDER / "key.conllu", *runs, "--seed", 7, "--resamples", 300).stdout
    assert "seed 7" in shown
    assert "300 resamples" in shown
