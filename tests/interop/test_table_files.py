"""What tools write as tables and mappings, read from small files: the same as their clusters, written out by hand."""

import ast
import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import arraycoref as ac
from alike import alike
from arraycoref.cli import main
from arraycoref.read import read_documents
from arraycoref.read.tables import FORMATS, tables_of
from marks import cases

DOCS = Path(__file__).parents[2] / "docs"
KEY = [["a", "b", "c"], ["d", "e"]]
NAMES = [["Ada", "she"], ["Bob"]]
RESPONSE = [["a", "b"], ["c", "d", "f"]]

pytestmark = pytest.mark.filterwarnings("ignore:.*in no entity, and left out:arraycoref.ReadWarning")

HEADER = "COREF\tstart_token\tend_token\tprop\tcat\ttext\n"
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
SPOKEN = "SPEAKER {} 1 0.0 1.0 <NA> <NA> {} <NA> <NA>\n"
WORDS = [[(0, 1), (5, 5)], [(9, 9)]]
CLUSTERS = {"Ada": ["a", "b", "c"], "Bob": ["d", "e"]}

FIXTURES = {
    "booknlp": ("a.entities", BOOKNLP, {None: WORDS}),
    "splink": (
        "a.csv",
        'cluster_id,source_dataset,unique_id,name\nx,left,1,"Ada, L."\nx,right,1,Ada\ny,left,2,\n',
        {None: [[("left", "1"), ("right", "1")], [("left", "2")]]},
    ),
    "zingg": ("zingg.csv", "Z_MINSCORE,Z_CLUSTER,id\n0.5,7,Ada\n0.5,7,she\n0.4,8,Bob\n", {None: NAMES}),
    "dedupe": ("dedupe.csv", "Cluster ID,confidence_score,Id\n0,0.9,Ada\n1,0.8,Bob\n0,0.9,she\n", {None: NAMES}),
    "long": (
        "a.tsv",
        "document\tmention\tlabel\nx\ta\t-1\nx\tb\tAda\nx\tc\tAda\ny\ta\t\n",
        {"x": [["b", "c"]], "y": []},
    ),
    "s2and": ("s2and.json", json.dumps({"p_0": NAMES[0], "p_1": NAMES[1]}), {None: NAMES}),
    "clusim": ("a.json", json.dumps({"a": [0], "b": [0], "c": ["0"], "d": [1]}), {None: [["a", "b"], ["c"], ["d"]]}),
    "clueval": ("clueval.txt", "7\tAda | she\nBob\n", {None: NAMES}),
    "members": ("members.txt", "# clusters: 2\nAda\tshe\nBob\n", {None: NAMES}),
    "labels": ("labels.txt", "Ada\n-1\n Ada\t\n\nBob\r\n", {None: [[1, 3], [5]]}),
    "rttm": ("a.rttm", RTTM, {"one": [[0, 1, 2, 3, 4], [10, 11]], "two": [[0]]}),
}
FILES = {name: text for name, text, _ in FIXTURES.values()} | {
    "key.tsv": "mention\tlabel\nAda\t0\nshe\t0\nBob\t1\n",
    "long.csv": "label,mention,other\nx,Ada,1\nx,she,1\ny,Bob,\n-1,it,\n",
    "own.tsv": "book\tfrom\tto\twho\na\t0\t1\tAda\na\t4\t4\tAda\nb\t0\t0\tBob\n",
    "key.entities": HEADER + "7\t0\t1\tPROP\tPER\tAda\n7\t4\t4\tPRON\tPER\tshe\n",
    "book.entities": HEADER
    + "3\t0\t1\tPROP\tPER\tAda\n3\t0\t1\tPROP\tORG\tAda\n3\t4\t4\tPRON\tPER\tshe\n-1\t6\t6\tNOM\tFAC\tit\n",
    "key.conll": "#begin document (a); part 000\n"
    + "\n".join(f"a\t{n}\t{cell}" for n, cell in enumerate(["(0", "0)", "-", "-", "(0)"]))
    + "\n#end document\n",
    "splink.csv": "cluster_id,unique_id\nx,Ada\nx,she\ny,Bob\n",
    "gold.json": json.dumps(
        {c: {"cluster_id": c, "signature_ids": m, "model_version": -1} for c, m in zip("xy", NAMES, strict=True)}
    ),
    "clusim.json": json.dumps({"Ada": [0], "she": [0], "Bob": [1]}),
    "key.rttm": "SPEAKER a 1 0.00 0.10 <NA> <NA> Ada <NA> <NA>\nSPEAKER a 1 0.20 0.06 <NA> <NA> Bob <NA> <NA>\n",
    "pyannote.rttm": "SPEAKER a 1 0.005 0.10 <NA> <NA> 0 <NA> <NA>\nSPEAKER a 1 0.20 0.062 <NA> <NA> 1 <NA> <NA>\n",
}
"""The files of the table on the page, each with one clustering."""


