"""Convert keeps what the target can hold: there and back, words of another file, the list of what is left out."""

import json
from pathlib import Path

import pytest

import arraycoref as ac
from arraycoref.match import on_words
from arraycoref.read import read_documents
from arraycoref.read.layers import HELD
from arraycoref.read.mentions import nodes_of
from arraycoref.read.write import write_documents

CONLL = """#begin document (nw/a); part 001
nw/a	1	0	We	PRP	(TOP(S(NP*)	-	-	-	Ann	*	(A0*)	*	(0)
nw/a	1	1	saw	VBD	(VP*	see	01	1	Ann	*	(V*)	*	-
nw/a	1	2	Rome	NNP	(NP*))))	-	-	-	Ann	(GPE)	(A1*)	*	(1)

nw/a	1	0	It	PRP	(TOP(S*	-	-	-	Bo	*	(1)
nw/a	1	1	rained	VBD	*))	rain	-	-	Bo	*	-

#end document
"""
CONLLU = """# newdoc id = b
# global.Entity = eid-etype-head-infstat
# sent_id = b-1
# speaker = Ann
1-2	du	_	_	_	_	_	_	_	SpaceAfter=No
1	de	de	ADP	P	_	3	case	_	_
2	le	le	DET	D	Gender=Masc	3	det	_	Entity=(e7-place-2-new
3	mot	mot	NOUN	N	_	0	root	_	Entity=e7)
3.1	on	on	PRON	P	_	_	_	3:subj	Bridge=e7<e8|Entity=(e8-person-1-giv)

# sent_id = b-2
1	et	et	CCONJ	C	_	0	root	_	Entity=(e7-place-1-giv)

"""
JSON = {
    "doc_key": "c",
    "sentences": [["a b", "c", "é"], ["#"]],
    "speakers": [["x", "x", "x"], ["y"]],
    "pos": [["A", "B", "C"], ["D"]],
    "ner": [[0, 1, "PER"]],
    "clusters": [[[0, 1]], [[2, 2], [3, 3]]],
    "entity_types": [None, "PER"],
}
SUFFIX = {"conll": "conll", "jsonlines": "jsonl", "conllu": "conllu"}
SOURCES = {"conll": CONLL, "conllu": CONLLU, "jsonlines": json.dumps(JSON)}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in SOURCES.items():
        Path(f"in.{SUFFIX[name]}").write_text(text, encoding="utf-8")
    return tmp_path


def content(documents, formats):
    """Return names, words, mentions, and what each of the formats can hold beside these."""
    held = frozenset.intersection(*(HELD[name] for name in formats))
    found = []
    for d, name in enumerate(documents.names):
        entities = [[] for _ in range(10)]
        for m in range(documents.offsets[d], documents.offsets[d + 1]):
            entities[documents.mentions.entity[m]].append(nodes_of(documents.mentions.parts_of(m)).tolist())
        layers, types = documents.text[d].layers(), documents.with_types().types_of(d)
        told = {**layers.columns, **layers.per_sentence}
        found.append(
            (name, documents.text[d].words(), layers.sentences, entities, {n: told[n] for n in told if n in held})
        )
        found.append(list(types.items()) if "types of entities" in held else None)
    return found


@pytest.mark.parametrize("first", SUFFIX)
@pytest.mark.parametrize("second", SUFFIX)
@pytest.mark.parametrize("source", SOURCES)
def test_there_and_back(source, first, second):
    original = read_documents(f"in.{SUFFIX[source]}", layers=True)
    before, doubts = original, []
    for place, name in enumerate((first, second, first)):
        path = f"{place}.{SUFFIX[name]}"
        write_documents(before, path, zeros="drop", on_error=doubts.append)
        after = read_documents(path, layers=True)
        if place:
            assert content(after, (first, second)) == content(before, (first, second))
        before = after
    of_all = (source, first, second)
    if source != "conllu":  # of which zeros were dropped
        assert content(after, of_all)[0][3:] == content(original, of_all)[0][3:]


