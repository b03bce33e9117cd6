"""Pairwise links: the coreference class of Luo et al. (2014), equation 16, on its own."""

from oracle.links import coreference_links


def pairwise(key, response):
    """Count the coreference links that both sides have, and those of each side."""
    key_links = coreference_links(key)
    response_links = coreference_links(response)
    shared = len(key_links & response_links)
    return shared, len(key_links), shared, len(response_links)


COUNTS = {"pairwise": pairwise}
