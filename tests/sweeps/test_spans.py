"""Runs of a sweep of files count as each by itself; documents that a run lacks are nan."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import arraycoref as ac
from arraycoref.api import score_clusterings
from arraycoref.files import encode_documents
from arraycoref.options import PolicyOptions, resolve_policies
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, resolve_metrics
from arraycoref.sweeps.counting import count_block
from arraycoref.sweeps.files import FileKey
from strategies import as_documents as side, examples

NAMES = "mentions,muc,bcub,ceafm,ceafe,blanc,lea,pairwise,ceaf-phi1,ceaf-phi2,bcub-0,bcub-all,bcub-sys,ceafm-sys"
METRICS = counted_metrics(resolve_metrics(NAMES))
QUIET = {"report": print}  # sides without mentions, of which users are warned


def sums(key, response, policies):
    """Count one run as `arraycoref.sweep_files` does."""
    drop = policies.singletons == "drop"
    rows = count_block(key.lay("run", response), key, METRICS, drop_singletons=drop)
    return Counts(key.names, tuple(metric.name for metric in METRICS), rows[0])


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(3, 5), st.integers(0, 4)), max_size=12)
DOCUMENTS = st.lists(ROWS, max_size=4)


@examples(2)
@given(DOCUMENTS, st.data())
def test_as_scored_alone(rows, data):
    """Repeated mentions, spurious ones, documents on one side, in any order; every policy."""
    key = {f"d{d}": occurrences for d, occurrences in enumerate(rows)}
    names = data.draw(
        st.permutations([*key, "other"]).flatmap(lambda names: st.integers(0, len(names)).map(lambda n: names[:n]))
    )
    response = side({name: data.draw(ROWS) for name in names})
    policies = resolve_policies(
        {
            "duplicates": data.draw(st.sampled_from(["first", "last", "drop"])),
            "missing_documents": data.draw(st.sampled_from(["empty", "skip"])),
            "extra_documents": "ignore",
            "singletons": data.draw(st.sampled_from(["keep", "drop"])),
        },
        PolicyOptions,
    )
    assume(policies.missing_documents == "empty" or not key or set(key) & set(names))
    expected = score_clusterings(
        encode_documents(side(key), response, policies, print),
        policies,
        {"metrics": [metric.name for metric in METRICS]},
    )
    found = sums(FileKey(side(key), policies, QUIET), response, policies)
    skipped = np.isnan(found["muc"][:, 0])
    assert [name for name, gone in zip(key, skipped, strict=True) if not gone] == list(expected.names)
    for metric, counts in expected.counts.items():
        np.testing.assert_array_equal(found[metric][~skipped], counts, err_msg=metric)
        assert np.isnan(found[metric][skipped]).all()


def test_large_documents():
    """Many spurious mentions, and a document without any."""
    rng = np.random.default_rng(0)

    def some(n):
        spans = rng.choice(100_000, n, replace=False)
        return [
            (int(s) // 300, int(s) // 300 + int(s) % 300, int(e))
            for s, e in zip(spans, rng.integers(0, n // 3, n), strict=True)
        ]

    key = {f"d{d}": some(n) for d, n in enumerate((1000, 3, 0, 400))}
    response = {name: key[name][: n // 2] + some(n) for name, n in zip(key, (700, 5, 4, 300), strict=True)}
    policies = resolve_policies({"duplicates": "first"}, PolicyOptions)
    expected = score_clusterings(encode_documents(side(key), side(response), policies), policies, {})
    found = sums(FileKey(side(key), policies, QUIET), side(response), policies)
    for metric, counts in expected.counts.items():
        np.testing.assert_array_equal(found[metric], counts, err_msg=metric)


def test_errors_name_the_place():
    policies = resolve_policies({})
    twice = FileKey(side({"a": [(0, 3, 0), (0, 3, 1)]}), policies, QUIET)
    with pytest.raises(ac.DuplicateMentionError, match=r"file:1: document 'a': the mention of tokens 0-3"):
        twice.lay("run", side({"a": []}))
    key = FileKey(side({"a": [(0, 3, 0)], "b": []}), policies, QUIET)
    with pytest.raises(ac.DuplicateMentionError, match=r"file:2: document 'a': the mention of tokens 1-3"):
        key.lay(7, side({"b": [(1, 3, 0)], "a": [(1, 3, 0), (1, 3, 0)]}))
    with pytest.raises(ac.DocumentMismatchError, match="run 7: the key lacks 1 of 3"):
        key.lay(7, side({"b": [], "a": [], "c": []}))


def test_a_key_of_other_spans_is_another_key():
    policies = resolve_policies({})
    first, second, again = (FileKey(side({"a": [(0, end, 0)]}), policies, QUIET).digest for end in (3, 4, 3))
    assert first == again != second
