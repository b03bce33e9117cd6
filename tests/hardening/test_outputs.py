"""Files are written whole or not at all, by whatever writes them; what is no file is written to directly."""

import os
import re
import resource
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest
from processes import PACKAGE, command, environment

import arraycoref as ac
from arraycoref.cli.output import write_output
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from arraycoref.runtime import atomic_write
from arraycoref.stats.figures.style import save_figure
from arraycoref.tagging import load_weights
from arraycoref.tagging.weights import write_weights
from marks import process

pytestmark = process

KEY, RESPONSE = (PACKAGE / "data" / f"demo_{side}.conll" for side in ("key", "response"))


def figure(path):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    save_figure(Figure(), path)


WRITERS = {
    "out.txt": lambda path: write_output("text\n" * 1000, str(path)),
    "out.conll": lambda path: write_documents(read_documents(KEY), path),
    "out.jsonl.gz": lambda path: write_documents(read_documents(KEY), path),
    "out.npz": lambda path: ac.sweep([0, 0, 1], np.zeros((3, 3), int)).save(path),
    "out.svg": figure,
    "out.toml": lambda path: write_weights(load_weights("poliqarp"), path),
}
writers = pytest.mark.parametrize(("name", "write"), WRITERS.items(), ids=list(WRITERS))


@writers
def test_a_failure_leaves_everything_as_it_was(tmp_path, monkeypatch, name, write):
    target = tmp_path / name
    target.write_bytes(b"earlier")

    def fail(*_arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space") as caught:
            write(target)
    assert caught.value.filename == str(target)
    assert target.read_bytes() == b"earlier"
    assert os.listdir(tmp_path) == [name]
    write(target)
    assert target.read_bytes() != b"earlier"
    assert os.listdir(tmp_path) == [name]


@writers
def test_a_link_stays_a_link(tmp_path, name, write):
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / name
    link.symlink_to(tmp_path / name)
    (tmp_path / name).write_bytes(b"earlier")
    write(link)
    assert link.is_symlink()
    assert (tmp_path / name).read_bytes() != b"earlier"
    assert os.listdir(link.parent) == [name]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError, GeneratorExit])
def test_whatever_ends_the_writing(tmp_path, error):
    def write():
        with atomic_write(tmp_path / "out") as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        write()
    assert os.listdir(tmp_path) == []


def test_odd_names(tmp_path, monkeypatch):
    long = tmp_path / ("x" * 255)
    write_output("text", str(long))
    assert long.read_text() == "text"
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "new")
    write_output("text", str(dangling))
    assert (tmp_path / "new").read_text() == "text"
    monkeypatch.chdir(tmp_path)
    write_output("half a pair: \ud800", "here")
    assert (tmp_path / "here").read_text() == "half a pair: \\ud800"
    with pytest.raises(IsADirectoryError):
        write_output("text", str(tmp_path))


# -- processes ---------------------------------------------------------------------------------------------------------

WEIGHTS = ("tags", "weights", "--preset", "poliqarp")
"""A command that has something to say and imports little; it is written as every other's output is."""


def shell(line, **options):
    """Run a line of shell in which ``$0`` is Python."""
    options = {"capture_output": True, "text": True, "timeout": 120, "env": environment()} | options
    return subprocess.run(["sh", "-c", line, sys.executable], check=False, **options)


def test_devices_pipes_and_standard_output(tmp_path):
    """``/dev/stdout`` is what ``-`` is, though it leads to a pipe, or to a file that is being appended to."""
    show = f'"$0" -m arraycoref {" ".join(WEIGHTS)}'
    os.mkfifo(tmp_path / "fifo")
    log = tmp_path / "log"
    log.write_text("earlier\n")
    done = shell(
        f"{show} | cat && echo == && {show} --output /dev/stdout | cat && echo == &&"
        f"{{ echo first; {show} --output /dev/fd/1; echo last; }} >> {log} &&"
        f"{show} --output /dev/null && {{ cat fifo & {show} --output fifo; wait; }}",
        cwd=tmp_path,
    )
    assert done.stderr == ""
    plain, direct, fifo = done.stdout.split("==\n")
    assert plain == direct == fifo
    assert plain.startswith("source = ")
    assert log.read_text() == f"earlier\nfirst\n{plain}last\n"
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["fifo", "log"]


@pytest.mark.parametrize("arguments", [["convert", KEY, "out", "--to", "jsonlines"], [*WEIGHTS, "--output", "out"]])
def test_a_full_disk(tmp_path, arguments):
    (tmp_path / "out").write_text("earlier")
    done = command(
        *arguments,
        cwd=tmp_path,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "arraycoref: error: out: File too large\n"
    assert (tmp_path / "out").read_text() == "earlier"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_ends_while_it_writes(tmp_path, number):
    (tmp_path / "out").write_text("earlier")
    code = """
import time
from arraycoref.runtime import atomic_write
with atomic_write("out") as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(100)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == "writing\n"
    process.send_signal(number)
    process.communicate(timeout=600)
    assert process.returncode == -number
    assert (tmp_path / "out").read_text() == "earlier"
    rest = [name for name in os.listdir(tmp_path) if name != "out"]
    assert rest == [] if number == signal.SIGINT else all(name.startswith(".arraycoref-") for name in rest)


def test_a_reader_that_goes_away(tmp_path):
    """``| head -1``: no complaint, and the status of a broken pipe."""
    keys = "".join(f'{{"doc_key": "d{d}", "clusters": [[[0, 0], [1, 1]]]}}\n' for d in range(3000))
    (tmp_path / "key.jsonl").write_text(keys)
    status = '; echo "status $?" >&2; } | head -1'
    options = "--metrics muc --per-document --format csv"
    done = shell(f'{{ "$0" -u -m arraycoref score key.jsonl key.jsonl {options}{status}', cwd=tmp_path)
    assert done.stdout.startswith("document,")
    assert done.stdout.count("\n") == 1
    assert done.stderr == "status 141\n"
    done = shell(f'{{ "$0" -m arraycoref convert key.jsonl - --to jsonlines{status}', cwd=tmp_path)
    assert done.stdout.count("\n") == 1
    assert done.stderr == "status 141\n"


@pytest.mark.parametrize("number", ["99", "9" * 30, "9" * 5000])
def test_a_descriptor_that_is_not_there(number):
    done = command(*WEIGHTS, "--output", f"/dev/fd/{number}", check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch("arraycoref: error: /dev/fd/9+: [A-Z].*\n", done.stderr)


def test_no_standard_output():
    done = shell(f'"$0" -m arraycoref convert {KEY} - >&-')
    assert (done.returncode, done.stderr) == (1, "arraycoref: error: standard output is closed\n")


def test_output_is_the_same_everywhere(tmp_path):
    """Without a locale, a document's name is written as UTF-8 all the same."""
    (tmp_path / "key.jsonl").write_text('{"doc_key": "Łódź", "clusters": [[[0, 0], [1, 1]]]}\n', encoding="utf-8")
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    arguments = ("score", "key.jsonl", "key.jsonl", "--per-document", "--format", "csv")
    command(*arguments, "--output", "out", cwd=tmp_path, env=env)
    assert "Łódź" in (tmp_path / "out").read_text(encoding="utf-8")
    printed = command(*arguments, cwd=tmp_path, env=env, text=False).stdout
    assert b"\\u0141\xf3d\\u017a" in printed
