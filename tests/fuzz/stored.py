"""Targets: compressed files, and sweeps kept on disk."""

from __future__ import annotations

import io
import zipfile

import numpy as np

from arraycoref.errors import ArraycorefError
from arraycoref.runtime import COMPRESSIONS, load, open_compressed
from arraycoref.sweeps import load_sweep
from fuzz.promises import attempt, check_place, file, folder

LIMIT = 1 << 18  # bytes


def target_compressed(data: bytes) -> None:
    """The first byte chooses the suffix; the rest is what a file of it holds, and what a good one is made of."""
    suffix = list(COMPRESSIONS)[(data[0] if data else 0) % len(COMPRESSIONS)]
    path = file(f"x{suffix}", data[1:])
    content, error = attempt(lambda: load(path, LIMIT))
    check_place(error, b"", path)
    if content is not None:
        assert len(content) <= LIMIT
    packed = io.BytesIO()
    with open_compressed(packed, suffix, "wb") as stream:
        stream.write(data[1:])
    path = file(f"x{suffix}", packed.getvalue())
    assert load(path, len(data) + 1) == data[1:]
    if len(data) > 2:
        assert "more than" in str(attempt(lambda: load(path, len(data) - 2))[1])


def target_checkpoint(data: bytes) -> None:
    """A sweep on disk: its JSON and its array, parted by a line ``%%``; or the bytes of the file as they are."""
    about, parted, sums = data.partition(b"\n%%\n")
    if parted:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            text = io.BytesIO()
            np.save(text, np.array(about.decode("utf-8", "replace")))
            archive.writestr("about.npy", text.getvalue())
            archive.writestr("sums.npy", sums)
        data = packed.getvalue()
    path = file("x.npz", data)
    try:
        sweep, error = attempt(lambda: load_sweep(path))
    except OSError as refused:
        error, sweep = ArraycorefError(str(refused)), None
    else:
        check_place(error, b"", path)
    if sweep is not None:
        again = str(folder() / "again.npz")
        sweep.save(again)
        assert np.array_equal(load_sweep(again).counts.rows, sweep.counts.rows, equal_nan=True)
