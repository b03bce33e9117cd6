"""From labels to scores: cells, counts, metrics, results, and how they print."""
