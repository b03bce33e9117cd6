"""Results as text, JSON, dictionaries and tables; the formats of ``arraycoref score --format`` stand in `FORMATS`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from arraycoref.options import Signature

if TYPE_CHECKING:
    from arraycoref.report.dicts import to_dict
    from arraycoref.report.formats import FORMATS, render
    from arraycoref.report.frames import to_frame
    from arraycoref.report.text import render_repr

_LAZY = {"FORMATS": "formats", "render": "formats", "render_repr": "text", "to_dict": "dicts", "to_frame": "frames"}

__all__ = ["FORMATS", "Signature", "render", "render_repr", "to_dict", "to_frame"]


def __getattr__(name: str) -> object:
    """Import a renderer when it is asked for: scoring needs the signature only."""
    if name in _LAZY:
        return getattr(import_module(f"arraycoref.report.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'arraycoref.report' has no attribute {name!r}")
