"""Scored pairs of records with ids of any kind: every form of input, and thresholds against sets merged by hand."""

import uuid

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.sweeps import linking_stages, sweep_pairs, wrong_pairs
from marks import about, cases
from strategies import examples

pandas = pytest.importorskip("pandas")

EDGES = [(1, 2, 0.9), (1, 3, 0.85), (2, 3, 0.92), (4, 5, 0.7), (3, 4, 0.6)]
"""Five edges of five records, as Splink has them."""
TRUTH = {1: "x", 2: "x", 3: "x", 4: "y", 5: "y"}
EXPECTED = {  # recall and precision: sums of pairs and of B-cubed, counted by hand
    0.95: ((0, 4, 0, 0), (2, 5, 5, 5)),
    0.9: ((3, 4, 3, 3), (4, 5, 5, 5)),
    0.7: ((4, 4, 4, 4), (5, 5, 5, 5)),
    0.6: ((4, 4, 4, 10), (5, 5, 2.6, 5)),
}
COLUMNS = ["unique_id_l", "unique_id_r", "match_probability"]
KINDS = ["false link", "through unknown", "missed link", "no pair"]


def frame(edges=EDGES, columns=COLUMNS, **more):
    return pandas.DataFrame(dict(zip(columns, zip(*edges, strict=True), strict=True)) | more)


def truth(ids=TRUTH, column="unique_id"):
    return pandas.DataFrame({"cluster_id": list(ids.values()), "name": "Ann", column: list(ids)})


def renamed(name):
    """Return truth and edges with other ids."""
    return {name(n): entity for n, entity in TRUTH.items()}, [(name(a), name(b), score) for a, b, score in EDGES]


def in_sources():
    """Return truth and edges with ids that repeat in two data sets."""
    source = {n: ("left" if n < 4 else "right", n % 3) for n in TRUTH}
    columns = {f"source_dataset_{side}": [source[edge[e]][0] for edge in EDGES] for e, side in enumerate("lr")}
    table = frame([(source[a][1], source[b][1], score) for a, b, score in EDGES], **columns)
    ids = pandas.DataFrame(list(source.values()), columns=["source_dataset", "unique_id"])
    return ids.assign(cluster_id=list(TRUTH.values())), table


class InDatabase:
    """A table as `linker.inference.predict()` returns it."""

    columns = ()

    def __init__(self, table):
        self.as_pandas_dataframe = lambda: table


def forms():
    index = pandas.MultiIndex.from_tuples([edge[:2] for edge in EDGES], names=["rec_id_1", "rec_id_2"])
    scores = [edge[2] for edge in EDGES]
    of_dedupe = np.array([(edge[:2], edge[2]) for edge in EDGES], [("pairs", "i8", 2), ("score", "f4")])
    texts, text_edges = renamed("rec-{}".format)
    uuids, uuid_edges = renamed(lambda n: uuid.UUID(int=n))
    large, large_edges = renamed(lambda n: 2**63 + n)
    series = pandas.Series(TRUTH)
    yield "splink", (truth(), frame())
    yield "splink's database", (InDatabase(truth()), InDatabase(frame()))
    yield "texts", (truth(texts), frame(text_edges))
    yield "uuids", (truth(uuids), frame(uuid_edges))
    yield "above int64", (truth(large), frame(large_edges))
    yield "floats", (truth(), frame().astype({"unique_id_l": float}))
    yield "categories", (truth(texts), frame(text_edges).astype({"unique_id_l": "category"}))
    yield "two columns", in_sources()
    yield "one of two", (truth().assign(source_dataset="left"), frame())
    yield "weights", (truth(), frame().assign(match_weight=scores).drop(columns="match_probability"))
    yield "own names", (truth().rename(columns={"cluster_id": "who"}), frame(columns=["a", "b", "c"]))
    yield "series", (series, frame())
    yield "labels by id", (TRUTH, frame())
    yield "labels by NumPy's numbers", (dict(zip(np.array([*TRUTH]), TRUTH.values(), strict=True)), frame())
    yield "entities", ({"x": [1, 2, 3], "y": (4, 5)}, frame())
    yield "clusters", ([[1, 2, 3], {4, 5}], frame(columns=["id_1", "id_2", "score"]))
    yield "arrays", ([[1, 2, 3], [4, 5]], ([edge[0] for edge in EDGES], np.array([edge[1] for edge in EDGES])), scores)
    yield "array of texts", (texts, np.array([edge[:2] for edge in text_edges]), scores)
    yield "tuples", ({("r", n): e for n, e in TRUTH.items()}, [(("r", a), ("r", b)) for a, b, _ in EDGES], scores)
    yield "multi-index", (series, index, scores)
    yield "series of recordlinkage", (truth(), pandas.Series(scores, index))
    yield "table of recordlinkage", (TRUTH, pandas.DataFrame({"name": 1.0, "score": scores}, index))
    yield "dedupe", ([[1, 2, 3], [4, 5]], of_dedupe)
    for library in ("polars", "pyarrow"):
        module = pytest.importorskip(library)
        make = module.from_pandas if library == "polars" else module.Table.from_pandas
        yield library, (make(truth(texts)), make(frame(text_edges)))


