"""Find the files that the user names."""

from __future__ import annotations

import glob
import os
import pathlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from arraycoref.exceptions import InputError, OptionError, ReadError
from arraycoref.inputs import note_input
from arraycoref.runtime import COMPRESSIONS, STDIN, archived, split_suffixes

Path = str | os.PathLike[str]
Source = Path | Sequence[Path]

_RECURSIVE = re.compile(r"(|.*?[/\\])\*\*(?:[/\\](.*))?\Z" if os.sep == "\\" else r"(|.*?/)\*\*(?:/(.*))?\Z", re.DOTALL)


def require_one_reader(sources: Iterable[object]) -> None:
    """Refuse standard input, or a pipe, that is named twice.

    Raises:
        OptionError: the first of these.
    """
    for path, n in Counter(os.fspath(source) for source in sources if isinstance(source, str | os.PathLike)).items():
        if n > 1 and (path in ("-", STDIN) or pathlib.Path(path).is_fifo()):
            raise OptionError(f"{path!r} can be read only once; expected a file")


def expand(source: Source, texts: list[str] | None = None, max_bytes: int | None = None) -> Iterator[str]:
    """List the files that a source names, directories and patterns in sorted order, ``-`` as `STDIN`.

    Args:
        source: see `arraycoref.read.read_documents`.
        texts: receives the README, LICENSE and the like of directories and patterns, which are skipped.
        max_bytes: the most bytes that a zip archive may hold.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
        InputError: no path, nor a list of some.
    """
    for path in [os.fspath(source)] if isinstance(source, str | os.PathLike) else named(source):
        note_input(path)
        if path == "-":
            yield STDIN
        elif os.path.isdir(path):
            yield from documents_among(files_below(path), texts)
        elif members := list(archived(path, max_bytes)):
            project = [member for member in members if member.startswith(os.path.join(path, "annotation", ""))]
            yield from documents_among(project or members, texts)
        elif os.path.lexists(path) or not glob.has_magic(path):
            yield path
        else:
            paths = matches(path)
            if not paths:
                raise ReadError(path, None, "no file matches this pattern")
            below = (files_below(match, may_be_empty=True) if os.path.isdir(match) else [match] for match in paths)
            yield from documents_among([*dict.fromkeys(chain.from_iterable(below))], texts)


def named(source: Path | Iterable[Path]) -> list[str]:
    """Return the paths of a source as the user gave them: a directory or a pattern is one path.

    Raises:
        InputError: no path, nor a list of some.
    """
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    no_paths = isinstance(source, bytes | set | frozenset | Mapping) or hasattr(source, "read")  # an open file
    if hasattr(source, "columns"):
        raise InputError(f"a {type(source).__name__} is not the path of a file; tables are for arraycoref.score_table")
    if no_paths or not isinstance(source, Iterable) or getattr(source, "ndim", 1) == 0:
        raise InputError(f"{source!r:.60} is not the path of a file; expected a path, or a list of paths")
    paths = [path for part in source for path in named(part)]
    if not paths:
        raise InputError("an empty list of files; expected one path or more")
    return paths


def matches(pattern: str) -> list[str]:
    """List what a glob pattern matches, sorted, without pipes, devices and sockets.

    ``**`` does not enter symbolic links: with two links to a folder above, there would be 2^40 paths.
    """
    recursive = _RECURSIVE.match(pattern)
    if recursive is None:
        paths = set(glob.glob(pattern))
    else:
        folder, rest = recursive.groups()
        roots = [os.path.join(root, "") for root in matches(folder[:-1])] if glob.has_magic(folder) else [folder]
        paths = set()
        for root in roots:
            for below, folders, files in os.walk(root or os.curdir, onerror=_refuse):
                folders[:] = [name for name in folders if not name.startswith(".")]
                prefix = os.path.join(below if root else below[len(os.curdir) + 1 :], "")
                if rest:
                    paths.update(matches(glob.escape(prefix) + rest))
                else:
                    paths.update(prefix + name for name in files if not name.startswith("."))
    return sorted(path for path in paths if _is_meant(path) or os.path.isdir(path))


def _is_meant(path: str) -> bool:
    """Whether a file among others is read: regular files are; broken or unreachable links too, to raise an error."""
    return os.path.isfile(path) or not os.path.exists(path)


