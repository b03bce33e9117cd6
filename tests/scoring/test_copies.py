"""Results are the same after copying and pickling, before use and after, and equal to what the same call returns again.

What is copied is found: everything of this package that is reached from what its public functions return. A new public
function needs an entry in `CALLS`, and a new public class must be reached from one, or a test here fails.
"""

import copy
import dataclasses
import functools
import inspect
import pickle
from types import GenericAlias

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.errors import ArraycorefError
from arraycoref.lazy import cached_property
from arraycoref.records import Record
from marks import cases

KEYS = {"one": [list("abc"), list("defg")], "two": [list("ab"), ["c"]], "three": []}
RESPONSES = {"one": [list("ab"), list("cd"), list("fghi")], "two": [list("abc")], "three": []}
LABELS, OFFSETS = ([0, 0, 1, 1, 2, -1], [0, 1, 1, 1, -1, 3]), [0, 4, 6]
ONE = {"x": KEYS["one"]}, {"x": RESPONSES["one"]}
FEW = {"n_resamples": 20}
FILES = {
    "key.jsonl": '{"doc_key": "a", "clusters": [[[0, 1], [4, 4]]]}',
    "response.jsonl": '{"doc_key": "a", "clusters": [[[0, 1], [3, 4]]]}',
    "gold.tsv": "a\tDET\nrun\tNOUN\n",
    "system.tsv": "a\tDET\nrun\tVERB\n",
    "gold.conllu": "1\ta\t_\tDET\t_\t_\t0\t_\t_\t_\n2\trun\t_\tNOUN\t_\tCase=Nom\t0\t_\t_\t_\n",
}


def batch(**options):
    return ac.score_batch(KEYS, RESPONSES, **options)


def other():
    return ac.score_batch(KEYS, KEYS)


def accumulated():
    made = ac.Accumulator("muc,bcub", keep_documents=True)
    made.update(*LABELS, OFFSETS)
    return made


def swept():
    return ac.sweep(KEYS, [RESPONSES, KEYS], settings={"t": [0.5, 1]})


def partly_swept():
    lacking = {name: RESPONSES[name] for name in ("one", "two")}
    return ac.sweep(KEYS, [RESPONSES, lacking], missing_documents="skip")


def saved():
    swept().save("sweep.npz")
    return ac.load_sweep("sweep.npz")


def seeds():
    return ac.sweeps.concat({1: swept(), 2: swept()}, "seed")


def chosen():
    test = ac.sweep(RESPONSES, [RESPONSES, KEYS], settings={"t": [0.5, 1]})
    return ac.sweeps.choose(seeds(), ac.sweeps.concat({1: test, 2: test}, "seed"), over="seed", resamples=20)


def table():
    import pandas

    rows = {"document": ["a", "a", "b"], "mention": [0, 1, 0], "key": [0, 0, 1], "response": [0, 1, 1]}
    return ac.score_table(pandas.DataFrame(rows))


def dask_table():
    pytest.importorskip("dask.dataframe")
    import dask
    import pandas

    frame = pandas.DataFrame({"document": ["a", "a", "b"], "mention": [0, 1, 0], "label": [0, 0, 1]})
    frame.to_parquet("table.parquet")
    with dask.config.set(scheduler="threads"):  # a cluster that another test has ended may still be the default
        return ac.dask.score_table("table.parquet", "table.parquet")


def tags():
    return ac.tagging.compare_files("gold.conllu", "gold.conllu", tagset="ud")


def scores_of_a_file():
    batch().save("scores.json")
    return ac.load_scores("scores.json")