FORMS = dict(forms())


def sums(score):
    return score.recall_num, score.recall_den, score.precision_num, score.precision_den


def check(found):
    for scores, (pairwise, bcub) in zip(found.values(), EXPECTED.values(), strict=True):
        assert sums(scores["pairwise"]) == pairwise
        assert sums(scores["bcub"]) == pytest.approx(bcub)
    assert not found.joint_notes


OPTIONS = {"thresholds": np.array([*EXPECTED]) - 1e-6, "metrics": "pairwise,bcub"}  # dedupe has scores of 32 bits


@cases("key,pairs,scores", {name: (*form, None)[:3] for name, form in FORMS.items()})
def test_five_edges_at_four_thresholds(key, pairs, scores, engine):
    own = {"columns": "unique_id,who", "pair_columns": "a,b,c"} if "a" in getattr(pairs, "columns", ()) else {}
    check(sweep_pairs(key, pairs, scores, **OPTIONS, **own))


@cases("form", ["splink", "texts", "uuids", "two columns"])
@cases("endings", [("csv", "csv"), ("parquet", "parquet"), ("tsv", "parquet"), ("", "csv"), ("csv", "")])
def test_files(tmp_path, form, endings):
    """Ids in files are texts, so that those of a table beside a file are too; Spark's folders have several files."""
    tables = FORMS[form]
    sides = list(tables)
    for n, (table, ending) in enumerate(zip(tables, endings, strict=True)):
        path = tmp_path / f"{form}{n}.{ending}"
        if ending == "parquet":
            path.mkdir(exist_ok=True)
            texts = table.map(str).assign(match_probability=table[COLUMNS[2]]) if n else table.map(str)
            for part in (0, 1):
                texts[part::2].to_parquet(path / f"part-{part}.parquet")
            (path / "_SUCCESS").write_text("")
        elif ending:
            table.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
        sides[n] = path if ending else table
    columns = "source_dataset+unique_id,cluster_id" if form == "two columns" else "unique_id,cluster_id"
    check(sweep_pairs(*sides, **OPTIONS, columns=columns))


def merged(records, edges, threshold):
    """Merge the sets of records that a link joins, until none does."""
    clusters = [{record} for record in records]
    for a, b, score in edges:
        if score >= threshold and score > -np.inf:
            joined = [cluster for cluster in clusters if a in cluster or b in cluster]
            clusters = [cluster for cluster in clusters if cluster not in joined] + [set().union(*joined)]
    return clusters


RECORD = st.sampled_from([f"r{n}" for n in range(12)])
EDGE = st.tuples(RECORD, RECORD, st.sampled_from([-np.inf, 0.1, 0.25, 0.5, 0.75, 0.9]))


