"""BLANC: Luo et al. (2014), section 4 (system mentions) and section 3 (gold mentions)."""

from fractions import Fraction
from typing import NamedTuple

from oracle.links import all_links, coreference_links, non_coreference_links
from oracle.mentions import mentions
from oracle.scores import score


class BlancCounts(NamedTuple):
    """Four numbers for each class of links, and for mentions, which are needed if there are no links at all."""

    coreference: tuple
    non_coreference: tuple
    mentions: tuple


def blanc(key, response):
    """Count, for both classes of links, the links that both sides have and those of each side (equations 16 and 17)."""
    c_key, c_response = coreference_links(key), coreference_links(response)
    n_key, n_response = non_coreference_links(key), non_coreference_links(response)
    return BlancCounts(
        coreference=(len(c_key & c_response), len(c_key), len(c_key & c_response), len(c_response)),
        non_coreference=(len(n_key & n_response), len(n_key), len(n_key & n_response), len(n_response)),
        mentions=mentions(key, response),
    )


def blanc_gold(key, response):
    """Count links by their class on each side (equations 2 to 6); both sides must have the same mentions."""
    if all_links(key) != all_links(response) or {m for e in key for m in e} != {m for e in response for m in e}:
        raise ValueError("BLANC-gold needs the same mentions on both sides")
    c_key, c_response = coreference_links(key), coreference_links(response)
    n_key, n_response = non_coreference_links(key), non_coreference_links(response)
    both_c, both_n = len(c_key & c_response), len(n_key & n_response)
    split, merged = len(c_key & n_response), len(n_key & c_response)
    return BlancCounts(
        coreference=(both_c, both_c + split, both_c, both_c + merged),
        non_coreference=(both_n, both_n + merged, both_n, both_n + split),
        mentions=mentions(key, response),
    )


def blanc_score(counts, profile="paper", beta=1):
    """Return recall, precision and BLANC of a document's or a corpus's counts.

    Profile `paper` follows section 4.1: a class is left out if neither side has such links; if there are no links
    at all, the score is 1 for equal mentions, otherwise 0. Profile `conll` follows the reference scorer 8.01: a class
    is left out if the key has no such links, and the score is 0 if the key has no links at all.
    """
    c, n, (shared, n_key_mentions, _, n_response_mentions) = counts
    if profile == "paper":
        has_c = c[1] + c[3] > 0
        has_n = n[1] + n[3] > 0
        if not has_c and not has_n:
            same = Fraction(int(shared == n_key_mentions == n_response_mentions))
            return same, same, same
    elif profile == "conll":
        has_c = c[1] > 0
        has_n = n[1] > 0
        if not has_c and not has_n:
            return Fraction(0), Fraction(0), Fraction(0)
    else:
        raise ValueError(profile)
    classes = [score(counts, beta) for counts, present in ((c, has_c), (n, has_n)) if present]
    return tuple(sum(values) / len(classes) for values in zip(*classes, strict=True))
