"""Names from files and users, escaped for each format: the one place where this is done.

Documents, systems, settings and tags are called as their authors please. Here they lose what would break a line or a
cell, steer a terminal, or pass for markup or a formula; what is ordinary stays as it is.
"""

from __future__ import annotations

import re

from arraycoref.errors import printable

_LATEX = str.maketrans(
    {char: "\\" + char for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\ensuremath{<}", ">": r"\ensuremath{>}", "|": r"\textbar{}"}
)
_MARKDOWN = re.compile(r"[\\`*|<~$]|\](?=[(\[])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
"""What may be markup within a line; a ``_`` between letters, as in ``a_b``, or brackets without a target are not."""

_FORMULA = re.compile(r"(?:^|(?<=;))(?![=+@-]\Z|[+-](?:[\d.]+|inf)\Z|-[^\W\d_]+-\Z)[=+@\uff1d\uff0b\uff20\uff0d-]")
"""The beginning of what a spreadsheet would compute: no plain number, and no tag such as ``-LRB-``.

Where a comma is the decimal sign, spreadsheets split lines at semicolons: a cell may begin behind one.
Source: OWASP, CSV Injection.
"""


class Markup(str):
    """LaTeX, written by us, which is not escaped."""

    __slots__ = ()


class Styled(str):
    """Text for terminals that other formats write in a way of their own.

    Attributes:
        latex: in LaTeX, not escaped.
        markdown: in Markdown, likewise.
        html: in HTML, likewise.
    """

    latex: str
    markdown: str
    html: str

    @classmethod
    def of(cls, text: str, *, latex: str, markdown: str, html: str) -> Styled:
        """Make a text of what each format writes."""
        styled = cls(text)
        styled.latex, styled.markdown, styled.html = latex, markdown, html
        return styled


def latex_text(text: str) -> str:
    """Escape what LaTeX takes for markup."""
    if isinstance(text, Styled):
        return text.latex
    if isinstance(text, Markup):
        return text
    return re.sub("-(?=-)", "-{}", printable(text).translate(_LATEX))  # two hyphens would be a dash


def latex_title(metric: str) -> str:
    r"""Write the title of a metric as papers do: ``B$^3$``, ``CEAF$_e$``."""
    title = latex_text(metric).replace("³", "$^3$").replace("φ", r"$\phi$")
    for letter in "me":
        title = title.replace(f"CEAF{letter}", f"CEAF$_{letter}$")
    return title


def markdown_text(text: str) -> str:
    """Escape what Markdown takes for markup within a line, or for the border of a table's cell."""
    if isinstance(text, Styled):
        return text.markdown
    return _MARKDOWN.sub(r"\\\g<0>", printable(text))


def markdown_code(text: str) -> str:
    """Write text as code within a line, between more backticks than it has in a row."""
    text = printable(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{text}{space}{fence}"


def html_text(text: str) -> str:
    """Escape what HTML takes for markup."""
    from html import escape

    if isinstance(text, Styled):
        return text.html
    return escape(printable(text))


def csv_text(text: str) -> str:
    """Put an apostrophe before what spreadsheets would compute."""
    return _FORMULA.sub(r"'\g<0>", printable(text))


def github_command(name: str, message: str, **properties: object) -> str:
    """Write a line by which GitHub Actions shows a message beside a file's line: ``::error file=x,line=3::why``.

    Args:
        name: ``error``, ``warning`` or ``notice``.
        message: what is shown.
        properties: ``file``, ``line``, ``title``; those that are None are left out.
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
    """Escape what matplotlib takes for mathematics."""
    return printable(str(text)).replace("$", r"\$")