CALLS = {
    ac.score: [lambda: ac.score(KEYS["one"], list(map(sorted, KEYS["one"])), metrics=ac.METRIC_NAMES)],
    ac.score_batch: [batch, lambda: ac.score_batch(*ONE, profile="conll"), lambda: ac.score_batch({}, {})],
    ac.score_labels: [lambda: ac.score_labels(*LABELS)],
    ac.score_labels_batch: [lambda: ac.score_labels_batch(*LABELS, OFFSETS)],
    ac.score_files: [lambda: ac.score_files("key.jsonl", "response.jsonl")],
    ac.score_pairs: [
        lambda: ac.score_pairs([("key.jsonl", "response.jsonl"), ("key.jsonl", "absent.jsonl")], metrics="muc,bcub"),
        lambda: ac.score_pairs({"lost": ("absent.jsonl", "absent.jsonl")}),
    ],
    ac.score_table: [table],
    ac.Accumulator: [accumulated],
    ac.Counts: [lambda: ac.Counts(("a",), ("muc",), np.ones((1, 1, 4)))],
    ac.bootstrap: [lambda: ac.bootstrap(batch(), **FEW), lambda: ac.bootstrap(ac.score_batch(*ONE), other=None, **FEW)],
    ac.compare: [
        lambda: ac.compare({"a": batch(), "b": other()}, **FEW),
        lambda: ac.compare({"a": ac.score_batch(*ONE), "b": ac.score_batch(*ONE)}, baseline="b", **FEW),
    ],
    ac.correlate: [lambda: ac.correlate({"a": batch(), "b": other(), "c": batch()})],
    ac.paired_test: [
        lambda: ac.paired_test(batch(), other(), **FEW),
        lambda: ac.paired_test(ac.score_batch(*ONE), ac.score_batch(*ONE), **FEW),
    ],
    ac.table: [
        lambda: ac.table({"a": batch(), "b": [other(), batch()]}, marks=True, intervals=True, **FEW),
        lambda: ac.table({"dev": {"a": batch()}, "test": {"a": other()}}),
    ],
    ac.power: [lambda: ac.power(batch(), other(), sizes=[2, 9], **FEW)],
    ac.sweep: [swept, partly_swept, lambda: swept().best(resamples=20), lambda: swept()[1]],
    ac.sweep_antecedents: [lambda: ac.sweep_antecedents([0, 0, 1], [-1, 0, 1], [0, 0.8, 0.3], [0.7, 0.2])],
    ac.sweep_files: [lambda: ac.sweep_files("key.jsonl", ["response.jsonl"])],
    ac.sweep_linkage: [lambda: ac.sweep_linkage([0, 0, 1], [[0, 1, 0.5, 2], [2, 3, 0.7, 3]], thresholds=[0.6])],
    ac.sweep_pairs: [lambda: ac.sweep_pairs([0, 0, 1], [[0, 1]], [0.5], thresholds=[0.2])],
    ac.load_sweep: [saved],
    ac.load_scores: [scores_of_a_file],
    ac.sweeps.concat: [seeds],
    ac.sweeps.pool: [lambda: ac.sweeps.pool(seeds(), "seed")],
    ac.sweeps.average: [lambda: ac.sweeps.average(seeds(), "seed")],
    ac.sweeps.choose: [chosen, lambda: ac.sweeps.choose(swept(), swept(), resamples=20)],
    ac.check_files: [lambda: ac.check_files(["key.jsonl", "absent.jsonl"])],
    ac.read.read_documents: [lambda: ac.read.read_documents("key.jsonl")],
    ac.dask.score_table: [dask_table],
    ac.interop.sklearn.ClusterScorer: [lambda: ac.interop.sklearn.ClusterScorer("bcub", noise="absent")],
    ac.tagging.compare_files: [tags, lambda: ac.tagging.compare_files("gold.tsv", "system.tsv", tagset="ud")],
    ac.tagging.compare_ids: [lambda: ac.tagging.compare_ids([0, 1], [0, 0])],
    ac.tagging.compare_strings: [lambda: ac.tagging.compare_strings(["NOUN|Case=Nom"], ["NOUN"], tagset="ud")],
    ac.tagging.compare_texts: [lambda: ac.tagging.compare_texts(*[ac.tagging.read_tagged("gold.conllu")] * 2)],
    ac.tagging.category_errors: [lambda: ac.tagging.category_errors(tags())],
    ac.tagging.load_tagset: [functools.partial(ac.tagging.load_tagset, name) for name in ac.tagging.TAGSETS],
    ac.tagging.load_weights: [lambda: ac.tagging.load_weights({"pos": 2.0, "ger": 3.0}, "ud")],
    ac.tagging.poliqarp: [ac.tagging.poliqarp],
    ac.tagging.read_tagged: [
        lambda: ac.tagging.read_tagged("gold.conllu"),
        lambda: ac.tagging.read_tagged("gold.tsv"),
    ],
    ac.tagging.score_comparison: [
        lambda: ac.tagging.score_comparison(tags()),
        lambda: ac.tagging.score_comparison(tags()).correctness("UPOS"),
    ],
    ac.tagging.score_known: [lambda: ac.tagging.score_known(tags(), {"run": 2})],
    ac.tagging.score_tag_files: [lambda: ac.tagging.score_tag_files("gold.tsv", "system.tsv", tagset="ud")],
    ac.tagging.score_tag_ids: [lambda: ac.tagging.score_tag_ids([0, 1], [0, 0])],
    ac.tagging.score_tags: [lambda: ac.tagging.score_tags(["X", "Y"], ["X", "X"])],
    ac.tagging.tag_table: [lambda: ac.tagging.tag_table(["NOUN|Case=Nom", "NOUN"], "ud")],
}
"""Ways to call each public function, and to make each public class that none returns."""

