"""Search the parameters of a scikit-learn clusterer by coreference metrics.

The rows of ``X`` are mentions of one document, and ``y`` has their entities. The scorers also work for clusterers
without ``predict``: they fit a copy of the clusterer to the mentions that are scored.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.model_selection import GridSearchCV, cross_validate

from arraycoref.interop.sklearn import SCORERS


def mentions(n_entities: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors (M, 8) of mentions, scattered around the centers of their entities, and the entities (M,)."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(n_entities), 10))
    return rng.normal(size=(n_entities, 8))[y] * 3 + rng.normal(size=(y.size, 8)), y


def main() -> tuple[dict[str, float], dict[str, float]]:
    """Return the best parameters, and the means of some metrics over folds."""
    x, y = mentions()
    clusterer = AgglomerativeClustering(n_clusters=None, linkage="average")
    search = GridSearchCV(
        clusterer,
        {"distance_threshold": [1.0, 3.0, 6.0, 9.0, 12.0, 20.0]},
        scoring=dict(SCORERS),
        refit="conll",
        cv=3,
    )
    search.fit(x, y)

    chosen = clusterer.set_params(**search.best_params_)
    folds = cross_validate(chosen, x, y, cv=3, scoring={name: SCORERS[name] for name in ("muc", "bcub", "lea")})
    return search.best_params_, {name: float(folds[f"test_{name}"].mean()) for name in ("muc", "bcub", "lea")}


if __name__ == "__main__":
    print(*main(), sep="\n")
