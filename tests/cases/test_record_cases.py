"""Records, pairs, labels of arrays and tables that gave a number or a message that misleads; each is one of a kind."""

import json
import re
import shlex
import uuid
from decimal import Decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import arraycoref as ac
from arraycoref.exceptions import InputError
from arraycoref.interop.sklearn import SCORERS, metric_score
from arraycoref.scoring.grouped import documents_by
from arraycoref.sweeps import wrong_pairs
from marks import cases

FOLDER = "clustering"
LEFT, RIGHT = [1, 3, 5, 2, 4], [2, 4, 6, 3, 5]
PERSONS = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c", 6: "c"}
WEIGHTS = np.array([75.0, 71.0, 68.0, 60.0, 58.0])


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def notes(runs):
    return " / ".join(runs.notes[0])


def tried(run, stderr):
    """Run the command that a message prints."""
    return run(*shlex.split(re.search("try: arraycoref (.*)", stderr)[1]))


@cases("names", [("match_probability", "match_weight"), ("probability", "weight")])
@cases("kind", ["pandas", "polars", "csv"])
def test_probabilities_that_are_all_one(tmp_path, names, kind):
    """From weights of 54 on, a probability is 1.0; the way that the note prints separates the pairs again."""
    table = pandas.DataFrame({"unique_id_l": LEFT, "unique_id_r": RIGHT, names[0]: 2**WEIGHTS / (1 + 2**WEIGHTS)})
    table[names[1]] = WEIGHTS
    pairs = {"pandas": table, "polars": polars.from_pandas(table), "csv": tmp_path / "pairs.csv"}[kind]
    table.to_csv(tmp_path / "pairs.csv", index=False)
    both = ac.sweep_pairs(PERSONS, pairs, metrics="pairwise")
    assert f"5 pairs of {names[0]} 1.0 differ in {names[1]}" in notes(both)
    way = re.search("pair_columns='(.*?)'", notes(both))[1]
    weights = ac.sweep_pairs(PERSONS, pairs, metrics="pairwise", pair_columns=way)
    assert (both["pairwise"].f1.max(), weights["pairwise"].f1.max()) == (pytest.approx(1 / 3), 1)
    assert "differ" not in notes(weights)


@cases(
    "left,right,columns,n",
    [
        ([0, 1, 2, 3], [0, 1, 2, 1], ("ltable_id", "rtable_id"), "3 pairs of an id with itself, 3 ids on both sides"),
        ([0, 1, 2, 3], [1, 0, 3, 2], ("left_id", "right_id"), "4 ids on both sides"),
        ([0, 1, 2, 3], [1, 2, 3, 3], ("unique_id_l", "unique_id_r"), "1 pair of an id with itself, 3 ids on both"),
        ([0, 1, 2], [1, 2, 3], ("unique_id_l", "unique_id_r"), None),
        ([0, 1], [2, 3], ("ltable_id", "rtable_id"), None),
    ],
)
def test_ids_that_two_tables_number(left, right, columns, n):
    table = pandas.DataFrame({columns[0]: left, columns[1]: right, "score": 0.5})
    found = notes(ac.sweep_pairs(dict.fromkeys(range(4), 1), table))
    assert n is None if "SOURCE+ID" not in found else f"{n}" in found


GOLD = {"idNorth": ["n1", "n2", "n3"], "idSouth": ["s1", "s2", "s3"]}
EDGES = {"id1": ["n1", "n2", "n3"], "id2": ["s1", "s2", "s2"], "score": [0.9, 0.8, 0.7]}


@cases("columns", [None, "idNorth,idSouth"])
@cases("kind", ["pandas", "pyarrow", "csv"])
def test_a_truth_of_pairs(tmp_path, columns, kind):
    """By hand: at 0.8, two of two links are right, and two of three found."""
    gold, edges = pandas.DataFrame(GOLD), pandas.DataFrame(EDGES)
    gold.to_csv(tmp_path / "gold.csv", index=False)
    truth = {"pandas": gold, "pyarrow": pyarrow.table(GOLD), "csv": tmp_path / "gold.csv"}[kind]
    found = ac.sweep_pairs(truth, edges, metrics="pairwise", columns=columns)
    assert found.at(threshold=0.8)["pairwise"].f1 == pytest.approx(0.8)
    assert found["pairwise"].f1.argmax() == found.parameters["threshold"].index(0.8)
    assert "3 pairs of ids in the truth, as its labels are ids; closing them adds 0" in notes(found)


