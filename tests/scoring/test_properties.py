"""The package against the oracle on random documents, and the invariances that hold for every metric.

Set ARRAYCOREF_FUZZ_EXAMPLES for a longer run than the default.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy.optimize import linear_sum_assignment

import arraycoref as ac
import oracle
from alike import alike
from arraycoref.scoring.metrics.registry import METRICS as METRICS_OF_THE_REGISTRY
from strategies import (
    ABSENT,
    CEAF_SHAPES,
    ceaf_labels,
    clusters_of,
    documents,
    examples,
    label_documents,
    relabeled,
    shuffled,
)

pytestmark = [
    pytest.mark.usefixtures("engine"),
    # Documents are drawn at random: on rare occasions their sides share no mention.
    pytest.mark.filterwarnings("ignore:response. none of:arraycoref.ReadWarning"),
]

ROWS = tuple(name for name in METRICS_OF_THE_REGISTRY if name in oracle.COUNTS)
GOLD = tuple(name for name in METRICS_OF_THE_REGISTRY if name in oracle.GOLD)
METRICS = (*ROWS, "blanc", "conll")
INVERSE = {"purity": "inverse-purity", "inverse-purity": "purity"}
CLASSES = ("coreference", "non_coreference")
PROFILES = ("paper", "conll")
PROFILE = st.sampled_from(PROFILES)


def close(values):
    """Expect these numbers to 1e-9, relative to those above 1."""
    return pytest.approx([float(value) for value in values], rel=1e-9, abs=1e-9)


def counts(scores, name):
    """Return the four sums of a metric, of a document's or a corpus's scores."""
    return scores.counts[name].tolist()


def counts_of(score):
    return [score.recall_num, score.recall_den, score.precision_num, score.precision_den]


def rpf(score):
    """Return what a score has of recall, precision and F."""
    return [value for value in (score.recall, score.precision, score.f1) if not np.isnan(value)]


def everything(results):
    """Return all numbers of a document's or a corpus's scores, for comparing two of them."""
    scores = getattr(results, "corpus", results)
    numbers = [number for name in ROWS for number in counts(scores, name) + rpf(scores[name])]
    for name in CLASSES:
        one = getattr(scores["blanc"], name)
        numbers += counts_of(one) + rpf(one)
    return [*numbers, *rpf(scores["blanc"]), scores.conll]


def oracle_counts(key, response, gold=()):
    """Return the oracle's counts of every metric, BLANC included, and of metrics of the same mentions."""
    counted = {name: oracle.COUNTS[name](key, response) for name in ROWS}
    return counted | {name: oracle.GOLD[name](key, response) for name in gold} | {"blanc": oracle.blanc(key, response)}


def oracle_scores(rows, profile, beta=1):
    """Return the oracle's (recall, precision, F) of every metric for the counts of a document or a corpus."""
    scores = {
        name: [value for value in oracle.SCORES.get(name, oracle.score)(rows[name], beta) if value is not None]
        for name in rows
        if name != "blanc"
    }
    scores["blanc"] = oracle.blanc_score(rows["blanc"], profile, beta)
    return scores


def oracle_conll(scores):
    return oracle.conll_mean(*(scores[name][2] for name in ("muc", "bcub", "ceafe")))


def check(results, rows, profile="paper", beta=1):
    """Hold a document's or a corpus's scores against the oracle's counts."""
    expected = oracle_scores(rows, profile, beta)
    scores = getattr(results, "corpus", results)
    for name in rows.keys() - {"blanc"}:
        assert counts(scores, name) == close(rows[name]), name
        assert rpf(scores[name]) == close(expected[name]), name
    for name in CLASSES:
        row = getattr(rows["blanc"], name)
        assert counts_of(getattr(scores["blanc"], name)) == close(row), name
        assert rpf(getattr(scores["blanc"], name)) == close(oracle.score(row, beta)), name
    assert rpf(scores["blanc"]) == close(expected["blanc"])
    assert scores.conll == pytest.approx(float(oracle_conll(expected)), abs=1e-9)


# -- one document ------------------------------------------------------------------------------------------------------


