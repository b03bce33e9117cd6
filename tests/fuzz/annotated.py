"""Targets: the readers of annotation tools' files, and the rules for all of them."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from arraycoref.exceptions import InputError, ReadError
from arraycoref.read.annotation import Annotated, documents_of
from arraycoref.read.brat import read_brat
from arraycoref.read.cas import read_cas
from arraycoref.read.documents import Documents
from arraycoref.read.json import read_json
from arraycoref.read.mmax2 import read_mmax2
from arraycoref.read.problems import ReadingOptions
from arraycoref.read.webanno import read_webanno
from arraycoref.read.write import with_words
from fuzz.promises import PATH, Errors, attempt, check_place, facts

Read = Callable[[ReadingOptions], object]


def target_brat(data: bytes) -> None:
    """A file, and the text beside it behind a line ``%%``, if there is one."""
    lines, mark, text = data.partition(b"\n%%\n")

    def read(options: ReadingOptions) -> list[Annotated]:
        documents = read_brat(lines, PATH, options)
        for document in documents:
            document.text = text.decode("utf-8", "replace") if mark else None
        return documents

    _check(read, lines)


def target_webanno(data: bytes) -> None:
    _check(lambda options: read_webanno(data, PATH, options), data)


def target_cas(data: bytes) -> None:
    """XMI, and JSON."""
    _check(lambda options: read_cas(data, PATH, options), data.replace(b"\r", b"\n"))


def target_span_json(data: bytes) -> None:
    """Label Studio, doccano, Prodigy, and UIMA CAS where it is recognized by its fields."""
    _check(lambda options: read_json(data, PATH, options), data)


def target_mmax2(data: bytes) -> None:
    """Words, and markables behind a line ``%%``."""
    words, _, markables = data.partition(b"\n%%\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x_words.xml")
        path.write_bytes(words)
        Path(folder, "x_coref_level.xml").write_bytes(markables)
        _check(lambda options: read_mmax2(words, str(path), options), None)


def _check(read: Read, data: bytes | None) -> None:
    """Read strictly and leniently: errors have places, and the one passes where the other has nothing to report."""
    faults: list[ReadError] = []
    results = []
    for lenient in (False, True):
        options = ReadingOptions(lenient=lenient, problems=Errors(lenient=lenient, listed=faults))
        documents, error = attempt(lambda o=options: _documents(read(o), o))
        assert error is None or isinstance(error, ReadError)
        for each in [error, *faults] if data is not None else ():
            check_place(each, data)
        results.append((documents, error))
    (strict, error), (_, lenient_error) = results
    assert error is not None or (lenient_error is None and not faults)
    if strict is not None and lenient_error is None:
        assert [facts(each) for each in strict] == [facts(each) for each in results[1][0]]
    for each in results[1][0] or ():
        mentions = each.mentions
        assert (mentions.start <= mentions.end).all()
        assert (mentions.end < each.n_tokens[mentions.document]).all()
        if mentions.has_parts:
            assert (mentions.parts[:, 0] <= mentions.parts[:, 1]).all()
        words, failed = attempt(lambda each=each: with_words(each))
        assert words is not None or isinstance(failed, InputError)


def _documents(found: object, options: ReadingOptions) -> list[Documents]:
    """Make documents of what a reader returns; none of JSON that is of no annotation tool."""
    listed = found if isinstance(found, list) else []
    return [parsed.documents for _, parsed in documents_of(listed, options)] if listed else []
