"""What tools write as tables and mappings, read from small files: the same as their clusters, written out by hand."""

import ast
import gzip
import json

import pytest
from click.testing import CliRunner

import arraycoref as ac
from alike import alike
from arraycoref.cli import main
from arraycoref.interop.tables import score_table_files
from arraycoref.read import read_documents
from arraycoref.read.texts import FORMATS, tables_of
from marks import cases

KEY = [["a", "b", "c"], ["d", "e"]]
RESPONSE = [["a", "b"], ["c", "d", "f"]]

BOOKNLP = """COREF\tstart_token\tend_token\tprop\tcat\ttext
0\t0\t1\tPROP\tPER\t"Ada
0\t5\t5\tPRON\tPER\tshe
0\t5\t5\tPRON\tORG\tshe
-1\t7\t8\tNOM\tFAC\tthe house
4\t9\t9\tNOM\tPER\tBob
"""
RTTM = """;; a comment
SPEAKER one 1 0.000 0.050 <NA> <NA> Ada <NA> <NA>
SPKR-INFO one 1 <NA> <NA> <NA> unknown Ada <NA>
SPEAKER one 1 0.100 0.020 <NA> <NA> Bob <NA> <NA>
SPEAKER two <NA> 0.004 0.002 <NA> <NA> Bob <NA> <NA>
"""
WORDS = [[(0, 1), (5, 5)], [(9, 9)]]
CLUSTERS = {"Ada": ["a", "b", "c"], "Bob": ["d", "e"]}

FIXTURES = {
    "booknlp": ("a.entities", BOOKNLP, {None: WORDS}),
    "splink": (
        "a.csv",
        'cluster_id,source_dataset,unique_id,name\nx,left,1,"Ada, L."\nx,right,1,Ada\ny,left,2,\n',
        {None: [[("left", "1"), ("right", "1")], [("left", "2")]]},
    ),
    "zingg": ("a.csv", "Z_MINSCORE,Z_CLUSTER,id\n0.5,7,a\n0.5,7,b\n0.4,8,c\n", {None: [["a", "b"], ["c"]]}),
    "dedupe": ("a.csv", "Cluster ID,confidence_score,Id\n0,0.9,a\n1,0.8,b\n0,0.9,c\n", {None: [["a", "c"], ["b"]]}),
    "long": (
        "a.tsv",
        "document\tmention\tlabel\nx\ta\t-1\nx\tb\tAda\nx\tc\tAda\ny\ta\t\n",
        {"x": [["b", "c"]], "y": []},
    ),
    "s2and": ("a.json", json.dumps(CLUSTERS), {None: KEY}),
    "clusim": ("a.json", json.dumps({"a": [0], "b": [0], "c": ["0"], "d": [1]}), {None: [["a", "b"], ["c"], ["d"]]}),
    "clueval": ("a.txt", "a|b|c\n7\td | e\n", {None: KEY}),
    "rttm": ("a.rttm", RTTM, {"one": [[0, 1, 2, 3, 4], [10, 11]], "two": [[0]]}),
}


def clusters_of(path, **options):
    """Return the clusters of each document of a file by name, None for one without a name."""
    found, documents = {}, read_documents(path, **options)
    for d, name in enumerate(documents.names):
        values = documents.text.words(d)
        clusters = {}
        for start, end, entity in zip(*(column.tolist() for column in documents.spans(d)), strict=True):
            mention = (start, end) if values is None else ast.literal_eval(values[start])
            clusters.setdefault(entity, []).append(mention)
        found[name if documents.named[d] else None] = list(clusters.values())
    return found


def write(folder, name, text):
    (folder / name).write_text(text)
    return str(folder / name)


@pytest.mark.parametrize("format", FORMATS)
def test_formats(tmp_path, format):
    name, text, expected = FIXTURES[format]
    path = write(tmp_path, name, text)
    assert clusters_of(path, format=format) == expected
    if tables_of(path) == "text":
        assert clusters_of(path) == expected
        packed = tmp_path / (name + ".gz")
        packed.write_bytes(gzip.compress(text.encode()))
        assert clusters_of(packed) == expected
    same = score_table_files(path, path, key_format=format, response_format=format)
    assert same["bcub"].f1 == 1.0
    assert alike(ac.score_files(path, path, format=format)["bcub"], same["bcub"])
    assert ac.sweep_files(path, {"same": path}, format=format)["bcub"].f1 == [1.0]
    for command in (["score", path, path, "--metrics", "bcub"], ["compare", path, path, "--metric", "bcub"]):
        result = CliRunner().invoke(main, [*command, "--input-format", format, "--format", "json"])
        assert result.exit_code == 0, result.output
        found = json.loads(result.output)
        assert (found["scores"]["bcub"]["f1"] if "scores" in found else found["systems"][0]["estimate"]) == 1.0


