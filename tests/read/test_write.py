"""Writing: what is written reads back."""

import functools
import gzip
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from read_helpers import content

import arraycoref as ac
from arraycoref.exceptions import InputError
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from strategies import as_documents

NAMES = st.one_of(
    st.sampled_from(
        ["x", "x_0", "(x)", "x; part 3", "a;", "#a", "", " ", "é", "a\tb", "x); part 2", "a b", "bc/cctv/00/0001_0"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0"), max_size=6),
)


def make(spans, headers=None):
    """Build documents from {name: (n_tokens, [(start, end, entity)])}."""
    mentions = {name: found for name, (_, found) in spans.items()}
    return as_documents(mentions, [n for n, _ in spans.values()], headers)


def crosses(mentions: list[tuple[int, int, int]]) -> bool:
    return any(a[2] == b[2] and a[0] < b[0] < a[1] < b[1] for a in mentions for b in mentions)


@functools.cache  # a strategy of its own is checked by hypothesis in every example
def mentions_of(n_tokens):
    token = st.integers(0, max(n_tokens - 1, 0))
    return st.lists(st.tuples(token, token, st.integers(0, 3)), max_size=8 if n_tokens else 0)


@st.composite
def batches(draw):
    spans = {}
    for name in draw(st.lists(NAMES.filter(bool), max_size=3, unique=True)):  # CoNLL files name a document without
        n_tokens = draw(st.integers(0, 8))
        drawn = draw(mentions_of(n_tokens))
        mentions = [(min(a, b), max(a, b), entity) for a, b, entity in drawn]
        numbers = {entity: k for k, entity in enumerate(dict.fromkeys(entity for *_, entity in mentions))}
        spans[name] = (n_tokens, [(start, end, numbers[entity]) for start, end, entity in mentions])
    return spans


def in_reading_order(spans):
    """Number entities as a CoNLL reader does: by first token, ties by number."""
    found = {}
    for name, (n_tokens, mentions) in spans.items():
        first = {}
        for start, _, entity in mentions:
            first[entity] = min(first.get(entity, start), start)
        numbers = {entity: k for k, entity in enumerate(sorted(first, key=lambda entity: (first[entity], entity)))}
        found[name] = (n_tokens, sorted((start, end, numbers[entity]) for start, end, entity in mentions))
    return found


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches())
def test_round_trip(tmp_path, monkeypatch, spans):
    monkeypatch.setattr(os, "fsync", lambda _number: None)  # a wait for the disk each time, which no reader sees
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    documents = make(spans)
    lines = folder / "x.jsonl"
    write_documents(documents, lines)
    if not spans:
        assert lines.read_bytes() == b""
        return
    assert content(read_documents(lines)) == content(documents)
    columns = folder / "x.conll"
    try:
        write_documents(documents, columns)
    except InputError as error:
        assert "cross" in str(error) and any(crosses(mentions) for _, mentions in spans.values())  # noqa: PT017, PT018
        assert sorted(os.listdir(folder)) == ["x.jsonl"]
        return
    assert not any(crosses(mentions) for _, mentions in spans.values())
    first = read_documents(columns)
    assert content(first) == in_reading_order(spans)
    write_documents(first, lines)
    second = read_documents(lines)
    assert content(second) == content(first)
    write_documents(second, folder / "y.conll")
    third = read_documents(folder / "y.conll")
    assert content(third) == content(first)


def test_text(tmp_path):
    documents = make({"a b": (4, [(0, 2, 0), (1, 1, 1), (2, 2, 0), (2, 3, 0)]), "c": (0, [])}, ("(a b)", "(c); part 0"))
    write_documents(documents, tmp_path / "x.conll")
    assert (tmp_path / "x.conll").read_text() == (
        "#begin document (a b)\na_b\t0\t(0\na_b\t1\t(1)\na_b\t2\t0)|(0)|(0\na_b\t3\t0)\n#end document\n"
        "#begin document (c)\n#end document\n"
    )
    write_documents(documents, tmp_path / "x.json", format="jsonlines")
    assert json.loads((tmp_path / "x.json").read_text().splitlines()[0]) == {
        "doc_key": "a b",
        "n_tokens": 4,
        "clusters": [[[0, 2], [2, 2], [2, 3]], [[1, 1]]],
    }


@pytest.mark.parametrize("name", ["a\nb", "a\0", "\ud800"])
def test_names_that_no_header_holds(tmp_path, name):
    with pytest.raises(InputError, match="no CoNLL header can hold the document name"):
        write_documents(make({name: (1, [])}), tmp_path / "x.conll")
    write_documents(make({name: (1, [])}), tmp_path / "x.jsonl")
    assert read_documents(tmp_path / "x.jsonl").names == (name,)
    assert os.listdir(tmp_path) == ["x.jsonl"]


def test_crossing_mentions(tmp_path):
    crossing = make({"x": (4, [(0, 2, 0), (1, 3, 0)])})
    with pytest.raises(InputError, match=r"'x': mentions \(0, 2\) and \(1, 3\) of entity 0 cross"):
        write_documents(crossing, tmp_path / "x.conll")
    different = make({"x": (4, [(0, 2, 0), (1, 3, 1)])})
    write_documents(different, tmp_path / "x.conll")
    assert content(read_documents(tmp_path / "x.conll")) == content(different)


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("format_suffix", [".conll", ".jsonl"])
def test_compression(tmp_path, suffix, format_suffix):
    documents = make({"x": (3, [(0, 1, 0)])})
    path = tmp_path / f"x{format_suffix}{suffix}"
    write_documents(documents, path)
    once = path.read_bytes()
    write_documents(documents, path)
    assert path.read_bytes() == once
    assert content(read_documents(path)) == content(documents)
    if suffix == ".gz":
        assert once[3:8] == bytes(5)  # neither a name nor a time
        assert gzip.decompress(once).startswith(b"#begin" if format_suffix == ".conll" else b"{")


def test_standard_output(monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out, flush=lambda: None))
    write_documents(make({"x": (1, [])}), "-")
    assert out.getvalue() == b"#begin document (x)\nx\t0\t-\n#end document\n"


