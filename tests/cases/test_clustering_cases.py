"""Clusterings, tables and statistics that gave a number that says nothing, or another's; each case is one of a kind."""

import itertools
import pickle
import warnings

import numpy as np
import pandas
import pytest

import arraycoref as ac
from arraycoref.exceptions import InputError, ReadError
from marks import cases, slow

FOLDER = "clustering"


def noisy(rng, key, share):
    return np.where(rng.random(key.size) < share, rng.integers(0, 5, key.size), key)


def systems(seed, n_documents, size, *shares, metrics="bcub"):
    """Score a random key with one response for each share of wrong labels."""
    rng = np.random.default_rng(seed)
    key, offsets = rng.integers(0, 5, n_documents * size), np.arange(0, n_documents * size + 1, size)
    return [ac.score_labels_batch(key, noisy(rng, key, share), offsets, metrics=metrics) for share in shares]


def speaks(call):
    """Whether a call refuses its input, warns, or returns a result with notes."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = call()
        except (InputError, ReadError):
            return True
    return bool(seen or result.notes)


def table(mention, document="d", label=(0, 0, 1, 1)):
    return pandas.DataFrame({"document": document, "mention": mention, "label": label})


@cases("response", {"noise": [0, -1, -1, -1, -1, 1, -1, -1, -1, -1], "empty": [-1] * 10})
@cases("metric", ["ari", "vmeasure"])
def test_mentions_that_one_side_lacks(metric, response):
    """With noise as a cluster, scikit-learn's ARI is -0.04; with noise as singletons, it is 0."""
    assert speaks(lambda: ac.score_labels([0] * 5 + [1] * 5, response, metrics=metric))


@cases("labels", [[[0, 0, 1, 1], [0, 1, 1]], [[0, 1, 2], [3, 0, 0, 0]], [(5, 5, 5), (5,)]])
@cases("kind", [list, np.array])
def test_lists_of_labels(labels, kind, engine):
    """As labels they may be scored; as clusters, all but the first of equal labels would be left out."""
    expected = "if these are labels of mentions, score_labels_batch"
    key = list(map(kind, labels))
    for call in (ac.score, ac.Accumulator("muc").update, lambda one, other: ac.score_batch([one], [other])):
        with pytest.raises(ac.DuplicateMentionError, match=expected) as told:
            call(key, key[::-1])
        assert "first" not in str(told.value)


@cases("text", ["NA", "N/A", "n/a", "#N/A", "NULL", "none", "NONE", "\\N", " ", "Nan", "<NA>", "NaT", " null\t", "-2"])
def test_texts_of_missing_labels(tmp_path, text):
    """One list for all doors: what a CSV file may not have as a label, no other table may, nor an array."""
    key, response = table([1, 2, 3, 4]), table([1, 2, 3, 4], label=["a", text, text, text])
    for frame, name in ((key, "key"), (response, "response")):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
    for sides in (
        (key, response),
        *([tmp_path / f"{n}{end}" for n in ("key", "response")] for end in (".csv", ".parquet")),
    ):
        with pytest.raises((InputError, ReadError)):
            ac.score_table(*sides)
    with pytest.raises(InputError):
        ac.score_labels(key.label, response.label)


@cases("text", ["Nana", "n.a", "None of these", "-", "--1", "x-1", "1", "0", "nil", "1-2", "-1a"])
def test_texts_that_are_labels(text):
    frame = table([1, 2, 3, 4], label=["a", text, text, text])
    assert ac.score_table(frame, frame)["muc"].recall_den == 2


@cases("what", ["mention", "document"])
@cases("dtype,least", [("float64", 10**18), ("Float64", 2**53), ("float32", 2**24)])
def test_floats_that_are_not_exact(what, dtype, least):
    """Integers of that size differ; as floats, some are equal."""
    ids = {"mention": least + 1000 * np.arange(4), "document": least + np.array([0, 0, 1, 1])}
    columns = {"mention": range(4), "document": "d", what: ids[what]}
    frame = table(**columns)
    assert ac.score_table(frame, frame)["mentions"].f1 == 1.0
    floats = frame.assign(**{what: frame[what].astype(dtype)})
    with pytest.raises(InputError, match="are rounded"):
        ac.score_table(floats, floats)


@cases("beta", [0.25, 0.5, 1.0, 2.0, 9.0])
def test_beta_of_the_v_measure(beta):
    """(1 + b) h c / (b h + c), as Rosenberg and Hirschberg (2007) and scikit-learn have it."""
    metrics = pytest.importorskip("sklearn.metrics")
    from arraycoref.interop.sklearn import vmeasure_score

    key, response = [0, 0, 1, 1, 2, 2, 2, 3], [0, 0, 0, 1, 1, 1, 1, 1]
    expected = pytest.approx(metrics.v_measure_score(key, response, beta=beta), rel=1e-12)
    assert ac.score_labels(key, response, metrics="vmeasure", beta=beta)["vmeasure"].f1 == expected
    assert vmeasure_score(key, response, beta=beta) == expected


