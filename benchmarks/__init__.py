"""Benchmarks: seeded data, kernels, start-up, peers side by side. Run them all by ``python -m benchmarks``."""