def test_pairs_that_are_closed():
    """a-b, b-c and a-d give four records six pairs, three of which are added; numbers of two columns are ids too."""
    edges = pandas.DataFrame({"id1": [1, 2, 1], "id2": [2, 3, 4], "score": [0.9, 0.8, 0.7]})
    for truth in ({"p": [1, 2, 1], "q": [2, 3, 4]}, {"id1": [1, 2, 1, 2], "id2": [2, 3, 4, 1]}):
        found = ac.sweep_pairs(pandas.DataFrame(truth), edges, metrics="pairwise")
        assert "3 pairs of ids in the truth, as its labels are ids; closing them adds 3" in notes(found)
        assert found.at(threshold=0.7)["pairwise"].f1 == 1


@cases("labels", {"the first id of each": ["a", "a", "c"], "numbers": ["1", "1", "2"], "names": ["x", "x", "y"]})
def test_labels_that_are_no_pairs(labels):
    edges = pandas.DataFrame({"id1": ["a", "1"], "id2": ["b", "c"], "score": [0.9, 0.8]})
    truth = pandas.DataFrame({"unique_id": ["a", "b", "c"], "cluster_id": labels})
    assert "closing" not in notes(ac.sweep_pairs(truth, edges))
    with pytest.raises(InputError, match="expected unique_id"):
        ac.sweep_pairs(pandas.DataFrame({"rec": ["a", "b", "c"], "who": ["x", "x", "y"]}), edges)


@cases("pairs", [((0, 1), (2, 3)), ([0, 1], [2, 3]), [(0, 1), (2, 3)], (np.array([0, 2]), np.array([1, 3]))])
@cases("key", [[0, 0, 1, 1], {0: "x", 1: "x", 2: "y", 3: "y"}])
def test_two_pairs(key, pairs):
    found = ac.sweep_pairs(key, pairs, [0.9, 0.8], [1.0, 0.9, 0.8], metrics="muc")
    assert found["muc"].f1.round(4).tolist() == [0, 0.6667, 1]


@cases(
    "links,expected",
    [
        ([("a", "x", 0.9), ("x", "b", 0.8)], [("a", "x"), ("x", "b")]),
        ([("a", "x", 0.9), ("x", "y", 0.7), ("y", "b", 0.8), ("y", "z", 0.9)], [("a", "x"), ("y", "b"), ("x", "y")]),
        ([("a", "x", 0.9), ("x", "a2", 0.8)], []),
    ],
)
def test_entities_that_an_unknown_record_joins(links, expected):
    table = pandas.DataFrame(links, columns=["id1", "id2", "score"])
    wrong = wrong_pairs({"a": 10**12, "a2": 10**12, "b": 2}, table, 0.5)
    through = wrong[wrong.error == "through unknown"]
    assert list(zip(through.id1, through.id2, strict=True)) == expected


@cases("missing", [None, float("nan"), pandas.NA, np.float64("nan")])
def test_groups_that_are_missing(missing):
    scores = ac.score_labels_batch([0, 0, 1, 1], [0, 0, 1, 1], [0, 2, 4], names=["a", "b"])
    for groups in ({"a": "news", "b": missing}, ["news", missing]):
        for call in (scores.by, lambda by: ac.bootstrap(scores, resample_by=by), lambda by: documents_by("ab", by)):
            with pytest.raises(InputError, match=r"label 1 of \w+ is missing"):
                call(groups)


@cases("kinds", [(-3, -2), (-2, -2), (-1, -3)])
@cases("noise", ["singletons", "absent"])
def test_kinds_of_noise(kinds, noise):
    true = np.repeat([0, 1, 2], 6)
    labels, usual = true.copy(), true.copy()
    labels[[0, 6, 12]], labels[[1, 7, 13]] = kinds
    usual[[0, 1, 6, 7, 12, 13]] = -1
    for metric in ("pairwise", "bcub"):
        assert metric_score(true, labels, metric, noise=noise) == metric_score(true, usual, metric, noise=noise)
    assert metric_score(true, labels, "pairwise", field="precision", noise=noise) == 1
    fitted = type("Fitted", (), {"predict": lambda self, x: x})()
    assert SCORERS["bcub"](fitted, labels, true) == SCORERS["bcub"](fitted, usual, true)


IDS = [uuid.UUID(int=i) for i in (1, 1, 2, 2)]