@examples(3)
@given(st.dictionaries(RECORD, st.integers(-1, 3), min_size=1), st.lists(EDGE, min_size=1))
def test_random_edges(key, edges):
    """All records count: those in no pair, and those of pairs that the truth lacks."""
    pairs = frame(edges)
    if not set(key) & {record for edge in edges for record in edge[:2]}:
        with pytest.raises(ac.InputError, match="no record of the pairs is in the truth, whose ids are as r"):
            sweep_pairs(key, pairs)
        return
    known = {record: entity for record, entity in key.items() if entity >= 0}
    entities = [{record for record in known if known[record] == entity} for entity in set(known.values())]
    records = {*key, *(record for edge in edges for record in edge[:2])}
    found = sweep_pairs(key, pairs, metrics=ac.DEFAULT_METRICS)
    assert found.settings == tuple({"threshold": t} for t in sorted({s["threshold"] for s in found.settings})[::-1])
    for setting, scores in found.items():
        expected = ac.score(entities, merged(records, edges, setting["threshold"]), metrics=ac.DEFAULT_METRICS)
        for metric in ac.DEFAULT_METRICS:
            assert scores[metric].f1 == pytest.approx(expected[metric].f1, rel=1e-12)
    for threshold in (0.25, 0.8):
        wrong = listed(wrong_pairs(key, pairs, threshold))
        assert [row for row in wrong if row[2] != "through unknown"] == by_definition(known, edges, threshold)
        links = [(a, b, 1) for a, b, score in edges if score >= threshold and not {a, b} <= known.keys()]
        through = [(a, b, 1) for a, b, error in wrong if error == "through unknown"]
        assert set(through) <= set(links)
        assert joined(known, through) == joined(known, links)
        for link in through:
            assert joined(known, [other for other in through if other != link]) != joined(known, links)


@examples(3)
@given(
    st.dictionaries(RECORD, st.integers(-1, 3), min_size=1),
    st.lists(EDGE, min_size=1),
    st.sampled_from(["none", "key"]),
)
def test_stages_of_random_edges(key, edges, restrict):
    """Stages are sets of pairs, and the last one has the scores of the metric."""
    records = {*key, *(record for edge in edges for record in edge[:2])}
    scored = {record for record in key if key[record] >= 0} if restrict == "key" else records
    if not {*key} & {record for edge in edges for record in edge[:2]} or not scored:
        return

    def pairs_of(pairs):
        return {frozenset(pair) for pair in pairs if len({*pair}) == 2 and {*pair} <= scored}

    true = pairs_of((a, b) for a in key for b in key if key[a] == key[b] >= 0)
    compared = pairs_of((a, b) for a, b, _ in edges)
    for threshold in (0.25, 0.8):
        linked = pairs_of((a, b) for a, b, score in edges if score >= threshold)
        clusters = merged(records, edges, threshold)
        closed = pairs_of((a, b) for cluster in clusters for a in cluster for b in cluster)
        stages = linking_stages(key, frame(edges), threshold, restrict=restrict)
        every = (compared, linked, closed)
        assert (stages.n_true, stages.true) == (len(true), tuple(len(pairs & true) for pairs in every))
        assert stages.pairs == tuple(map(len, every))
        assert stages.n_uncompared == len(closed & true - compared)
        score = sweep_pairs(key, frame(edges), thresholds=[threshold], metrics="pairwise", restrict=restrict)
        *_, last = stages.rows()
        ratios = score["pairwise"].recall[0], score["pairwise"].precision[0]
        assert (last["recall"], last["precision"]) == pytest.approx(ratios, rel=1e-12)


def test_sentences_of_stages():
    """Of abc and def: ac, df and ef are not compared, and de is below; closing a-b-c-x joins ac, ax and bx."""
    truth = [["a", "b", "c"], ["d", "e", "f"], ["x"]]
    edges = [("a", "b", 0.9), ("c", "b", 0.8), ("b", "a", 0.1), ("c", "x", 0.7), ("d", "e", 0.3), ("a", "a", 0.9)]
    assert str(linking_stages(truth, frame(edges), 0.5)).splitlines() == [
        "Blocking leaves out 3 of 6 true pairs and lets 1 false pair through (recall 50.00, precision 75.00).",
        "The threshold 0.5 leaves out 1 more true pair and links 1 false pair (recall 33.33, precision 66.67).",
        "Closing adds 1 true pair (1 never compared) and 2 false pairs (recall 50.00, precision 50.00).",
    ]


