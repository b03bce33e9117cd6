"""Tables of text, laid out for terminals, Markdown, LaTeX and HTML, and the escaping of names for each of these.

The names of documents, systems, settings and tags may hold any characters. The functions here escape all that would
break a line or a cell, control a terminal, or be read as markup or as a formula. Ordinary text stays as it is.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
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
        head, *rows = self._latex_rows([self.headers, *self.rows])
        begin = rf"\begin{{tabular}}{{{self.alignment}}}"
        return "\n".join([begin, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"])

    def _latex_rows(self, rows: Sequence[Sequence[str]]) -> list[str]:
        """Write rows whose columns have equal widths."""
        columns = [list(map(latex_text, column)) for column in zip(*rows, strict=True)]
        # LaTeX would read a bracket or star at the start of a row as an argument of the row before
        columns[0] = ["{}" + cell if cell.lstrip().startswith(("[", "*")) else cell for cell in columns[0]]
        padded = []
        for letter, column in zip(self.alignment, columns, strict=True):
            width = max(map(len, column))
            padded.append([cell.ljust(width) if letter == "l" else cell.rjust(width) for cell in column])
        return [f" {' & '.join(cells)} \\\\" for cells in zip(*padded, strict=True)]

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

    def tabulate(self, style: str, escape: Escape) -> str:
        """Lay the table out in one of tabulate's styles; Markdown (``pipe``) has the group's title in each header."""
        markdown = style == "pipe"
        over: list[str] = []
        for group, size in self.groups:
            over += [group] * size if markdown else [group, *[""] * (size - 1)]
        pairs = [(escape(group), escape(head)) for group, head in zip(over, self.headers, strict=True)]
        rows: list[list[str]] = []
        begins = []
        for title, cells in self._lines():
            if title is None:
                rows.append(list(map(escape, cells)))
            else:
                begins.append(len(rows))
                rows.append([f"*{escape(title)}*" if markdown else escape(title), *[""] * (len(pairs) - 1)])
        text = TextTable(list(map((" " if markdown else "\n").join, pairs)), rows, self.align).tabulate(style, str)
        lines = text.split("\n")
        for begin in () if markdown else begins[1:]:  # an empty line between sections; tabulate drops empty rows
            lines.insert(begin - len(rows), "")
        return "\n".join(lines)

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
                yield html_row(cells)
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