@cases(
    "labels",
    {
        "UUIDs": IDS,
        "Arrow's UUIDs": pyarrow.array([one.bytes for one in IDS], pyarrow.uuid()),
        "decimals": [Decimal(1), Decimal("1.0"), Decimal(2), Decimal(2)],
        "Arrow's decimals": pyarrow.array([1, 1, 2, 2], pyarrow.decimal128(38, 0)),
        "pandas' objects": pandas.Series(IDS),
    },
)
def test_labels_of_databases(labels):
    assert ac.score_labels(labels, [0, 0, 1, 1])["muc"].f1 == 1


@cases(
    "labels",
    [[True, True, False, False], np.array([True, True, False, False])],
)
def test_booleans_are_two_labels(labels):
    assert ac.score_labels(labels, [0, 0, 1, 1])["muc"].f1 == 1


def test_labels_whose_message_has_the_way():
    labels = np.array([b"a", b"a", b"b", b"b"])
    with pytest.raises(InputError, match=r"\.astype\(str\)"):
        ac.score_labels(labels, [0, 0, 1, 1])
    assert ac.score_labels(labels.astype(str), [0, 0, 1, 1])["muc"].f1 == 1


NAMES = list("wxyz")


@cases(
    "one,other",
    {
        "Enum and String": (polars.Series(NAMES, dtype=polars.Enum(NAMES[::-1])), NAMES),
        "two Enums": [polars.Series(NAMES, dtype=polars.Enum(order)) for order in (NAMES, NAMES[::-1])],
        "Categorical and String": (polars.Series(NAMES, dtype=polars.Categorical), NAMES),
        "Int128 and Int64": (polars.Series([1, 2, 3, 4], dtype=polars.Int128), [1, 2, 3, 4]),
        "Int8 and Int128": (
            polars.Series([1, 2, 3, 4], dtype=polars.Int8),
            polars.Series([1, 2, 3, 4], dtype=polars.Int128),
        ),
    },
)
@cases("place", ["mention", "document"])
def test_types_of_columns(one, other, place):
    more = {"document": "mention", "mention": "document"}[place]
    sides = [polars.DataFrame({place: column, more: ["d"] * 4, "label": [0, 0, 1, 1]}) for column in (one, other)]
    assert ac.score_table(*sides)["mentions"].f1 == 1


KEY_OF_GRAPH = [("harbour", 0, "E1"), ("quay", 3, "E1"), ("tide", 5, "E1"), ("harbour", 10, "E2"), ("quay", 12, "E2")]


@cases(
    "rows,n",
    {
        "entries": ([*KEY_OF_GRAPH, ("tide", 20, "NIL1")], 2),
        "numbers of a knowledge base": ([(d, n, int(e[1]) * 10**6) for d, n, e in KEY_OF_GRAPH], 2),
        "names": ([(d, n, {"E1": "Oslo", "E2": "Rome"}[e]) for d, n, e in KEY_OF_GRAPH], 2),
        "numbers in each document": ([(d, n, e[1]) for d, n, e in KEY_OF_GRAPH], 0),
        "numbers behind a letter": ([(d, n, e.lower()) for d, n, e in KEY_OF_GRAPH], 0),
        "links within documents": ([(d, n + k, e + "x") for d, n, e in KEY_OF_GRAPH for k in (0, 90, 180)], 0),
    },
)
@pytest.mark.filterwarnings("always")
def test_labels_of_several_documents(tmp_path, rows, n, recwarn):
    table = pandas.DataFrame(rows, columns=["document", "mention", "label"])
    table.to_csv(tmp_path / "key.csv", index=False)
    table.to_parquet(tmp_path / "key.parquet")
    for sides in ((table, table), [tmp_path / "key.csv"] * 2, [tmp_path / "key.parquet"] * 2):
        recwarn.clear()
        ac.score_table(*sides)
        told = [str(warning.message) for warning in recwarn]
        assert len(told) == bool(n)
        assert not n or f"{n} labels are in several documents" in told[0]


def test_the_way_to_one_clustering(write, run):
    """By hand: of six mentions, the response has one of three links to E1 elsewhere: B-cubed 4.67 / 6 and 6 / 6."""
    rows = ["doc\tstart\tend\tkb", "harbour\t0\t4\tE1", "quay\t3\t7\tE1", "tide\t5\t9\tE1", "harbour\t10\t14\tE2"]
    rows += ["quay\t12\t15\tE2", "tide\t20\t24\tNIL1"]
    key, response = ("\n".join(rows) + "\n", "\n".join(rows).replace("9\tE1", "9\tE9") + "\n")
    files = write("key.tsv", key), write("response.tsv", response)
    done = run("score", *files, "--columns", "doc,start+end,kb", "--metrics", "bcub")
    assert "2 labels are in several documents" in done.stderr
    way = re.search("--columns '(.*?)'", done.stderr)[1]
    assert "87.50" in run("score", *files, "--columns", way, "--metrics", "bcub").stdout


