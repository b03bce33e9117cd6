"""Reading of CoNLL-UA: the shared texts, with what to make of them; and faults, each with its line and value."""

import pytest

import arraycoref as ac
from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents
from arraycoref.read.mentions import AT_START, BITS, EMPTY
from conllua_files import HEADER, as_text
from marks import about, cases
from oracle.golden import universal_anaphora

WORD = "{}\t{}" + 8 * "\t_" + "\t{}\t{}\t{}\t_\t_\n"


def text_of(*cells, bridging=(), deixis=(), begin=HEADER + "# newdoc id = d\n"):
    """Return the text of a document of one word for each cell of IDENTITY."""
    others = [[*given, *len(cells) * ["_"]] for given in (bridging, deixis)]
    rows = zip(cells, *others, strict=False)
    return begin + "".join([WORD.format(n, f"w{n}", *row) for n, row in enumerate(rows, 1)])


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a text, with relations."""

    def read(text, **options):
        (tmp_path / "x.conllua").write_text(text, encoding="utf-8", newline="")
        return read_documents(tmp_path / "x.conllua", keep_relations=True, **options)

    return read


def contents(documents, d):
    """Return what the shared texts say of a document."""
    mentions, ids, relations = documents.mentions, documents.entities[d], documents.relations[d]
    rows = range(*documents.offsets[d : d + 2].tolist())
    found = {"mentions": [], "entities": [ids[mentions.entity[m]] for m in rows], "min": [], "elements": {}}
    for m in rows:
        nodes = mentions.parts_of(m).tolist()
        parts = [
            f"{a >> BITS}.{a & EMPTY & ~AT_START}" if a & EMPTY else [(a >> BITS) - 1, (b >> BITS) - 1]
            for a, b in nodes
        ]
        found["mentions"].append(parts if len(parts) > 1 else parts[0])
        minimum = 0 if mentions.minimum is None else int(mentions.minimum[m])
        first = (nodes[0][0] >> BITS) - 1 + (minimum >> 32)
        found["min"].append([first, first + (minimum & 0xFFFFFFFF) - 1] if minimum else None)
    for whole, element in zip(relations.whole.tolist(), relations.element.tolist(), strict=True):
        found["elements"].setdefault(ids[whole], []).append(ids[element])
    found["pseudo"] = [ids[entity] for entity in relations.pseudo.tolist()]
    of_mention = {int(mentions.entity[m]): m for m in reversed(rows)}
    links = zip(*(column.tolist() for column in relations[:3]), strict=True)
    found["bridging"] = [[a, of_mention[entity] - rows[0] if b < 0 else b] for a, b, entity in links]
    return {name: values for name, values in found.items() if any(values)}


def test_shared_texts(read):
    for row in universal_anaphora("reading"):
        with about(row["name"]):
            noted = []
            if "error" in row:
                with pytest.raises(ReadError):
                    read(row["text"])
                continue
            documents = read(row["text"], on_error=noted.append)
            expected = {
                name: {field: values for field, values in own.items() if any(values)}
                for name, own in row["reads"].items()
            }
            assert {name: contents(documents, d) for d, name in enumerate(documents.names)} == expected
            is_doubtful = row["name"] in ("min-outside", "pseudo-underline", "bridging-unknown", "bridging-twice")
            assert bool(noted) == (is_doubtful or row["name"] == "element-of-unknown")


def test_deixis_is_a_clustering_of_its_own(read):
    text = text_of("(EntityID=1|MarkableID=m1)", "_", deixis=("(EntityID=7|MarkableID=d1", ")"))
    for column in ("discourse_deixis", 13, -3):
        assert contents(read(text, column=column), 0) == {"mentions": [[0, 1]], "entities": ["7"]}
    assert contents(read(text), 0) == {"mentions": [[0, 0]], "entities": ["1"]}


@cases(
    "cells,line,reason",
    {
        "odd text": (["m1"], 3, "'m1' in IDENTITY 'm1'; expected items such as"),
        "no item": (["(m1)"], 3, "an item without MarkableID: 'm1'"),
        "no entity": (["(MarkableID=m1)"], 3, "an item without EntityID: 'MarkableID=m1'"),
        "two entities": (
            ["(EntityID=1|MarkableID=m1)", "(EntityID=2|MarkableID=m1)"],
            4,
            "the mention 'm1' is in entity '2' here, and in entity '1' on line 3",
        ),
        "opens again": (["(EntityID=1|MarkableID=m1(EntityID=1|MarkableID=m1)", ")"], 3, "'m1' opens again before"),
        "never closes": (["_", "(EntityID=1|MarkableID=m1"], 4, "the mention 'm1' opens here, but never closes"),
        "closes": (["_", ")"], 4, "a mention closes here, but is not open"),
        "closes by name": (["(EntityID=1|MarkableID=m1", "m2)", "m1)"], 4, "the mention 'm2' closes here, but is not"),
        "circle": (
            ["_", "(EntityID=1|MarkableID=m1|ElementOf=2)", "(EntityID=2|MarkableID=m2|ElementOf=1)"],
            4,
            "entity '[12]' is an element of itself, as ElementOf leads in a circle",
        ),
    },
)
def test_faults(read, cells, line, reason):
    with pytest.raises(ReadError, match=f"x.conllua:{line}: .*{reason}"):
        read(text_of(*cells))
    problems = []
    read(text_of(*cells, "(EntityID=3|MarkableID=last)"), lenient=True, on_error=problems.append)
    assert [problem.line for problem in problems] == [line]


def test_faults_of_lines(read, tmp_path):
    for line, reason in (("x w", "no ID such as 3, 3-4 or 3.1 in 'x w'"), ("1 w", "no IDENTITY in '1 w'; expected")):
        with pytest.raises(ReadError, match=f"x.conllua:3: {reason}"):
            read(HEADER + f"# newdoc id = d\n{line}\n")
    with pytest.raises(ReadError, match=r"no OTHER in '1.*; expected the columns ID FORM"):
        read(text_of("_"), column="other")
    (tmp_path / "x.conll").write_text("#begin document (d)\nx\t(0)\n#end document\n")
    with pytest.raises(ReadError, match="a name, which only CoNLL-UA has"):
        read_documents(tmp_path / "x.conll", column="IDENTITY")


def test_files_are_recognized(tmp_path):
    item = "(EntityID=1|MarkableID=m1)"
    for name, begin in (("x.txt", HEADER), ("x.conllua", ""), ("x.conllu", "# a comment\n" + HEADER)):
        (tmp_path / name).write_text(text_of(item, begin=begin + "# newdoc id = d\n"), encoding="utf-8")
        assert len(read_documents(tmp_path / name).mentions) == 1
    (tmp_path / "x.conll").write_text(text_of(item, begin="# newdoc id = d\n"), encoding="utf-8")
    with pytest.raises(ReadError, match="this looks like CoNLL-UA, of Universal Anaphora; format='conllua' reads it"):
        read_documents(tmp_path / "x.conll")


def test_check_lists_all_problems(tmp_path):
    cells = ["(EntityID=1|MarkableID=m1|Min=9)", ")", "(EntityID=2|MarkableID=m1)", "(EntityID=3|MarkableID=m2)"]
    (tmp_path / "x.conllua").write_text(text_of(*cells), encoding="utf-8")
    problems = ac.check(tmp_path / "x.conllua")
    assert "1 mention with a minimum span that is not in it" in str(problems)
    assert [(problem.line, problem.severity) for problem in problems.problems] == [
        (None, "warning"),
        (4, "error"),
        (5, "error"),
    ]


def test_conversion_to_conllu(tmp_path):
    """Empty nodes stay after the same word; what cannot be written is listed."""
    cells = ["(EntityID=1|MarkableID=m1|Min=1|ElementOf=3)", "(EntityID=2|MarkableID=m2|ElementOf=3)"]
    cells += ["(EntityID=3|MarkableID=m3)", "(EntityID=3|MarkableID=m5)", "(EntityID=9-Pseudo|MarkableID=m4)"]
    text = text_of(*cells, bridging=["_", "(MarkableID=m2|Rel=poss-inv|MentionAnchor=m1)"], deixis=["x"])
    lines = text.split("\n")
    zero = WORD.format("2.7", "_", "(EntityID=1|MarkableID=z)", "_", "_").strip("\n")
    path, target = tmp_path / "x.conllua", tmp_path / "x.conllu"
    path.write_text("\n".join([*lines[:4], "", "# speaker = A", zero, *lines[4:]]))
    noted = []
    ac.convert(path, target, on_error=noted.append)
    written = [line.split("\t") for line in target.read_text().split("\n")]
    assert [(columns[0], columns[-1]) for columns in written if len(columns) == 10] == [
        ("1", "Entity=(e1--1)"),
        ("2", "Bridge=e1<e2:poss-inv|Entity=(e2--1)"),
        ("2.1", "Entity=(e1--1)"),
        ("1", "Entity=(e3--1)|SplitAnte=e1<e3,e2<e3"),
        ("2", "Entity=(e3--1)"),
        ("3", "_"),
    ]
    assert ["# speaker = A"] in written
    assert str(noted[-1]).endswith(
        "hold it: column DISCOURSE_DEIXIS (1), entities without reference (1), minimum spans (1)"
    )


def relations_of(documents, d):
    """Return entities as sets of mentions; anaphor and entity of each link; pairs of whole and element."""
    mentions, relations = documents.mentions, documents.relations[d]
    rows = range(*documents.offsets[d : d + 2].tolist())
    nodes = {int(mentions.number[m]): str(mentions.parts_of(m).tolist()) for m in rows}
    entities = {}
    for m in rows:
        entities.setdefault(int(mentions.entity[m]), set()).add(nodes[int(mentions.number[m])])
    entities = {e: frozenset(own) for e, own in entities.items() if e not in relations.pseudo}
    links = [(nodes[a], entities.get(e)) for a, e in zip(relations.anaphor, relations.entity, strict=True)]
    own = {a: next((entity for entity in entities.values() if a in entity), None) for a, _ in links}
    elements = [[entities.get(e) for e in pair] for pair in zip(relations.whole, relations.element, strict=True)]
    return (
        {*entities.values()},
        {(a, e) for a, e in links if None not in (own[a], e) and own[a] != e},
        {(whole, element) for whole, element in elements if None not in (whole, element)},
    )


def test_converted_documents_are_equal(tmp_path):
    rows = [
        row
        for row in universal_anaphora("documents")
        if row["name"].split("-")[0] in ("plain", "plural") or row["name"] == "zeros-003"
    ]
    path, target = tmp_path / "x.conllua", tmp_path / "x.conllu"
    path.write_text(HEADER + "".join([as_text(row["words"], row["key"], row["name"]) for row in rows]))
    ac.convert(path, target, on_error=lambda _: None)
    documents = [read_documents(source, keep_relations=True, on_error=lambda _: None) for source in (path, target)]
    for d, row in enumerate(rows):
        with about(row["name"]):
            before, after = (relations_of(side, d) for side in documents)
            assert before == after


def test_links_that_conllu_cannot_hold_are_counted(tmp_path):
    # The first mention covers words 0-1, and others of its entity open last on both.
    side = {"mentions": [[0, 1], [0, 0], [1, 1], [2, 2]], "entities": [1, 1, 1, 2], "bridging": [[0, 3]]}
    (tmp_path / "x.conllua").write_text(HEADER + as_text(3, side))
    said = []
    ac.convert(tmp_path / "x.conllua", tmp_path / "x.conllu", on_error=said.append)
    assert "Bridge=" not in (tmp_path / "x.conllu").read_text()
    assert "1 bridging link left out" in str(said[0])
