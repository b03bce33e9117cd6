"""What every target holds its subject to: an error of our tree and of a true place, never another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from arraycoref.exceptions import ArraycorefError, ReadError
from arraycoref.read.documents import Documents, Parsed
from arraycoref.read.problems import ProblemLog

T = TypeVar("T")

PATH = "file"


@dataclass(eq=False)
class Errors(ProblemLog):
    """Lists errors, and leaves warnings out."""

    listed: list[ReadError] = field(default_factory=list)

    def report(self, error: ReadError, severity: str) -> None:
        if severity == "error":
            self.listed.append(error)


def attempt(call: Callable[[], T]) -> tuple[T | None, ArraycorefError | None]:
    """Call; return the result, or an error of our tree. Any other exception is a finding and goes on."""
    try:
        return call(), None
    except ArraycorefError as raised:
        error = raised
    assert str(error), "an error without a message"
    assert len(str(error)) < 5000, "a message of more than 5000 characters"
    return None, error


def check_place(error: ArraycorefError | None, data: bytes, path: str = PATH) -> None:
    """Check that an error, if there is one, is a `ReadError` with the path and a line that the file has."""
    if error is None:
        return
    assert isinstance(error, ReadError), f"no place: {error!r}"
    assert error.path == path
    assert str(error).startswith(f"{path}: " if error.line is None else f"{path}:{error.line}: ")
    assert error.line is None or 1 <= error.line <= data.count(b"\n") + 1, f"line {error.line} is not in the file"


def facts(documents: Documents) -> list[tuple[str, int, list[tuple[int, ...]]]]:
    """What a file says: name, tokens and mentions (start, end, entity, line) of each document."""
    rows = list(
        zip(*(getattr(documents.mentions, name).tolist() for name in ("start", "end", "entity", "line")), strict=True)
    )
    bounds: Sequence[int] = documents.offsets.tolist()
    return [
        (name, int(documents.n_tokens[d]), rows[bounds[d] : bounds[d + 1]]) for d, name in enumerate(documents.names)
    ]


def everything(parsed: Parsed) -> dict[str, Any]:
    """What a reader of CoNLL-U returns, with all that its documents make when they are asked for it."""
    documents = parsed.documents
    found: dict[str, Any] = {"begins": parsed.begins, "id of each sentence": [text.sent_ids for text in documents.text]}
    found["tokens"] = documents.lengths.tolist()
    for record in (documents, documents.mentions):
        for name, value in vars(record).items():
            if name not in ("text", "mentions"):
                found[name] = value.tolist() if hasattr(value, "tolist") else value
    for d in range(len(documents)):
        trees = documents.text[d].tree()
        found[f"text {d}"] = (
            documents.text[d].sentences(),
            trees is None or trees.tolist(),
        )
    return found


def clusters(documents: Documents) -> list[tuple[str, int, list[list[tuple[int, ...]]]]]:
    """What must survive writing and reading: name, tokens and clusters of each document; not the entities' numbers."""
    found = []
    for name, tokens, rows in facts(documents):
        entities: dict[int, list[tuple[int, ...]]] = {}
        for start, end, entity, _ in rows:
            entities.setdefault(entity, []).append((start, end))
        found.append((name, tokens, sorted(map(sorted, entities.values()))))
    return found
