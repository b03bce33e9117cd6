"""The layouts of JSON and of tables of text that tools write coreference in, and how a file's layout is recognized."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from arraycoref.exceptions import Fixes, InputError, OptionError

SIDES = ("key", "response")
ANNOTATOR = "annotator"
"""The side of each annotator where their agreement is measured, in which none is the key."""
PREDICTED = ("predicted_", "pred_")
"""How the field or column of a prediction begins, beside one of the same name without that."""
UNITS = ("word", "subtoken", "character")
CHARACTERS = 20
"""Numbers up to at most this many times the number of words may be those of characters."""

ENDS = ("inclusive", "exclusive")
STARTS = ("0", "1")
NAMES = ("doc_key", "doc_id", "id", "name")
MAVERICK = ("clusters_token_text", "clusters_text_mentions")


@dataclass(frozen=True)
class JsonLayout:
    """Where a document in JSON has its parts, and what its numbers count.

    Attributes:
        marks: alternatives. In each, the fields that documents of this layout have, and those of layouts further down
            in the table lack. ``field:[[`` requires that the field's value begins with ``[[``.
        clusters: field of the clusters; in files that hold key and prediction, of the key's.
        predicted: field of the predicted clusters, in files that may hold both; empty for none.
        names: fields of the document's name; the first one that is there counts.
        part: field of the number of a part, which is added to the name: ``x`` and 3 give ``x_3``.
        tokens: path of fields to the texts of the tokens; the values may be lists of objects with the next field.
        depth: number of nested lists around each text in the first of these fields; 0 for any number.
        count: field of the number of tokens.
        word_of: fields of the list that has the word of each subtoken; the first one that is there counts.
        unit: what a span's numbers count: ``word``, ``subtoken``, ``character``, or ``mention`` if a mention is a value
            instead of a span. If the text of a document is a list of words, characters become words.
        exclusive: the last number of a span is that of the token after it.
        first: number of the first token, and of the first sentence.
        nested: a mention begins with the number of its sentence, and its tokens are counted in this sentence.
        fields: fields of a mention, if it is an object.
        texts: fields of lists of lists of the mentions' texts; the first that is there counts. If a mention is an
            object, its field of the text.
        spaces: a sentence ``[" "]`` has no token.
        nulls: a mention may be null: the system predicted one, but with no place in the text.
        group: name, in `arraycoref.read.json.GROUPS`, of the function that makes documents of values that are not
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
    texts: tuple[str, ...] = ()
    blanks: bool = False
    nulls: bool = False
    group: str = ""

    @cached_property
    def looked_at(self) -> tuple[str, ...]:
        """The fields of a document that are read; all others are ignored."""
        fields = (*self.names, self.part, self.clusters, *self.tokens[:1], self.count, *self.word_of, *self.texts)
        return tuple(dict.fromkeys(filter(None, fields)))


_MAVERICK: Any = {"clusters": "clusters_token_offsets", "names": ("doc_id",), "tokens": ("tokens",), "texts": MAVERICK}
_IN_PARTS: Any = {"names": ("document_id",), "part": "part_id"}
_SENTENCES: Any = {"tokens": ("sentences",), "depth": 2}

SHAPES: Mapping[str, JsonLayout] = {
    "ucdcr": JsonLayout(
        (("coref_chain", "tokens_number"),), "coref_chain", names=("conll_doc_key",), unit="mention", group="ucdcr"
    ),
    "scorch": JsonLayout((("type", "links"), ("type", "clusters:{")), names=("name",), unit="mention", group="scorch"),
    "corenlp": JsonLayout(
        (("corefs",), ("sentences:[{", "docId")),
        "corefs",
        names=("docId",),
        tokens=("sentences", "tokens", "word"),
        exclusive=True,
        first=1,
        nested=True,
        fields=("sentNum", "startIndex", "endIndex"),
        texts=("text",),
    ),
    "coref-data": JsonLayout(
        (("coref_chains",),), "coref_chains", names=("id",), tokens=("sentences", "tokens", "text"), nested=True
    ),
    "elit": JsonLayout((("sens",),), "coref", tokens=("sens", "tok"), exclusive=True, nested=True),
    "preco": JsonLayout(
        (("mention_clusters",),),
        "mention_clusters",
        names=("id",),
        exclusive=True,
        nested=True,
        blanks=True,
        **_SENTENCES,
    ),
    "conll2012": JsonLayout(
        (("document_id", "sentences:[{"),), nested=True, group="conll2012", **_IN_PARTS, **_SENTENCES
    ),
    "wl-coref": JsonLayout(
        (("cased_words",), ("document_id",)),
        predicted="span_clusters",
        tokens=("cased_words",),
        depth=1,
        exclusive=True,
        **_IN_PARTS,
    ),
    "xcore": JsonLayout((("clusters_token_offsets", "tokens:[["),), nested=True, **_MAVERICK),
    "maverick": JsonLayout((("clusters_token_offsets",),), depth=1, **_MAVERICK),
    "fastcoref": JsonLayout(
        (("clusters_strings",),),
        names=NAMES,
        tokens=("text",),
        depth=1,
        unit="character",
        exclusive=True,
        texts=("clusters_strings",),
        nulls=True,
    ),
    "allennlp": JsonLayout((("document:[", "clusters"),), names=NAMES, tokens=("document",), depth=1),
    "coref-hoi": JsonLayout(
        (("subtoken_map",), ("orig_subtoken_map",)),
        predicted="predicted_clusters",
        names=NAMES,
        tokens=("orig_tokens",),
        depth=1,
        word_of=("orig_subtoken_map", "subtoken_map"),
        unit="subtoken",
    ),
    "s2e": JsonLayout(
        predicted="predicted_clusters", names=NAMES, word_of=("subtoken_map",), unit="subtoken", group="s2e"
    ),
    "e2e": JsonLayout(predicted="predicted_clusters", names=NAMES, tokens=("sentences",), depth=2, count="n_tokens"),
}
"""Each layout by the name of a tool that writes it. A file has the first one whose marks are among its fields."""


TEXTS = {".tsv": None, ".csv": None, ".entities": "booknlp", ".rttm": "rttm"}
"""Suffixes of tables of text, and the format that a suffix means; None if the header decides."""

SPANS = (("start", "end"), ("start_token", "end_token"))
"""Columns of the first and the last word of a mention, both inclusive."""

NUMBERS = (*SPANS[0], *SPANS[1])
"""Columns that hold whole numbers; others are compared as texts."""


@dataclass(frozen=True)
class Names:
    """Names of a table's columns.

    Attributes:
        document: name of the column of documents; None for a table of one document.
        mention: name of the column of mentions, or of several columns that make a mention together.
        label: name of the column of labels.
    """

    document: str | None = "document"
    mention: tuple[str, ...] = ("mention",)
    label: str = "label"

    @classmethod
    def parse(cls, columns: str) -> Names:
        """Read ``DOCUMENT,MENTION,LABEL`` or ``MENTION,LABEL``.

        >>> Names.parse("book,start+end,who")
        Names(document='book', mention=('start', 'end'), label='who')

        Raises:
            OptionError: another number of names.
            InputError: see `of`.
        """
        names = columns.split(",")
        if len(names) not in (2, 3) or not all(names):
            expected = "DOCUMENT,MENTION,LABEL or MENTION,LABEL, after key: or response: for one side"
            raise OptionError(f"columns is {columns!r}; expected {expected}", "columns")
        return cls.from_columns(names[0] if len(names) == 3 else None, names[-2].split("+"), names[-1])

    @classmethod
    def from_columns(cls, document: str | None, mention: str | Sequence[str] | None, label: str) -> Names:
        """Check the names of the columns of two tables.

        Raises:
            InputError: no column of mentions, or one column for labels and something else.
        """
        mentions = mention_columns(mention)
        if not mentions:
            raise InputError("mention names no column; expected one at least, by which rows of two tables are matched")
        columns = (*mentions, "" if document is None else document)
        if label in columns:
            raise InputError(f"column {label!r} is named for labels and for mentions or documents; expected another")
        return cls(document, mentions, label)

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns, each once."""
        return tuple(dict.fromkeys((*([] if self.document is None else [self.document]), *self.mention, self.label)))


def mention_columns(mention: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that make a mention as a tuple: of several names, of one, or of none."""
    return () if mention is None else (mention,) if isinstance(mention, str) else tuple(mention)


@dataclass(frozen=True)
class TableLayout:
    """The columns of a tool's table.

    Attributes:
        label: column of the entities; nothing or -1 in it says that the side lacks the mention.
        mention: alternatives, each of the columns that make a mention together; the first that the table has counts.
        marks: other columns, which a table of this layout must have too.
        document: column of the documents, if the table has it; otherwise, the file is one document.
        text: column of the mentions' texts; empty for none.
        repeats: whether a mention may have several rows of one entity.
        quoted: whether values may be in quotation marks.
    """

    label: str
    mention: tuple[tuple[str, ...], ...]
    marks: tuple[str, ...] = ()
    document: str | None = None
    text: str = ""
    repeats: bool = False
    quoted: bool = True

    def spelled(self, header: Sequence[str]) -> list[str]:
        """Return a header with the layout's spelling of names that differ in capitals only."""
        own = [self.label, self.document or "", *self.marks, *(name for names in self.mention for name in names)]
        other = {name.lower(): name for name in own if name not in header}
        return [name if name in own else other.get(name.lower(), name) for name in header]

    def columns(self, header: Sequence[str]) -> Names | None:
        """Return the names of the columns in a table with this header; None if the header lacks any of them."""
        mention = next((names for names in self.mention if set(names) <= set(header)), None)
        if mention is None or self.label not in header or not set(self.marks) <= set(header):
            return None
        return Names(self.document if self.document in header else None, mention, self.label)

    def change(self, asked: Names) -> TableLayout:
        """Return the layout, changed to the user's names of columns; a name that is the default changes nothing."""
        usual, changed = Names(), self
        if asked.mention != usual.mention:
            changed = replace(changed, mention=(asked.mention,))
        if asked.label != usual.label:
            changed = replace(changed, label=asked.label, marks=())
        if asked.document != usual.document:
            changed = replace(changed, document=asked.document)
        return changed


class LayoutColumns(NamedTuple):
    """The columns of a table that has a layout.

    Attributes:
        layout: the layout.
        names: names of the columns, as the layout spells them.
        header: names of all columns as the table spells them, by the layout's.
    """

    layout: TableLayout
    names: Names
    header: Mapping[str, str]

    @property
    def all(self) -> tuple[str, ...]:
        """The names of the columns to read, as the table spells them."""
        return tuple(self.header[name] for name in (*self.names.all, self.layout.text) if name in self.header)

    @property
    def quoted(self) -> bool:
        """Whether values may be in quotation marks."""
        return self.layout.quoted

    def as_written(self) -> Names:
        """Return the names as the table spells them."""
        written = [self.header[name] for name in (*self.names.mention, self.names.label)]
        return Names(self.names.document and self.header[self.names.document], tuple(written[:-1]), written[-1])


def find_columns(header: Sequence[str], layouts: Iterable[TableLayout], place: str) -> LayoutColumns | None:
    """Find the columns of the first layout that a table has; None if it has none of them.

    Raises:
        InputError: one of the columns is there twice.
    """
    for layout in layouts:
        spelled = layout.spelled(header)
        names = layout.columns(spelled)
        if names is not None:
            twice = next((column for column in names.all if spelled.count(column) > 1), None)
            if twice is not None:
                raise InputError(f"{place} has {spelled.count(twice)} columns {twice!r}; expected one")
            return LayoutColumns(layout, names, dict(zip(spelled, header, strict=True)))
    return None


Clusters = dict[str | None, list[list[Any]]]
"""The clusters of each document by its name; None is the key of a document without a name."""


class Table(NamedTuple):
    """What a reader finds in a file.

    Attributes:
        clusters: the clusters of each document.
        mention: names of the columns that make a mention.
        texts: the text of a mention by its document and its value; empty if the file has none.
        n_without: in tables of BookNLP, the number of rows without an entity.
        n_lines: the number of lines of each document, in labels that have a mention in each line; otherwise empty.
    """

    clusters: Clusters
    mention: tuple[str, ...]
    texts: Mapping[tuple[str | None, Any], str] = {}
    n_without: int = 0
    n_lines: Mapping[str | None, int] = {}


RECORD = (("id",), ("Id",), ("ID",), ("unique_id",))

LAYOUTS: Mapping[str, TableLayout] = {
    "booknlp": TableLayout("COREF", (("start_token", "end_token"),), text="text", repeats=True, quoted=False),
    "splink": TableLayout("cluster_id", (("source_dataset", "unique_id"), ("unique_id",))),
    "zingg": TableLayout("Z_CLUSTER", RECORD),
    "dedupe": TableLayout("Cluster ID", RECORD, ("confidence_score",)),
    "long": TableLayout("label", (("mention",), ("start", "end")), document="document"),
}
"""Each layout by the name of its tool. A table has the first one whose columns are in its header."""


USUAL = {
    "document": ("document", "doc", "doc_id", "document_id", "doc_key", "docid", "text_id", "file"),
    "mention": (
        *("mention", "mention_id", "span", "unique_id", "record_id", "rec_id"),
        *("start+end", "begin+end", "start_token+end_token", "id"),
    ),
    "label": ("label", "entity", "entity_id", "cluster", "cluster_id", "cluster id", "coref_id", "chain", "chain_id"),
    "key": ("key", "gold", "gold_id", "gold_cluster", "gold_label", "truth"),
    "response": ("response", "pred", "predicted", "pred_id", "pred_cluster", "pred_label", "system"),
}
"""Usual names of the columns of documents, mentions and labels; and of the labels of key and response."""


def usual_columns(header: Sequence[str], labels: Sequence[str], *, guess: bool = False) -> dict[str, str]:
    """Return the columns of a table that have usual names, by what they hold; none if the mention or a label lacks one.

        >>> usual_columns(["Begin", "end", "Entity"], ["label"])
        {'mention': 'Begin+end', 'label': 'Entity'}
        >>> usual_columns(["Id", "Name", "True Id"], ["label"], guess=True)
        {'mention': 'Id', 'label': 'True Id'}

    Args:
        header: names of the columns.
        labels: ``label``, or ``key`` and ``response``.
        guess: take the first column for the mention and the last for a single label if none has a usual name.
    """
    at = {name.lower(): name for name in header}
    guess &= re.search(r"(^|,)[\d.]*(,|$)|\+", ",".join(header)) is None  # a number is not a name: there is no header
    columns = {}
    for kind in ("document", "mention", *labels):
        name = next((name for name in USUAL[kind] if all(part in at for part in name.split("+"))), None)
        if name is None and guess and kind in ("mention", "label"):
            name = header[-(kind == "label")].lower()
        if name is not None:
            columns[kind] = "+".join(at[part] for part in name.split("+"))
    return columns if columns.keys() >= {"mention", *labels} and columns["mention"] != columns.get("label") else {}


def way_of(columns: Mapping[str, str], usual: str, side: str = "") -> tuple[str, str | Fixes]:
    """Return what a message of columns that are not there says about the option, and the options that fix it.

    Args:
        columns: those of `usual_columns`; none if there are no such.
        usual: the form of the option.
        side: the only side that it is for; empty for both.
    """
    meant = ",".join(f"{kind}:{name}" if kind in SIDES else name for kind, name in columns.items())
    fixes: Fixes = {"columns": {side: meant} if side else meant}
    return f"columns={meant or usual!r} names {'these' if meant else 'others'}", fixes if meant else "columns"
