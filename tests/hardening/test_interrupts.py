"""Ctrl-C, for real: a line on standard error, status 130, no traceback, and no half file."""

import os
import signal
import subprocess
import sys

import pytest
from processes import PACKAGE, TIMEOUT, start

from marks import process

pytestmark = [process, pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")]

KEY, RESPONSE = (PACKAGE / "data" / f"demo_{side}.conll" for side in ("key", "response"))
MESSAGE = "arraycoref: interrupted\n"


def ends(process):
    """Wait for the end, and hold it against what is promised."""
    output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, errors) == (130, MESSAGE)
    return output


def test_while_it_reads():
    process = start("score", KEY, "-", stdin=subprocess.PIPE)
    process.stdin.write("#begin document (x);\n" + "\n" * 200_000)  # more than a pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert ends(process) == ""


def test_while_it_writes(tmp_path):
    """Into a pipe that nobody empties."""
    text = "".join(f"#begin document (d{d});\nx\t(0)\ny\t(0)\n#end document\n" for d in range(3000))
    (tmp_path / "key.conll").write_text(text)
    process = start("convert", tmp_path / "key.conll", "-")
    assert os.read(process.stdout.fileno(), 1) == b"#"
    process.send_signal(signal.SIGINT)
    assert text.startswith("#" + ends(process)[:20])