@cases("sizes", [(1, 3), (1, 2), (3, 1)])
def test_a_table_of_one_run_beside_several(sizes):
    """Of equally good systems whose runs differ by 1.6 points, 22 % of tables of 1 and 3 runs have a mark at 5 %."""
    runs = iter(systems(0, 40, 20, 0.2, 0.21, 0.22, 0.23))
    of_systems = {name: list(itertools.islice(runs, size)) for name, size in zip("ab", sizes, strict=True)}
    alone = "ab"[sizes.index(1)]
    for asked in ({"baseline": "a"}, {"marks": True}, {"intervals": True}):
        notes = ac.table(of_systems, metrics="bcub", resamples=100, **asked).notes
        assert any(note.startswith(f"{alone}: one run") for note in notes), notes
    assert not ac.table({name: runs[:1] for name, runs in of_systems.items()}, metrics="bcub", intervals=True).notes


@cases("sizes,noted", [((2, 2), ""), ((2, 3), "a: "), ((3, 3), None)])
def test_a_table_of_two_runs(sizes, noted):
    """Marks of equally good systems with two runs that differ by 1.6 points are wrong in 6 to 14 % of tables."""
    runs = iter(systems(0, 40, 20, 0.2, 0.21, 0.22, 0.23, 0.24, 0.25))
    of_systems = {name: list(itertools.islice(runs, size)) for name, size in zip("ab", sizes, strict=True)}
    notes = ac.table(of_systems, metrics="bcub", resamples=100, marks=True).notes
    assert [note.partition("two runs")[0] for note in notes if "two runs" in note] == [noted] * (noted is not None)


@cases("correction", ["maxt", "holm", "bh", "none"])
def test_few_resamples(correction):
    """With 15 of them, no p-value is below 1/16."""
    good, poor = systems(0, 60, 20, 0.05, 0.6)
    options = {"metric": "bcub", "correction": correction}
    few, enough = (ac.compare({"good": good, "poor": poor}, resamples=n, **options).notes for n in (15, 19))
    assert any("no p-value is below 0.062" in note for note in few)
    assert not any("p-value" in note for note in enough)


@cases("confidence,enough", [(0.95, 39), (0.9, 19), (0.99, 199)])
def test_intervals_of_few_resamples(confidence, enough):
    """A tail of 2.5 % of 38 resamples holds none of them."""
    (scores,) = systems(0, 60, 20, 0.3)
    for resamples, is_noted in ((enough - 1, True), (enough, False)):
        options = {"resamples": resamples, "confidence": confidence}
        made = [
            ac.bootstrap(scores, metrics="bcub", **options),
            ac.compare({"a": scores}, metric="bcub", **options),
            ac.table({"a": scores}, metrics="bcub", intervals=True, **options),
        ]
        assert [any("too few for the ends" in note for note in one.notes) for one in made] == [is_noted] * 3


def test_a_curve_of_one_document_has_no_interval():
    key, responses = [0, 0, 1, 1], {0.1: [0, 1, 1, 1], 0.2: [0, 0, 1, 1]}
    figure = ac.sweep(key, responses, metrics="bcub").plot(resample_by="document")
    assert "interval" not in figure.axes[0].get_ylabel()


def test_few_resamples_of_other_tests():
    good, poor = systems(0, 60, 20, 0.05, 0.6)
    few = "no p-value is below 0.062"
    assert few in ac.paired_test(good, poor, metric="bcub", resamples=15).notes[0]
    for asked, is_tested in (({"marks": True}, True), ({"baseline": "good"}, True), ({"intervals": True}, False)):
        notes = ac.table({"good": good, "poor": poor}, metrics="bcub", resamples=15, **asked).notes
        assert any(few in note for note in notes) == is_tested, (asked, notes)


@cases("alternative", ["two-sided", "greater", "less"])
@cases("n_documents", [5, 8, 13])
def test_exact_permutations(n_documents, alternative):
    """Like `scipy.stats.permutation_test`: where there are no more outcomes than resamples, all are counted."""
    a, b = systems(10, n_documents, 30, 0.2, 0.3)
    gaps = a.documents["bcub"].f1 - b.documents["bcub"].f1
    means = np.array(list(itertools.product([1, -1], repeat=n_documents))) @ gaps / n_documents
    sign = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    exact = (sign(means) >= sign(gaps.mean()) - 1e-12).mean()
    for seed in range(3):
        options = {"metric": "bcub", "average": "macro", "resamples": 2**n_documents, "seed": seed}
        test = ac.paired_test(a, b, alternative=alternative, **options)
        assert test.pvalue == pytest.approx(exact, rel=1e-12)
        assert any(f"all {2**n_documents} swaps" in note for note in test.notes)
        if alternative == "two-sided":
            assert ac.compare({"a": a, "b": b}, **options).systems[1].pvalue == test.pvalue
    drawn = ac.paired_test(a, b, **options | {"resamples": 2**n_documents - 1})
    assert not any("exact" in note for note in drawn.notes)