def joined(known, links):
    """Return the sets of entities that links join, also through records of no known entity."""
    nodes = [(known.get(a, a), known.get(b, b), score) for a, b, score in links]
    clusters = merged({*known.values(), *(end for link in nodes for end in link[:2])}, nodes, 1)
    return {frozenset(cluster) & {*known.values()} for cluster in clusters} - {frozenset()}


def listed(wrong):
    """Return wrong pairs as a set of records and kind; of pairs that are missing, how many there are in each entity."""
    assert wrong["error"].tolist() == sorted(wrong["error"], key=KINDS.index)
    assert wrong["match_probability"].isna().tolist() == (wrong["error"] == "no pair").tolist()
    return [tuple(row) for row in wrong[[*COLUMNS[:2], "error"]].to_numpy().tolist()]


def by_definition(known, edges, threshold):
    clusters = merged({*known, *(record for edge in edges for record in edge[:2])}, edges, threshold)
    of = {record: n for n, cluster in enumerate(clusters) for record in cluster}
    both = [edge for edge in sorted(edges, key=lambda edge: -edge[2]) if edge[0] in known and edge[1] in known]
    linked = [score >= threshold and score > -np.inf for *_, score in both]
    false = [e[:2] for e, is_link in zip(both, linked, strict=True) if is_link and known[e[0]] != known[e[1]]]
    missed = [
        e[:2]
        for e, is_link in zip(both, linked, strict=True)
        if not is_link and known[e[0]] == known[e[1]] and of[e[0]] != of[e[1]]
    ]
    links = [(a, b, 1.0) for a, b, score in edges if score >= threshold and score > -np.inf]
    parts = merged(of, links + [(*pair, 1.0) for pair in missed], 1.0)
    apart = []
    for entity in sorted(set(known.values())):
        records = [record for record in known if known[record] == entity]
        first = [next(record for record in records if record in part) for part in parts if part & set(records)]
        first.sort(key=records.index)
        apart += [(first[0], record) for record in first[1:]]
    named = [(false, "false link"), (missed, "missed link"), (apart, "no pair")]
    return [(*pair, error) for pairs, error in named for pair in pairs]


def test_wrong_pairs_of_ids_in_files(tmp_path):
    key, pairs = FORMS["two columns"]
    key.to_csv(tmp_path / "key.csv", index=False)
    pairs[pairs["match_probability"] < 0.9].to_csv(tmp_path / "pairs.csv", index=False)
    wrong = wrong_pairs(tmp_path / "key.csv", tmp_path / "pairs.csv", 0.65, backend="pyarrow").to_pylist()
    ids = ("source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r", "error")
    assert [tuple(row[name] for name in ids) for row in wrong] == [("left", "1", "left", "2", "no pair")]


def test_positions_and_wrong_pairs():
    wrong = wrong_pairs([7, 7, 8, -1], [[0, 2], [1, 3]], 0.5, [0.9, 0.9])
    assert wrong.values.tolist()[0] == [0, 2, 0.9, "false link"]
    assert wrong.values.tolist()[1][:2] == [0, 1]


def test_many_thresholds_are_spread_evenly():
    edges = [(n, n + 1, 1 - n / 1000) for n in range(900)]
    found = sweep_pairs([range(901)], frame(edges), metrics="bcub")
    thresholds = np.array(found.parameters["threshold"])
    assert (thresholds.size, thresholds[0], thresholds[-1]) == (100, 1.0, pytest.approx(0.101))
    assert np.diff(thresholds).max() < 0 < np.diff(thresholds).min() + 0.02
    assert len(sweep_pairs([range(901)], frame(edges), thresholds=[0.5, 0.2], metrics="bcub")) == 2


def test_the_best_threshold_has_an_interval():
    """Entities of one clustering are drawn, whatever the order of thresholds."""
    rng = np.random.default_rng(0)
    key = rng.integers(0, 60, 200)
    left, right = rng.integers(0, 200, (2, 3000))
    scores = np.where(key[left] == key[right], 0.6, 0.3) + 0.4 * rng.random(3000)
    pairs = frame(list(zip(left.tolist(), right.tolist(), scores.tolist(), strict=True)))
    truth_of = dict(enumerate(key.tolist()))
    one, other = (
        sweep_pairs(truth_of, pairs, thresholds=order, metrics="bcub").best("bcub", resamples=50)
        for order in ([0.9, 0.65, 0.5], [0.5, 0.9, 0.65])
    )
    assert (one.setting, vars(one.score)) == (other.setting, vars(other.score))
    assert one.score.low < one.score.estimate < one.score.high


