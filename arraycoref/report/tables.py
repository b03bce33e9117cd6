"""Tables of text, laid out for terminals, Markdown, LaTeX and HTML, and the escaping of names for each of these.

The names of documents, systems, settings and tags may hold any characters. The functions here escape all that would
break a line or a cell, control a terminal, or be read as markup or as a formula. Ordinary text stays as it is.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arraycoref.errors import printable

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


class Markup(str):
    """LaTeX code of this package, which is not escaped."""

    __slots__ = ()


class Styled(str):
    """A text for terminals, with the code that other formats write in place of it.

    Attributes:
        latex: LaTeX code, which is not escaped.
        markdown: Markdown code, which is not escaped.
        html: HTML code, which is not escaped.
    """

    latex: str
    markdown: str
    html: str

    @classmethod
    def of(cls, text: str, *, latex: str, markdown: str, html: str) -> Styled:
        """Make a text with the code of each format."""
        styled = cls(text)
        styled.latex, styled.markdown, styled.html = latex, markdown, html
        return styled


def latex_text(text: str) -> str:
    """Escape characters that LaTeX would read as markup."""
    if isinstance(text, Styled):
        return text.latex
    if isinstance(text, Markup):
        return text
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

    given = [
        f"{key}={escaped(value).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
        if value is not None
    ]
    return f"::{' '.join([name, ','.join(given)]).rstrip()}::{escaped(message)}"


def figure_text(text: object) -> str:
    """Escape characters that matplotlib would read as mathematics."""
    return printable(str(text)).replace("$", r"\$")


def number_of(n: int, noun: str) -> str:
    """Write a number before its noun: ``1 document``, ``2 documents``."""
    return f"{n} {noun}{'' if n == 1 else 's'}"


def pvalue_text(p: float) -> str:
    """Write a p-value with four decimals, nothing for nan."""
    return "" if math.isnan(p) else "<0.0001" if p < 0.00005 else f"{p:.4f}"


Escape = Callable[[str], str]


@dataclass(frozen=True)
class TextTable:
    """Cells of text, not yet escaped for any format.

    Attributes:
        headers: (C,) names of the columns.
        rows: the rows, of C cells each.
        align: C letters, ``l`` for left or ``r`` for right, as in LaTeX; if empty, ``l`` for the first column and ``r``
            for all others.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str = ""

    @property
    def alignment(self) -> str:
        """C letters, ``l`` or ``r``."""
        return self.align or "l" + "r" * (len(self.headers) - 1)

    def tabulate(self, style: str, escape: Escape) -> str:
        """Lay the table out in one of tabulate's styles.

        Options are lists even where one value would be enough. For a single value, tabulate would check whether it is
        an `Iterable`. If numba is imported, this check takes 50 ms, as it goes through all subclasses of `Iterable`.
        """
        from tabulate import tabulate

        columns = self.alignment if self.rows else ""  # without rows, tabulate counts no columns
        text = tabulate(
            [[escape(cell) for cell in row] for row in self.rows],
            [escape(header) for header in self.headers],
            tablefmt=style,
            colalign=["left" if letter == "l" else "right" for letter in columns],
            rowalign=["top"] * len(self.rows),
            disable_numparse=list(range(len(columns))),
        )
        return "\n".join(line.rstrip() for line in text.split("\n"))

    def latex(self) -> str:
        r"""Write a ``tabular`` with the rules of the LaTeX package booktabs."""
        columns = list(zip(self.headers, *self.rows, strict=True))
        widths = [max([len(head) + 2, *map(len, cells)]) for head, *cells in columns]

        def line(row: Sequence[str]) -> str:
            cells = [_padded(*cell) for cell in zip(row, widths, self.alignment, strict=True)]
            if row[0].lstrip().startswith(("[", "*")):  # LaTeX would read them as an argument of the line before
                cells[0] = "{}" + cells[0]
            return f" {' & '.join(cells)} \\\\"

        head = [rf"\begin{{tabular}}{{{self.alignment}}}", r"\toprule", line(self.headers), r"\midrule"]
        return "\n".join([*head, *map(line, self.rows), r"\bottomrule", r"\end{tabular}"])

    def html(self, caption: Sequence[str] = ()) -> str:
        """Write a ``table`` with a caption; the first cell of a row is its header."""
        title = "<br>".join(map(html_text, caption))
        head, body = self._html_head(), "".join(self._html_rows())
        return f"<table><caption>{title}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

    def _html_head(self) -> str:
        heads = "".join(f'<th scope="col">{html_text(head)}</th>' for head in self.headers)
        return f"<tr>{heads}</tr>"

    def _html_rows(self) -> Iterable[str]:
        return map(html_row, self.rows)


def html_row(row: Sequence[str]) -> str:
    """Write a row of HTML."""
    first, *cells = map(html_text, row)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _padded(cell: str, width: int, letter: str) -> str:
    space = " " * (width - len(cell))
    return latex_text(cell) + space if letter == "l" else space + latex_text(cell)
