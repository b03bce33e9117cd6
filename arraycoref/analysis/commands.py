"""The commands on errors as functions: each analyzes files or clusters, and returns what its command prints."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

from arraycoref.analysis.analyzed import BROKEN_DOWN
from arraycoref.analysis.api import Analysis, analyze, analyze_files
from arraycoref.analysis.breakdown import Breakdowns, usual_attributes
from arraycoref.analysis.errors import ErrorTable
from arraycoref.analysis.explanation import Explanation
from arraycoref.analysis.findings import findings_of
from arraycoref.analysis.show import Shown
from arraycoref.options import FileOptions
from arraycoref.stats.draws import IntervalOptions
from arraycoref.twin import with_engine


class LookOptions(FileOptions, total=False):
    """Options of `analyze_files`, and those of `analyze` that are not among them."""

    spans: Literal["head", "text", "none"] | None
    pronouns: Any


class CostOptions(LookOptions, IntervalOptions, total=False):
    """Options of analysis, and of the intervals of what it finds."""


@with_engine
def errors(key: Any, response: Any, metric: str = "conll", **options: Unpack[CostOptions]) -> ErrorTable:
    """Say what went wrong, and what each type of errors costs, as the command ``errors`` does.

        >>> import arraycoref as ac
        >>> table = ac.errors([["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]], metric="muc")
        >>> [name for name, row in zip(table.types, table.errors[0]) if row.estimate]
        ['divided', 'conflated']

    Args:
        key: path of files as for `arraycoref.analyze_files`, or clusters as for `arraycoref.analyze`.
        response: likewise, of one response; a mapping from names for several.
        metric: the metric in whose F costs are given.
        **options: see `arraycoref.options`; ``spans``, ``pronouns`` and, for clusters, ``heads`` as for these two.

    Returns:
        The table of types, which prints the findings first. `arraycoref.Analysis` has all else.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for these two functions.
    """
    analysis, sampling = _analyzed(key, response, {**options, "metrics": metric})
    table = analysis.error_table(metric, **sampling)
    how: Any = {"confidence": table.how.confidence, "seed": table.how.seed, "resample_by": sampling.get("resample_by")}
    return replace(table, findings=findings_of(analysis, metric, **how))


@with_engine
def breakdown(
    key: Any,
    response: Any,
    attributes: str | Sequence[str] | None = None,
    *,
    intervals: bool = False,
    **options: Unpack[CostOptions],
) -> Breakdowns:
    """Break scores down by length, part of speech or distance, as the command ``breakdown`` does.

        >>> import arraycoref as ac
        >>> b = ac.breakdown([["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]], "size", metrics="muc")
        >>> [(row["class"], row["recall"]) for row in b.rows() if row["recall"] >= 0]
        [('3-5', 0.5), ('all', 0.5)]

    Args:
        key: as for `errors`.
        response: likewise.
        attributes: names of `arraycoref.analysis.breakdown.ATTRIBUTES`, or one string with commas; None for length,
            kind, size and distance, if they are known.
        intervals: whether to find confidence intervals.
        **options: as for `errors`; ``metrics`` as for `arraycoref.Analysis.breakdown`.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or
            `UnknownNameError`: there is no such attribute.
    """
    analysis, sampling = _analyzed(key, response, options)
    names = attributes.split(",") if isinstance(attributes, str) else attributes or usual_attributes(analysis.index)
    metrics = options.get("metrics") or BROKEN_DOWN
    return Breakdowns([analysis.breakdown(name.strip(), metrics, intervals=intervals, **sampling) for name in names])


@with_engine
def show(
    key: Any,
    response: Any,
    *documents: str | int,
    worst: int = 3,
    sort: str | None = None,
    rows: int | None = None,
    **options: Unpack[LookOptions],
) -> Shown:
    """Show sentences with errors, key above response, as the command ``show`` does.

        >>> import arraycoref as ac
        >>> print(ac.show([[(0, 0), (2, 3)]], [[(0, 0), (5, 5)]]))
        0  conll 25.00; 1 + extra mention, 1 − missing mention
           1  key       [0]k1 · −[2 3]k1 · 5
              response  [0]r1 · 2 3 · +[5]r1

    Args:
        key: as for `errors`.
        response: likewise, one response.
        *documents: names or positions of documents; none for the worst.
        worst: how many documents are shown if none is named.
        sort: the score by which they are the worst, ``muc`` or ``muc.recall``; None for the CoNLL average.
        rows: most sentences of a document, 0 for all that have errors; None for 12, or for all if documents are named.
        **options: as for `errors`.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or
            `UnknownNameError`: there is no such document.
    """
    rows = (0 if documents else 12) if rows is None else rows
    return _analyzed(key, response, options)[0].show(*documents, worst=worst, sort=sort, rows=rows)


@with_engine
def report(
    key: Any,
    response: Any,
    output: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
    words: bool = True,
    worst: int = 0,
    sort: str | None = None,
    **options: Unpack[LookOptions],
) -> int:
    """Write a page of HTML that shows every error in its text, as the command ``report`` does.

        >>> import arraycoref as ac
        >>> ac.report([[(0, 0), (2, 3)]], [[(0, 0), (5, 5)]], "report.html") < 100_000
        True

    Args:
        key: as for `errors`.
        response: likewise, of one or two responses.
        output: the file.
        names: as for `arraycoref.Analysis.save_html`, as all that follow.
        words: likewise.
        worst: likewise.
        sort: likewise.
        **options: as for `errors`.

    Returns:
        Number of bytes.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or OSError:
            the file cannot be written.
    """
    return _analyzed(key, response, options)[0].save_html(output, names=names, words=words, worst=worst, sort=sort)


@with_engine
def explain(
    metric: str, key: Any, response: Any, *, document: str | int | None = None, **options: Unpack[FileOptions]
) -> Explanation:
    """Explain a metric's score of one document, step by step, in exact fractions.

    The result prints as the entities of both sides; a table of what the metric adds up (for MUC and LEA the parts into
    which the other side cuts each entity, for B-cubed each mention, for CEAF each pair of entities and the alignment,
    for BLANC and pairwise the classes of links); and the lines that compute recall, precision and F.

        >>> import arraycoref as ac
        >>> e = ac.explain("muc", [list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])
        >>> for row in e.parts[0]:
        ...     print(*row, sep=" | ")
        K1 | {a, b} {c} | 3 − 2 | 3 − 1
        K2 | {d} {e} {f, g} | 4 − 3 | 4 − 1
        >>> e.sums, e.f1
        ([(Fraction(2, 1), Fraction(5, 1), Fraction(2, 1), Fraction(5, 1))], Fraction(2, 5))

    Args:
        metric: ``muc``, ``bcub``, ``ceafm``, ``ceafe``, ``blanc``, ``lea`` or ``pairwise``.
        key: as for `errors`.
        response: likewise, one response.
        document: name or position of the document; None for the worst by this metric.
        **options: as for `errors`.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or
            `UnknownNameError`: there is no such document, or the metric cannot be explained.

    Source: Pradhan et al. (2014), section 4; Luo et al. (2014), section 4.2.
    """
    return _analyzed(key, response, {**options, "spans": "none"})[0].explain(metric, document)


def _analyzed(key: Any, response: Any, options: Mapping[str, Any]) -> tuple[Analysis, dict[str, Any]]:
    """Analyze files or clusters; return the options of intervals beside."""
    sampling = {name: value for name, value in options.items() if name in IntervalOptions.__annotations__}
    of_sides = {name: value for name, value in options.items() if name not in sampling}
    door: Any = analyze_files if isinstance(key, str | os.PathLike) else analyze
    return door(key, response, **of_sides), sampling