LEFT_OUT = {
    "conll jsonl": "",
    "conll conllu": "as CoNLL-U cannot hold it: the columns parse (5 words), frameset (1 word), sense (1 word), "
    "named_entity (1 word), arguments (3 words)",
    "conllu conllu": "as CoNLL-U cannot hold it: other fields of mentions (3), bridges of mentions left out (1)",
    "conllu jsonl": "as JSON lines cannot hold it: heads of mentions (3), other fields of mentions (3), bridges (1)",
    "conllu conll": "as CoNLL cannot hold it: the columns upos (4 words), feats (1 word), head (4 words), "
    "deprel (4 words); types of entities (1), comments (2), multiword (1), empty nodes (1), "
    "heads of mentions (3), other fields of mentions (3), bridges (1)",
    "jsonl jsonl": "as JSON lines cannot hold it: field ner (1)",
    "jsonl conll": "as CoNLL cannot hold it: types of entities (1), field ner (1)",
    "jsonl conllu": "as CoNLL-U cannot hold it: field ner (1)",
}


@pytest.mark.parametrize("pair", LEFT_OUT)
def test_what_is_left_out_is_listed_once(run, pair):
    source, target = pair.split()
    done = run("convert", f"in.{source}", f"out.{target}", "--zeros", "drop")
    lines = [line for line in done.stderr.splitlines() if "1 zero left out" not in line]
    begin = f"arraycoref: warning: in.{source}: not all that is here is in the output, "
    assert (done.exit_code, lines) == (0, [begin + LEFT_OUT[pair]] * bool(LEFT_OUT[pair]))


def test_words_that_columns_cannot_hold(run):
    words, speakers = [["a\tb", " ", "", "\ud800", "\u00a0"]], [["x", "x", "x", "x", "y"]]
    record = {"doc_key": "a", "sentences": words, "speakers": speakers, "clusters": [[[0, 0], [3, 4]]]}
    Path("odd.jsonl").write_text(json.dumps(record))
    for target in ("odd.conll", "odd.conllu"):
        done = run("convert", "odd.jsonl", target)
        assert "words with tabs, line ends or spaces around (5)" in done.stderr
        assert ("sentences of several speakers (1)" in done.stderr) == (target == "odd.conllu")
        assert read_documents(target)[0].words == ["a b", "_", "_", "?", "_"]
        assert read_documents(target)[0].clusters == [[(0, 0), (3, 4)]]
    in_text = run("convert", "odd.jsonl", "text.jsonl", "--to", "xml-text", "--lenient").stderr
    assert "words with spaces, or empty (4)" in in_text
    assert run("convert", "odd.jsonl", "same.jsonl").stderr == ""
    assert read_documents("same.jsonl")[0].sentences == words


def test_texts():
    for target in ("out.jsonl", "out.conllu"):
        write_documents(read_documents("in.conll"), target, on_error=lambda _: None)
    assert json.loads(Path("out.jsonl").read_text()) == {
        "doc_key": "nw/a_1",
        "sentences": [["We", "saw", "Rome"], ["It", "rained"]],
        "pos": [["PRP", "VBD", "NNP"], ["PRP", "VBD"]],
        "parse": [["(TOP(S(NP*)", "(VP*", "(NP*))))"], ["(TOP(S*", "*))"]],
        "lemma": [["_", "see", "_"], ["_", "rain"]],
        "frameset": [["-", "01", "-"], ["-", "-"]],
        "sense": [["-", "1", "-"], ["-", "-"]],
        "speakers": [["Ann", "Ann", "Ann"], ["Bo", "Bo"]],
        "named_entity": [["*", "*", "(GPE)"], ["*", "*"]],
        "arguments": [["(A0*)\t*", "(V*)\t*", "(A1*)\t*"], ["", ""]],
        "clusters": [[[0, 0]], [[2, 2], [3, 3]]],
    }
    assert Path("out.conllu").read_text() == (
        "# newdoc id = nw/a_1\n# global.Entity = eid-etype\n# speaker = Ann\n"
        "1\tWe\t_\t_\tPRP\t_\t_\t_\t_\tEntity=(e1)\n2\tsaw\tsee\t_\tVBD\t_\t_\t_\t_\t_\n"
        "3\tRome\t_\t_\tNNP\t_\t_\t_\t_\tEntity=(e2)\n\n# speaker = Bo\n"
        "1\tIt\t_\t_\tPRP\t_\t_\t_\t_\tEntity=(e2)\n2\trained\train\t_\tVBD\t_\t_\t_\t_\t_\n\n"
    )
    write_documents(read_documents("out.jsonl", layers=True), "back.conll")
    assert Path("back.conll").read_text() == CONLL.replace("(nw/a); part 001", "(nw/a_1)").replace(
        "nw/a\t1", "nw/a_1\t0"
    )
    write_documents(read_documents("in.conll"), "same.conll")
    assert Path("same.conll").read_text() == CONLL


