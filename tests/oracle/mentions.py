"""Mention detection: Pradhan et al. (2014), section 3 (the mention score is independent of the entities)."""


def mentions(key, response):
    """Count the mentions that both sides have, and the mentions of each side."""
    key_mentions = {mention for entity in key for mention in entity}
    response_mentions = {mention for entity in response for mention in entity}
    shared = len(key_mentions & response_mentions)
    return shared, len(key_mentions), shared, len(response_mentions)


COUNTS = {"mentions": mentions}
