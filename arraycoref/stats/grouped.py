"""Tables as papers print scores: columns in groups, rows in sections, the best in bold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arraycoref.report.tables import Escape, Styled, TextTable, html_row, html_text, latex_text


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
        over = [each for group, size in self.groups for each in _over(group, size, markdown)]
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
        return text if markdown else _with_gaps(text.split("\n"), [begin - len(rows) for begin in begins[1:]])

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
        widths = [max(len(latex_text(cell)) for cell in cells) for cells in zip(*self.rows, strict=True)]
        for title, cells in self._lines():
            if title is None:
                lines.append(f" {_latex_row(cells, widths)} \\\\")
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


def _latex_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Join the cells of a row; LaTeX would read a bracket or star at the start as an argument of the line before."""
    first, *others = map(latex_text, cells)
    first = "{}" + first if first.lstrip().startswith(("[", "*")) else first
    padded = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
    return " & ".join([first.ljust(widths[0]), *padded])


def _with_gaps(lines: list[str], places: Sequence[int]) -> str:
    """Insert an empty line before each of some lines, given by negative indices; tabulate itself drops empty rows."""
    for place in places:  # indices counted from the end stay right, as later lines do not move
        lines.insert(place, "")
    return "\n".join(lines)


def _over(title: str, size: int, repeated: bool) -> list[str]:
    """Return a group's title for each of its columns, or, unless it is repeated, for the first column only."""
    return [title] * size if repeated else [title, *[""] * (size - 1)]


PLAIN, BEST, RIVAL = "", "*", "="
"""The marks of a number in its column: none, the best, and a rival, which may be as good as the best."""

DAGGER = r"\rlap{$^\dagger$}"
"""LaTeX code for a dagger that takes no space, so that the number before it stays aligned."""

_AROUND = {PLAIN: ("", ""), BEST: ("**", "strong"), RIVAL: ("<ins>", "u")}


def marked(value: str, error: str = "", *, mark: str = PLAIN, differs: bool = False, width: int = 0) -> str:
    """Write a number as a cell: the best is bold, a rival is underlined; for terminals, the mark is written before it.

    Args:
        value: the number.
        error: its standard deviation; empty if there is none.
        mark: `PLAIN`, `BEST` or `RIVAL`.
        differs: whether to add a dagger, which marks a significant difference from the baseline.
        width: the most digits before the point that a number of the column has.
    """
    text, dagger = f"{value} ± {error}" if error else value, "†" if differs else ""
    sign, tag = _AROUND[mark]
    return Styled.of(
        dagger + mark + text,
        latex=_latex_number(value, error, mark, differs, width),
        markdown=sign + text + sign.replace("<", "</") + dagger,
        html=(f"<{tag}>{text}</{tag}>" if tag else text) + (f"<sup>{dagger}</sup>" if dagger else ""),
    )


def _latex_number(value: str, error: str, mark: str, differs: bool, width: int) -> str:
    """Write a number for a siunitx column: as it is; or, if it is marked, as a text of the same width."""
    number = rf"{value} \pm {error}" if error else value
    if not mark and not differs:
        return number
    bold, upright = (r"$\mathbf{%s}$", r"$%s$") if error else (r"\textbf{%s}", "%s")
    number = (bold if mark == BEST else upright) % number
    number = rf"\underline{{{number}}}" if mark == RIVAL else number
    narrower = width - len(value.partition(".")[0])
    space = rf"\phantom{{{'0' * narrower}}}" if narrower > 0 else ""
    return f"{{{space}{number}{DAGGER if differs else ''}}}"


def siunitx(values: Sequence[str], errors: Sequence[str]) -> str:
    """Return the siunitx type of a column of numbers: digits before and after the point, and of standard deviations."""
    before, after = (max(len(value.lstrip("-").partition(".")[k]) for value in values) for k in (0, 2))
    sign = "-" if any(value.startswith("-") for value in values) else ""
    figures = max(len(error.replace(".", "").lstrip("0")) for error in errors)
    options = f"({max(figures, 1)}), separate-uncertainty, table-align-uncertainty=false" if any(errors) else ""
    return f"S[table-format={sign}{before}.{after}{options}]"