def _refuse(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):  # both are usual when a pattern is matched
        raise ReadError(error.filename, None, error.strerror or str(error)) from error


def files_below(directory: str, may_be_empty: bool = False) -> list[str]:
    """List the files of a directory and of those below it, but not of folders that are links, as `find` does."""
    paths: list[str] = []
    for folder, folders, files in os.walk(directory, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        visible = (os.path.join(folder, name) for name in files if not name.startswith("."))
        paths += filter(_is_meant, visible)
    if not paths and not may_be_empty:
        raise ReadError(directory, None, "no file in this directory; hidden files do not count")
    return sorted(paths)


def documents_among(paths: Sequence[str], texts: list[str] | None = None) -> Sequence[str]:
    """Leave out what lies beside documents, if anything else is left: READMEs; settings, schemes, texts of annotation.

    A ``.txt`` belongs to the ``.ann`` of its name, words of MMAX2 to the ``.mmax`` in their folder or the one above.

    Args:
        paths: the files of directories and patterns.
        texts: receives the READMEs and the like.
    """
    every = set(paths)
    with_mmax = {os.path.dirname(path) for path in paths if path.endswith(".mmax")}

    def is_beside(path: str) -> bool:
        folder, name = os.path.split(path)
        stem = split_suffixes(path)[0]
        return (
            _BESIDE.fullmatch(name) is not None
            or os.path.basename(folder).lower() in ("customization", "customizations", "schemes", "styles")
            or (name.startswith("INITIAL_CAS.") and os.path.basename(os.path.dirname(folder)) == "annotation")
            or (
                f"{stem}.txt" in (path, os.path.splitext(path)[0])
                and not every.isdisjoint(f"{stem}.ann{compression}" for compression in ("", *COMPRESSIONS))
            )
            or (name.endswith("_words.xml") and not with_mmax.isdisjoint((folder, os.path.dirname(folder))))
        )

    documents = [path for path in paths if not is_beside(path)] or paths
    about = [path for path in documents if _ABOUT.fullmatch(os.path.basename(path))]
    if len(about) == len(documents):
        return documents
    if texts is not None:
        texts += about
    return [path for path in documents if path not in about]


_BESIDE = re.compile(
    r"(annotation|visual|tools|kb_shortcuts)\.conf|TypeSystem\.xml|common_paths\.xml|.*(\.dtd|\.bak|_level\.xml)"
)
"""Matches names of files that lie beside documents of brat, UIMA and MMAX2."""


JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\{\s*("|\})|\[\s*(\{|\]))')
"""Matches a file that begins as objects of JSON, or an array of them, do."""

_ABOUT = re.compile(r"(README|LICEN[CS]E|COPYING|CHANGELOG|AUTHORS|CITATION|CONTRIBUTING)([-_.][a-z]+)*", re.IGNORECASE)
"""Matches names of files that say something about other files."""

NOTES = (".md", ".rst", ".txt", ".log", ".toml", ".yaml", ".yml")
"""Suffixes of what lies beside files of coreference."""


def is_text(path: str, paths: Sequence[str]) -> bool:
    """Return whether a file among others is a text by its suffix, and most of the others have another."""
    suffixes = Counter(split_suffixes(path)[1].lower() for path in paths)
    own = split_suffixes(path)[1].lower()
    return own in NOTES and 2 * suffixes[own] < len(paths) and not suffixes.keys() <= {*NOTES}


def with_pattern(error: ReadError, paths: Sequence[str]) -> ReadError:
    """Return the error of a file among others; if a pattern leaves it out, and none of the others, with that."""
    others = [path for path in paths if path != error.path]
    endings = {path[len(split_suffixes(path)[0]) :] for path in others}
    if len(others) == len(paths) or len(endings) != 1 or "" in endings:
        return error
    folders = {os.path.dirname(path) for path in others}
    below = os.path.commonpath(folders) if len(folders) > 1 and len(set(map(os.path.isabs, folders))) == 1 else None
    folder = min(folders) if below is None else os.path.join(below, "**")
    pattern = os.path.join(folder, f"*{min(endings)}")
    found = matches(pattern)
    if error.path in found or not {*map(os.path.normpath, others)} <= {*map(os.path.normpath, found)}:
        return error
    return ReadError(error.path, error.line, f"{error.reason}; {pattern!r}, quoted, leaves it out", error.option)
