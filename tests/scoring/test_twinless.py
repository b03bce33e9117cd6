"""B-cubed and CEAF of older papers against their definitions in sets, and against what other programs print."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
import oracle
from strategies import CEAF_SHAPES, ceaf_labels, clusters_of, documents, examples

NAMES = tuple(oracle.TWINLESS)


def counts(score):
    return [score.recall_num, score.recall_den, score.precision_num, score.precision_den]


def entities(text):
    return [list(entity) for entity in text.split()]


@pytest.mark.filterwarnings("ignore:response. none of:arraycoref.ReadWarning")
@given(st.lists(documents(max_mentions=9), min_size=1, max_size=4))
@examples(2)
def test_batches_equal_the_oracle(batch):
    b = ac.score_batch([key for key, _ in batch], [response for _, response in batch], metrics=NAMES)
    for name in NAMES:
        expected = [[float(x) for x in oracle.TWINLESS[name](key, response)] for key, response in batch]
        np.testing.assert_allclose(b.counts[name], expected, rtol=1e-12, atol=1e-12, err_msg=name)


@given(st.sampled_from(CEAF_SHAPES), st.integers(1, 25), st.integers(0, 2**32 - 1))
@examples(0.3)
def test_larger_documents_equal_the_oracle(shape, n_entities, seed):
    key, response = ceaf_labels(shape, n_entities, seed)
    s = ac.score_labels(key, response, metrics=NAMES)
    for name in NAMES:
        expected = oracle.TWINLESS[name](clusters_of(key), clusters_of(response))
        assert counts(s[name]) == pytest.approx([float(x) for x in expected], rel=1e-12), name


@given(documents())
@examples(0.5)
def test_without_twinless_mentions_all_are_plain(document):
    key, response = document
    both = {m for entity in key for m in entity} & {m for entity in response for m in entity}
    key, response = ([[m for m in entity if m in both] for entity in side] for side in (key, response))
    s = ac.score(key, response, metrics=(*NAMES, "bcub", "ceafm", "ceafe"))
    for name in NAMES:
        assert counts(s[name]) == pytest.approx(counts(s[name.partition("-")[0]]), rel=1e-12), name


@pytest.mark.parametrize(
    ("key", "response", "metric", "precision"),
    [
        ("abc", "abd", "bcub-0", 1.0),
        ("abc", "abd", "bcub-all", 5 / 9),
        ("abc", "abd c", "bcub-all", 2 / 3),
    ],
)
def test_examples_of_cai_and_strube(key, response, metric, precision):
    """As Pradhan et al. (2014), section 2, quote them: 1.00, 0.556, 0.667."""
    assert ac.score(entities(key), entities(response), metrics=metric)[metric].precision == pytest.approx(precision)


A4, N6, APART = ("a bc def", "a bcx dy z"), ("a b c d e f", "ab cxy z"), ("ab cd", "xy zw")


@pytest.mark.parametrize(
    ("document", "metric", "printed"),
    [
        # neleval's cs_b_cubed and cs_ceaf, CoreNLP's Bcai
        (A4, "bcub-sys", (66.67, 70.83, 68.69)),
        (N6, "bcub-sys", (100, 62.5, 76.92)),
        (APART, "bcub-sys", (50, 75, 60)),
        (("ab cd", ""), "bcub-sys", (50, 100, 66.67)),
        (A4, "ceafe-sys", (83.33, 59.33, 69.31)),
        # CoreNLP's Ball
        (A4, "bcub-all", (66.67, 66.67, 66.67)),
        (N6, "bcub-all", (100, 50, 66.67)),
        (APART, "bcub-all", (50, 50, 50)),
    ],
)
def test_what_other_programs_print(document, metric, printed):
    score = ac.score(*map(entities, document), metrics=metric)[metric]
    assert [round(100 * x, 2) for x in (score.recall, score.precision, score.f1)] == list(printed)
