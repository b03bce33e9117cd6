"""Make the table that papers on coreference print, of one key or several, and of systems with one run or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import UnknownNameError
from arraycoref.metrics.base import RATIOS
from arraycoref.options import Metrics, takes
from arraycoref.report.values import fields_of
from arraycoref.stats.blocks import Runs, blocks_of, fields_of_table, part_of, require_alike
from arraycoref.stats.columns import Asked, Tested, by_redraws, by_swaps, resampled_method
from arraycoref.stats.comparable import document_notes
from arraycoref.stats.multiple_tests import floor_note
from arraycoref.stats.options import STATISTICS, Settings, TableOptions
from arraycoref.stats.repeated import Repeated
from arraycoref.stats.score_table import MACRO, ScoreTable
from arraycoref.stats.table_layout import marked_fields

Floats = NDArray[np.float64]

METRICS = ("muc", "bcub", "ceafe", "conll")
SEEDS = ("mean", "pool")


@takes(TableOptions, known=STATISTICS)
def table(
    runs: Mapping[str, Runs] | Mapping[str, Mapping[str, Runs]],
    *,
    metrics: Metrics = METRICS,
    fields: str | Sequence[str] = RATIOS,
    seeds: str = "mean",
    intervals: bool = False,
    marks: bool = False,
    baseline: str | None = None,
    sort: bool = False,
    **options: Unpack[TableOptions],
) -> ScoreTable:
    r"""Lay out the scores of systems as papers print them: a row per system, metrics in groups of columns.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 1, 1, 1] * 5, offsets)
        >>> found = ac.table({"good": good, "poor": poor}, metrics="muc,bcub", fields="f1")
        >>> print(*str(found).splitlines()[:5], sep="\n")
                      MUC       B³
        system         F1       F1
        --------  -------  -------
        good      *100.00  *100.00
        poor        50.00    70.59

    Args:
        runs: scores of each system on the same D documents, by the systems' names. A sequence of them is one system's
            runs, by different seeds for instance. A mapping from names of keys to such mappings makes a block of rows
            for each key, and a last one of the means over them; each block has the same systems.
        metrics: groups of columns, in this order.
        fields: of ``recall``, ``precision`` and ``f1``, those to show.
        seeds: what is made of several runs of a system. ``mean``: the mean of their scores with its standard deviation,
            which says how runs differ. ``pool``: the score of their sums over documents, one number as of one large
            response. Intervals and marks are the same kind either way: runs are redrawn, then documents.
        intervals: show a confidence interval beside each F.
        marks: underline what is not significantly different from the best of its column.
        baseline: name of a system; a dagger marks what differs significantly from it.
        sort: put the systems of each block in the order of their last score, the best first.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: no system, no documents, a system or a run that a block lacks, different conventions, an option out
            of range.
        DocumentMismatchError: systems of a block scored on different documents.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    settings = Settings.of(options, TableOptions)
    if seeds not in SEEDS:
        raise UnknownNameError("seeds", seeds, SEEDS)
    blocks = blocks_of(runs)
    names = list(next(iter(blocks.values())))
    if baseline is not None and baseline not in names:
        raise UnknownNameError("baseline", baseline, names)
    parts = {name: part_of(name, block, metrics, seeds, settings) for name, block in blocks.items()}
    first = next(iter(parts.values()))
    require_alike(parts)
    wanted = fields_of_table(fields)
    columns = [
        (k, f)
        for k, metric in enumerate(first.metrics)
        for f in marked_fields(wanted)
        if RATIOS[f] in fields_of(metric)
    ]
    asked = Asked(
        intervals=intervals,
        best=columns if marks and len(names) > 1 else (),
        against=columns if baseline is not None and len(names) > 1 else (),
        reference=0 if baseline is None else names.index(baseline),
    )
    found = _scored(list(parts.values()), asked)
    shown = {name: np.stack([numbers[name] for numbers in found]) for name in found[0]}
    sizes = [len(part.first) for part in parts.values()]
    several = len(parts) > 1
    return settings.result(
        ScoreTable,
        systems=tuple(names),
        blocks=(*parts, MACRO) if several else tuple(parts),
        metrics=first.metrics,
        fields=wanted,
        n_runs=tuple(len(each) for each in first.runs.values()),
        n_documents=(*sizes, sum(sizes)) if several else tuple(sizes),
        seeds=seeds,
        sort=sort,
        baseline=baseline,
        method=settings.method if first.single else resampled_method(settings.method),
        signature=first.first.signature,
        notes=_notes(parts, asked),
        **shown,
    )


def _scored(parts: Sequence[Repeated], asked: Asked) -> list[dict[str, Floats]]:
    """Score and test each block, and the means over them if there are several."""
    found = []
    for part in parts:
        if part.single or not _needs_redraws(asked):
            tested = by_swaps(part, asked) if part.single else Tested.nothing(part.estimates().shape)
        else:
            drawn = part.redraws(part.settings.seed)
            tested = by_redraws(part.estimates(), drawn, part.metrics, asked, part.settings)
        found.append({"values": part.estimates(), "sd": _sd([part]), **vars(tested)})
    if len(parts) > 1:
        values = np.mean([numbers["values"] for numbers in found], axis=0)
        found.append({"values": values, "sd": _sd(parts), **vars(_tested_means(values, parts, asked))})
    return found


def _needs_redraws(asked: Asked) -> bool:
    return asked.intervals or bool(asked.best) or bool(asked.against)


def _tested_means(values: Floats, parts: Sequence[Repeated], asked: Asked) -> Tested:
    """Test means over blocks, each with documents of its own, and the same runs in all."""
    settings = parts[0].settings
    if not _needs_redraws(asked):
        return Tested.nothing(values.shape)
    seeds = np.random.SeedSequence(settings.seed).generate_state(len(parts), np.uint64).tolist()
    drawn = np.mean([part.redraws(seed) for part, seed in zip(parts, seeds, strict=True)], axis=0)
    return by_redraws(values, drawn, parts[0].metrics, asked, settings)


def _sd(parts: Sequence[Repeated]) -> Floats:
    """Standard deviation over the runs of each system, of means over blocks: float64 (S, K, 3), nan of one run."""
    by_block = [part.scores() for part in parts]
    found = np.full((len(by_block[0]), *by_block[0][0].shape[1:]), np.nan)
    if not parts[0].pooled:
        for s, blocks in enumerate(zip(*by_block, strict=True)):
            if len(blocks[0]) > 1:
                found[s] = np.mean(blocks, axis=0).std(axis=0, ddof=1)
    return found


def _notes(parts: Mapping[str, Repeated], asked: Asked) -> tuple[str, ...]:
    """Say what makes intervals and tests weak, if there are any."""
    if not _needs_redraws(asked):
        return ()
    notes = [f"{name}: {note}" if name else note for name, part in parts.items() for note in document_notes(part.first)]
    first = next(iter(parts.values()))
    settings, n_tests = first.settings, len(first.runs) - 1
    floor = floor_note(settings.correction, 1.0 / (1.0 + settings.n_resamples), n_tests, settings.alpha)
    return (*notes, floor) if asked.against and floor else tuple(notes)
