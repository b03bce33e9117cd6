"""Write what a reader should know before trusting intervals and tests: of units, of resamples, of differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from arraycoref.display.tables import plural
from arraycoref.ragged import Bools
from arraycoref.scoring.contributions import OF_THIS_SIZE
from arraycoref.scoring.counts import macro_notes
from arraycoref.scoring.format import fields_of, is_count
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.scoring.signature import joint_notes
from arraycoref.stats.few_errors import ENOUGH, FEW, Ends, unit_ends
from arraycoref.stats.how import CORRECTIONS, LINEARIZED, How
from arraycoref.stats.one_clustering import COMPONENT, ENTITY, LABEL
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import DOCUMENT, GROUP, Sample

FEW_DOCUMENTS = 30
"""Number of documents below which a note warns: of 95 % intervals from 20 documents, only 90 % hold the true score
(docs/simulations.md)."""

LARGE_SHARE = 0.5
"""Fraction of the key above which a note warns that one document holds so much of it."""


NO_ERROR = {
    "no error": "the lower ends are what {} errors in that many would give",
    "no number": "the upper ends are {} errors",
}
"""What ends of one clustering without errors are: those of ratios, and those of numbers of errors."""

NO_INTERVAL = {
    "none": "no interval: fewer than two units are in each denominator",
    "undefined": "no interval: a denominator is 0",
}


def sample_notes(
    runs: RunScores,
    sample: Sample,
    units: Sequence[Sequence[Ends]] | None = None,
    how: How | None = None,
    *,
    is_difference: bool = False,
    pair: int | None = None,
) -> tuple[str, ...]:
    """Write notes on what was resampled, and where it means little; add those of the runs.

    Args:
        runs: the systems.
        sample: the units that were resampled.
        units: of each metric, what units of one clustering say about scores or differences; None for F of all systems,
            or for the difference of two.
        how: how intervals were made; None where none are printed.
        is_difference: whether ``units`` are of differences.
        pair: position of the field in which two systems were compared; None if two were not.
    """
    if sample.clustering is None:
        notes = _on_documents(runs, sample)
    else:
        if pair is not None:
            units = [[unit_ends(sample, 0, pair, 0, 1, 0.95)]]
        elif units is None:
            fields = [RATIOS.index(fields_of(metric)[-1]) for metric in sample.metrics]
            systems, places = range(len(sample)), [*enumerate(fields)]  # system by system, whose rows are kept
            of_systems = [[unit_ends(sample, k, f, s, None, 0.95) for k, f in places] for s in systems]
            units = list(zip(*of_systems, strict=True))
        numbered = enumerate(zip(sample.metrics, units, strict=True))
        shared = {metric: own for k, (metric, own) in numbered if own and sample.has_rows(k)}
        notes = _on_clustering(sample, shared)
        notes += _on_few_errors(sample, shared, how, is_difference) if how else []
    if sample.signature.average == "macro":
        zeros = [macro_notes(runs.counts.setting(s), runs.metrics, runs.signature) for s in range(len(runs))]
        notes += joint_notes(runs.names, zeros)
    return (*notes, *runs.joint_notes)


def _on_documents(runs: RunScores, sample: Sample) -> list[str]:
    """Write notes where documents, or groups of them, are few or one of them is large."""
    notes, units, n = [], sample.units, sample.n_units
    if units.kind == GROUP:
        notes.append(f"resampled: {units.describe(n)}, whose {runs.n_documents} documents are added up")
    if n == 1:
        what = "document" if units.kind == DOCUMENT else "group of documents"
        reason = f"; its entities cannot be resampled: {units.reason}" if units.reason else ""
        notes.append(
            f"one {what}: resampling documents says nothing about it, so intervals are undefined and no paired "
            f"test can find a difference{reason}"
        )
    elif n < FEW_DOCUMENTS:
        notes.append(
            f"only {units.describe(n)}: with fewer than {FEW_DOCUMENTS}, bootstrap intervals are too narrow, and the "
            "bootstrap test rejects too often"
        )
    counts = runs.counts.setting(0)
    metric = next((name for name in ("mentions", "bcub", "ceafm") if name in counts), next(iter(counts)))
    weight = np.atleast_2d(counts[metric].T[1])[-1]  # BLANC: its group of mentions
    names = [f"document {name!r}" for name in runs.written_names]
    if units.groups:
        weight = np.array([weight[list(documents)].sum() for documents in units.groups])
        names = [f"the group of {names[documents[0]]}" for documents in units.groups]
    if sample.signature.average == "micro" and n > 1 and weight.sum() > 0 and weight.max() > LARGE_SHARE * weight.sum():
        largest = int(np.argmax(weight))
        notes.append(
            f"{names[largest]} holds {weight[largest] / weight.sum():.0%} of the key: it decides most of the "
            "corpus scores, their intervals and tests; macro averages give each document the same weight"
        )
    return notes


def undefined_notes(sample: Sample, lost: Mapping[str, Bools]) -> tuple[str, ...]:
    """Write notes on metrics by which of recall, precision and F, bool (3,), are 0 / 0 in every document."""
    by_fields: dict[str, list[str]] = {}
    for metric, fields in lost.items() if sample.clustering is None and sample.n_units > 1 else ():
        names = [name.replace("f1", "F") for name in fields_of(metric) if fields[RATIOS.index(name)]]
        by_fields.setdefault(", ".join(names), []).append(metric)
    why = "0 / 0 in every document"
    return tuple(f"{', '.join(metrics)}: no interval of {of}: {why}" for of, metrics in by_fields.items() if of)


def certain_notes(sample: Sample, lost: Mapping[str, Bools], confidence: float) -> tuple[str, ...]:
    """Write a note on F that is the same for all draws of documents, so that its interval has no width."""
    if sample.clustering is not None or sample.n_units < 2:
        return ()
    drawn, noun = sample.leave_one_out(), sample.units.noun
    places = [RATIOS.index(fields_of(metric)[-1]) for metric in sample.metrics]
    spans = [np.ptp(drawn[k, place], axis=-1) for k, place in enumerate(places)]
    same = [m for m, span in zip(sample.metrics, spans, strict=True) if (span == 0.0).all() and not lost[m][-1]]
    share = 1.0 - (1.0 - confidence) ** (1.0 / sample.n_units)
    most = f"up to {share:.1%} of all may differ ({confidence:.0%} confidence)"
    return (f"{', '.join(same)}: no {noun} differs from others, so intervals have no width; {most}",) if same else ()


def _on_clustering(sample: Sample, shared: Mapping[str, Sequence[Ends]]) -> list[str]:
    """Write notes on the units of one clustering: their number, and what they say nothing about."""
    moving = {metric: [one.spread for one in found if one.spread.effective > 0] for metric, found in shared.items()}
    moving = {metric: found for metric, found in moving.items() if found}
    units, n = sample.units, sample.n_units
    effective = [one.effective for found in moving.values() for one in found]
    stretched = [one.design_effect for found in moving.values() for one in found]
    line = f"resampled: {units.describe(n)} of one clustering"
    if effective and units.kind == ENTITY:
        line += f", some of which share errors (design effect {range_text(stretched, 1)})"
    notes = [line + (f"; effective number of units {range_text(effective, 0)}" if effective else "")]
    if units.kind in (ENTITY, COMPONENT):
        notes.append(
            "intervals and tests are about other entities of this source, not about other texts. If errors come in "
            "groups (blocks, sources), name the groups with resample_by"
        )
    if units.kind == LABEL and n < FEW_DOCUMENTS:
        notes.append(f"only {units.describe(n)}: intervals from so few are too narrow")
    if sized := [metric for metric in moving if metric in OF_THIS_SIZE]:
        notes.append(f"{', '.join(sized)}: the interval is for clusterings of this size")
    if whole := [metric for k, metric in enumerate(sample.metrics) if not sample.has_rows(k)]:
        why = "no interval or test for a single clustering: this score is not a sum over mentions"
        notes.append(f"{', '.join(whole)}: {why}")
    return notes


def _on_few_errors(sample: Sample, shared: Mapping[str, Sequence[Ends]], how: How, is_difference: bool) -> list[str]:
    """Write notes on intervals of one clustering that rest on few errors, or on one unit."""
    of_kinds: dict[str, dict[str, Ends]] = {kind: {} for kind in ("some", *NO_ERROR, "large", *NO_INTERVAL, "drawn")}
    for metric, ends in shared.items():
        fewest, kind = ends[int(np.argmin([one.errors for one in ends]))], None
        if math.isnan(fewest.low):
            kind = "undefined" if math.isnan(fewest.largest) else "none"
        elif how.method != LINEARIZED:
            kind = "drawn" if fewest.errors < FEW else None
        elif fewest.errors == 0.0 and (is_difference or any(one.is_perfect for one in ends)):
            kind = "no number" if is_count(metric) else "no error"
        elif fewest.errors < ENOUGH:
            kind = "some"
        if kind:
            of_kinds[kind][metric] = fewest
        if fewest.largest > LARGE_SHARE and not math.isnan(fewest.low):
            of_kinds["large"][metric] = fewest
    notes, tail = [], (1.0 - how.confidence) / 2.0
    for kind, of_kind in ((kind, of_kind) for kind, of_kind in of_kinds.items() if of_kind):
        names, units = ", ".join(of_kind), [one.n_units for one in of_kind.values()]
        listed = list(dict.fromkeys(map(str, units)))
        if kind == "some":
            few = [f"{metric} {one.errors:.1f}" for metric, one in of_kind.items()]
            more = f", and {len(few) - 3} more" if len(few) > 3 else ""
            allows = "each end allows" if is_difference else "the lower end allows"
            notes.append(
                f"few errors ({', '.join(few[:3])} effective{more}): Clopper-Pearson type intervals; {allows} for "
                f"one more wrong unit of {' and '.join(listed[:3])}"
            )
        elif kind in NO_ERROR and is_difference:
            none = f"the systems differ in no unit: the ends allow for errors in {', '.join(listed)} others"
            notes.append(f"{names}: {none}")
        elif kind in NO_ERROR:
            would = [n * (1.0 - tail ** (1.0 / n)) for n in units] if kind == "no error" else [-math.log(tail)]
            says = NO_ERROR[kind].format(range_text(would, 1))
            notes.append(f"{names}: none of {', '.join(listed)} units has an error: {says}")
        elif kind == "large":
            held = range_text([100.0 * one.largest for one in of_kind.values()], 0)
            says = "the intervals say little about other such units"
            notes.append(f"{names}: one {sample.units.noun} holds {held}% of the denominators: {says}")
        else:
            notes.append(f"{names}: " + (NO_INTERVAL.get(kind) or f'few errors: use method="{LINEARIZED}"'))
    return notes


def range_text(values: Sequence[float], digits: int) -> str:
    """Write the least and the greatest of some numbers; one number if they are written alike."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high or math.isnan(min(values)) else f"{low} to {high}"


