"""A file is never lost: no command's output replaces one of its inputs, or lies where the next run would read it."""

import os
import shutil
from pathlib import Path

import click
import pytest

from arraycoref.cli import main
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from marks import cases

WORDS = "".join("\t".join([str(n), *5 * "x", str(n - 1), *2 * "x", "Entity=(e1)"]) + "\n" for n in (1, 2))
TAGGED = "zadanie\tsubst:sg:acc:n\n.\tinterp\n"
CONLLU = f"# newdoc id = d\n# global.Entity = eid\n{WORDS}\n"

COMMANDS = {
    "score {} b.conll --output": "a.conll",
    "score a.conll {} --format json --output": "b.conll",
    "score a.conll b.conll --compare-to {} --fail-under-previous 1 --output": "earlier.json",
    "score --file-pairs {} --output": "pairs.tsv",
    "compare {} a.conll b.conll --output": "key.conll",
    "compare key.conll {} b.conll --plot": "a.svg",
    "table key.conll {} b.conll --output": "a.conll",
    "sweep {} a.conll b.conll --output": "key.conll",
    "sweep key.conll seed=1.svg {} --metric muc --plot": "seed=2.svg",
    "agree {} b.conll --output": "a.conll",
    "check {} --output": "a.conll",
    "describe {} b.conll --output": "a.conll",
    "conventions key.conll {} --output": "a.conll",
    "explain muc key.conll {} --output": "a.conll",
    "errors {} a.conll b.conll --output": "key.conll",
    "breakdown key.conll {} b.conll --attribute size --output": "a.conll",
    "show key.conll {} --output": "a.conll",
    "report key.conll a.conll {} --output": "b.conll",
    "convert {}": "a.conll",
    "convert a.jsonl --to conllu --words {}": "key.conllu",
    "corefud {} response.conllu --output": "key.conllu",
    "tags score {} system.tsv --output": "gold.tsv",
    "tags confusions {} system.tsv --tagset nkjp --output": "gold.tsv",
    "tags weights --ambiguity {} --tagset nkjp --output": "gold.tsv",
}
"""Arguments in front of the output, with ``{}`` for the input that it would replace."""


def links(path):
    """Yield ways to name a file, of which the last ones are other directory entries for it."""
    Path("folder").mkdir()
    yield path
    yield f"./folder/../{path}"
    yield os.path.abspath(path)
    symbolic, hard = (kind + Path(path).suffix for kind in ("symbolic", "hard"))
    Path(symbolic).symlink_to(path)
    yield symbolic
    os.link(path, hard)
    yield hard


@pytest.fixture
def files(tmp_path, monkeypatch, key, response):
    monkeypatch.chdir(tmp_path)
    for n, name in enumerate(("a.conll", "b.conll", "a.svg", "seed=1.svg", "seed=2.svg")):
        shutil.copy(response if n % 2 else key, name)
    write_documents(read_documents("a.conll"), "a.jsonl", on_error=lambda _: None)
    Path("pairs.tsv").write_text("a.conll\tb.conll\n")
    for name, text in {
        "key.conllu": CONLLU,
        "response.conllu": CONLLU,
        "gold.tsv": TAGGED,
        "system.tsv": TAGGED,
    }.items():
        Path(name).write_text(text)


@pytest.fixture
def refused(run):
    """Run a command whose output must be refused: no file changes, and the message has all these names."""

    def check(arguments, *names):
        before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
        done = run(*arguments)
        assert done.exit_code == 2, done.output
        assert all(name in done.stderr for name in names), done.stderr
        assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before

    return check


def test_every_command_that_writes_is_tested():
    def writers(group, *names):
        for name, command in group.commands.items():
            if isinstance(command, click.Group):
                yield from writers(command, *names, name)
            elif {"output", "target"} & {each.name for each in command.params}:
                yield " ".join((*names, name))

    assert all(any(line.startswith(f"{name} ") for line in COMMANDS) for name in writers(main))


@pytest.mark.parametrize(("line", "name"), COMMANDS.items(), ids=list(COMMANDS))
def test_an_output_is_no_input(files, run, refused, line, name):
    if name == "earlier.json":
        run("score", "a.conll", "a.conll", "--format", "json", "--per-document", "--output", name)
    if "--words" in line:
        Path("a.jsonl").write_text('{"doc_key": "d", "clusters": [[[0, 0], [1, 1]]]}\n')
    for output in links(name):
        refused([*line.format(name).split(), output], output, name)


@cases(
    "line,output,source",
    [
        ("score gold response --output", "gold/new.txt", "gold"),
        ("score ./gold response --output", "linked/../gold/below/new.txt", "./gold"),
        ("score gold response --output", "linked/new.txt", "gold"),
        ("score linked response --output", "gold/new.txt", "linked"),
        ("score gold response --output", "away.txt", "gold"),
        ("score gold/*.conll response --output", "gold/new.conll", "gold/*.conll"),
        ("compare gold/a.conll response/*.conll --output", "response/c.conll", "response/*.conll"),
        ("compare gold/a.conll --systems-in response --output", "response/c.txt", "response/*"),
        ("agree gold res*e --output", "response/c", "res*e"),
        ("check **/*.conll --output", "gold/below/new.conll", "**/*.conll"),
        ("check . --output", "new.txt", "."),
        ("report gold response --output", "response/report.html", "response"),
        ("convert gold", "gold/all.jsonl", "gold"),
        ("score --file-pairs gold response --output", "response/new.conll", "response"),
    ],
)
def test_no_output_in_an_input_folder(files, refused, line, output, source):
    for folder in ("gold/below", "response"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for folder in ("gold", "response"):
        shutil.copy("key.conll", f"{folder}/a.conll")
    if not os.path.lexists("linked"):
        Path("linked").symlink_to("gold")
        Path("away.txt").symlink_to("gold/new.txt")
    refused([*line.split(), output], output, source)


@cases("output", ["gold/.hidden", "gold/new.txt", "response/a.txt", "new.conll", "gold/.below/new.conll"])
def test_what_the_next_run_does_not_read_is_written(files, run, output):
    for folder in ("gold/.below", "response"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for path in ("gold/a.conll", "response/a.conll"):
        shutil.copy("key.conll", path)
    assert run("check", "gold/*.conll", "response/a.conll", "--output", output).exit_code == 0
    assert Path(output).stat().st_size


def test_documents_are_not_written_over_their_files(files):
    """Results do not know the files that they are from; documents do."""
    documents = read_documents("a.conll")
    with pytest.raises(ValueError, match=r"\./a\.conll: the output would replace the input a\.conll"):
        write_documents(documents, "./a.conll")
    write_documents(documents, "new.conll", on_error=lambda _: None)
