"""coval's two functions, fed as their callers feed them, against the definitions in sets."""

import json
import random

import pytest

import oracle
from arraycoref.exceptions import DocumentMismatchError, OptionError
from arraycoref.interop.compat import coval as evaluator, coval as reader

METRICS = [(name, getattr(evaluator, name)) for name in ("mentions", "muc", "b_cubed", "ceafe", "lea")]


def side_of(rng):
    clusters = [[] for _ in range(5)]
    for start in range(15):
        if rng.random() < 0.8:
            rng.choice(clusters).append((start, start))
    return [cluster for cluster in clusters if cluster]


@pytest.fixture
def files(tmp_path):
    rng = random.Random(53)
    sides = [{f"d{n}": side_of(rng) for n in range(20)} for _ in range(2)]
    for name, side in zip(("key", "response"), sides, strict=True):
        lines = [json.dumps({"doc_key": document, "clusters": clusters}) for document, clusters in side.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path, *sides


@pytest.mark.parametrize("keep_singletons", [True, False])
def test_scores(files, keep_singletons):
    folder, keys, responses = files
    infos = reader.get_coref_infos(
        folder / "key.jsonl", folder / "response.jsonl", False, False, keep_singletons, False
    )
    assert list(infos) == list(keys)
    for metric, function in METRICS:
        rows = [
            oracle.COUNTS[function](
                *([c for c in side[name] if keep_singletons or len(c) > 1] for side in (keys, responses))
            )
            for name in keys
        ]
        assert evaluator.evaluate_documents(infos, function) == pytest.approx([*map(float, oracle.micro(rows))]), metric
        expected = [*map(float, oracle.micro(rows, 2))]
        assert evaluator.evaluate_documents(infos, function, beta=2) == pytest.approx(expected)
    key, response, in_response, in_key = infos["d3"]
    assert all(m in response[c] for m, c in in_response.items())
    assert all(m in key[c] for m, c in in_key.items())
    assert {*in_response} == {*in_key} == {m for c in key for m in c} & {m for c in response for m in c}


def test_what_is_refused(files, tmp_path):
    folder = files[0]
    for option in ("NP_only", "remove_nested", "min_span"):
        with pytest.raises(OptionError, match=option):
            reader.get_coref_infos(folder / "key.jsonl", folder / "response.jsonl", **{option: True})
    (tmp_path / "one.jsonl").write_text(json.dumps({"doc_key": "d0", "clusters": []}), encoding="utf-8")
    with pytest.raises(DocumentMismatchError):
        reader.get_coref_infos(folder / "key.jsonl", tmp_path / "one.jsonl")