@given(documents(), PROFILE)
@examples(2)
@example(([], []), "paper")
@example(([], []), "conll")
@example(([["a"]], [["a"]]), "paper")
@example(([["a"]], [["b"]]), "conll")
@example(([["a", "b"]], [["a", "b"], ["c"]]), "conll")
def test_document_equals_the_oracle(document, profile):
    key, response = document
    check(ac.score(key, response, metrics=METRICS, profile=profile), oracle_counts(key, response), profile)


@given(label_documents(), st.data(), PROFILE)
@examples()
def test_labels_equal_the_oracle(document, data, profile):
    key, response = (data.draw(relabeled(labels)) for labels in document)
    rows = oracle_counts(clusters_of(document[0]), clusters_of(document[1]))
    check(ac.score_labels(key, response, metrics=METRICS, profile=profile), rows, profile)


@given(documents(), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)]), PROFILE)
@examples(0.5)
def test_beta(document, beta, profile):
    key, response = document
    scores = ac.score(key, response, metrics=METRICS, profile=profile, beta=float(beta))
    check(scores, oracle_counts(key, response), profile, beta)


@given(documents(gold=True))
@examples()
def test_gold_mention_metrics(document):
    key, response = document
    scores = ac.score(key, response, metrics=(*METRICS, *GOLD, "blanc-gold"))
    check(scores, oracle_counts(key, response, GOLD))
    agreed, links, _, _ = oracle.rand(key, response)
    assert scores["rand"].f1 == pytest.approx(float(oracle.ratio(agreed, links)), abs=1e-12)
    gold = oracle.blanc_gold(key, response)
    for name in CLASSES:
        assert counts_of(getattr(scores["blanc-gold"], name)) == close(getattr(gold, name))
    assert rpf(scores["blanc-gold"]) == close(oracle.blanc_score(gold))
    assert rpf(scores["blanc-gold"]) == rpf(scores["blanc"])


@given(documents())
@examples(0.5)
def test_gold_mention_metrics_refuse_other_mentions(document):
    key, response = document
    if {m for entity in key for m in entity} == {m for entity in response for m in entity}:
        return
    for metric in ("blanc-gold", *GOLD):
        with pytest.raises(ac.InputError, match=r"chapter-2.*restrict='shared'"):
            ac.score_batch(
                {"chapter-1": [], "chapter-2": key}, {"chapter-1": [], "chapter-2": response}, metrics=(metric,)
            )


@pytest.mark.filterwarnings("ignore:.* mentions (is|are) shared")
@given(
    st.lists(documents(max_mentions=8), min_size=1, max_size=4),
    st.sampled_from(["key", "shared"]),
    st.sampled_from(["keep", "drop"]),
)
@examples()
@example([([["a", "b"], ["c"]], [["a"], ["b"]]), ([["a", "b"]], [])], "shared", "keep")
@example([([["a", "b"]], []), ([], [["c", "d"]])], "shared", "keep")
def test_restricted_to_mentions_of_the_key_or_of_both_sides(batch_of, how, singletons):
    """Documents of which nothing is left are not scored, and a response without shared mentions is refused."""
    gold = GOLD if how == "shared" else ()
    options = {"metrics": (*METRICS, *gold), "restrict": how, "singletons": singletons}
    sides = [side if singletons == "keep" else map(oracle.drop_singletons, side) for side in batch_of]
    rows = [oracle_counts(*kept, gold) for side in sides if any(kept := oracle.restrict(*side, how))]
    keys, responses = zip(*batch_of, strict=True)
    if not rows:
        with pytest.raises(ac.InputError, match="no mention is left"):
            ac.score_batch(keys, responses, **options)
        return
    batch = ac.score_batch(keys, responses, **options)
    assert len(batch) == len(rows)
    check(batch, {name: oracle.total([row[name] for row in rows]) for name in rows[0]})
    for document, row in zip(batch, rows, strict=True):
        check(document, row)
    named = [dict(zip(map(str, range(len(keys))), side, strict=True)) for side in (keys, responses)]
    runs = ac.sweep(named[0], {"x": named[1], "key": named[0]}, **options)
    assert alike(runs.at("x").counts.rows, batch.counts.rows)
    assert runs.at("x").notes == batch.notes


# -- invariances -------------------------------------------------------------------------------------------------------


