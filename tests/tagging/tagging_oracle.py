"""Slow, obviously correct definitions of the tagger measures; nothing here imports arraycoref.

A tag is a dict from categories to values, "pos" among them. Weights are ``w(category, pos)``.
"""

from collections.abc import Callable
from fractions import Fraction

Tag = dict[str, str]
Weight = Callable[[str, str], Fraction]


def ratio(numerator, denominator):
    return Fraction(numerator) / denominator if denominator else Fraction(0)


def weighted(t: Tag, g: Tag, w: Weight) -> Fraction:
    """F of the formulas of section 2.4; with a weight that ignores the part of speech, of section 2.3."""
    if t == g:
        return Fraction(1)
    common = [c for c in t if c in g and t[c] == g[c]]
    precision = ratio(sum(w(c, t["pos"]) for c in common), sum(w(c, t["pos"]) for c in t))
    recall = ratio(sum(w(c, g["pos"]) for c in common), sum(w(c, g["pos"]) for c in g))
    return ratio(2 * precision * recall, precision + recall)


def exact(t: Tag, g: Tag) -> Fraction:
    return Fraction(t == g)


def pos(t: Tag, g: Tag) -> Fraction:
    return Fraction(t["pos"] == g["pos"])


def pa(t: Tag, g: Tag) -> Fraction:
    return weighted(t, g, lambda category, part: Fraction(1))


def measures(assigned: list[list[Tag]], gold: list[list[Tag]], score) -> dict[str, Fraction]:
    """P, R, WC and SC of section 3.1; a segment without tags on one side scores 0 for those of the other."""

    def best(t, tags):
        return max((score(t, g) for g in tags), default=Fraction(0))

    n = len(gold)
    precision = recall = weak = strong = Fraction(0)
    for t_i, g_i in zip(assigned, gold, strict=True):
        of_t = [best(t, g_i) for t in t_i]
        of_g = [best(g, t_i) for g in g_i]
        precision += sum(of_t)
        recall += sum(of_g)
        weak += max(of_t, default=Fraction(0))
        strong += min(of_t + of_g, default=Fraction(0))
    return {
        "P": ratio(precision, sum(map(len, assigned))),
        "R": ratio(recall, sum(map(len, gold))),
        "WC": ratio(weak, n),
        "SC": ratio(strong, n),
    }
