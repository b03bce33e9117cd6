"""Sweep files: one key against many runs, each a file or directory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from arraycoref.errors import DocumentMismatchError, OptionError, ReadError
from arraycoref.files import Source, encode_documents, read_some, reading
from arraycoref.options import Policies, SideOptions, SweepFileOptions, resolve_policies
from arraycoref.read.documents import Documents
from arraycoref.read.sources import expand, is_stream, named
from arraycoref.sweeps.counting import Block, fingerprint
from arraycoref.sweeps.result import Sweep
from arraycoref.sweeps.runner import Runner
from arraycoref.sweeps.runs import Runs, named_runs
from arraycoref.sweeps.settings import Setting, text_of
from arraycoref.sweeps.storage import Origin


def sweep_files(key: Source, responses: Runs, **options: Unpack[SweepFileOptions]) -> Sweep:
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
        responses: a glob pattern, whose matches are the runs, each a file or a directory of files; a directory, in
            which each file and each folder is a run; a list of paths of runs; or a mapping from settings to sources as
            `score_files` has them. The path of a run names its setting: by the parameters in it, as in
            ``runs/lr=0.1,seed=3/out.conll``, ``x_seed3.conll`` or ``x/3.conll``, if all paths have the same parameters;
            otherwise by the parts in which it differs from the other paths.
        **options: see `arraycoref.options`.

    Raises:
        ReadError: a file that cannot be read or breaks its format; the message names path and line.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        InputError: no run, two runs of one setting, an unknown option, a checkpoint of another key.
    """
    policies = resolve_policies(options, SweepFileOptions)
    runner = Runner(policies, options)
    ours, runs = named(key), named_runs(responses, options.get("group"))
    streams = [path for path in (*ours, *(path for _, paths in runs for path in paths)) if is_stream(path)]
    twice = [path for path in streams if streams.count(path) > 1]
    if twice:
        raise OptionError(f"{twice[0]!r} appears twice among key and runs; it can be read only once")
    theirs = reading(options, "response")
    encoded = FileKey(read_some(ours, reading(options, "key")), policies, theirs)
    given = {name: theirs.get(name) for name in SideOptions.__annotations__ if name != "max_bytes"}
    read_with = " ".join(f"{name}={value}" for name, value in given.items() if value is not None)
    keeps = options.get("checkpoint") is not None  # only checkpoints need sizes and times of files
    origins = (origin_of(paths, read_with) if keeps else None for _, paths in runs)
    drawn = (([name], [paths]) for (name, paths), of in zip(runs, origins, strict=True) if not runner.skip(name, of))
    return runner.run(encoded, drawn, len(runs))


def origin_of(paths: Sequence[str], read_with: str) -> Origin:
    """Describe the files of a run, so that a checkpoint can notice later that its scores are of other files.

    Args:
        paths: paths of the run, folders and patterns among them.
        read_with: options that determine what is read from the files, as a string.
    """
    given, absolute = (", ".join(map(form, paths)) for form in (os.path.normpath, os.path.abspath))
    try:
        files = [] if any(map(is_stream, paths)) else [(path, os.stat(path)) for path in expand(paths)]
    except (ReadError, OSError, ValueError):  # reading the run, if needed, reports this
        files = []
    found = [(os.path.basename(path), now.st_size, now.st_mtime_ns) for path, now in files]
    return Origin(given, absolute, read_with, fingerprint(repr(found).encode()) if found else "")


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
            settings: (1,) the run's setting.
            outputs: (1,) the run's files.

        Raises:
            ReadError: a file that cannot be read or breaks its format.
            DocumentMismatchError: a document on one side only, where the policy refuses that; it names the run.
            DuplicateMentionError: a repeated mention, where the policy refuses that.
        """
        return self.lay(settings[0], read_some(outputs[0], self._reading))

    def lay(self, setting: Setting, response: Documents) -> Block:
        """Match the documents of one run with those of the key."""
        try:
            clusterings = encode_documents(self._documents, response, self._policies, self._reading.get("report"))
        except DocumentMismatchError as error:
            raise DocumentMismatchError(f"run {text_of(setting)}: {error}", error.option) from None
        if len(clusterings) == len(self):
            return Block([setting], clusterings)
        here = set(clusterings.names or ())
        return Block([setting], clusterings, np.array([[name in here for name in self._documents.names]]))
