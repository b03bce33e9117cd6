"""Readers of what coreference tools hold in memory."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.interop.tools import characters_to_tokens, read_row, read_rows, read_spacy, read_spans
from arraycoref.match.spacy_stanza import clusters_of
from arraycoref.scoring.antecedents import antecedent_labels
from marks import cases
from strategies import examples


def span(start, end):
    return SimpleNamespace(start=start, end=end)


def test_spans():
    assert read_spans([[[0, 1], (2, 3)], np.array([[4, 5]])]) == [[(0, 1), (2, 3)], [(4, 5)]]
    with pytest.raises(ac.InputError, match="is not a span"):
        read_spans([[(0.5, 1)]])


def test_spans_of_spacy():
    groups = {"coref_clusters_1": [span(0, 1), span(4, 6)], "sents": [span(0, 9)], "coref_clusters_2": [span(2, 3)]}
    doc = SimpleNamespace(spans=groups)
    assert read_spacy(doc) == [[(0, 1), (4, 6)], [(2, 3)]]
    assert read_spacy(doc, prefix="sents") == [[(0, 9)]]
    with pytest.raises(ac.InputError, match="it has: coref_clusters_1, sents"):
        read_spacy(doc, prefix="other")
    offsets = SimpleNamespace(spans={}, _=SimpleNamespace(coref_clusters=[[(0, 5), (9, 12)]]))
    assert read_spacy(offsets) == [[(0, 5), (9, 12)]]
    objects = SimpleNamespace(_=SimpleNamespace(coref_clusters=[SimpleNamespace(mentions=[span(1, 2)])]))
    assert read_spacy(objects) == [[(1, 2)]]


def test_real_spacy():
    """Span groups, as they are and after a round through a file."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import DocBin

    pipeline = spacy.blank("en")
    doc = pipeline("Bob said that he saw her")
    doc.spans["coref_clusters_1"] = [doc[0:1], doc[3:4]]
    doc.spans["coref_head_clusters_1"] = [doc[0:1]]
    doc.spans["coref_clusters_2"] = [doc[4:6]]
    (again,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(pipeline.vocab)
    assert read_spacy(doc) == read_spacy(again) == [[(0, 1), (3, 4)], [(4, 6)]]
    assert ac.score(doc, again)["mentions"].recall_num == 3
    other = spacy.tokens.Doc(pipeline.vocab, ["Bob", "said", "that he", "saw", "her"])
    other.spans["coref_clusters_1"] = [other[0:1], other[2:3]]
    with pytest.raises(ac.DocumentMismatchError, match="token 2, 'that' in the key and 'that he' in the response"):
        ac.score(doc, other)


class Doc(SimpleNamespace):
    """A ``Doc`` of spaCy: one can go through its tokens."""

    def __iter__(self):
        return iter(SimpleNamespace(text=word) for word in self.words)


def spacy(words, clusters, in_characters=False):
    groups = {f"coref_clusters_{k}": [span(*each) for each in cluster] for k, cluster in enumerate(clusters, 1)}
    extension = SimpleNamespace(coref_clusters=clusters if in_characters else None)
    return Doc(spans={} if in_characters else groups, _=extension, words=words, text="".join(words).replace("-", ""))


def stanza(sentences, clusters):
    chains = [[SimpleNamespace(sentence=s, start_word=i, end_word=j) for s, i, j in cluster] for cluster in clusters]
    found = [SimpleNamespace(words=[SimpleNamespace(text=word) for word in words]) for words in sentences]
    return SimpleNamespace(coref=[SimpleNamespace(mentions=each) for each in chains], sentences=found)


WORDS = [f"w{k}" for k in range(38)]


@cases(
    "key,response,said",
    {
        "spaCy, split at a hyphen": (
            spacy(["a", "half-brother", *WORDS], [[(0, 2), (5, 6)]]),
            spacy(["a", "half", "-", "brother", *WORDS], [[(0, 4), (7, 8)]]),
            "document '0' has 40 tokens in the key and 42 in the response; .* token 1, 'half-brother' .* tokens=",
        ),
        "spaCy, other texts": (
            spacy(["a", "b", "c", *WORDS[:37]], [[(0, 1)]]),
            spacy(["d", "e", "f", *WORDS[:37]], [[(0, 1)]]),
            "document '0': 3 of 40 tokens differ between the key and the response; .* token 0, 'a' in the key and 'd'",
        ),
        "spaCy, a word that differs": (
            spacy(["a", "b", *WORDS], [[(0, 1)]]),
            spacy(["a", "c", *WORDS], [[(0, 1)]]),
            "the response: the words of 1 token differ from the key's; .* token 1, 'b' in the key and 'c' in",
        ),
        "spaCy, characters": (spacy(["a-", "b"], [[(0, 1)]], True), spacy(["a", "b"], [[(0, 1)]], True), ""),
        "stanza, other sentences": (
            stanza([["a", "b"], ["c"]], [[(0, 0, 1)]]),
            stanza([["a"], ["b", "c"]], [[(0, 0, 1)]]),
            r"1 of 3 tokens differ .* token 1, 'b \(sentence 0\)' in the key and 'b \(sentence 1\)'",
        ),
        "clusters alone": (spacy(["a", "b"], [[(0, 1)]]), [[(0, 1)]], ""),
    },
)
def test_words_of_documents_in_memory(key, response, said):
    """They are compared as those of files are, also where clusters were read before, or a key is kept for many."""
    ways = (
        lambda **options: ac.score(key, response, **options),
        lambda **options: ac.score_batch({"0": clusters_of(key)}, {"0": clusters_of(response)}, **options),
        lambda **options: ac.sweep({"0": key}, [{"0": response}], **options),
    )
    for score in ways:
        if said.startswith("the response"):
            with pytest.warns(ac.ReadWarning, match=said):
                score()
        elif said:
            with pytest.raises(ac.DocumentMismatchError, match=said):
                score()
        else:
            score()
        assert score(tokens="ignore").signature.tokens == "ignore"


def test_spans_of_characters_and_of_tokens():
    """They are numbers alike, so that (0, 1) of the one would be (0, 1) of the other."""
    key, response = spacy(["a-", "b"], [[(0, 1)]], True), spacy(["ab"], [[(0, 1)]])
    for options in ({}, {"heads": {(0, 1): 0}, "end": "exclusive"}):
        with pytest.raises(ac.InputError, match="spans count characters in the key and tokens in the response"):
            ac.score(key, response, **options)


def test_words_of_documents_with_heads():
    key, response, other = (
        spacy(words, [[(0, 1)], [(first, 3)]]) for words, first in (("abc", 1), ("abc", 2), ("abd", 2))
    )
    options = {"heads": {(0, 1): 0, (1, 3): 2, (2, 3): 2}, "end": "exclusive", "matching": "head"}
    assert ac.score(key, response, **options)["mentions"].f1 == 1
    with pytest.raises(ac.DocumentMismatchError, match="1 of 3 tokens differ between the key and the response"):
        ac.score(key, other, **options)


def test_characters():
    starts, ends = [0, 4, 10, 15], [3, 9, 14, 18]
    assert characters_to_tokens([[(0, 3), (4, 14)], [(15, 18)]], starts, ends) == [[(0, 0), (1, 2)], [(3, 3)]]
    off = [[(1, 3), (4, 9)], [(9, 10)]]
    with pytest.raises(ac.InputError, match="characters 1-3"):
        characters_to_tokens(off, starts, ends)
    with pytest.raises(ac.InputError, match=r"cluster 1: characters 9-10 .* touch none; unaligned='drop' allows that"):
        characters_to_tokens(off, starts, ends, unaligned="expand")


@examples(0.5)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), max_size=5), st.data())
def test_characters_touch_tokens(gaps, data):
    bounds, at = [], 0
    for gap, length in gaps:
        bounds.append((at + gap, at + gap + length))
        at += gap + length
    start = data.draw(st.integers(0, at + 2))
    span = (start, data.draw(st.integers(start + 1, at + 3)))
    starts, ends = ([bound[side] for bound in bounds] for side in (0, 1))
    touched = [t for t in range(len(bounds)) if set(range(*span)) & set(range(*bounds[t]))]
    found = (touched[0], touched[-1]) if touched else None
    exact = found if found and span == (starts[found[0]], ends[found[1]]) else None
    for unaligned, expected in (("error", exact), ("drop", exact or []), ("expand", found)):
        if expected is None:
            with pytest.raises(ac.InputError, match="not whole tokens"):
                characters_to_tokens([[span]], starts, ends, unaligned=unaligned)
        else:
            assert characters_to_tokens([[span]], starts, ends, unaligned=unaligned) == [[expected] if expected else []]