WRITTEN = """# newdoc id = b
# global.Entity = eid-etype-head
# sent_id = b-1
# speaker = Ann
1-2	du	_	_	_	_	_	_	_	SpaceAfter=No
1	de	de	ADP	P	_	3	case	_	_
2	le	le	DET	D	Gender=Masc	3	det	_	Entity=(e1-place-2
3	mot	mot	NOUN	N	_	0	root	_	Entity=e1)
3.1	on	on	PRON	P	_	_	_	3:subj	_

# sent_id = b-2
1	et	et	CCONJ	C	_	0	root	_	Entity=(e1-place-1)

"""


def test_a_hyphen_has_itself_as_its_lemma(run):
    lines = "1\t-\t-\t_\tHYPH\t_\t_\t_\t_\t_\n2\ta\tA\t_\tNN\t_\t_\t_\t_\t_\n\n"
    Path("hyphen.conllu").write_text(f"# newdoc id = h\n# global.Entity = eid-etype-head\n{lines}")
    assert run("convert", "hyphen.conllu", "hyphen.conll").stderr == ""
    assert run("convert", "hyphen.conll", "back.conllu").stderr == ""
    assert Path("back.conllu").read_text().endswith(lines)


def test_types_and_trees_come_back_from_json(run):
    assert run("convert", "in.conllu", "a.jsonl", "--zeros", "drop").exit_code == 0
    assert json.loads(Path("a.jsonl").read_text())["entity_types"] == ["place"]
    assert run("convert", "a.jsonl", "b.conllu").stderr == ""
    assert Path("b.conllu").read_text() == WRITTEN
    assert run("convert", "in.conllu", "c.conllu", "--zeros", "drop", "--quiet").exit_code == 0
    assert Path("c.conllu").read_text() == WRITTEN


GAP = """# global.Entity = eid-head
1	a	_	_	_	_	0	_	_	Entity=(e1[1/2]-1)
1.1	_	_	_	_	_	_	_	_	_
2	b	_	_	_	_	0	_	_	Entity=(e2-1)
3	c	_	_	_	_	0	_	_	Entity=(e1[2/2]-1)
4	d	_	_	_	_	0	_	_	Entity=(e1-1)

"""


def test_mentions_that_json_lines_cannot_hold(run):
    Path("gap.conllu").write_text(GAP.replace("_\t_\t_\n2", "_\t_\tEntity=(e3-1)\n2"))
    done = run("convert", "gap.conllu", "a.conll")
    assert done.exit_code == 1
    assert (
        "gap.conllu:3: a mention that opens here has an empty node, which CoNLL cannot hold; --zeros 'drop'"
        in done.stderr
    )
    assert run("convert", "gap.conllu", "a.conll", "--zeros", "drop").exit_code == 0
    assert read_documents("a.conll")[0].clusters == [[((0, 0), (2, 2)), (3, 3)], [(1, 1)]]
    done = run("convert", "a.conll", "a.jsonl")
    assert done.exit_code == 1
    assert "has a gap, which JSON lines cannot hold; --lenient leaves out all such mentions, 1 here" in done.stderr
    assert run("convert", "a.conll", "a.jsonl", "--lenient").exit_code == 0
    assert read_documents("a.jsonl")[0].clusters == [[(3, 3)], [(1, 1)]]


