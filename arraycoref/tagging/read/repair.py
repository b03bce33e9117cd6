"""Repair CoNLL-U: what a lenient reader makes of each fault, line for line."""

from __future__ import annotations

import re

from arraycoref.errors import ReadError
from arraycoref.read.parsed import Fault
from arraycoref.tagging.texts import ZS, decoded_lines

REASONS = {
    1: "{} columns, expected 10",
    2: "ID {!r}, expected 3, 3-4 or 3.1",
    3: "word {} where word {} is expected",
    4: "a word without a form",
    5: "the multiword token {!r} does not begin with the next word, or overlaps another",
    6: "a multiword token that ends with word {}, in a sentence of {} words",
}
"""What is wrong, by the number that `arraycoref.kernels.tag_scan` returns for it."""

PASSED_OVER = "#"
ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")


def repair_conllu(data: bytes, source: str, fault: Fault) -> bytes:
    """Repair the faults of a CoNLL-U file; lines keep their numbers.

    Columns that lack are empty, further ones are dropped; words count on where a number is skipped or comes again; a
    multiword token ends with its sentence. Passed over are lines of one column, IDs of another form, words without a
    form, and multiword tokens that do not begin with the next word or overlap another: their words stand by themselves.

    Args:
        data: the file, UTF-8; other bytes become U+FFFD.
        source: its name, for messages.
        fault: takes each fault.
    """
    lines: list[str] = []
    sentence = _Sentence(source, lines, fault)
    for number, line in decoded_lines(data, source, fault):
        if not line:
            sentence.end()
            sentence = _Sentence(source, lines, fault)
        passed = not line or line.startswith("#")
        lines.append(line if passed else sentence.repair(line.split("\t"), number))
    sentence.end()
    return "\n".join(lines).encode("utf-8")


class _Sentence:
    """Where a sentence stands: the next word, and how far the file's numbers are ahead of it."""

    def __init__(self, source: str, lines: list[str], fault: Fault) -> None:
        self.source, self.lines, self.fault = source, lines, fault
        self.next = 1
        self.ahead = 0
        self.range_line = 0
        self.range_first = self.range_last = 0

    def repair(self, columns: list[str], line: int) -> str:
        """Return the line as it should be."""
        if len(columns) != 10:
            self._report(line, 1, len(columns))
            if len(columns) == 1:
                return PASSED_OVER
            columns = (columns + ["_"] * 10)[:10]
        parts = ID.fullmatch(columns[0])
        if parts is None:
            self._report(line, 2, columns[0])
            return PASSED_OVER
        number, sign, second = int(parts[1]), parts[2], parts[3]
        if sign == ".":
            return "\t".join(columns)
        empty = not columns[1].translate(ZS)
        if sign == "-":
            return self._repair_range(columns, line, (number - self.ahead, int(second) - self.ahead), empty)
        if number != self.next + self.ahead:
            self._report(line, 3, number, self.next + self.ahead)
            self.ahead = number - self.next
        if empty and self.next > self.range_last:
            self._report(line, 4)
            self.ahead += 1
            return PASSED_OVER
        columns[0] = str(self.next)
        self.next += 1
        return "\t".join(columns)

    def _repair_range(self, columns: list[str], line: int, span: tuple[int, int], empty: bool) -> str:
        first, last = span
        if first != self.next or first <= self.range_last or last < first:
            self._report(line, 5, columns[0])
            return PASSED_OVER
        if empty:
            self._report(line, 4)
            return PASSED_OVER
        self.range_line, self.range_first, self.range_last = line, first, last
        columns[0] = f"{first}-{last}"
        return "\t".join(columns)

    def end(self) -> None:
        """End the sentence, and with it a multiword token."""
        if self.range_last < self.next:
            return
        self._report(self.range_line, 6, self.range_last + self.ahead, self.next - 1 + self.ahead)
        at = self.range_line - 1
        rest = self.lines[at].split("\t")[1:]
        span = f"{self.range_first}-{self.next - 1}"
        self.lines[at] = PASSED_OVER if self.next == self.range_first else "\t".join((span, *rest))

    def _report(self, line: int, kind: int, *values: object) -> None:
        self.fault(ReadError(self.source, line, REASONS[kind].format(*values)))