@cases("name,mark", [("a.cnl", " "), ("a.tsv", "\t"), ("a.csv", ","), ("a.txt", "; ")])
def test_a_cluster_in_each_line(write, run, name, mark):
    """By hand: of the pairs 12, 13, 23, 56 the response has 12 and 56, and 34 beside: 2 / 4 and 2 / 3."""
    lines = ["u1 u2 u3", "u4", "u5 u6"], ["u1 u2", "u3 u4 u9 u9a", "u5 u6"]
    files = [write(f"{n}{name}", "\n".join(side).replace(" ", mark) + "\n") for n, side in enumerate(lines)]
    done = run("score", *files, "--metrics", "pairwise")
    assert done.exit_code == 1
    assert "this looks like a cluster in each line" in done.stderr
    assert "--input-format 'members'" in done.stderr
    assert "COREF" not in done.stderr
    found = run("score", *files, "--metrics", "pairwise", "--input-format", "members", "--counts").stdout
    assert "2 / 4" in found
    assert "2 / 8" in found
    forced = run("score", *files, "--metrics", "pairwise", "--input-format", "clueval")
    assert forced.exit_code == 1
    assert "no line has a '|'" in forced.stderr


def test_labels_that_a_library_saved(tmp_path, run):
    path, labels = tmp_path / "key.pkl", np.array([0, 0, 1, 1])
    pandas.to_pickle(labels, path)
    done = run("score", path, path, "--metrics", "ari")
    assert done.exit_code == 1
    assert "numpy.savetxt('labels.txt', labels, fmt='%s') writes a label in each line" in done.stderr
    for side, values in (("key", labels), ("response", [3, 3, 5, 4])):
        np.savetxt(tmp_path / f"{side}.txt", values, fmt="%s")
        np.save(tmp_path / f"{side}.npy", values)
    files = [tmp_path / f"{side}.txt" for side in ("key", "response")]
    assert "57.14" in run("score", *files, "--metrics", "ari", "--input-format", "labels").stdout
    arrays = [file.with_suffix(".npy") for file in files]
    assert "57.14" in run("score", *arrays, "--metrics", "adjusted_rand_score").stdout


@pytest.fixture
def blocks():
    rng = np.random.default_rng(0)
    key = np.repeat(np.arange(120), rng.integers(1, 5, 120))
    response = np.where(rng.random(key.size) < 0.15, rng.integers(0, 120, key.size), key)
    return key, response, key // 4


