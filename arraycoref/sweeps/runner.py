"""Run a sweep: blocks of responses in, a `Sweep` out, with a checkpoint on the way."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from arraycoref.counts import Counts
from arraycoref.errors import InputError
from arraycoref.files import Source
from arraycoref.metrics import counted_metrics, group_names, resolve_metrics
from arraycoref.metrics.score import Floats
from arraycoref.options import Policies, signature
from arraycoref.sweeps.counting import Drawn, Key, count_blocks
from arraycoref.sweeps.result import Sweep
from arraycoref.sweeps.settings import Setting, identity, text_of
from arraycoref.sweeps.storage import Sources, load, save
from arraycoref.threads import thread_count

CHECKPOINT_SECONDS = 60.0


class Runner:
    """One run of a sweep.

    Args:
        policies: resolved.
        options: ``metrics``, ``threads``, ``progress`` and ``checkpoint``, as the user gave them.

    Raises:
        InputError: unknown metrics.
        ReadError: a checkpoint that cannot be read.
    """

    def __init__(self, policies: Policies, options: Mapping[str, Any]) -> None:
        self._policies = policies
        self._metrics = resolve_metrics(options.get("metrics"))
        self._counted = counted_metrics(self._metrics)
        self._threads = thread_count(options.get("threads", 1))
        self._progress = options.get("progress")
        checkpoint = options.get("checkpoint")
        self._checkpoint = None if checkpoint is None else Path(checkpoint)
        self._earlier: Sweep | None = None
        self._sources: Sources = {}
        if self._checkpoint is not None and self._checkpoint.exists():
            fields, self._sources = load(self._checkpoint)
            self._earlier = Sweep(**fields)
        self._known = set(map(identity, self._earlier.settings)) if self._earlier is not None else set[str]()
        self._met: dict[str, Setting] = {}  # all settings that were drawn, by identity
        self._fresh: list[Setting] = []  # those of them that are scored in this run
        self._done = 0

    def skip(self, setting: Setting, source: Source | None = None, read_with: str = "") -> bool:
        """Take note of a setting, and say whether the checkpoint holds its scores.

        Args:
            setting: a setting.
            source: the files of a run.
            read_with: options that say what is read of them.

        Raises:
            InputError: a setting that was drawn before, or whose scores the checkpoint holds of another file, or of
                the file read with other options.
        """
        name = identity(setting)
        if name in self._met:
            raise InputError(f"setting {text_of(setting)} appears twice; expected each once")
        self._met[name] = setting
        files = source if isinstance(source, list | tuple) else [source]
        if all(isinstance(file, str | os.PathLike) for file in files):
            given, whole = (", ".join(map(form, files)) for form in (os.path.normpath, os.path.abspath))
            found = [given, whole, read_with]
            earlier = self._sources.setdefault(name, found)
            held, before = f"{self._checkpoint} holds the scores of {earlier[0]}", "".join(earlier[2:])
            if name in self._known and not set(found[:2]) & set(earlier[:2]):
                raise InputError(
                    f"{held} as {text_of(setting)}, and this is {found[0]}; expected other names for other files, or "
                    "another checkpoint"
                )
            if name in self._known and before != read_with:
                raise InputError(
                    f"{held} as read with {before or 'no options'}, and now with {read_with or 'none'}; expected the "
                    "same, or another checkpoint"
                )
            self._sources[name] = found
        if name not in self._known:
            self._fresh.append(setting)
        return name in self._known

    def run(self, key: Key, drawn: Iterable[Drawn], n_settings: int | None = None) -> Sweep:
        """Count blocks and put the sweep together.

        Args:
            key: D documents.
            drawn: settings that `skip` did not refuse, with their outputs; drawn few blocks ahead of the counting.
            n_settings: S, None where it is not known; for ``progress``, and for memory that is asked for at once.

        Raises:
            InputError: a checkpoint of another sweep, a setting that appears twice, outputs that do not fit the key.
        """
        names = tuple(metric.name for metric in self._counted)
        rows = room_for(max(0, (n_settings or 0) - len(self._known)), len(key), len(group_names(names)))

        def sweep_of(rows: Floats) -> Sweep:
            settings = tuple(self._fresh[: len(rows)])
            counts = Counts.read_only(key.names, names, rows)
            return Sweep(self._metrics, counts, settings, signature(self._policies), key.digest)

        def so_far() -> Sweep:
            found = sweep_of(rows[: self._done])
            return found if self._earlier is None else self._earlier + found

        if self._earlier is not None:
            try:
                self._earlier.require_same_key(sweep_of(rows[:0]))
            except InputError as error:
                raise InputError(f"{self._checkpoint}: {error}") from None
        saved = time.monotonic()
        try:
            with closing(count_blocks(key, drawn, self._counted, self._policies, self._threads)) as counted:
                for found in counted:
                    rows = _append(rows, self._done, found)
                    self._done += len(found)
                    if self._progress is not None:
                        self._progress(self._done + len(self._met) - len(self._fresh), n_settings or 0)
                    if self._checkpoint is not None and time.monotonic() - saved > CHECKPOINT_SECONDS:
                        save(self._checkpoint, so_far(), self._sources)
                        saved = time.monotonic()
        except BaseException:
            if self._checkpoint is not None and self._done:
                save(self._checkpoint, so_far(), self._sources)
            raise
        result = self._in_order(so_far())
        if self._checkpoint is not None:
            save(self._checkpoint, result, self._sources)
        return result

    def _in_order(self, found: Sweep) -> Sweep:
        """Put the settings in the order in which they were met; those of the checkpoint that were not met come last."""
        if self._earlier is None:
            return found
        met = np.array([found.position(setting) for setting in self._met.values()], np.int64)
        return found.select(np.concatenate((met, np.setdiff1d(np.arange(len(found)), met))))


def room_for(n_settings: int, n_documents: int, n_groups: int) -> Floats:
    """Make an array (S, D, K, 4) for sums, group after group in memory, which is how they are counted and read."""
    return np.empty((n_groups, n_settings, n_documents, 4)).transpose(1, 2, 0, 3)


def _append(rows: Floats, n: int, more: Floats) -> Floats:
    """Put more rows behind the first n, in an array of twice the size if need be."""
    if n + len(more) > len(rows):
        grown = room_for(2 * (n + len(more)), *rows.shape[1:3])
        grown[:n] = rows[:n]
        rows = grown
    rows[n : n + len(more)] = more
    return rows