def test_rows_that_say_too_much_or_nothing():
    """The key's clusters beside the prediction were read as the prediction, and scored 100."""
    with pytest.raises(ac.InputError, match=r"has the fields clusters, predicted_clusters; expected field="):
        read_rows([{"doc_key": "a", "clusters": [[[0, 1]]], "predicted_clusters": [[[5, 5]]]}])
    both = {"clusters": None, "predicted_clusters": [[[5, 5]]]}
    assert read_row(both) == read_row(both, "predicted_clusters") == [[(5, 5)]]
    with pytest.raises(ac.InputError, match="sentence 0"):
        read_row({"sentences": [{"coref_spans": [["e1", 0, 1]]}]})
    with pytest.raises(ac.InputError, match="no field one of"):
        read_row({"text": "x"})
    with pytest.raises(ac.InputError, match="no field gold; it has: text"):
        read_row({"text": "x"}, "gold")
    row = {"id": 7, "clusters": []}
    with pytest.raises(ac.InputError, match="second document named '7'"):
        read_rows([row, row])
    with pytest.raises(ac.InputError, match="row 0: no name in the field 'key'; it has: id"):
        read_rows([row], name="key")


def test_rows():
    rows = [{"id": 7, "coref_chains": [[[0, 1, 2], [1, 0, 0]]]}, {"id": 8, "coref_chains": []}]
    assert read_rows(rows) == {"7": [[(0, 1, 2), (1, 0, 0)]], "8": []}
    sentences = [{"coref_spans": [[5, 0, 1], [2, 3, 3]]}, {"coref_spans": [[5, 2, 2]]}]
    ontonotes = {"document_id": "bc/cctv", "part_id": 3, "sentences": sentences}
    turned = {"coref_spans": [sentence["coref_spans"] for sentence in sentences]}
    for form in (sentences, turned):
        assert read_rows([ontonotes | {"sentences": form}]) == {"bc/cctv_3": [[(0, 0, 1), (1, 2, 2)], [(0, 3, 3)]]}
    assert read_row({"gold": [[[0, 1]]], "clusters": []}, "gold") == [[(0, 1)]]
    assert list(read_rows([{"a": 1, "b": 2, "clusters": []}], name=["a", "b"])) == ["1_2"]
    rows = [{"doc_key": None, "part_id": 1, "clusters": []}, {"doc_key": "a", "part_id": None, "clusters": []}]
    assert list(read_rows(rows)) == ["0", "a"]