def test_two_tools(tmp_path):
    """A key in one tool's table, a response in another's, by both doors."""
    rows = "".join(f"{entity}\t{mention}\n" for entity, members in CLUSTERS.items() for mention in members)
    key = write(tmp_path, "key.tsv", "label\tmention\n" + rows)
    rows = "".join(f"{n},{mention}\n" for n, cluster in enumerate(RESPONSE) for mention in cluster)
    response = write(tmp_path, "response.csv", "cluster_id,unique_id\n" + rows)
    expected = ac.score(KEY, RESPONSE)
    for found in (ac.score_table(key, response), score_table_files(key, response)):
        assert alike(found.corpus["bcub"], expected["bcub"])
        assert found.names == ("key",)
    result = CliRunner().invoke(main, ["score", key, response, "--metrics", "bcub", "--format", "csv"])
    assert result.exit_code == 0, result.output
    assert f",{expected['bcub'].f1}," in result.output


@pytest.mark.parametrize(
    ("header", "response", "reason"),
    [
        ("mention", [], "no document of the response has a mention"),
        ("mention", ["01,A", "02,A", "03,B", "04,B"], "0 mentions are the key's, but 4 would be if texts and numbers"),
        ("start,end", ["1,3,A", "2,4,A", "3,5,B", "4,6,B"], "0 mentions are the key's, but 4 would be if the ends in"),
        ("mention", ["1,A", "8,A", "9,B", "10,B"], None),
        ("mention", ["1,A", "2,B", "3,A", "9,B"], None),
    ],
)
def test_doubtful_tables_are_warned_of(header, response, reason, tmp_path):
    rows = ["1,2,A", "2,3,A", "3,4,B", "4,5,B"] if "," in header else ["1,A", "2,A", "3,B", "4,B"]
    paths = [
        write(tmp_path, f"{side}.csv", "\n".join([f"{header},label", *lines, ""]))
        for side, lines in (("key", rows), ("response", response))
    ]
    found = []
    score_table_files(*paths, document=None, mention=header.split(","), on_error=found.append)
    assert [error.reason[: len(reason or "")] for error in found] == [reason] * (reason is not None)
    arguments = ["score", *paths, "--columns", f"{header.replace(',', '+')},label"]
    printed = CliRunner().invoke(main, arguments).stderr
    assert (f"warning: {paths[1]}: {reason}" in printed) if reason else not printed
    assert not CliRunner().invoke(main, [*arguments, "--quiet"]).stderr


def test_names_of_columns(tmp_path):
    path = write(tmp_path, "a.csv", "book;from;to;who\nx;1;2;Ada\nx;4;4;Ada\ny;1;2;Ada\n")
    names = {"document": "book", "mention": ["from", "to"], "label": "who"}
    found = score_table_files(path, path, **names)
    assert alike(found, ac.score_table(path, path, **names))
    assert found.names == ("x", "y")
    result = CliRunner().invoke(main, ["score", path, path, "--columns", "book,from+to,who", "--per-document"])
    assert result.exit_code == 0, result.output
    zingg = write(tmp_path, "z.csv", "Z_CLUSTER,rec\n1,a\n1,b\n")
    assert score_table_files(zingg, zingg, mention="rec")["muc"].f1 == 1.0


