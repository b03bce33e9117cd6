"""Descriptions of corpora, by the slow definitions, with sets of mentions and words."""

import itertools
import json

import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.exceptions import UnknownNameError
from strategies import examples

SPANS = st.tuples(st.integers(0, 11), st.integers(0, 4)).map(lambda pair: (pair[0], min(pair[0] + pair[1], 11)))


@st.composite
def documents(draw):
    """Clusters of spans of twelve words in three sentences; a span is in one entity at most."""
    spans = draw(st.lists(SPANS, unique=True, min_size=1, max_size=12))
    labels = draw(st.lists(st.integers(0, 3), min_size=len(spans), max_size=len(spans)))
    return [[s for s, own in zip(spans, labels, strict=True) if own == label] for label in sorted(set(labels))]


def words(span):
    return set(range(span[0], span[1] + 1))


def crosses(one, other):
    return bool(words(one) & words(other)) and not (words(one) <= words(other) or words(other) <= words(one))


@given(st.lists(documents(), min_size=1, max_size=3))
@examples()
def test_every_number(tmp_path_factory, corpus):
    path = tmp_path_factory.mktemp("d") / "key.jsonl"
    sentences = [["w"] * 5, ["w"] * 4, ["w"] * 3]
    lines = ({"doc_key": str(n), "sentences": sentences, "clusters": clusters} for n, clusters in enumerate(corpus))
    path.write_text("\n".join(map(json.dumps, lines)))
    numbers = ac.describe(path).corpora["key"]
    mentions = [[span for cluster in clusters for span in cluster] for clusters in corpus]
    entities = [sorted(cluster) for clusters in corpus for cluster in clusters]
    n, lengths = sum(map(len, mentions)), [len(words(span)) for own in mentions for span in own]
    nested = sum(any(words(span) < words(other) for other in own) for own in mentions for span in own)
    crossing = sum(any(crosses(span, other) for other in own) for own in mentions for span in own)
    singletons = sum(len(cluster) == 1 for cluster in entities)
    whole = {name: value for (attribute, name), value in numbers.items() if not attribute}
    assert {name: whole[name][0] for name in ("documents", "sentences", "words", "mentions", "entities")} == {
        "documents": len(corpus),
        "sentences": 3 * len(corpus),
        "words": 12 * len(corpus),
        "mentions": n,
        "entities": len(entities),
    }
    assert whole["nested mentions"] == (nested, pytest.approx(nested / n))
    assert whole["crossing mentions"] == (crossing, pytest.approx(crossing / n))
    assert whole["singletons"] == (singletons, pytest.approx(singletons / len(entities)))
    assert whole["length: mean"][0] == pytest.approx(sum(lengths) / n)
    assert whole["length: most"][0] == max(lengths)
    assert numbers["length", "1"] == (lengths.count(1), pytest.approx(lengths.count(1) / n))
    assert whole["size: mean"][0] == pytest.approx(n / len(entities))
    assert numbers["size", "3-5"][0] == sum(3 <= len(cluster) <= 5 for cluster in entities)
    ranges = [max(end for _, end in c) - min(start for start, _ in c) + 1 for c in entities if len(c) > 1]
    distances = [b[0] - a[0] for cluster in entities for a, b in itertools.pairwise(cluster)]
    for name, values in (("range", ranges), ("distance-tokens", [max(value, 1) for value in distances])):
        assert (f"{name}: mean" in whole) == bool(values)
        if values:
            assert whole[f"{name}: mean"][0] == pytest.approx(sum(values) / len(values))
            assert whole[f"{name}: most"][0] == max(values)
            assert sum(value[0] for (attribute, _), value in numbers.items() if attribute == name) == len(values)


def test_parts_of_a_corpus_and_types(tmp_path):
    """A mention in two entities counts in both; what a file does not have is not there; parts stand side by side."""
    lines = [("Ann", "(0)|(1"), ("left", "1)"), (), ("She", "(0)|(2)"), ()]
    text = "".join("\t".join(["x", "0", "0", *line[:1], *"-------", *line[1:]]) * bool(line) + "\n" for line in lines)
    (tmp_path / "train.conll").write_text(f"#begin document (x);\n{text}#end document\n")
    (tmp_path / "dev.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 1], [5, 5]]]}\n')
    d = ac.describe({name: tmp_path / file for name, file in (("train", "train.conll"), ("dev", "dev.jsonl"))})
    train, dev = d.corpora.values()
    assert train["", "mentions in several entities"] == (2, 0.5)
    assert [train["", name][0] for name in ("sentences", "words", "mentions", "entities")] == [2, 3, 4, 3]
    assert ("", "words") not in dev
    assert ("distance-sentences", "0") not in dev
    assert list(d.to_dict()["rows"][0].values()) == ["train", "", "documents", 1, None]
    header, first = d.tables(2)[0].headers, d.tables(2)[0].rows[0]
    assert (header, first) == (["", "number", "%", "number", "%"], ["documents", "1", "", "1", ""])
    with pytest.raises(UnknownNameError):
        ac.describe(tmp_path / "dev.jsonl", attributes="lengths")


def test_types_and_values(tmp_path):
    """Values without places have sizes and types, no lengths."""
    (tmp_path / "t.csv").write_text("mention,label\na,1\nb,1\nc,2\n")
    numbers = ac.describe(tmp_path / "t.csv").corpora["key"]
    assert numbers["", "entities"][0] == 2
    assert numbers["size", "2"] == (1, 0.5)
    assert ("length", "1") not in numbers
    assert ("", "words") not in numbers