def test_real_datasets():
    """Rows of a dataset: plain, streamed, as NumPy arrays."""
    datasets = pytest.importorskip("datasets")
    rows = [{"id": 7, "clusters": [[[0, 1], [4, 4]], [[2, 3]]]}, {"id": 8, "clusters": []}]
    whole = datasets.Dataset.from_list(rows)
    for form in (whole, whole.to_iterable_dataset(), whole.with_format("numpy")):
        assert read_rows(form) == {"7": [[(0, 1), (4, 4)], [(2, 3)]], "8": []}
    with pytest.raises(ac.InputError, match=r"row 0: the row is a \w+; expected a dict"):
        read_rows(whole.with_format("pandas"))


@examples(0.5)
@given(st.integers(0, 12), st.data())
def test_antecedents(engine, n, data):
    array = [data.draw(st.integers(-1, n - 1)) for _ in range(n)]
    labels = antecedent_labels(np.array(array, np.int32))
    groups = [{m} for m in range(n)]
    for m, antecedent in enumerate(array):
        if antecedent >= 0:
            joined = groups[m] | groups[antecedent]
            for member in joined:
                groups[member] = joined
    assert labels.tolist() == [min(group) for group in groups]
    dropped = antecedent_labels(array, singletons="drop")
    assert dropped.tolist() == [min(group) if len(group) > 1 else -1 for group in groups]


def test_antecedents_of_documents():
    assert antecedent_labels([-1, 0, 1, -1, 0], [0, 3, 5]).tolist() == [0, 0, 0, 3, 3]
    with pytest.raises(ac.InputError, match="mention 1 of document 1 has antecedent 2"):
        antecedent_labels([-1, 0, 1, -1, 2], [0, 3, 5])
