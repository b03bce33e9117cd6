"""Benchmarks of scoring and reading, beside other scorers. ``python -m benchmarks`` runs those of the report."""