@cases("ids", {"texts": lambda i: f"rec-{i}", "numbers": lambda i: 7 * i, "tuples": lambda i: (i // 9, i % 9)})
@cases("library", ["pandas", "polars", "pyarrow"])
def test_units_of_a_table(blocks, ids, library):
    """The interval is that of the same labels in the order of positions."""
    key, response, block = blocks
    names = [ids(i) for i in range(key.size)]
    columns = {"a": [n[0] for n in names], "b": [n[1] for n in names]} if isinstance(names[0], tuple) else {"a": names}
    make = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}[library]
    order = np.random.default_rng(1).permutation(key.size)
    of_key = make({**columns, "label": key.tolist()})
    of_response = make(
        {name: [values[i] for i in order] for name, values in {**columns, "label": response.tolist()}.items()}
    )
    scores = ac.score_table(of_key, of_response, document=None, mention=list(columns), metrics="bcub")
    expected = ac.bootstrap(ac.score_labels(key, response, metrics="bcub"), resample_by=block)["bcub"].f1
    units = dict(zip(names, block.tolist(), strict=True)) | {"another": 999}
    series = pandas.Series(list(units.values()), pandas.Index(list(units), tupleize_cols=False))
    for by in (units, series):
        f1 = ac.bootstrap(scores, resample_by=by)["bcub"].f1
        assert (f1.low, f1.high) == pytest.approx((expected.low, expected.high))
    with pytest.raises(InputError, match="has no label in resample_by"):
        ac.bootstrap(scores, resample_by={names[0]: 1})


def mention(chain, predicted, n, document):
    return {"coref_chain": chain, "predicted_coref_chain": predicted, "doc_id": document, "sent_id": 0} | {
        "tokens_number": [n],
        "mention_id": str(n),
    }


GOLD_CHAINS, PREDICTED_CHAINS = [11, 11, 11, 12, 12, 13], [1, 1, 2, 3, 3, 3]
"""MUC by hand: 3 links of the key and of the response, 2 of them shared."""


def side_by_side(format, gold, predicted):
    if format == "wec":
        return json.dumps([mention(g, p, n, "d") for n, (g, p) in enumerate(zip(gold, predicted, strict=True))])
    if format == "csv":
        rows = [f"{n},{g},{p}" for n, (g, p) in enumerate(zip(gold, predicted, strict=True))]
        return "\n".join(["mention,label,predicted_label", *rows, ""])
    field = {"preco": "mention_clusters", "maverick": "clusters_token_offsets"}[format]
    sides = {}
    for name, labels in ((field, gold), (f"predicted_{field}", predicted)):
        spans = [[0, n, n + 1] if format == "preco" else [n, n] for n in range(6)]
        sides[name] = [[s for s, own in zip(spans, labels, strict=True) if own == one] for one in dict.fromkeys(labels)]
    words = {"sentences": [["w"] * 6]} if format == "preco" else {"tokens": ["w"] * 6}
    return json.dumps({"id": "d", "doc_id": "d", **words, **sides}) + "\n"


@cases("format,ending", [("wec", "json"), ("preco", "jsonl"), ("maverick", "jsonl"), ("csv", "csv")])
def test_gold_and_predicted_clusters_side_by_side(write, run, format, ending):
    both = write(f"both.{ending}", side_by_side(format, GOLD_CHAINS, PREDICTED_CHAINS))
    command = ["score", both, both, "--metrics", "muc", "--counts"]
    done = run(*command)
    assert "2 / 3               2 / 3" in done.stdout
    assert "the response is what was predicted" in done.stderr
    way = re.search("--(clusters-field|columns) '(.*?)' reads the others", done.stderr)
    assert "3 / 3               3 / 3" in run(*command, f"--{way[1]}", way[2]).stdout


def test_predictions_that_say_nothing(write):
    unknown = write("unknown.json", side_by_side("wec", GOLD_CHAINS, ["UNK"] * 6))
    assert ac.score_files(unknown, unknown)["muc"].recall_den == 3


@cases("names", [("a", "The Play"), ("a", "b"), ("a_0", "x")])
def test_pairs_that_the_user_made(tmp_path, run, names):
    """With --file-pairs, files belong together whatever their documents are called; without, the names decide."""
    for folder, name in zip(("keys", "responses"), names, strict=True):
        (tmp_path / folder).mkdir(exist_ok=True)
        line = {"doc_key": name, "sentences": [["w"] * 6], "clusters": [[[0, 0], [2, 2], [4, 4]]]}
        (tmp_path / folder / "play.jsonl").write_text(json.dumps(line) + "\n")
    found = ac.score_file_pairs(tmp_path / "keys", tmp_path / "responses")
    assert (found.total["muc"].recall_num, found.total["muc"].f1) == (2, 1)
    assert (
        ac.score_corefud(tmp_path / "keys", tmp_path / "responses", file_pairs=True, heads="first")["exact"]
        .total["muc"]
        .f1
        == 1
    )
    with pytest.raises(InputError, match="key and response have no document in common"):
        ac.score_files(tmp_path / "keys" / "play.jsonl", tmp_path / "responses" / "play.jsonl")


def test_batches_without_documents():
    accumulator = ac.Accumulator("bcub", keep_documents=True)
    accumulator.update([np.array([0, 0, 1])], [np.array([0, 0, 1])])
    for empty in ([], (), {}, np.zeros((0, 5), int)):
        accumulator.update(empty, empty)
    assert (accumulator.n_documents, accumulator.documents().macro["bcub"].f1) == (1, 1)


def test_documents_that_are_added_twice():
    one, other = ac.Accumulator("muc"), ac.Accumulator("muc")
    for accumulator in (one, other):
        accumulator.update({"a": [["x", "y"]]}, {"a": [["x", "y"]]})
    for call in (lambda: one.update({"a": [["x"]]}, {"a": [["x"]]}), lambda: one.merge(other)):
        with pytest.raises(InputError, match="'a' was added before"):
            call()
    assert one.n_documents == 1
    one.reset()
    one.merge(other)
    assert one.n_documents == 1
