"""Target: the command's options, with any values; the files are fixed, and nothing is written."""

from __future__ import annotations

from click.testing import CliRunner

from arraycoref.cli import main
from fuzz.promises import file, folder

KEY = b"#begin document (a); part 000\na\t(0\na\t0)|(1)\na\t-\na\t(1)\n#end document\n"
RESPONSE = b"#begin document (a); part 000\na\t(0\na\t0)\na\t(0)\na\t(1)\n#end document\n"
TAGGED = b"1\ta\ta\tNOUN\tsubst:sg:nom:n\tCase=Nom\t0\t_\t_\t_\n2\tb\tb\tX\t_\t_\t1\t_\t_\t_\n\n"
SHARED = (
    "--metrics --duplicates --extra-documents --singletons --beta --threads --column --input-format --max-bytes "
    "--format --profile "
)
STATISTICS = "--metric --field --confidence --seed "
OPTIONS = {
    "score": SHARED + "--missing-documents --lenient --per-document --macro --quiet --progress --fail-under",
    "compare": SHARED + STATISTICS + "--baseline --test --correction --alpha --interval",
    "sweep": SHARED + STATISTICS + "--top --parameter",
    "convert": "--from --to --side --column --lenient --max-bytes",
    "tags score": "--measure --weights --tagset --input-format --unit --beta --per-document --macro --format",
    "tags weights": "--preset --queries --treebank --rules --ambiguity --tagset --input-format --format",
    "tags confusions": "--category --top --tagset --input-format --format",
}


def target_command(data: bytes) -> None:
    """Lines: a byte that chooses the command, then in each line a byte that chooses an option, and its value."""
    head, *lines = data.split(b"\n")
    command = list(OPTIONS)[(head[0] if head else 0) % len(OPTIONS)]
    known = OPTIONS[command].split()
    arguments = [*command.split(), *_files(command)]
    for line in lines[:6]:
        option = known[(line[0] if line else 0) % len(known)]
        value = line[1:].decode("utf-8", "surrogateescape").replace("\0", "")
        if "/" in value or value.strip() in (".", "..", "-"):  # neither folders nor standard input
            continue
        arguments += [option, value] if line[1:] else [option]
    result = CliRunner().invoke(main, arguments, prog_name="arraycoref")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1, 2, 3)
    assert result.exit_code == 0 or result.stderr.strip(), "a failure without a message"
    assert "Traceback" not in result.stderr


def _files(command: str) -> list[str]:
    if command == "tags weights":
        return []
    if command.startswith("tags"):
        return [file("a.conllu", TAGGED), file("b.conllu", TAGGED.replace(b"NOUN", b"VERB"))]
    key, response = file("key.conll", KEY), file("response.conll", RESPONSE)
    if command == "convert":
        return [key, str(folder() / "converted.jsonl")]
    if command in ("compare", "sweep"):
        options = ["--resamples", "20"]
        return [key, response, file("other.conll", KEY), *options]
    return [key, response]