@given(documents(), st.data())
@examples()
def test_order_and_names_do_not_matter(document, data):
    key, response = document
    before = everything(ac.score(key, response, metrics=METRICS))
    key, response = data.draw(shuffled(key)), data.draw(shuffled(response))
    assert everything(ac.score(key, response, metrics=METRICS)) == close(before)
    renamed = [[[("new", mention) for mention in entity] for entity in side] for side in (key, response)]
    assert everything(ac.score(*renamed, metrics=METRICS)) == close(before)


@given(label_documents(), st.data())
@examples(0.5)
def test_mentions_may_come_in_any_order(document, data):
    key, response = (np.array(labels, dtype=np.int64) for labels in document)
    order = np.array(data.draw(st.permutations(range(len(key)))), dtype=np.int64)
    before = everything(ac.score_labels(key, response, metrics=METRICS))
    assert everything(ac.score_labels(key[order], response[order], metrics=METRICS)) == close(before)


@given(label_documents(), st.integers(0, 14), st.integers(1, 5))
@examples(0.5)
def test_an_index_absent_on_both_sides_changes_nothing(document, position, how_many):
    before = everything(ac.score_labels(*(np.array(labels, dtype=np.int64) for labels in document), metrics=METRICS))
    key, response = (np.array(labels[:position] + [ABSENT] * how_many + labels[position:]) for labels in document)
    assert everything(ac.score_labels(key, response, metrics=METRICS)) == close(before)


@given(documents())
@examples()
def test_swapping_the_sides_swaps_recall_and_precision(document):
    key, response = document
    one, other = ac.score(key, response, metrics=METRICS), ac.score(response, key, metrics=METRICS)
    for name in (*ROWS, "blanc"):
        there, back = one[name], other[INVERSE.get(name, name)]
        assert rpf(there) == close(
            [value for value in (back.precision, back.recall, back.f1) if not np.isnan(value)]
        ), name
        if len(rpf(there)) == 3 and name != "blanc":
            assert counts(one, name)[:2] == close(counts(other, name)[2:]), name
    assert one.conll == pytest.approx(other.conll, abs=1e-9)


@pytest.mark.filterwarnings("ignore:.* mentions (is|are) shared")
@given(documents(), documents())
@examples()
@example(([[1, 2], [3]], [[1, 2]]), ([], [[1], [2, 4]]))
def test_denominators_of_recall_that_depend_on_the_key_alone(one, other):
    """By which statistics tell that two systems were scored against other keys."""
    names = [name for name in ROWS if METRICS_OF_THE_REGISTRY[name].key_only_denominator] + ["blanc"]
    ours, theirs = (ac.score(one[0], response, metrics=METRICS).counts for response in (one[1], other[1]))
    for name in names:
        assert ours[name][..., 1].tolist() == theirs[name][..., 1].tolist(), name


def test_denominators_of_recall_that_depend_on_the_response_too():
    key, responses = [[1, 2], [3, 4]], ([[1, 2], [3, 4]], [[1, 3]])
    ours, theirs = (ac.score(key, response, metrics=METRICS).counts for response in responses)
    for name in ROWS:
        alike = ours[name][..., 1].tolist() == theirs[name][..., 1].tolist()
        assert alike == METRICS_OF_THE_REGISTRY[name].key_only_denominator, name


@given(documents())
@examples()
def test_a_clustering_against_itself_is_perfect(document):
    key, _ = document
    scores = ac.score(key, key, metrics=(*METRICS, "blanc-gold", *GOLD))
    for name in (*ROWS, *GOLD):
        denominator = (oracle.COUNTS | oracle.GOLD)[name](key, key)[1]
        if METRICS_OF_THE_REGISTRY[name].better == "lower":
            assert rpf(scores[name]) == [0.0], name
        elif name in oracle.SCORES and name in oracle.GOLD:
            assert rpf(scores[name]) == close([1] * len(METRICS_OF_THE_REGISTRY[name].fields)), name
        else:
            assert rpf(scores[name]) == [float(denominator > 0)] * len(METRICS_OF_THE_REGISTRY[name].fields), name
    assert rpf(scores["blanc"]) == [1.0] * 3  # with no link too: I(M_k = M_r)
    assert rpf(scores["blanc-gold"]) == [1.0] * 3


