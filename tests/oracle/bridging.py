"""Bridging links of one document, counted in sets and loops.

A side has ``mentions``, tuples of words from 0 and of empty nodes such as ``"5.2"``, the second one after five words;
``entities``, the entity of each mention; ``pseudo``, entities that refer to nothing; and ``links``: the number of the
anaphor's mention, that of the antecedent's mention or None, and the antecedent's entity.
"""


def place(unit):
    """Return where a word or an empty node is in the text."""
    if isinstance(unit, str):
        words, number = map(int, unit.split("."))
        return words - 0.5 + number / 1000
    return unit


def antecedent(side, anaphor, mention, entity):
    """Return the antecedent: the mention that is named, or the last that begins before the anaphor, else the first."""
    if mention is not None:
        return side["mentions"][mention]
    own = [each for each, of in zip(side["mentions"], side["entities"], strict=True) if of == entity]
    own.sort(key=lambda units: min(map(place, units)))
    before = [each for each in own if min(map(place, each)) < min(map(place, side["mentions"][anaphor]))]
    return [*before[-1:], *own][0]


def links(side):
    """Return the links of a side as a set: anaphor, antecedent, whether it is named, entity or None for no entity."""
    found = set()
    for anaphor, mention, entity in side["links"]:
        of = None if entity in side["pseudo"] else entity
        words = antecedent(side, anaphor, mention, entity)
        found.add((frozenset(side["mentions"][anaphor]), frozenset(words), mention is not None, of))
    return found


def sums(key, response):
    """Return recall numerator, recall denominator, precision numerator, precision denominator of each level."""
    of_key, of_response = links(key), links(response)
    anaphors = [{link[0] for link in side} for side in (of_key, of_response)]
    members = {}
    for units, entity in zip(key["mentions"], key["entities"], strict=True):
        if entity not in key["pseudo"]:
            members.setdefault(frozenset(units), set()).add(entity)

    def agree(one, other):
        return one[0] == other[0] and (one[1] == other[1] or one[3] in members.get(other[1], ()))

    named = [{link for link in side if link[2]} for side in (of_key, of_response)]
    ends = [{link[:2] for link in side} for side in named]
    n_shared = len(anaphors[0] & anaphors[1])
    return {
        "anaphor": [n_shared, len(anaphors[0]), n_shared, len(anaphors[1])],
        "mention": [
            sum(link[:2] in ends[1] for link in named[0]),
            len(named[0]),
            sum(link[:2] in ends[0] for link in named[1]),
            len(named[1]),
        ],
        "entity": [
            sum(any(agree(link, other) for other in of_response) for link in of_key),
            len(of_key),
            sum(any(agree(other, link) for other in of_key) for link in of_response),
            len(of_response),
        ],
    }
