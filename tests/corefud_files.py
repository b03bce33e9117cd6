"""Random documents of CorefUD: as sentences with mentions, and as the text of a file."""

import re

RELATIONS = ("nsubj", "nsubj:pass", "obj")


class Sentence:
    """A sentence of one side.

    Attributes:
        n_words: number of words.
        nodes: words and empty nodes in order, as (word, n).
        deps: by empty node, its enhanced dependencies as texts ``parent:relation``.
        parents: of each word its parent, 0 for none.
        tags: of each node its part of speech and its relation to its parent.
        mentions: (entity, parts, place of the head among the mention's nodes), parts as first and last place in
            ``nodes``.
    """

    def __init__(self, n_words, empty, parents, rng):
        self.n_words, self.deps, self.parents, self.mentions = n_words, empty, parents, []
        self.nodes = sorted([*((word, 0) for word in range(1, n_words + 1)), *empty])
        self.tags = {node: (rng.choice(["NOUN", "PRON"]), rng.choice(["flat", "obj"])) for node in self.nodes}

    def places(self, parts):
        return [place for first, last in parts for place in range(first, last + 1)]


def random_sides(rng, n_sentences=2, most_words=5, n_entities=3, n_mentions=4, repeats=0.0):
    """Return key and response: for each side a list of `Sentence`; words agree, empty nodes need not.

    With ``repeats``, a share of mentions are in several entities, with one head.
    """
    lengths = [rng.randint(1, most_words) for _ in range(n_sentences)]
    trees = [[rng.randint(0, n_words) for _ in range(n_words)] for n_words in lengths]
    return [
        [_random_sentence(rng, parents, n_entities, rng.randint(0, n_mentions), repeats) for parents in trees]
        for _ in range(2)
    ]


def _random_sentence(rng, parents, n_entities, n_mentions, repeats):
    n_words = len(parents)
    empty = {}
    for _ in range(rng.randint(0, 3)):
        after = rng.randint(0, n_words)
        number = 1 + sum(word == after for word, _ in empty)
        governors = [*range(min(n_words, 2) + 1), *(f"{word}.{n}" for word, n in empty)]
        edges = {f"{rng.choice(governors)}:{rng.choice(RELATIONS)}" for _ in range(rng.randint(0, 2))}
        empty[after, number] = sorted(edges)
    sentence = Sentence(n_words, empty, parents, rng)
    last = len(sentence.nodes) - 1
    for _ in range(n_mentions):
        start = rng.randint(0, last)
        if rng.random() < 0.4 and empty:
            start = sentence.nodes.index(rng.choice(sorted(empty)))
            parts = [(start, start)]
        else:
            parts = [(start, rng.randint(start, last))]
            if rng.random() < 0.3 and parts[0][1] + 2 <= last:
                again = rng.randint(parts[0][1] + 2, last)
                parts.append((again, rng.randint(again, last)))
        entity = f"e{rng.randint(1, n_entities)}"
        others = [each for name, each, _ in sentence.mentions if name == entity]
        new = sentence.places(parts)
        is_new = all(sentence.places(each) != new for _, each, _ in sentence.mentions)
        if is_new and all(_can_be_written(parts, each) for each in others):
            sentence.mentions.append((entity, parts, rng.randrange(min(len(new), rng.choice((2, 2, 9))))))
        if sentence.mentions and rng.random() < repeats:
            entity, (_, parts, head) = f"e{rng.randint(1, n_entities)}", rng.choice(sentence.mentions)
            if all(_can_be_written(parts, each) for name, each, _ in sentence.mentions if name == entity):
                sentence.mentions.append((entity, parts, head))
    return sentence


def _can_be_written(one, other):
    """Whether two mentions of one entity can be in one sentence: continuous ones, apart or one inside the other."""
    if len(one) + len(other) > 2:
        return False
    (_, b), (c, d) = sorted([one[0], other[0]], key=lambda part: (part[0], -part[1]))
    return c > b or d <= b


def as_text(sides_sentences, name="d"):
    """Write the sentences of one side as the text of a file."""
    lines = [f"# newdoc id = {name}", "# global.Entity = eid-etype-head-other"]
    for number, sentence in enumerate(sides_sentences, 1):
        lines.append(f"# sent_id = {number}")
        for place, (word, n) in enumerate(sentence.nodes):
            here = [(name, parts, head, k) for name, parts, head in sentence.mentions for k in range(len(parts))]
            closing = [
                (parts[k][0], name, parts, k) for name, parts, _, k in here if parts[k][0] < parts[k][1] == place
            ]
            opening = [(-parts[k][1], name, parts, k, head) for name, parts, head, k in here if parts[k][0] == place]
            items = [_name(name, parts, k) + ")" for _, name, parts, k in sorted(closing, reverse=True)]
            for last, name, parts, k, head in sorted(opening):
                items.append(f"({_name(name, parts, k)}-x-{head + 1}-" + (")" if -last == place else ""))
            deps = "|".join(sentence.deps[word, n]) if n else ""
            misc = f"Entity={''.join(items)}" if items else "_"
            parent = "_" if n else str(sentence.parents[word - 1])
            own = f"{word}.{n}" if n else str(word)
            upos, relation = sentence.tags[word, n]
            lines.append("\t".join([own, f"w{word}", "_", upos, "_", "_", parent, relation, deps or "_", misc]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _name(name, parts, k):
    return f"{name}[{k + 1}/{len(parts)}]" if len(parts) > 1 else name


def blocks_of(text):
    """Return the lines of each sentence, with its comments."""
    return [block.split("\n") for block in re.split(r"\n\n+", text.strip("\n"))]


def shape_of(text):
    """Return the documents of a file: for each its name, and the words of each sentence with its ``sent_id``."""
    documents = []
    for lines in blocks_of(text):
        documents += [] if documents or "# newdoc" in "".join(lines) else [("no document", [])]
        documents += [(line.partition(" = ")[2], []) for line in lines if line.startswith("# newdoc")]
        ids = [line.removeprefix("# sent_id = ") for line in lines if line.startswith("# sent_id")]
        words = [line.split("\t")[1] for line in lines if line.split("\t")[0].isdigit()]
        documents[-1][1].append((ids, words))
    return documents
