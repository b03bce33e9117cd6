"""Tables of text, laid out for terminals, Markdown, LaTeX and HTML, and the escaping of names for each of these.

The names of documents, systems, settings and tags may hold any characters. The functions here escape all that would
break a line or a cell, control a terminal, or be read as markup or as a formula. Ordinary text stays as it is.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from arraycoref.errors import printable
from arraycoref.report.looks import painted_cell

_LATEX = str.maketrans(
    {char: "\\" + char for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\ensuremath{<}", ">": r"\ensuremath{>}", "|": r"\textbar{}"}
)
_MARKDOWN = re.compile(r"[\\`*|<~$]|\](?=[(\[])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
"""What may be markup within a line. A ``_`` within a word, as in ``a_b``, or a bracket without a target does not match.
"""

_FORMULA = re.compile(r"(?:^|(?<=;))(?![=+@-]\Z|[+-](?:[\d.]+|inf)\Z|-[^\W\d_]+-\Z)[=+@\uff1d\uff0b\uff20\uff0d-]")
"""The first character of what a spreadsheet would compute; plain numbers and tags such as ``-LRB-`` do not match.

In countries where the decimal sign is a comma, spreadsheets split lines at semicolons. So a cell may also begin after a
semicolon. Source: OWASP, CSV Injection.
"""


_LEFT = {"l": ' class="l"', "r": ""}
"""What a cell of HTML has beside its text, by the alignment of its column; numbers are the rule."""


class Styled(str):
    """A text for terminals, with the code that other formats write in place of it.

    Attributes:
        latex: LaTeX code, which is not escaped.
        markdown: Markdown code, which is not escaped.
        html: HTML code, which is not escaped.
        is_best: whether a terminal shows it in bold.
    """

    latex: str
    markdown: str
    html: str
    is_best: bool = False

    @classmethod
    def of(cls, text: str, *, latex: str, markdown: str, html: str, is_best: bool = False) -> Styled:
        """Make a text with the code of each format."""
        styled = cls(text)
        styled.is_best = is_best
        styled.latex, styled.markdown, styled.html = latex, markdown, html
        return styled


def written_name(header: str) -> str:
    """Return the name of a document as its file writes it, from what it has behind ``#begin document``.

    >>> [written_name(header) for header in ("(ge/animal.xml); part 000", "(x);", "(x)")]
    ['(ge/animal.xml); part 000', 'x', 'x']
    """
    bare = header.rstrip("; \t")
    return bare[1:-1] if bare.startswith("(") and bare.endswith(")") else bare


def latex_text(text: str) -> str:
    """Escape characters that LaTeX would read as markup."""
    if isinstance(text, Styled):
        return text.latex
    return re.sub("-(?=-)", "-{}", printable(text).translate(_LATEX))  # two hyphens would be a dash


def markdown_text(text: str) -> str:
    """Escape characters that Markdown would read as markup within a line, or as the border of a table's cell."""
    if isinstance(text, Styled):
        return text.markdown
    return _MARKDOWN.sub(r"\\\g<0>", printable(text))