PLAIN = {
    *(ac.time_limit, ac.warmup, ac.stats.adjust_pvalues, ac.sweeps.grid, ac.read.format_of, ac.write.write_documents),
    *(ac.tagging.confusions, ac.tagging.read_lexicon, ac.interop.sklearn.cluster_score),
    *(getattr(ac.plot, name) for name in ac.plot.__all__),
    *(getattr(ac.kernels, name) for name in ac.kernels.__all__),
    *(getattr(ac.compat.metric4coref, name) for name in ("muc", "b_cubed", "ceaf", "conll_coref_f1")),
    *(getattr(ac.antecedents, name) for name in ("antecedent_labels", "antecedent_links")),
}
"""Public functions that return nothing, numbers, arrays, lists or objects of other libraries."""

OF_METRICS = {metric.replace("-", "_") + "_score" for metric in ac.METRIC_NAMES}
"""Functions of `arraycoref.interop.sklearn` that are made when they are asked for; they return numbers."""

MODULES = (ac, ac.stats, ac.sweeps, ac.read, ac.write, ac.dask, ac.tagging, ac.plot, ac.kernels)
WITHOUT_A_LIST = (ac.antecedents, ac.compat.metric4coref, ac.interop.sklearn)

NOT_COMPARED = {"TagComparison", "TaggedText", "Accumulator", "ClusterScorer"}
"""Inputs of scoring and a state, which are equal to themselves only."""


def public():
    """Find all that the package makes public: names that modules list, else what they define."""
    names = [(module, name) for module in MODULES for name in module.__all__]
    names += [
        (module, name)
        for module in WITHOUT_A_LIST
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__ and callable(value)
    ]
    found = {getattr(module, name) for module, name in names if callable(getattr(module, name))}
    return found - {function for function in found if getattr(function, "__name__", "") in OF_METRICS}


def test_every_public_function_is_called_here():
    functions = {found for found in public() if not isinstance(found, type | GenericAlias)}
    assert {found for found in functions if found not in CALLS and found not in PLAIN} == set()


def is_ours(value):
    return type(value).__module__.startswith("arraycoref") and not isinstance(value, type)


