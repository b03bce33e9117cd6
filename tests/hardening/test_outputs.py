"""Files are written whole or not at all; what is no file is written to directly; Ctrl-C ends with a line."""

import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
from processes import KEY, TIMEOUT, command, environment

import arraycoref as ac
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from arraycoref.runtime import write_text
from marks import process

pytestmark = [process, pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")]

WRITERS = {
    "out.txt": lambda path: write_text("text\n" * 1000, path),
    "out.jsonl.gz": lambda path: write_documents(read_documents(KEY), path),
    "out.npz": lambda path: ac.sweep([0, 0, 1], np.zeros((3, 3), int)).save(path),
}


@pytest.mark.parametrize(("name", "write"), WRITERS.items(), ids=list(WRITERS))
def test_a_failure_leaves_everything_as_it_was(tmp_path, monkeypatch, name, write):
    (tmp_path / "links").mkdir()
    target, link = tmp_path / name, tmp_path / "links" / name
    link.symlink_to(target)
    target.write_bytes(b"earlier")

    def fail(*_arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space"):
            write(link)
    assert target.read_bytes() == b"earlier"
    write(link)
    assert target.read_bytes() != b"earlier"
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == sorted([name, "links"])
    assert os.listdir(link.parent) == [name]


WEIGHTS = ("tags", "weights", "--preset", "poliqarp")
"""A command that has something to say and imports little; it is written as every other's output is."""


def shell(line, **options):
    """Run a line of shell in which ``$0`` is Python."""
    options = {"capture_output": True, "text": True, "timeout": TIMEOUT, "env": environment()} | options
    return subprocess.run(["sh", "-c", line, sys.executable], check=False, **options)


def test_devices_pipes_and_standard_output(tmp_path):
    show = f'"$0" -m arraycoref {" ".join(WEIGHTS)}'
    os.mkfifo(tmp_path / "fifo")
    line = f"{show} | cat && echo == && {show} --output /dev/stdout && echo == && {show} --output /dev/null &&"
    done = shell(f"{line} {{ cat fifo & {show} --output fifo; wait; }}", cwd=tmp_path)
    assert done.stderr == ""
    plain, direct, fifo = done.stdout.split("==\n")
    assert plain == direct == fifo
    assert plain.startswith("source = ")
    assert os.listdir(tmp_path) == ["fifo"]


def test_a_full_disk(tmp_path):
    (tmp_path / "out").write_text("earlier")
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))}
    env = {"PYTHONDONTWRITEBYTECODE": "1"}  # whose files would be cut short too
    done = command("convert", KEY, "out", "--to", "jsonlines", cwd=tmp_path, check=False, env=env, **limit)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "arraycoref: error: out: File too large\n")
    assert (tmp_path / "out").read_text() == "earlier"
    assert os.listdir(tmp_path) == ["out"]


def test_a_reader_that_goes_away(tmp_path):
    """``| head -1``: no complaint, and the status of a broken pipe."""
    keys = "".join(
        f'{{"doc_key": "d{d}", "clusters": [[[0, 0], [1, 1]]]}}\n' for d in range(20_000)
    )  # more than a pipe holds
    (tmp_path / "key.jsonl").write_text(keys)
    for arguments in ("score key.jsonl key.jsonl --metrics muc --per-document --format csv", "convert key.jsonl -"):
        done = shell(f'{{ "$0" -m arraycoref {arguments}; echo "status $?" >&2; }} | head -1', cwd=tmp_path)
        assert done.stdout.count("\n") == 1
        assert done.stderr == "status 141\n"


def test_an_interrupt_while_it_reads():
    line = [sys.executable, "-m", "arraycoref", "score", str(KEY), "-"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(line, text=True, env=environment(), **pipes)
    process.stdin.write("#begin document (x);\n" + "\n" * 200_000)  # more than a pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, output, errors) == (130, "", "arraycoref: interrupted\n")


def test_output_is_the_same_everywhere(tmp_path):
    """Without a locale, a document's name is written as UTF-8 all the same."""
    (tmp_path / "key.jsonl").write_text('{"doc_key": "Łódź", "clusters": [[[0, 0], [1, 1]]]}\n', encoding="utf-8")
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    arguments = ("score", "key.jsonl", "key.jsonl", "--per-document", "--format", "csv")
    command(*arguments, "--output", "out", cwd=tmp_path, env=env)
    assert "Łódź" in (tmp_path / "out").read_text(encoding="utf-8")
    printed = command(*arguments, cwd=tmp_path, env=env, text=False).stdout
    assert b"\\u0141\xf3d\\u017a" in printed
