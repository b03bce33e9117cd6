"""Each tool's shape of JSON: one text with the same clusters in all of them, by fixtures made from what tools write."""

import json
import re
from pathlib import Path

import pyarrow
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from read_helpers import mentions

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents
from arraycoref.read.layouts import SHAPES
from marks import cases

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\| [^|]+ \| `(\w[\w-]+)` \|", PAGE.partition("\n## Tables\n")[0], re.MULTILINE)
ROWS = [
    ("e2e", "e2e.jsonl"),
    ("e2e", "maverick-evaluate.jsonl"),
    ("coref-hoi", "coref-hoi.json"),
    ("coref-hoi", "longdoc.jsonl"),
    ("s2e", "s2e.jsonl"),
    ("fastcoref", "fastcoref.jsonl"),
    ("fastcoref", "fastcoref-words.jsonl"),
    ("maverick", "maverick.json"),
    ("maverick", "crac.json"),
    ("xcore", "xcore.json"),
    ("wl-coref", "wl-coref.jsonl"),
    ("wl-coref", "stanza.json"),
    ("allennlp", "allennlp.jsonl"),
    ("preco", "preco.jsonl"),
    ("elit", "elit.json"),
    ("corenlp", "corenlp.json"),
    ("coref-data", "coref-data.jsonl"),
    ("coref-data", "coref-data.parquet"),
    ("conll2012", "conll2012.jsonl"),
    ("ucdcr", "ucdcr.json"),
    ("scorch", "scorch.json"),
]
KEYS = {name: f"{name.partition('.')[0]}-key.json" for name in ("stanza.json", "ucdcr.json", "scorch.json")}
KEYS["conll2012.jsonl"] = "stanza-key.json"
"""Keys of files whose documents or mentions have other names than in ``key.jsonl``."""

SENTENCES = [["Ann", "saw", "her", "dog", "."], ["It", "barked", "at", "Ann", "."]]
WORDS = [word for sentence in SENTENCES for word in sentence]
TEXT = "Ann saw her dog. It barked at Ann."
CLUSTERS = [[[0, 0], [2, 2], [8, 8]], [[2, 3], [5, 5]]]
EXCLUSIVE = [[[start, end + 1] for start, end in cluster] for cluster in CLUSTERS]
IN_SENTENCES = [[[0, 0, 0], [0, 2, 2], [1, 3, 3]], [[0, 2, 3], [1, 0, 0]]]
IN_SENTENCES_EXCLUSIVE = [[[s, start, end + 1] for s, start, end in cluster] for cluster in IN_SENTENCES]
CHARACTERS = [[[0, 3], [8, 11], [30, 33]], [[8, 15], [17, 19]]]
TEXTS = [[TEXT[start:end] for start, end in cluster] for cluster in CHARACTERS]
WRONG = [[[1, 1], [4, 4]]]  # of a side that is not to be read
SUBTOKENS = [
    ["[CLS]", "Ann", "saw", "her", "do", "##g", ".", "[SEP]"],
    ["[CLS]", "It", "bark", "##ed", "at", "Ann", ".", "[SEP]"],
]
WORD_OF = [0, 0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 9]
IN_SUBTOKENS = [[[1, 1], [3, 3], [13, 13]], [[3, 5], [9, 9]]]


def lines(*values) -> str:
    return "\n".join(map(json.dumps, values))


def objects(*values) -> str:
    return "".join(map(json.dumps, values))


def corenlp(mention) -> dict:
    sentence, start, end = mention
    text = " ".join(SENTENCES[sentence][start:end])
    place = {"sentNum": sentence + 1, "startIndex": start + 1, "endIndex": end + 1, "headIndex": 1}
    return {"id": 1, "text": text} | place


def ucdcr() -> list:
    rows = []
    for number, cluster in enumerate(IN_SENTENCES):
        for k, (sentence, start, end) in enumerate(cluster):
            row = {"coref_chain": f"c{number}", "mention_id": f"c{number}_{k}", "sent_id": sentence, "doc_id": "d"}
            rows.append(row | {"tokens_number": list(range(start, end + 1)), "conll_doc_key": "1/1ecb/d"})
    return rows


