"""Exit statuses and messages, and what goes where."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import arraycoref
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


def test_what_looks_like_an_option_in_a_path_or_setting_stays(run, key, write, tmp_path):
    for name in ("seed=3", "lr=0.1,seed=3", "lr 0.1 seed=3"):
        (tmp_path / name).mkdir()
        spoilt = write(f"{name}/out.conll", [["(0", "-"]], names=["text/a"])
        assert f"arraycoref: error: {spoilt}:2: " in run("sweep", key, spoilt).stderr
    twice = run("compare", key, f"x1={key}", f"y1={key}", "--group", r"(?P<seed>\d)")
    assert "two runs are named seed=1; expected each once" in twice.stderr


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
        ["k", "r", "--beta", "inf"],
        ["k", "r", "--beta", "nan"],
        ["k", "r", "--beta", "1e200"],
        ["k", "r", "--column", "0"],
        ["k", "r", "--column", "99999999999999"],
        ["k", "r", "--metrics", ""],
        ["k", "r", "--metrics", ", ,"],
        ["-", "-"],
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


def test_messages_name_options_as_they_are_typed(run, key, response, write):
    """In Python the same errors name arguments."""
    other = write("other.conll", [["(0)"], ["(0)"], ["(0)"]], names=["text/a", "text/a", "b"])
    twice = write("twice.conll", [["(0)|(1)", "(1)"]], names=["text/a"])
    for command in ("score", "compare", "sweep"):
        for options, message in (
            (["--threads", "-1"], "Error: --threads is -1; expected 1 or more, or 0 for one per core"),
            (["--column", "0"], "Error: --column is 0; expected 1, 2, ..."),
            (["--beta", "0"], "Error: --beta is 0.0; expected a positive number"),
            (["--max-bytes", "0"], "Error: --max-bytes is 0; expected a number of bytes"),
            (["--input-format", "xml"], "Error: unknown --input-format 'xml'; expected one of: conll, jsonlines"),
        ):
            done = run(command, key, response, *options)
            assert (done.exit_code, done.stdout) == (2, "")
            assert f"Usage: arraycoref {command} [OPTIONS] KEY" in done.stderr
            assert message in done.stderr
        done = run(command, other, key)
        assert "; --missing-documents 'empty' scores them as empty responses, 'skip' leaves them out\n" in done.stderr
        assert "; --extra-documents 'ignore' leaves them out\n" in run(command, key, other).stderr
        assert ". --duplicates 'first', 'last' or 'drop' keeps it in one" in run(command, twice, twice).stderr
    with pytest.raises(ReadError, match="max_bytes=N or ARRAYCOREF_MAX_BYTES sets another limit"):
        arraycoref.score_files(key, response, max_bytes=1)
    assert "--max-bytes N or ARRAYCOREF" in run("convert", key, "-", "--max-bytes", 1).stderr
    assert "unknown --from 'xml'; expected one of" in run("convert", key, "-", "--from", "xml").stderr
    assert "unknown --key-format 'xml'; expected one" in run("score", key, key, "--key-format", "xml").stderr
    assert "--threads is -1; expected 1 or more" in run("tags", "score", key, key, "--threads", "-1").stderr
    assert "or --input-format NAME" in run("tags", "score", __file__, __file__).stderr


def test_messages_keep_what_is_no_option(run, key, write):
    """Names of documents may look like anything."""
    other = write("o.conll", [["(0)"]], names=["threads is 'skip'"])
    assert (
        "the response lacks 1 of 1 documents (\"threads is 'skip'_0\") of the key;" in run("score", other, key).stderr
    )


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


def test_output_keeps_links(run, key, response, tmp_path):
    target, link = tmp_path / "scores.txt", tmp_path / "link.txt"
    target.write_text("earlier\n")
    link.symlink_to(target)
    assert run("score", key, response, "--output", link).exit_code == 0
    assert link.is_symlink()
    assert target.read_text().startswith("metric")


def test_output_that_cannot_be_written(run, key, response, tmp_path):
    done = run("score", key, response, "--output", tmp_path / "absent" / "scores.txt")
    assert done.exit_code == 1
    assert done.stderr == f"arraycoref: error: {tmp_path / 'absent' / 'scores.txt'}: No such file or directory\n"
    assert run("score", key, response, "--output", tmp_path).exit_code == 2


def test_no_document_in_common(run, key, write):
    other = write("other.conll", [["(0)", "(0)"]], names=["elsewhere"])
    done = run("score", key, other, "--missing-documents", "skip", "--extra-documents", "ignore")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "none of the key's 2 documents is among the response's 1" in done.stderr


def process(*arguments, **options):
    """Run the command as a process, with its streams as they are given."""
    command = [sys.executable, "-m", "arraycoref", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)


@pytest.mark.skipif(os.name == "nt", reason="streams are not closed so")
def test_standard_error_may_be_closed(key, response):
    command = [sys.executable, "-m", "arraycoref", "score", key, response, "--metrics", "muc"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, preexec_fn=lambda: os.close(2))
    assert "muc" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["score", "--help"], ["demo"]])
def test_a_full_disk(arguments):
    with open("/dev/full", "w") as full:
        done = process(*arguments, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "arraycoref: error: No space left on device\n"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["score", "--help"]])
def test_a_pipe_that_nobody_reads(arguments):
    read, written = os.pipe()
    os.close(read)
    try:
        done = process(*arguments, stdout=written)
    finally:
        os.close(written)
    assert (done.returncode, done.stderr) == (141, "")


def test_names_cannot_steer_the_terminal(run, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"doc_key": "\\u001b[31mred\\n", "clusters": [[[0, 0], [1, 1]]]}')
    for output_format in ("table", "markdown", "latex", "conll"):
        done = run("score", path, path, "--per-document", "--format", output_format)
        assert done.exit_code == 0
        assert "\x1b" not in done.stdout
        assert "[31mred" in done.stdout
        assert "red\n" not in done.stdout


def test_convert_refuses_suffixes_of_something_else(run, key, tmp_path):
    for name in ("x.parquet", "x.tgz", "x.csv", "x.conllu.gz", "x.tsv", "x.entities", "x.rttm.gz"):
        done = run("convert", key, tmp_path / name)
        assert done.exit_code == 2
        assert "is neither CoNLL nor JSON lines" in done.stderr
        assert not (tmp_path / name).exists()
    assert run("convert", key, tmp_path / "x.parquet", "--to", "conll").exit_code == 0
    assert run("convert", key, tmp_path / "x.v4_gold_conll").exit_code == 0


def test_sweep_takes_one_run_from_standard_input(run, key, response):
    with open(response, encoding="utf-8") as file:
        done = run("sweep", key, "-", input=file.read())
    assert done.exit_code == 0, done.stderr


def test_tags_of_a_file_that_is_none(run, tmp_path):
    (tmp_path / "g.tsv").write_text("a\tX\n")
    done = run("tags", "score", tmp_path / "absent", tmp_path / "g.tsv")
    assert done.exit_code == 1
    assert "absent: No such file or directory" in done.stderr


STEERING = "a\x1b[31m\x9b2J\u202eb\rc"


def test_names_of_files_do_not_steer_the_terminal(run, key, tmp_path):
    """In errors, in warnings, in the messages of wrong command lines, in what is printed of systems and settings."""
    lacking = tmp_path / f"{STEERING}.conll"
    broken = tmp_path / f"{STEERING}2.conll"
    broken.write_text("#begin document (x)\nw (0\n\n#end document\n")
    fine = tmp_path / f"{STEERING}3.conll"
    fine.write_bytes(Path(key).read_bytes())
    for arguments in (
        ["score", key, lacking],
        ["score", key, broken],
        ["score", broken, broken, "--lenient"],
        ["score", key, fine, lacking],
        ["compare", key, fine, fine],
        ["compare", key, f"{STEERING}={fine}"],
        ["compare", key, fine, "--baseline", "nothing"],
        ["compare", key, fine, "--plot", lacking],
        ["sweep", key, fine],
        ["sweep", key, tmp_path / f"{STEERING}*"],
        ["convert", broken, tmp_path / "out.conll"],
        ["tags", "score", key, lacking],
    ):
        done = run(*arguments)
        assert done.stdout or done.stderr
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", done.stdout + done.stderr)
