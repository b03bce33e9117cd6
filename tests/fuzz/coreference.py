"""Targets: the readers of CoNLL, of JSON lines and of CorefUD, and two files scored against each other."""

from dataclasses import replace

import numpy as np

from arraycoref.api import score_clusterings
from arraycoref.exceptions import DocumentMismatchError, InputError, ReadError
from arraycoref.match import match_documents
from arraycoref.options import PolicyOptions, resolve_policies
from arraycoref.read import Reader
from arraycoref.read.conll import find_bad_text, read_conll
from arraycoref.read.corefud import read_conllu
from arraycoref.read.documents import Documents, Parsed, take
from arraycoref.read.json import read_json
from arraycoref.read.problems import ReadingOptions
from arraycoref.read.write import conll_blocks, jsonlines_blocks
from arraycoref.scoring.metrics.registry import METRIC_NAMES, METRICS
from fuzz.promises import PATH, Errors, attempt, check_place, clusters, facts
from read.reference import loses_mentions, parse, splits_a_line

COLUMNS = (None, -1, 1, 2, 3, -2, -3, 9)
MOST_WRITTEN = 100_000  # tokens: a small file of JSON may speak of 2^31
ONE_SIDED = ("bcub-0", "bcub-rn", "ceafm-rn", "ceafe-rn", "bcub-sys", "ceafm-sys", "ceafe-sys")
"""Metrics that treat mentions of the response alone otherwise than those of the key alone."""
TWO_SIDED = [
    name
    for name, metric in METRICS.items()
    if len(metric.fields) == 3 and not metric.gold_mentions and name not in ONE_SIDED and name in METRIC_NAMES
]
"""Metrics whose sums are numerators and denominators of recall and precision, which swap with the sides."""


def target_conll(data: bytes) -> None:
    """The first byte chooses the column."""
    column, text = COLUMNS[data[0] % len(COLUMNS)] if data else None, data[1:]
    found = _read_both_ways(read_conll, text, column)
    if len(text) < 4000:
        _agrees_with_rules(text, column, found)
    if b"\r" not in text:
        again, _ = _read_leniently(read_conll, text.replace(b"\n", b"\r\n"), column)
        assert facts(again.documents) == facts(found.documents), "CR LF counts"
    _survives_writing(found.documents)


def target_jsonlines(data: bytes) -> None:
    """Both sides, strict and lenient."""
    for side in ("key", "response"):
        found = _read_both_ways(read_json, data, None, side)
        if b"\r" not in data:
            again, _ = _read_leniently(read_json, data.replace(b"\n", b"\r\n"), None, side)
            assert facts(again.documents) == facts(found.documents), "CR LF counts"
        _survives_writing(found.documents)


def target_corefud(data: bytes) -> None:
    """Strict and lenient."""
    for lenient in (False, True):
        options = ReadingOptions(lenient=lenient, problems=Errors(lenient=lenient))
        check_place(attempt(lambda o=options: read_conllu(data, PATH, o))[1], data)


def target_scores(data: bytes) -> None:
    """Two bytes for formats and policies, the key, a line ``%%``, the response: scores that swap with the sides."""
    flags, policy = data[:1], data[1:2]
    formats = (read_conll, read_json)
    choice = flags[0] if flags else 0
    options = {"missing_documents": "skip", "extra_documents": "ignore", "singletons": "drop" if choice & 4 else "keep"}
    options["duplicates"] = ("first", "last", "drop")[(policy[0] if policy else 0) % 3]
    policies = resolve_policies(options, PolicyOptions)
    policies = replace(policies, tokens="ignore")
    key_text, _, response_text = data[2:].partition(b"\n%%\n")
    key = _named_once(_read_leniently(formats[choice & 1], key_text, None)[0].documents)
    response = _named_once(_read_leniently(formats[choice >> 1 & 1], response_text, None, "response")[0].documents)

    def counts(ours: Documents, theirs: Documents) -> dict[str, dict[str, np.ndarray]]:
        clusterings, error = attempt(lambda: match_documents(ours, theirs, policies).clusterings)
        if clusterings is None:
            assert isinstance(error, DocumentMismatchError)
            return {}
        if ours.names and not {*ours.names} & {*theirs.names}:  # `x` pairs with the only part of `x`
            return {}
        scored = score_clusterings(clusterings, policies, {"metrics": TWO_SIDED})
        names = clusterings.names or ()
        return {m: dict(zip(names, rows, strict=True)) for m, rows in scored.counts.items()}

    there, back = counts(key, response), counts(response, key)
    for metric, rows in there.items():
        for name, row in rows.items():
            halves, swapped = row.reshape(-1, 2, 2), back[metric][name].reshape(-1, 2, 2)[:, ::-1]
            assert np.isfinite(row).all()
            assert (row >= 0).all()
            assert (halves[..., 0] <= halves[..., 1] * (1 + 1e-12)).all(), f"{metric} above 1"
            assert np.allclose(halves, swapped, rtol=1e-12, atol=1e-12), f"{metric} depends on the side"