@cases(
    "key,pairs,message",
    {
        "kinds": (truth(renamed(str)[0]), frame(), "ids are str in the truth and int in the pairs"),
        "no column": (
            truth(),
            frame(columns=["a", "b", "c"]),
            "the columns of the pairs are a, b, c; expected unique_id_l",
        ),
        "no score": (truth(), frame(columns=["id_l", "id_r", "c"]), "expected match_probability or the like"),
        "nan": (truth(), frame([(1, 2, np.nan)]), "row 0 of the pairs has the score nan"),
        "no id": (truth(), frame([(1, 2, 0.5), (1, None, 0.5)]), "row 1 of the pairs has no id"),
        "no id, text": (["ab"], frame([("a", "b", 0.5), ("a", None, 0.5)]), "without the ids of records"),
        "rounded": (truth(), frame([(1, 2.0**60, 0.5)]), "have the id 1.15"),
        "sources": (
            truth(),
            in_sources()[1],
            "columns of the truth are cluster_id, name, unique_id; expected .*columns='SOURCE.ID,LABEL' names others",
        ),
        "usual": (
            truth().rename(columns={"cluster_id": "cluster"}),
            frame(),
            "columns='unique_id,cluster' names these",
        ),
        "no index": (truth()["cluster_id"], frame(), "the index of the truth counts its rows"),
        "levels": (pandas.Series(TRUTH), in_sources()[1], "an id is of 1 columns in the truth and of 2 in the pairs"),
        "no scores": (TRUTH, np.array([[1, 2]]), "the pairs have no scores"),
        "lengths": (TRUTH, (([1, 2], [3]), {"scores": [1.0]}), "for ids of 2 and 1 rows"),
        "no truth": ([7, 7], frame(), "the truth is .*, without the ids of records; expected a table with ids"),
        "dedupe": ([((1, 2), (0.9, 0.8)), ((3,), (1.0,))], frame(), "ids with their confidences, as of dedupe"),
        "names": (truth(), (frame(), {"pair_columns": "a,b"}), "pair_columns is 'a,b'; expected LEFT,RIGHT,SCORE"),
    },
)
def test_what_is_refused(key, pairs, message):
    pairs, options = pairs if isinstance(pairs, tuple) else (pairs, {})
    with pytest.raises(ac.InputError, match=message):
        sweep_pairs(key, pairs, **options)


def test_a_record_twice():
    with pytest.raises(ac.DuplicateMentionError, match="record 2 is in rows 1 and 2 of the truth"):
        sweep_pairs([[1, 2], [2]], frame())


HEADER = "unique_id_l,unique_id_r,score\n"


@cases(
    "text,message",
    {
        "number": (
            HEADER + "a,b,0.5\na,b,high\n",
            "scores of the pairs: could not convert string to float: .*high.*; expected numbers",
        ),
        "id": (HEADER + "a,b,0.5\n,a,0.5\n", "row 1 of the pairs has no id"),
        "width": (HEADER + "a,b,1\na,b\n", "e.csv:3: 2 columns; expected 3"),
        "score": ("unique_id_l,unique_id_r\na,b\n", "e.csv are unique_id_l, unique_id_r; expected match_"),
        "quotes": (HEADER + '"a"b,c,1\n', "e.csv:2: no table separated by ','"),
    },
)
def test_faults_of_files(tmp_path, text, message):
    (tmp_path / "e.csv").write_text(text)
    with pytest.raises((ac.InputError, ac.ReadError), match=message):
        sweep_pairs([["a", "b"]], tmp_path / "e.csv")


