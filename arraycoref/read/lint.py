"""Check files of annotation, and list all that is wrong or doubtful in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Unpack

import numpy as np

from arraycoref.display.formats import Format, Report
from arraycoref.display.tables import github_command, painted, plural
from arraycoref.exceptions import Fixes, OptionError, ReadError, check_name, printable
from arraycoref.options import SideOptions, check_options
from arraycoref.read import read_documents
from arraycoref.read.documents import Documents, repeated_mention
from arraycoref.read.layouts import SIDES
from arraycoref.read.lint_corefud import REFUSED, refused
from arraycoref.read.paths import expand, named
from arraycoref.read.problems import ProblemLog
from arraycoref.read.tables import tables_of

Path = str | os.PathLike[str]

COLORS = {"error": "31", "warning": "33"}
"""The codes in which terminals show severities."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Something wrong or doubtful in a file.

    Attributes:
        path: of the file, as the user named it.
        line: number of the line, from 1; None if the problem is of the whole file.
        severity: ``error`` for what is refused unless reading is lenient, ``warning`` for what is doubtful.
        message: what is wrong or doubtful.
        option: the options that fix it, as in `arraycoref.exceptions.ArraycorefError`.
    """

    path: str
    line: int | None
    severity: str
    message: str
    option: str | Fixes = ""

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return printable(f"{place}: {self.severity}: {self.message}")


def _text(problems: Problems, digits: int) -> str:
    return "".join(f"{line}\n" for line in (*problems.problems, *problems.caption(digits)))


def _github(problems: Problems, digits: int) -> str:
    """Write commands of GitHub Actions, which show each problem beside its line."""
    lines = [
        github_command(f.severity, f.message, file=f.path, line=f.line, title="arraycoref check")
        for f in problems.problems
    ]
    return "".join(f"{line}\n" for line in (*lines, *problems.caption(digits)))


@dataclass(frozen=True, eq=False)
class Problems(Report):
    """All that was found in some files; ``print`` shows a line for each problem, and their number.

    Attributes:
        problems: in the order of the files, and of their lines.
        n_documents: number of documents that were read.
        n_mentions: number of mentions in these documents.
    """

    problems: tuple[Problem, ...]
    n_documents: int
    n_mentions: int
    key_columns: ClassVar[tuple[str, ...]] = ("path", "line", "severity", "message")
    own_formats: ClassVar[Mapping[str, Format]] = {"text": _text, "github": _github}

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that are errors."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The problems that are warnings."""
        return tuple(problem for problem in self.problems if problem.severity == "warning")

    def __str__(self) -> str:
        return _text(self, 0).rstrip("\n")

    def render(self, format: str = "table", *, color: bool = False, **choices: Any) -> str:
        """Write the problems; arguments and errors are those of `Report.render`."""
        text = super().render(format, **choices)
        if color and format == "text":
            text = re.sub(r": (error|warning)(?=: )", lambda word: f": {painted(word[1], COLORS[word[1]])}", text)
        return text

    def caption(self, digits: int) -> list[str]:
        """Say how many errors and warnings were found, and in how many documents and mentions."""
        warnings = f", {plural(len(self.warnings), 'warning')}" if self.warnings else ""
        sizes = f"{plural(self.n_documents, 'document')}, {plural(self.n_mentions, 'mention')}"
        return [f"{plural(len(self.errors), 'error')}{warnings} in {sizes}"]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each problem."""
        yield from ({name: getattr(problem, name) for name in self.key_columns} for problem in self.problems)

    def facts(self) -> dict[str, Any]:
        """Return how many there are."""
        numbers = {"errors": len(self.errors), "warnings": len(self.warnings)}
        return numbers | {"documents": self.n_documents, "mentions": self.n_mentions}


def check(files: Path | Iterable[Path], *, side: str = "key", **options: Unpack[SideOptions]) -> Problems:
    r"""Check files of annotation, and list all problems at once.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> lines = ["#begin document (1)", "1\t0\t(0", "1\t1\t(2)|(3)", "#end document", ""]
        >>> _ = Path("broken.conll").write_text("\n".join(lines))
        >>> print(ac.check("broken.conll"))
        broken.conll:2: error: the mention of entity '0' that opens here never closes
        broken.conll:3: warning: document '1': the mention of tokens 1-1 is in two entities, also on line 3
        1 error, 1 warning in 1 document, 2 mentions

    Errors are the problems that stop `score_files` unless it is ``lenient``. Warnings are mentions in two entities or
    twice in one (which `score_files` refuses unless ``duplicates`` says what to do), files without any mention, and
    what `score_files` only warns of: numbers without a bracket, and mentions that are null; in CoNLL-U also what the
    validator of Universal Dependencies refuses, of each kind the first place in a file. In a table of text, only
    the first problem is found, and warnings have no line.

    Args:
        files: a file, a directory, a glob pattern, ``-`` for standard input, or several of these. Each of these is
            checked alone: two of them may have documents of the same name.
        side: ``key`` or ``response``, for JSON that has the clusters of both.
        **options: see `arraycoref.options`.

    Raises:
        InputError: no file is given, or something that is not a path.
        OptionError: an option that makes no sense, or Parquet tables of mentions; `UnknownNameError`: a name that does
            not exist.
    """
    check_options(options, SideOptions)
    check_name("side", side, SIDES)
    paths = named(files)
    listed: list[Problem] = []
    sizes = np.zeros(2, np.int64)
    for path in paths:
        faults = _Listed()
        try:
            counted = _check(path, side, options, faults)
            if not counted[0] and not any(problem.severity == "error" for problem in faults.problems):
                faults.error(path, None, "no document; expected rows, each of a mention")
            sizes += counted
        except ReadError as error:
            faults.report(error, "error")
        of_path = sorted(faults.problems, key=lambda problem: problem.severity)
        listed += sorted(of_path, key=lambda problem: (problem.path, problem.line or 0))
    return Problems(tuple(listed), *sizes.tolist())


@dataclass(eq=False)
class _Listed(ProblemLog):
    """Problems that are listed, also those of files that cannot be read any further."""

    lenient: bool = True
    problems: list[Problem] = field(default_factory=list)

    def broken(self, error: ReadError) -> None:
        self.report(error, "error")

    def report(self, error: ReadError, severity: str) -> None:
        if severity == "warning":
            self.count(error)
        self.problems.append(Problem(error.path, error.line, severity, error.reason, error.option))


def _check(path: str, side: str, options: SideOptions, problems: ProblemLog) -> tuple[int, int]:
    """Read files, list what is wrong or doubtful in them, and return the number of documents and mentions.

    Raises:
        ReadError: a problem after which reading cannot go on.
        OptionError: Parquet tables of mentions.
    """
    format = options.get("format")
    if "parquet" in [tables_of(name, format) for name in expand(path)]:
        raise OptionError(f"{path!r} is a Parquet table, which has no lines; expected files of text")
    documents = read_documents(path, side, **options, on_error=problems, lenient=True)
    n_mentions: dict[str, list[int]] = {}
    for source, n in zip(documents.files, np.diff(documents.offsets).tolist(), strict=True):
        n_mentions.setdefault(source, []).append(n)
    for source, sizes in n_mentions.items():
        if not any(sizes):
            problems.warning(source, None, f"no mention in {plural(len(sizes), 'document')}")
    for first, second in _repeated(documents):
        doubt = repeated_mention(documents, first, second)
        is_conllu = documents.text[documents.mentions.document[second]].has_tree
        also = f"; {REFUSED} this" if is_conllu else ""
        problems.warning(doubt.path, doubt.line, doubt.reason + also)
    for doubt in refused(documents):
        problems.report(doubt, "warning")
    return len(documents), len(documents.mentions)


def _repeated(documents: Documents) -> Iterator[tuple[int, int]]:
    """Yield each occurrence of a mention that occurred earlier in its document, after that earlier occurrence."""
    document, codes = documents.mentions.document, documents.mentions.codes({})
    order = np.lexsort((codes, document))
    places = np.stack([document, codes])[:, order]
    again = np.flatnonzero((places[:, 1:] == places[:, :-1]).all(axis=0)) + 1
    yield from zip(order[again - 1].tolist(), order[again].tolist(), strict=True)
