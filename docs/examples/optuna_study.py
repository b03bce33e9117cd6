"""Tune two parameters of a mention-pair model, with Optuna, or with a plain loop where that is not installed.

The labels of each trial are kept, so that at the end all trials become one `Runs`, which gives the best trial by any
metric, its confidence interval, and the trials that do not differ significantly from it.
"""

from __future__ import annotations

import numpy as np

import arraycoref as ac
from arraycoref.scoring.antecedents import antecedent_labels
from arraycoref.stats.runs import Runs
from arraycoref.sweeps import sweep

N_DOCUMENTS, N_MENTIONS = 30, 25


def corpus(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return entities (M,), scores (D, L, L) of each mention with those before it, and document offsets."""
    rng = np.random.default_rng(seed)
    key = rng.integers(0, 7, (N_DOCUMENTS, N_MENTIONS))
    scores = 2.0 * (key[:, :, None] == key[:, None, :]) + rng.normal(size=(N_DOCUMENTS, N_MENTIONS, N_MENTIONS))
    scores[:, ~np.tri(N_MENTIONS, k=-1, dtype=bool)] = -np.inf
    return key.ravel(), scores, np.arange(0, key.size + 1, N_MENTIONS)


def predict(scores: np.ndarray, threshold: float, nearness: float) -> np.ndarray:
    """Link each mention to its best antecedent, if it reaches the threshold; distance lowers an antecedent's score."""
    distance = np.abs(np.subtract.outer(np.arange(N_MENTIONS), np.arange(N_MENTIONS)))
    near = scores - nearness * distance
    antecedents = np.where(near.max(axis=2) >= threshold, near.argmax(axis=2), -1)
    return antecedent_labels(antecedents.ravel(), np.arange(0, antecedents.size + 1, N_MENTIONS))


def main(n_trials: int = 25) -> Runs:
    """Run the trials, and return all of them as one sweep."""
    key, scores, offsets = corpus()
    outputs: list[tuple[dict[str, float], np.ndarray]] = []

    def objective(threshold: float, nearness: float) -> float:
        labels = predict(scores, threshold, nearness)
        outputs.append(({"threshold": threshold, "nearness": nearness}, labels))
        return ac.score_labels_batch(key, labels, offsets, metrics="conll").conll

    try:
        import optuna
    except ImportError:
        rng = np.random.default_rng(0)
        for _ in range(n_trials):
            objective(rng.uniform(-1, 3), rng.uniform(0, 0.3))
    else:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
        study.optimize(
            lambda trial: objective(trial.suggest_float("threshold", -1, 3), trial.suggest_float("nearness", 0, 0.3)),
            n_trials=n_trials,
        )
    return sweep(key, outputs, offsets)


if __name__ == "__main__":
    trials = main()
    print(trials.best("conll"))
    print(trials.to_frame().sort_values("conll_f1").tail())
