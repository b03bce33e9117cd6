"""Bridging links against another scorer's sums, and against the definition in sets."""

import json
import os
import random
import re
from pathlib import Path

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.api import score_clusterings
from arraycoref.exceptions import OptionError
from arraycoref.match import match_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.ragged import bounds
from arraycoref.read import read_documents
from arraycoref.read.documents import Text, make_documents
from arraycoref.read.mentions import BITS, Mentions, join_parts
from arraycoref.read.relations import Relations
from conllua_files import HEADER, as_text
from oracle import bridging
from oracle.corefud_reader import OTHER_NAMES, mentions_of
from oracle.golden import universal_anaphora

LEVELS = {"anaphor": "bridging-anaphors", "mention": "bridging-mentions", "entity": "bridging-entities"}


def node(unit):
    if isinstance(unit, str):
        words, number = map(int, unit.split("."))
        return words << BITS | number
    return unit + 1 << BITS


def documents(sides):
    """Make documents of sides as the oracle has them."""
    units = [sorted(map(node, mention)) for side in sides for mention in side["mentions"]]
    parts = np.repeat(np.concatenate([np.array(each, np.int64) for each in units] or [[]])[:, np.newaxis], 2, axis=1)
    parts, part_bounds = join_parts(parts.astype(np.int64), bounds(np.array([*map(len, units)], np.int64)))
    document = np.repeat(np.arange(len(sides)), [len(side["mentions"]) for side in sides]).astype(np.int32)
    hull = np.array([(each[0] >> BITS, each[-1] >> BITS) for each in units], np.int32).reshape(-1, 2)
    entity, relations = [], []
    for side in sides:
        number = {name: n for n, name in enumerate(dict.fromkeys(side["entities"]))}
        entity += [number[name] for name in side["entities"]]
        links = [(a, -1 if b is None else b, number[name], None) for a, b, name in side["links"]]
        relations.append(
            Relations.from_lists(links, pseudo=[number[name] for name in side["pseudo"] if name in number])
        )
    start, end = np.maximum(hull.T, 1).astype(np.int32) - 1
    mentions = Mentions(
        document,
        start,
        end,
        np.array(entity, np.int32),
        np.zeros(document.size, np.int64),
        parts=parts,
        part_bounds=part_bounds,
        head=parts[part_bounds[:-1], 0],
    )
    names = [f"d{n}" for n in range(len(sides))]
    return make_documents("x", names, mentions, [Text()] * len(sides), relations=tuple(relations))


def counts(keys, responses, **options):
    policies = resolve_policies(options, FileOptions)
    matched = match_documents(documents(keys), documents(responses), policies, lambda _: None)
    return score_clusterings(matched.clusterings, policies, {"metrics": tuple(LEVELS.values())}).counts


def side_of(side):
    """Return a side of the other scorer's documents in the form of the oracle."""
    spans = [each if isinstance(each, list) and isinstance(each[0], list) else [each] for each in side["mentions"]]
    mentions = [
        tuple(unit for part in parts for unit in ([part] if isinstance(part, str) else range(part[0], part[1] + 1)))
        for parts in spans
    ]
    links = [(a, b, side["entities"][b]) for a, b in side.get("bridging", ())]
    return {
        "mentions": mentions,
        "entities": side["entities"],
        "pseudo": side.get("pseudo", []),
        "links": links,
    }


ROWS = [row for row in universal_anaphora("documents") if "bridging" in row]


def test_sums_of_another_scorer():
    keys, responses = ([side_of(row[side]) for row in ROWS] for side in ("key", "response"))
    for options in ({}, {"singletons": "drop"}, {"matching": "head"}):
        of_metric = counts(keys, responses, duplicates="first", **options)
        for level, metric in LEVELS.items():
            expected = [row["bridging"][level] for row in ROWS]
            np.testing.assert_array_equal(of_metric[metric], expected, err_msg=f"{options} {level}")
    assert len(ROWS) == 251
    assert all(bridging.sums(*pair) == row["bridging"] for row, *pair in zip(ROWS, keys, responses, strict=True))


