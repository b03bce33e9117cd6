"""Exit statuses and messages, and what goes where."""

from __future__ import annotations

import os
import stat
import sys

import pytest

import arraycoref
from arraycoref.cli import messages
from arraycoref.errors import ReadError


def test_missing_file(run, key, tmp_path):
    absent = tmp_path / "absent.conll"
    done = run("score", key, absent)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("arraycoref: error: ")
    assert str(absent) in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_broken_file_names_its_line(run, key, write):
    spoilt = write("spoilt.conll", [["(0", "-"]], names=["text/a"])
    done = run("score", key, spoilt)
    assert done.exit_code == 1
    assert f"{spoilt}:2: " in done.stderr


def test_mismatch(run, key, write):
    other = write("other.conll", [["(0)", "(0)"]], names=["elsewhere"])
    done = run("score", key, other)
    assert done.exit_code == 1
    assert "text/a_0" in done.stderr or "elsewhere_0" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["k"],
        ["k", "r", "--profile", "perl"],
        ["k", "r", "--beta", "0"],
        ["k", "r", "--threads", "-1"],
        ["k", "r", "--column", "last"],
        ["k", "r", "--format", "xml"],
        ["k", "r", "--nothing"],
        ["k", "r", "--metrics", "muc,beads"],
        ["k", "r", "--input-format", "xml"],
    ],
)
def test_bad_usage(run, key, response, arguments):
    arguments = [{"k": key, "r": response}.get(argument, argument) for argument in arguments]
    done = run("score", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Error: " in done.stderr


def test_unknown_metric_lists_the_known(run, key, response):
    done = run("score", key, response, "--metrics", "beads")
    assert "unknown metric 'beads'; expected one of: mentions, muc" in done.stderr


def test_unknown_command(run):
    assert run("scores").exit_code == 2


def test_interrupt(run, key, response, monkeypatch):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(arraycoref, "score_files", interrupt)
    done = run("score", key, response)
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "arraycoref: interrupted\n")


def test_bugs_keep_their_traceback(run, key, response, monkeypatch):
    def fail(*_arguments, **_options):
        raise ZeroDivisionError

    monkeypatch.setattr(arraycoref, "score_files", fail)
    assert isinstance(run("score", key, response).exception, ZeroDivisionError)


def test_lenient_warns_on_standard_error_only(run, key, write):
    spoilt = write("spoilt.conll", [["(0)", "(0)", "(0)", "(0)", "(0", "-"], ["(7)", "-", "(7)"]])
    assert run("score", key, spoilt).exit_code == 1
    done = run("score", key, spoilt, "--lenient", "--format", "json")
    assert done.exit_code == 0
    assert done.stdout.startswith("{")
    assert f"arraycoref: warning: {spoilt}:6: " in done.stderr
    assert run("score", key, spoilt, "--lenient", "--quiet").stderr == ""


def test_quiet_silences_warnings(capsys):
    messages.warn_of(quiet=True)(ReadError("f", 3, "odd"))
    messages.warn_of(quiet=False)(ReadError("f", 3, "odd"))
    assert capsys.readouterr().err == "arraycoref: warning: f:3: odd\n"


def test_progress_bar(monkeypatch):
    class Terminal:
        def __init__(self):
            self.text = ""

        def isatty(self):
            return True

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with messages.progress_bar(None, quiet=False) as show:
        show(1, 4)
    assert terminal.text == ""  # too early
    with messages.progress_bar(True, quiet=False) as show:
        show(1, 4)
        show(4, 4)
    assert "documents" in terminal.text
    assert "4/4" in terminal.text
    assert terminal.text.rstrip("\x1b[?25h").endswith("\n")
    for wanted, quiet in ((False, False), (True, True)):
        with messages.progress_bar(wanted, quiet) as show:
            assert show is None


def test_no_progress_bar_without_a_terminal(run, key, response):
    assert run("score", key, response).stderr == ""
    done = run("score", key, response, "--progress", "--format", "json")
    assert done.exit_code == 0
    assert done.stdout.startswith("{")


def test_output(run, key, response, tmp_path):
    target = tmp_path / "scores.json"
    done = run("score", key, response, "--format", "json", "--output", target)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert target.read_text(encoding="utf-8") == run("score", key, response, "--format", "json").stdout
    assert run("score", key, response, "--output", "-").stdout == run("score", key, response).stdout


def test_output_appears_whole_or_not_at_all(run, key, response, tmp_path, monkeypatch):
    target = tmp_path / "scores.txt"
    target.write_text("earlier\n")
    before = sorted(os.listdir(tmp_path))

    def fail(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    done = run("score", key, response, "--output", target)
    assert done.exit_code == 1
    assert done.stderr == f"arraycoref: error: {target}: No space left on device\n"
    assert target.read_text() == "earlier\n"
    assert sorted(os.listdir(tmp_path)) == before


def test_output_keeps_links_and_permissions(run, key, response, tmp_path):
    target, link = tmp_path / "scores.txt", tmp_path / "link.txt"
    target.write_text("earlier\n")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run("score", key, response, "--output", link).exit_code == 0
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_text().startswith("metric")


def test_output_that_cannot_be_written(run, key, response, tmp_path):
    done = run("score", key, response, "--output", tmp_path / "absent" / "scores.txt")
    assert done.exit_code == 1
    assert done.stderr == f"arraycoref: error: {tmp_path / 'absent' / 'scores.txt'}: No such file or directory\n"
    assert run("score", key, response, "--output", tmp_path).exit_code == 1
