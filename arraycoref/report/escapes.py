"""Escape names from files and users for each output format; this is done nowhere else.

The names of documents, systems, settings and tags may hold any characters. The functions here escape all that would
break a line or a cell, control a terminal, or be read as markup or as a formula. Ordinary text stays as it is.
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


def latex_title(metric: str) -> str:
    r"""Write the title of a metric as papers do: ``B$^3$``, ``CEAF$_e$``."""
    title = latex_text(metric).replace("³", "$^3$").replace("φ", r"$\phi$")
    for letter in "me":
        title = title.replace(f"CEAF{letter}", f"CEAF$_{letter}$")
    return title


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
    from html import escape

    if isinstance(text, Styled):
        return text.html
    return escape(printable(text))


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