@cases(
    "format,text,message",
    [
        (None, "a,b\n1,2\n", "a.csv:1: has the columns a, b; expected 'COREF' with start_token"),
        ("booknlp", "COREF\tstart_token\tend_token\n1\tx\t2\n", "a.csv:2: 'x' in column 'start_token'"),
        ("booknlp", "COREF\tstart_token\tend_token\n1\t1\t" + "9" * 5000, "a.csv:2: '9999"),
        ("booknlp", "COREF\tstart_token\tend_token\n-2\t1\t2\n", "a.csv:2: '-2' in column 'COREF'; expected an entity"),
        (None, "start,end,label\n3,3,x\n5,3,x\n", "a.csv:3: a mention from 5 to 3; expected start <= end"),
        ("booknlp", "COREF\tstart_token\tend_token\n-1\t2\t1\n", "a.csv:2: a mention from 2 to 1; expected start"),
        (None, "mention,label\na,x\nb\n", "a.csv:3: 1 columns; expected 2"),
        (None, "mention,label\na,nan\n", "a.csv:2: 'nan' in column 'label'; expected an entity, or nothing"),
        (None, "mention,label\n,x\n", "a.csv:2: nothing in column 'mention'"),
        (None, 'mention\tlabel\tword\n1\tx\t"\n2\tx\tb\n3\ty\t"\n', "a.csv:4: a value in quotes that holds tabs"),
        ("clueval", "1\ta|b\r2\tc|d\r", "a.csv:1: a carriage return within a line"),
        ("rttm", "SPEAKER a 1 0 1 <NA> <NA> x\rSPEAKER a 1 2 1 <NA> <NA> y\r", "a.csv:1: a carriage return within"),
        ("rttm", "SPEAKER a 1 1_0 1 <NA> <NA> x\n", "a.csv:1: '1_0' is no time"),
        (None, 'mention,label\na,"x\n', "a.csv:2: no table separated by ','"),
        (None, "mention,label,label\na,x,x\n", "2 columns 'label'"),
        (None, "mention,label\na,x\na,y\n", "a.csv: document 'a': the mention 'a' is in two entities"),
        (None, "\xff".encode("latin-1"), "a.csv:1: not UTF-8"),
        ("s2and", "[1]", "holds a list; expected one object"),
        ("s2and", '{"a": [1.5]}', r"'a' maps to \[1.5\]; expected a list of texts or whole numbers"),
        ("s2and", '{"a": ["x"], "a": ["y"]}', "'a' twice in one object"),
        ("s2and", '{"a": ["x"], "b": ["x"], "c": ["y"]}', "looks like a mapping from elements to their clusters"),
        ("s2and", "{", "a.csv:1: not JSON"),
        ("clusim", '{"a": [0, 1]}', r"element 'a' is in 2 clusters, \[0, 1\]"),
        ("clusim", '{"a": [["x"]]}', r"'a' maps to \[\['x'\]\]; expected a list of texts"),
        ("clueval", "a|b\n|c\n", "a.csv:2: a cluster with an empty element"),
        (
            "rttm",
            "SPEAKER a 1 0 1 <NA> <NA> x\nSPEAKER a 1 0.98 1 <NA> <NA> y\n",
            "a.csv:2: 'y' speaks at 0.980 s of 'a'",
        ),
        ("rttm", "SPEAKER a 1 0 -1 <NA> <NA> x\n", "a.csv:1: '-1' is no time"),
        ("rttm", "SPEAKER a 1 0 nan <NA> <NA> x\n", "a.csv:1: 'nan' is no time"),
        ("rttm", "SPEAKER a 1 0 1e8 <NA> <NA> x\n", "more than 10,000,000 frames"),
        ("rttm", "SPEAKER a 1 1e-999999999 1e999999999 <NA> <NA> x\n", "'1e999999999' is no time"),
        ("rttm", "SPEAKER a 1 0\n", "a.csv:1: 4 fields"),
        ("rttm", "SPEAKER a 1 0 1 <NA> <NA> <NA>\n", "a.csv:1: <NA> in place of the speaker"),
        ("clusim", '{"a": {"x": ["y"]}}', r"'a' maps to {'x': \['y'\]}; expected a list"),
        ("clusim", '{"a": [null], "b": [null]}', r"'a' maps to \[None\]; expected a list"),
        ("clusim", '{"a": [NaN], "b": [NaN]}', r"'a' maps to \[nan\]; expected a list"),
        ("rttm", "#begin document (a)\na\t0\t(0)\n#end document\n", "a.csv: no document; expected rows"),
        (None, "document,mention,label\n", "a.csv: no document; expected rows"),
        ("excel", "", "excel"),
    ],
)
def test_faults(tmp_path, format, text, message):
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ac.ArraycorefError, match=message):
        score_table_files(path, path, key_format=format, response_format=format)


