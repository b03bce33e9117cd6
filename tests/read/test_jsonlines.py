"""JSON lines: fields, mentions, layouts, and each fault with its place."""

import json

import numpy as np
import pytest
from read_helpers import mentions

from arraycoref.exceptions import ReadError, ReadWarning
from arraycoref.read import read_documents
from marks import cases

BOTH = '{"doc_key": "x", "clusters": [[[0, 1]]], "predicted_clusters": [[[2, 2], [0, 0]], [], [[1, 1]]]}'

SUFFIX = ".jsonl"


def test_sides(read):
    assert mentions(read(BOTH)) == [(0, 1, 0)]
    found = read(BOTH, side="response")
    assert mentions(found) == [(2, 2, 0), (0, 0, 0), (1, 1, 1)]  # the empty cluster is no entity
    assert (found.names, found.headers, found.n_tokens.tolist()) == (("x",), ("(x)",), [3])
    assert [found.mentions.start.dtype, found.mentions.end.dtype, found.mentions.entity.dtype] == [np.int32] * 3
    assert [found.mentions.line.dtype, found.offsets.dtype, found.n_tokens.dtype] == [np.int64] * 3
    assert mentions(read('{"id": 7, "clusters": [[[0, 1]]]}', side="response")) == [(0, 1, 0)]


def test_names(read):
    for field in ("doc_key", "doc_id", "id", "name"):
        assert read(f'{{"{field}": "d/1_0", "clusters": []}}').names == ("d/1_0",)
    found = read('{"clusters": []}\n\n{"doc_key": null, "clusters": []}{"id": "c", "clusters": []}')
    assert (found.names, found.named.tolist()) == (("1", "2", "c"), [False, False, True])
    assert read('{"clusters": []}').names == ("x",)  # the name of the file, of one document


def test_number_of_tokens(read):
    found = read(
        '\ufeff{"doc_key": "a", "clusters": [], "sentences": [["x", "y"], [], ["z"]]}\r\n\n'
        '{"doc_key": "b", "clusters": [[[3, 8]]]}\n{"doc_key": "c", "clusters": []}\n'
        '{"doc_key": "d", "clusters": [], "n_tokens": 9}'
    )
    assert found.n_tokens.tolist() == [3, 9, 0, 9]
    assert found.mentions.line.tolist() == [3]


def test_layouts(read):
    for text, lines in (
        ('[{"id": "a", "clusters": [[[0, 0]]]},\n\n {"id": "b", "clusters": [[[1, 1]]]}]\n', [1, 3]),
        (' \n [\n{"id": "a",\n "clusters": [[[0, 0]]]}\n,\n{"id": "b", "clusters": [[[1, 1]]]}\n] ', [3, 6]),
    ):
        found = read(text)
        assert (found.names, found.mentions.line.tolist()) == (("a", "b"), lines)
    found = read("\n" + json.dumps(json.loads(BOTH), indent=2))
    assert (found.names, mentions(found), found.mentions.line.tolist()) == (("x",), [(0, 1, 0)], [2])
    assert len(read("[ ]", lenient=True, on_error=lambda fault: None)) == 0


def doc(mention: str, more: str = "") -> str:
    return f'{{"id": "a", "clusters": []}}\n{{"id": "b", "clusters": [[[1, 1], {mention}]]{more}}}\n'


FAULTS = [
    *[
        (doc(bad), 2, f"the mention {shown}")
        for bad, shown in [
            ("[true, 1]", "[True, 1]"),
            ("[0, 1.0]", "[0, 1.0]"),
            ("[0, 1, 2]", "[0, 1, 2]"),
            ('["0", "1"]', "['0', '1']"),
            ("[-1, 2]", "[-1, 2]"),
            ("[2, 1]", "[2, 1]"),
            ("[NaN, 1]", "[nan, 1]"),
            ("[0, 2147483647]", "[0, 2147483647] lies past"),
            (f"[0, {10**100}]", f"[0, {10**100}"[:60]),
        ]
    ],
    (doc("[1, 3]", ', "sentences": [["a", "b"], ["c"]]'), 2, "3 tokens of the document; do its numbers count from 1?"),
    (doc("[1, 3]", ', "n_tokens": 3'), 2, "past the 3 tokens"),
    (doc("[1, 1]", ', "sentences": ["a b"]'), 2, "sentences is not a list"),
    ("\n\n[1]\n", 3, "expected a JSON object, not 1"),
    ('{"id": "a", "clusters": []}\n\n{"id": "b", "clusters": [}\n', 3, "not JSON: Expecting value at column 26"),
    ('{"id": "a", "clusters": []}\n{"id": "b"\n', 2, "not JSON"),
    ('{"id": 1.5, "clusters": []}', 1, "id is 1.5; expected a string"),
    ('{"id": "a", "predicted_clusters": []}', 1, "no clusters among the fields 'id, predicted_clusters'"),
    ('{"id": "a", "clusters": null}', 1, "clusters is None; expected lists of [start, end]"),
    ('{"id": "a", "clusters": [{}]}', 1, "clusters is [{}]; expected lists"),
    ("", None, "no document; expected one JSON object per line"),
    (b'{"id": "\xff", "clusters": []}', 1, "not JSON: 'utf-8' codec"),
    (b'[\n{"id": "\xff", "clusters": []}]', 2, "not JSON: 'utf-8' codec"),
    ('{"id": "a", "clusters": ' + "[" * 10**5, 1, "not JSON"),
    ('{"id": "a", "clusters": [[[0, ' + "9" * 5000 + "]]]}", 1, "not JSON"),
    ("[{}\n{}]", 1, "no clusters among the fields ''"),
    ('[{"id": 1, "clusters": []}\n{}]', 2, "expected ',' or ']'"),
    ("[", 1, "not JSON"),
    ('[{"id": 1, "clusters": []},\n]', 2, "not JSON"),
    ('[{"id": 1, "clusters": []}]\n x', 2, "text after the array"),
    ('[\n{"id": "a",\n"clusters": [1,,2]}]', 3, "not JSON: Expecting value at column 16"),
    ('{"id": 1, "clusters": []}\n{"id": "1", "clusters": []}', 2, "a second document '1'; the first begins at"),
]


