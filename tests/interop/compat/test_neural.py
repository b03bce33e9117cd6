"""The neural evaluators, fed as their callers feed them, against loops written from the definition."""

import random
from collections import Counter
from itertools import permutations

import pytest

from arraycoref.exceptions import InputError, UnknownNameError
from arraycoref.interop.compat.neural import CorefEvaluator, MentionEvaluator, OfficialCoNLL2012CorefEvaluator
from marks import cases

NAMES = ("muc", "b_cubed", "ceafe", "lea")


def mention_map(clusters):
    """Map each mention to its cluster, as callers do."""
    return {mention: tuple(cluster) for cluster in clusters for mention in cluster}


def muc(clusters, other):
    parts = [{other.get(mention, (mention, None)) for mention in cluster} for cluster in clusters]
    return sum(map(len, clusters)) - sum(map(len, parts)), sum(map(len, clusters)) - len(clusters)


def b_cubed(clusters, other, skipping):
    num = den = 0
    for cluster in clusters:
        if skipping and len(cluster) == 1:
            continue
        shared = Counter(other[mention] for mention in cluster if mention in other)
        num += sum(n * n for c, n in shared.items() if not skipping or len(c) > 1) / len(cluster)
        den += len(cluster)
    return num, den


def lea(clusters, other):
    num = den = 0
    for cluster in clusters:
        if len(cluster) > 1:
            pairs = [(a, b) for a in cluster for b in cluster if a < b]
            num += len(cluster) * sum(other.get(a, a) == other.get(b, b) for a, b in pairs) / len(pairs)
            den += len(cluster)
    return num, den


def ceafe(predicted, gold, skipping):
    predicted = [cluster for cluster in predicted if not skipping or len(cluster) > 1]
    few, many = sorted((predicted, gold), key=len)
    best = max(
        sum(2 * len({*a} & {*b}) / (len(a) + len(b)) for a, b in zip(few, chosen, strict=True))
        for chosen in permutations(many, len(few))
    )
    return best, len(predicted), best, len(gold)


def counts(metric, predicted, gold, skipping):
    if metric == "ceafe":
        return ceafe(predicted, gold, skipping)
    sides = (predicted, mention_map(gold)), (gold, mention_map(predicted))
    if metric == "b_cubed":
        return [n for side in sides for n in b_cubed(*side, skipping)]
    return [n for side in sides for n in {"muc": muc, "lea": lea}[metric](*side)]


def prf(sums):
    p, r = (num / den if den else 0.0 for num, den in (sums[:2], sums[2:]))
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def random_clusters(rng):
    clusters = [[] for _ in range(5)]
    for start in range(rng.randrange(12)):
        if rng.random() < 0.8:
            rng.choice(clusters).append((start, start + rng.randrange(3) * (start % 2)))
    return [tuple(cluster) for cluster in clusters if cluster]


@cases("profile,skipping", [("e2e", True), ("maverick", False)])
def test_documents_one_by_one(profile, skipping):
    rng, evaluator = random.Random(5), OfficialCoNLL2012CorefEvaluator(profile=profile)
    totals = {metric: [0.0] * 4 for metric in NAMES}
    for _ in range(150):
        predicted, gold = random_clusters(rng), random_clusters(rng)
        evaluator.update(predicted, gold, mention_map(predicted), mention_map(gold))
        for metric, total in totals.items():
            totals[metric] = [a + b for a, b in zip(total, counts(metric, predicted, gold, skipping), strict=True)]
    expected = {metric: prf(total) for metric, total in totals.items()}
    for metric in NAMES:
        assert evaluator.get_prf(metric) == pytest.approx(expected[metric]), metric
    for one, metric in zip(evaluator.evaluators, NAMES, strict=False):
        assert one.get_counts() == pytest.approx(totals[metric])
        assert [one.get_precision(), one.get_recall(), one.get_f1()] == pytest.approx(expected[metric])
    mean = [sum(values) / 3 for values in zip(*(expected[metric] for metric in NAMES[:3]), strict=True)]
    assert evaluator.get_prf() == evaluator.get_prf("conll2012") == pytest.approx(mean)
    assert [evaluator.get_precision(), evaluator.get_recall(), evaluator.get_f1()] == pytest.approx(mean)
    assert (evaluator.get_muc(), evaluator.get_b3(), evaluator.get_ceafe()) == tuple(map(evaluator.get_prf, NAMES[:3]))
    evaluator.clear()
    assert evaluator.get_prf() == (0.0, 0.0, 0.0)


def test_what_would_be_counted_in_silence_is_refused():
    clusters = [((0, 0), (1, 1))]
    with pytest.raises(InputError, match="only one of gold and mention_to_gold"):
        CorefEvaluator().update(clusters, clusters, mention_map(clusters), {(0, 0): clusters[0]})
    with pytest.raises(UnknownNameError):
        CorefEvaluator().get_prf("blanc")


def test_mentions():
    evaluator, tp, fp, fn = MentionEvaluator(), 0, 0, 0
    rng = random.Random(2)
    assert evaluator.get_prf() == (0.0, 0.0, 0.0)
    for _ in range(20):
        predicted, gold = ([(s, s) for s in range(9) if rng.random() < 0.5] for _ in range(2))
        evaluator.update(predicted, gold)
        tp += sum(m in gold for m in predicted)
        fp += sum(m not in gold for m in predicted)
        fn += sum(m not in predicted for m in gold)
    assert evaluator.get_prf() == pytest.approx(prf([tp, tp + fp, tp, tp + fn]))
    assert (evaluator.tp, evaluator.fp, evaluator.fn) == (tp, fp, fn)
