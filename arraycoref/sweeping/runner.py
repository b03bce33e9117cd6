"""Run a sweep: blocks in, a `Sweep` out, with a checkpoint on the way."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from arraycoref.metrics import counted_metrics, resolve_metrics
from arraycoref.options import Metrics, Policies, Progress, signature
from arraycoref.sweeping.blocks import Block
from arraycoref.sweeping.count import Unit, run, units_of
from arraycoref.sweeping.keyside import KeySide
from arraycoref.sweeping.result import Sweep, check_compatible
from arraycoref.sweeping.settings import Setting, identity, text_of
from arraycoref.sweeping.sources import Named
from arraycoref.sweeping.storage import load, save
from arraycoref.sweeping.sums import Floats, Store

CHECKPOINT_SECONDS = 60.0


class Runner:
    """One run of a sweep.

    Args:
        key: encoded.
        policies: resolved.
        metrics: as the user named them.
        threads: 0 for one a core.
        progress: called with the settings scored and S.
        n_settings: S, None where it is not known.
        checkpoint: a file to go on from and to write to.

    Raises:
        InputError: unknown metrics, a checkpoint of another sweep.
        ReadError: a checkpoint that cannot be read.
    """

    def __init__(
        self,
        key: KeySide,
        policies: Policies,
        metrics: Metrics,
        threads: int,
        progress: Progress | None,
        n_settings: int | None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.key, self.policies, self.threads, self.progress = key, policies, threads, progress
        self.metrics = resolve_metrics(metrics)
        self.counted = counted_metrics(self.metrics)
        self.n_settings = n_settings
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        self.earlier: Sweep | None = None
        if self.checkpoint is not None and self.checkpoint.exists():
            self.earlier = load(self.checkpoint)
            check_compatible(self.earlier, self.metrics, signature(policies), key.digest, len(key))
        self.known = {} if self.earlier is None else {identity(s): i for i, s in enumerate(self.earlier.settings)}
        self.found: list[Setting] = []  # all settings met, in order
        self.fresh: list[Setting] = []  # those to be scored
        self.done = 0

    def skip(self, setting: Setting) -> bool:
        """Take note of a setting, and tell whether the checkpoint holds its scores."""
        self.found.append(setting)
        return identity(setting) in self.known

    def run(self, blocks: Iterable[Named]) -> Sweep:
        """Count blocks and put the sweep together.

        Args:
            blocks: from `blocks_of`, with `skip`.
        """
        n = None if self.n_settings is None else max(0, self.n_settings - len(self.known))
        store = Store(len(self.key), self.counted, None if self.known else n)
        saved = time.monotonic()

        def finished(n: int) -> None:
            nonlocal saved
            self.done += n
            if self.progress is not None and n:
                self.progress(self.done + len(self.found) - len(self.fresh), self.n_settings or 0)
            if self.checkpoint is not None and time.monotonic() - saved > CHECKPOINT_SECONDS:
                save(self._partial(store), self.checkpoint)
                saved = time.monotonic()

        try:
            run(self._units(blocks, store), self.threads, finished)
        except BaseException:
            if self.checkpoint is not None and self.done:
                save(self._partial(store), self.checkpoint)
            raise
        result = self._whole(store.finish())
        if self.checkpoint is not None:
            save(result, self.checkpoint)
        return result

    def _units(self, blocks: Iterable[Named], store: Store) -> Iterator[tuple[Unit, int]]:
        for settings, block in blocks:
            self.fresh.extend(settings)
            out = store.take(len(settings))
            if not isinstance(block, Block):
                yield partial(block, out), len(settings)
                continue
            yield from units_of(
                self.key,
                block,
                self.counted,
                out,
                drop_singletons=self.policies.singletons == "drop",
                name=partial(_text_at, settings),
            )

    def _sweep(self, sums: Floats, settings: list[Setting]) -> Sweep:
        sums.flags.writeable = False
        return Sweep(self.metrics, sums, tuple(settings), signature(self.policies), self.key.names, self.key.digest)

    def _partial(self, store: Store) -> Sweep:
        """Return what an interrupted sweep knows: the checkpoint and the settings finished since."""
        found = self._sweep(store.first(self.done), self.fresh[: self.done])
        return found if self.earlier is None else self.earlier + found

    def _whole(self, sums: Floats) -> Sweep:
        """Put the settings that were scored and those of the checkpoint in the order in which they were met.

        Settings of the checkpoint that were not met stay in it, at the end.
        """
        if self.earlier is None:
            return self._sweep(sums, self.fresh)
        joined = self.earlier + self._sweep(sums, self.fresh)
        met = [joined.position(setting) for setting in self.found]
        rest = np.setdiff1d(np.arange(len(joined)), met)
        return joined.select(np.concatenate((np.array(met, np.int64), rest)))


def _text_at(settings: list[Setting], position: int) -> str:
    return text_of(settings[position])