def few_notes(how: How) -> tuple[str, ...]:
    """Write a note if intervals end at the least and greatest of the resamples, or would end beyond them.

    >>> [few_notes(How(resamples=n, confidence=0.95, method="bca")) for n in (38, 39)]
    [('38 resamples: too few for the ends of a 95% interval; expected 39 or more',), ()]
    """
    least = math.ceil(2.0 / (1.0 - how.confidence) - 1e-9) - 1
    if how.method == LINEARIZED or how.resamples >= least:
        return ()
    few = f"{plural(how.resamples, 'resample')}: too few for the ends of a {how.level} interval"
    return (f"{few}; expected {least} or more",)


def differing_notes(
    sample: Sample, names: Sequence[str], pairs: Sequence[tuple[int, int]], test: str, alpha: float
) -> tuple[str, ...]:
    """Write notes on pairs that differ in no unit, or in too few for a test by swaps to reach ``alpha``."""
    notes = []
    for i, j in pairs:
        n, note = sample.differing((i, j)).size, ""
        if n == 0:
            note = f"the systems have the same counts, or scores where these are averaged, in every {sample.units.noun}"
        elif test == "randomization" and smallest_pvalue(n) > alpha:
            note = f"the systems differ in {sample.units.describe(n)} only: "
            note += f"approximate randomization cannot give a two-sided p below {smallest_pvalue(n):g}"
        if note:
            notes.append(f"{names[i]} and {names[j]}: {note}" if len(names) > 2 else note)
    return tuple(notes) if len(notes) <= 3 else (*notes[:3], f"and so for {len(notes) - 3} more pairs")


