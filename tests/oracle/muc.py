"""MUC: Vilain et al. (1995); Pradhan et al. (2014), section 4.1."""


def partition(entity, other_entities):
    """Cut an entity into the pieces that are in different entities of the other side.

    A mention that the other side lacks is a piece of its own (Pradhan et al. 2014, figure 1).
    """
    left = set(entity)
    pieces = []
    for other in other_entities:
        piece = left & set(other)
        if piece:
            pieces.append(piece)
            left -= piece
    pieces.extend({mention} for mention in left)
    return pieces


def one_side(entities, other_entities):
    """Sum |K_i| - |p(K_i)|, p(K_i) being the pieces of entity K_i, and |K_i| - 1 over the entities of one side."""
    numerator = 0
    denominator = 0
    for entity in entities:
        numerator += len(entity) - len(partition(entity, other_entities))
        denominator += len(entity) - 1
    return numerator, denominator


def muc(key, response):
    """Count, for each side, the links that need not be added to join its entities' pieces again, and all its links."""
    return *one_side(key, response), *one_side(response, key)


COUNTS = {"muc": muc}
