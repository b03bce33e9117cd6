"""A sweep counts what the scorer counts for each setting by itself, however its responses come."""

import threading

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, strategies as st

import arraycoref as ac
import arraycoref.scoring.alignment
from arraycoref.scoring.metrics.registry import METRICS, counted_metrics
from arraycoref.sweeps import Sweep, grid, sweep
from arraycoref.sweeps.counting import BLOCK_LABELS, LabelKey, count_block
from strategies import documents, examples, label_documents, relabelled

ALL = [name for name, metric in METRICS.items() if not metric.gold_mentions]


def data(n_settings=7, sizes=(50, 0, 70, 1, 179), seed=0):
    rng = np.random.default_rng(seed)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return rng.integers(-1, 9, offsets[-1]), rng.integers(-1, 9, (n_settings, offsets[-1])), offsets


def same(found, batch):
    assert found.metrics == batch.metrics
    for metric, counts in batch.counts.items():
        np.testing.assert_array_equal(found.counts[metric], counts, err_msg=metric)


@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("profile", ["paper", "conll"])
def test_each_setting_is_scored_as_by_itself(singletons, profile):
    key, responses, offsets = data()
    options = {"metrics": ALL, "singletons": singletons, "profile": profile, "beta": 2.0}
    found = sweep(key, responses, offsets, **options)
    for labels, batch in zip(responses, found, strict=True):
        alone = ac.score_labels_batch(key, labels, offsets, **options)
        same(batch, alone)
        assert batch == alone
    for metric in found.metrics:
        np.testing.assert_array_equal(found[metric].f1, [batch[metric].f1 for batch in found])


@pytest.mark.parametrize("patience", [-1, 4])
def test_blocks_of_every_way_to_count(patience, monkeypatch):
    """Searches that run long, metrics with a call of their own, and labels that are hashed."""
    key, responses, offsets = data(n_settings=5)
    responses[3, 60:] = np.where(responses[3, 60:] < 0, -1, responses[3, 60:] * 2**50)
    expected = [ac.score_labels_batch(key, labels, offsets, metrics=ALL).counts.rows for labels in responses]
    monkeypatch.setattr(arraycoref.scoring.alignment, "PATIENCE", patience)
    encoded = LabelKey(key, offsets)
    found = count_block(encoded.block(range(5), responses), encoded, counted_metrics(tuple(ALL)))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@examples()
@given(st.data())
def test_any_labels(data):
    """Scattered 64-bit labels, absent mentions, empty documents."""
    key, _ = data.draw(label_documents())
    sides = [data.draw(st.lists(st.integers(-1, 5), min_size=len(key), max_size=len(key))) for _ in range(3)]
    responses = np.array([data.draw(relabelled(side)) for side in sides], np.int64).reshape(3, len(key))
    cut = data.draw(st.integers(0, len(key)))
    singletons = data.draw(st.sampled_from(["keep", "drop"]))
    offsets = [0, cut, len(key)]
    found = sweep(np.array(key, np.int64), responses, offsets, singletons=singletons)
    for labels, batch in zip(responses, found, strict=True):
        same(batch, ac.score_labels_batch(np.array(key, np.int64), labels, offsets, singletons=singletons))


@pytest.mark.parametrize("at_once", [1, 3, 40])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_numbers_do_not_depend_on_threads_and_blocks(at_once, threads):
    """Settings are counted in blocks of so many labels; each setting has the sums that it has alone."""
    n_settings, size = max(7, at_once), BLOCK_LABELS // (at_once + 1) + 1
    key, responses, offsets = data(n_settings, sizes=(50, 0, 70, 1, size - 121))
    expected = np.concatenate(
        [sweep(key, labels[np.newaxis], offsets, metrics="muc,ceafe").sums for labels in responses]
    )
    options = {"metrics": "muc,ceafe", "threads": threads}
    np.testing.assert_array_equal(sweep(key, responses, offsets, **options).sums, expected)
    np.testing.assert_array_equal(sweep(key, iter(responses), offsets, **options).sums, expected)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", ">i8", "uint64"])
def test_arrays_of_any_dtype_and_stride(dtype):
    key, responses, offsets = data()
    responses = responses + 1 if dtype.startswith("uint") else responses
    expected = sweep(key, responses, offsets)
    array = np.asfortranarray(np.repeat(responses, 2, axis=1).astype(dtype))[:, ::2]
    assert sweep(key, array, offsets) == expected
    assert sweep(key, memoryview(np.ascontiguousarray(array).astype(dtype.lstrip(">"))), offsets) == expected


def test_iterables_mappings_and_pairs():
    key, responses, offsets = data(n_settings=3)
    names = ["a", "b", "c"]
    by_array = sweep(key, responses, offsets, settings=names)
    assert by_array.settings == ("a", "b", "c")
    assert sweep(key, dict(zip(names, responses, strict=True)), offsets) == by_array
    assert sweep(key, responses.tolist(), offsets, settings=names) == by_array
    assert sweep(key, (row for row in responses), offsets, settings=iter(names)) == by_array
    pairs = sweep(key, (({"t": t}, row) for t, row in zip([0.1, 0.2, 0.3], responses, strict=True)), offsets)
    assert pairs.settings == ({"t": 0.1}, {"t": 0.2}, {"t": 0.3})
    assert pairs.sums.tolist() == by_array.sums.tolist()