def test_whole_or_absent(tmp_path):
    target = tmp_path / "x.conll"
    target.write_text("before")
    with pytest.raises(InputError):
        write_documents(make({"x": (1, []), "a\nb": (1, [])}), target)
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["x.conll"]
    with pytest.raises(OSError, match="No such file"):
        write_documents(make({"x": (1, [])}), tmp_path / "none" / "x.conll")


def test_no_more_lines_than_the_input_accounts_for(tmp_path):
    """The text is small, and what CoNLL would take of it is gigabytes."""
    text = '{"id": "a", "clusters": [[[0, 2147483646], [1, 1]]]}'
    message = r"'a' has 2147483647 tokens, up to the end of the mention \(0, 2147483646\): .* 12884901882 b"
    (tmp_path / "a.jsonl").write_text(text)
    documents = read_documents(tmp_path / "a.jsonl")
    with pytest.raises(InputError, match=message):
        write_documents(documents, tmp_path / "a.conll")
    assert os.listdir(tmp_path) == ["a.jsonl"]
    write_documents(documents, tmp_path / "b.jsonl")  # which takes no more than was read
    assert content(read_documents(tmp_path / "b.jsonl")) == content(documents)


def test_the_limit_of_what_is_written(tmp_path):
    """As many bytes as are asked for, or 200 times those of the files that were read."""
    documents = make({"x": (1000, [(3, 3, 0)])})
    least = 1000 * len("x\t0\t-\n")
    write_documents(documents, tmp_path / "x.conll", max_bytes=least)
    assert content(read_documents(tmp_path / "x.conll")) == content(documents)
    with pytest.raises(InputError, match=f"{least} bytes or more, and the limit is {least - 1}. .* max_bytes=N or ARR"):
        write_documents(documents, tmp_path / "y.conll", max_bytes=least - 1)
    text = '{"id": "x", "n_tokens": %d, "clusters": []}'
    most = 200 * len(text % 1000) // len("x\t0\t-\n")
    assert 1000 <= most < 9999  # of as many digits
    (tmp_path / "x.jsonl").write_text(text % most)
    write_documents(read_documents(tmp_path / "x.jsonl"), tmp_path / "x.conll", max_bytes=1)
    (tmp_path / "x.jsonl").write_text(text % (most + 1))
    with pytest.raises(InputError, match=f"has {most + 1} tokens"):
        write_documents(read_documents(tmp_path / "x.jsonl"), tmp_path / "x.conll", max_bytes=1)


def test_json_lines_do_not_claim_tokens_that_nobody_counted(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"doc_key": "d", "clusters": [[[0, 0], [1, 1]]]}')
    (tmp_path / "key.jsonl").write_text('{"doc_key": "d", "n_tokens": 4, "clusters": [[[0, 0], [1, 1]]]}')
    write_documents(read_documents(tmp_path / "in.jsonl"), tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"doc_key": "d", "clusters": [[[0, 0], [1, 1]]]}
    assert ac.score_files(tmp_path / "key.jsonl", tmp_path / "out.jsonl", metrics="muc")["muc"].f1 == 1
