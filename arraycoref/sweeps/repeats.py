"""Join the sweeps of repeated runs, such as seeds; add up the counts of the runs, or average their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arraycoref.errors import InputError
from arraycoref.records import Record
from arraycoref.report.formats import Displayable
from arraycoref.report.tables import TextTable
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.metrics.registry import RATIOS, direction
from arraycoref.scoring.metrics.score import Floats, rounded_for_ties
from arraycoref.scoring.rows import f_name, format_score
from arraycoref.sweeps.counting import fingerprint
from arraycoref.sweeps.result import Sweep, joined
from arraycoref.sweeps.settings import Setting, as_setting, beside, dict_of, parameters_of, positions_by, text_of

EVERY = "all"
"""Value that the parameter averaged over gets if settings have no other parameter."""


def concat(sweeps: Mapping[Any, Sweep], parameter: str) -> Sweep:
    """Join several sweeps against one key, for instance one for each seed; their settings get one more parameter.

        >>> import arraycoref as ac
        >>> seeds = {1: [[0, 1, 0.5, 2], [2, 3, 2.0, 3]], 2: [[1, 2, 0.1, 2], [0, 3, 0.9, 3]]}
        >>> found = ac.sweeps.concat({n: ac.sweep_linkage([0, 0, 1], z, [1.0]) for n, z in seeds.items()}, "seed")
        >>> found.settings, found["muc"].recall.tolist()
        (({'threshold': 1.0, 'seed': 1}, {'threshold': 1.0, 'seed': 2}), [1.0, 1.0])

    Args:
        sweeps: sweeps by the value of the new parameter. A setting that is no dict becomes a dict with the parameter
            ``setting``.
        parameter: name of the new parameter.

    Raises:
        InputError: no sweeps; sweeps with different keys, metrics or policies; settings with the parameter already.
    """
    if not isinstance(sweeps, Mapping) or not sweeps:
        raise InputError(f"sweeps is {sweeps!r:.60}; expected one sweep or more, by the value of the parameter")
    parts = []
    for value, part in sweeps.items():
        settings: list[Setting] = []
        for setting in part.settings:
            old = setting if isinstance(setting, dict) else {"setting": parameters_of([setting])["setting"][0]}
            if parameter in old:
                raise InputError(f"setting {text_of(setting)} has {parameter!r} already; expected another parameter")
            settings.append(as_setting({**old, parameter: value}))
        parts.append(replace(part, settings=tuple(settings)))
    return joined(parts)


def pool(found: Sweep, over: str) -> Sweep:
    """Add up the counts of settings that differ in one parameter only, such as the seed, document by document.

    A score is then the ratio of the sums over all seeds. `Sweep.best` and tests resample the documents and keep the
    seeds; `average` shows how much the scores differ between seeds.

        >>> import arraycoref as ac
        >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 2]]
        >>> found = ac.sweep([0, 0, 1], labels, settings={"t": [0.1, 0.2], "seed": [1, 2]}, metrics="muc")
        >>> pooled = ac.sweeps.pool(found, "seed")
        >>> pooled.settings, pooled["muc"].recall.tolist()
        (({'t': 0.1}, {'t': 0.2}), [1.0, 0.0])

    Args:
        found: sweep whose settings are dicts with the parameter.
        over: name of the parameter.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are no dicts, or have different numbers of seeds.
        DocumentMismatchError: settings that were scored on different documents.
    """
    found.require_shared_documents()
    settings, positions = grouped(found.settings, over)
    shared = found.on_shared_documents()
    rows = np.array([shared.sums[row].sum(axis=0) for row in positions]).reshape(-1, *shared.sums.shape[1:])
    digest = fingerprint(shared.key_digest.encode(), f"{over} {positions.shape[1]}".encode())
    return replace(shared, counts=replace(shared.counts, rows=rows), settings=settings, key_digest=digest)


def average(found: Sweep, over: str) -> Averages:
    """Average the scores of settings that differ in one parameter only, such as the seed.

        >>> import arraycoref as ac
        >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 2]]
        >>> found = ac.sweep([0, 0, 1], labels, settings={"t": [0.1, 0.2], "seed": [1, 2]}, metrics="muc")
        >>> seeds = ac.sweeps.average(found, "seed")
        >>> print(seeds)
        t=0.1: muc f1 83.33 ± 23.57
        t=0.2: muc f1 0.00 ± 0.00

    Args:
        found: sweep whose settings are dicts with the parameter.
        over: name of the parameter.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are no dicts, or have different numbers of seeds.
        DocumentMismatchError: settings that were scored on different documents.
    """
    found.require_shared_documents()
    settings, positions = grouped(found.settings, over)
    return Averages(settings, over, found, positions)


@dataclass(frozen=True, eq=False, repr=False)
class Averages(Record, Displayable):
    """Scores of G settings, each a mean over R runs.

    Attributes:
        settings: (G,) settings without the parameter that is averaged over.
        over: name of that parameter.
        sweep: the scores of all runs.
        positions: int64 (G, R) positions in ``sweep`` of the runs of each setting.
    """

    settings: tuple[Setting, ...]
    over: str
    sweep: Sweep
    positions: Integers

    def __len__(self) -> int:
        return len(self.settings)

    def scores(self, metric: str, field: str = "f1") -> Floats:
        """Return the score of each run, float64 (G, R): fractions 0-1."""
        values: Floats = self.sweep.score(metric, field)[self.positions]
        return values

    def mean(self, metric: str, field: str = "f1") -> Floats:
        """Return the mean over the runs, float64 (G,)."""
        means: Floats = self.scores(metric, field).mean(axis=1)
        return means

    def sd(self, metric: str, field: str = "f1") -> Floats:
        """Return the standard deviation of the runs, float64 (G,), with R - 1 in the denominator; nan for one run."""
        if self.positions.shape[1] < 2:
            return np.full(len(self), np.nan)
        found: Floats = self.scores(metric, field).std(axis=1, ddof=1)
        return found

    def best(self, metric: str | None = None, field: str = "f1") -> Setting:
        """Return the setting with the best mean; of equally good ones, the earliest.

        Args:
            metric: None for the CoNLL average if it was asked for, or else the first metric.
            field: ``recall``, ``precision`` or ``f1``.

        Raises:
            InputError: no settings.
            UnknownNameError: no such metric.
        """
        if not self.settings:
            raise InputError("there are no settings; expected some")
        metric = self.sweep.first_metric if metric is None else metric
        return self.settings[int(np.argmax(rounded_for_ties(direction(metric) * self.mean(metric, field))))]

    def columns(self) -> dict[str, Any]:
        """Return a row for each setting: parameters, ``muc_recall_mean``, ``muc_recall_sd`` and so on."""
        found: dict[str, Any] = {}
        for metric in self.sweep.metrics:
            for field in RATIOS:
                found[f"{metric}_{field}_mean"] = self.mean(metric, field)
                found[f"{metric}_{field}_sd"] = self.sd(metric, field)
        return beside(parameters_of(self.settings), found)

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the parameters of each setting, and mean and standard deviation of F in every metric."""
        parameters, metrics = parameters_of(self.settings), self.sweep.metrics
        found = [self._texts(metric, digits) for metric in metrics]
        columns = [*(list(map(str, values)) for values in parameters.values()), *found]
        headers = [*parameters, *(f"{metric} {f_name(self.sweep.signature.beta)}" for metric in metrics)]
        return [TextTable(headers, list(map(list, zip(*columns, strict=True))))]

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers: mean and standard deviation, and over which parameter."""
        return [f"mean ± standard deviation over {self.positions.shape[1]} values of {self.over}"]

    def __repr__(self) -> str:
        metric = self.sweep.first_metric
        texts = zip(map(text_of, self.settings), self._texts(metric), strict=True)
        return "\n".join(f"{text}: {metric} f1 {score}" for text, score in texts)

    def _texts(self, metric: str, digits: int = 2) -> list[str]:
        """Write the mean and the standard deviation of F in a metric, for each setting."""
        both, profile = zip(self.mean(metric), self.sd(metric), strict=True), self.sweep.signature.profile
        return [mean_and_sd(mean, sd, metric, digits, profile=profile) for mean, sd in both]


def mean_and_sd(mean: float, sd: float, metric: str, digits: int = 2, *, profile: str) -> str:
    """Write a mean with its standard deviation, if it has one; ``profile`` as of `format_score`."""
    score, error = format_score(mean, metric, digits, profile=profile), format_score(sd, metric, digits)
    return f"{score} ± {error}" if error else score


def grouped(settings: Sequence[Setting], over: str) -> tuple[tuple[Setting, ...], Integers]:
    """Group the settings that differ in the parameter ``over`` only.

    Returns:
        (G,) settings without that parameter, and int64 (G, R) positions of the runs of each.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are no dicts, or have different numbers of runs.
    """

    def rest(setting: Setting) -> Setting:
        return {name: value for name, value in dict_of(setting, over).items() if name != over} or {over: EVERY}

    groups = positions_by(map(rest, settings))
    sizes = {len(positions) for _, positions in groups}
    if len(sizes) > 1:
        fewest = min(groups, key=lambda group: len(group[1]))
        raise InputError(
            f"setting {text_of(fewest[0])} has {min(sizes)} runs by {over}, and others up to {max(sizes)}; expected "
            "the same number for each"
        )
    positions = np.array([group for _, group in groups], np.int64).reshape(len(groups), -1)
    return tuple(setting for setting, _ in groups), positions
