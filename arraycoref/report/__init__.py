"""Results as text, JSON, dictionaries and tables; the formats of ``arraycoref score --format`` stand in `FORMATS`."""

from __future__ import annotations

from arraycoref.report.dicts import to_dict
from arraycoref.report.formats import FORMATS, render
from arraycoref.report.frames import to_frame
from arraycoref.report.signature import Signature
from arraycoref.report.text import render_repr

__all__ = ["FORMATS", "Signature", "render", "render_repr", "to_dict", "to_frame"]