def test_files_of_conllua(tmp_path):
    """The same sums from files, whose column BRIDGING names mentions."""
    paths = tmp_path / "key.conllua", tmp_path / "response.conllua"
    for path, side in zip(paths, ("key", "response"), strict=True):
        path.write_text(HEADER + "".join(as_text(row["words"], row[side], row["name"]) for row in ROWS))
    of_metric = ac.score_files(*paths, metrics=LEVELS.values(), on_error=lambda _: None).counts
    for level, metric in LEVELS.items():
        np.testing.assert_array_equal(of_metric[metric], [row["bridging"][level] for row in ROWS], err_msg=level)


def random_side(rng, n_words, base=None):
    """Return a random side; with a base, one that has most of the base's mentions, entities and links."""
    kept = [n for n in range(len(base["mentions"])) if rng.random() < 0.8] if base else []
    mentions = [base["mentions"][n] for n in kept]
    for _ in range(rng.randrange(3 if base else 10)):
        first = rng.randrange(n_words)
        units = range(first, min(first + rng.randrange(1, 4), n_words))
        mentions.append(rng.choice([tuple(units), tuple(units)[::2], (f"{first}.{rng.randrange(1, 3)}",)]))
    entities = [base["entities"][n] if rng.random() < 0.9 else 9 for n in kept]
    entities += [rng.randrange(5) for _ in mentions[len(kept) :]]
    named, number = rng.random() < 0.5, {n: place for place, n in enumerate(kept)}  # a file names mentions, or entities
    ends = [(number.get(a), number.get(b)) for a, b in base["ends"]] if base else []
    ends = [each for each in ends if None not in each and rng.random() < 0.8]
    for _ in range(rng.randrange(2 if base else 9) if mentions else 0):
        ends.append((rng.randrange(len(mentions)), rng.randrange(len(mentions))))
    links = [(a, b if named else None, entities[b]) for a, b in ends]
    pseudo = [entity for entity in sorted(set(entities)) if rng.random() < 0.15]
    return {"mentions": mentions, "entities": entities, "pseudo": pseudo, "links": links, "ends": ends}


@pytest.mark.parametrize("seed", range(3))
def test_random_documents(seed):
    rng = random.Random(seed)
    pairs = []
    for _ in range(60):
        n_words = rng.randrange(1, 12)
        key = random_side(rng, n_words)
        pairs.append((key, random_side(rng, n_words, key)))
    of_metric = counts(*zip(*pairs, strict=True), duplicates="both", singletons=rng.choice(["keep", "drop"]))
    for level, metric in LEVELS.items():
        np.testing.assert_array_equal(of_metric[metric], [bridging.sums(*pair)[level] for pair in pairs])


TEXT = "The house was old. Its door creaked and the roof leaked. The building fell."
SPANS = {"T1": "The house", "T2": "Its", "T3": "Its door", "T4": "the roof", "T5": "The building"}
IDENTITY = [("Coreference", "T2", "T1"), ("Coreference", "T5", "T1")]
ANNA = [("Bridging", "T3", "T1"), ("Bridging", "T4", "T2")]
BEN = [("Bridging", "T3", "T5"), ("bridging_part", "T4", "T3")]
EXPECTED = {"anaphor": [2, 2, 2, 2], "mention": [0, 2, 0, 2], "entity": [1, 2, 1, 2]}
"""Ben's first link leads to another mention of the house, his second to the door."""


def brat(folder, links):
    spans = [(name, TEXT.index(text), text) for name, text in SPANS.items()]
    lines = [f"{name}\tMention {first} {first + len(text)}\t{text}" for name, first, text in spans]
    lines += [f"R{n}\t{kind} Arg1:{one} Arg2:{other}" for n, (kind, one, other) in enumerate(links)]
    folder.mkdir()
    (folder / "d.txt").write_text(TEXT)
    (folder / "d.ann").write_text("\n".join(lines) + "\n")
    return folder


