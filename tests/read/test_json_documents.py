"""JSON documents of every shape are what a loop over their mentions finds; broken ones do not depend on others."""

import json
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, strategies as st
from read_helpers import mentions

from arraycoref.exceptions import ReadError
from arraycoref.read import json as reader
from arraycoref.read.layouts import SHAPES
from arraycoref.read.problems import ProblemLog, ReadingOptions
from strategies import examples

WORDS = st.sampled_from(
    ["a", " ", "", "Ann", '"', "\\", "é", "\t", "日本", "]", "a: b", ", ", "[", ";", "😀", "\ud800"]
)
NUMBERS = st.integers(0, 12)
NAMES = st.one_of(st.integers(-1, 99), st.sampled_from(["x", "x/y_0", "é", 'q"', "", None, 1.5]))


def spans(arity: int):
    return st.lists(st.lists(st.lists(NUMBERS, min_size=arity, max_size=arity), max_size=4), max_size=4)


@st.composite
def documents(draw, name):
    """A document of a shape, most of whose mentions lie within it."""
    shape = SHAPES[name]
    value = {}
    if shape.names:
        value[draw(st.sampled_from(shape.names))] = draw(NAMES)
    if shape.part and draw(st.booleans()):
        value[shape.part] = draw(st.one_of(NUMBERS, st.sampled_from(["3", None, 2.5, [1]])))
    words = st.lists(WORDS, min_size=3, max_size=30)
    tokens = draw(words if shape.depth == 1 else st.lists(words, min_size=1, max_size=4))
    if shape.depth == 0 and draw(st.booleans()):
        tokens = [[part] for part in tokens]
    if shape.nulls and draw(st.booleans()):
        tokens = "".join(tokens)
    for field in shape.tokens[:0:-1]:
        tokens = [[{field: word} for word in part] if isinstance(part, list) else {field: part} for part in tokens]
    if shape.tokens and draw(st.booleans() if not shape.nested else st.just(True)):
        value[shape.tokens[0]] = tokens
    if shape.count and draw(st.booleans()):
        value[shape.count] = draw(st.integers(0, 40))
    for field in draw(st.sampled_from([shape.word_of, shape.word_of[:1], shape.word_of[1:]])):
        value[field] = sorted(draw(st.lists(NUMBERS, max_size=14))) + draw(st.sampled_from([[], [None], [-1]]))
    value["other"] = draw(
        st.one_of(NUMBERS, st.floats(), st.none(), st.lists(st.lists(NUMBERS)), st.dictionaries(WORDS, st.booleans()))
    )
    clusters = draw(spans(3 if shape.nested else 2))
    value[shape.clusters] = clusters
    for field in draw(st.sampled_from([shape.texts, shape.texts[:1], ()])):
        texts = [[draw(WORDS) for _ in cluster] for cluster in clusters]
        value[field] = draw(st.sampled_from([texts, texts[1:], [*texts, [None]], [*texts, [1]], None]))
    if shape.predicted and draw(st.booleans()):
        value[shape.predicted] = draw(spans(2))
    return dict(draw(st.permutations(list(value.items()))))


LAYOUTS = {
    "lines": lambda values, indent: "\n".join(json.dumps(value) for value in values),
    "array": lambda values, indent: json.dumps(values, indent=indent, ensure_ascii=False),
    "objects": lambda values, indent: "".join(json.dumps(value, indent=indent) for value in values),
    "compact": lambda values, indent: "\r\n".join(json.dumps(value, separators=(",", ":")) for value in values),
}
PLAIN = [name for name, shape in SHAPES.items() if not shape.group and not shape.fields]


def leaves(value) -> list:
    """The words in nested lists and objects of one field."""
    if isinstance(value, list):
        return [*chain.from_iterable(map(leaves, value))]
    return leaves(*value.values()) if isinstance(value, dict) else [value]