def test_sides_that_do_not_fit(tmp_path):
    paths = {format: write(tmp_path, f"{format}-{name}", text) for format, (name, text, _) in FIXTURES.items()}
    with pytest.raises(ac.InputError, match="key's mentions are source_dataset"):
        score_table_files(paths["splink"], paths["zingg"])
    with pytest.raises(ac.InputError, match="without names pair in their order, but the key has 2 and the response 1"):
        score_table_files(paths["long"], paths["zingg"])
    with pytest.raises(ac.OptionError, match="names of columns were given"):
        score_table_files(paths["rttm"], paths["rttm"], mention="x")
    for frame in (0, float("nan")):
        with pytest.raises(ac.OptionError, match=f"frame is {frame!r}; expected seconds"):
            score_table_files(paths["rttm"], paths["rttm"], frame=frame)
    for format in ("excel",):  # every format is named
        with pytest.raises(ac.UnknownNameError, match=r"unknown response_format .excel.*conll.*e2e, booknlp.*rttm"):
            score_table_files(paths["long"], paths["long"], response_format=format)
    with pytest.raises(ac.ReadError, match="more than 5 bytes"):
        score_table_files(paths["long"], paths["long"], max_bytes=5)
    result = CliRunner().invoke(main, ["score", paths["long"], str(tmp_path / "response.parquet")])
    assert result.exit_code == 2
    assert "one side is a Parquet table and the other is not" in result.output


SIDES = {
    "one.csv": "document,mention,label\nd,3,x\nd,5,x\n",
    "spans.csv": "document,start,end,label\nd,3,3,x\nd,5,5,x\n",
    "two.csv": "source_dataset,unique_id,cluster_id\nleft,3,x\nleft,5,x\n",
    "frames.rttm": "SPEAKER d 1 0.03 0.03 <NA> <NA> x\n",
    "numbers.json": json.dumps({"type": "clusters", "clusters": {"x": [3, 5]}, "name": "d"}),
}


@cases(
    "key,response,message",
    [
        ("one.csv", "spans.csv", r"key's mentions are mention, the response's start\+end"),
        ("one.csv", "two.csv", r"key's mentions are mention, the response's source_dataset\+unique_id"),
        ("two.csv", "one.csv", r"key's mentions are source_dataset\+unique_id, the response's mention"),
        ("two.csv", "frames.rttm", r"key's mentions are source_dataset\+unique_id, the response's frame"),
        (
            "frames.rttm",
            "one.csv",
            r"document 'd': mentions are like 3 in .*frames.rttm and like '3' in .*one.csv; expected te",
        ),
        ("one.csv", "numbers.json", r"document 'd': mentions are like '3' in .*one.csv and like 3 in .*numbers.json"),
    ],
)
def test_mentions_that_can_never_be_equal(tmp_path, key, response, message):
    """They scored 0."""
    key, response = (write(tmp_path, name, SIDES[name]) for name in (key, response))
    for score in (
        ac.score_files,
        ac.score_table,
        score_table_files,
        lambda *sides: ac.sweep_files(sides[0], sides[1:]),
    ):
        with pytest.raises(ac.InputError, match=message):
            score(key, response)
    result = CliRunner().invoke(main, ["score", key, response])
    assert result.exit_code == 1
    assert "expected" in result.output


def test_labels_have_a_column_of_their_own(tmp_path):
    """Each mention would be an entity."""
    path = write(tmp_path, "a.csv", "document,mention,label\nd,r1,x\nd,r2,x\n")
    for label in ("mention", "document"):
        with pytest.raises(ac.InputError, match=f"column '{label}' is named for labels and for mentions or documents"):
            score_table_files(path, path, label=label)


def test_documents_beside_words_of_books(tmp_path):
    words = {"doc_key": "emma_0", "clusters": WORDS}
    key = write(tmp_path, "key.jsonl", json.dumps(words))
    book = write(tmp_path, "emma.entities", BOOKNLP)
    assert ac.score_table(key, book).names == ac.score_table(book, key).names == ("emma_0",)
    result = CliRunner().invoke(main, ["score", key, book, "--metrics", "bcub", "--format", "json"])
    assert json.loads(result.output)["scores"]["bcub"]["f1"] == 1.0
    with pytest.raises(ac.InputError, match=r"are of words in the key and of column id in the response"):
        ac.score_table(key, write(tmp_path, *FIXTURES["zingg"][:2]))
    text = {"text": "Ada", "clusters": [[[0, 3]]], "clusters_strings": [["Ada"]]}
    with pytest.raises(ac.InputError, match=r"of characters in .*; expected the text on both sides"):
        ac.score_table(write(tmp_path, "text.jsonl", json.dumps(text)), book)


