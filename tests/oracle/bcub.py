"""B-cubed: Bagga and Baldwin (1998); Pradhan et al. (2014), section 4.2, without any change to the mentions."""

from fractions import Fraction


def one_side(entities, other_entities):
    """Sum the credit of every mention of one side, mention by mention.

    The credit is the share of the mentions of its entity that are also in the other side's entity of this mention. A
    mention that the other side lacks gets none.
    """
    credit = Fraction(0)
    n_mentions = 0
    for entity in entities:
        for mention in entity:
            n_mentions += 1
            for other in other_entities:
                if mention in other:
                    correct = sum(1 for candidate in entity if candidate in other)
                    credit += Fraction(correct, len(entity))
    return credit, n_mentions


def bcub(key, response):
    """Return, for each side, the sum of its mentions' credits and their number."""
    key = [set(entity) for entity in key]
    response = [set(entity) for entity in response]
    return *one_side(key, response), *one_side(response, key)


COUNTS = {"bcub": bcub}
