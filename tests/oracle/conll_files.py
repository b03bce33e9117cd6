"""Write CoNLL files from spans, for tests that go through the package's readers."""


def brackets(spans_of_entity):
    """Return the values of the coreference column: for each token the list of its brackets, ordered by entity."""
    cells = {}
    for number, spans in enumerate(spans_of_entity):
        for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start == end:
                cells.setdefault(start, []).append(f"({number})")
            else:
                cells.setdefault(start, []).append(f"({number}")
                cells.setdefault(end, []).append(f"{number})")
    return cells


def conll_text(documents):
    """Return the text of a CoNLL file.

    Args:
        documents: for each document (name, words or their number, entities as lists of (first token, last token)).
    """
    lines = []
    for name, tokens, entities in documents:
        cells = brackets(entities)
        lines.append(f"#begin document ({name}); part 000")
        for token, word in enumerate(["word"] * tokens if isinstance(tokens, int) else tokens):
            lines.append(f"{name}\t0\t{token}\t{word}\t{'|'.join(cells.get(token, '-'))}")
        lines.append("")
        lines.append("#end document")
    return "\n".join(lines) + "\n"


def conllu_text(name, sentences, entities):
    """Return the text of a document of a CorefUD file without trees, empty nodes and heads.

    Args:
        name: its name.
        sentences: lists of words.
        entities: as lists of (first token, last token).
    """
    cells, token = brackets(entities), 0
    lines = [f"# newdoc id = {name}", "# global.Entity = eid"]
    for words in sentences:
        for number, word in enumerate(words, 1):
            misc = f"Entity={''.join(sorted(cells[token], key=lambda item: item[0] == '('))}" if token in cells else "_"
            lines.append("\t".join([str(number), word, *"_______", misc]))
            token += 1
        lines.append("")
    return "\n".join(lines) + "\n"
