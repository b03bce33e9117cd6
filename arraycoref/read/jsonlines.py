"""Read JSON of coreference: objects with the clusters of a document each, in any of the shapes that tools write."""

from __future__ import annotations

import re
from dataclasses import replace

from arraycoref.errors import OptionError, ReadError
from arraycoref.read.collected import Collected
from arraycoref.read.json_groups import GROUPS, openings_of
from arraycoref.read.json_values import Values
from arraycoref.read.parsed import Options, Parsed
from arraycoref.read.shapes import shape_of
from arraycoref.read.sources import Content

SMALL = 1 << 16
"""Bytes of a file that is read before compiled code is loaded."""


def read_jsonlines(data: Content, path: str, options: Options, small: int = SMALL) -> Parsed:
    """Read the documents of a file of JSON lines, or of other layouts of JSON.

    A faulty mention is dropped in lenient mode; any other fault drops the document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: `column` has no effect.
        small: a file of fewer bytes is read without compiled code; with the same result.

    Raises:
        ReadError: what `options.fault` raises.
        OptionError: fields that leave open what the numbers count, where the user does not say it.
    """
    values = Values(data)
    scan = None
    if len(data) >= small:
        from arraycoref.read.json_scanner import Scanner

        scan = Scanner(data)
    try:
        openings = (scan.openings(values) if scan else None) or openings_of(Values(data))
        shape = shape_of(openings, options.asked)
    except OptionError as error:
        raise ReadError(path, None, str(error)) from None
    wanted = (shape.predicted, shape.clusters) if options.side == "response" and shape.predicted else (shape.clusters,)
    if re.search(rf'"{re.escape(wanted[0])}"\s*:'.encode(), data):
        shape, wanted = replace(shape, clusters=wanted[0]), wanted[:1]
    collected = Collected(data, path, options, shape, wanted)
    group = GROUPS.get(shape.group)
    if scan is None or group is not None or not scan.set_up(shape, openings):
        collected.add_all(values if group is None else group(values, shape))
    else:
        while not values.over:
            scan.run(values, collected)
            if (each := values.next()) is not None:
                collected.add_all([each])
    return collected.parsed()