def naive(value, shape):
    """Name, number of tokens, words and mentions (start, end, entity) of a document; None for a faulty one."""
    name = next((value[field] for field in shape.names if value.get(field) is not None), None)
    part = value.get(shape.part)
    if type(name) is float or (type(part) is float and name is not None):
        return None
    if name is not None:
        name = f"{name}" if part is None else f"{name}_{part[0] if isinstance(part, list) else part}"
    entries = value.get(shape.tokens[0]) if shape.tokens else None
    words = None if entries is None else leaves([*entries] if isinstance(entries, str) else entries)
    lengths = [len(leaves(entry)) for entry in entries or ()]
    n_tokens = value.get(shape.count) if words is None else len(words)
    word_of = range(2**31 - 1 if n_tokens is None else n_tokens)
    if shape.word_of:
        word_of = next((value[field] for field in shape.word_of if field in value), None)
        if word_of is None or -1 in word_of:
            return None
        n_words = 1 + max((word for word in word_of if word is not None), default=-1)
        if n_tokens is not None and n_words > n_tokens:
            return None
        n_tokens = n_words if n_tokens is None else n_tokens
    spans, entity = [], 0
    for cluster in value[shape.clusters]:
        before = len(spans)
        for *sentence, first, last in cluster:
            start, end = first, last - shape.exclusive
            if start > end or (sentence and (sentence[0] >= len(lengths) or end >= lengths[sentence[0]])):
                continue
            if sentence:
                start, end = (sum(lengths[: sentence[0]]) + at for at in (start, end))
            if end >= len(word_of) or None in (word_of[start], word_of[end]) or word_of[start] > word_of[end]:
                continue
            spans.append((word_of[start], word_of[end], entity))
        entity += len(spans) > before
    if n_tokens is None:
        n_tokens = max((end for _, end, _ in spans), default=-1) + 1
    return name, n_tokens, words, spans


@examples()
@given(st.data())
def test_documents_are_what_a_loop_finds(data):
    name = data.draw(st.sampled_from(PLAIN))
    shape = SHAPES[name]
    values = data.draw(st.lists(documents(name), min_size=1, max_size=4))
    text = LAYOUTS[data.draw(st.sampled_from(sorted(LAYOUTS)))](values, data.draw(st.sampled_from([None, 1])))
    expected = [document for value in values if (document := naive(value, shape)) is not None]
    (found, faults), _ = read(text.encode("utf-8", "backslashreplace"), format=name)
    assert bool(faults) == (len(expected) < len(values) or n_mentions(expected) < n_in(values, shape))
    for d, (own, n_tokens, words, spans) in enumerate(expected):
        assert found.names[d] == ((str(d + 1) if len(expected) > 1 else "f") if own is None else own)
        assert found.n_tokens[d] == n_tokens
        assert found.text[d].words() == words
        assert mentions(found, d) == spans
    assert len(found) == len(expected)


def n_mentions(expected) -> int:
    return sum(len(spans) for *_, spans in expected)


def n_in(values, shape) -> int:
    return sum(len(cluster) for value in values for cluster in value[shape.clusters])


def read(content: bytes, **options):
    """Read leniently: documents, and faults in the order in which they are reported; and as text of both."""
    faults: list[str] = []

    def report(fault: ReadError) -> None:
        faults.append(str(fault))

    parsed = reader.read_json(
        content, "f", ReadingOptions(lenient=True, problems=ProblemLog(report, True, True), **options)
    )
    d = parsed.documents
    m = d.mentions
    assert [array.dtype for array in (m.document, m.start, m.end, m.entity)] == [np.int32] * 4
    arrays = [m.document, m.start, m.end, m.entity, m.line, d.lengths, d.named]
    texts = None if m.text is None else m.text.tolist()
    words = [d.text[k].sentences() for k in range(len(d))]
    return (d, faults), (d.names, d.units, parsed.begins, [a.tolist() for a in arrays], texts, words, faults)


@examples()
@given(st.data())
def test_documents_do_not_depend_on_others(data):
    """They are the same if each is made into arrays by itself, whatever bytes are put in, taken out or changed."""
    name = data.draw(st.sampled_from(PLAIN))
    values = data.draw(st.lists(documents(name), min_size=1, max_size=4))
    text = LAYOUTS[data.draw(st.sampled_from(sorted(LAYOUTS)))](values, data.draw(st.sampled_from([None, 1])))
    text = text.replace('"other"', f'"{data.draw(st.sampled_from(["other", "", *SHAPES[name].looked_at]))}"')
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(data.draw(st.sampled_from([0, 0, 1, 3]))):
        at = data.draw(st.integers(0, len(content) - 1))
        new = data.draw(st.sampled_from(list(b'[]{},:"\\ \n0123456789-.e\xff\x00\x0bnull')))
        content[at : at + data.draw(st.integers(0, 1))] = bytes([new])[: data.draw(st.integers(0, 1))]
    options = {
        "side": data.draw(st.sampled_from(["key", "response"])),
        "format": data.draw(st.sampled_from([None, name])),
    }
    try:
        together = read(bytes(content), **options)[1]
    except ReadError:  # words or characters: not said
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "DOCUMENTS", 1)
        assert read(bytes(content), **options)[1] == together