@cases("text,line,reason", FAULTS)
def test_faults(read, tmp_path, text, line, reason):
    with pytest.raises(ReadError) as caught:
        read(text)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "x.jsonl"), line)
    assert reason in caught.value.reason
    assert len(caught.value.reason) < 300
    passed: list[ReadError] = []
    read(text, lenient=True, on_error=passed.append)
    assert str(passed[0]) == str(caught.value)


def test_lenient_keeps_the_rest(read):
    text = '{"id": "a"}\nx\n{"id": "b", "clusters": [[[3, 1]], [[0, 0], [1.5, 2]], [[1, 1]]]}\n'
    text += '{"id": "b", "clusters": []}'
    passed: list[ReadError] = []
    found = read(text, lenient=True, on_error=passed.append)
    assert (found.names, mentions(found)) == (("b",), [(0, 0, 0), (1, 1, 1)])
    assert [fault.line for fault in passed] == [1, 2, 3, 3, 4]


def test_what_follows_a_broken_object(read):
    """Behind one, objects over several lines are read no more: each line of a broken file would go to its end."""
    whole = json.dumps({"doc_key": "b", "clusters": [[[1, 1]]]}, indent=1)
    for broken, line in (('{"doc_key": "a", "clusters": [[[0, 0]]', 1), ("{\n oops}", 2), ('{"doc_key": "a\n}', 1)):
        passed: list[ReadError] = []
        found = read(
            f"{broken}\n" + "{}" + f"\n{whole}\n" + '{"id": "c", "clusters": []}', lenient=True, on_error=passed.append
        )
        assert (found.names, passed[0].line, len(passed) > 8) == (("c",), line, True)
        found = read(f"{whole}{whole.replace('b', 'c')}\n{broken}", lenient=True, on_error=passed.append)
        assert found.names == ("b", "c")


def test_a_word_that_is_not_utf8_is_one_fault(read):
    text = b'[{"id": "a", "clusters": []},\n{"id": "\xff", "clusters": []}, {"id": "c", "clusters": []}]'
    for content in (text, text[1:-1].replace(b"},", b"}")):
        passed: list[ReadError] = []
        assert read(content, lenient=True, on_error=passed.append).names == ("a", "c")
        assert [fault.line for fault in passed] == [2]


PREDICTED = '{"doc_key": "a", "clusters": [[[0, 1]]], "predicted_clusters": []}'
FAILED = '{"doc_key": "b", "clusters": [[[0, 1]]]}'


@pytest.mark.parametrize("lines", [[PREDICTED, FAILED], [FAILED, PREDICTED]])
def test_the_key_is_never_taken_for_the_response(read, lines):
    """Where some documents have predicted clusters, the others' clusters are those of the key."""
    text = "\n".join(lines)
    assert len(read(text)) == 2
    place = rf"x\.jsonl:{1 + lines.index(FAILED)}: no predicted_clusters among the fields 'doc_key, clusters'"
    with pytest.raises(ReadError, match=place):
        read(text, side="response")
    with pytest.warns(ReadWarning, match=place):
        assert read(text, side="response", lenient=True).names == ("a",)
    assert len(read(FAILED, side="response")) == 1


def test_a_broken_prediction_is_one_fault(read):
    faults = []
    text = PREDICTED.replace("[]", '"none"') + "\n" + PREDICTED.replace('"a"', '"c"')
    assert read(text, side="response", lenient=True, on_error=faults.append).names == ("c",)
    assert [fault.line for fault in faults] == [1]


def test_the_key_is_not_taken_for_the_response_in_another_file(tmp_path):
    (tmp_path / "1.jsonl").write_text(PREDICTED)
    (tmp_path / "2.jsonl").write_text(FAILED)
    with pytest.raises(ReadError, match=r"2\.jsonl: the clusters are in .*clusters, but in .*clusters in .*1\.jsonl"):
        read_documents(tmp_path, side="response")


def test_a_field_that_stands_twice(read):
    for line in (
        '{"doc_key": "a", "clusters": [[[0, 0]]], "clusters": []}',
        '{"doc_key": "a", "doc_key": "b", "clusters": []}',
        '{"doc_key": "a",\n "clusters": [],\n "clusters": []}',
    ):
        with pytest.raises(ReadError, match=r"x\.jsonl:1: the field '(clusters|doc_key)' appears twice in one object"):
            read(line)
    assert len(read('{"doc_key": "a", "clusters": [], "note": 1, "note": 2, "meta": {"id": 1, "id": 2}}')) == 1


def test_too_many_tokens(read):
    assert read(f'{{"doc_key": "a", "clusters": [], "n_tokens": {2**31 - 1}}}').n_tokens.tolist() == [2**31 - 1]
    for n_tokens in (2**31, 2**63, -1, 1.5, True):
        with pytest.raises(ReadError, match=f"n_tokens is {n_tokens}; expected a number of tokens"):
            read(f'{{"doc_key": "a", "clusters": [], "n_tokens": {json.dumps(n_tokens)}}}')


def test_a_word_of_the_text_is_no_field(read):
    text = '{"id": 1, "clusters": [[[0, 0]]], "sentences": [["predicted_clusters"], ["\\"predicted_clusters\\":"]]}'
    assert mentions(read(text, side="response")) == [(0, 0, 0)]
