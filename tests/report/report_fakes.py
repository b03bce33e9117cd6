"""Results made from counts, so that reports are tested apart from scoring."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from arraycoref.options import Signature
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.print import ScoresReport

SUMS = ("recall_num", "recall_den", "precision_num", "precision_den")


def _divide(a, b):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b > 0, a / np.where(b > 0, b, 1), 0.0)


def _score(sums, beta=1.0):
    sums = np.asarray(sums, dtype=float)
    recall, precision = _divide(sums[..., 0], sums[..., 1]), _divide(sums[..., 2], sums[..., 3])
    weight = beta**2
    f1 = _divide((1 + weight) * precision * recall, weight * precision + recall)
    values = {"recall": recall, "precision": precision, "f1": f1}
    values |= {name: sums[..., i] for i, name in enumerate(SUMS)}
    if sums.ndim == 1:
        values = {name: float(value) for name, value in values.items()}
    return SimpleNamespace(**values)


def _mean(score):
    values = {}
    for field, array in vars(score).items():
        if isinstance(array, SimpleNamespace):
            values[field] = _mean(array)
        elif field in SUMS:
            values[field] = math.nan
        else:
            values[field] = float(array.mean()) if array.size else 0.0
    return SimpleNamespace(**values)


def _scores(counts, profile, beta):
    found = {}
    for metric, sums in counts.items():
        if metric != "blanc":
            found[metric] = _score(sums, beta)
            continue
        a, b = _score(sums[..., :4], beta), _score(sums[..., 4:8], beta)
        values = {}
        for field in ("recall", "precision", "f1"):
            x, y = getattr(a, field), getattr(b, field)
            no_a = (a.recall_den == 0) & ((profile == "conll") | (a.precision_den == 0))
            no_b = (b.recall_den == 0) & ((profile == "conll") | (b.precision_den == 0))
            value = np.where(no_a, y, np.where(no_b, x, (x + y) / 2))
            values[field] = value if sums.ndim == 2 else float(value)
        nothing = np.full(sums.shape[:-1], math.nan) if sums.ndim == 2 else math.nan
        found[metric] = SimpleNamespace(**values, **dict.fromkeys(SUMS, nothing), coreference=a, non_coreference=b)
    if {"muc", "bcub", "ceafe"} <= set(counts):
        found["conll"] = SimpleNamespace(f1=(found["muc"].f1 + found["bcub"].f1 + found["ceafe"].f1) / 3)
    return found


class BatchScores:
    """Looks like `arraycoref.BatchScores` as far as reports go."""

    def __init__(self, names, counts, profile="paper", beta=1.0):
        self.names = tuple(names)
        sums = {metric: np.asarray(rows, dtype=float) for metric, rows in counts.items()}
        groups = [rows.reshape(len(rows), rows.shape[1] // 4, 4) for rows in sums.values()]
        self.counts = Counts(self.names, tuple(sums), np.concatenate(groups, axis=1))
        self.signature = Signature("9.9", profile, "error", "error", "error", "keep", beta)
        self.total = _scores({metric: rows.sum(axis=0) for metric, rows in sums.items()}, profile, beta)
        self.documents = _scores(sums, profile, beta)
        self.metrics = tuple(self.total)
        self.macro = {metric: _mean(score) for metric, score in self.documents.items()}

    def __len__(self):
        return len(self.names)

    def __getitem__(self, metric):
        return self.total[metric]


def render(b, format="table", *, digits=2, **shown):
    """Write scores as text."""
    return ScoresReport(b, **shown).render(format, digits=digits)
