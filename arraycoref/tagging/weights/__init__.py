"""Weights of categories: by hand, from files, from query logs, from ambiguity, from parses."""

from __future__ import annotations

from arraycoref.tagging.weights.ambiguity import average_ambiguity
from arraycoref.tagging.weights.files import load_weights, render_weights, write_weights
from arraycoref.tagging.weights.parsing import Terminal, read_rules, rule_weights
from arraycoref.tagging.weights.presets import POLIQARP, PRESETS, poliqarp
from arraycoref.tagging.weights.queries import query_weights, read_queries
from arraycoref.tagging.weights.record import Weights
from arraycoref.tagging.weights.treebank import read_agreement

__all__ = [
    "POLIQARP",
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
