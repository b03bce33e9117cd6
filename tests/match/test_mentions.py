"""The union index of mentions: numbers, labels and policies as a reference in plain dicts has them."""

import re
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.exceptions import DuplicateMentionError, InputError
from arraycoref.match.mentions import Occurrences, match_exactly, number_mentions
from arraycoref.options.policies import Policies
from strategies import as_documents, examples

CODES = st.sampled_from([0, 1, 2, 2**40, -5]), st.sampled_from([7 << 32 | 9, 2**62, -(2**63), 2**63 - 1, 0])
ROW = st.tuples(st.integers(0, 4), CODES[0], st.integers(-1, 3))
FAR = st.tuples(st.integers(0, 4), CODES[1], st.integers(-1, 3))  # too far apart to be sorted as one number
POLICY = st.sampled_from(["both", "first", "last", "drop"])


def reference(sides, policy, n_documents):
    """Label mentions of rows (document, code, entity), where `first` and `last` mean the order of the rows."""
    labels, offsets = ([], []), [0]
    for d in range(n_documents):
        index = {}
        own = [[(code, entity) for document, code, entity in side if document == d and entity >= 0] for side in sides]
        for code, _ in own[0] + own[1]:
            index.setdefault(code, len(index))
        for found, rows in zip(labels, own, strict=True):
            here = [-1] * len(index)
            for code, number in index.items():
                entities = [entity for each, entity in rows if each == code]
                if entities and (len(entities) == 1 or policy != "drop"):
                    here[number] = entities[0 if policy == "first" else -1]
            found.extend(here)
        offsets.append(offsets[-1] + len(index))
    return [*labels, offsets]


@examples()
@given(*[st.one_of(*[st.lists(row, max_size=20) for row in (ROW, FAR)])] * 2, POLICY)
def test_rows_of_tables(engine, key, response, policy):
    sides = [
        Occurrences.of_rows(*np.array(side, np.int64).reshape(-1, 3).T, 4)  # document 4 is left out
        for side in (key, response)
    ]
    found = number_mentions(*sides, Policies(duplicates=policy), str)
    assert [each.tolist() for each in found[:3]] == reference((key, response), policy, 4)


@examples()
@given(st.lists(ROW, max_size=20), st.lists(ROW, max_size=20))
def test_the_first_repeated_mention(engine, key, response):
    """By document, then side, then row; the message has the first row of the mention too."""
    rows = [
        [row for row in sorted(side, key=lambda row: row[0]) if row[2] >= 0 and row[0] < 4] for side in (key, response)
    ]
    faults = [
        (row[0], side, n, [each[:2] for each in rows[side]].index(row[:2]))
        for side in (0, 1)
        for n, row in enumerate(rows[side])
        if row[:2] in [each[:2] for each in rows[side][:n]]
    ]
    sides = [Occurrences.of_rows(*np.array(side, np.int64).reshape(-1, 3).T, 4) for side in (key, response)]
    found = []
    with suppress(DuplicateMentionError):
        number_mentions(*sides, Policies(), lambda *given: found.append(given))
    _, side, second, first = min(faults, default=(0, 0, 0, 0))
    assert found == ([(("key", "response")[side], first, second)] if faults else [])


def test_spans_of_files(engine):
    """`first` keeps the lowest entity, whatever the order of the mentions in the file."""
    key = as_documents({"a": [(0, 1, 1), (0, 1, 0), (2**31 - 2, 2**31 - 2, 1)], "b": []})
    response = as_documents({"a": [(0, 2, 0), (0, 1, 0)], "b": [(0, 1, 0)]})
    ours, theirs = match_exactly(key, response, "paper")
    found = number_mentions(ours, theirs, Policies(duplicates="first"), str)
    assert [each.tolist() for each in found[:3]] == [[0, 1, -1, -1], [0, -1, 0, 0], [0, 3, 4]]
    found = number_mentions(ours, theirs, Policies(duplicates="last"), str)
    assert found.key.tolist() == [1, 1, -1, -1]
    with pytest.raises(DuplicateMentionError, match=re.escape("('key', 0, 1); dup")):
        number_mentions(ours, theirs, Policies(), lambda *given: given)
    with pytest.raises(InputError, match="key holds 2 documents and response 0"):
        number_mentions(ours, match_exactly(key, as_documents({}), "paper")[1], Policies(), str)


@pytest.mark.parametrize("values", ["zaz", "bba"])
def test_repeated_values_of_tables_are_shown_as_written(values, tmp_path):
    """Values are numbered as the key has them, also where mentions are matched by their heads."""
    for name, side in (("key", "ab"), ("response", values)):
        rows = [f"x,{value},{number}" for number, value in enumerate(side)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["document,mention,entity", *rows]))
    files = tmp_path / "key.csv", tmp_path / "response.csv"
    for options in ({}, {"matching": "head", "heads": "first"}):
        with pytest.raises(DuplicateMentionError, match=f"the mention '{values[0]}' is in two entities"):
            ac.score_files(*files, columns="document,mention,entity", **options)
