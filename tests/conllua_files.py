"""Documents of CoNLL-UA as lists of mentions: random ones, and the text of a file.

A side is a dictionary as in ``ua_documents.jsonl.gz``: ``mentions``, each ``[first, last]`` word from 0, ``"5.2"`` for
the second empty node after five words, or a list of such parts; the entity of each in ``entities``; first and last word
of minimum spans in ``min``, or None; ``elements`` by entity, entities that refer to nothing in ``pseudo``, and pairs of
mentions, anaphor and antecedent, in ``bridging``.
"""

HEADER = (
    "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC "
    "IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM\n"
)


def parts_of(mention):
    """Return the parts of a mention, each a list or a text."""
    return mention if isinstance(mention, list) and not isinstance(mention[0], int) else [mention]


def begin_of(part):
    """Return the line on which a part begins: words before it, and its place among the empty nodes there, or 0."""
    return tuple(map(int, part.split("."))) if isinstance(part, str) else (part[0] + 1, 0)


def as_text(n_words, side, name="d"):
    """Return the lines of a document; closings name their mentions."""
    pseudo, elements = {*side.get("pseudo", ())}, side.get("elements", {})
    ids = {e: f"{e}-Pseudo" if e in pseudo else f"{e}" for e in side["entities"]}
    opened, closed = {}, {}
    minima = side.get("min") or [None] * len(side["mentions"])
    for m, (mention, entity, minimum) in enumerate(zip(side["mentions"], side["entities"], minima, strict=True)):
        fields = [f"EntityID={ids[entity]}", f"MarkableID=m{m}"]
        fields += [f"Min={minimum[0] + 1},{minimum[1] + 1}"] if minimum else []
        wholes = [ids.get(int(whole), whole) for whole, own in elements.items() if entity in own]
        fields += [f"ElementOf={','.join(wholes)}"] if wholes else []
        for part in parts_of(mention):
            is_one = isinstance(part, str) or part[0] == part[1]
            opened.setdefault(begin_of(part), []).append(f"({'|'.join(fields)}{')' if is_one else ''}")
            if not is_one:
                closed.setdefault((part[1] + 1, 0), []).append(f"m{m})")
    links = {}
    for anaphor, antecedent in side.get("bridging", ()):
        line = begin_of(parts_of(side["mentions"][anaphor])[0])
        links.setdefault(line, []).append(f"(MarkableID=m{anaphor}|Rel=part|MentionAnchor=m{antecedent})")
    zeros = {place for place in opened if place[1]}
    empty = {(n, k) for n, last in zeros for k in range(1, last + 1)}
    lines = []
    for n, k in sorted({(word, 0) for word in range(1, n_words + 1)} | empty):
        cells = [*closed.get((n, k), ()), *opened.get((n, k), ())]
        columns = [f"{n}.{k}" if k else f"{n}", "w", *8 * ["_"], "".join(cells) or "_"]
        lines.append("\t".join([*columns, "".join(links.get((n, k), ())) or "_", "_", "_", "_"]))
    return "\n".join([f"# newdoc id = {name}", *lines, ""])


def random_side(rng, n_words):
    """Return a random side of a document: no mention twice, some with gaps, some empty nodes, minima in and outside."""
    mentions, minima = [[0, 1]], [[1, 1]]
    for _ in range(rng.randint(0, 9)):
        first = rng.randrange(n_words)
        last = min(first + rng.choice([0, 0, 1, 2, 4]), n_words - 1)
        mention, kind = [first, last], rng.random()
        if kind < 0.15:
            mention = f"{rng.randint(0, n_words)}.{rng.randint(1, 2)}"
        elif kind < 0.3 and last + 2 < n_words:
            mention = [[first, last], [last + 2, rng.randrange(last + 2, n_words)]]
        if mention not in mentions:
            mentions.append(mention)
            low = rng.randint(first, last)
            minima.append(rng.choice([None, [low, rng.randint(low, last)], [low, low], [0, n_words]]))
    return _with_entities(rng, mentions, minima)


def random_response(rng, n_words, key):
    """Return a random response, in which some mentions are the key's, or are a part of these."""
    mentions = random_side(rng, n_words)["mentions"][1:]
    for mention in key["mentions"]:
        part = mention
        if rng.random() < 0.5 and len(parts_of(mention)) == 1 and not isinstance(mention, str):
            first = rng.randint(*mention)
            part = [first, rng.randint(first, mention[1])]
        if rng.random() < 0.8 and part not in mentions:
            mentions.append(part)
    return _with_entities(rng, mentions, [None] * len(mentions))


def _with_entities(rng, mentions, minima):
    """Return a side of mentions in random entities, with random links."""
    entities = [rng.randint(1, 5) for _ in mentions]
    numbers = [*range(len(mentions))]
    pseudo = sorted({entity for entity in entities if rng.random() < 0.15})
    anaphors = rng.sample(numbers, min(len(numbers), 2))
    bridging = [[anaphor, rng.choice(numbers)] for anaphor in anaphors]
    return {"mentions": mentions, "entities": entities, "min": minima, "pseudo": pseudo, "bridging": bridging}