def parts_of(value):
    """Return what a value is made of, and what it shows: fields, attributes, entries."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif is_ours(value):
        if hasattr(type(value), "__getitem__"):
            yield from (attempt(lambda name=name: value[name]) for name in getattr(value, "metrics", ()))
        yield from vars(value).values() if hasattr(value, "__dict__") else ()
        for name in properties(type(value)):
            yield attempt(lambda name=name: getattr(value, name))
        if hasattr(type(value), "__iter__"):
            yield from value


@functools.cache
def properties(kind):
    """List the names of the public properties of a class."""
    members = inspect.getmembers(kind, lambda attribute: isinstance(attribute, property | cached_property))
    return [name for name, _ in members if not name.startswith("_")]


@functools.cache
def methods(kind):
    """List the public methods of a class that need no argument, and few resamples for those that take resamples."""
    found = []
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        _, *parameters = inspect.signature(method).parameters.values()
        if (
            not name.startswith("_")
            and name not in {"reset", "plot"}  # figures take long
            and all(p.default is not p.empty or p.kind > 1 for p in parameters)
        ):
            few = {p.name: 20 for p in parameters if p.name in ("resamples", "n_resamples")}
            found.append(functools.partial(method, **few))
    return found


def attempt(action):
    try:
        return action()
    except (ArraycorefError, IndexError):  # scores of a metric that was not asked for; a total's number of documents
        return None


def reached(value):
    """List the objects of this package that a value leads to, one of each class and of each kind of contents."""
    found, waiting = {}, [value]
    while waiting:
        one = waiting.pop()
        if is_ours(one):
            kind = (type(one), *(type(part) for part in getattr(one, "__dict__", {}).values()))
            if kind not in found:
                found[kind] = one
                waiting += parts_of(one)
        elif isinstance(one, dict | list | tuple):
            waiting += parts_of(one)
    return list(found.values())


def use(value):
    """Ask a value for all that it shows without being told more."""
    for show in (repr, str, len, list, hash):
        try:
            show(value)
        except TypeError:
            continue
    for _ in parts_of(value):
        pass
    for method in methods(type(value)):
        attempt(functools.partial(method, value))
    return value


def assert_same(one, other):
    """Check that two values hold the same, as a definition: by what they are made of, and not by their equality."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        assert one.flags.writeable == other.flags.writeable
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_same(*pair)
    elif isinstance(one, functools.partial):
        assert_same((one.func, one.args, one.keywords), (other.func, other.args, other.keywords))
    elif is_ours(one) and hasattr(one, "__dict__"):
        assert_same(vars(one), vars(other))
    elif one != one:  # nan
        assert other != other
    else:
        assert one == other


def pickled(protocol):
    return lambda value: pickle.loads(pickle.dumps(value, protocol))


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled(5), "old pickle": pickled(2)}
EVERY_CALL = {
    f"{function.__module__.removeprefix('arraycoref.')}.{function.__name__}-{n}": make
    for function, calls in CALLS.items()
    for n, make in enumerate(calls)
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize("make", EVERY_CALL.values(), ids=list(EVERY_CALL))
def test_copies_and_pickles(make):
    for value in reached(make()):
        fresh = copy.deepcopy(value)
        for before in (value, use(value)):
            for copied in COPIES.values():
                again = copied(before)
                assert_same(again, before)
                assert_same(again, fresh)
                assert_same(use(again), before)
                if type(value).__name__ not in NOT_COMPARED:
                    assert again == before
                    assert before == again


@cases("make", EVERY_CALL)
def test_the_same_call_returns_the_same(make):
    one, other = make(), make()
    assert_same(one, other)
    if type(one).__name__ not in NOT_COMPARED:
        assert one == other
        assert one != 5
        assert one is not None


def test_every_public_class_is_reached():
    classes = {found for found in public() if isinstance(found, type) and not issubclass(found, BaseException)}
    assert ac.Score in classes
    made = {type(value) for _, calls in CALLS.items() for make in calls for value in reached(make())}
    assert {one for one in classes - made if not getattr(one, "_is_protocol", False)} == set()


@cases("make", EVERY_CALL)
def test_other_contents_are_not_equal(make):
    for value in reached(make()):
        if isinstance(value, Record) and not isinstance(value, ac.BatchScores):  # which may have other headers
            for field in dataclasses.fields(value):
                other_one = copy.copy(value)
                object.__setattr__(other_one, field.name, object())
                assert other_one != value


def test_undefined_numbers_are_equal_and_others_are_not():
    def interval(*numbers):
        return ac.stats.Interval(*numbers)

    nan, other_nan = float("nan"), np.float64("nan")
    assert interval(1.0, nan, nan, nan) == interval(1.0, other_nan, -nan, nan)
    assert hash(interval(1.0, nan, nan, nan)) == hash(interval(1.0, other_nan, -nan, nan))
    assert interval(nan, 1.0, 1.0, 1.0) != interval(1.0, nan, 1.0, 1.0)
    rows = np.array([[[1.0, nan, 2.0, 3.0]]])
    one, same, swapped, wider, texts = (
        ac.Counts(None, ("muc",), array) for array in (rows, rows + 0, rows[..., ::-1], rows[0], rows.astype("U8"))
    )
    assert one == same
    assert all(one != another for another in (swapped, wider, texts, ac.Counts(("a",), ("muc",), rows)))
    with pytest.raises(TypeError, match=r"^unhashable type: 'Counts'$"):
        hash(one)