def webanno(folder, links):
    """Write a file whose lines name, for each span, the links that lead to it."""
    words = TEXT.replace(".", " .").split(" ")
    at = {"T1": (0, 1), "T2": (5, 5), "T3": (5, 6), "T4": (9, 10), "T5": (13, 14)}
    lines = ["#FORMAT=WebAnno TSV 3.3", "#T_SP=own.Mention|kind", "#T_RL=own.Link|type|BT_own.Mention", "", ""]
    place = 0
    for n, word in enumerate(words):
        own = [name for name, (first, last) in at.items() if first <= n <= last]
        to = [link for link in links if link[2] in own and at[link[2]][0] == n]
        kinds = "|".join(kind for kind, _, _ in to) or "_"
        sources = "|".join(f"1-{at[one][0] + 1}[{one[1:]}_{other[1:]}]" for _, one, other in to) or "_"
        spans = "|".join(f"*[{name[1:]}]" for name in own) or "_"
        begin = TEXT.index(word, place)
        place = begin + len(word)
        lines.append("\t".join([f"1-{n + 1}", f"{begin}-{place}", word, spans, kinds, sources, ""]))
    folder.mkdir()
    (folder / "d.tsv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize("write", [brat, webanno])
def test_two_annotators(write, tmp_path):
    anna, ben = write(tmp_path / "anna", IDENTITY + ANNA), write(tmp_path / "ben", IDENTITY + BEN)
    scores = ac.score_files(anna, ben, metrics="bridging,bridging-mentions,muc", profile="corefud", matching="exact")
    assert {level: scores.counts[metric][0].tolist() for level, metric in LEVELS.items()} == EXPECTED
    assert scores["muc"].f1 == 1  # links of bridging join nothing
    agreement = ac.agree({"anna": anna, "ben": ben}, metrics="bridging")
    assert agreement.means["bridging-entities"] == 0.5
    systems = {name: ac.score_files(anna, path, metrics="bridging") for name, path in (("ben", ben), ("anna", anna))}
    comparison = ac.compare(systems, metric="bridging")
    assert [system.name for system in comparison.systems] == ["anna", "ben"]


def test_shown(tmp_path):
    """A sentence in which links differ is shown, with an arrow to the antecedent's entity, which the key numbers."""
    anna, ben = brat(tmp_path / "anna", IDENTITY + ANNA), brat(tmp_path / "ben", IDENTITY + BEN)
    title, of_key, of_response = str(ac.show(anna, ben, bridging=True)).split("\n")
    assert "no errors" in title
    assert "[[Its]k1 door]k2→k1 creaked and [the roof]k3→k1 leaked" in of_key
    assert "[[Its]r1 door]r2→r1 creaked and [the roof]r3→r2 leaked" in of_response
    assert "→" not in str(ac.show(anna, ben))
    assert len(str(ac.show(anna, anna, bridging=True)).split("\n")) == 1


def test_named_relations_are_identity(tmp_path):
    anna = brat(tmp_path / "anna", IDENTITY + ANNA)
    scores = ac.score_files(anna, anna, relations="Coreference,Bridging", metrics="bridging,muc", on_error=print)
    assert scores.counts["bridging"].tolist() == [[0, 0, 0, 0]]
    assert scores["muc"].recall_den == 4


def test_links_that_are_not_mentions(tmp_path):
    """A span of a type that no identity link joins is not a mention, and its links are left out."""
    anna = brat(tmp_path / "anna", IDENTITY + ANNA)
    path = anna / "d.ann"
    path.write_text(path.read_text().replace("T4\tMention", "T4\tRoof"))
    scores = ac.score_files(anna, anna, metrics="bridging")
    assert scores.counts["bridging"].tolist() == [[1, 1, 1, 1]]
    assert "1 bridging link of the key left out: an end that is not a mention" in scores.notes


@pytest.mark.parametrize("options", [{"window": 3}, {"restrict": "key"}, {"metrics": "bridging-mentions"}])
def test_refused(options, tmp_path):
    path = tmp_path / "a.conllu"
    row = "\t_\t_\t_\t_\t0\t_\t_\tEntity="
    path.write_text(f"# global.Entity = eid\n1\ta{row}(e1)\n2\tb{row}(e2)|Bridge=e1<e2\n")
    with pytest.raises(OptionError, match="bridging"):
        ac.score_files(path, path, **{"metrics": "bridging", **options})


def test_file_without_links(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"doc_key": "a", "clusters": [[[0, 0]]]}')
    with pytest.raises(OptionError, match="needs bridging links on both sides"):
        ac.score_files(path, path, metrics="bridging")


FOLDER = Path(os.environ.get("ARRAYCOREF_DATA", "")).parent / "oracle" / "corefud"
ENDS = ("anaphor", "antecedent")
REAL = pytest.mark.skipif(not os.environ.get("ARRAYCOREF_DATA"), reason="ARRAYCOREF_DATA is not set")


def read_side(text):
    """Return a CorefUD file of one document as the oracle has a side; places are words and empty nodes."""
    side, n_words = {"mentions": [], "entities": [], "pseudo": [], "links": []}, 0
    fields = [OTHER_NAMES.get(name, name) for name in re.search(r"# global.Entity = (.*)", text)[1].split("-")]
    for block in text.strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if re.match(r"[0-9.]+\t", line)]
        units = [
            f"{n_words + int(row[0].split('.')[0])}.{row[0].split('.')[1]}"
            if "." in row[0]
            else n_words + int(row[0]) - 1
            for row in rows
        ]
        begin, column = len(side["mentions"]), [row[9] for row in rows]
        for entity, places, _ in mentions_of(column, fields):
            side["mentions"].append(tuple(units[place] for place in sorted(places)))
            side["entities"].append(entity)
        for unit, misc in zip(units, column, strict=True):
            for link in "".join(re.findall(r"(?<![^|])Bridge=([^|]*)", misc)).split(","):
                antecedent, sign, anaphor = link.partition(":")[0].partition("<")
                numbers = range(begin, len(side["mentions"]))
                own = [n for n in numbers if side["entities"][n] == anaphor and unit in side["mentions"][n]]
                side["links"] += [(own[-1], None, antecedent)] if sign else []
        n_words += sum("." not in row[0] for row in rows)
    return side