def rows(page, section):
    """Return the cells of the table of a section."""
    text = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    table = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]


FILE_ROWS = rows("formats.md", "Tables")
CALLS = [
    ("long", "key.tsv long.csv", 'ac.score_table("key.tsv", "long.csv")'),
    (
        "long",
        "own.tsv own.tsv",
        'ac.score_table(*["own.tsv"] * 2, document="book", mention=["from", "to"], label="who")',
    ),
    ("booknlp", "key.entities book.entities", 'ac.score_table("key.entities", "book.entities")'),
    ("booknlp", "key.conll book.entities", 'ac.score_table("key.conll", "book.entities")'),
    ("splink", "key.tsv splink.csv", 'ac.score_table("key.tsv", "splink.csv")'),
    ("zingg", "key.tsv zingg.csv", 'ac.score_table("key.tsv", "zingg.csv")'),
    ("dedupe", "key.tsv dedupe.csv", 'ac.score_table("key.tsv", "dedupe.csv")'),
    ("s2and", "gold.json s2and.json", 'ac.score_files("gold.json", "s2and.json", format="s2and")'),
    ("clusim", "clusim.json clusim.json", 'ac.score_files("clusim.json", "clusim.json", format="clusim")'),
    ("clueval", "clueval.txt clueval.txt", 'ac.score_files("clueval.txt", "clueval.txt", format="clueval")'),
    ("members", "members.txt members.txt", 'ac.score_files("members.txt", "members.txt", format="members")'),
    ("labels", "labels.txt labels.txt", 'ac.score_files("labels.txt", "labels.txt", format="labels")'),
    ("rttm", "key.rttm pyannote.rttm", 'ac.score_files("key.rttm", "pyannote.rttm", frame=0.02)'),
]


def clusters_of(path, **options):
    """Return the clusters of each document of a file by name, None for one without a name."""
    found, documents = {}, read_documents(path, **options)
    for d, name in enumerate(documents.names):
        values = documents.text[d].words()
        clusters = {}
        for start, end, entity in zip(*(column.tolist() for column in documents.mentions_of(d)), strict=True):
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
        packed = tmp_path / (name + ".gz")
        packed.write_bytes(gzip.compress(text.encode()))
        assert clusters_of(path) == clusters_of(packed) == expected
    same = ac.score_files(path, path, format=format)
    assert same["bcub"].f1 == 1.0
    assert alike(ac.score_files(path, path, format=format)["bcub"], same["bcub"])