def markdown_code(text: str) -> str:
    """Write a text as code within a line, between more backticks than any row of backticks in it has."""
    text = printable(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{text}{space}{fence}"


def html_text(text: str) -> str:
    """Escape characters that HTML would read as markup."""
    if isinstance(text, Styled):
        return text.html
    return html.escape(printable(text))


def in_latex(text: str, latex: str) -> Styled:
    """Make a text for which LaTeX has code of its own; an empty text stays empty."""
    return Styled.of(text, latex=latex if text else "", markdown=markdown_text(text), html=html_text(text))


def as_best(cell: str) -> Styled:
    """Make a cell bold, but for LaTeX."""
    return Styled.of(
        cell,
        latex=latex_text(cell),
        markdown=f"**{markdown_text(cell)}**",
        html=f"<strong>{html_text(cell)}</strong>",
        is_best=True,
    )


def csv_text(text: str) -> str:
    """Put an apostrophe before a text that spreadsheets would compute as a formula."""
    return _FORMULA.sub(r"'\g<0>", printable(text))


def github_command(name: str, message: str, **properties: object) -> str:
    """Write a command that makes GitHub Actions show a message beside a line of a file: ``::error file=x,line=3::why``.

    Args:
        name: ``error``, ``warning`` or ``notice``.
        message: the message.
        properties: ``file``, ``line``, ``title``; properties that are None are left out.
    """

    def escaped(text: object) -> str:
        return printable(str(text)).replace("%", "%25")

    fields = [
        f"{key}={escaped(value).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
        if value is not None
    ]
    return f"::{' '.join([name, ','.join(fields)]).rstrip()}::{escaped(message)}"


def figure_text(text: object) -> str:
    """Escape characters that matplotlib would read as mathematics."""
    return printable(str(text)).replace("$", r"\$")


def number_of(n: int, noun: str) -> str:
    """Write a number before its noun: ``1 document``, ``2 documents``."""
    return f"{n} {noun}{'' if n == 1 else 's'}"


def pvalue_text(p: float) -> str:
    """Write a p-value with four decimals, nothing for nan."""
    return "" if math.isnan(p) else "<0.0001" if p < 0.00005 else f"{p:.4f}"


@dataclass(frozen=True)
class TextTable:
    """Cells of text, not yet escaped for any format.

    Attributes:
        headers: (C,) names of the columns.
        rows: the rows, of C cells each.
        align: C letters, ``l`` for left or ``r`` for right, as in LaTeX; if empty, ``l`` for the first column and ``r``
            for all others.
        spare: number of columns at the right that a terminal shows only if it has room for them.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str = ""
    spare: int = 0

    @property
    def alignment(self) -> str:
        """C letters, ``l`` or ``r``."""
        return self.align or "l" + "r" * (len(self.headers) - 1)

    def _grid(self) -> tuple[list[Sequence[str]], list[Sequence[str] | None]]:
        """Return the lines of the head, and the rows, None for an empty line; cells are not escaped yet."""
        return [self.headers], list(self.rows)

    def _together(self) -> Iterable[int]:
        """Return the sizes of the groups of columns that are not torn apart."""
        return [1] * len(self.headers)

    def text(self, width: int | None = None, colour: bool = False) -> str:
        """Lay the table out for a terminal.

        Args:
            width: most characters of a line. A table that is wider gets a narrow head; if that is not enough, it loses
                its spare columns; then it is printed in parts, each beside the columns of names. None for no limit.
            colour: whether to write the best in bold and marks in colour.
        """
        lines, body = self._grid()
        head = [list(map(printable, line)) for line in lines]
        rows = [list(map(printable, row)) for row in body if row is not None]
        cells, widths = padded([*head, *rows], self.alignment, len(head), space=2)
        parts = [list(range(len(widths)))]
        if width is not None and sum(widths) + 2 * len(widths) - 2 > width:
            sizes = padded([*head[:-1], *rows], self.alignment)[1] if rows or head[1:] else [1] * len(widths)
            longest = [max(size, *map(len, title.split()), 1) for title, size in zip(head[-1], sizes, strict=True)]
            titles = [textwrap.wrap(*pair, break_on_hyphens=False) for pair in zip(head[-1], longest, strict=True)]
            height = max(map(len, titles))
            head[-1:] = map(list, zip(*([""] * (height - len(title)) + title for title in titles), strict=True))
            cells, widths = padded([*head, *rows], self.alignment)
            parts = self._parts(widths, width)
        if colour:
            plain = [row for row in body if row is not None]
            cells[len(head) :] = [
                list(map(painted_cell, *pair)) for pair in zip(plain, cells[len(head) :], strict=True)
            ]
        cells.insert(len(head), ["-" * width for width in widths])
        for n, row in enumerate(body):
            if row is None:
                cells.insert(len(head) + 1 + n, [""] * len(widths))
        laid = ("\n".join("  ".join(row[c] for c in part).rstrip() for row in cells) for part in parts)
        return "\n\n".join(part.lstrip("\n") for part in laid)

    def _parts(self, widths: Sequence[int], width: int) -> list[list[int]]:
        """Divide the columns but spare ones into parts that are not too wide; the columns of names are in each."""
        names = len(re.match("r*l*", self.alignment)[0])  # type: ignore[index]  # matches any text
        shown = len(widths) - (self.spare if sum(widths) + 2 * len(widths) - 2 > width else 0)
        parts, first = [list(range(names))], 0
        for size in self._together():
            columns = [column for column in range(first, first + size) if names <= column < shown]
            first += size
            if columns and len(parts[-1]) > names and sum(widths[c] + 2 for c in parts[-1] + columns) - 2 > width:
                parts.append(list(range(names)))
            parts[-1] += columns
        return parts

    def markdown(self) -> str:
        """Write the table in Markdown."""
        head, body = self._markdown_grid()
        cells, widths = padded([head, *body], self.alignment, 1, space=2)
        marks = zip(widths, self.alignment, strict=True)
        line = "|".join(f":{'-' * n}-" if letter == "l" else f"-{'-' * n}:" for n, letter in marks)
        first, *rows = [f"| {' | '.join(row)} |" for row in cells]
        return "\n".join([first, f"|{line}|", *rows])

    def _markdown_grid(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows as Markdown."""
        return list(map(markdown_text, self.headers)), [list(map(markdown_text, row)) for row in self.rows]

    def latex(self) -> str:
        r"""Write a ``tabular`` with the rules of the LaTeX package booktabs."""
        head, *rows = self._latex_rows([self.headers, *self.rows])
        begin = rf"\begin{{tabular}}{{{self.alignment}}}"
        return "\n".join([begin, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"])

    def _latex_rows(self, rows: Sequence[Sequence[str]]) -> list[str]:
        """Write rows whose columns have equal widths."""
        columns = [list(map(latex_text, column)) for column in zip(*rows, strict=True)]
        # LaTeX would read a bracket or star at the start of a row as an argument of the row before
        columns[0] = ["{}" + cell if cell.lstrip().startswith(("[", "*")) else cell for cell in columns[0]]
        cells, _ = padded(list(zip(*columns, strict=True)), self.alignment)
        return [f" {' & '.join(row)} \\\\" for row in cells]

    def html(self) -> str:
        """Write a ``table``; the first cell of a row is its header."""
        return f"<table><thead>{self._html_head()}</thead><tbody>{''.join(self._html_rows())}</tbody></table>"

    def _html_head(self) -> str:
        pairs = zip(self.headers, self.alignment, strict=True)
        heads = "".join(f'<th scope="col"{_LEFT[letter]}>{html_text(head)}</th>' for head, letter in pairs)
        return f"<tr>{heads}</tr>"

    def _html_rows(self) -> Iterable[str]:
        return map(self._html_row, self.rows)

    def _html_row(self, row: Sequence[str]) -> str:
        """Write a row of HTML; its first cell is its header."""
        first, *cells = zip(map(html_text, row), self.alignment, strict=True)
        written = "".join(f"<td{_LEFT[letter]}>{cell}</td>" for cell, letter in cells)
        return f'<tr><th scope="row"{_LEFT[first[1]]}>{first[0]}</th>{written}</tr>'


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a wide character, none for one that combines."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def padded(
    rows: Sequence[Sequence[str]], alignment: str, n_titles: int = 0, space: int = 0
) -> tuple[list[Sequence[str]], list[int]]:
    """Fill the cells of rows with blanks, so that each column has one width.

    Args:
        rows: rows of C cells.
        alignment: C letters; a column of ``l`` is filled on the right, others on the left.
        n_titles: number of rows at the top that hold titles.
        space: how much wider than its titles a column is at least.

    Returns:
        The rows, and the widths of the columns.
    """
    columns, widths = [], []
    for letter, column in zip(alignment, zip(*rows, strict=True), strict=True):
        sizes = list(map(_width, column))
        widths.append(max(size + space * (n < n_titles) for n, size in enumerate(sizes)))
        blanks = [" " * (widths[-1] - size) for size in sizes]
        columns.append([c + blank if letter == "l" else blank + c for c, blank in zip(column, blanks, strict=True)])
    return list(zip(*columns, strict=True)), widths


@dataclass(frozen=True)
class GroupedTable(TextTable):
    """A table with a line of titles over groups of columns, and titles of sections between rows.

    Attributes:
        groups: the title of each group and its number of columns. Every column is in a group; the title may be empty.
        sections: the title of each section and its number of rows; rows that are left over come last, without a title.
        specs: (C,) the column types of LaTeX's ``tabular``.
    """

    groups: Sequence[tuple[str, int]] = ()
    sections: Sequence[tuple[str, int]] = ()
    specs: Sequence[str] = ()

    def _grid(self) -> tuple[list[Sequence[str]], list[Sequence[str] | None]]:
        titles = [name for group, size in self.groups for name in (group, *[""] * (size - 1))]
        body: list[Sequence[str] | None] = []
        for title, cells in self._lines():
            if title is None:
                body.append(cells)
            else:
                body += [*([None] if body else []), [title, *[""] * (len(self.headers) - 1)]]
        return [titles, self.headers], body

    def _together(self) -> Iterable[int]:
        return [size for _, size in self.groups]

    def _markdown_grid(self) -> tuple[list[str], list[list[str]]]:
        """Return the head, the group's title in each of its headers, and the rows, as Markdown."""
        groups = [group for group, size in self.groups for _ in range(size)]
        head = [f"{markdown_text(over)} {markdown_text(name)}" for over, name in zip(groups, self.headers, strict=True)]
        empty = [""] * (len(head) - 1)
        body = [
            list(map(markdown_text, cells)) if title is None else [f"*{markdown_text(title)}*", *empty]
            for title, cells in self._lines()
        ]
        return [name.strip() for name in head], body

    def latex(self) -> str:
        r"""Write a ``tabular`` with the rules of the package booktabs and number columns of the package siunitx."""
        n, first, groups, rules = len(self.headers), 1, [], []
        for group, size in self.groups:
            groups.append(rf"\multicolumn{{{size}}}{{c}}{{{latex_text(group)}}}" if group else "")
            if group and size > 1:
                rules.append(rf"\cmidrule(lr){{{first}-{first + size - 1}}}")
            first += size
        lines = [
            r"% \usepackage{booktabs, siunitx}",
            rf"\begin{{tabular}}{{{' '.join(self.specs)}}}",
            r"\toprule",
            f" {' & '.join(groups)} \\\\",
            *([" ".join(rules)] if rules else []),
            f" {' & '.join(f'{{{latex_text(head)}}}' for head in self.headers)} \\\\",
        ]
        if not self.sections:
            lines.append(r"\midrule")
        rows = iter(self._latex_rows(self.rows))
        for title, _ in self._lines():
            if title is None:
                lines.append(next(rows))
            else:
                lines += [r"\midrule", rf" \multicolumn{{{n}}}{{c}}{{\textit{{{latex_text(title)}}}}} \\", r"\midrule"]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    def _html_head(self) -> str:
        groups = "".join(f'<th scope="colgroup" colspan="{size}">{html_text(name)}</th>' for name, size in self.groups)
        return f"<tr>{groups}</tr>{super()._html_head()}"

    def _html_rows(self) -> Iterator[str]:
        """Write the rows, with a ``tbody`` for each section."""
        for n, (section, cells) in enumerate(self._lines()):
            if section is None:
                yield self._html_row(cells)
            else:
                span = f'<th scope="rowgroup" colspan="{len(self.headers)}">{html_text(section)}</th>'
                yield f"{'</tbody><tbody>' if n else ''}<tr>{span}</tr>"

    def _lines(self) -> Iterator[tuple[str | None, Sequence[str]]]:
        """Yield the title of each section, then None and the cells of each of its rows."""
        rows = iter(self.rows)
        for title, size in self.sections:
            yield title, ()
            for _ in range(size):
                yield None, next(rows)
        yield from ((None, cells) for cells in rows)
