"""Draw every figure of the documentation: ``python -m benchmarks.make_figures [FOLDER]``, by default docs/figures.

The documents are generated, and the figures of the tutorial come from running its code. If the folder named by
ARRAYCOREF_DATA has the ECB+ outputs, their figures are written to ``FOLDER/ecbplus``; do not commit them.
"""

from __future__ import annotations

import argparse
import runpy
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import arraycoref as ac
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats import bootstrap, compare, correlate
from arraycoref.stats.figures import (
    plot_correlation,
    plot_differences,
    plot_metrics,
    plot_parameter,
    plot_scores,
    save_figure,
)
from benchmarks.data import data_file, documents

N_DOCUMENTS, N_MENTIONS = 80, 40
METRICS = "muc,bcub,ceafm,ceafe,blanc,lea"


def system(seed: int, wrong: float) -> BatchScores:
    """Make up a system that moves a share of the mentions, ``wrong``, to random entities, and score it."""
    batch = documents(N_DOCUMENTS, N_MENTIONS, seed=0)
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, N_MENTIONS // 3, batch.n_mentions)
    response = np.where(rng.random(batch.n_mentions) < wrong, entity, batch.response)
    return ac.score_labels_batch(batch.key, response, batch.offsets)


def runs() -> dict[str, BatchScores]:
    """Score eight systems from good to poor."""
    return {f"system {chr(65 + s)}": system(s, 0.01 + 0.008 * s) for s in range(8)}


def sweep() -> dict[str, np.ndarray]:
    """Score responses in which all entities with ids from a threshold on are merged into one.

    Returns:
        The thresholds as ``values``; by metric, for each threshold F1 and the lower and upper end of its interval.
    """
    batch = documents(N_DOCUMENTS, N_MENTIONS, seed=0)
    thresholds = np.arange(1, 14)
    found: dict[str, list[list[float]]] = {"MUC": [], "B³": [], "BLANC": []}
    for threshold in thresholds:
        response = np.where(batch.response >= 0, np.minimum(batch.response, threshold), -1)
        intervals = bootstrap(ac.score_labels_batch(batch.key, response, batch.offsets), resamples=2000)
        for name, metric in zip(found, ("muc", "bcub", "blanc"), strict=True):
            f1 = intervals[metric].f1
            found[name].append([f1.estimate, f1.low, f1.high])
    return {"values": thresholds, **{name: np.array(rows) for name, rows in found.items()}}


def epochs() -> ac.sweeps.Sweep:
    """Make up two systems that become better over eight epochs, each with three seeds, and score every output."""
    batch = documents(N_DOCUMENTS, N_MENTIONS, seed=0)
    settings = ac.sweeps.grid({"system": ["large", "small"], "epoch": range(1, 9), "seed": range(3)})

    def outputs() -> Iterator[np.ndarray]:
        for setting in settings:
            rng = np.random.default_rng(
                [len(setting["system"]), ord(setting["system"][0]), *list(setting.values())[1:]]
            )
            left = 0.2 if setting["system"] == "small" else 0.1
            wrong = rng.random(batch.n_mentions) < left + 0.5 / setting["epoch"] + 0.05 * rng.random()
            yield np.where(wrong, rng.integers(0, N_MENTIONS // 3, batch.n_mentions), batch.key)

    return ac.sweep(batch.key, outputs(), batch.offsets, settings=settings)


def main(folder: str = "docs/figures") -> None:
    """Write the figures to a folder, as PNG and as SVG."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    systems = runs()
    a, b = systems["system A"], systems["system C"]
    swept = sweep()
    lines = {name: rows for name, rows in swept.items() if name != "values"}
    scores, low, high = ({name: rows[:, k] for name, rows in lines.items()} for k in range(3))
    correlation, learnt = correlate(systems, metrics=METRICS), epochs()
    figures = {
        "scores": plot_scores(compare(systems)),
        "baseline": plot_scores(compare(systems, baseline="system D")),
        "differences": plot_differences(a, b, names=("A", "C")),
        "parameter": plot_parameter(
            swept["values"], scores, low, high, parameter="entities kept apart", band="95% interval"
        ),
        "correlation": plot_correlation(correlation, against="blanc"),
        "metrics": plot_metrics(correlation, "muc", "blanc"),
        "epochs": learnt.plot("conll", by="system", over="seed"),
    }
    for name, figure in figures.items():
        for suffix in ("png", "svg"):
            save_figure(figure, target / f"{name}.{suffix}")
    tutorial(target)
    key = data_file("ecbplus/key.conll")
    if key is not None:
        ecbplus(key, target / "ecbplus")


def tutorial(target: Path) -> None:
    """Run the tutorial, and keep the figures that it draws as ``tutorial_....png``."""
    docs = Path(__file__).parents[1] / "docs"
    pages = runpy.run_path(str(docs / "pages.py"))
    with tempfile.TemporaryDirectory() as folder:
        for block, printed in pages["run"](docs / "tutorial.md", folder):
            if not pages["same"](block.said, printed):
                print(f"tutorial.md:{block.line} prints something else; python docs/pages.py --write writes that")
        for path in Path(folder).glob("*.png"):
            shutil.copyfile(path, target / f"tutorial_{path.name}")


def ecbplus(key: Path, target: Path) -> None:
    """Draw Figure 1 of Luo et al. (2014), and print its Table 3, from the 24 ECB+ outputs."""
    target.mkdir(parents=True, exist_ok=True)
    paths = sorted(path for path in key.parent.glob("*.conll") if path != key)
    outputs = {path.stem: ac.score_files(str(key), str(path)) for path in paths}
    correlation = correlate(outputs, metrics=METRICS)
    save_figure(plot_correlation(correlation, against="blanc"), target / "figure1.png")
    print(f"Pearson's r (and p) of BLANC and other metrics over {len(outputs)} systems\n\n| metric | R | P | F1 |")
    print("|---|--:|--:|--:|")
    for metric in METRICS.split(","):
        if metric != "blanc":
            table = [correlation.against("blanc", field)[metric] for field in ("recall", "precision", "f1")]
            print(f"| {metric} |", " | ".join(f"{r:.3f} ({p:.1g})" for r, p in table), "|")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.make_figures", description=__doc__)
    parser.add_argument("folder", nargs="?", default="docs/figures")
    main(parser.parse_args().folder)