@pytest.mark.parametrize(("format", "files", "call"), CALLS, ids=[files for _, files, _ in CALLS])
def test_the_table_of_the_page(tmp_path, monkeypatch, format, files, call):
    """Every example has one clustering, written twice, and needs the options of the page."""
    assert {row[1].strip("`") for row in FILE_ROWS} == {name for name, _, _ in CALLS} == set(FORMATS)
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    python = eval(call, {"ac": ac})
    assert python["bcub"].f1 == python["mentions"].f1 == 1.0
    assert python["mentions"].recall_num == {"booknlp": 2, "rttm": 8}.get(format, 3)
    rows = [row[4].strip("`") for row in FILE_ROWS if row[1] == f"`{format}`"]
    options = rows[-1 if files.startswith("own") else 0]
    arguments = ["score", *files.split(), *options.split(), "--metrics", "mentions", "--format", "json"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["scores"]["mentions"]["recall_num"] == python["mentions"].recall_num


def test_two_tools(tmp_path):
    """A key in one tool's table, a response in another's."""
    rows = "".join(f"{entity}\t{mention}\n" for entity, members in CLUSTERS.items() for mention in members)
    key = write(tmp_path, "key.tsv", "label\tmention\n" + rows)
    rows = "".join(f"{n},{mention}\n" for n, cluster in enumerate(RESPONSE) for mention in cluster)
    response = write(tmp_path, "response.csv", "cluster_id,unique_id\n" + rows)
    found = ac.score_table(key, response)
    assert alike(found.corpus["bcub"], ac.score(KEY, RESPONSE)["bcub"])
    assert found.names == ("key",)


def test_names_of_columns(tmp_path):
    path = write(tmp_path, "a.csv", "book;from;to;who\nx;1;2;Ada\nx;4;4;Ada\ny;1;2;Ada\n")
    names = {"document": "book", "mention": ["from", "to"], "label": "who"}
    found = ac.score_table(path, path, **names)
    assert alike(found, ac.score_files(path, path, columns="book,from+to,who"))
    assert found.names == ("x", "y")
    for label in ("from", "book"):  # each mention would be an entity
        with pytest.raises(ac.InputError, match=f"column '{label}' is named for labels and for mentions or documents"):
            ac.score_table(path, path, **(names | {"label": label}))
    zingg = write(tmp_path, "z.csv", "Z_CLUSTER,rec\n1,a\n1,b\n")
    assert ac.score_table(zingg, zingg, mention="rec")["muc"].f1 == 1.0


HEADINGS = {
    "in capitals": "DOCUMENT,MENTION,LABEL",
    "with one capital": "Document,Mention,Label",
    "none": None,
    "of spans": "DOCUMENT,Start,end,Label",
}


@pytest.mark.parametrize("case", HEADINGS)
def test_headings(tmp_path, case):
    """In any case; where the first line is none, an error that names the option."""
    rows, header = ["d,1,1,Ada", "d,2,2,Ada", "e,1,1,Bob"], HEADINGS[case]
    rows = rows if case == "of spans" else [re.sub(r"(\d),\1", r"\1", row) for row in rows]
    key = write(tmp_path, "key.csv", "\n".join([(header or "document,mention,label").lower(), *rows]))
    response = write(tmp_path, "response.csv", "\n".join(([] if header is None else [header]) + rows))
    arguments = ["score", key, response, "--metrics", "mentions", "--format", "json"]
    done = CliRunner().invoke(main, arguments)
    if header is None:
        assert "response.csv:1: has the columns d, 1, Ada; --columns" in done.stderr
        assert done.stderr.endswith("; --columns 'DOCUMENT,MENTION,LABEL' names others\n")
    else:
        found = json.loads(done.stdout)["scores"]["mentions"]
        assert [found[name] for name in ("recall_num", "recall_den", "precision_num", "precision_den")] == [3, 3, 3, 3]


BOTH = "document,mention,key,response\nx,1,Ada,0\nx,2,Ada,0\nx,3,,0\ny,1,Bob,1\n"


def test_one_table_of_both_sides(tmp_path, monkeypatch):
    """As text or in Parquet, with headings in any case, in Python and on the command line."""
    monkeypatch.chdir(tmp_path)
    own = BOTH.replace("key,response", "gold,who").replace("mention", "start,end").replace(",1,", ",1,1,")
    own = own.replace(",2,", ",2,2,").replace(",3,", ",3,3,")
    names = {
        "both.csv": BOTH,
        "CAPITALS.csv": BOTH.replace("document", "Document").replace("key", "KEY"),
        "own.csv": own,
    }
    for name, text in names.items():
        write(tmp_path, name, text)
    expected = ac.score_batch({"x": [[1, 2]], "y": [[1]]}, {"x": [[1, 2, 3]], "y": [[1]]})
    columns = "document,start+end,key:gold,response:who"
    found = [
        ac.score_table("both.csv"),
        ac.score_table("CAPITALS.csv"),
        ac.score_files("own.csv", "own.csv", columns=columns),
    ]
    csv, parquet = (pytest.importorskip(f"pyarrow.{name}") for name in ("csv", "parquet"))
    parquet.write_table(csv.read_csv("own.csv"), "own.parquet")
    paths = [
        ["both.csv"],
        ["CAPITALS.csv"],
        *([f"own.{suffix}", "--columns", columns] for suffix in ("csv", "parquet")),
        *(["own.csv", "own.csv", *pair] for pair in (TWICE, [TWICE[0], ",".join(TWICE[1::2])])),
    ]
    assert all(alike(each.counts, expected.counts) for each in found)
    for arguments in paths:
        result = CliRunner().invoke(main, ["score", *arguments, "--format", "json"])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["scores"]["muc"]["precision"] == expected["muc"].precision == 0.5
    for command in ("compare", "table", "sweep"):
        result = CliRunner().invoke(main, [command, "own.csv", "own.parquet", "--columns", "document,start+end,gold"])
        assert result.exit_code == 0, result.output
    refused = CliRunner().invoke(main, ["score", "own.csv"])
    assert "expected 'key' with mention or start+end; --columns 'DOCUMENT,MENTION,LABEL' names others" in refused.stderr


TWICE = ["--columns", "key:document,start+end,gold", "--columns", "response:document,start+end,who"]
"""An option given once for each side."""


@cases(
    "format,text,message",
    [
        (None, "a,b\n1,2\n", "a.csv:1: has the columns a, b; columns='a,b' names these"),
        ("booknlp", "COREF\tstart_token\tend_token\n-2\t1\t2\n", "a.csv:2: '-2' in column 'COREF'; expected an entity"),
        (None, "start,end,label\n3,3,x\n5,3,x\n", "a.csv:3: a mention from 5 to 3; expected start <= end"),
        (None, "mention,label\na,x\nb\n", "a.csv:3: 1 columns; expected 2"),
        (None, "mention,label\na,nan\n", "a.csv:2: 'nan' in column 'label'; expected an entity, or nothing"),
        (None, "mention,label\n1,a\n2,a \n", "a.csv:3: 'a ' in column 'label', and 'a' before; expected one"),
        (None, 'mention\tlabel\tword\n1\tx\t"\n2\tx\tb\n3\ty\t"\n', "a.csv:4: a value in quotes that holds tabs"),
        (None, 'mention,label\na,"x\n', "a.csv:2: no table separated by ','"),
        (None, "mention,label\na,x\na,y\n", "a.csv: document 'a': the mention 'a' is in two entities"),
        (None, "document,mention,label\n", "a.csv: no document; expected rows"),
        ("s2and", '{"a": [1.5]}', r"'a' maps to \[1.5\]; expected a list of texts or whole numbers"),
        ("s2and", '{"a": ["x"], "a": ["y"]}', "'a' twice in one object"),
        ("s2and", '{"a": ["x"], "b": ["x"], "c": ["y"]}', "looks like a mapping from elements to their clusters"),
        ("clusim", '{"a": [0, 1]}', r"element 'a' is in 2 clusters, \[0, 1\]"),
        ("labels", "1\n2 2\n", "a.csv:2: '2 2'; expected one label, or nothing"),
        ("labels", "1\nNA\n", "a.csv:2: 'NA'; expected one label, or nothing"),
        ("clueval", "a|b\n|c\n", "a.csv:2: a cluster with an empty element"),
        ("rttm", "SPEAKER a 1 0 1 - - x\nSPEAKER a 1 0.98 1 - - y\n", "a.csv:2: 'y' speaks at 0.980 s of 'a'"),
        ("rttm", "SPEAKER a 1 0\n", "a.csv:1: 4 fields"),
        (
            "rttm",
            SPOKEN.format("talk", "Ada Lind"),
            "a.csv:1: 11 fields, the speaker 'Ada'; expected 10 at most.* has a space",
        ),
        (
            "rttm",
            SPOKEN.format("board meeting", "A"),
            "a.csv:1: 11 fields, the speaker '<NA>'; .* a name has a space",
        ),
        (
            "rttm",
            SPOKEN.format("talk", "A\tB").replace(" ", "\t"),
            "a.csv:1: 11 fields, the speaker 'A'; .* has a space",
        ),
        (
            "rttm",
            "SPEAKER a 1 0 1 <NA> <NA> Ada Lind <NA>\n",
            "a.csv:1: 10 fields, the speaker 'Ada'; .* has a space",
        ),
        (
            "rttm",
            "SPEAKER board meeting 1 0 1 <NA> <NA> A\n",
            "a.csv:1: 9 fields, the speaker '<NA>'; .* has a space",
        ),
        ("rttm", "SPEAKER a b c 1 0 1 <NA> <NA> A <NA> 0.1\n", "a.csv:1: 12 fields, the speaker '<NA>'; .* a space"),
        ("rttm", "SPEAKER a 1 0 1 <NA> <NA> Speaker 2\n", "a.csv:1: 9 fields, the speaker 'Speaker'; .* has a space"),
        ("rttm", "SPEAKER a 1\t0 1\t<NA>\t<NA>\tAda Lind\n", "a.csv:1: 9 fields, the speaker 'Ada'; .* has a space"),
        ("rttm", SPOKEN.format("a", "").replace(" ", "\t"), "a.csv:1: nothing instead of the speaker"),
        ("excel", "", r"unknown format .excel.*conll.*e2e, booknlp.*rttm"),
    ],
)
def test_faults(tmp_path, format, text, message):
    path = tmp_path / "a.csv"
    path.write_text(text, newline="")
    with pytest.raises(ac.ArraycorefError, match=message):
        ac.score_files(path, path, format=format)


@cases(
    "lines",
    [
        [
            "SPEAKER\ttalk\t1\t0.0\t1.0\t<NA>\t<NA>\tAda Lind\t<NA>\t<NA>",
            "SPEAKER\ttalk\t1\t1.0\t1.0\t\t\tAda Moor\t0.5\t",
        ],
        ["SPEAKER\ttalk\t1\t0.0\t1.0\t<NA>\t<NA>\tSpeaker 1", "SPEAKER\ttalk\t1\t1.0\t1.0\t<NA>\t<NA>\tSpeaker 2"],
        ["SPEAKER\ttalk\t1\t0.0\t1.0\t<NA>\t<NA>\tAda Lind\t1\t0.5\t\r", "SPEAKER talk\t1 1 1 - - Ada .5 2"],
    ],
)
def test_speakers_whose_names_have_a_space(tmp_path, lines):
    """Where tabs separate the fields; spaces made one speaker of two."""
    key = write(tmp_path, "key.rttm", SPOKEN.format("talk", "A") + "SPEAKER talk 1 1.0 1.0 <NA> <NA> B <NA> <NA>\n")
    found = ac.score_files(key, write(tmp_path, "tabs.rttm", "\n".join(lines)))["bcub"]
    assert (found.recall_num, found.recall_den, found.precision_num, found.precision_den) == (200, 200, 200, 200)


def test_sides_that_do_not_fit(tmp_path):
    paths = {format: write(tmp_path, f"{format}-{name}", text) for format, (name, text, _) in FIXTURES.items()}
    one = write(tmp_path, "one.csv", "document,mention,label\none,3,x\ntwo,5,x\n")
    spans = write(tmp_path, "spans.csv", "document,start,end,label\none,3,3,x\ntwo,5,5,x\n")
    with pytest.raises(ac.InputError, match="key's mentions are source_dataset"):
        ac.score_files(paths["splink"], paths["zingg"])
    with pytest.raises(ac.InputError, match=r"key's mentions are mention, the response's start\+end"):
        ac.score_files(one, spans)
    with pytest.raises(ac.InputError, match=r"'one': mentions are like 0 in .*rttm and like '3' in .*one.csv; exp"):
        ac.score_files(paths["rttm"], one)
    with pytest.raises(
        ac.InputError, match="have no names, so they are paired in order, but the key has 2 and the response 1"
    ):
        ac.score_files(paths["long"], paths["zingg"])
    with pytest.raises(ac.OptionError, match="columns are named for"):
        ac.score_table(paths["rttm"], paths["rttm"], mention="x")
    with pytest.raises(ac.ReadError, match="more than 5 bytes"):
        ac.score_files(paths["long"], paths["long"], max_bytes=5)


def test_documents_beside_words_of_books(tmp_path):
    key = write(tmp_path, "key.jsonl", json.dumps({"doc_key": "emma_0", "clusters": WORDS}))
    book = write(tmp_path, "emma.entities", BOOKNLP)
    assert ac.score_table(key, book).names == ("emma_0",)
    assert ac.score_table(book, key).names == ("emma",)  # as the key's file is called
    with pytest.raises(ac.InputError, match=r"are of words in the key and of column id in the response"):
        ac.score_table(key, write(tmp_path, *FIXTURES["zingg"][:2]))


def test_a_mention_twice_in_the_response_is_named_as_its_file_has_it(tmp_path):
    """Mentions are numbered as the key does: the number of another one was looked up, or of none."""
    key = write(tmp_path, "key.csv", "mention,label\nc,1\nb,1\na,1\n")
    for rows, named in (("a,x\na,y\n", "a"), ("b,x\nd,x\na,x\nb,y\n", "b")):
        response = write(tmp_path, "response.csv", "mention,label\n" + rows)
        with pytest.raises(ac.DuplicateMentionError, match=f"response.csv: .* the mention '{named}' is in two ent"):
            ac.score_files(key, response)


def test_frames(tmp_path):
    """Longer frames, and edges at their middles: a frame is spoken from its middle on, and not at the very end."""
    path = write(tmp_path, "a.rttm", "SPEAKER a 1 0.05 0.1 <NA> <NA> x\nSPEAKER a 1 0.15 0.101 <NA> <NA> y\n")
    assert clusters_of(path, frame=0.1) == {"a": [[0], [1, 2]]}
    assert clusters_of(path)["a"][0] == list(range(5, 15))


def test_numbers_past_all_words(tmp_path):
    spans = write(tmp_path, "spans.tsv", "document\tstart\tend\tlabel\nx\t5\t3000000000\t0\nx\t4\t4\t0\n")
    assert ac.score_files(spans, spans)["muc"].recall_num == 1


def test_records_have_their_metrics_first(tmp_path):
    """One cluster is exact; tables with documents have the usual order."""
    sides = {"key": ("ab", "c", "de"), "response": ("ab", "cd", "e", "f")}
    for side, clusters in sides.items():
        rows = [f"{record},{n}\n" for n, cluster in enumerate(clusters) for record in cluster]
        (tmp_path / f"{side}.csv").write_text("unique_id,cluster_id\n" + "".join(rows))
        (tmp_path / f"{side}_of.csv").write_text("document,mention,label\n" + "".join(f"d,{row}" for row in rows))
    scores = ac.score_files(tmp_path / "key.csv", tmp_path / "response.csv")
    assert scores.metrics[:3] == ("pairwise", "bcub", "cluster")
    assert {*scores.metrics} == {"cluster", *ac.DEFAULT_METRICS}
    key, response = ({frozenset(cluster) for cluster in clusters} for clusters in sides.values())
    exact = len(key & response)
    assert scores["cluster"].recall == pytest.approx(exact / len(key))
    assert scores["cluster"].precision == pytest.approx(exact / len(response))
    of_documents = ac.score_files(tmp_path / "key_of.csv", tmp_path / "response_of.csv")
    assert of_documents.metrics == ac.DEFAULT_METRICS
    asked = ac.score_files(tmp_path / "key.csv", tmp_path / "response.csv", metrics="muc,bcub")
    assert asked.metrics == ("muc", "bcub")