def conll2012(part) -> list:
    rows = [{"part_id": part, "words": words, "pos_tags": [3] * 5, "coref_spans": []} for words in SENTENCES]
    for number, cluster in enumerate(IN_SENTENCES):
        for sentence, *span in cluster:
            rows[sentence]["coref_spans"].append([8 - number, *span])
    return rows


SUBWORDS = {"doc_key": "d", "sentences": SUBTOKENS, "clusters": WRONG, "predicted_clusters": IN_SUBTOKENS}
OFFSETS = {"tokens": WORDS, "clusters_token_offsets": CLUSTERS}
CASED = {"document_id": "d", "cased_words": WORDS, "span_clusters": EXCLUSIVE}
NAMED = [["a", "b", "c"], ["d", "e"]]
FILES = {
    "key.jsonl": lines({"doc_key": "d", "sentences": SENTENCES, "clusters": CLUSTERS}),
    "e2e.jsonl": lines({"doc_key": "d", "sentences": SENTENCES, "clusters": WRONG, "predicted_clusters": CLUSTERS}),
    "coref-hoi.json": objects(SUBWORDS | {"subtoken_map": WORD_OF}),
    "longdoc.jsonl": lines(
        SUBWORDS | {"subtoken_map": list(range(16)), "orig_subtoken_map": WORD_OF, "orig_tokens": WORDS}
    ),
    "s2e.jsonl": lines({"d": IN_SUBTOKENS}, {"d": WORD_OF}),
    "fastcoref.jsonl": lines(
        {"text": TEXT, "clusters": [*CHARACTERS[:1], [*CHARACTERS[1], None]], "clusters_strings": TEXTS}
    ),
    "fastcoref-words.jsonl": lines({"text": WORDS, "clusters": EXCLUSIVE, "clusters_strings": [[[]]]}),
    "maverick.json": json.dumps(OFFSETS | {"clusters_char_offsets": None, "clusters_token_text": TEXTS}),
    "maverick-evaluate.jsonl": lines({"doc_key": "d", "text": TEXT, "clusters": CLUSTERS}),
    "xcore.json": json.dumps({"tokens": [[each] for each in SENTENCES], "clusters_token_offsets": IN_SENTENCES}),
    "crac.json": json.dumps([{"doc_id": "d", "clusters_text_mentions": TEXTS} | OFFSETS], indent=2),
    "wl-coref.jsonl": lines(
        CASED | {"sent_id": [0] * 5 + [1] * 5, "clusters": WRONG, "word_clusters": [[0, 2, 8], [3, 5]]}
    ),
    "stanza.json": objects(*(CASED | {"part_id": part} for part in (0, 1))),
    "stanza-key.json": json.dumps(
        [{"document_id": "d", "part_id": part, "cased_words": WORDS, "clusters": EXCLUSIVE} for part in (0, 1)]
    ),
    "allennlp.jsonl": lines(
        {"document": WORDS, "clusters": CLUSTERS, "top_spans": [[0, 0]], "predicted_antecedents": [-1]}
    ),
    "preco.jsonl": lines(
        {
            "id": "d",
            "sentences": [SENTENCES[0], [" "], SENTENCES[1]],
            "mention_clusters": [[[s * 2, *rest] for s, *rest in cluster] for cluster in IN_SENTENCES_EXCLUSIVE],
        }
    ),
    "elit.json": json.dumps(
        {"sens": [{"sid": k, "tok": words} for k, words in enumerate(SENTENCES)], "coref": IN_SENTENCES_EXCLUSIVE}
    ),
    "corenlp.json": json.dumps(
        {
            "docId": "d",
            "sentences": [{"index": 0, "tokens": [{"word": word} for word in words]} for words in SENTENCES],
            "corefs": {str(k): list(map(corenlp, cluster)) for k, cluster in enumerate(IN_SENTENCES_EXCLUSIVE)},
        },
        indent=2,
    ),
    "coref-data.jsonl": lines(
        {
            "id": "d",
            "sentences": [{"tokens": [{"id": k, "text": word} for k, word in enumerate(words)]} for words in SENTENCES],
            "coref_chains": IN_SENTENCES,
        }
    ),
    "conll2012.jsonl": lines({"document_id": "d", "sentences": conll2012(0) + conll2012(1)}),
    "ucdcr.json": json.dumps(ucdcr()),
    "ucdcr-key.json": json.dumps(ucdcr()[::-1]),
    "scorch.json": json.dumps({"type": "clusters", "clusters": {"1": NAMED[1], "2": NAMED[0]}}),
    "scorch-key.json": json.dumps(
        {"type": "graph", "mentions": list("edcba"), "links": [["a", "b"], ["c", "b"], ["e", "d"]]}
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("coref-data", "conll2012", "e2e"):
        rows = [json.loads(line) | {"genre": "x"} for line in FILES[f"{name}.jsonl"].splitlines()]
        parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / f"{name}.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_table_has_every_shape():
    assert set(SHOWN) == {shape for shape, _ in ROWS} == set(SHAPES)
    assert {"key.jsonl", *(name for _, name in ROWS), *KEYS.values()} >= set(FILES)


@pytest.mark.parametrize(("shape", "name"), ROWS, ids=[name for _, name in ROWS])
@pytest.mark.filterwarnings("ignore:.*are null")
def test_rows_of_the_table(folder, shape, name):
    """The command and the call both give full marks, recognized by fields or by the row's name."""
    key = KEYS.get(name, "key.jsonl")
    found = ac.score_files(key, name)
    assert (found["conll"].f1, found["mentions"].f1) == (1, 1)
    result = CliRunner().invoke(main, ["score", key, name, "--format", "json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["scores"]["conll"]["f1"] == 1
    assert ac.score_files(key, name, response_format=shape)["conll"].f1 == 1


@pytest.mark.parametrize("name", [name for name in FILES if "key" not in name])
@pytest.mark.filterwarnings("ignore:.*are null")
def test_spans_and_conversion(folder, name):
    """Mentions are the same words in all files, and all that are spans of words can be written as CoNLL and JSON."""
    found = read_documents(name, side="response")
    if found.units[0] == "word":
        assert sorted(mentions(found))[:5] == sorted(mentions(read_documents("key.jsonl")))[:5]
        assert found.n_tokens[0] == (10 if found.lengths[0] >= 0 else 9)
        assert found.text[0].words() in (WORDS, None)
        assert found.text[0].sentences() in (SENTENCES, [WORDS], [[word] for word in WORDS], None)
    for target in ("out.conll", "out.jsonl"):
        result = CliRunner().invoke(main, ["convert", name, target, "--side", "response", "--quiet"])
        if found.units[0] == "word":
            assert result.exit_code == 0, result.output
            assert sorted(mentions(read_documents(target))) == sorted(mentions(found))
        else:
            assert (result.exit_code, "expected spans of words" in result.output) == (1, True)


def test_parquet_of_documents(folder):
    """A row has the number of its line, and the limit of bytes holds."""
    found = read_documents("coref-data.parquet")
    assert (found.names, found.text[0].words(), found.mentions.line[0]) == (("d",), WORDS, 1)
    for name in ("coref-data", "conll2012", "e2e"):
        found, lines = (read_documents(f"{name}.{end}", side="response") for end in ("parquet", "jsonl"))
        assert (mentions(found), found.names) == (mentions(lines), lines.names)
    parquet.write_table(pyarrow.Table.from_pylist([{"id": "d", "chains": CLUSTERS}]), "named.parquet")
    with pytest.raises(ac.ReadError, match=r"clusters_field='\[SIDE:\]chains' reads the only one"):
        read_documents("named.parquet")
    assert read_documents("named.parquet", clusters_field="chains").mentions.end.tolist() == [0, 2, 8, 3, 5]
    assert ac.score_table("coref-data.parquet", "coref-data.parquet")["bcub"].f1 == 1.0
    rows = [{"id": "d", "sentences": None, "coref_chains": None}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), "null.parquet")
    with pytest.raises(ac.ReadError, match=r"null.parquet:1: coref_chains is None"):
        read_documents("null.parquet")
    with pytest.raises(ac.ReadError, match="more than 9 bytes"):
        read_documents("coref-data.parquet", max_bytes=9)
    (folder / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(ac.ReadError, match=r"broken.parquet: cannot be read as Parquet"):
        read_documents("broken.parquet")


def test_fields_that_no_document_has(folder):
    """Names that a wrong field was asked for were left out, and documents paired in their order."""
    (folder / "key.jsonl").write_text(lines({"title": "a", "clusters": [[[0, 1]]]}, {"title": "b", "clusters": []}))
    assert read_documents("key.jsonl", name_field="title").names == ("a", "b")
    with pytest.raises(ReadError, match=r"key.jsonl: no document has its name in the field 'tilte'"):
        read_documents("key.jsonl", name_field="tilte")
    with pytest.warns(ac.ReadWarning, match="no document has its name in the field 'tilte'"):
        assert read_documents("key.jsonl", name_field="tilte", lenient=True).names == ("1", "2")


def test_a_name_twice_in_an_inner_object_is_an_error(tmp_path):
    # the last value would be the only one, and mentions of the others be lost
    path = tmp_path / "x.json"
    for text, field in (
        ('{"type": "clusters", "name": "d", "clusters": {"a": ["m", "n"], "a": ["o", "p"]}}', "a"),
        ('[{"coref_chain": 1, "coref_chain": 2, "tokens_number": [1], "sent_id": 0}]', "coref_chain"),
    ):
        path.write_text(text)
        with pytest.raises(ReadError, match=f"'{field}' appears twice"):
            read_documents(path)


@cases("sentence", [{"words": ["A"]}, {"part_id": 0, "words": ["A"], "coref_spans": [[1, 0]]}, None])
def test_sentences_that_are_none_of_conll2012(tmp_path, sentence):
    path = tmp_path / "x.jsonl"
    path.write_text(lines({"document_id": "d", "sentences": [conll2012(0)[0]]}, {"sentences": [sentence]}))
    with pytest.raises(ReadError, match=r"x.jsonl:2: .*expected (a JSON object|part_id, words and coref_spans)"):
        read_documents(path)


def test_parts_of_documents_are_numbers_or_texts(tmp_path):
    """The others were left out, so that parts had the name of the whole, and the second of them was one too many."""
    path = tmp_path / "parts.jsonl"
    for part in (1.0, True, [1, 2]):
        path.write_text(lines(CASED | {"part_id": 0}, CASED | {"part_id": part}))
        expected = re.escape(f"jsonl:2: part_id is {part!r}; expected a whole number or a string")
        with pytest.raises(ac.ReadError, match=expected):
            read_documents(path, side="response")
    path.write_text(lines(*(CASED | {"part_id": part} for part in (-1, 0, "0b", None, 11 * [3]))))
    for side in ("response", "key"):  # which has no other clusters
        assert read_documents(path, side=side).names == ("d_-1", "d_0", "d_0b", "d", "d_3")


@cases(
    "header,name",
    {
        "as in the file": ("(a/b); part 001", "(a/b); part 001"),
        "with other blanks": ("(a/b); part 000", "(a/b);  part 0"),
        "without a part": ("(a/b);", "(a/b);"),
        "the line": ("(a/b); part 001", "#begin document (a/b); part 001"),
    },
)
def test_a_name_that_is_a_whole_header_of_conll(tmp_path, header, name):
    key, response = tmp_path / "key.conll", tmp_path / "response.jsonl"
    key.write_text(f"#begin document {header}\nA\t(1)\nb\t-\nc\t(1)\n#end document\n")
    response.write_text(lines({"doc_key": name, "sentences": [["A", "b", "c"]], "clusters": [[[0, 0], [2, 2]]]}))
    found = ac.score_files(key, response)["muc"]
    assert (found.recall_num, found.recall_den, found.precision_num, found.precision_den) == (1, 1, 1, 1)


def test_names_in_brackets_stay(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(lines(*({"doc_key": name, "clusters": []} for name in ("(a)", "a; part 1", "(a); part b"))))
    assert read_documents(path).names == ("(a)", "a; part 1", "(a); part b")


def test_a_mention_with_a_gap_takes_no_room(tmp_path):
    # a list of all tokens from the first to the last was made
    path = tmp_path / "x.json"
    for tokens, shown in (([1, 3], "1,3"), ([3, 1], "1,3"), ([1, 2**60], f"1,{2**60}"), ([5, 4], "4-5")):
        path.write_text(json.dumps([{"coref_chain": 1, "tokens_number": tokens, "sent_id": 0, "conll_doc_key": "a"}]))
        assert read_documents(path).text[0].words() == [repr(f"a 0 {shown}")]
