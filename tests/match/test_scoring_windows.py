"""Windows of long texts, and levels of corpora whose chains cross documents, against views made with sets."""

import json
import random

import numpy as np
import pytest

import arraycoref as ac

METRICS = "mentions,muc,bcub,ceafe,lea"


def random_side(rng, n_words):
    """Return entities as lists of spans; some spans cross the ends of windows, and half are likely on both sides."""
    places = {*range(0, n_words, max(n_words // 40, 1)), *(n for n in (1499, 1500, 1501, 3000) if n < n_words)}
    entities = {}
    for start in sorted(places):
        if rng.random() < 0.8:
            span = (start, min(start + start % 4, n_words - 1))
            entities.setdefault(rng.randint(0, 6), []).append(span)
    return list(entities.values())


def bounds_of(n_words, window):
    """Yield the ranges of words, as two numbers between which a mention's first word is."""
    if window == "bookcoref":  # the ends are multiples of 1,500, then the length; nothing begins at the lower bound
        for end in [1500 * n for n in range(1, n_words // 1500 + 1)] + [n_words]:
            yield end - 1500 + 1, end
    else:
        yield from ((begin, begin + window) for begin in range(0, n_words, window))


def cut(entities, begin, end):
    kept = [[span for span in entity if begin <= span[0] < end] for entity in entities]
    return [entity for entity in kept if entity]


def write(path, documents):
    path.write_text("\n".join(json.dumps(document) for document in documents) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("window", "lengths"),
    [(1, [7]), (5, [23, 4, 10]), (40, [100, 40, 39]), ("bookcoref", [4000, 3000, 900, 1500, 1501])],
)
@pytest.mark.parametrize("seed", range(3))
def test_windows_equal_those_made_with_sets(window, lengths, seed, tmp_path):
    rng = random.Random(seed)
    sides = [[random_side(rng, n_words) for n_words in lengths] for _ in range(2)]
    paths = []
    for name, side in zip(("key", "response"), sides, strict=True):
        texts = [{"doc_key": f"d{n}", "sentences": [["w"] * n_words]} for n, n_words in enumerate(lengths)]
        documents = [text | {"clusters": entities} for text, entities in zip(texts, side, strict=True)]
        paths.append(write(tmp_path / f"{name}.jsonl", documents))
    b = ac.score_files(*paths, window=window, metrics=METRICS)
    ranges = [(d, *ends) for d, n_words in enumerate(lengths) for ends in bounds_of(n_words, window)]
    expected = ac.score_batch(*[[cut(side[d], *ends) for d, *ends in ranges] for side in sides], metrics=METRICS)
    assert b.counts.rows.tolist() == expected.counts.rows.tolist()
    assert b.names[0] == "d0 [1]"
    assert f"|window:{window}" in str(b.signature)


def test_a_repeated_mention_is_found_in_its_window(tmp_path):
    document = {"doc_key": "d", "sentences": [["w"] * 9], "clusters": [[[7, 7], [0, 0]], [[7, 7], [8, 8]]]}
    paths = [write(tmp_path / "key.jsonl", [document]), write(tmp_path / "response.jsonl", [document])]
    with pytest.raises(ac.DuplicateMentionError, match=r"d \[2\].*7-7 is in two entities"):
        ac.score_files(*paths, window=4)


@pytest.mark.parametrize("window", [0, -1, "many", 1.5, True])
def test_no_length_of_windows(window, tmp_path):
    with pytest.raises(ac.OptionError, match="expected a number of words from 1, or 'bookcoref'"):
        ac.score_files("key.conll", "response.conll", window=window)


def test_mentions_that_are_no_spans_have_no_windows(tmp_path):
    (tmp_path / "key.tsv").write_text("document\tmention\tlabel\na\tx\t1\na\ty\t1\n", encoding="utf-8")
    with pytest.raises(ac.InputError, match="a window is of words, and its mentions are of mentions"):
        ac.score_files(tmp_path / "key.tsv", tmp_path / "key.tsv", window=10)


NAMES = ["1/1a/x", "1/1a/y", "1/1b/x", "2/2a/x"]
PREFIX = {
    "document": lambda name: name,
    "subtopic": lambda name: name.rpartition("/")[0],
    "topic": lambda name: name.partition("/")[0],
    "corpus": lambda name: "corpus",
}


def mentions(rng):
    """Return a mapping from mentions, (document, sentence, token), to chains that cross documents."""
    return {(name, 0, token): rng.randint(0, 3) for name in NAMES for token in rng.sample(range(9), 5)}


@pytest.mark.parametrize("level", PREFIX)
@pytest.mark.parametrize("field", ["conll_doc_key", "doc_id"])
def test_levels_equal_those_made_with_sets(level, field, tmp_path):
    rng = random.Random(level)
    sides = [mentions(rng), mentions(rng)]
    paths, clusters = [], []
    for number, side in enumerate(sides):
        objects = [
            {"coref_chain": chain, field: name, "sent_id": sentence, "tokens_number": [token]}
            for (name, sentence, token), chain in side.items()
        ]
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(objects), encoding="utf-8")
        documents = {}
        for mention, chain in side.items():
            documents.setdefault(PREFIX[level](mention[0]), {}).setdefault(chain, []).append(mention)
        clusters.append({name: list(chains.values()) for name, chains in documents.items()})
    b = ac.score_files(*paths, level=level, metrics=METRICS, on_error=lambda _: None)
    expected = ac.score_batch(*clusters, metrics=METRICS)
    assert (b.names, b.counts.rows.tolist()) == (expected.names, expected.counts.rows.tolist())
    assert ("|level:" in str(b.signature)) == (level != "document")


def test_levels_need_topics_and_mentions_alone(tmp_path):
    objects = [{"coref_chain": 1, "doc_id": "House of Pain", "sent_id": 2, "tokens_number": [50, 51]}]
    (tmp_path / "wec.json").write_text(json.dumps(objects), encoding="utf-8")
    with pytest.raises(ac.ReadError, match="'House of Pain' has no topic"):
        ac.score_files(tmp_path / "wec.json", tmp_path / "wec.json", level="topic")
    path = write(tmp_path / "key.jsonl", [{"doc_key": "d", "clusters": [[[0, 0]]]}])
    (tmp_path / "key.conll").write_text("#begin document (d);\na\t(1)\n#end document\n", encoding="utf-8")
    for other in (path, tmp_path / "key.conll"):
        with pytest.raises(ac.ReadError, match="levels other than 'document' need JSON with one object per mention"):
            ac.score_files(other, other, level="corpus")


@pytest.mark.parametrize("missing", [False, True])
def test_windows_in_sweeps(missing, tmp_path):
    """Responses of other lengths, or without some documents, have the windows of the key."""
    rng = random.Random(1)
    files = [
        write(tmp_path / f"x={n}.jsonl", [{"doc_key": f"d{d}", "clusters": random_side(rng, 30 + n)} for d in range(2)])
        for n in range(3)
    ]
    if missing:
        text = (tmp_path / "x=2.jsonl").read_text(encoding="utf-8")
        (tmp_path / "x=2.jsonl").write_text(text.partition("\n")[0] + "\n", encoding="utf-8")
    options = {"window": 9, "missing_documents": "empty", "metrics": METRICS}
    runs = ac.sweep_files(files[0], files[1:], **options)
    for n, path in enumerate(files[1:]):
        assert runs.counts.rows[n].tolist() == ac.score_files(files[0], path, **options).counts.rows.tolist()
    skipped = ac.sweep_files(files[0], files[1:], **options | {"missing_documents": "skip"})
    assert np.isnan(skipped.counts.rows[1, :, 0, 0]).sum() == (4 if missing else 0)


def test_mentions_behind_the_key_are_in_the_last_window(tmp_path):
    paths = [
        write(tmp_path / f"{n}.jsonl", [{"doc_key": "d", "clusters": clusters}])
        for n, clusters in enumerate(([[[0, 0], [5, 5]]], [[[0, 0], [5, 5], [20, 20]]]))
    ]
    b = ac.score_files(*paths, window=4)
    assert (len(b), b["mentions"].precision) == (2, 2 / 3)
