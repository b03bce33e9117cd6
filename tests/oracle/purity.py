"""Purity: Zhao and Karypis (2001), and its inverse: the largest part of each entity that one of the other side has."""

from fractions import Fraction


def largest_parts(side, other):
    """Add up the most mentions that each entity of a side shares with one of the other; and its mentions."""
    total = sum(max((len(set(entity) & set(one)) for one in other), default=0) for entity in side)
    return total, sum(map(len, side))


def purity(key, response):
    """Count over the response's entities; both halves are the same."""
    return (*largest_parts(response, key),) * 2


def inverse_purity(key, response):
    """Count over the key's entities; both halves are the same."""
    return (*largest_parts(key, response),) * 2


def score(counts, beta=1):
    """Return the ratio, 0 for 0 / 0."""
    del beta
    return None, None, Fraction(counts[0]) / Fraction(counts[1]) if counts[1] else Fraction(0)


COUNTS = {"purity": purity, "inverse-purity": inverse_purity}
SCORES = dict.fromkeys(COUNTS, score)
