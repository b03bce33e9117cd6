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
        documents: for each document (name, number of tokens, entities as lists of (first token, last token)).
    """
    lines = []
    for name, n_tokens, entities in documents:
        cells = brackets(entities)
        lines.append(f"#begin document ({name}); part 000")
        lines.extend(f"{name}\t0\t{token}\tword\t{'|'.join(cells.get(token, '-'))}" for token in range(n_tokens))
        lines.append("")
        lines.append("#end document")
    return "\n".join(lines) + "\n"
