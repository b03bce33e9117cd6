"""A sweep counts what the scorer counts for each setting by itself, however its responses come."""

import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from alike import alike
from arraycoref.scoring.metrics.registry import METRIC_NAMES, METRICS
from arraycoref.sweeps import grid, sweep
from strategies import documents, examples, label_documents, relabeled

ALL = [name for name in METRIC_NAMES if not METRICS[name].gold_mentions]


def data(n_settings=7, sizes=(50, 0, 70, 1, 179), seed=0):
    rng = np.random.default_rng(seed)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return rng.integers(-1, 9, offsets[-1]), rng.integers(-1, 9, (n_settings, offsets[-1])), offsets


def same(found, batch):
    assert found.metrics == batch.metrics
    for metric, counts in batch.counts.items():
        np.testing.assert_array_equal(found.counts[metric], counts, err_msg=metric)


@examples()
@given(st.data())
def test_any_labels(engine, data):
    """Scattered 64-bit labels, absent mentions, empty documents."""
    key, _ = data.draw(label_documents())
    sides = [data.draw(st.lists(st.integers(-1, 5), min_size=len(key), max_size=len(key))) for _ in range(3)]
    responses = np.array([data.draw(relabeled(side)) for side in sides], np.int64).reshape(3, len(key))
    offsets = [0, data.draw(st.integers(0, len(key))), len(key)]
    options = {"metrics": ALL, "beta": 2.0, "singletons": data.draw(st.sampled_from(["keep", "drop"]))}
    options["profile"] = data.draw(st.sampled_from(["paper", "conll"]))
    found = sweep(np.array(key, np.int64), responses, offsets, **options)
    for labels, batch in zip(responses, found.values(), strict=True):
        assert alike(batch, ac.score_labels_batch(np.array(key, np.int64), labels, offsets, **options))
    for metric in found.metrics:
        np.testing.assert_array_equal(found[metric].f1, [batch[metric].f1 for batch in found.values()])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_numbers_do_not_depend_on_threads_and_blocks(engine, threads):
    """Three settings of so many labels make a block; each has the sums that it has alone."""
    key, responses, offsets = data(7, sizes=(50, 0, 70, 1, 150_000))
    alone = [sweep(key, labels[np.newaxis], offsets, metrics="muc,ceafe").counts.rows for labels in responses]
    options = {"metrics": "muc,ceafe", "threads": threads}
    for given_as in (responses, iter(responses)):
        np.testing.assert_array_equal(sweep(key, given_as, offsets, **options).counts.rows, np.concatenate(alone))


@pytest.mark.parametrize("dtype", ["int8", "uint16", ">i8", "uint64"])
def test_arrays_of_any_dtype_and_stride(dtype):
    key, responses, offsets = data()
    responses = responses + 1 if dtype.startswith("uint") else responses
    array = np.asfortranarray(np.repeat(responses, 2, axis=1).astype(dtype))[:, ::2]
    assert alike(sweep(key, array, offsets), sweep(key, responses, offsets))


def test_iterables_mappings_and_pairs():
    pandas = pytest.importorskip("pandas")
    key, responses, offsets = data(n_settings=3)
    names = ["a", "b", "c"]
    by_array = sweep(key, responses, offsets, settings=names)
    assert by_array.settings == ("a", "b", "c")
    by_name = dict(zip(names, responses, strict=True))
    assert alike(sweep(key, by_name, offsets), by_array)
    assert alike(sweep(key, pandas.DataFrame(by_name), offsets), by_array)
    assert alike(sweep(key, pandas.Series(by_name), offsets), by_array)
    assert alike(sweep(key, responses.tolist(), offsets, settings=names), by_array)
    assert alike(sweep(key, (row for row in responses), offsets, settings=iter(names)), by_array)
    pairs = sweep(key, (({"t": t}, row) for t, row in zip([0.1, 0.2, 0.3], responses, strict=True)), offsets)
    assert pairs.settings == ({"t": 0.1}, {"t": 0.2}, {"t": 0.3})
    assert pairs.counts.rows.tolist() == by_array.counts.rows.tolist()
    assert sweep(key, responses, offsets).settings == (0, 1, 2)


def test_a_generator_is_drawn_from_as_the_work_goes_on():
    key = np.arange(80_000) // 4  # six responses a block
    drawn, most = [], []

    def responses():
        for s in range(120):
            drawn.append(s)
            yield np.roll(key, s)

    def progress(done, total):
        most.append(len(drawn) - done)
        assert total == 0

    assert len(sweep(key, responses(), threads=2, metrics="muc", progress=progress)) == 120
    assert max(most) <= 70


