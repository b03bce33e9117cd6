"""What errors cost: shares of the loss beside all orders of corrections, in sets; their intervals; the table."""

import numpy as np
import pytest

import arraycoref as ac
import oracle
from arraycoref.analysis.errors import PLAYERS
from oracle.errors import TYPES, corrected, shares_of_loss


def random_side(rng, spans):
    """Return entities of some spans, a few of them one word longer to the left."""
    entities = {}
    for first, last in spans:
        if rng.random() < 0.85:
            begin = first - int(rng.random() < 0.25)
            entities.setdefault(int(rng.integers(4)), []).append((begin, last))
    return list(entities.values())


def corpora(n, n_documents):
    for seed in range(n):
        rng = np.random.default_rng(seed)
        names = [f"d{d}" for d in range(n_documents)]
        spans = [[(5 * m + 1, 5 * m + 1 + int(rng.integers(3))) for m in range(rng.integers(2, 9))] for _ in names]
        key, response = ({name: random_side(rng, own) for name, own in zip(names, spans, strict=True)} for _ in "kr")
        pronouns = {span for own in spans for span in own if rng.random() < 0.3}
        yield key, response, pronouns


def score_of(metric, documents):
    if metric == "conll":
        return oracle.conll_mean(*(score_of(part, documents) for part in ("muc", "bcub", "ceafe")))
    if metric == "blanc":
        counts = oracle.total([oracle.blanc(*pair) for pair in documents])
        return oracle.blanc_score(counts)[2]
    return oracle.micro([oracle.COUNTS[metric](*pair) for pair in documents])[2]


@pytest.mark.parametrize(("metric", "n"), [("conll", 40), ("lea", 5), ("blanc", 5)])
def test_shares_beside_all_orders(metric, n):
    """Of 40 corpora of five documents each, the shares are the mean gains over all 720 orders of six corrections."""
    for key, response, pronouns in corpora(n, 5):
        a = ac.analyze(key, response, pronouns=pronouns, spans="head")
        costs, pair = a.costs(metric)[0], a.pairs[0]
        assert costs.players == tuple(PLAYERS) == tuple(TYPES)
        spans = [tuple(zip(a.index.start[m].tolist(), a.index.end[m].tolist(), strict=True)) for m in pair.spans]
        of_document = [a.index.document[pair.spans[0]] == d for d in range(5)]
        sides = [[set(entity) for entity in side[name]] for name in key for side in (key, response)]

        def score(types, sides=sides, spans=spans, of_document=of_document, pronouns=pronouns):
            documents = []
            for d, chosen in enumerate(of_document):
                own = [pair for pair, is_own in zip(zip(*spans, strict=True), chosen, strict=True) if is_own]
                one, other = sides[2 * d : 2 * d + 2]
                documents.append((one, corrected(one, other, types, pronouns, own)))
            return score_of(metric, documents)

        expected = {name: float(share) for name, share in shares_of_loss(score, TYPES).items()}
        assert dict(zip(costs.players, costs.shares().tolist(), strict=True)) == pytest.approx(expected, abs=1e-12)
        lost = float(score(frozenset().union(*TYPES.values())) - score(frozenset()))
        assert costs.shares().sum() == pytest.approx(lost, abs=1e-12)


def test_intervals_of_shares():
    """The standard error is that of the gains of a document's weight, found by small steps; shares head the table."""
    rng = np.random.default_rng(1)
    key, offsets = rng.integers(0, 4, 300), range(0, 301, 10)
    response = np.where(rng.random(300) < 0.3, rng.integers(-1, 6, 300), key)
    a = ac.analyze_labels(key, response, offsets)
    costs = a.costs("bcub")[0]
    intervals, rows = costs.intervals("document", 0.95), costs.counts.rows[:32]
    steps = np.array([1e-6 * rows[:, d] for d in range(30)])
    slopes = np.array([(costs.shares(rows.sum(axis=1) + step) - costs.shares()) / 1e-6 for step in steps])
    slopes -= slopes.mean(axis=0)
    expected = np.sqrt(30 / 29 * (slopes**2).sum(axis=0))
    errors = np.array([intervals[player].standard_error for player in costs.players])
    np.testing.assert_allclose(errors, expected, rtol=1e-4, atol=1e-9)
    table = a.error_table("bcub", resamples=10)
    shares = [row["share"] for row in table.rows()]
    printed = [share for share in shares if share is not None]
    assert printed == sorted(printed, reverse=True)
    assert sum(printed) == pytest.approx(1 - table.f1[0])
    assert len(printed) == 5