def test_a_generator_is_drawn_from_as_the_work_goes_on():
    """At most a few blocks are drawn before the first is counted."""
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
    assert grid({"a": [1, 2], "b": ["x", "y"]}) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]
    key, responses, offsets = data(n_settings=4)
    found = sweep(key, responses, offsets, settings={"a": np.array([1, 2]), "b": ["x", "y"]})
    assert found.parameters == {"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]}
    assert found.at(a=2, b="x") == found[2] == found.at({"b": "x", "a": 2})
    with pytest.raises(ac.UnknownNameError, match="setting"):
        found.at(a=3, b="x")


@pytest.mark.parametrize("values", ["average", 0.5, None])
def test_one_value_in_place_of_a_list(values):
    """A text would be a grid of its letters."""
    with pytest.raises(ac.InputError, match=f"the values of 'linkage' are {values!r}; expected a list"):
        grid({"threshold": [1, 2], "linkage": values})


@examples(0.6)
@given(st.lists(documents(), min_size=1, max_size=4), st.data())
def test_clusters(pairs, data):
    """Clusters with spurious mentions, one document or many by name, in any order."""
    key = {f"d{d}": k for d, (k, _) in enumerate(pairs)}
    outputs = []
    for _ in range(2):
        order = data.draw(st.permutations(range(len(pairs))))
        outputs.append({f"d{d}": data.draw(st.sampled_from(pairs))[1] for d in order})
    for singletons in ("keep", "drop"):
        found = sweep(key, outputs, singletons=singletons)
        assert found.document_names == tuple(key)
        for output, batch in zip(outputs, found, strict=True):
            same(batch, ac.score_batch(key, output, singletons=singletons))
    one = sweep(pairs[0][0], [pairs[0][1]])
    assert one[0].corpus == ac.score(*pairs[0])


def test_clusters_and_policies():
    key = {"a": [["x", "y"], [["z", 1]]], "b": [[1, 2]]}
    found = sweep(key, [{"a": [["x"], ["x", "w"]], "c": []}], profile="conll")
    batch = ac.score_batch(key, {"a": [["x"], ["x", "w"]], "c": []}, profile="conll")
    same(found[0], batch)
    with pytest.raises(ac.DuplicateMentionError, match=r"setting 0.*'x'.*clusters 0 and 1"):
        sweep(key, [{"a": [["x"], ["x", "w"]], "b": []}])
    with pytest.raises(ac.DocumentMismatchError, match="lacks 1 of 2"):
        sweep(key, [{"a": []}])
    with pytest.raises(ac.InputError, match="no mapping"):
        sweep(key, [[["x"]]])
    with pytest.raises(ac.InputError, match="not hashable"):
        sweep(key, [{"a": [[{}]], "b": []}])
    with pytest.raises(ac.InputError, match="names were given"):
        sweep(key, [], names=["a"])
    with pytest.raises(ac.InputError, match="consists of clusters"):
        sweep(key, np.zeros((1, 2), int))


@pytest.mark.parametrize("threads", [1, 2])
def test_mentions_of_a_key_are_hashed_for_all_responses_at_once(threads):
    """Tuples of a class, which cannot be packed; they hash as Python's own, of which the responses consist."""

    class Span(tuple):
        __slots__ = ()
        hashed = 0

        def __hash__(self):
            Span.hashed += 1
            return super().__hash__()

    def hashes(n_responses):
        key = {"a": [[Span((0, 1)), Span((2, 3))], [Span((4, 4))]], "b": [[Span((0, 1))]]}
        response = {"b": [[(0, 1), (7, 8)]], "a": [[(2, 3), frozenset({1})], [(4, 4), (0, 1)]]}
        before = Span.hashed
        found = sweep(key, [response] * n_responses, metrics="muc", threads=threads)
        hashed = Span.hashed - before
        assert all(batch == ac.score_batch(key, response, metrics="muc") for batch in found)
        return hashed

    assert hashes(2) == hashes(50)


@pytest.mark.parametrize(
    ("responses", "options", "message"),
    [
        (np.zeros((2, 3), int), {}, r"shape \(2, 3\); expected \(S, 4\)"),
        (np.full((2, 4), 0.5), {}, "responses: label 0 is 0.5 among float64"),
        (np.full((2, 4), -2), {}, "response 0: response label -2 of mention 0 in document 0; expected"),
        (
            np.array([[0, 0, 0, 0], [0, 0, -3, 0]]),
            {"settings": ["a", "b"]},
            "response b: response label -3 of mention 2 in document 0",
        ),
        ([[0, 0, 0, 0], [0, 0, 0]], {}, "response 1 has 3 labels; expected 4"),
        ([[0.5, 0, 0, 0]], {}, "response 0: label 0 is 0.5; expected whole numbers or texts"),
        ("text", {}, "expected an array"),
        (5, {}, "expected an array"),
        (np.array(5), {}, "expected an array"),
        (iter([[0] * 4]), {"settings": np.array(5)}, "expected a list with a name or dict per response"),
        (np.zeros((2, 4), int), {"settings": ["a"]}, "got 1 settings for 2 responses"),
        (np.zeros((2, 4), int), {"settings": "abc"}, "settings is 'abc'"),
        (np.zeros((2, 4), int), {"settings": b"ab"}, "settings is b'ab'"),
        ([[0] * 4] * 2, {"settings": 2}, "settings is 2; expected a list"),
        ([[0] * 4] * 2, {"settings": {"a", "b"}}, "settings is {.*; expected a list with a name or dict per response"),
        ({(0,) * 4, (1,) * 4}, {}, "responses is set; expected an array"),
        ([[0] * 4] * 2, {"settings": {"t": {1, 2}}}, "the values of 't' are {1, 2}; expected a list"),
        ([[0] * 4] * 2, {"settings": {"t": {"a": 1, "b": 2}}}, "the values of 't' are {'a': 1, 'b': 2}"),
        ([[0] * 4] * 2, {"settings": np.ma.array([0.5, 0.7], mask=[0, 1])}, "a setting or parameter is masked"),
        (scipy.sparse.csr_array([[0] * 4]), {}, "expected whole numbers or texts"),
        ([[0] * 4], {"checkpoint": 5}, "checkpoint is 5; expected the path of a file"),
        ([[0] * 4], {"checkpoint": ""}, "checkpoint is ''; expected"),
        ([[0] * 4], {"checkpoint": "."}, "expected the path of a file in a directory that exists"),
        ([[0] * 4], {"checkpoint": "no/such/kept.npz"}, "checkpoint is 'no/such/kept.npz'; expected"),
        ([[0] * 4], {"checkpoint": "a\0b"}, "expected the path of a file"),
        ([[0] * 4], {"settings": [{1: 0, "1": 2}]}, "two parameters of one name"),
        ([[0] * 4], {"settings": {"t": np.array(0.5)}}, "the values of 't' are"),
        (np.zeros((1, 4), int), {"settings": ["a", "b"]}, "more than 1 settings for 1"),
        ([[0] * 4] * 2, {"settings": ["a"]}, "got 1 settings for 2 or more"),
        (iter([[0] * 4]), {"settings": ["a", "b"]}, "more than 1 settings for 1 responses"),
        ([[0] * 4] * 2, {"settings": ["a", "a"]}, "a appears twice"),
        ({"a": [0] * 4}, {"settings": ["a"]}, "beside a mapping"),
        ([[0] * 4], {"names": ["x", "x"], "offsets": [0, 2, 4]}, "two documents are named"),
        ([[0] * 4], {"offsets": [0, 3]}, "offsets run"),
        ([[0] * 4], {"threads": -1}, "threads is -1"),
        ([[0] * 4], {"metrics": "rand"}, "gold mentions only"),
    ],
)
def test_errors(responses, options, message):
    key = [-1, 0, 0, 1]
    with pytest.raises(ac.InputError, match=message):
        sweep(key, responses, **options)


def test_tables_are_refused_with_a_hint():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0, 0], "b": [0, 1]})
    with pytest.raises(ac.InputError, match=r"frame.columns"):
        sweep([0, 0], frame)
    assert sweep([0, 0], {name: frame[name] for name in frame.columns})["muc"].f1.tolist() == [1, 0]
    with pytest.raises(ac.InputError, match="expected a list with a name or dict per response"):
        sweep([0, 0], [[0, 0], [0, 1]], settings=frame)  # whose columns would name the responses