@cases("n_documents", [2, 5, 8])
def test_exact_marks(n_documents):
    """Of two systems, the worse may be the best in as many outcomes as differ as much, and in its direction."""
    a, b = systems(10, n_documents, 30, 0.2, 0.3)
    tests = []
    for seed in range(3):
        table = ac.table({"a": a, "b": b}, metrics="bcub", marks=True, seed=seed)
        best = ac.stats.best({"a": a, "b": b}, "bcub", seed=seed)
        tests += [table.pvalues[0, 1, 0, 2], best.systems[1].adjusted]
        assert all(f"p-values are exact: all {2**n_documents} swaps" in str(made.notes) for made in (table, best))
    drawn = ac.table({"a": a, "b": b}, metrics="bcub", marks=True, resamples=2**n_documents - 1)
    assert "exact" not in str(drawn.notes)
    options = {"metric": "bcub", "resamples": 10_000}
    exact = min(ac.paired_test(a, b, alternative=one, **options).pvalue for one in ("greater", "less"))
    assert tests[0] == pytest.approx(min(exact / 0.9, 1), rel=1e-12)
    assert len(set(tests)) == 1


def test_one_document_is_not_tested():
    """No system is marked as one that may be as good as the best."""
    a, b = systems(10, 1, 30, 0.2, 0.3)
    best = ac.stats.best({"a": a, "b": b}, "bcub")
    assert [system.mark for system in best.systems] == ["", ""]
    assert not best.rivals


@slow
def test_correlated_documents():
    """Systems that are equally good, better in some topics and worse in others, differ in 5 % of draws of topics."""
    topics, texts, mentions, draws, n_different = 10, 10, 30, 100, 0
    offsets = np.arange(0, topics * texts * mentions + 1, mentions)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        key = rng.integers(0, 6, offsets[-1])
        shares = np.clip(0.25 + rng.normal(0, 0.06, (2, topics)), 0.01, 0.9).repeat(texts * mentions, axis=1)
        labels = [np.where(rng.random(key.size) < share, rng.integers(0, 6, key.size), key) for share in shares]
        a, b = (ac.score_labels_batch(key, each, offsets, metrics="bcub") for each in labels)
        topic = np.arange(topics).repeat(texts)
        n_different += ac.paired_test(a, b, metric="bcub", resamples=500, seed=seed, resample_by=topic).pvalue <= 0.05
    assert n_different <= 10


@cases("change", ["added", "replaced", "emptied"])
def test_documents_after_the_states_are_added(change):
    """``state`` is what `torch.distributed.all_reduce` changes in place; documents are those of this process."""
    rng = np.random.default_rng(7)
    one, other = (ac.Accumulator("muc", keep_documents=True) for _ in range(2))
    for n, each in enumerate((one, other), 4):
        each.update(rng.integers(0, 3, (n, 8)), rng.integers(0, 3, (n, 8)))
    one.state[...] = {"added": one.state + other.state, "replaced": other.state, "emptied": 0.0}[change]
    with pytest.raises(InputError):
        one.documents()


@cases("forget", [False, True])
def test_a_score_of_nothing(forget):
    empty = ac.Accumulator("muc")
    if forget:
        empty.update([0, 0], [0, 0])
        empty.reset()
    with pytest.raises(InputError, match="nothing was added"):
        empty.compute()


@cases("kind", ["Int128", "UInt128"])
@cases(
    "values", [[2**100, 2**100, 1, 1], [2**100, 2**100, 1, None], [7, 7, 1, 1], [2**64, 2**64, 2**64 + 1, 2**64 + 1]]
)
def test_labels_of_128_bits(kind, values):
    polars = pytest.importorskip("polars")
    if not hasattr(polars, kind):
        pytest.skip(f"this polars has no {kind}")
    column = polars.Series(values, dtype=getattr(polars, kind))
    frame = polars.DataFrame({"document": ["d"] * 4, "mention": [1, 2, 3, 4], "key": column, "response": [0, 0, 1, 1]})
    for scores in (ac.score_labels(column, [0, 0, 1, 1]), ac.score_table(frame)):
        assert scores["muc"].recall_den == 2 - (None in values)


