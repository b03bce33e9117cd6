r"""Score the files of many runs with one key; find the settings of runs in the paths of their files."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Mapping, Sequence
from glob import has_magic
from typing import Any, Unpack

import numpy as np

from arraycoref.exceptions import InputError, OptionError, ReadError
from arraycoref.inputs import note_input
from arraycoref.match import match_documents
from arraycoref.match.scoring_windows import windows_of
from arraycoref.options import SweepFileOptions, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.read import read_side
from arraycoref.read.paths import Source, matches, named, require_one_reader
from arraycoref.scoring.grouped import compiled
from arraycoref.scoring.metrics.registry import reading_options
from arraycoref.stats.run_scores import Scalar, Setting, as_setting, identity, positions_by, text_of
from arraycoref.stats.runs import Runs
from arraycoref.sweeps.prepared_keys import Batch, fingerprint, score_settings
from arraycoref.twin import with_engine

Path = str | os.PathLike[str]
Responses = Path | Sequence[Path] | Mapping[Any, Source]


@with_engine
def sweep_files(key: Source, responses: Responses, **options: Unpack[SweepFileOptions]) -> Runs:
    """Score one key file against the files of S runs; the key is read once.

    See `arraycoref.sweep` for the effect of ``missing_documents="skip"``.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("lr=0.1.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> _ = Path("lr=0.2.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> found = ac.sweep_files("key.jsonl", "lr=*.jsonl", metrics="muc")
        >>> found.settings, found["muc"].recall.tolist()
        (({'lr': 0.1}, {'lr': 0.2}), [0.5, 1.0])

    Args:
        key: as in `arraycoref.score_files`.
        responses: a list of paths of runs, each a file or a directory, which is one run with all files below it; a glob
            pattern, whose matches are the runs; or a mapping from settings to sources as `score_files` has them. The
            path of a run names its setting, see `settings_of`.
        **options: see `arraycoref.options`.

    Raises:
        ReadError: a file that cannot be read or breaks its format; the message names path and line.
        DocumentMismatchError: a document on one side only, where the policy is ``error``.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        InputError: no run, two runs of one setting, an unknown option.
    """
    policies = resolve_policies(options, SweepFileOptions)
    runs = named_runs(responses, options.get("name_pattern"))
    require_one_reader([*named(key), *(path for paths in runs.values() for path in paths[1])])
    encoded = FileKey(key, policies, options)
    drawn = (([setting], [paths]) for setting, paths in runs.values())
    return score_settings(encoded, drawn, policies, options, len(runs))


class FileKey:
    """The documents of a key in files, and how runs are read.

    Args:
        key: files of D documents.
        policies: for repeated mentions and documents on one side only.
        options: of `sweep_files`.

    Attributes:
        names: (D,) document names.
        digest: fingerprint of spans, entities and names.
    """

    what = "run"

    def __init__(self, key: Source, policies: Policies, options: Mapping[str, Any]) -> None:
        self._policies, self._options = policies, reading_options(options)
        self._documents = read_side(key, self._options, "key", policies)
        self._names = windows_of(self._documents, policies.window).names if policies.window else self._documents.names
        self.names: tuple[str, ...] | None = self._names
        mentions = self._documents.mentions
        columns = (mentions.start, mentions.end, mentions.entity, mentions.parts, mentions.part_bounds, mentions.head)
        known = [column for column in columns if column is not None]
        self.digest = fingerprint(self._documents.offsets, *known, names=self.names)

    def __len__(self) -> int:
        return len(self._names)

    def to_batch(self, settings: Sequence[Setting], outputs: Sequence[Source]) -> Batch:
        """Read one run and match it with the key.

        Raises:
            ReadError: a file that cannot be read or breaks its format.
            DocumentMismatchError: a document on one side only, where the policy is ``error``.
            DuplicateMentionError: a repeated mention, where the policy is ``error``.
        """
        (paths,) = outputs
        own = self._policies.with_own_notes()
        response = read_side(paths, self._options, "response", own)
        clusterings = match_documents(self._documents, response, own, self._options.get("on_error")).clusterings
        here = set(clusterings.names or ())
        scored = np.array([[name in here for name in self._names]])
        return Batch(clusterings, None if scored.all() else scored, [own.notes])


def named_runs(responses: Responses, name_pattern: str | None = None) -> dict[str, tuple[Setting, list[str]]]:
    """Name the runs and list the paths of each.

    Args:
        responses: see `sweep_files`.
        name_pattern: see `settings_of`.

    Returns:
        Settings and paths, by the texts of the settings.

    Raises:
        InputError: no run, or two runs of one name.
    """
    if isinstance(responses, Mapping):
        settings, sources = list(map(as_setting, responses)), list(map(named, responses.values()))
        _require_distinct(settings)
    else:
        one = isinstance(responses, str | os.PathLike)
        paths = runs_in(os.fspath(responses)) if one else list(map(os.fspath, responses))  # type: ignore[arg-type]
        settings, sources = settings_of(paths, name_pattern), [[path] for path in paths]
    if not settings:
        raise InputError("no runs were given; expected a glob pattern, paths, or a mapping from settings to files")
    return {identity(setting): (setting, paths) for setting, paths in zip(settings, sources, strict=True)}


def runs_in(path: str) -> list[str]:
    """List the runs of one path: the matches of a pattern, each a file or a folder, or else the path itself.

    Raises:
        ReadError: there are no runs.
    """
    note_input(path)
    found = [path] if path == "-" or os.path.lexists(path) else matches(path)
    if not found:
        raise ReadError(path, None, "no file matches this pattern" if has_magic(path) else "no such file")
    return found


def settings_of(paths: Sequence[str], name_pattern: str | None = None) -> list[Setting]:
    r"""Name runs by their paths.

        >>> settings_of(["runs/lr=0.1,seed=1/out.conll", "runs/lr=0.1,seed=2/out.conll"])[1]
        {'lr': 0.1, 'seed': 2}
        >>> settings_of(["base_s5.conll", "large_s7.conll"], r"(?P<size>\w+)_s(?P<seed>\d+)")[1]
        {'size': 'large', 'seed': 7}
        >>> settings_of(["runs/a/out.conll", "runs/b/out.conll"])
        ['a', 'b']

    Args:
        paths: (S,) paths of the runs.
        name_pattern: a regular expression that is searched in each path; its named groups are the parameters.

    Returns:
        (S,) settings: the parameters that ``name_pattern`` finds. Without it, parameters written ``name=value``, if all
        paths have the same ones with different values; else the parts in which the paths differ, or the whole paths if
        these parts are equal for two of them or the depths differ.

    Raises:
        OptionError: a ``name_pattern`` that is not a regular expression, or names no group.
        InputError: a path in which ``name_pattern`` is not found, or two runs of one name.
    """
    if name_pattern is not None:
        return _require_distinct(_grouped(paths, name_pattern))
    found = list(map(_equations, paths))
    if all(found) and len(set(map(frozenset, found))) == 1 and len(set(map(identity, found))) == len(paths):
        return list(found)
    return _require_distinct(_differing(paths))


def stem_of(path: str) -> str:
    """Return the name of a file without its suffixes; other dots in it, as those of numbers, stay.

    >>> stem_of("runs/lr=0.1.conll.gz")
    'lr=0.1'
    """
    stem = pathlib.PurePath(path).name.split(".")
    while len(stem) > 1 and re.fullmatch(r"[A-Za-z_]\w*", stem[-1]):
        stem.pop()
    return ".".join(stem)


def _grouped(paths: Sequence[str], name_pattern: str) -> list[Setting]:
    """Name runs by the named groups of a regular expression."""
    pattern = compiled("name_pattern", name_pattern)
    if not pattern.groupindex:
        expected = r"expected a regular expression with named groups, as (?P<seed>\d+)"
        raise OptionError(f"name_pattern is {name_pattern!r}; {expected}", "name_pattern")
    found: list[Setting] = []
    for path in paths:
        match = pattern.search(path)
        if match is None:
            lack = f"name_pattern {name_pattern!r} is not found in {path!r}, the path of a run"
            raise InputError(lack, "name_pattern")
        found.append({name: None if text is None else _value(text) for name, text in match.groupdict().items()})
    return found


def _require_distinct(settings: Sequence[Setting]) -> list[Setting]:
    """Return the settings as a list.

    Raises:
        InputError: two runs have the same name.
    """
    for setting, positions in positions_by(settings):
        if len(positions) > 1:
            raise InputError(f"two runs are named {text_of(setting)}; expected each once")
    return list(settings)


def _differing(paths: Sequence[str]) -> list[str]:
    """Return the parts in which paths differ, or the whole paths if their depths differ or two have equal parts."""
    parts = [pathlib.PurePath(path).parts for path in paths]
    if len(parts) > 1 and len(set(map(len, parts))) == 1:
        columns = [column for column in zip(*parts, strict=True) if len(set(column)) > 1]
        names = ["/".join(row) for row in zip(*columns, strict=True)]
        if len(set(names)) == len(paths):
            return names
    return [str(path) for path in paths]


def _equations(path: str) -> dict[str, Scalar]:
    """Find ``name=value`` in a path; the suffixes of the file are not part of a value."""
    pieces = re.split(r"[,;&]", ",".join([*pathlib.PurePath(path).parts[:-1], stem_of(path)]))
    pairs = [piece.split("=", 1) for piece in pieces if re.match(r"\w[\w.-]*=", piece)]
    return {name: _value(text) for name, text in pairs}


def _value(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