def test_nothing_to_sweep():
    found = sweep([0, 1], np.zeros((0, 2), int))
    assert (len(found), found.sums.shape[:2], found["conll"].f1.shape) == (0, (0, 1), (0,))
    assert len(sweep([0, 1], [])) == 0
    assert sweep(np.empty(0, int), np.zeros((3, 0), int), [0]).sums.shape[:2] == (3, 0)
    assert sweep([], [[], []])["muc"].f1.tolist() == [0, 0]
    with pytest.raises(ac.InputError, match="0 settings"):
        found.best()


def test_an_error_in_a_generator_reaches_the_user_and_ends_the_threads():
    def responses():
        yield [0, 0, 0]
        raise KeyError("mine")

    before = threading.active_count()
    with pytest.raises(KeyError, match="mine"):
        sweep([0, 0, 1], responses(), threads=2)
    assert threading.active_count() == before


def test_layout():
    key, responses, offsets = data(n_settings=3)
    found = sweep(key, responses, offsets, metrics="muc,blanc,conll")
    assert isinstance(found, Sweep)
    assert found.groups == ("muc", "blanc/coreference", "blanc/non_coreference", "blanc/mentions", "bcub", "ceafe")
    assert found.sums.shape == (3, 5, 6, 4)
    assert found.counts["blanc"].shape == (3, 5, 3, 4)
    assert np.shares_memory(found.counts["blanc"], found.sums)
    with pytest.raises(ValueError, match="read-only"):
        found.sums[...] = 0
    np.testing.assert_array_equal(found.counts["blanc"][..., 1, :], found.sums[..., 2, :])