@cases("how", ["cross_validate", "GridSearchCV", "pickle"])
def test_scorers_of_scikit_learn(how):
    """It takes a dict of scorers, and no other mapping."""
    selection = pytest.importorskip("sklearn.model_selection")
    from sklearn.cluster import DBSCAN

    from arraycoref.interop.sklearn import SCORERS

    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 60)
    points = 8 * rng.normal(size=(5, 3))[y] + rng.normal(size=(60, 3))
    if how == "cross_validate":
        selection.cross_validate(DBSCAN(eps=3, min_samples=1), points, y, scoring=SCORERS, cv=3)
    elif how == "pickle":  # as for other processes
        assert repr(pickle.loads(pickle.dumps(SCORERS))) == repr(SCORERS)
    else:
        search = selection.GridSearchCV(DBSCAN(min_samples=1), {"eps": [1, 3]}, scoring=SCORERS, refit="bcub", cv=3)
        search.fit(points, y)


@cases("kind", ["pandas", "polars", "arrow", "dask", "file"])
def test_tables_beside_those_of_dask(tmp_path, kind):
    """A frame was taken for a list of paths, its columns."""
    dask = pytest.importorskip("dask.dataframe")
    from arraycoref.interop.dask import score_table

    frame, path = table([1, 2, 3, 4]), str(tmp_path / "table.parquet")
    frame.to_parquet(path)
    make = {
        "pandas": lambda: frame,
        "polars": lambda: pytest.importorskip("polars").from_pandas(frame),
        "arrow": lambda: pytest.importorskip("pyarrow").Table.from_pandas(frame),
        "dask": lambda: dask.from_pandas(frame, npartitions=1),
        "file": lambda: path,
    }
    for sides in ((make[kind](), frame), (frame, make[kind]())):
        assert score_table(*sides)["muc"].f1 == 1.0
    if kind != "file":
        with pytest.raises(InputError, match=r"tables are for arraycoref\.score_table"):
            ac.score_files(make[kind](), path)


@cases("documents", [list("abc"), [1, 2, 10], ["x/y", "a b", "é=1"], ["01", "2", "3"]])
def test_folders_that_name_a_column(tmp_path, documents):
    """``document=a/``, as Spark, Dask, pandas and polars write and read them."""
    pytest.importorskip("dask.dataframe")
    from arraycoref.interop.dask import score_table

    frame = table(np.tile(range(5), 3), np.repeat(documents, 5), np.arange(15) % 2)
    folder = tmp_path / str(documents[0])[:1]
    frame.to_parquet(folder / "parts", partition_cols=["document"])
    frame.to_parquet(folder / "one.parquet")
    sides = [str(folder / name) for name in ("parts", "one.parquet")]
    for key, response in (sides, sides[::-1], sides[:1] * 2):
        for score in (ac.score_table, ac.score_files, score_table):
            scores = score(key, response)
            assert (sorted(scores.names), scores["bcub"].f1) == (sorted(map(str, documents)), 1.0)
    frame.assign(document=np.repeat([1, 2, 3], 5)).to_parquet(tmp_path / "numbers.parquet")
    if documents[0] == "a":
        with pytest.raises(ReadError, match=r"the folder is of document .* expected a whole number"):
            ac.score_table(sides[0], tmp_path / "numbers.parquet")


@cases("name", ["labels.txt", "signatures.json", "clusters.json"])
def test_files_of_labels(run, name):
    done = run("score", name, name, "--metrics", "b3")
    assert done.exit_code == 0 or "--input-format" in done.stderr


@cases("confidences", [(0.9, 0.8), np.array([0.9, 0.8]), [0.9, 0.8]])
def test_clusters_with_confidences(confidences):
    """As dedupe returns them; mentions that are spans of seconds are none."""
    clusters = [(("a", "b"), confidences), (("c",), (1.0,))]
    for call in (ac.score, lambda *sides: ac.Accumulator("muc").update(*sides)):
        with pytest.raises(InputError, match=r"response: cluster 0 is .* as of dedupe; expected the ids alone"):
            call([["a", "b"], ["c"]], clusters)
    spans = [((0.5, 1.25), (2.0, 2.5)), ((3.0, 4.5),)]
    assert ac.score(spans, spans)["muc"].f1 == 1


@cases("seed", [1.5, 2.0, "7", True, np.random.RandomState(0), np.random.SeedSequence(3)])
def test_seeds(seed):
    """What is neither a whole number nor a generator is refused, and not rounded."""
    (scores,) = systems(0, 5, 4, 0.3)
    with pytest.raises(InputError, match="seed is"):
        ac.bootstrap(scores, resamples=20, seed=seed)