@given(documents(), PROFILE)
@examples(0.5)
def test_scores_are_fractions(document, profile):
    scores = ac.score(*document, metrics=METRICS, profile=profile)
    for name in (*ROWS, "blanc"):
        values = rpf(scores[name])
        assert len(values) == len(METRICS_OF_THE_REGISTRY[name].fields), name
        if METRICS_OF_THE_REGISTRY[name].unit == "ratio":
            assert all(value <= 1 + 1e-12 for value in values), name
        assert len(values) == 1 or all(value >= 0 for value in values), name
    assert 0 <= scores.conll <= 1 + 1e-12


# -- many documents ----------------------------------------------------------------------------------------------------


@given(st.lists(documents(max_mentions=8), min_size=1, max_size=6), PROFILE, st.sampled_from([1, 2]))
@examples()
@example([([["a"]], [["a"]]), ([], [])], "paper", 1)
@example([([["a"]], [["a"]]), ([["b"]], [["c"]])], "paper", 1)
@example([([["a"], ["b"]], [["a"], ["b"]]), ([["a", "b"]], [["a", "b"]])], "conll", 2)
def test_batch_equals_the_oracle(batch_of, profile, threads):
    keys, responses = [key for key, _ in batch_of], [response for _, response in batch_of]
    batch = ac.score_batch(keys, responses, metrics=METRICS, profile=profile, threads=threads)
    rows = [oracle_counts(key, response) for key, response in batch_of]
    corpus = {name: oracle.total([row[name] for row in rows]) for name in (*ROWS, "blanc")}
    check(batch, corpus, profile)
    scores = [oracle_scores(row, profile) for row in rows]
    for name in (*ROWS, "blanc"):
        per_document = [one[name] for one in scores]
        assert rpf(batch.macro[name]) == close(oracle.macro(per_document)), name
        fields = METRICS_OF_THE_REGISTRY[name].fields
        for attribute, column in zip(fields, zip(*per_document, strict=True), strict=True):
            values = getattr(batch.documents[name], attribute)
            assert values.shape == (len(batch_of),)
            assert values.tolist() == close(column), (name, attribute)
    conll = [oracle_conll(one) for one in scores]
    assert batch.documents.conll.tolist() == close(conll)
    assert batch.macro.conll == pytest.approx(float(sum(conll) / len(conll)), abs=1e-9)
    for name in ROWS:
        assert batch.counts[name].shape == (len(batch_of), 4)
        assert batch.counts[name].dtype == np.float64
        np.testing.assert_allclose(batch.counts[name], [[float(v) for v in row[name]] for row in rows], 1e-9, 1e-9)


@given(st.lists(documents(max_mentions=8), min_size=1, max_size=5))
@examples(0.5)
def test_batch_holds_the_single_documents(batch_of):
    batch = ac.score_batch([key for key, _ in batch_of], [response for _, response in batch_of], metrics=METRICS)
    for number, (key, response) in enumerate(batch_of):
        single = ac.score(key, response, metrics=METRICS)
        assert everything(batch[number]) == everything(single)
        for name in ROWS:
            assert batch.counts[name][number].tolist() == counts(single, name)


@given(st.lists(label_documents(max_mentions=8), min_size=1, max_size=5), st.data())
@examples(0.5)
def test_ragged_labels_equal_the_batch_of_clusters(batch_of, data):
    key, response = (np.concatenate([data.draw(relabeled(document[side])) for document in batch_of]) for side in (0, 1))
    offsets = np.cumsum([0, *(len(document[0]) for document in batch_of)])
    labels = ac.score_labels_batch(key, response, offsets, metrics=METRICS)
    clusters = ac.score_batch(
        [clusters_of(document[0]) for document in batch_of],
        [clusters_of(document[1]) for document in batch_of],
        metrics=METRICS,
    )
    assert everything(labels) == close(everything(clusters))
    for name in ROWS:
        np.testing.assert_allclose(labels.counts[name], clusters.counts[name], rtol=1e-12, atol=1e-12)


