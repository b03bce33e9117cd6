"""Matching: every occurrence lands on the union index of its document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from arraycoref.errors import InputError
from arraycoref.match import mentions as module
from arraycoref.match.mentions import match
from arraycoref.read.documents import Documents
from strategies import as_documents

SPANS = st.tuples(st.sampled_from([0, 1, 2, 3, 7, 2**16, 2**30, 2**31 - 2]), st.integers(0, 3))
SIDE = st.lists(st.lists(SPANS, max_size=12), min_size=3, max_size=3)


def side(spans: list[list[tuple[int, int]]]) -> Documents:
    return as_documents(
        {
            str(d): [(start, min(start + length, 2**31 - 2), 0) for start, length in mentions]
            for d, mentions in enumerate(spans)
        }
    )


@settings(max_examples=200, deadline=None)
@given(SIDE, SIDE, st.sampled_from([65536, 99991, 2**31 - 2]))
def test_match(key_spans, response_spans, seed):
    module.LABEL_SEED = seed
    key, response = side(key_spans), side(response_spans)
    found = match(key, response)
    index: dict[tuple[int, int, int], int] = {}
    for d in range(3):
        for documents, mention in ((key, found.key_mention), (response, found.response_mention)):
            for m in range(documents.offsets[d], documents.offsets[d + 1]):
                span = (d, int(documents.start[m]), int(documents.end[m]))
                assert mention[m] == index.setdefault(span, len(index))
        assert found.offsets[d + 1] == len(index)
    assert found.offsets[0] == 0


def test_many_mentions():
    """90,000 spans in rows and squares, numbered alike on both sides; `hardening.test_collisions` counts steps."""
    spans = [(start, length) for start in range(300) for length in range(300)]
    found = match(side([spans, []]), side([spans[::-1], spans[:5]]))
    assert found.offsets.tolist() == [0, 90000, 90005]
    assert (found.key_mention == found.response_mention[:90000][::-1]).all()


def test_layouts_of_arrays():
    """Slices, other dtypes and read-only arrays match alike."""
    key = side([[(0, 1), (2, 1)]])
    changed = {"start": np.array([0, 9, 2, 9])[::2], "end": np.array([1, 3]), "offsets": np.array([0, 2], np.int32)}
    odd = Documents(**{**vars(key), **changed})
    odd.end.flags.writeable = False
    assert match(key, odd).response_mention.tolist() == [0, 1]


def test_no_documents():
    assert match(side([]), side([])).offsets.tolist() == [0]
    with pytest.raises(InputError, match="key holds 1 documents and response 0"):
        match(side([[]]), side([]))
