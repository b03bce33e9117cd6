"""Run a sweep: count blocks of responses, save checkpoints meanwhile, and return a `Sweep`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from arraycoref.errors import InputError, OptionError, ReadError
from arraycoref.options import Policies, signature
from arraycoref.read.parsed import warn
from arraycoref.runtime import progress_of, thread_count
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.metrics.score import Floats
from arraycoref.sweeps.counting import Drawn, Key, count_blocks
from arraycoref.sweeps.result import Sweep, joined
from arraycoref.sweeps.settings import Setting, identity, text_of
from arraycoref.sweeps.storage import Origin, Origins, load, save

CHECKPOINT_SECONDS = 60.0


class Runner:
    """One run of a sweep.

    Args:
        policies: resolved policies.
        options: ``metrics``, ``threads``, ``progress``, ``checkpoint`` and ``report``, as the user gave them.

    Raises:
        InputError: unknown metrics, a checkpoint that cannot be a file.
        ReadError: a checkpoint that cannot be read.
    """

    def __init__(self, policies: Policies, options: Mapping[str, Any]) -> None:
        self._policies = policies
        self._metrics = resolve_metrics(options.get("metrics"))
        self._counted = counted_metrics(self._metrics)
        self._threads = thread_count(options.get("threads", 1))
        self._progress = progress_of(options)
        self._report = options.get("report") or warn
        self._checkpoint = _file_of(options.get("checkpoint"))
        self._earlier: Sweep | None = None
        self._origins: Origins = {}
        self._kept: dict[str, int] = {}  # positions of earlier settings with valid scores, by identity
        if self._checkpoint is not None and self._checkpoint.exists():
            fields, self._origins = load(self._checkpoint)
            self._earlier = Sweep(**fields)
            self._kept = {identity(setting): position for position, setting in enumerate(self._earlier.settings)}
        self._met: dict[str, Setting] = {}  # all settings that were drawn, by identity
        self._fresh: list[Setting] = []  # the drawn settings that are scored in this run

    def skip(self, setting: Setting, origin: Origin | None = None) -> bool:
        """Record a setting as drawn, and return whether the checkpoint holds its scores.

        Args:
            setting: a setting.
            origin: the files that its scores are of; None if unknown.

        Raises:
            InputError: the setting was drawn before, or the checkpoint holds its scores of another file, or of the file
                as read with other options.
        """
        name = identity(setting)
        if name in self._met:
            raise InputError(f"setting {text_of(setting)} appears twice; expected each once")
        self._met[name] = setting
        if origin is not None:
            earlier = self._origins.get(name)
            if name in self._kept and earlier is not None and not self._holds(setting, earlier, origin):
                del self._kept[name]
            self._origins[name] = origin
        if name not in self._kept:
            self._fresh.append(setting)
        return name in self._kept

    def _holds(self, setting: Setting, earlier: Origin, origin: Origin) -> bool:
        """Return whether the checkpoint's scores of a setting are still valid; report files that changed since.

        Raises:
            InputError: the scores are of other files, or of the same files as read with other options.
        """
        held = f"{self._checkpoint} holds the scores of {earlier.path}"
        if earlier.path != origin.path and earlier.absolute != origin.absolute:
            raise InputError(
                f"{held} as {text_of(setting)}, and this is {origin.path}; expected other names for other files, or "
                "another checkpoint"
            )
        if earlier.options != origin.options:
            raise InputError(
                f"{held} as read with {earlier.options or 'no options'}, and now with {origin.options or 'none'}; "
                "expected the same, or another checkpoint"
            )
        if not earlier.state or not origin.state or earlier.state == origin.state:
            return True
        self._report(ReadError(origin.path, None, f"changed since {self._checkpoint} has its scores; scored again"))
        return False

    def run(self, key: Key, drawn: Iterable[Drawn], n_settings: int | None = None) -> Sweep:
        """Count blocks and put the sweep together.

        Args:
            key: D documents.
            drawn: blocks of settings for which `skip` returned False, with their outputs; only a few blocks are drawn
                ahead of the counting.
            n_settings: S, None if unknown; passed to ``progress``, and used to allocate the array of sums once.

        Raises:
            InputError: a checkpoint of another sweep, a setting that appears twice, outputs that do not fit the key.
        """
        names = tuple(metric.name for metric in self._counted)
        rows = room_for(max(0, (n_settings or 0) - len(self._kept)), len(key), len(group_names(names)))
        done = 0

        def so_far() -> Sweep:
            counts = Counts.read_only(key.names, names, rows[:done])
            settings = tuple(self._fresh[:done])
            found = Sweep(self._metrics, counts, settings, signature(self._policies), key.digest)
            if self._earlier is None:
                return found
            try:
                return joined([self._earlier.select(list(self._kept.values())), found])
            except InputError as error:
                raise InputError(f"{self._checkpoint}: {error}") from None

        def keep(found: Sweep) -> None:
            if self._checkpoint is not None:
                save(self._checkpoint, found, self._origins)

        so_far()  # raises an error if the checkpoint does not fit
        saved = time.monotonic()
        try:
            with closing(count_blocks(key, drawn, self._counted, self._policies, self._threads)) as counted:
                for found in counted:
                    rows = _append(rows, done, found)
                    done += len(found)
                    if self._progress is not None:
                        self._progress(done + len(self._met) - len(self._fresh), n_settings or 0)
                    if time.monotonic() - saved > CHECKPOINT_SECONDS:
                        keep(so_far())
                        saved = time.monotonic()
        except BaseException:
            if done:
                keep(so_far())
            raise
        result = self._in_order(so_far())
        keep(result)
        return result

    def _in_order(self, found: Sweep) -> Sweep:
        """Put the settings in the order in which they were met; those of the checkpoint that were not met come last."""
        if self._earlier is None:
            return found
        met = np.array([found.position(setting) for setting in self._met.values()], np.int64)
        return found.select(np.concatenate((met, np.setdiff1d(np.arange(len(found)), met))))


def _file_of(checkpoint: Any) -> Path | None:
    """Return the path of a checkpoint.

    Raises:
        OptionError: no such file can be written, which `save` would find out only after the work.
    """
    if checkpoint is None:
        return None
    if isinstance(checkpoint, str | os.PathLike) and (name := os.fspath(checkpoint)) and "\0" not in name:
        path = Path(name)
        if path.parent.is_dir() and not path.is_dir():
            return path
    raise OptionError(f"checkpoint is {checkpoint!r:.60}; expected the path of a file in a directory that exists")


def room_for(n_settings: int, n_documents: int, n_groups: int) -> Floats:
    """Make an array (S, D, K, 4) for sums, group after group in memory, which is how they are counted and read."""
    return np.empty((n_groups, n_settings, n_documents, 4)).transpose(1, 2, 0, 3)


def _append(rows: Floats, n: int, more: Floats) -> Floats:
    """Put more rows after the first n, in a new array of twice the size if they do not fit."""
    if n + len(more) > len(rows):
        grown = room_for(2 * (n + len(more)), *rows.shape[1:3])
        grown[:n] = rows[:n]
        rows = grown
    rows[n : n + len(more)] = more
    return rows
