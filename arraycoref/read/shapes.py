"""The shapes of JSON that tools write coreference in: a table, and how a file's shape is recognised by its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arraycoref.errors import OptionError

UNITS = ("word", "subtoken", "character")
ENDS = ("inclusive", "exclusive")
NAMES = ("doc_key", "doc_id", "id", "name")


@dataclass(frozen=True)
class Shape:
    """Where a document in JSON has its parts, and what its numbers count.

    Attributes:
        marks: alternatives. In each, the fields that documents of this shape have, and those of shapes further down in
            the table lack. ``field:[[`` requires that the field's value begins with ``[[``.
        clusters: field of the clusters; in files that hold key and prediction, of the key's.
        predicted: field of the predicted clusters, in files that may hold both; empty for none.
        names: fields of the document's name; the first one that is there counts.
        part: field of the number of a part, which is added to the name: ``x`` and 3 give ``x_3``.
        tokens: path of fields to the texts of the tokens; the values may be lists of objects with the next field.
        depth: number of nested lists around each text in the first of these fields; 0 for any number.
        count: field of the number of tokens.
        word_of: fields of the list that has the word of each subtoken; the first one that is there counts.
        unit: what a span's numbers count: ``word``, ``subtoken``, ``character``, or ``mention`` if a mention is a value
            in place of a span. If the text of a document is a list of words, characters become words.
        exclusive: the last number of a span is that of the token behind it.
        first: number of the first token, and of the first sentence.
        nested: a mention begins with the number of its sentence, and its tokens are counted in this sentence.
        fields: fields of a mention, if it is an object.
        blanks: a sentence ``[" "]`` has no token.
        nulls: a mention may be null: the system predicted one, but with no place in the text.
        group: name, in `arraycoref.read.jsonlines.GROUPS`, of the function that makes documents of values that are not
            one document each. Empty if they are.
    """

    marks: tuple[tuple[str, ...], ...] = ()
    clusters: str = "clusters"
    predicted: str = ""
    names: tuple[str, ...] = ()
    part: str = ""
    tokens: tuple[str, ...] = ()
    depth: int = 0
    count: str = ""
    word_of: tuple[str, ...] = ()
    unit: str = "word"
    exclusive: bool = False
    first: int = 0
    nested: bool = False
    fields: tuple[str, ...] = ()
    blanks: bool = False
    nulls: bool = False
    group: str = ""

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The fields of a document that are read; all others are ignored."""
        fields = (*self.names, self.part, self.clusters, *self.tokens[:1], self.count, *self.word_of)
        return tuple(dict.fromkeys(filter(None, fields)))


_SHAPES = {
    "ucdcr": Shape((("coref_chain", "tokens_number"),), names=("conll_doc_key",), unit="mention", group="ucdcr"),
    "scorch": Shape((("type", "links"), ("type", "clusters:{")), names=("name",), unit="mention", group="scorch"),
    "corenlp": Shape(
        (("corefs",), ("sentences:[{", "docId")),
        "corefs",
        names=("docId",),
        tokens=("sentences", "tokens", "word"),
        exclusive=True,
        first=1,
        nested=True,
        fields=("sentNum", "startIndex", "endIndex"),
    ),
    "coref-data": Shape(
        (("coref_chains",),), "coref_chains", names=("id",), tokens=("sentences", "tokens", "text"), nested=True
    ),
    "elit": Shape((("sens",),), "coref", tokens=("sens", "tok"), exclusive=True, nested=True),
    "preco": Shape(
        (("mention_clusters",),),
        "mention_clusters",
        names=("id",),
        tokens=("sentences",),
        depth=2,
        exclusive=True,
        nested=True,
        blanks=True,
    ),
    "wl-coref": Shape(
        (("cased_words",), ("document_id",)),
        predicted="span_clusters",
        names=("document_id",),
        part="part_id",
        tokens=("cased_words",),
        depth=1,
        exclusive=True,
    ),
    "xcore": Shape(
        (("clusters_token_offsets", "tokens:[["),),
        "clusters_token_offsets",
        names=("doc_id",),
        tokens=("tokens",),
        nested=True,
    ),
    "maverick": Shape(
        (("clusters_token_offsets",),), "clusters_token_offsets", names=("doc_id",), tokens=("tokens",), depth=1
    ),
    "fastcoref": Shape(
        (("clusters_strings",),), names=NAMES, tokens=("text",), depth=1, unit="character", exclusive=True, nulls=True
    ),
    "allennlp": Shape((("document:[", "clusters"),), names=NAMES, tokens=("document",), depth=1),
    "coref-hoi": Shape(
        (("subtoken_map",), ("orig_subtoken_map",)),
        predicted="predicted_clusters",
        names=NAMES,
        tokens=("orig_tokens",),
        depth=1,
        word_of=("orig_subtoken_map", "subtoken_map"),
        unit="subtoken",
    ),
    "s2e": Shape(predicted="predicted_clusters", names=NAMES, word_of=("subtoken_map",), unit="subtoken", group="s2e"),
    "e2e": Shape(predicted="predicted_clusters", names=NAMES, tokens=("sentences",), depth=2, count="n_tokens"),
}
SHAPES: Mapping[str, Shape] = _SHAPES
"""Each shape by the name of a tool that writes it. A file has the first shape whose marks are among its fields."""

USUAL = SHAPES["e2e"]


@dataclass(frozen=True)
class Asked:
    """The user's options for JSON files; they override what the fields of a file suggest. None for no option.

    Attributes:
        shape: a name in `SHAPES`.
        unit: one of `UNITS`.
        end: one of `ENDS`.
        clusters: field of the clusters.
        name: field of the document's name.
    """

    shape: str | None = None
    unit: str | None = None
    end: str | None = None
    clusters: str | None = None
    name: str | None = None

    def change(self, shape: Shape) -> Shape:
        """Return the shape, changed by the user's options."""
        if self.end is not None:
            shape = replace(shape, exclusive=self.end == "exclusive")
        if self.unit is not None:
            if self.unit == "character":
                shape = replace(shape, tokens=("text",), depth=1, nested=False)
            elif shape.unit == "character":
                shape = replace(shape, tokens=())
            shape = replace(shape, unit=self.unit)
        if self.clusters is not None:
            shape = replace(shape, clusters=self.clusters, predicted="")
        if self.name is not None:
            shape = replace(shape, names=(self.name,), part="")
        return shape


def shape_of(openings: Mapping[str, str], asked: Asked) -> Shape:
    """Recognise the shape of a file.

        >>> shape_of({"id": '"', "sentences": '[["', "mention_clusters": "[[[0"}, Asked()).exclusive
        True

    Args:
        openings: for each field of the first document, how its value begins: brackets, then one more character.
        asked: the user's options.

    Raises:
        OptionError: fields that leave open what the numbers count.
    """
    return asked.change(SHAPES[asked.shape or _name_of(openings, asked)])


def _name_of(openings: Mapping[str, str], asked: Asked) -> str:
    for name, shape in SHAPES.items():
        for marks in shape.marks:
            wanted = [mark.partition(":") for mark in marks]
            if all(openings.get(field, " ").startswith(opening) for field, _, opening in wanted if opening) and all(
                field in openings for field, _, _ in wanted
            ):
                return name
    named = openings.keys() & {*NAMES, asked.name or "doc_key"}
    usual = named or openings.keys() & {"clusters", "predicted_clusters", asked.clusters or "clusters"}
    if not usual and openings and all(opening.startswith("[") for opening in openings.values()):
        return "s2e"
    if "text" in openings and not named and "sentences" not in openings and asked.unit is None:
        raise OptionError(
            "documents with 'text' and 'clusters' only do not say whether these count words or characters; "
            "expected the options unit and end, or the format (fastcoref, say)"
        )
    return "e2e"
