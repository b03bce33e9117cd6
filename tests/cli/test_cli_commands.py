"""The commands without files of their own tests: help, demo, warmup, convert."""

import json
import re
import shlex
import shutil
from pathlib import Path

import click

from arraycoref.cli import main
from arraycoref.cli.main import as_typed
from arraycoref.exceptions import OptionError
from arraycoref.options import OPTIONS, FileOptions
from cli.random_lines import commands

COMMANDS = ["score", "conventions", "tags", "report", "show", "errors", "breakdown", "explain", "describe", "compare"]
COMMANDS += ["table", "sweep", "agree", "demo", "check", "convert", "corefud", "reference", "warmup"]


TAGGED = {
    "gold.tsv": "zadanie\tsubst:sg:acc:n|subst:sg:nom:n\n.\tinterp\n",
    "lexicon.tsv": "zadanie\tsubst:sg:acc:n|ger:sg:nom:n:perf:aff\n",
    "gold.conllu": "1\tnowy\t_\tADJ\t_\tCase=Nom\t2\tamod\t_\t_\n\n",
    "queries.txt": "[case=nom]\n",
}


def test_help_fits_80_columns_and_its_examples_run(run, key, response, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("gold", "response", "out", "runs", "annotators", "project", "project/anna", "project/bo"):
        Path(folder).mkdir()
    runs = [f"runs/lr={lr},seed={seed}.conll" for lr in (0.1, 0.2) for seed in (1, 2)]
    copies = ["anna", "bo", "cleo", "train", "dev", "test"]
    for name in (*copies, *(f"{folder}/x" for folder in ("annotators", "project/anna", "project/bo")), "annotators/y"):
        shutil.copy(key, f"{name}.conll")
    for n, name in enumerate(
        ["a.conll", "response/b.conll", "out/a.conll", "b.conll", "gold/key.conll", "out/b.conll", *runs]
    ):
        shutil.copy(response if n % 2 else key, name)
    Path("output.json").write_text('{"text": ["a", "b"], "clusters": [[[0, 1], [1, 2]]]}')
    Path("both.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0]]], "predicted_clusters": [[[1, 1]]]}')
    for name in ("key.conllu", "response.conllu"):
        words = "".join("\t".join([str(n), *5 * "x", str(n - 1), *2 * "x", "Entity=(e1)"]) + "\n" for n in (1, 2))
        Path(name).write_text(f"# global.Entity = eid\n{words}\n")
    Path("truth.csv").write_text("mention,label\na,1\nb,1\nc,2\n")
    Path("pairs.csv").write_text("id_1,id_2,score\na,b,0.9\nb,c,0.2\n")
    for name, text in TAGGED.items():
        Path(name).write_text(text)
        Path(name.replace("gold", "system")).write_text(text)
    shown, of_tags = (run(*group, "--help", terminal_width=80).stdout for group in ([], ["tags"]))
    listed, of_tags = (re.findall(r"^  ([a-z]+)  +(.+)$", text, re.MULTILINE) for text in (shown, of_tags))
    assert [name for name, _ in listed] == COMMANDS == main.list_commands(None)
    assert {*COMMANDS} == {*main.commands}
    assert shown.index("Examples:") < shown.index("Score:") < shown.index("Compatibility:")
    assert not [summary for _, summary in listed + of_tags if len(summary) > 60 or summary.endswith("...")]
    for command in (*COMMANDS, *(f"tags {name}" for name, _ in of_tags)):
        text = run(*command.split(), "-h", terminal_width=80).stdout
        assert max(map(len, text.split("\n"))) <= 80
        assert text.count("\n") <= 40, command
        found = re.findall(r"^    arraycoref (.+)$", text, re.MULTILINE)
        assert len(found) == (0 if command in ("demo", "tags", "warmup") else 3)
        for example in found:
            done = run(*shlex.split(example))
            assert done.exit_code == 0, (example, done.stderr)


def test_options_are_those_of_the_functions(run):
    """Each is generated: a policy of `arraycoref.options` is in ``--help-all``, with its words and its default."""
    for command in ("score", "compare", "sweep", "table"):
        text = " ".join(run(command, "--help-all", terminal_width=400).stdout.split())
        output = text.partition(" Output: ")[2].partition(" Examples: ")[0]  # the group of all others
        found = {f"--{name.replace('_', '-')}" for name in FileOptions.__annotations__} & set(output.split())
        assert found <= {"--threads", "--format", "--progress"}
        for name in FileOptions.__annotations__:
            entry = OPTIONS[name]
            brief = " ".join(entry.brief.split())
            if (command, name) != ("score", "format"):
                assert brief in text
            if entry.default is not None and name not in ("profile", "lenient"):
                assert f"{brief} [default: {entry.default}]" in text


def test_help_of_options_is_short_and_says_what_values_are():
    for words, command in commands(main).items():
        for option in (parameter for parameter in command.params if isinstance(parameter, click.Option)):
            text = re.sub(r"(?:\S+, )+", "", str(option.help).partition("  [default")[0])  # a list is one word
            entry = OPTIONS.get(str(option.name), OPTIONS["names"])
            is_name = "NAME" in str(option.metavar) and (entry.choices or entry.kind in (int, float))
            assert (len(text.split()) <= 25, is_name) == (True, False), (words, option.name)


def test_options_need_and_exclude_options_of_their_command():
    for words, command in commands(main).items():
        names = {parameter.name for parameter in command.params}
        for parameter in command.params:
            needs = {need.partition("=")[0] for need in getattr(parameter, "needs", ())}
            others = getattr(parameter, "not_with", ())
            others = set().union(*others.values()) if isinstance(others, dict) else set(others)
            assert needs | others <= names, (words, parameter.name)


def test_options_of_other_commands_have_the_names_that_these_have():
    check = click.Context(main.get_command(None, "check"))
    names = {
        "format": "--input-format",
        "method": "score --interval",
        "tokens": "score --tokens",
        "name_pattern": "--name-pattern",
    }
    for name, typed in names.items():
        assert as_typed(OptionError(f"{name}='x' reads it", name), check) == f"{typed} 'x' reads it"


def test_demo(run):
    done = run("demo")
    commands = [line.split() for line in re.findall(r"^\$ arraycoref (.*)$", done.stdout, re.MULTILINE)]
    assert [command[0] for command in commands] == ["show", "score"]
    assert all(run(*command).stdout in done.stdout for command in commands)
    command = commands[-1]
    found = json.loads(run(*command, "--format", "json", "--per-document").stdout)
    assert found["documents"] == 3
    assert 0.5 < found["scores"]["conll"]["f1"] < 0.9
    assert found["per_document"]["demo/kitchen_0"]["conll"]["f1"] == 1


def test_demo_files_are_those_it_scores(run, tmp_path):
    done = run("demo", "--files", str(tmp_path / "new"))
    assert (done.exit_code, done.stdout) == (0, "")
    scored = run("score", str(tmp_path / "new" / "key.conll"), str(tmp_path / "new" / "response.conll"))
    assert run("demo").stdout.endswith(scored.stdout)


def test_warmup(run):
    done = run("warmup")
    assert done.exit_code == 0
    assert re.fullmatch(r"compiled in \d+\.\d s; machine code is kept in .+\n", done.stdout)


def test_convert(run, key, response, tmp_path):
    target, back = tmp_path / "key.jsonlines", tmp_path / "back.conll"
    done = run("convert", key, target)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.endswith(" as JSON lines cannot hold it: cells of columns that may be words (9)\n")
    assert [json.loads(line)["doc_key"] for line in target.read_text().splitlines()] == ["text/a_0", "text/a_1"]
    assert run("convert", target, back, "--to", "conll").exit_code == 0
    assert run("score", target, response).stdout == run("score", key, response).stdout


def test_convert_faults(run, key, tmp_path):
    assert run("convert", key).exit_code == 2
    for name in ("x.parquet", "x.conllua.gz"):  # of something else
        done = run("convert", key, tmp_path / name)
        assert (done.exit_code, "is neither CoNLL nor JSON lines" in done.stderr) == (2, True)
        assert not (tmp_path / name).exists()
    assert run("convert", key, tmp_path / "x.parquet", "--to", "conll").exit_code == 0


def test_convert_to_conllu(run, tmp_path):
    key, response, target = (tmp_path / name for name in ("key.conllu", "r.jsonl", "r.conllu"))
    word, blanks = "1\tw\t_\t_\t_\t_\t0\t_\t_\t_\n", "\n# newdoc id = b\n"
    key.write_text(f"# newdoc id = a\n{word}\n{word}\n{blanks}{word}")
    response.write_text('{"doc_key": "a", "clusters": [[[0, 1]], [[1, 1]]]}')
    done = run("convert", response, target)
    assert (done.exit_code, "--words FILE has it" in done.stderr) == (1, True)
    command = ["convert", response, target, "--words", key]
    assert "--missing-documents 'empty'" in run(*command).stderr
    done = run(*command, "--missing-documents", "empty")
    assert (done.exit_code, "is in two sentences, which CoNLL-U cannot hold; --lenient" in done.stderr) == (1, True)
    assert not target.exists()
    done = run(*command, "--missing-documents", "empty", "--lenient")
    assert (done.exit_code, "all such mentions, 1 here" in done.stderr) == (0, True)
    assert target.read_text().count("Entity=(") == 1
    assert run("score", key, target, "--quiet").exit_code == 0
    assert "\tEntity=(e1--1)\n" in run("convert", target, "-", "--to", "conllu").stdout
    assert "--tokens needs --words" in run("convert", target, "-", "--tokens", "ignore").stderr


def test_convert_hands_its_options_on(run, write, tmp_path):
    write("key.txt", [["(0)", "-", "(0)"]], names=["x"])
    moved = tmp_path / "moved.conll"
    moved.write_text(re.sub(r"(?m)^(x\t.*)$", r"\1\tlast", (tmp_path / "key.txt").read_text()))
    both = tmp_path / "both.data"
    both.write_text('{"doc_key": "a", "clusters": [[[0, 0], [1, 1]]], "predicted_clusters": [[[2, 2]]]}')
    target = tmp_path / "out.jsonl"
    for source, options, clusters in (
        (moved, [], None),
        (moved, ["--column", "5"], [[[0, 0], [2, 2]]]),
        (moved, ["--column", "key:1,response:5", "--side", "response"], [[[0, 0], [2, 2]]]),
        (both, ["--from", "conll"], None),  # no columns
        (both, ["--from", "jsonlines"], [[[0, 0], [1, 1]]]),
        (both, ["--from", "jsonlines", "--side", "response"], [[[2, 2]]]),
    ):
        assert run("convert", source, target, *options).exit_code == (clusters is None)
        if clusters:
            assert json.loads(target.read_text())["clusters"] == clusters
    faulty = write("faulty.conll", [["(0)", "(7", "(0)"]], names=["x"])
    assert "never closes" in run("convert", faulty, target, "--lenient").stderr
    assert run("convert", faulty, target, "--lenient", "--quiet").stderr == ""