def test_a_mention_twice_in_the_response_is_named_as_its_file_has_it(tmp_path):
    """Mentions are numbered as the key does: the number of another one was looked up, or of none."""
    key = write(tmp_path, "key.csv", "mention,label\nc,1\nb,1\na,1\n")
    for rows, named in (("a,x\na,y\n", "a"), ("b,x\nd,x\na,x\nb,y\n", "b")):
        response = write(tmp_path, "response.csv", "mention,label\n" + rows)
        for score in (ac.score_files, score_table_files):
            with pytest.raises(ac.DuplicateMentionError, match=f"response.csv: .* the mention '{named}' is in two ent"):
                score(key, response)
    text = {"text": "Ada saw", "clusters": [[[0, 3], [4, 7]], [[0, 3]]], "clusters_strings": []}
    words = {"doc_key": "a", "sentences": [["Ada", "saw"]], "clusters": [[[0, 0], [1, 1]]]}
    key = write(tmp_path, "words.jsonl", json.dumps(words))
    with pytest.raises(ac.DuplicateMentionError, match="the mention of characters 0-2 is in two entities"):
        ac.score_files(key, write(tmp_path, "text.jsonl", json.dumps(text)))


def test_frames(tmp_path):
    """Longer frames, and edges at their middles: a frame is spoken from its middle on, and not at the very end."""
    path = write(tmp_path, "a.rttm", "SPEAKER a 1 0.05 0.1 <NA> <NA> x\nSPEAKER a 1 0.15 0.101 <NA> <NA> y\n")
    assert clusters_of(path, frame=0.1) == {"a": [[0], [1, 2]]}
    assert clusters_of(path)["a"][0] == list(range(5, 15))


def test_tables_as_documents(tmp_path):
    """The scores are those of the tables' own door; numbers past all words count as they are."""
    key = write(tmp_path, "key.tsv", "document\tmention\tlabel\nx\ta\t0\nx\tb\t0\ny\tc\t1\n")
    response = write(tmp_path, "response.csv", "document,mention,label\ny,c,1\nx,a,7\nx,d,7\n")
    assert alike(ac.score_files(key, response).counts, score_table_files(key, response).counts)
    spans = write(tmp_path, "spans.tsv", "document\tstart\tend\tlabel\nx\t5\t3000000000\t0\nx\t4\t4\t0\n")
    assert ac.score_files(spans, spans)["muc"].recall_num == 1
    twice = write(tmp_path, "twice.tsv", "mention\tlabel\na\t0\na\t1\n")
    with pytest.raises(
        ac.DuplicateMentionError, match=r"twice.tsv: document 'twice': the mention 'a' is in two entities"
    ):
        ac.score_files(twice, twice)
    empty = write(tmp_path, "empty.tsv", "document\tmention\tlabel\n")
    with pytest.raises(ac.ReadError, match=r"empty.tsv: no document"):
        ac.score_files(empty, key)
    with pytest.raises(ac.UnknownNameError, match=r"jsonlines.*booknlp"):
        ac.score_files(key, response, format="excel")


@cases(
    "text,reason",
    {
        "NUL": ("mention,label\n1,a\n2\0,a\n", r":3: a NUL"),
        "n/a": ("mention,label\n1,a\n2,n/a\n", r":3: 'n/a' in column 'label'"),
        "NAN": ("mention,label\n1,NAN\n", "'NAN' in column"),
        "\\N": ("mention,label\n1,\\N\n", "in column 'label'; expected an entity"),
        "blank": ("mention,label\n1, \n", "' ' in column 'label'"),
        " -1": ("mention,label\n1, -1\n", "' -1' in column 'label'"),
        "trailing": ("mention,label\n1,a\n2,a \n", r":3: 'a ' in column 'label', and 'a' before; expected one"),
        "a number twice": ("mention,label\n1,1\n2,1.0\n", r":3: '1.0' in column 'label', and '1' before; expected one"),
    },
)
def test_a_value_that_would_be_an_entity_of_its_own_by_mistake_is_an_error(tmp_path, text, reason):
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(ac.ReadError, match=reason):
        read_documents(path)
