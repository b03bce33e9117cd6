"""Units of one clustering against another program's; against slow definitions; and what must not matter."""

import itertools
import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import expit, logit, stdtrit

import arraycoref as ac
from arraycoref.exceptions import InputError
from arraycoref.scoring.contributions import CONTRIBUTIONS
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.stats import bootstrap, compare, one_clustering, paired_test, power
from arraycoref.stats.few_errors import count_difference_ends, count_ends, unit_ends
from arraycoref.stats.runs import Runs
from arraycoref.stats.sample import Sample
from marks import cases
from oracle.golden import few_errors, one_clusterings
from strategies import examples

ROWS = one_clusterings()
METRICS = ("mentions", "muc", "bcub", "lea", "pairwise", "ceafm", "ceafe", "cluster")
FEW = {"resamples": 300}
F1 = 2


def scored(key, response, metrics=METRICS, **options):
    return ac.score_labels_batch(key, response, [0, len(key)], metrics=metrics, **options)


def labels_of(mentions, groups):
    """The position of the group that each mention is in, -1 for none."""
    place = {mention: g for g, members in enumerate(groups) for mention in members}
    return [place.get(mention, -1) for mention in mentions]


def noisy(seed, share=0.2, n_entities=90, metrics=METRICS):
    """Score a response to one key of some 300 mentions, most of which are where they belong."""
    key = np.repeat(np.arange(n_entities), np.random.default_rng(7).integers(1, 7, n_entities))
    rng = np.random.default_rng(seed)
    response = np.where(rng.random(key.size) < share, rng.integers(0, n_entities, key.size), key)
    return scored(np.where(np.random.default_rng(8).random(key.size) < 0.05, -1, key), response, metrics)


@cases("kind", ["entities", "components", "given"])
def test_spreads_equal_those_of_another_program(kind):
    """Standard errors without the design effect, and design effects, of F1."""
    n = 0
    for row in ROWS:
        expected = row["units"][kind]
        runs = Runs.from_scores({"x": scored(row["key_labels"], row["response_labels"])})
        by = "entity" if kind == "entities" else labels_of(row["mentions"], expected["mentions"])
        if len(row["mentions"]) == 1:
            continue
        sample = Sample.from_runs(runs, "micro", by)
        assert sample.n_units == len(expected["mentions"])
        for k, metric in enumerate(METRICS):
            if expected["standard_error_f1"].get(metric) is None:  # there is none, or another best alignment has others
                continue
            spread = sample.spread(k, F1, 0)
            error = spread.error / math.sqrt(spread.design_effect)
            assert error == pytest.approx(float(expected["standard_error_f1"][metric]), abs=1e-12), (row["id"], metric)
            if kind == "entities":
                assert spread.design_effect == pytest.approx(float(expected["design_effect_f1"][metric]), rel=1e-9)
            n += 1
    assert n > 500


def test_pvalues_equal_those_of_another_program():
    """Exact ones under all exchanges of units, without the design effect; and the design effects of the differences."""
    n = 0
    for row in filter(lambda row: "paired" in row, ROWS):
        expected = row["paired"]["entities"]
        sides = row["key"], row["response"], row["paired"]["other"]
        mentions = sorted({mention for entities in sides for members in entities for mention in members})
        key, *responses = (labels_of(mentions, row[side]) for side in ("key", "response"))
        systems = [scored(key, labels) for labels in (*responses, labels_of(mentions, row["paired"]["other"]))]
        units, runs = labels_of(mentions, expected["mentions"]), Runs.from_scores(dict(zip("ab", systems, strict=True)))
        for metric, pvalue in expected["exact_p_f1"].items():
            sample = Sample.from_runs(Runs.from_scores(runs, (metric,)), "micro")
            assert sample.n_units == len(expected["mentions"])
            stretched = expected["design_effect_f1"][metric]
            if stretched is not None:
                assert sample.spread(0, F1, 0, 1).design_effect == pytest.approx(float(stretched), rel=1e-9)
            if sample.n_units > 1:
                found = paired_test(*systems, metric=metric, resample_by=units)
                assert found.pvalue == pytest.approx(float(pvalue), abs=1e-12), (row["id"], metric)
                n += 1
    assert n > 500


