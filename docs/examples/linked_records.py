"""Write 500 records of 180 persons, and what a record linkage tool makes of them, as `docs/records.md` uses them.

``truth.csv`` has the person of each record, ``known.csv`` the records of 60 persons, ``pairs.parquet`` the scored pairs
that blocking left (in Splink's columns), ``clusters.csv`` clusters of the records, and ``records.csv`` the fields.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas


def main(folder: str = ".") -> None:
    """Write the five files into a folder."""
    rng = np.random.default_rng(7)
    person = rng.integers(0, 180, 500)
    ids = np.array([f"rec-{n}" for n in range(500)])
    left, right = np.triu_indices(500, 1)
    is_same = person[left] == person[right]
    kept = np.where(is_same, rng.random(left.size) < 0.85, rng.random(left.size) < 0.02)
    left, right, is_same = left[kept], right[kept], is_same[kept]
    probability = (1 / (1 + np.exp(-rng.normal(np.where(is_same, 3, -5), 2)))).round(3)
    merged = person // 2 * 2 + (rng.random(500) < 0.9) * (person % 2)
    first, last = rng.choice([*"ABCDE"], 180), rng.choice(["Lovelace", "Hopper", "Turing", "Liskov", "Knuth"], 180)
    typed = [name if rng.random() < 0.8 else name[:2] + name[3:] for name in last[person]]
    known = np.isin(person, rng.choice(180, 60, replace=False))
    tables = {
        "truth.csv": {"unique_id": ids, "cluster_id": person},
        "known.csv": {"unique_id": ids[known], "cluster_id": person[known]},
        "pairs.parquet": {"unique_id_l": ids[left], "unique_id_r": ids[right], "match_probability": probability},
        "clusters.csv": {"cluster_id": merged, "unique_id": ids},
        "records.csv": {"unique_id": ids, "first": first[person], "last": typed, "born": 1900 + person % 90},
    }
    for name, columns in tables.items():
        frame = pandas.DataFrame(columns)
        path = Path(folder) / name
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)


if __name__ == "__main__":
    main()
