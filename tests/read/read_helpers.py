"""Documents as plain sets and lists, for the tests of reading and writing."""


def mentions(documents, d=0):
    """Return [(start, end, entity)] of a document in the order of the arrays."""
    chosen = slice(documents.offsets[d], documents.offsets[d + 1])
    every = documents.mentions
    columns = (column[chosen].tolist() for column in (every.start, every.end, every.entity))
    return list(zip(*columns, strict=True))


def content(documents):
    """Return what must survive writing and reading: {name: (n_tokens, sorted mentions)}."""
    n_tokens = documents.n_tokens.tolist()
    return {name: (n_tokens[d], sorted(mentions(documents, d))) for d, name in enumerate(documents.names)}


def one(lines: str) -> str:
    """Make a document of lines."""
    return f"#begin document (x);\n{lines}#end document\n"


def texts(documents, d=0):
    """Return the texts of the mentions of each entity of a document, in the order of the arrays."""
    chosen = slice(documents.offsets[d], documents.offsets[d + 1])
    found = {}
    for entity, text in zip(documents.mentions.entity[chosen].tolist(), documents.mentions.text[chosen], strict=True):
        found.setdefault(entity, []).append(text)
    return list(found.values())