def neighbors(responses, units):
    """All ordered pairs of units that meet in a response entity of which one is a main part: by definition, in sets."""
    pairs = {(u, u) for u in units}
    for response in responses:
        for entity in set(response) - {-1}:
            at = [u for u, e in zip(units, response, strict=True) if e == entity]
            sizes = {u: at.count(u) for u in at}
            main = {u for u in sizes if 2 * sizes[u] >= max(sizes.values())}
            pairs |= {pair for u in main for v in sizes for pair in ((u, v), (v, u))}
    return pairs


@pytest.mark.parametrize("listed", [0, one_clustering.LISTED])
@given(st.lists(st.tuples(*[st.integers(-1, 5)] * 3), min_size=2, max_size=30))
@examples()
def test_design_effect_by_its_definition(listed, drawn):
    """By lists of neighbors alone, or where the largest entities are added up by the closed form."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_clustering, "LISTED", listed)
        patch.setattr(one_clustering, "AT_ONCE", 10)
        patch.setattr(one_clustering, "CLOSED", 3)
        compare_with_definition(drawn)


def compare_with_definition(drawn):
    key, *responses = map(list, zip(*drawn, strict=True))
    units = [k if k >= 0 else 100 + m for m, k in enumerate(key)]
    systems = {name: scored(key, r, ("pairwise", "bcub")) for name, r in zip("ab", responses, strict=True)}
    sample = Sample.from_runs(Runs.from_scores(systems), "micro")
    order = list(dict.fromkeys(k for k in key if k >= 0))
    order += [u for u, k, *r in zip(units, key, *responses, strict=True) if k < 0 <= max(r)]
    assert sample.n_units == max(1, len(order))  # without mentions, the document
    for k, (i, j) in itertools.product((0, 1), ((0, None), (1, None), (0, 1))):
        influence = sample.influences(k, F1, i) - (0 if j is None else sample.influences(k, F1, j))
        assert influence.sum() == pytest.approx(0, abs=1e-12)
        squares = influence @ influence
        if squares > 1e-20 and sample.n_units > 1:
            of = dict(zip(order, influence, strict=True))
            pairs = neighbors([responses[s] for s in (i, j) if s is not None], units)
            together = sum(of[u] * of[v] for u, v in pairs if u in of and v in of)
            assert sample.spread(k, F1, i, j).design_effect == pytest.approx(max(1, together / squares), rel=1e-6)


@cases("metric", [*CONTRIBUTIONS, "conll"])
def test_influences_are_derivatives(metric):
    """Of every metric and field, by the difference that a slightly larger weight of a unit makes."""
    options = {"restrict": "shared"} if ac.scoring.metrics.registry.find_metric(metric).gold_mentions else {}
    key = [0, 0, 0, 1, 1, 2, 2, 2, 3, 4, -1, 5, 5]
    b = scored(key, [0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], metric, **options)
    sample = Sample.from_runs(Runs.from_scores({"b": b}), "micro")
    for field in ac.scoring.metrics.registry.find_metric(metric).fields:
        f = ac.scoring.metrics.registry.RATIOS.index(field)
        up, down = (sample.totals + sign * 1e-5 * sample.rows.transpose(2, 0, 1)[..., 0, :] for sign in (1, -1))
        slopes = (sample.scores(up, 1) - sample.scores(down, 1))[0, f] / 2e-5
        np.testing.assert_allclose(sample.influences(0, f, 0), slopes - slopes.mean(), atol=1e-8, err_msg=field)


FACTS = {
    # 400 singletons and 50 pairs; how many of the pairs are split: the score, and its ends in percent
    (0, "pairwise", "f1"): (100.00, 92.89, 100.00),
    (0, "bcub", "f1"): (100.00, 99.18, 100.00),
    (1, "pairwise", "recall"): (98.00, 89.35, 99.95),  # as Clopper and Pearson's of 49 in 50
    (1, "bcub", "f1"): (99.90, 99.06, 100.00),
    (1, "conll", "f1"): (99.57, 96.47, 99.99),
    (2, "pairwise", "recall"): (96.00, 86.28, 99.51),
}
"""Computed by hand, in the section on few errors of docs/one-clustering.md."""


def split(*pairs):
    """Score 400 singletons and 50 pairs of which some are split."""
    key = np.append(np.arange(50, 450), np.arange(50).repeat(2))
    response = key.copy()
    response[400 + 2 * np.array(pairs, int)] = 1000 + np.array(pairs, int)
    return scored(key, response, "pairwise,bcub,conll")


@cases("n,metric,field", list(FACTS))
def test_few_errors_by_hand(n, metric, field):
    interval = getattr(bootstrap(split(*range(n)))[metric], field)
    found = [round(100 * value, 2) for value in (interval.estimate, interval.low, interval.high)]
    assert found == list(FACTS[n, metric, field])
    assert round(interval.errors, 1) == n


@cases("one,other,expected", [([0], [1, 2, 3], (4.0, -3.99, 13.16)), ([0], [], (-2.0, -8.44, 2.11))])
def test_differences_of_few_errors_by_hand(one, other, expected):
    interval = bootstrap(split(*one), split(*other))["pairwise"].recall
    assert [round(100 * value, 2) for value in (interval.estimate, interval.low, interval.high)] == list(expected)


def test_few_errors_equal_those_of_another_program():
    """Scores, differences, numbers of errors: of six clusterings, and where the folder shared is, of 40."""
    n, clusterings = 0, few_errors()
    if "ARRAYCOREF_DATA" in os.environ:
        path = Path(os.environ["ARRAYCOREF_DATA"]).parent / "oracle" / "few_errors.jsonl"
        clusterings = list(map(json.loads, path.read_text().splitlines()))
    for row in clusterings:
        key, one, other = (np.array(row[side]) for side in ("key", "response", "other"))
        metrics = tuple(row["intervals"])
        a, b = scored(key, one, (*metrics, "merge-distance")), scored(key, other, (*metrics, "merge-distance"))
        alone, both = (
            Sample.from_runs(Runs.from_scores({"a": a}), "micro"),
            Sample.from_runs(Runs.from_scores({"a": a, "b": b}), "micro"),
        )
        assert (alone.n_units, both.n_units) == (row["n_units_response"], row["n_units"])
        for kind, sample, j in (("intervals", alone, None), ("differences", both, 1)):
            for k, metric in enumerate(metrics):
                for field, expected in row[kind][metric].items():
                    ends = unit_ends(sample, k, RATIOS.index(field), 0, j, 0.95)
                    assert ends[:2] == pytest.approx((expected["low"], expected["high"]), abs=1e-6), (row["id"], metric)
                    n += 1
        for kind, sample, j in (("counts", alone, None), ("count_differences", both, 1)):
            rows = sample.rows[0] if j is None else sample.rows[0] - sample.rows[1]
            for name, place in (("splits", -4), ("merges", -2)):
                moved = rows[:, place] - rows[:, place].mean()
                met = sample.clustering.rows(0)[1]
                met = met if j is None else met.beside(sample.clustering.rows(j)[1])
                spread = one_clustering.Spread.from_influences(moved, met.together(moved))
                ends = (count_ends if j is None else count_difference_ends)(rows[:, place], spread, 0.05)
                assert ends[:2] == pytest.approx([row[kind][name][end] for end in ("low", "high")], abs=1e-6)
                n += 1
    assert n > 40 * len(clusterings)


@given(st.lists(st.tuples(*[st.integers(-1, 6)] * 3), min_size=4, max_size=40))
@examples()
def test_ends_hold_the_estimate_and_are_possible(drawn):
    """Whatever few units there are, also where one of them holds nearly all."""
    key, *responses = (np.append(np.zeros(60, int), labels) for labels in zip(*drawn, strict=True))
    a, b = (scored(key, response, (*METRICS, "blanc", "purity", "fowlkes-mallows", "conll")) for response in responses)
    for found, least in ((bootstrap(a), 0.0), (bootstrap(a, b), -1.0)):
        for name, score in found.items():
            for interval in vars(score).values():
                if not math.isnan(interval.low):
                    assert least <= interval.low <= interval.estimate + 1e-9, (name, interval)
                    assert interval.estimate - 1e-9 <= interval.high <= 1.0, (name, interval)


def test_fields_that_a_metric_lacks_have_no_errors():
    conll = bootstrap(split(0, 1), metrics="conll")
    assert conll["conll"].recall.errors is None
    assert "few errors: 2.0 effective" in conll.caption(2)[0]


def test_what_is_said_of_few_errors():
    said = bootstrap(split(0))
    assert "(linearized; few errors: 0.0 to 1.0 effective)" in said.caption(2)[0]
    assert said.notes[-1] == (
        "few errors (pairwise 1.0, bcub 1.0, conll 1.0 effective): Clopper-Pearson type intervals; "
        "the lower end allows for one more wrong unit of 50 and 450"
    )
    few, many = (n * (1 - 0.025 ** (1 / n)) for n in (50, 450))  # of that many wrong, none is drawn with chance 0.025
    none = f"none of 50, 450 units has an error: the lower ends are what {few:.1f} to {many:.1f} errors in that many"
    assert bootstrap(split()).notes[-1] == f"pairwise, bcub, conll: {none} would give"
    two = bootstrap(scored(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), "bcub"))
    assert f"what {2 * (1 - 0.025**0.5):.1f} errors in that many would give" in two.notes[-1]
    assert two["bcub"].f1.low == pytest.approx(0.025**0.5)
    none = "the systems differ in no unit: the ends allow for errors in 50, 450 others"
    assert bootstrap(split(1), split(1)).notes[-1] == f"pairwise, bcub, conll: {none}"
    drawn = bootstrap(split(0), method="percentile", **FEW).notes[-1]
    assert drawn == 'pairwise, bcub, conll: few errors: use method="linearized"'
    giant = bootstrap(
        scored(np.repeat([0, 1, 2, 3], [60, 2, 2, 1]), np.repeat([0, 1, 2, 3], [59, 3, 2, 1]), "pairwise")
    )
    assert "pairwise: one key entity holds 100% of the denominators: the intervals say little" in giant.notes[-1]
    alone = bootstrap(scored(np.array([0, 0, 1, 2]), np.array([0, 0, 1, 2]), "pairwise")).notes[-1]
    assert alone == "pairwise: no interval: fewer than two units are in each denominator"


@cases("key,response", [([0, 0, 1, 1, 1, 2], [0, 1, 1, 1, 2, 2]), ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])])
def test_purity_and_fowlkes_mallows_have_units(key, response):
    """Sums by key entity: of cells of equal size, the first is taken."""
    b = scored(key, response, "purity,inverse-purity,fowlkes-mallows,pairwise")
    rows = Sample.from_runs(Runs.from_scores({"b": b}), "micro").rows[0]
    cells = list(zip(key, response, strict=True))
    taken = {r: max(range(max(key) + 1), key=lambda k: cells.count((k, r))) for r in response}
    for k in range(max(key) + 1):
        own = [r for of, r in cells if of == k]
        assert rows[k, 0] == sum(taken[r] == k for r in own)
        assert rows[k, 4] == max(map(own.count, own))
        assert rows[k, 8:12].tolist() == rows[k, 12:16].tolist()
    found = bootstrap(b)
    assert all(i.f1.low < i.f1.estimate < i.f1.high for i in found.values())


def test_interval_by_its_formula():
    b, other = noisy(1, n_entities=900), noisy(2, 0.3, n_entities=900)
    sample = Sample.from_runs(Runs.from_scores({"b": b, "other": other}), "micro")
    found, apart = bootstrap(b), bootstrap(b, other)
    for k, metric in enumerate(METRICS):
        estimate, spread = b[metric].f1, sample.spread(k, F1, 0)
        t = stdtrit(spread.effective, 0.975)
        half = t * spread.error / (estimate * (1 - estimate))
        interval, difference = found[metric].f1, apart[metric].f1
        assert (interval.low, interval.high) == pytest.approx([expit(logit(estimate) + s * half) for s in (-1, 1)])
        spread = sample.spread(k, F1, 0, 1)
        if metric == "mentions":  # both systems have the same
            assert spread.error == 0.0
            continue
        assert difference.high - difference.estimate == pytest.approx(stdtrit(spread.effective, 0.975) * spread.error)
        assert difference.standard_error == spread.error
    assert found.how.method == "linearized"
    assert ", some of which share errors (design effect 1." in found.notes[0]


def test_order_and_numbers_do_not_matter():
    b = noisy(1)
    key, response = b.clusterings.key, b.clusterings.response
    order = np.random.default_rng(0).permutation(key.size)
    renamed = [np.where(labels < 0, -1, 997 - labels)[order] for labels in (key, response)]
    for one, other in zip(bootstrap(b).items_by_metric.values(), bootstrap(scored(*renamed)).values(), strict=True):
        assert list(vars(one.f1).values())[:4] == pytest.approx(list(vars(other.f1).values())[:4], rel=1e-9)


def test_a_system_against_itself_and_without_errors():
    b = noisy(1)
    same = paired_test(b, b, metric="bcub", **FEW)
    assert (same.pvalue, same.n_differing) == (1.0, 0)
    apart = bootstrap(b, b)["bcub"].f1
    assert apart.low == -apart.high == pytest.approx(0.025 ** (0.5 / same.how.n_units) - 1)


def test_a_clustering_of_nothing():
    nothing = bootstrap(scored(np.zeros(0, int), np.zeros(0, int), ("muc", "blanc", "conll")))
    assert all(math.isnan(score.f1.low) for score in nothing.items_by_metric.values())


def test_no_interval_without_key_mentions():
    wrong = bootstrap(scored(np.array([-1, -1]), np.array([0, 1]), ("bcub",)))
    assert wrong.notes[-1] == "bcub: no interval: a denominator is 0"


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_documents_as_given_units(test):
    """The same rows, intervals by percentiles and p-values as documents have; not of BLANC, whose links go across."""
    n, size, rng = 40, 12, np.random.default_rng(3)
    document = np.arange(n).repeat(size)
    key, *responses = (10 * document + rng.integers(0, k, n * size) for k in (5, 3, 4))
    metrics, options = ("muc", "bcub", "ceafe", "lea", "cluster"), {"resamples": 200, "seed": 5}
    many = [ac.score_labels_batch(key, r, range(0, n * size + 1, size), metrics=metrics) for r in responses]
    one = [scored(key, response, metrics) for response in responses]
    np.testing.assert_allclose(
        Sample.from_runs(Runs.from_scores({"x": one[0]}), "micro", document).rows[0], many[0].counts.flat, atol=1e-12
    )
    for metric in metrics:
        as_units = paired_test(*one, metric=metric, test=test, resample_by=document, **options)
        assert as_units.pvalue == paired_test(*many, metric=metric, test=test, **options).pvalue
        interval = bootstrap(one[0], resample_by=document, method="percentile", **options)[metric].recall
        expected = bootstrap(many[0], method="percentile", **options)[metric].recall
        assert list(vars(interval).values()) == pytest.approx(list(vars(expected).values()))


def test_tests_divide_the_difference_by_the_design_effect():
    """In all functions alike."""
    a, b = noisy(1, 0.25, metrics="pairwise"), noisy(2, 0.2, metrics="pairwise")
    options, sample = (
        {"metric": "pairwise", "resamples": 2000},
        Sample.from_runs(Runs.from_scores({"a": a, "b": b}), "micro"),
    )
    stretch = sample.stretch(0, F1, 0, 1)
    assert stretch > 1.05
    swaps = np.random.default_rng(9).integers(0, 2, (2000, sample.n_units))
    moved = swaps @ (sample.rows[1] - sample.rows[0])
    totals = sample.totals.T
    f1 = [2 * (t[..., 0]) / (t[..., 1] + t[..., 3]) for t in (totals[0] + moved, totals[1] - moved)]
    observed = abs(a["pairwise"].f1 - b["pairwise"].f1) / stretch
    expected = (np.abs(f1[0] - f1[1]) >= observed).mean()
    found = paired_test(a, b, **options)
    assert found.pvalue == pytest.approx(expected, abs=0.04)
    ranked = compare({"a": a, "b": b}, **options)
    assert ranked.systems[1].pvalue == found.pvalue
    assert ranked.systems[1].mark == ("a" if found.pvalue > 0.05 else "b")
    best = ac.stats.best({"a": a, "b": b}, "pairwise", resamples=2000)
    assert best.systems[1].adjusted > 0.5 * expected / 0.9 - 0.03
    table = ac.table({"a": a, "b": b}, metrics="pairwise", baseline="b", intervals=True, resamples=2000)
    assert table.adjusted[0, 0, 0, F1] == found.pvalue
    assert table.low[0, 0, 0, F1] == bootstrap(a)["pairwise"].f1.low
    assert table.how.method == "linearized"


def test_units_needed():
    """As the normal distribution has it, from the standard error of the pilot."""
    a, b = noisy(1, 0.22, 400, "bcub"), noisy(2, 0.2, 400, "bcub")
    found = power(a, b, metric="bcub", difference=0.04, resamples=3000)
    spread = Sample.from_runs(Runs.from_scores({"a": a, "b": b}), "micro").spread(0, F1, 0, 1)
    assert found.needed == pytest.approx(found.n_pilot * (1.96 + 0.8416) ** 2 * spread.error**2 / 0.04**2, rel=0.08)
    assert f"{found.needed} key entities reach" in found.caption(2)[0]


def test_metrics_without_shares_say_so():
    b, other = (noisy(seed, metrics=("muc", "bcub-sys")) for seed in (1, 2))
    found = bootstrap(b)
    assert math.isnan(found["bcub-sys"].f1.low)
    assert found["bcub-sys"].f1.estimate == b["bcub-sys"].f1
    assert found["muc"].f1.low < found["muc"].f1.estimate
    said = "bcub-sys: no interval or test for a single clustering: this score is not a sum over mentions"
    ranked = ac.stats.best({"b": b, "other": other}, "bcub-sys", **FEW)
    assert said in found.notes
    assert said in ranked.notes
    assert [system.mark for system in ranked.systems] == ["", ""]
    assert math.isnan(paired_test(b, other, metric="bcub-sys", **FEW).pvalue)


def test_what_is_said_of_few_units_and_of_scores_of_one_size():
    """A giant of the key rests on itself."""
    key = np.array([0] * 60 + [*range(1, 41)] * 2)
    response = np.where(np.arange(key.size) % 9 == 0, 7, key)
    notes = bootstrap(scored(key, response, "pairwise,blanc,vmeasure", restrict="shared")).notes
    assert any(note.startswith("few errors (pairwise ") for note in notes)
    assert "pairwise, blanc: one key entity holds 95% of the denominators: the intervals say little" in str(notes)
    assert "blanc, vmeasure: the interval is for clusterings of this size" in notes
    assert any("not about other texts" in note for note in notes)


def test_a_giant_is_no_rival_of_the_best():
    """Far below the best, by one event: no test can tell, and no mark says that it may be as good."""
    b = noisy(1, n_entities=400, metrics="bcub")
    labels = b.clusterings.response
    merged = scored(b.clusterings.key, np.where(labels < 120, 7, labels), "bcub")
    ranked = ac.stats.best({"fine": b, "merged": merged}, "bcub", **FEW)
    assert ranked.systems[1].difference.estimate < -0.1
    assert (ranked.systems[1].mark, ranked.rivals) == ("", ())
    assert math.isnan(ranked.systems[1].adjusted)
    assert "1 of 2 not tested: fewer than 3 effective units differ from the best" in ranked.notes
    assert not ac.table({"fine": b, "merged": merged}, metrics="bcub", marks=True, **FEW).rivals.any()


def test_components():
    apart = noisy(1, 0.02)
    found = bootstrap(apart, resample_by="component")
    assert found.how.resample_by == "component"
    assert "components of one clustering; effective number of units" in found.notes[0]
    key, response = apart.clusterings.key, apart.clusterings.response
    links = [(k, f"r{r}") for k, r in zip(key.tolist(), response.tolist(), strict=True) if k >= 0 and r >= 0]
    component = {node: node for node in itertools.chain(*links)}
    for one, other in links * 5:  # the least of each component, as text, goes round
        component[one] = component[other] = min(component[one], component[other], key=str)
    units = [component.get(k, component.get(f"r{r}", r)) for k, r in zip(key.tolist(), response.tolist(), strict=True)]
    expected = bootstrap(apart, resample_by=units)["bcub"].f1
    assert list(vars(found["bcub"].f1).values()) == pytest.approx(list(vars(expected).values()))
    with pytest.raises(InputError, match=r"one of \d+ components holds \d+% of the mentions; expected a fifth"):
        bootstrap(noisy(1, 0.3), resample_by="component")


def test_labels_that_changed_since_they_were_scored():
    key, response = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    b = scored(key, response)
    response[:] = key
    with pytest.raises(InputError, match="labels were changed after they were scored"):
        bootstrap(b, resample_by="entity")


@cases(
    "by,told",
    [
        ("entity", "there are 5 documents"),
        ("[0-3]$", r"resample_by '\[0-3\]\$' is not found in '4'"),
        ([0, 1], "got 2 labels for 5 documents"),
        ([0, 1, math.nan, 1, None], "label 2 of resample_by is missing"),
    ],
)
def test_units_that_documents_do_not_have(by, told):
    b = ac.score_labels_batch([0, 0, 1, 1] * 5, [0, 1, 1, 1] * 5, range(0, 21, 4))
    with pytest.raises(InputError, match=told):
        bootstrap(b, resample_by=by)


def test_labels_of_mentions_need_positions():
    b = ac.score_batch([[["a", "b"], ["c"]]], [[["a"], ["b", "c"]]])
    two = ac.score_batch([[["a", "b"]]], [[["a"], ["b", "a"]]], duplicates="both")
    with pytest.raises(
        InputError, match=r"not on breakdowns or on duplicates='both' and split='keep'; expected 'document'"
    ):
        bootstrap(two, resample_by="entity")
    with pytest.raises(InputError, match=r"got 3 labels of mentions; expected .* as in score_labels"):
        bootstrap(b, resample_by=[0, 0, 1])
    assert bootstrap(b)["bcub"].f1.low > 0


def test_runs_keep_labels_where_there_is_one_document(tmp_path):
    """Those of sweeps, of files, of mappings; saved and loaded, selected and joined."""
    a, b = noisy(1, metrics="bcub"), noisy(2, metrics="bcub")
    key, responses = a.clusterings.key, [one.clusterings.response for one in (a, b)]
    swept = ac.sweep(key, {"a": responses[0], "b": responses[1]}, metrics="bcub")
    expected = ac.compare({"a": a, "b": b}, metric="bcub", **FEW).to_dict()
    swept.save(tmp_path / "runs.npz")
    for name, one in (("a", a), ("b", b)):
        one.save(tmp_path / f"{name}.json")
    loaded = ac.load_runs(tmp_path / "runs.npz")
    for runs in (
        swept,
        loaded,
        swept.select([1, 0]),
        swept.select([0]) + swept.select([1]),
        {name: ac.load_scores(tmp_path / f"{name}.json") for name in "ab"},
        {name: ac.score_labels(key, r, metrics="bcub") for name, r in zip("ab", responses, strict=True)},
    ):
        found = compare(runs, metric="bcub", **FEW)
        assert found.to_dict() == expected
    table = ac.table(
        {name: ac.score_labels(key, r, metrics="bcub") for name, r in zip("ab", responses, strict=True)},
        metrics="bcub",
        intervals=True,
        **FEW,
    )
    assert table.low[0, 0, 0, F1] == expected["rows"][expected["rows"][0]["system"] != "a"]["low"]


def test_mentions_that_the_key_lacks_are_recognized_in_files(tmp_path, monkeypatch):
    """Two responses have the same spurious mention, and each one of its own."""
    monkeypatch.chdir(tmp_path)
    key = [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    for name, more in (("key", []), ("a", [[[4, 4], [5, 5]]]), ("b", [[[6, 6], [4, 4]]])):
        Path(f"{name}.jsonl").write_text(json.dumps({"doc_key": "d", "clusters": [*key, *more]}))
    swept = ac.sweep_files("key.jsonl", ["a.jsonl", "b.jsonl"])
    alone = {name: ac.score_files("key.jsonl", f"{name}.jsonl") for name in "ab"}
    assert [Sample.from_runs(Runs.from_scores(runs), "micro").n_units for runs in (swept, alone)] == [5, 5]
    of_clusters = {n: ac.score_batch([[["x", "y"]]], [[["x", "y"], ["z"]]]) for n in "ab"}
    n_units = Sample.from_runs(Runs.from_scores(of_clusters), "micro").n_units
    assert n_units == 3  # z counts twice: whether it is the same is not known


def test_responses_with_other_keys_are_not_compared():
    """A restriction left other mentions of the key for one of them."""
    key = [0, 0, 1, 1, 2, 2]
    a, b = (scored(key, r, restrict="shared") for r in ([0, 0, 1, 1, -1, -1], [-1, -1, 1, 1, 2, 2]))
    with pytest.raises(InputError, match="the key has other mentions or entities for one response than for another"):
        bootstrap(a, b, resample_by="entity")
    assert any("its entities cannot be resampled: the key has other" in note for note in bootstrap(a, b).notes)
