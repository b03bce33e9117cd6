"""The Rand index: Luo et al. (2014), section 3, whose text (not its equation 1) gives the denominator."""

from oracle.links import all_links, coreference_links, non_coreference_links


def rand(key, response):
    """Count the links on which both sides agree, and all links; both sides must have the same mentions."""
    if {m for e in key for m in e} != {m for e in response for m in e}:
        raise ValueError("the Rand index needs the same mentions on both sides")
    agreed = len(coreference_links(key) & coreference_links(response))
    agreed += len(non_coreference_links(key) & non_coreference_links(response))
    links = len(all_links(key))
    return agreed, links, agreed, links


GOLD = {"rand": rand}