@REAL
@pytest.mark.parametrize("response", ["r1", "r2"])
def test_files_of_gum(response):
    """Documents of GUM whose mentions and entities were disturbed; links are those that are left."""
    n_links = 0
    for path in sorted(FOLDER.glob(f"*.{response}.conllu")):
        key = Path(str(path).replace(f".{response}.", ".key."))
        if path.name.startswith("many"):
            continue
        sides = [read_side(each.read_text()) for each in (key, path)]
        expected = bridging.sums(*sides)
        for options in ({}, {"profile": "corefud"}):
            scores = ac.score_files(key, path, metrics="bridging", on_error=print, **options)
            assert scores.counts["bridging-anaphors"].tolist() == [expected["anaphor"]], path
            assert scores.counts["bridging-entities"].tolist() == [expected["entity"]], path
        n_links += len(sides[1]["links"])
    assert n_links > 150


@REAL
@pytest.mark.parametrize("name", ["GUM_news_soccer.conllu", "GUM_interview_gaming.conllu"])
def test_links_that_udapi_reads(name):
    folder = Path(os.environ["ARRAYCOREF_DATA"]) / "universal_anaphora"
    documents = read_documents(folder / name, keep_relations=True, on_error=print)
    (relations,), (ids,), mentions = documents.relations, documents.entities, documents.mentions
    links = [
        (mentions.size[a], ids[mentions.entity[a]].split(".")[-1], ids[entity].split(".")[-1])
        for a, entity in zip(relations.anaphor, relations.entity, strict=True)
    ]
    expected = [
        (each["anaphor"][1] - each["anaphor"][0] + 1, *(each[f"{end}_entity"].split(".")[-1] for end in ENDS))
        for each in json.loads((folder / "gum_links.json").read_text())[name]["bridging"]
    ]
    assert sorted(links) == sorted(expected)


def test_relations_by_name(tmp_path):
    """The response gives one of the two parts another relation, and the member none."""
    files = []
    for side, names in (("key", ["part", "part", "member"]), ("response", ["part", "member", ""])):
        words = ["1\thouse\t_\t_\t_\t_\t0\t_\t_\tEntity=(e0)"]
        for n, name in enumerate(names, 1):
            link = f"Bridge=e0<e{n}" + f":{name}" * bool(name)
            words.append(f"{n + 1}\tw{n}\t_\t_\t_\t_\t1\t_\t_\tEntity=(e{n})|{link}")
        files.append(tmp_path / f"{side}.conllu")
        files[-1].write_text("# newdoc id = d\n# global.Entity = eid\n" + "\n".join(words) + "\n\n", encoding="utf-8")
    expected = {None: [3, 3, 3, 3], "part": [1, 2, 1, 1], "member": [0, 1, 0, 1], "part,member": [2, 3, 2, 2]}
    for relations, row in expected.items():
        b = ac.score_files(*files, metrics="bridging", bridging_relations=relations)
        assert b.counts["bridging-anaphors"].tolist() == [row], relations
    with pytest.raises(ac.UnknownNameError, match="did you mean 'part'"):
        ac.score_files(*files, metrics="bridging", bridging_relations="parts")