def _options(column: int | None, problems: Errors, side: str = "key") -> ReadingOptions:
    return ReadingOptions(side, lenient=problems.lenient, problems=problems, column=column)


def _read_leniently(
    reader: Reader, text: bytes, column: int | None, side: str = "key"
) -> tuple[Parsed, list[ReadError]]:
    faults: list[ReadError] = []
    found = reader(text, PATH, _options(column, Errors(lenient=True, listed=faults), side))
    for fault in faults:
        check_place(fault, text)
    return found, faults


def _read_both_ways(reader: Reader, text: bytes, column: int | None, side: str = "key") -> Parsed:
    """Read strictly and leniently: the one passes where the other has nothing to report, with the same result."""
    strict, error = attempt(lambda: reader(text, PATH, _options(column, Errors(), side)))
    check_place(error, text)
    found, faults = _read_leniently(reader, text, column, side)
    assert (error is None) == (not faults), f"strict: {error}; lenient: {faults[:3]}"
    documents = found.documents
    if strict is not None:
        assert facts(strict.documents) == facts(documents)
        assert strict.begins == found.begins
    for name in ("start", "end", "entity"):
        assert (getattr(documents.mentions, name) >= 0).all()
    assert (documents.mentions.start <= documents.mentions.end).all()
    assert (np.diff(documents.offsets) >= 0).all()
    assert documents.offsets[0] == 0
    assert documents.offsets[-1] == documents.mentions.start.size == documents.mentions.line.size
    return found


def _agrees_with_rules(text: bytes, column: int | None, found: Parsed) -> None:
    """Compare with the rules as plain Python has them."""
    documents, faults = parse(text, -1 if column is None else column)
    _, reported = _read_leniently(read_conll, text, column)
    body = text.removeprefix(b"\xef\xbb\xbf")
    other = find_bad_text(np.frombuffer(body, np.uint8)) is not None
    other += splits_a_line(body)
    other += column is None and sum(map(loses_mentions, documents))
    other += not documents and not faults
    assert len(reported) == len(faults) + other
    headers = tuple(document.header.decode("utf-8", "backslashreplace") for document in documents)
    assert found.documents.headers == headers
    assert [each[1:] for each in facts(found.documents)] == [(each.n_tokens, each.entities()) for each in documents]


def _survives_writing(documents: Documents) -> None:
    """Write in either format and read again."""
    if documents.n_tokens.sum() > MOST_WRITTEN:
        return
    told = [text.layers() for text in documents.text]
    layers = [each if each.sentences else None for each in told].__getitem__
    in_columns = conll_blocks(documents, layers, 2**60)
    for blocks, reader in ((in_columns, read_conll), (jsonlines_blocks(documents, layers), read_json)):
        written, error = attempt(lambda blocks=blocks: b"".join(blocks))
        assert error is None or (blocks is in_columns and isinstance(error, InputError))  # JSON holds everything
        if len(documents) and written is not None:
            again = reader(written, PATH, _options(None, Errors())).documents
            assert clusters(again) == clusters(documents), "not what was written"


def _named_once(documents: Documents) -> Documents:
    """Keep the first document of each name."""
    first: dict[str, int] = {}
    for d, name in enumerate(documents.names):
        first.setdefault(name, d)
    return take(documents, list(first.values()))
