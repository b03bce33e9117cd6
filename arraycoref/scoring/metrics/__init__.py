"""The metrics: a registry of them, their scores, and a page for each metric that computes counts from cells."""
