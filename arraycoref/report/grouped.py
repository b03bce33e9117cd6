"""Tables as papers print scores: columns in groups, rows in sections, the best in bold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arraycoref.report.escapes import Styled, html_text, latex_text
from arraycoref.report.table import Escape, TextTable, html_row


@dataclass(frozen=True)
class GroupedTable(TextTable):
    """A table with a line of titles over groups of columns, and titles of sections between rows.

    Attributes:
        groups: titles, and how many columns each is over; all columns have one, an empty text where there is none.
        sections: titles, and how many rows stand under each; without any, there are rows only.
        specs: (C,) columns of LaTeX's ``tabular``.
    """

    groups: Sequence[tuple[str, int]] = ()
    sections: Sequence[tuple[str, int]] = ()
    specs: Sequence[str] = ()

    def tabulate(self, style: str, escape: Escape) -> str:
        """Lay the table out in one of tabulate's styles: Markdown has one line of headers, which name the group too."""
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
        r"""Write a ``tabular`` with the rules of booktabs, and numbers in columns of siunitx."""
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
        """Write rows, each section a body of its own."""
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
    """Join the cells of a row; a rule or a line's end before it would take a bracket or star for its argument."""
    first, *others = map(latex_text, cells)
    first = "{}" + first if first.lstrip().startswith(("[", "*")) else first
    padded = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
    return " & ".join([first.ljust(widths[0]), *padded])


def _with_gaps(lines: list[str], places: Sequence[int]) -> str:
    """Leave an empty line before some of the lines, given by negative positions; tabulate drops empty rows."""
    for place in places:  # an insertion moves none of those, which are counted from the end
        lines.insert(place, "")
    return "\n".join(lines)


def _over(title: str, size: int, repeated: bool) -> list[str]:
    """Return a group's title for each of its columns, or for the first of them."""
    return [title] * size if repeated else [title, *[""] * (size - 1)]


PLAIN, BEST, RIVAL = "", "*", "="
"""How a number stands in its column: the best of it, or what may be as good."""

DAGGER = r"\rlap{$^\dagger$}"
"""In LaTeX, where it takes no space, so that the number stays in its place."""

_AROUND = {PLAIN: ("", ""), BEST: ("**", "strong"), RIVAL: ("<ins>", "u")}


def marked(value: str, error: str = "", *, mark: str = PLAIN, differs: bool = False, width: int = 0) -> str:
    """Write a number as a cell: the best is bold, a rival underlined; in terminals their marks stand before them.

    Args:
        value: the number.
        error: its standard deviation, if it has one.
        mark: `PLAIN`, `BEST` or `RIVAL`.
        differs: whether a dagger says that it differs from the baseline.
        width: of the column's numbers, in digits before the point.
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
    """Write a number for a column of siunitx: as it is, or, where it is marked, as text that is as wide."""
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
    """Describe a column of numbers to siunitx: digits before and after the point, and those of standard deviations."""
    before, after = (max(len(value.lstrip("-").partition(".")[k]) for value in values) for k in (0, 2))
    sign = "-" if any(value.startswith("-") for value in values) else ""
    figures = max(len(error.replace(".", "").lstrip("0")) for error in errors)
    options = f"({max(figures, 1)}), separate-uncertainty, table-align-uncertainty=false" if any(errors) else ""
    return f"S[table-format={sign}{before}.{after}{options}]"
