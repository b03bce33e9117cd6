"""Read JSON lines of neural systems: one object per document, with its name and its (predicted) clusters."""

from __future__ import annotations

import re
from array import array

import numpy as np

from arraycoref.documents import Documents
from arraycoref.errors import ReadError
from arraycoref.read.json_values import Fields, json_values
from arraycoref.read.parsed import Options, Parsed, quote
from arraycoref.read.sources import Content

NAME_FIELDS = ("doc_key", "doc_id", "id", "name")
CLUSTER_FIELDS = {"key": ("clusters",), "response": ("predicted_clusters", "clusters")}
"""Fields of the clusters; where a file has the first one anywhere, the other is that of the key."""

FIELDS = {*NAME_FIELDS, *CLUSTER_FIELDS["response"], "sentences", "n_tokens"}
"""All that is looked at."""
_LARGEST = 2**31 - 2


def read_jsonlines(data: Content, path: str, options: Options) -> Parsed:
    """Read the documents of a file of JSON lines, or of one JSON array or object.

    A faulty mention is dropped in lenient mode; any other fault drops the document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: `column` has no effect.

    Raises:
        ReadError: what `options.fault` raises.
    """
    content = bytes(data) if isinstance(data, memoryview) else data
    fields = CLUSTER_FIELDS[options.side]
    collected = _Collected(path, options, fields[:1] if re.search(rf'"{fields[0]}"\s*:'.encode(), content) else fields)
    faults = 0
    for line, value in json_values(content):
        try:
            if isinstance(value, ReadError):
                raise value
            collected.add(line, value)
        except ReadError as error:
            faults += 1
            options.fault(ReadError(path, error.line or line, error.reason))
    if not collected.names and not faults:
        options.fault(ReadError(path, None, "no document; expected one JSON object per line"))
    if collected.names:
        _compare_fields(collected.fields[-1], path, options)
    return collected.parsed()


def _compare_fields(field: str, path: str, options: Options) -> None:
    """See that a file has its clusters where other files have them."""
    for earlier, other in options.cluster_fields.items():
        if earlier != field:
            reason = f"the clusters are in {field}, but in {earlier} in {other}; expected one field in all files"
            options.fault(ReadError(path, None, reason))
    options.cluster_fields.setdefault(field, path)


class _Collected:
    """The documents of a file as they are read, in arrays that grow."""

    def __init__(self, path: str, options: Options, fields: tuple[str, ...]) -> None:
        self.path, self.options, self.fields = path, options, fields
        self.names: list[str] = []
        self.begins: list[int] = []
        self.offsets, self.n_tokens, self.line = array("q", [0]), array("q"), array("q")
        self.start, self.end, self.entity = array("i"), array("i"), array("i")

    def add(self, line: int, value: object) -> None:
        """Add a document.

        Raises:
            ReadError: a fault that drops the document; of its place only the reason is meant.
        """
        if not isinstance(value, Fields):
            raise ReadError(self.path, line, f"expected a JSON object, not {quote(value)}")
        if twice := value.twice & FIELDS:
            raise ReadError(self.path, line, f"the field {min(twice)!r} appears twice in one object")
        name, n_tokens, clusters = self._name(value), self._n_tokens(value), self._clusters(value)
        entity = needed = 0
        for cluster in clusters:
            before = len(self.start)
            for mention in cluster:
                try:
                    start, end = _bounds(mention, n_tokens)
                except ReadError as error:
                    self.options.fault(ReadError(self.path, line, error.reason))
                    continue
                self.start.append(start)
                self.end.append(end)
                self.entity.append(entity)
                self.line.append(line)
                needed = max(needed, end + 1)
            entity += len(self.start) > before
        self.names.append(name)
        self.begins.append(line)
        self.offsets.append(len(self.start))
        self.n_tokens.append(needed if n_tokens is None else n_tokens)

    def _name(self, value: dict[str, object]) -> str:
        for field in NAME_FIELDS:
            name = value.get(field)
            if isinstance(name, str) or type(name) is int:
                return str(name)
            if name is not None:
                raise ReadError(self.path, None, f"{field} is {quote(name)}; expected a string")
        raise ReadError(self.path, None, f"no name of the document; expected one of {', '.join(NAME_FIELDS)}")

    def _n_tokens(self, value: dict[str, object]) -> int | None:
        sentences, n_tokens = value.get("sentences"), value.get("n_tokens")
        if sentences is not None:
            if not isinstance(sentences, list) or not all(isinstance(words, list) for words in sentences):
                raise ReadError(self.path, None, "sentences is not a list of lists of words")
            return sum(map(len, sentences))
        if n_tokens is None:
            return None
        if type(n_tokens) is not int or not 0 <= n_tokens <= _LARGEST + 1:
            raise ReadError(self.path, None, f"n_tokens is {quote(n_tokens)}; expected a number of tokens")
        return n_tokens

    def _clusters(self, value: dict[str, object]) -> list[list[object]]:
        for field in self.fields:
            if field in value:
                clusters = value[field]
                if not isinstance(clusters, list) or not all(isinstance(cluster, list) for cluster in clusters):
                    raise ReadError(self.path, None, f"{field} is {quote(clusters)}; expected lists of [start, end]")
                return clusters
        found = quote(", ".join(value))
        raise ReadError(self.path, None, f"no {' or '.join(self.fields)} among the fields {found}")

    def parsed(self) -> Parsed:
        """Return the documents collected."""
        headers, sources = tuple(f"({name})" for name in self.names), (self.path,) * len(self.names)
        arrays = map(np.asarray, (self.offsets, self.start, self.end, self.entity, self.line, self.n_tokens))
        return Parsed(Documents(tuple(self.names), headers, sources, *arrays), tuple(self.begins))


def _bounds(mention: object, n_tokens: int | None) -> tuple[int, int]:
    """Return start and end of a mention; a `ReadError` without a place where it is not one."""
    if not isinstance(mention, list) or len(mention) != 2 or type(mention[0]) is not int or type(mention[1]) is not int:
        reason = f"the mention {quote(mention)} is not [start, end], two integers"
    elif not 0 <= mention[0] <= mention[1]:
        reason = f"the mention {quote(mention)} has no tokens; expected 0 <= start <= end (the last token, inclusive)"
    elif mention[1] > _LARGEST:
        reason = f"the mention {quote(mention)} lies past token {_LARGEST}"
    elif n_tokens is not None and mention[1] >= n_tokens:
        reason = f"the mention {mention} lies past the {n_tokens} tokens of the document; is its end exclusive?"
    else:
        return mention[0], mention[1]
    raise ReadError("", None, reason)