@cases("mark", ["", "\ufeff"])
def test_truth_of_other_formats(tmp_path, mark):
    (tmp_path / "t.json").write_text(mark + '{"x": [1, 2, 3], "y": ["4", "5"]}', encoding="utf-8")
    check(sweep_pairs(tmp_path / "t.json", frame(), **OPTIONS, format="s2and"))
    with pytest.raises(ac.InputError, match=r"t.json are .*a mapping from clusters to members, which format="):
        sweep_pairs(tmp_path / "t.json", frame())


RECORDS = "unique_id,name,born\n1,Ann,1990\n2,An,\n3,Bo,1980\n4,Cy,1970\n5,Cyd,1971\n"
OBJECTS = (
    '{"unique_id": 1, "name": "Ann", "born": 1990}\n{"name": "An", "unique_id": "2"}\n\n'
    '{"unique_id": 3, "name": "Bo", "born": 1980}\n{"unique_id": 4, "name": "Cy", "born": 1970}\n'
    '{"unique_id": 5, "name": "Cyd", "born": 1971}\n'
)
FIELDS = [["Bo", "Cy", "1980", "1970"], ["Cy", "Cyd", "1970", "1971"]]
"""Name and date of the records 3 and 4, which a link joins, and of 4 and 5, which none joins."""


def fields_of(wrong):
    assert [*wrong][-5:] == ["error", "name_l", "name_r", "born_l", "born_r"]
    return wrong.iloc[:2, -4:].values.tolist()


def test_fields_of_wrong_pairs(tmp_path):
    pairs = [(3, 4, 0.9), (4, 5, 0.1)]
    for name, text in (("records.csv", RECORDS), ("records.jsonl", OBJECTS)):
        (tmp_path / name).write_text(text)
        assert fields_of(wrong_pairs(truth(), frame(pairs), 0.5, records=tmp_path / name)) == FIELDS
    table = pandas.read_csv(tmp_path / "records.csv", dtype={"born": "Int64"})
    table.to_parquet(tmp_path / "records.parquet")
    sides = {"a truth with more columns": (truth().drop(columns="name").merge(table), None)}
    (tmp_path / "truth.csv").write_text(sides["a truth with more columns"][0].to_csv(index=False))
    sides |= {"its file": (tmp_path / "truth.csv", None), "a table": (truth(), table)}
    sides |= {"Parquet": (truth(), tmp_path / "records.parquet"), "clusters": ([[1, 2, 3], [4, 5]], table)}
    for case, (key, records) in sides.items():
        with about(case):
            assert fields_of(wrong_pairs(key, frame(pairs), 0.5, records=records)) == FIELDS
    key, in_two = in_sources()
    table = key.drop(columns="cluster_id").assign(name=[*"abcde"])
    wrong = wrong_pairs(key, in_two, 0.95, records=table)
    assert wrong[["name_l", "name_r"]].values.tolist()[:2] == [["b", "c"], ["a", "b"]]


def test_records_without_fields_or_with_too_many(tmp_path):
    (tmp_path / "records.csv").write_text(RECORDS.replace("4,Cy,1970\n", ""))
    with pytest.warns(ac.ReadWarning, match=r"records.csv: no row for 1 record$"):
        wrong = wrong_pairs(truth(), frame([(3, 4, 0.9)]), 0.5, records=tmp_path / "records.csv")
    assert fields_of(wrong)[0] == ["Bo", "", "1980", ""]
    for name, text in (("twice.csv", RECORDS), ("twice.jsonl", OBJECTS)):
        (tmp_path / name).write_text(text + text.splitlines()[-1] + "\n")
        message = f"record '5' is in rows 4 and 5 of .*{name}"
        with pytest.raises(ac.DuplicateMentionError, match=message):
            wrong_pairs(truth(), frame(), 0.5, records=tmp_path / name)
    with pytest.raises(
        ac.InputError, match="the columns of the table of records are a, b; expected the ids, unique_id"
    ):
        wrong_pairs(truth(), frame(), 0.5, records=pandas.DataFrame({"a": [1], "b": [2]}))
    (tmp_path / "broken.jsonl").write_text('{"unique_id": 1}\n[2]\n')
    with pytest.raises(ac.ReadError, match=r"broken.jsonl:2: .*; expected an object of JSON"):
        wrong_pairs(truth(), frame(), 0.5, records=tmp_path / "broken.jsonl")
