"""The Fowlkes-Mallows index: Fowlkes and Mallows (1983), from the links of both sides."""

from oracle.links import coreference_links


def fowlkes_mallows(key, response):
    """Count the links that both sides have, and those of each."""
    in_key, in_response = coreference_links(key), coreference_links(response)
    both = len(in_key & in_response)
    return both, len(in_key), both, len(in_response)


def score(counts, beta=1):
    """Return recall, precision and their geometric mean."""
    del beta
    recall, precision = (num / den if den else 0.0 for num, den in (counts[:2], counts[2:]))
    return recall, precision, (recall * precision) ** 0.5


COUNTS = {"fowlkes-mallows": fowlkes_mallows}
SCORES = {"fowlkes-mallows": score}
