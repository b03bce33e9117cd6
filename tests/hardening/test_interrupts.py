"""Ctrl-C, for real: a line on standard error, status 130, no traceback, and no half file."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from processes import PACKAGE, TIMEOUT, command, environment, start

from marks import process, slow

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


def run(code):
    """Start a process that takes Ctrl-C as the command does, and prints a line when it may come."""
    head = "import signal, sys\nfrom arraycoref.interrupt import Interrupts\nInterrupts().install()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", head + code],
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == "ready\n"
    return process


def test_compiled_code_that_does_not_return():
    """Python would notice when it is over, in some minutes."""
    code = "import hashlib\nprint('ready', flush=True)\nhashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"
    process = run(code)
    process.send_signal(signal.SIGINT)
    ends(process)


def test_a_second_one_ends_what_takes_its_time(tmp_path):
    code = f"""
import time
from arraycoref.saving import atomic_write
try:
    print("ready", flush=True)
    time.sleep(100)
finally:
    with atomic_write({str(tmp_path / "out")!r}) as file:
        file.write(b"half")
        print("cleaning up", flush=True)
        time.sleep(100)
"""
    process = run(code)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "cleaning up\n"
    process.send_signal(signal.SIGINT)
    ends(process)
    assert os.listdir(tmp_path) == []


def test_where_python_can_only_ignore_it():
    code = """
class Thing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
print("ready", flush=True)
del (Thing(),)[0:0], Thing
import time
time.sleep(100)
"""
    process = run(code.replace("del (Thing(),)[0:0], Thing\n", "Thing()\n"))
    ends(process)


def test_an_object_half_made_says_nothing():
    """As those of other libraries do, which close in ``__del__`` what they never opened."""
    code = """
class Thing:
    def __init__(self):
        print("ready", flush=True)
        signal.pause()
        self.open = True
    def __del__(self):
        self.open
Thing()
"""
    process = run(code)
    process.send_signal(signal.SIGINT)
    ends(process)


def test_another_handler_is_left_alone():
    """``nohup`` and scripts that ignore the signal for their children mean it."""
    line = f'trap "" INT; echo ready; "$0" -m arraycoref score {KEY} {RESPONSE} --format csv & wait $!'
    process = subprocess.Popen(
        ["sh", "-c", line, sys.executable],
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert os.read(process.stdout.fileno(), 6) == b"ready\n"  # and no further, into a buffer
    time.sleep(0.5)  # until it may have installed a handler of its own
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, errors) == (0, "")
    assert output.startswith("metric,")


def test_a_sweep_keeps_what_it_has(tmp_path):
    """The settings scored before are in the file, and it goes on from there."""
    import arraycoref as ac

    code = f"""
import arraycoref as ac
def responses():
    for s in range(3000):
        if s == 2500:
            print("ready", flush=True)
            import time
            time.sleep(100)
        yield [0, 0, s]
ac.sweep([0, 0, 1], responses(), checkpoint={str(tmp_path / "s.npz")!r})
"""
    process = run(code)
    process.send_signal(signal.SIGINT)
    ends(process)
    kept = ac.load_sweep(tmp_path / "s.npz")
    assert 0 < len(kept) <= 2500
    assert kept[1]["muc"].recall == 1.0
    assert os.listdir(tmp_path) == ["s.npz"]


@slow
def test_at_any_time(tmp_path):
    """Forty runs, each interrupted somewhere between the start of the command and its end."""
    rng = random.Random(0)
    text = "".join(f"#begin document (d{d});\nx\t(0)\ny\t(0)\n#end document\n" for d in range(4000))
    (tmp_path / "key.conll").write_text(text)
    arguments = (
        "score",
        tmp_path / "key.conll",
        tmp_path / "key.conll",
        "--per-document",
        "--format",
        "json",
        "--output",
        tmp_path / "out",
        "--threads",
        2,
    )
    code = f"import sys; from arraycoref.__main__ import run; sys.argv[1:] = {list(map(str, arguments))}; "
    began = time.monotonic()
    command(*arguments)
    length = time.monotonic() - began
    whole = (tmp_path / "out").read_bytes()
    statuses = set()
    for _ in range(40):
        (tmp_path / "out").write_bytes(b"earlier")
        process = subprocess.Popen(
            [sys.executable, "-c", code + "print('ready', flush=True); run()"],
            env=environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout.readline() == "ready\n"  # until then, Python itself prints a traceback
        time.sleep(0.01 + rng.random() * length)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIMEOUT)
        statuses.add(process.returncode)
        killed = (-signal.SIGINT, "")  # in the first moment, or the last
        assert (process.returncode, errors) in [(130, MESSAGE), (0, ""), killed]
        assert (tmp_path / "out").read_bytes() in (b"earlier", whole)
        assert sorted(os.listdir(tmp_path)) == ["key.conll", "out"]
    assert 130 in statuses
