"""Sweep files: one key against many runs, each a file or directory."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Unpack

import numpy as np

from arraycoref.documents import Documents
from arraycoref.errors import DocumentMismatchError, InputError, OptionError
from arraycoref.files import Source, encode_documents, read_some, reading
from arraycoref.options import Policies, SweepFileOptions, resolve_policies, takes
from arraycoref.sweeps.counting import Block, fingerprint
from arraycoref.sweeps.result import Sweep
from arraycoref.sweeps.runner import Runner
from arraycoref.sweeps.settings import Scalar, Setting, as_setting, text_of

Runs = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[Any, Source]


@takes(SweepFileOptions)
def sweep_files(key: Source, responses: Runs, **options: Unpack[SweepFileOptions]) -> Sweep:
    """Score one key file against the files of S runs; the key is read once.

    `arraycoref.sweep` says what ``missing_documents="skip"`` does.

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
        responses: a glob pattern, each match of which is a run: a file, or a directory of files; a list of such paths;
            or a mapping from settings to what `score_files` takes. A path names its setting: by the parameters in it,
            as in ``runs/lr=0.1,seed=3/out.conll``, if every path has the same; else by what is different from the
            others.
        **options: see `arraycoref.options`.

    Raises:
        ReadError: a file that cannot be read or breaks its format; names path and line.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        InputError: no run, two runs of one setting, an unknown option, a checkpoint of another key.
    """
    policies = resolve_policies(options, SweepFileOptions)
    runner = Runner(policies, options)
    runs = named_runs(responses)
    if [str(source) for source in (key, *(source for _, source in runs))].count("-") > 1:
        raise OptionError("'-' appears twice among key and runs; standard input can be only one of them")
    encoded = FileKey(read_some(key, reading(options, "key")), policies, reading(options, "response"))
    return runner.run(
        encoded, (([setting], [source]) for setting, source in runs if not runner.skip(setting)), len(runs)
    )


class FileKey:
    """The documents of a key, and how runs are read.

    Args:
        key: D documents.
        policies: for repeated mentions and documents on one side only.
        options: of `arraycoref.read.read_documents`, to read a run.

    Attributes:
        names: (D,) document names.
        digest: fingerprint of spans, entities and names.
    """

    settings_at_once = 1

    def __init__(self, key: Documents, policies: Policies, options: Mapping[str, Any]) -> None:
        self._documents, self._policies, self._reading = key, policies, options
        self.names: tuple[str, ...] | None = key.names
        self.digest = fingerprint(key.offsets, key.start, key.end, key.entity, repr(key.names).encode())

    def __len__(self) -> int:
        return len(self._documents)

    def block(self, settings: Sequence[Setting], outputs: Sequence[Source]) -> Block:
        """Read one run and match it with the key.

        Args:
            settings: the run's name.
            outputs: its files.

        Raises:
            ReadError: a file that cannot be read or breaks its format.
            DocumentMismatchError: a document on one side only, where the policy refuses that; names the run.
            DuplicateMentionError: a repeated mention, where the policy refuses that.
        """
        return self.lay(settings[0], read_some(outputs[0], self._reading))

    def lay(self, setting: Setting, response: Documents) -> Block:
        """Match the documents of one run with the key's."""
        try:
            clusterings = encode_documents(self._documents, response, self._policies, self._reading.get("report"))
        except DocumentMismatchError as error:
            raise DocumentMismatchError(f"run {text_of(setting)}: {error}") from None
        if len(clusterings) == len(self):
            return Block([setting], clusterings)
        here = set(clusterings.names or ())
        return Block([setting], clusterings, np.array([[name in here for name in self._documents.names]]))


def named_runs(responses: Runs) -> list[tuple[Setting, Source]]:
    """Name the runs and list their sources.

    Raises:
        InputError: no run, or two of one name.
    """
    if isinstance(responses, Mapping):
        runs = [(as_setting(setting), source) for setting, source in responses.items()]
    else:
        if isinstance(responses, str | os.PathLike):
            path = os.fspath(responses)
            paths = [path] if path == "-" else sorted(glob.glob(path, recursive=True))
            if not paths:
                raise InputError(f"{path!r} matches no file; expected a glob pattern of runs")
        else:
            paths = [os.fspath(path) for path in responses]
        runs = list(zip(settings_of(paths), paths, strict=True))
    if not runs:
        raise InputError("no runs were given; expected a glob pattern, paths, or a mapping from settings to files")
    seen: set[str] = set()
    for setting, _ in runs:
        if str(setting) in seen:
            raise InputError(f"two runs are named {setting}; expected each once")
        seen.add(str(setting))
    return runs


def settings_of(paths: Sequence[str]) -> list[Setting]:
    """Name runs by their paths.

        >>> settings_of(["runs/lr=0.1,seed=1/out.conll", "runs/lr=0.1,seed=2/out.conll"])[1]
        {'lr': 0.1, 'seed': 2}
        >>> settings_of(["runs/a/out.conll", "runs/b/out.conll"])
        ['a', 'b']

    Args:
        paths: (S,) of the runs.

    Returns:
        (S,) dicts of the parameters in the paths if all have the same names of parameters and they differ; otherwise
        the parts of the paths in which they differ, or the paths where these are of different depth.
    """
    parameters = [_parameters(path) for path in paths]
    if all(p and p.keys() == parameters[0].keys() for p in parameters) and len(set(map(str, parameters))) == len(paths):
        return list(parameters)
    parts = [PurePath(path).parts for path in paths]
    if len(parts) > 1 and len(set(map(len, parts))) == 1:
        columns = [column for column in zip(*parts, strict=True) if len(set(column)) > 1]
        names = ["/".join(row) for row in zip(*columns, strict=True)]
        if len(set(names)) == len(paths):
            return list(names)
    return [str(path) for path in paths]


def _parameters(path: str) -> dict[str, Scalar]:
    """Find ``name=value`` in a path; a file's suffixes do not belong to a value."""
    pure = PurePath(path)
    stem = pure.name.split(".")
    while len(stem) > 1 and re.fullmatch(r"[A-Za-z_]\w*", stem[-1]):
        stem.pop()
    pieces = re.split(r"[,;&]", ",".join([*pure.parts[:-1], ".".join(stem)]))
    pairs = [piece.split("=", 1) for piece in pieces if re.match(r"\w[\w.-]*=", piece)]
    return {name: _value(text) for name, text in pairs}


def _value(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
