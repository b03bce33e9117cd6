"""Entities with split antecedents: the sums of the Universal Anaphora scorer, and of a slow oracle with sets."""

import json
import os
import random
from collections import Counter
from operator import itemgetter

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.match import split_antecedents
from arraycoref.read import read_documents
from oracle import split_antecedents as oracle
from oracle.golden import universal_anaphora

NAMES = {"blancc": "coreference", "blancn": "non-coreference"}


def numbered(mentions, entities, elements, left_out=()):
    """Return the side of `split_antecedents`, and the entity of each mention that is left."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(entities))}
    labels = np.array([-1 if name in left_out else numbers[name] for name in entities], np.int64)
    known = {name: [e for e in own if e in numbers] for name, own in elements.items() if name in numbers}
    side = split_antecedents.merge(labels, [(numbers[name], numbers[e]) for name, own in known.items() for e in own])
    return {m: e for m, e in zip(mentions, labels.tolist(), strict=True) if e >= 0}, side


def sums(group, key, response):
    """Return the four sums of a document, each side as `numbered` returns it."""
    (of_key, key), (of_response, response) = key, response
    n = Counter((of_key[mention], of_response[mention]) for mention in of_key.keys() & of_response.keys())
    return split_antecedents.sums_of(group, n, key, response)


@pytest.mark.parametrize("kind", ["plain", "plural", "discontinuous", "zeros", "crossing"])
def test_sums_of_the_universal_anaphora_scorer(kind):
    rows = [row for row in universal_anaphora("documents") if row["name"].startswith(kind)]
    assert rows
    for row in rows:
        sides = []
        for side in (row["key"], row["response"]):
            elements = {int(name): own for name, own in side.get("elements", {}).items()}
            mentions = [json.dumps(mention) for mention in side["mentions"]]
            sides.append(numbered(mentions, side["entities"], elements, side.get("pseudo", ())))
        expected = row["sums"]["exact, split"]
        even = row.get("blancc_even", {}).get("exact, split")  # the scorer's own depends on the order of a set
        expected |= ({"blancc": even} if even else {}) | row.get("by_rule", {}).get("exact, split", {})
        for name, values in expected.items():
            found = [float(value) for value in sums(NAMES.get(name, name), *sides)]
            assert found == pytest.approx(values, rel=1e-9, abs=1e-9), (row["name"], name)


def random_side(rng):
    """Make up a side, name: mentions, and elements without circles; the other side changes some of both."""
    entities, n_entities = {}, rng.randint(1, 6)
    for mention in range(rng.randint(1, 12)):
        entities.setdefault(rng.randrange(n_entities), set()).add(mention)
    names = list(entities)
    rng.shuffle(names)
    wholes = [at for at in range(1, len(names)) if rng.random() < 0.5][:3]
    return entities, {names[at]: rng.sample(names[:at], min(at, rng.randint(1, 3))) for at in wholes}


def disturbed(rng, entities, elements):
    """Move and drop mentions, and drop elements."""
    moved = {}
    for name, mentions in entities.items():
        for mention in mentions:
            if rng.random() < 0.9:
                moved.setdefault(name if rng.random() < 0.8 else rng.choice(list(entities)), set()).add(mention)
    kept = {whole: [e for e in own if e in moved and rng.random() < 0.8] for whole, own in elements.items()}
    return moved, {whole: own for whole, own in kept.items() if whole in moved and own}


def in_rows(entities, elements):
    """Lay out a side as `numbered` takes it: entities by their first mention."""
    order = sorted(entities, key=lambda name: min(entities[name]))
    rows = [(mention, name) for name in order for mention in sorted(entities[name])]
    return [mention for mention, _ in rows], [name for _, name in rows], elements


@pytest.mark.parametrize("group", oracle.METRICS)
def test_sums_item_by_item(group):
    rng = random.Random(group)
    n_matched = 0
    for _ in range(int(os.environ.get("ARRAYCOREF_RANDOM_DOCUMENTS", "60"))):
        key, key_elements = random_side(rng)
        response, response_elements = disturbed(rng, key, key_elements) if rng.random() < 0.8 else random_side(rng)
        if not response:
            continue
        ordered = [{n: side[n] for n in sorted(side, key=lambda n: min(side[n]))} for side in (key, response)]
        expected, pairs = oracle.score(group, ordered[0], key_elements, ordered[1], response_elements)
        found = sums(group, numbered(*in_rows(key, key_elements)), numbered(*in_rows(response, response_elements)))
        assert list(found) == expected, (key, key_elements, response, response_elements)
        n_matched += len(pairs)
    assert n_matched


WORDS = {1: ["Ann", "met", "Bob", ",", "Eve", "waved"], 2: ["They", "saw", "them"]}
KEY = {"Ann": "e1", "Bob": "e2", "Eve": "e3", "They": "e4", "them": "e4"}


def conllu(split="e1<e4,e2<e4", name="SplitAnte", document="d"):
    """Write the document of the definitions: the fourth entity has two elements."""
    lines = [f"# newdoc id = {document}", "# global.Entity = eid-etype-head-other"]
    for number, words in WORDS.items():
        lines.append(f"# sent_id = {document}-{number}")
        for at, word in enumerate(words, 1):
            misc = [f"Entity=({KEY[word]}--1)"] if word in KEY else []
            misc += [f"{name}={split}"] if word == "They" and split else []
            lines.append("\t".join([str(at), word, *"____", str(int(at != 2) * 2), *"__", "|".join(misc) or "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def write(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.conllu").write_text(text)
    return [folder / f"{name}.conllu" for name in texts]


def test_the_example_of_the_definitions(tmp_path):
    key, response = write(tmp_path, key=conllu(), response=conllu("e1<e4,e3<e4"))
    b = ac.score_files(key, response, split="keep")
    expected = {"muc": [3 / 2, 2], "bcub": [61 / 12, 6], "ceafm": [11 / 2, 6], "ceafe": [23 / 6, 4], "lea": [5, 6]}
    for metric, (numerator, denominator) in expected.items():
        s = b[metric]
        found = [s.recall_num, s.recall_den, s.precision_num, s.precision_den]
        assert found == pytest.approx([numerator, denominator] * 2), metric
    assert [b["blanc"].coreference.recall, b["blanc"].non_coreference.recall] == [1 / 3, 9 / 12]
    assert b["mentions"].recall_den == 5
    assert "split:keep" in str(b.signature)
    assert ac.score_files(key, response).conll == 1.0


def test_systems_are_compared_with_the_same_sums(tmp_path):
    documents = [("a", "e1<e4,e3<e4"), ("b", ""), ("c", "e1<e4,e2<e4")]
    key, response = write(
        tmp_path,
        key="".join(conllu(document=name) for name, _ in documents),
        response="".join(conllu(split, document=name) for name, split in documents),
    )
    b = ac.score_files(key, response, split="keep")
    runs = ac.sweep_files(key, [key, response], split="keep")
    assert runs.counts.rows[1].tolist() == b.counts.rows.tolist()
    assert b["c"].conll == 1.0
    assert b["b"].conll < b["a"].conll < 1.0
    assert "without split antecedents" in str(ac.analyze_files(key, response, split="keep").notes)


@pytest.mark.parametrize(
    "options", [{"singletons": "drop"}, {"window": 3}, {"restrict": "shared"}, {"metrics": "vmeasure"}]
)
def test_what_takes_mentions_from_elements_is_an_error(tmp_path, options):
    key, response = write(tmp_path, key=conllu(), response=conllu())
    with pytest.raises(ac.OptionError, match="split='keep'"):
        ac.score_files(key, response, split="keep", **options)


def test_a_mention_of_two_entities_is_an_error(tmp_path):
    key, response = write(tmp_path, key=conllu().replace("(e1--1)", "(e1--1)(e2--1)"), response=conllu())
    with pytest.raises(ac.OptionError, match="split antecedents and a mention in several entities"):
        ac.score_files(key, response, split="keep", duplicates="both")


@pytest.mark.parametrize(
    "row", [row for row in universal_anaphora("bridge_split") if "split" in row["name"]], ids=itemgetter("name")
)
def test_split_antecedents_of_corefud(tmp_path, row):
    path = tmp_path / "file.conllu"
    path.write_text(row["text"])
    if row["advice"] == "error":
        with pytest.raises(ac.ReadError, match="SplitAnte"):
            read_documents(path, keep_relations=True)
        return
    (document,) = read_documents(path, keep_relations=True).relations
    (ids,) = read_documents(path).entities
    elements = {}
    for whole, element in zip(document.whole.tolist(), document.element.tolist(), strict=True):
        elements.setdefault(ids[whole], []).append(ids[element])
    assert elements == {whole: sorted(set(own)) for whole, own in row["udapi"]["split"]}
