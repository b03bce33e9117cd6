"""Merge distance: Menestrina et al. (2010), section 3, with unit costs, by carrying out the splits and merges."""


def merge_distance(key, response):
    """Count the splits of response entities, and the merges of their parts, that turn the response into the key."""
    mentions = {m for entity in key for m in entity} | {m for entity in response for m in entity}
    sides = []
    for entities in (key, response):
        held = {m for entity in entities for m in entity}
        sides.append([set(entity) for entity in entities if entity] + [{m} for m in mentions - held])
    goal, parts = sides
    splits = merges = 0
    queue, parts = parts, []
    while queue:
        part = queue.pop()
        inside = next(part & entity for entity in goal if part & entity)
        if inside != part:
            splits += 1
            queue.append(part - inside)
        parts.append(inside)
    for entity in goal:
        within = [part for part in parts if part <= entity]
        while len(within) > 1:
            within.append(within.pop() | within.pop())
            merges += 1
        assert within == [entity]
    return merges, 1, splits, 1


def score(counts, beta=1):
    """Return the number of steps as the score; there is no recall and no precision."""
    del beta
    return None, None, counts[0] + counts[2]


COUNTS = {"merge-distance": merge_distance}
SCORES = {"merge-distance": score}
