"""Collects words for a `TaggedText`, in readers that go through a file in Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from arraycoref.tagging.texts import ZS, TaggedText, unique_names


@dataclass
class TextBuilder:
    """Words so far; a reader adds to them and ends sentences and documents."""

    source: str
    form_ids: dict[str, int] = field(default_factory=dict)
    tag_ids: dict[str, int] = field(default_factory=dict)
    form: list[int] = field(default_factory=list)
    tag_lines: list[int] = field(default_factory=list)
    tag_offsets: list[int] = field(default_factory=lambda: [0])
    tags: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    line: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=lambda: [0])
    documents: list[int] = field(default_factory=lambda: [0])
    names: list[str] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)

    def add(self, form: str, tags: Iterable[str], line: int) -> bool:
        """Add a word, each of its tags once; False, and nothing added, where the form has no characters."""
        piece = form.translate(ZS).encode("utf-8")
        if not piece:
            return False
        self.pieces.append(piece)
        self.ends.append(self.ends[-1] + len(piece))
        self.form.append(self.form_ids.setdefault(form, len(self.form_ids)))
        for tag in dict.fromkeys(tags):
            known = self.tag_ids.get(tag)
            if known is None:
                self.tag_ids[tag] = known = len(self.tag_ids)
                self.tag_lines.append(line)
            self.tags.append(known)
        self.tag_offsets.append(len(self.tags))
        self.line.append(line)
        return True

    def end_sentence(self) -> None:
        """End the sentence, if it has words."""
        if self.sentences[-1] < len(self.form):
            self.sentences.append(len(self.form))

    def end_document(self, name: str) -> None:
        """End the sentence and the document, if it has sentences."""
        self.end_sentence()
        if self.documents[-1] < len(self.sentences) - 1:
            self.documents.append(len(self.sentences) - 1)
            self.names.append(name)

    def build(self) -> TaggedText:
        """Return the words; sentences and documents have ended."""
        ends = np.array(self.ends, np.int64)
        forms = (tuple(self.form_ids), np.array(self.form, np.int32))
        return TaggedText(
            source=self.source,
            tag_names=tuple(self.tag_ids),
            tag_lines=np.array(self.tag_lines, np.int64),
            tag_offsets=np.array(self.tag_offsets, np.int64),
            tags=np.array(self.tags, np.int32),
            start=ends[:-1].copy(),
            end=ends[1:].copy(),
            multiword=np.zeros(len(self.form), np.uint8),
            line=np.array(self.line, np.int64),
            sentences=np.array(self.sentences, np.int64),
            documents=np.array(self.documents, np.int64),
            document_names=unique_names(self.names),
            text=np.frombuffer(b"".join(self.pieces), np.uint8).copy(),
            number_forms=lambda: forms,
        )