def test_grids():
    expected = [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"}]
    assert grid({"a": [1, 2], "b": ["x", "y"]}) == expected
    key, responses, offsets = data(n_settings=4)
    found = sweep(key, responses, offsets, settings={"a": np.array([1, 2]), "b": ["x", "y"]})
    assert found.parameters == {"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]}
    assert alike(found.at(a=2, b="x"), found.batch(2))
    assert alike(found[{"b": "x", "a": 2}], found.batch(2))
    with pytest.raises(ac.UnknownNameError, match="setting"):
        found.at(a=3, b="x")


@pytest.mark.filterwarnings("ignore:.* mentions (is|are) shared")
@examples(0.6)
@given(st.lists(documents(), min_size=1, max_size=4), st.data())
def test_clusters(engine, pairs, data):
    """Clusters with spurious mentions, one document or many by name, in any order."""
    key = {f"d{d}": k for d, (k, _) in enumerate(pairs)}
    outputs = []
    for _ in range(2):
        order = data.draw(st.permutations(range(len(pairs))))
        outputs.append({f"d{d}": data.draw(st.sampled_from(pairs))[1] for d in order})
    for singletons in ("keep", "drop"):
        found = sweep(key, outputs, singletons=singletons)
        assert found.document_names == tuple(key)
        for output, batch in zip(outputs, found.values(), strict=True):
            same(batch, ac.score_batch(key, output, singletons=singletons))
    one = sweep(pairs[0][0], [pairs[0][1]])
    assert alike(one[0].corpus, ac.score(*pairs[0]))


KEY = {"a": [["x", "y"], ["z"]], "b": [["x", "y", "z"]], "c": [["x"], ["y"]]}
OUTPUTS = {
    "whole": {"a": [["x"], ["y", "z"]], "b": [["x", "y"], ["z", "w"]], "c": [["x", "y"]]},
    "part": {"c": [["x", "y"], ["w"]], "a": [["x", "y"], ["z"]]},
    "small": {"b": [["x"]], "c": []},
}


@pytest.mark.parametrize("singletons", ["keep", "drop"])
def test_a_setting_has_the_documents_that_it_has(singletons):
    options = {"missing_documents": "skip", "singletons": singletons}
    found = sweep(KEY, OUTPUTS, **options)
    assert found.scored.tolist() == [[True, True, True], [True, False, True], [False, True, True]]
    alone = [ac.score_batch(KEY, output, **options) for output in OUTPUTS.values()]
    for batch, expected in zip(found.values(), alone, strict=True):
        assert alike(batch, expected)
    for metric in found.metrics:
        assert found.score(metric).tolist() == [b[metric].f1 for b in alone]
    assert np.isnan(found.counts.rows[1, 1]).all()
    assert not np.isnan(found.counts.rows[found.scored]).any()
    part = found.on_shared_documents()
    assert part.document_names == ("c",)
    missing, left_out = part.notes[1]
    assert part.notes[0] == (left_out,) == ("2 of 3 documents left out: not in every response",)
    assert missing == "1 document left out: not in the response"
    assert part.joint_notes == (left_out, f"{', '.join(found.names[1:])}: {missing}")
    only = sweep({"c": KEY["c"]}, {name: {"c": output["c"]} for name, output in OUTPUTS.items()}, **options)
    np.testing.assert_array_equal(part.counts.rows, only.counts.rows)
    assert part.on_shared_documents() is part
    with pytest.raises(ac.InputError, match="different number of documents"):
        part + found.select([0])


def test_settings_of_other_documents_are_not_compared():
    settings = [{"t": t} for t in range(3)]
    found = sweep(KEY, zip(settings, OUTPUTS.values(), strict=True), missing_documents="skip")
    for ask in (found.best, found.plot, lambda: found.order("muc"), lambda: found.pooled("t")):
        with pytest.raises(ac.DocumentMismatchError, match=r"'b' was .*t=0 but skipped for t=1.*on_shared_documents"):
            ask()
    assert "scored on different documents" in repr(found)
    with pytest.raises(
        ac.DocumentMismatchError, match=r"one: key and response have no document in common: .* The response has none"
    ):
        sweep(KEY, {"one": {}}, missing_documents="skip")


@pytest.mark.parametrize(
    ("responses", "options", "message"),
    [
        (np.zeros((2, 3), int), {}, r"shape \(2, 3\); expected \(S, 4\)"),
        (
            [[0] * 4, [0, 0, -3, 0]],
            {"singletons": "drop", "offsets": [0, 2, 4], "names": ["x", "y"]},
            "response 1: response label -3 of mention 0 in document 'y'",
        ),
        (np.zeros((2, 4), int), {"settings": ["a"]}, "got 1 settings for 2 responses"),
        ([[0] * 4] * 2, {"settings": [{"t": 1}, {"t": 1.0}]}, "setting t=1.0 appears twice"),
        ([[0] * 4], {"metrics": "rand"}, "response 0: rand needs the same items on both sides"),
    ],
)
def test_errors(responses, options, message):
    with pytest.raises(ac.InputError, match=message):
        sweep([-1, 0, 0, 1], responses, **options)


def test_errors_of_clusters_and_of_another_index():
    key = {"a": [["x", "y"], [["z", 1]]], "b": [[1, 2]]}
    series = pytest.importorskip("pandas").Series([0, 0, 1], index=list("abc"))
    for one, responses, error, message in (
        (key, [{"a": [["x"], ["x", "w"]], "b": []}], ac.DuplicateMentionError, r"setting 0.*'x'.*clusters 0 and 1"),
        (key, [{"a": []}], ac.DocumentMismatchError, "setting 0: missing from the response: 1 of 2"),
        (series, {"s": series[::-1]}, ac.InputError, "key and response s have different indices"),
    ):
        with pytest.raises(error, match=message):
            sweep(one, responses)


def test_an_error_in_a_generator_reaches_the_user_and_ends_the_threads():
    def responses():
        yield [0, 0, 0]
        raise KeyError("mine")

    before = threading.active_count()
    with pytest.raises(KeyError, match="mine"):
        sweep([0, 0, 1], responses(), threads=2)
    assert threading.active_count() == before
