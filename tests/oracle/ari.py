"""The adjusted Rand index: Hubert and Arabie (1985), equation 5, on two clusterings of the same mentions."""

from fractions import Fraction

from oracle.links import all_links, coreference_links


def ari(key, response):
    """Count pairs of mentions: those in one entity on both sides, in the key, in the response; and all pairs."""
    if {m for entity in key for m in entity} != {m for entity in response for m in entity}:
        raise ValueError("the adjusted Rand index needs the same mentions on both sides")
    in_key, in_response = coreference_links(key), coreference_links(response)
    return len(in_key & in_response), len(in_key), len(in_response), len(all_links(key))


def score(counts, beta=1):
    """Return (index - expected) / (maximum - expected), and 1 where that is 0 / 0."""
    del beta
    both, in_key, in_response, pairs = map(Fraction, counts)
    expected = in_key * in_response / pairs if pairs else Fraction(0)
    most = (in_key + in_response) / 2
    return None, None, (both - expected) / (most - expected) if most != expected else Fraction(1)


GOLD = {"ari": ari}
SCORES = {"ari": score}