@given(st.lists(documents(max_mentions=8), min_size=1, max_size=5), st.data())
@examples(0.5)
def test_order_of_the_documents_does_not_matter(batch_of, data):
    names = [f"document {number}" for number in range(len(batch_of))]
    keys = {name: key for name, (key, _) in zip(names, batch_of, strict=True)}
    responses = {name: response for name, (_, response) in zip(names, batch_of, strict=True)}
    before = ac.score_batch(keys, responses, metrics=METRICS)
    assert list(before.names) == names
    key_order, response_order = data.draw(st.permutations(names)), data.draw(st.permutations(names))
    after = ac.score_batch(
        {name: keys[name] for name in key_order}, {name: responses[name] for name in response_order}, metrics=METRICS
    )
    assert sorted(after.names) == sorted(names)
    assert everything(after) == close(everything(before))
    for name in names:
        assert everything(after[name]) == everything(before[name])


# -- CEAF's alignment --------------------------------------------------------------------------------------------------


def dense_alignments(key, response):
    """Return the best totals of phi 3 and phi 4 by scipy on the dense contingency matrix, and the counts under them."""
    key_ids, key_dense = np.unique(key[key != ABSENT], return_inverse=True)
    response_ids, response_dense = np.unique(response[response != ABSENT], return_inverse=True)
    both = (key != ABSENT) & (response != ABSENT)
    shared = np.zeros((key_ids.size, response_ids.size))
    rows, columns = np.searchsorted(key_ids, key[both]), np.searchsorted(response_ids, response[both])
    np.add.at(shared, (rows, columns), 1)
    sizes = np.bincount(key_dense, minlength=key_ids.size)[:, None] + np.bincount(
        response_dense, minlength=response_ids.size
    )
    totals = []
    for weights in (shared, 2 * shared / np.maximum(sizes, 1)):
        best = linear_sum_assignment(weights, maximize=True)
        totals.append(weights[best].sum())
    return totals, (key_dense.size, response_dense.size), (key_ids.size, response_ids.size)


@given(st.sampled_from(CEAF_SHAPES), st.integers(1, 60), st.integers(0, 2**32 - 1))
@examples(4)
def test_ceaf_equals_the_dense_assignment(shape, n_entities, seed):
    key, response = ceaf_labels(shape, n_entities, seed)
    (mentions, entities), n_mentions, n_entities = dense_alignments(key, response)
    scores = ac.score_labels(key, response, metrics=("ceafm", "ceafe"))
    assert counts(scores, "ceafm") == close([mentions, n_mentions[0], mentions, n_mentions[1]])
    assert counts(scores, "ceafe") == close([entities, n_entities[0], entities, n_entities[1]])


@pytest.mark.parametrize("shape", CEAF_SHAPES)
def test_all_metrics_on_larger_documents(shape):
    for seed in range(2):
        key, response = ceaf_labels(shape, 12, seed)
        key, response = key[:250], response[:250]
        rows = oracle_counts(clusters_of(key.tolist()), clusters_of(response.tolist()))
        check(ac.score_labels(key, response, metrics=METRICS), rows)


def test_links_of_large_entities_do_not_overflow():
    """One entity of 200,000 mentions: L(n) is beyond 32 bits, and the closed forms are known."""
    n = 200_000
    key = np.zeros(n, dtype=np.int64)
    response = np.repeat([0, 1], n // 2)
    scores = ac.score_labels(key, response, metrics=("pairwise", "blanc", "lea", "muc"))
    half, whole = n // 2 * (n // 2 - 1) // 2, n * (n - 1) // 2
    assert counts(scores, "pairwise") == [2 * half, whole, 2 * half, 2 * half]
    assert counts_of(scores["blanc"].coreference) == [2 * half, whole, 2 * half, 2 * half]
    assert counts_of(scores["blanc"].non_coreference) == [0, 0, 0, whole - 2 * half]
    assert counts(scores, "lea") == close([Fraction(n * 2 * half, whole), n, n, n])
    assert counts(scores, "muc") == [n - 2, n - 1, n - 2, n - 2]


def test_every_metric_has_an_oracle():
    """By which the tests above, and those of older papers' metrics, hold it; conll and kbp are means of others."""
    known = {*oracle.COUNTS, *oracle.GOLD, *oracle.TWINLESS, "blanc", "blanc-gold", "conll", "kbp"}
    assert set(ac.METRIC_NAMES) == known  # those of words and zeros: tests/match/test_nodes.py
