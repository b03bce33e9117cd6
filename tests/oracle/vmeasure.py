"""V-measure: Rosenberg and Hirschberg (2007), section 2, on two clusterings of the same mentions."""

import math
from collections import Counter


def entropy(labels):
    """Return n times the entropy of n labels, in nats."""
    n = len(labels)
    return -sum(count * math.log(count / n) for count in Counter(labels).values())


def vmeasure(key, response):
    """Return n MI and n H(response), then n MI and n H(key); n MI is summed over pairs of entities, by definition."""
    key_of = {mention: i for i, entity in enumerate(key) for mention in entity}
    response_of = {mention: j for j, entity in enumerate(response) for mention in entity}
    if key_of.keys() != response_of.keys():
        raise ValueError("V-measure needs the same mentions on both sides")
    both = list(key_of)
    n = len(both)
    key_count = Counter(key_of[mention] for mention in both)
    response_count = Counter(response_of[mention] for mention in both)
    information = sum(
        count * math.log(count * n / (key_count[i] * response_count[j]))
        for (i, j), count in Counter((key_of[mention], response_of[mention]) for mention in both).items()
    )
    of_key, of_response = (entropy([side[mention] for mention in both]) for side in (key_of, response_of))
    return information, of_response, information, of_key


def score(counts, beta=1):
    """Return completeness, homogeneity and V; each of the first two is 1 if its entropy is 0."""
    recall, precision = (1.0 if den < 1e-12 else num / den for num, den in (counts[:2], counts[2:]))
    below = beta * precision + recall
    return recall, precision, (1 + beta) * precision * recall / below if below else 0.0


GOLD = {"vmeasure": vmeasure}
SCORES = {"vmeasure": score}
