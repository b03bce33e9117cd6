"""Tables of text, laid out for terminals, Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arraycoref.report.escapes import html_text, latex_text

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
