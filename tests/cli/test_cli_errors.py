"""Exit statuses and messages, and what goes where."""

import gzip
import json
import re
from pathlib import Path

import pytest

import arraycoref
from arraycoref.exceptions import ReadError


def test_missing_file(run, key, tmp_path):
    absent = tmp_path / "absent.conll"
    done = run("score", key, absent)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("arraycoref: error: ")
    assert str(absent) in done.stderr
    assert done.stderr.count("\n") == 1


def test_messages_name_options_as_they_are_typed(run, key, response, write, tmp_path):
    other = write("other.conll", [["(0)"], ["(0)"], ["(0)"]], names=["text/a", "text/a", "b"])
    twice = write("twice.conll", [["(0)|(1)", "(1)"]], names=["text/a"])
    for command in ("score", "compare", "sweep"):
        for options, message in (
            (["--column", "0"], "Error: --column is 0; expected 1, 2, ..."),
            (["--beta", "0"], "Error: --beta is 0.0; expected a number above 0"),
            (["--input-format", "xml"], "Error: unknown --input-format 'xml'; expected one of: conll, jsonlines"),
        ):
            done = run(command, key, response, *options)
            assert (done.exit_code, done.stdout) == (2, "")
            assert f"Usage: arraycoref {command} [OPTIONS] KEY" in done.stderr
            assert message in done.stderr
        done = run(command, other, key)
        assert "; --missing-documents 'empty' scores them as empty responses, 'skip' leaves them out\n" in done.stderr
        assert "; --extra-documents 'ignore' leaves them out\n" in run(command, key, other).stderr
        assert "; --duplicates 'first' or 'last' keeps one of them" in run(command, twice, twice).stderr
    cells = write("cells.conll", [["xx"]], names=["x"])
    assert "holds the coreference, --column N says which\n" in run("score", cells, cells).stderr
    unnamed, words = tmp_path / "unnamed.jsonl", tmp_path / "words.jsonl"
    unnamed.write_text(3 * '{"clusters": [[[0, 1]]]}')
    words.write_text('{"doc_key": "a", "clusters": [[[0, 1]]]}')
    assert "; --name-field says which field holds the names\n" in run("score", unnamed, key).stderr
    words.write_text('{"text": "a b", "spans": []}')
    missing = run("score", unnamed, words, "--unit", "word", "--end", "exclusive").stderr
    assert "'text, spans'; --clusters-field [SIDE:]NAME: Read the clusters in this field of JSON.\n" in missing
    words.write_text('{"text": "a b", "clusters": []}')
    assert "the options --unit and --end, or the --input-format (fastcoref, say)\n" in run("score", words, key).stderr
    words.write_text('{"doc_key": "a", "clusters": [[[0, 1]]]}')
    units = run("score", words, words, "--unit", "key:subtoken,response:character").stderr
    assert "; --unit, --key-format and --response-format say otherwise\n" in units
    unnamed.write_text('{"doc_key": "a", "clusters": [[[0, 2]]], "n_tokens": 2}')
    assert "is its end exclusive? --end '[SIDE:]exclusive' reads it so" in run("score", unnamed, key).stderr
    spans = [[[n, n] for n in range(0, 12, 2)]]
    unnamed.write_text(json.dumps({"doc_key": "a", "clusters": spans}))
    words.write_text(json.dumps({"doc_key": "a", "clusters": [[[n, m + 1] for n, m in spans[0]]]}))
    assert "Are they exclusive? Try: arraycoref score" in run("score", unnamed, words).stderr
    tables = [tmp_path / "column=1.csv", tmp_path / "columns=2.csv"]
    tables[0].write_text("cluster_id,unique_id\n1,a\n")
    tables[1].write_text("Z_CLUSTER,source_dataset,id\n1,d,a\n")
    assert run("score", *tables).exit_code == 0
    tables[0].write_text("cluster_id,source_dataset,unique_id\n1,d,a\n")
    kinds = "mentions are source_dataset+unique_id, the response's id; expected the same; --columns 'DOCUMENT,MENTION"
    assert kinds in run("score", *tables).stderr
    with pytest.raises(ReadError, match="max_bytes=N or ARRAYCOREF_MAX_BYTES sets another limit"):
        arraycoref.score_files(key, response, max_bytes=1)
    assert "--max-bytes N or ARRAYCOREF" in run("convert", key, "-", "--max-bytes", 1).stderr
    assert "unknown --key-format 'xml'; expected one" in run("score", key, key, "--key-format", "xml").stderr
    assert "or --input-format NAME" in run("tags", "score", __file__, __file__).stderr