def smallest_pvalue(n_documents: int) -> float:
    """Return the smallest two-sided p-value of approximate randomization, by the number of documents that differ."""
    return 2.0 ** (1 - n_documents)


def exact_notes(sample: Sample, n: int, resamples: int) -> tuple[str, ...]:
    """Write a note if all ways to exchange the n units that differ are no more than the resamples: p is exact then."""
    if not sample.is_tested or not 0 < n < resamples.bit_length():
        return ()
    among = f"{sample.units.describe(n)} that differ{'s' * (n == 1)}"
    return (f"p-values are exact: all {2**n} swaps of the {among}",)


def floor_notes(correction: str, resamples: int, n_tests: int, alpha: float) -> tuple[str, ...]:
    """Write a note if the resamples or the correction let no difference, or none of few, be significant.

    >>> floor_notes("holm", 999, 105, 0.05)[0]
    'Holm: of 105 tests with p-values of 0.001 or more none can be significant; the correction maxt has no such bound'

    Args:
        correction: correction of the p-values; it matters for ``holm`` and ``bh`` only.
        resamples: number of resamples, which determines the smallest p-value that a test can give.
        n_tests: number of tests.
        alpha: level of significance.
    """
    smallest = 1.0 / (1.0 + resamples)
    if n_tests and smallest > alpha:
        found = f"{plural(resamples, 'resample')}, from which no p-value is below {smallest:.2g}"
        return (f"{found}, and none can be significant; expected {math.ceil(1.0 / alpha) - 1} or more",)
    if correction not in ("holm", "bh") or not smallest <= alpha < smallest * n_tests:
        return ()
    least = math.ceil(smallest * n_tests / alpha)
    none = "none can be" if correction == "holm" else f"fewer than {least} cannot be"
    bound = f"{n_tests} tests with p-values of {smallest:.2g} or more {none} significant"
    return (f"{CORRECTIONS[correction]}: of {bound}; the correction maxt has no such bound",)
