"""JSON read in batches and by the strict reader alone is the same: documents of every shape, and changes of these."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from arraycoref.errors import ReadError
from arraycoref.read.documents import Parsed
from arraycoref.read.json import read_json
from arraycoref.read.shapes import SHAPES
from arraycoref.read.sources import ReadingOptions
from strategies import examples

ALWAYS, NEVER = 0, 1 << 60
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


def both(data: bytes, options: dict) -> list:
    """What each reader makes of a file: documents, and faults in the order in which they are told of."""
    found = []
    for small in (ALWAYS, NEVER):
        for lenient in (True, False):
            faults: list[str] = []

            def fault(error: ReadError, faults=faults, lenient=lenient) -> None:
                faults.append(str(error))
                if not lenient:
                    raise error

            try:
                given = ReadingOptions(lenient=lenient, on_error=fault, on_doubt=fault, **options)
                parsed = read_json(data, "f", given, small)
            except ReadError as error:
                found.append((str(error), faults))
            else:
                found.append((facts(parsed), faults))
    return found


def facts(parsed: Parsed) -> tuple:
    d = parsed.documents
    m = d.mentions
    arrays = (d.offsets, m.start, m.end, m.entity, m.line, d.n_tokens, d.text.lengths, d.named)
    assert [each.dtype for each in arrays[1:4]] == [np.int32] * 3
    words = [d.text.sentences(k) for k in range(len(d))]
    texts = None if m.text is None else m.text.tolist()
    return texts, d.names, d.headers, d.units, parsed.begins, [each.tolist() for each in arrays], words


@examples()
@given(st.data())
def test_batches_are_as_the_strict_reader(data):
    name = data.draw(st.sampled_from(PLAIN))
    values = data.draw(st.lists(documents(name), min_size=1, max_size=4))
    text = LAYOUTS[data.draw(st.sampled_from(sorted(LAYOUTS)))](values, data.draw(st.sampled_from([None, 1])))
    text = text.replace('"other"', f'"{data.draw(st.sampled_from(["other", "", *SHAPES[name].looked_at]))}"')
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(data.draw(st.sampled_from([0, 0, 1, 3]))):  # a byte put in, taken out or changed
        at = data.draw(st.integers(0, len(content) - 1))
        new = data.draw(st.sampled_from(list(b'[]{},:"\\ \n0123456789-.e\xff\x00\x0bnull')))
        content[at : at + data.draw(st.integers(0, 1))] = bytes([new])[: data.draw(st.integers(0, 1))]
    options = {
        "side": data.draw(st.sampled_from(["key", "response"])),
        "format": data.draw(st.sampled_from([None, name])),
    }
    found = both(bytes(content), options)
    assert found[:2] == found[2:]


def test_every_byte_changed():
    """A document with each of its bytes changed in turn."""
    words = ["a", "bc", "a longer word", "é", "\n", "", '"'] * 5
    value = {"doc_key": "d", "speakers": [["x", ""] * 20], "sentences": [words, words[::-1]], "clusters": [[[0, 69]]]}
    text = json.dumps(value, ensure_ascii=False).encode()
    for new in b'"\\, ]\n':
        changed = [text[:at] + bytes([new]) + text[at + 1 :] for at in range(len(text))]
        found = both(b"\n".join(changed), {"format": "e2e"})
        assert found[:2] == found[2:]
        assert len(found[0][1]) > len(text) // 4  # faults: the strict reader is needed often


@pytest.mark.parametrize("layout", ["array", "objects"])
def test_what_follows_a_broken_object(layout):
    """Behind one, objects over several lines are broken too, as they are to the strict reader: it goes on by lines."""
    text = LAYOUTS[layout]([{"doc_key": k, "clusters": [[[k, k]]]} for k in range(2)], 1).encode()
    for at in range(len(text)):
        data = text[:at] + text[at + 1 :]
        for changed in (data, data.removeprefix(b"[")):
            found = both(changed, {"format": "e2e"})
            assert found[:2] == found[2:], changed
