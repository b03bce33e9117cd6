"""A sweep as text: its settings from the best to the worst, and which of them cannot be told from the best."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

from arraycoref.errors import UnknownNameError
from arraycoref.report.cells import Cells
from arraycoref.report.percent import f_name, formatter

if TYPE_CHECKING:
    from arraycoref.sweeps.best import Best
    from arraycoref.sweeps.result import Sweep

STYLES = {"table": "simple", "markdown": "pipe", "latex": "latex_booktabs"}
FORMATS = ("table", "json", "csv", "markdown", "latex")


def render_sweep(sweep: Sweep, best: Best, format: str = "table", *, top: int | None = None, digits: int = 2) -> str:
    """Write the settings in the order of their rank.

    Args:
        sweep: S settings.
        best: of them, by the score that ranks.
        format: one of `FORMATS`. Percentages for reading; fractions 0-1 at full precision in json and csv.
        top: how many settings to tell; None for all.
        digits: decimals of the percentages.

    Returns:
        Text that ends with a newline. A setting marked ``=`` cannot be told from the best, which ``*`` marks.

    Raises:
        UnknownNameError: there is no such format.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    order = sweep.order(best.metric, best.measure).tolist()[:top]
    if format == "json":
        return json.dumps(_as_dict(sweep, best, order), indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return _as_csv(sweep, best, order)
    cells = _cells(sweep, best, order, digits)
    if format == "markdown":
        cells = Cells(cells.headers, [[cell.replace("|", r"\|") for cell in row] for row in cells.rows])
    text = cells.tabulate(STYLES[format])
    if format == "table":
        lines = "\n".join(line.rstrip() for line in text.split("\n"))
        return f"{lines}\n\n{_caption(sweep, best, digits)}\n{sweep.signature}\n"
    if format == "markdown":
        return f"{text}\n\n{_caption(sweep, best, digits)}, `{sweep.signature}`\n"
    return f"% {_caption(sweep, best, digits)}\n% {sweep.signature}\n{text}\n"


def _cells(sweep: Sweep, best: Best, order: list[int], digits: int) -> Cells:
    """One row a setting: its parameters, the F of every metric, the mark."""
    percent = formatter(sweep.signature, digits)
    parameters = sweep.parameters
    name = f_name(sweep.signature.beta) if best.measure == "f1" else best.measure
    headers = [*parameters, *sweep.metrics, ""]
    headers[0] = f"{headers[0]} ({name})"
    scores = [sweep.score(metric, best.measure) for metric in sweep.metrics]
    rows = [
        [
            *(str(values[position]) for values in parameters.values()),
            *(percent(float(values[position])) for values in scores),
            _mark(best, position),
        ]
        for position in order
    ]
    return Cells(headers, rows)


def _mark(best: Best, position: int) -> str:
    if position == best.position:
        return "*"
    return "=" if position in best.positions else ""


def _caption(sweep: Sweep, best: Best, digits: int) -> str:
    s = best.score
    interval = "" if math.isnan(s.low) else f" [{100 * s.low:.{digits}f}, {100 * s.high:.{digits}f}]"
    return (
        f"{len(sweep)} settings, {sweep.n_documents} documents, in percent; * best by {best.metric} {best.measure}: "
        f"{100 * s.estimate:.{digits}f}{interval}, = not told from it: {len(best.rivals)}"
        + "".join(f"; {note}" for note in best.notes)
    )


def _as_dict(sweep: Sweep, best: Best, order: list[int]) -> dict[str, Any]:
    table = sweep.columns()
    n_parameters = len(sweep.parameters)
    rows = []
    for position in order:
        values = {name: _plain(column[position]) for name, column in table.items()}
        split = list(values.items())
        rows.append(
            {
                "setting": dict(split[:n_parameters]),
                "scores": dict(split[n_parameters:]),
                "pvalue": _plain(best.pvalues[position]),
                "rival": position in best.positions,
            }
        )
    interval = {"estimate": best.score.estimate, "low": _plain(best.score.low), "high": _plain(best.score.high)}
    return {
        "signature": sweep.signature.as_dict(),
        "n_settings": len(sweep),
        "n_documents": sweep.n_documents,
        "best": {
            "metric": best.metric,
            "measure": best.measure,
            "confidence": best.confidence,
            "seed": best.seed,
            "n_resamples": best.n_resamples,
            "score": interval,
            "setting": rows[0]["setting"],
            "notes": list(best.notes),
        },
        "settings": rows,
    }


def _as_csv(sweep: Sweep, best: Best, order: list[int]) -> str:
    table = sweep.columns()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*table, "pvalue", "rival"))
    for position in order:
        row = [_plain(column[position]) for column in (*table.values(), best.pvalues)]
        writer.writerow(["" if value is None else value for value in (*row, int(position in best.positions))])
    return text.getvalue()


def _plain(value: Any) -> Any:
    """Return a plain value, None for NaN and infinities, which JSON has not."""
    item = value.item() if hasattr(value, "item") else value
    return None if isinstance(item, float) and not math.isfinite(item) else item
