"""Weights of categories: by hand, from files, from query logs, from ambiguity, from parses."""

from __future__ import annotations

from arraycoref.tagging.weights.counted import (
    Terminal,
    average_ambiguity,
    query_weights,
    read_agreement,
    read_queries,
    read_rules,
    rule_weights,
)
from arraycoref.tagging.weights.record import PRESETS, Weights, load_weights, poliqarp, render_weights, write_weights

__all__ = [
    "PRESETS",
    "Terminal",
    "Weights",
    "average_ambiguity",
    "load_weights",
    "poliqarp",
    "query_weights",
    "read_agreement",
    "read_queries",
    "read_rules",
    "render_weights",
    "rule_weights",
    "write_weights",
]