def test_types_of_mentions_that_differ_within_an_entity(run):
    types = [["a", None], ["b"]]
    record = {"doc_key": "d", "sentences": [["x", "y", "z"]], "clusters": [[[0, 0], [1, 1]], [[2, 2]]]}
    Path("a.jsonl").write_text(json.dumps(record | {"mention_types": types}))
    assert run("convert", "a.jsonl", "b.jsonl").stderr == ""
    assert json.loads(Path("b.jsonl").read_text()) == json.loads(Path("a.jsonl").read_text())
    done = run("convert", "a.jsonl", "b.conllu")
    assert "as CoNLL-U cannot hold it: types of mentions (2)" in done.stderr
    assert read_documents("b.conllu").with_types().mentions.label.tolist() == ["a", "a", "b"]


def test_words_of_another_file(run):
    record = {"doc_key": "nw/a_1", "text": "We saw Rome It rained", "clusters": [[[0, 2], [7, 10]]]}
    Path("x.jsonl").write_text(json.dumps(record))
    options = ("--unit", "character", "--end", "exclusive")
    done = run("convert", "x.jsonl", "x.conll", *options)
    assert (done.exit_code, "--words FILE takes the words of another file" in done.stderr) == (1, True)
    assert run("convert", "x.jsonl", "x.conll", *options, "--words", "in.conll").exit_code == 0
    assert read_documents("x.conll")[0].clusters == [[(0, 0), (2, 2)]]
    assert Path("x.conll").read_text().splitlines()[3] == CONLL.splitlines()[3].replace("(1)", "(0)")
    done = run("convert", "in.conll", "z.conll", "--words", "in.jsonl", "--missing-documents", "empty")
    assert done.exit_code == 1  # no document of both
    Path("bare.jsonl").write_text(
        '{"doc_key": "nw/a_1", "sentences": [["We", "saw"], ["Rome", "It", "rained"]], "clusters": []}'
    )
    done = run("convert", "in.conll", "z.jsonl", "--words", "bare.jsonl")
    assert (
        "in.conll: the words are those of bare.jsonl, without what is said of them here: the columns pos (5"
        in done.stderr
    )
    assert json.loads(Path("z.jsonl").read_text())["sentences"] == [["We", "saw"], ["Rome", "It", "rained"]]


def test_the_file_of_the_words_is_not_overwritten():
    Path("x.jsonl").write_text('{"doc_key": "b", "clusters": [[[1, 2]]]}')
    documents = on_words(read_documents("x.jsonl"), read_documents("in.conllu"))
    with pytest.raises(ac.OptionError, match="the output would replace the input in"):
        write_documents(documents, "in.conllu")
    assert Path("in.conllu").read_text() == CONLLU


def test_names_of_maverick_and_layers_that_do_not_fit(run):
    record = {"doc_key": "x/1", "tokens": ["A", "b"], "clusters_token_offsets": [[[0, 0], [1, 1]]]}
    Path("maverick.json").write_text(json.dumps(record | {"clusters_token_text": [["A", "b"]]}))
    assert run("convert", "maverick.json", "m.jsonl").stderr == ""
    assert json.loads(Path("m.jsonl").read_text()) == {
        "doc_key": "x/1", "sentences": [["A", "b"]], "clusters": [[[0, 0], [1, 1]]]
    }  # fmt: skip
    odd = {
        "pos": [["A"]],
        "comments": [["no comment"], []],
        "empty_nodes": [[["1.1"]], []],
        "head": [["9", "x", "0"], ["7"]],
    }
    Path("odd.jsonl").write_text(json.dumps(JSON | odd))
    done = run("convert", "odd.jsonl", "odd.conllu")
    assert done.exit_code == 0, done.stderr
    for name in odd.keys() - {"head"}:
        assert f"field {name} (1)" in done.stderr
