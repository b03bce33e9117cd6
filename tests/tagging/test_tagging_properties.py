"""Properties that the issue names, and every measure against the slow definitions."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
import tagging_oracle as oracle
from hypothesis import given, settings, strategies as st

from arraycoref.tagging import SCORING, load_tagset, score_tags, tag_table
from arraycoref.tagging.measures import WEIGHTED
from arraycoref.tagging.tagsets import SeparatedTagset
from arraycoref.tagging.weights import Weights

NKJP = load_tagset("nkjp")
assert isinstance(NKJP, SeparatedTagset)


def tags_of(pos):
    """List every tag of a part of speech, by how many values it has: those at the end may be left out."""
    slots = NKJP.classes[pos]
    values = [sorted(NKJP.values[slot.category]) for slot in slots]
    lengths = [n for n in range(len(slots) + 1) if n == len(slots) or slots[n].optional]
    return [[":".join((pos, *some)) for some in product(*values[:n])] for n in lengths]


TAGS = [tags_of(pos) for pos in ("subst", "ger", "adj", "fin", "conj", "prep", "ppron3", "adv")]


def tag():
    """Draw a tag: its part of speech, how many values it has, and which; a draw for each value takes far longer."""
    return st.sampled_from(TAGS).flatmap(st.sampled_from).flatmap(st.sampled_from)


words = st.lists(
    st.tuples(st.lists(tag(), max_size=3, unique=True), st.lists(tag(), max_size=3, unique=True)),
    min_size=1,
    max_size=12,
)
weight = st.integers(0, 20)
weights = st.fixed_dictionaries(dict.fromkeys(NKJP.categories, weight))
conditional = st.dictionaries(st.sampled_from(["subst", "ger", "adj", "fin", "conj"]), weights)


def pairs(tags):
    table = tag_table(tags, NKJP)
    assigned, gold = (grid.ravel() for grid in np.meshgrid(np.arange(len(tags)), np.arange(len(tags))))
    return table, assigned, gold


tag_lists = st.lists(tag(), min_size=1, max_size=8, unique=True)


@settings(deadline=None)
@given(tag_lists, weights, conditional)
def test_scores_lie_between_exact_and_one(tags, general, by_pos):
    table, *which = pairs(tags)
    chosen = Weights(general, by_pos)
    exact = SCORING["exact"](table, *which)
    for name in SCORING:
        score = SCORING[name](table, *which, *([chosen] if name in WEIGHTED else []))
        assert (exact <= score).all()
        assert (score <= 1).all()


@settings(deadline=None)
@given(tag_lists, st.floats(0.01, 1000))
def test_equal_weights_make_wpa_equal_pa(tags, one):
    table, *which = pairs(tags)
    equal = Weights(dict.fromkeys(NKJP.categories, one))
    np.testing.assert_allclose(SCORING["wpa"](table, *which, equal), SCORING["pa"](table, *which), rtol=1e-12)


@settings(deadline=None)
@given(tag_lists, weights)
def test_unconditional_weights_make_cwpa_equal_wpa(tags, general):
    table, *which = pairs(tags)
    for chosen in (Weights(general), Weights(by_pos=dict.fromkeys(table.value_names[0], general))):
        np.testing.assert_array_equal(
            SCORING["cwpa"](table, *which, chosen), SCORING["wpa"](table, *which, Weights(general))
        )


@settings(deadline=None)
@given(words, weights, conditional)
def test_all_measures_against_the_definitions(given_words, general, by_pos):
    gold, assigned = ([list(word[side]) for word in given_words] for side in (0, 1))
    scores = score_tags(
        gold, assigned, tagset="nkjp", measures="exact,pos,pa,wpa,cwpa", weights=Weights(general, by_pos)
    )
    parsed = [[[NKJP.parse(t) for t in word] for word in side] for side in (assigned, gold)]
    definitions = {
        "exact": oracle.exact,
        "pos": oracle.pos,
        "pa": oracle.pa,
        "wpa": lambda t, g: oracle.weighted(t, g, lambda c, p: Fraction(general[c])),
        "cwpa": lambda t, g: oracle.weighted(t, g, lambda c, p: Fraction(by_pos.get(p, general)[c])),
    }
    for name, definition in definitions.items():
        expected = oracle.measures(*parsed, definition)
        correct = scores.correctness(name)
        assert scores[name].precision == pytest.approx(float(expected["P"]), abs=1e-12)
        assert scores[name].recall == pytest.approx(float(expected["R"]), abs=1e-12)
        assert correct.weak == pytest.approx(float(expected["WC"]), abs=1e-12)
        assert correct.strong == pytest.approx(float(expected["SC"]), abs=1e-12)


features = st.lists(
    st.sampled_from(["Case=Nom", "Case=Acc", "Number=Sing", "Gender=Fem,Masc", "Gender=Masc,Fem", "Gender=Fem"]),
    max_size=3,
    unique_by=lambda feature: feature.partition("=")[0],
)
spelled = st.tuples(st.sampled_from(["NOUN", "ADJ"]), features).map(lambda drawn: "|".join((drawn[0], *drawn[1])))
spelled_words = st.lists(st.tuples(*[st.lists(spelled, max_size=4)] * 2), min_size=1, max_size=6)


@settings(deadline=None)
@given(spelled_words)
def test_spellings_against_the_definitions(given_words):
    """A word has a set of tags, and a tag a set of features whose values are sets, in whatever order they are."""

    def parse(written):
        pos, *named = written.split("|")
        values = {name: frozenset(listed.split(",")) for name, listed in (each.split("=") for each in named)}
        return {"pos": pos, **values}

    gold, assigned = ([word[side] for word in given_words] for side in (0, 1))
    parsed = [[list(map(parse, word)) for word in side] for side in (assigned, gold)]
    sets = [[[tag for i, tag in enumerate(word) if tag not in word[:i]] for word in side] for side in parsed]
    scores = score_tags(gold, assigned, tagset="ud", measures="exact,pos,pa")
    for name, definition in {"exact": oracle.exact, "pos": oracle.pos, "pa": oracle.pa}.items():
        expected = oracle.measures(*sets, definition)
        found = (scores[name].precision, scores[name].recall, *scores.correctness(name)[:2])
        assert found == pytest.approx([float(expected[each]) for each in ("P", "R", "WC", "SC")], abs=1e-12)


@settings(deadline=None)
@given(words, st.data())
def test_counts_of_documents_add_up(given_words, data):
    gold, assigned = ([list(word[side]) for word in given_words] for side in (0, 1))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(gold)), max_size=3)))
    bounds = [0, *cuts, len(gold)]
    whole = score_tags(gold, assigned, tagset="nkjp")
    parts = score_tags(gold, assigned, tagset="nkjp", documents=bounds)
    for name in whole.counts:
        np.testing.assert_allclose(parts.counts[name].sum(axis=0), whole.counts[name][0], atol=1e-12)
    for name in whole.metrics:
        for d, (first, last) in enumerate(pairwise(bounds)):
            alone = score_tags(gold[first:last], assigned[first:last], tagset="nkjp", measures=name)
            np.testing.assert_allclose(alone.counts[name][0], parts.counts[name][d], atol=1e-12)
