"""Tables of text, laid out for terminals, Markdown, LaTeX and HTML, and the escaping of names for each of these.

The names of documents, systems, settings and tags may hold any characters. The functions here escape all that would
break a line or a cell, control a terminal, or be read as markup or as a formula. Ordinary text stays as it is.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from arraycoref.exceptions import printable

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
    """A text for terminals, with the code that other formats write instead of it.

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
    def coded(cls, text: str, *, latex: str, markdown: str, html: str, is_best: bool = False) -> Styled:
        """Make a text with the code of each format."""
        styled = cls(text)
        styled.is_best = is_best
        styled.latex, styled.markdown, styled.html = latex, markdown, html
        return styled


def written_name(header: str) -> str:
    """Return the name of a document as its file writes it, from what it has after ``#begin document``.

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
    return Styled.coded(text, latex=latex if text else "", markdown=markdown_text(text), html=html_text(text))


def as_best(cell: str) -> Styled:
    """Make a cell bold, but for LaTeX."""
    return Styled.coded(
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


def plural(n: int, noun: str) -> str:
    """Write a number before its noun: ``1 document``, ``2 documents``, ``2 entities``."""
    return f"{n} {noun if n == 1 else f'{noun[:-1]}ies' if noun.endswith('ity') else f'{noun}s'}"


def pvalue_text(p: float) -> str:
    """Write a p-value with four decimals, nothing for nan."""
    return "" if math.isnan(p) else "<0.0001" if p < 0.00005 else f"{p:.4f}"


def painted(text: str, code: str) -> str:
    """Put a code of terminals around a text: ``1`` bold, ``2`` faint, ``33`` yellow, ``36`` cyan."""
    return f"\x1b[{code}m{text}\x1b[0m" if text else ""


def painted_cell(cell: str, filled: str) -> str:
    """Paint a cell for a terminal: marks in color, the best in bold; a text without a look stays as it is.

    Args:
        cell: the cell; a look has the attribute ``is_best``.
        filled: its text with spaces around it.
    """
    text, is_best = printable(cell), getattr(cell, "is_best", None)
    if is_best is None or not text:
        return filled
    rest = text.lstrip("†*=")
    marks = painted(text[: len(text) - len(rest)], "36")
    return filled.replace(text, marks + (painted(rest, "1") if is_best else rest), 1)


@dataclass(frozen=True)
class TextTable:
    """Cells of text, not yet escaped for any format.

    Attributes:
        headers: (C,) names of the columns.
        rows: the rows, of C cells each.
        align: C letters, ``l`` for left or ``r`` for right, as in LaTeX; if empty, ``l`` for the first column and ``r``
            for all others.
        spare: number of columns at the right that a terminal shows only if it has room for them.
        groups: a line of titles over the headers: the title of each group of columns, which may be empty, and its
            number of columns. Every column is in a group; or there are none.
        sections: the title of each section and its number of rows; rows that are left over come last, without a title.
        specs: (C,) the column types of LaTeX's ``tabular``; if empty, as ``align``.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str = ""
    spare: int = 0
    groups: Sequence[tuple[str, int]] = ()
    sections: Sequence[tuple[str, int]] = ()
    specs: Sequence[str] = ()

    @property
    def alignment(self) -> str:
        """C letters, ``l`` or ``r``."""
        return self.align or "l" + "r" * (len(self.headers) - 1)

    def _lines(self) -> Iterator[tuple[str | None, Sequence[str]]]:
        """Yield the title of each section, then None and the cells of each of its rows."""
        rows = iter(self.rows)
        for title, size in self.sections:
            yield title, ()
            for _ in range(size):
                yield None, next(rows)
        yield from ((None, cells) for cells in rows)

    def text(self, width: int | None = None, color: bool = False) -> str:
        """Lay the table out for a terminal.

        Args:
            width: most characters of a line. A table that is wider gets a narrow head; if that is not enough, it loses
                its spare columns; then it is printed in parts, each beside the columns of names. None for no limit.
            color: whether to write the best in bold and marks in color.
        """
        titles = [name for group, size in self.groups for name in (group, *[""] * (size - 1))]
        body: list[Sequence[str] | None] = []  # None for an empty line
        for title, own in self._lines():
            body += [None] * (title is not None and bool(body))
            body.append(own if title is None else [title, *[""] * (len(self.headers) - 1)])
        plain = [row for row in body if row is not None]
        head = [list(map(printable, line)) for line in ([titles] if titles else []) + [list(self.headers)]]
        rows = [list(map(printable, row)) for row in plain]
        cells, widths = padded([*head, *rows], self.alignment, len(head), space=2)
        parts = [list(range(len(widths)))]
        if width is not None and sum(widths) + 2 * len(widths) - 2 > width:
            sizes = padded([*head[:-1], *rows], self.alignment)[1] if rows or titles else [1] * len(widths)
            longest = [max(size, *map(len, title.split()), 1) for title, size in zip(head[-1], sizes, strict=True)]
            broken = [textwrap.wrap(*pair, break_on_hyphens=False) for pair in zip(head[-1], longest, strict=True)]
            height = max(map(len, broken))
            head[-1:] = map(list, zip(*([""] * (height - len(title)) + title for title in broken), strict=True))
            cells, widths = padded([*head, *rows], self.alignment)
            parts = self._parts(widths, width)
        if color:
            both = zip(plain, cells[len(head) :], strict=True)
            cells[len(head) :] = [list(map(painted_cell, *pair)) for pair in both]
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
        for size in [size for _, size in self.groups] or [1] * len(widths):  # groups are not torn apart
            columns = [column for column in range(first, first + size) if names <= column < shown]
            first += size
            if columns and len(parts[-1]) > names and sum(widths[c] + 2 for c in parts[-1] + columns) - 2 > width:
                parts.append(list(range(names)))
            parts[-1] += columns
        return parts

    def markdown(self) -> str:
        """Write the table in Markdown; the title of a group is in each of its headers."""
        over = [group for group, size in self.groups for _ in range(size)] or [""] * len(self.headers)
        head = [" ".join(map(markdown_text, pair)).strip() for pair in zip(over, self.headers, strict=True)]
        body = [
            list(map(markdown_text, cells)) if title is None else [f"*{markdown_text(title)}*", *[""] * (len(head) - 1)]
            for title, cells in self._lines()
        ]
        cells, widths = padded([head, *body], self.alignment, 1, space=2)
        marks = zip(widths, self.alignment, strict=True)
        line = "|".join(f":{'-' * n}-" if letter == "l" else f"-{'-' * n}:" for n, letter in marks)
        first, *rows = [f"| {' | '.join(row)} |" for row in cells]
        return "\n".join([first, f"|{line}|", *rows])

    def latex(self) -> str:
        r"""Write a ``tabular`` with the rules of the package booktabs; with groups, number columns may be siunitx's."""
        if self.groups:
            first, groups, rules = 1, [], []
            for group, size in self.groups:
                groups.append(rf"\multicolumn{{{size}}}{{c}}{{{latex_text(group)}}}" if group else "")
                if group and size > 1:
                    rules.append(rf"\cmidrule(lr){{{first}-{first + size - 1}}}")
                first += size
            head = [f" {' & '.join(groups)} \\\\", *([" ".join(rules)] if rules else [])]
            head.append(f" {' & '.join(f'{{{latex_text(name)}}}' for name in self.headers)} \\\\")
            rows = self._latex_rows(self.rows)
        else:
            first_row, *rows = self._latex_rows([self.headers, *self.rows])
            head = [first_row]
        specs = " ".join(self.specs or self.alignment) if self.groups else self.alignment
        lines = [r"% \usepackage{booktabs, siunitx}"] if self.groups else []
        lines += [rf"\begin{{tabular}}{{{specs}}}", r"\toprule", *head, *([] if self.sections else [r"\midrule"])]
        n = len(self.headers)
        for title, _ in self._lines():
            if title is None:
                lines.append(rows.pop(0))
            else:
                lines += [r"\midrule", rf" \multicolumn{{{n}}}{{c}}{{\textit{{{latex_text(title)}}}}} \\", r"\midrule"]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    def _latex_rows(self, rows: Sequence[Sequence[str]]) -> list[str]:
        """Write rows whose columns have equal widths."""
        columns = [list(map(latex_text, column)) for column in zip(*rows, strict=True)]
        # LaTeX would read a bracket or star at the start of a row as an argument of the row before
        columns[0] = ["{}" + cell if cell.lstrip().startswith(("[", "*")) else cell for cell in columns[0]]
        cells, _ = padded(list(zip(*columns, strict=True)), self.alignment)
        return [f" {' & '.join(row)} \\\\" for row in cells]

    def html(self) -> str:
        """Write a ``table`` with a ``tbody`` for each section; the first cell of a row is its header."""
        over = "".join(f'<th scope="colgroup" colspan="{size}">{html_text(name)}</th>' for name, size in self.groups)
        pairs = zip(self.headers, self.alignment, strict=True)
        heads = "".join(f'<th scope="col"{_LEFT[letter]}>{html_text(head)}</th>' for head, letter in pairs)
        body = ""
        for title, row in self._lines():
            if title is None:
                first, *cells = zip(map(html_text, row), self.alignment, strict=True)
                written = "".join(f"<td{_LEFT[letter]}>{cell}</td>" for cell, letter in cells)
                body += f'<tr><th scope="row"{_LEFT[first[1]]}>{first[0]}</th>{written}</tr>'
            else:
                span = f'<th scope="rowgroup" colspan="{len(self.headers)}">{html_text(title)}</th>'
                body += f"{'</tbody><tbody>' if body else ''}<tr>{span}</tr>"
        top = f"<tr>{over}</tr>" if over else ""
        return f"<table><thead>{top}<tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: a wide character two, one that combines with another none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def padded(
    rows: Sequence[Sequence[str]], alignment: str, n_titles: int = 0, space: int = 0
) -> tuple[list[Sequence[str]], list[int]]:
    """Fill the cells of rows with spaces, so that each column has one width.

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
