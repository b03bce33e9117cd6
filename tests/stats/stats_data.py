"""Small systems on shared documents: counts from real scoring, not made up."""

import functools
import inspect

import numpy as np
from scipy import stats

import arraycoref as ac
from arraycoref.tagging import load_tagset, score_tag_ids, tag_table

SEED = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"  # scipy before 1.15

TAGS = ["subst:sg:nom:n", "subst:sg:acc:n", "subst:pl:acc:n", "ger:sg:nom:n:perf:aff", "adj:sg:acc:n:pos", "conj"]
TABLE = tag_table(TAGS, load_tagset("nkjp"))
WEIGHTS = {"pos": 4, "number": 1, "case": 3, "gender": 1, "aspect": 0.5, "negation": 0.5, "degree": 0.5}


def scored(seed, n_documents=12, n_mentions=20, wrong=0.3, **options):
    """Score a system that moves a share of the mentions; documents are the same whatever the seed."""
    rng = np.random.default_rng(99)
    sizes = rng.integers(3, n_mentions, n_documents)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    key = rng.integers(0, 5, offsets[-1])
    errors = np.random.default_rng(seed)
    response = np.where(errors.random(key.size) < wrong, errors.integers(0, 5, key.size), key)
    response[errors.random(key.size) < 0.1] = -1
    key[rng.random(key.size) < 0.1] = -1
    return ac.score_labels_batch(key, response, offsets, **options)


def tagged(seed, wrong=0.3, n_documents=12, weights=WEIGHTS):
    """Score a tagger that errs on a share of the words and gives two tags to some; documents are the same for all."""
    rng = np.random.default_rng(77)
    documents = np.concatenate(([0], np.cumsum(rng.integers(5, 40, n_documents))))
    n_words = int(documents[-1])
    gold = rng.integers(0, len(TAGS), n_words)
    errors = np.random.default_rng(seed)
    first = np.where(errors.random(n_words) < wrong, errors.integers(0, len(TAGS), n_words), gold)
    both = errors.random(n_words) < 0.2
    offsets = np.concatenate(([0], np.cumsum(1 + both)))
    system = np.repeat(first, 1 + both)
    system[offsets[:-1][both] + 1] = (first[both] + 1) % len(TAGS)
    return score_tag_ids(
        gold,
        system,
        system_offsets=offsets,
        documents=documents,
        table=TABLE,
        measures="exact,pos,pa,wpa",
        weights=weights,
    )


def some_documents(b, documents):
    counts = ac.Counts(None, b.counts.metrics, b.counts.rows[documents])
    return type(b)(b.metrics, counts, b.signature)


@functools.cache
def statistic_of(make, metric, field, average):
    """Build scipy's statistic over document indices by scoring resampled batches one by one; return the batch too.

    Args:
        make: `scored` or `tagged`.
    """
    scores = make(3, n_documents=30)

    def score(index):
        some = some_documents(scores, index)
        return getattr((some.corpus if average == "micro" else some.macro)[metric], field)

    return scores, score


@functools.cache
def resampled(score, n):
    """Return what scipy makes of a score of n documents by 1500 resamples, each scored by itself."""
    options = {"vectorized": False, "n_resamples": 1500, "method": "percentile", SEED: np.random.default_rng(0)}
    return stats.bootstrap((np.arange(n),), score, **options)


def scipy_interval(score, n, method):
    """Return scipy's bootstrap interval of a score of documents, by any method from the same resamples.

    Args:
        score: a function of the documents' numbers, the same object for each method.
        n: documents.
        method: of `arraycoref.stats`.
    """
    name, before = {"bca": "BCa"}.get(method, method), resampled(score, n)
    options = {"vectorized": False, "n_resamples": 0, "bootstrap_result": before}
    return stats.bootstrap((np.arange(n),), score, method=name, **options)


def scipy_exchanges(statistic, alternative):
    """Return scipy's paired test of two systems on 8 documents, whose numbers are 0 to 7 and 8 to 15: all exchanges."""
    options = {"permutation_type": "samples", "vectorized": False, "n_resamples": np.inf, "alternative": alternative}
    return stats.permutation_test((np.arange(8), np.arange(8, 16)), statistic, **options)


def equal_up_to_rounding():
    """Score two systems whose B-cubed F is 44/87, of a recall of 11/27: thirds and ninths, added up in two orders."""
    key, p, q = [2, 1, 1, 0, 0, 0, 0, 0, 0], [3, 2, 3, 1, 0, 2, 1, 3, 0], [0, 0, 3, 1, 0, 2, 2, 3, 1]
    runs = {name: ac.score_labels_batch(key * 2, r * 2, [0, 9, 18], metrics="bcub") for name, r in (("p", p), ("q", q))}
    assert runs["p"]["bcub"].f1 < runs["q"]["bcub"].f1
    return runs