def test_lenient_warns_on_standard_error_only(run, key, write):
    spoilt = write("spoilt.conll", [["(0)", "(0)", "(0)", "(0)", "(0", "-"], ["(7)", "-", "(7)"]])
    assert run("score", key, spoilt).exit_code == 1
    done = run("score", key, spoilt, "--lenient", "--format", "json")
    assert done.exit_code == 0
    assert done.stdout.startswith("{")
    assert f"arraycoref: warning: {spoilt}:6: " in done.stderr
    assert run("score", key, spoilt, "--lenient", "--quiet").stderr == ""


def test_of_many_faults_the_first_ten_are_printed(run, write, tmp_path):
    """Those of one run, once each, and how many more there are; doubts are printed in any case."""
    whole = write("whole.conll", [["(0)", "(0)"]], names=("a",))
    sizes = {"a": 8000, "b": 3, "c": 7}
    faulty = {k: write(f"{k}.conll", [["(0)", "(0)", *["(x"] * n]], names=("a",)) for k, n in sizes.items()}
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{faulty['b']}\t{faulty[name]}\n" for name in "bc"))
    options = ("--lenient", "--tokens", "ignore")
    for arguments, shown, more in (
        (["score", faulty["a"], whole], 10, f"{faulty['a']}: 7,990 more problems here; "),
        (["score", whole, faulty["b"]], 3, None),
        (["score", faulty["b"], faulty["c"]], 10, None),
        (["score", faulty["b"], faulty["a"]], 10, f"{faulty['a']}: 7,993 more problems here; "),
        (["score", "--file-pairs", pairs], 10, None),
        (["compare", whole, *faulty.values()], 10, f"{faulty['a']}: 8,000 more problems here, and in 2 more files; "),
        (["convert", faulty["a"], tmp_path / "a.jsonl", "--lenient"], 10, f"{faulty['a']}: 7,990 more problems here; "),
    ):
        done = run(*arguments, *(options if arguments[0] != "convert" else ()))
        assert done.exit_code == 0, done.stderr
        warnings = done.stderr.splitlines()
        faults = [line for line in warnings if "never closes" in line]
        assert len(faults) == len(set(faults)) == shown
        counted = [line for line in warnings if "more problem" in line]
        assert counted == ([f"arraycoref: warning: {more}`arraycoref check` lists all"] if more else [])
    assert run("score", faulty["a"], whole, *options, "--quiet").stderr == ""


def test_output(run, key, response, tmp_path):
    target = tmp_path / "scores.json"
    done = run("score", key, response, "--format", "json", "--output", target)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert target.read_text(encoding="utf-8") == run("score", key, response, "--format", "json").stdout
    assert run("score", key, response, "--output", "-").stdout == run("score", key, response).stdout
    for suffix, format in (
        (".json", "json"),
        (".csv", "csv"),
        (".md", "markdown"),
        (".txt", "table"),
        (".md.gz", "markdown"),
    ):
        run("breakdown", key, response, "--output", target := tmp_path / f"x{suffix}")
        text = gzip.decompress(target.read_bytes()) if suffix.endswith(".gz") else target.read_bytes()
        assert text.decode() == run("breakdown", key, response, "--format", format).stdout
    run("score", key, response, "--format", "table", "--output", tmp_path / "y.json")
    assert (tmp_path / "y.json").read_text() == run("score", key, response).stdout


def test_output_that_cannot_be_written(run, key, response, tmp_path):
    done = run("score", key, response, "--output", tmp_path / "absent" / "scores.txt")
    assert done.exit_code == 1
    assert done.stderr == f"arraycoref: error: {tmp_path / 'absent' / 'scores.txt'}: No such file or directory\n"
    assert run("score", key, response, "--output", tmp_path).exit_code == 2


STEERING = "a\x1b[31m\x9b2J\u202eb\rc"


def test_names_of_files_do_not_steer_the_terminal(run, key, tmp_path):
    lacking = tmp_path / f"{STEERING}.conll"
    broken = tmp_path / f"{STEERING}2.conll"
    broken.write_text("#begin document (x)\nw (0\n\n#end document\n")
    fine = tmp_path / f"{STEERING}3.conll"
    fine.write_bytes(Path(key).read_bytes())
    for arguments in (
        ["score", key, lacking],
        ["score", broken, broken, "--lenient"],
        ["compare", key, f"{STEERING}={fine}"],
        ["compare", key, fine, "--plot", lacking],
        ["sweep", key, fine],
    ):
        done = run(*arguments)
        assert done.stdout or done.stderr
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", done.stdout + done.stderr)
