"""What annotators agree on, by hand and by an oracle with sets; and who of them was right."""

import json
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from arraycoref.stats.curation import agreed, pairs_below

LITBANK = Path(__file__).parents[2] / "docs" / "litbank" / "dev" / "key.conll.gz"


def links_of(row):
    """Return the pairs of mentions that an annotator links."""
    return {(i, j) for i, j in combinations(range(len(row)), 2) if row[i] == row[j] >= 0}


def closed(pairs, mentions):
    """Return the entities of mentions, where pairs are linked: entities are joined until nothing changes."""
    entities = {frozenset([m]) for m in mentions}
    for i, j in pairs:
        one, other = (next(e for e in entities if m in e) for m in (i, j))
        entities = entities - {one, other} | {one | other}
    return entities


def as_sets(entity):
    return {frozenset(np.flatnonzero(entity == e).tolist()) for e in np.unique(entity[entity >= 0])}


def test_equals_an_oracle_with_sets():
    rng, n_below = np.random.default_rng(0), 0
    for _ in range(400):
        labels = rng.integers(-1, rng.integers(1, 5), (rng.integers(2, 6), rng.integers(0, 12)))
        every = [links_of(row) for row in labels.tolist()]
        for quorum in range(1, len(labels) + 1):
            marked = [m for m, column in enumerate(labels.T) if (column >= 0).sum() >= quorum]
            pairs = {pair for pair in set().union(*every) if sum(pair in own for own in every) >= quorum}
            entity = agreed(labels, quorum)
            entities = closed(pairs, marked)
            assert as_sets(entity) == entities
            below = {e: len(set(combinations(sorted(e), 2)) - pairs) for e in entities}
            of_first = {min(np.flatnonzero(entity == e)): n for e, n in pairs_below(labels, entity, quorum).items()}
            assert of_first == {min(e): n for e, n in below.items() if n}
            n_below += len(of_first)
            assert quorum < len(labels) or not of_first  # the links of all are closed
    assert n_below > 100


def write(path, **documents):
    """Write documents of the words w0, w1, ... with their clusters."""
    lines = [
        {
            "doc_key": name,
            "sentences": [[f"w{n}" for n in range(8)]],
            "clusters": [[[m, m] for m in e] for e in clusters],
        }
        for name, clusters in documents.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def three(tmp_path):
    """Three annotators: Bo lacks document b; of a, Anna and Bo link 0-1, all 2-3, Bo and Cleo 1-2; Cleo alone has 5."""
    return {
        "Anna": write(tmp_path / "anna.jsonl", a=[[0, 1], [2, 3], [4]], b=[[0, 1]]),
        "Bo": write(tmp_path / "bo.jsonl", a=[[0, 1, 2, 3]]),
        "Cleo": write(tmp_path / "cleo.jsonl", b=[[0, 1], [2]], a=[[0], [1, 2, 3], [5], [4]]),
    }


@pytest.mark.parametrize(
    ("quorum", "a", "b"),
    [
        (0, [[0], [1], [2, 3]], []),
        (3, [[0], [1], [2, 3]], []),
        (2, [[0, 1, 2, 3], [4]], [[0, 1]]),
        (1, [[0, 1, 2, 3], [4], [5]], [[0, 1], [2]]),
    ],
)
def test_three_annotators_by_hand(three, quorum, a, b):
    curated = ac.agree(three, quorum=quorum, missing_documents="empty", metrics="mentions").curated
    clusters = {d.name: [[start for start, _ in e] for e in d.clusters] for d in curated.documents}
    assert clusters == {"a": a, "b": b}


def test_what_is_left_by_hand(three):
    made = ac.agree(three, quorum=2, missing_documents="empty", metrics="mentions")
    assert [tuple(row.values()) for row in made.curated.left] == [
        ("a", "pairs linked by closing", 2, "w0; w1; w2; w3"),  # 0-2 and 0-3, which Bo alone links
        ("a", "mentions below the quorum", 1, "w5 (Cleo)"),
        ("b", "mentions below the quorum", 1, "w2 (Cleo)"),
    ]
    assert "2 of 3 annotators agree on 7 mentions; entities: 3" in str(made)
    with pytest.raises(ac.OptionError, match="quorum is 4; expected 1 to 3"):
        ac.agree(three, quorum=4, missing_documents="empty", metrics="mentions")


def test_who_was_right_by_hand(three, tmp_path):
    decided = write(tmp_path / "decided.jsonl", a=[[0, 1], [2, 3], [5]], b=[[0, 1]])
    made = ac.agree(three, adjudicated=decided, missing_documents="empty", metrics="mentions").adjudicated
    # mentions in dispute: a 4, which Bo lacks, a 5, b 0, b 1, b 2; links: of a 0, 1, 2, 3, all pairs but 2-3
    counts = {name: tuple(row.values())[2:] for name, row in made.items()}
    assert counts == {"Anna": (3, 5, 5, 5), "Bo": (2, 5, 1, 5), "Cleo": (3, 5, 2, 5)}
    bo = ac.score_files(decided, three["Bo"], missing_documents="empty")
    assert made["Bo"]["conll"] == pytest.approx(bo["conll"].f1)


def test_documents_that_nobody_decided_do_not_count(three, tmp_path):
    decided = write(tmp_path / "decided.jsonl", a=[[0, 1], [2, 3], [5]], z=[[0, 1]])
    made = ac.agree(three, adjudicated=decided, missing_documents="empty", metrics="mentions").adjudicated
    counts = {name: tuple(row.values())[2:] for name, row in made.items()}
    assert counts == {
        "Anna": (0, 2, 5, 5),
        "Bo": (1, 2, 1, 5),
        "Cleo": (1, 2, 2, 5),
    }  # a 4 was not kept; a 5, of Cleo, was
    bo = ac.score_files(decided, three["Bo"], missing_documents="skip", extra_documents="ignore")
    assert made["Bo"]["conll"] == pytest.approx(bo["conll"].f1)


def test_mentions_of_characters_and_of_words(tmp_path):
    text = "Ann saw her."
    words = {"doc_key": "a", "sentences": [["Ann", "saw", "her", "."]], "clusters": [[[0, 0], [2, 2]]]}
    (tmp_path / "words.jsonl").write_text(json.dumps(words))
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "a.ann").write_text("T1\tM 0 3\tAnn\nT2\tM 8 11\ther\nR1\tcoref Arg1:T1 Arg2:T2\n")
    for annotators in permutations([tmp_path / "a.ann", tmp_path / "words.jsonl", tmp_path / "a.ann"], 2):
        made = ac.agree(dict(zip("xy", annotators, strict=True)), quorum=2)
        write_documents(made.curated.documents, tmp_path / "gold.jsonl")
        assert [d.clusters for d in read_documents(tmp_path / "gold.jsonl")] == [[[(0, 0), (2, 2)]]]


def disturbed(documents, rng):
    """Lose a fifth of the mentions, and move another fifth to other entities."""
    mentions = documents.mentions.take(np.flatnonzero(rng.random(len(documents.mentions)) > 0.2))
    entity, moved = mentions.entity.copy(), rng.random(len(mentions)) < 0.2
    entity[moved] = rng.permutation(entity[moved])
    return replace(documents, mentions=replace(mentions, entity=entity))


def entities_of(path):
    """Return the entity of each mention, as sets and dictionaries."""
    return {(d.name, m): (d.name, e) for d in read_documents(path) for e, own in enumerate(d.clusters) for m in own}


def test_litbank_disturbed_twice(tmp_path):
    rng, out = np.random.default_rng(0), tmp_path / "gold.conll"
    sides = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path in sides:
        write_documents(disturbed(read_documents(LITBANK), rng), path)
    made = ac.agree(dict(zip(("one", "two"), sides, strict=True)), quorum=2, adjudicated=LITBANK, metrics="mentions")
    write_documents(made.curated.documents, out)
    one, two, truth, gold = map(entities_of, (*sides, LITBANK, out))
    assert gold.keys() == one.keys() & two.keys()
    meets = {(gold[m], one[m], two[m]) for m in gold}  # an entity for each that both have in common
    assert len(meets) == len(set(gold.values())) == len({meet[1:] for meet in meets})
    below = sum(row["n"] for row in made.curated.left)
    differ = one.keys() ^ two.keys()
    assert below == len(differ) > 10
    names = {name for name, _ in gold}
    common = sorted(one.keys() & two.keys() & truth.keys())
    pairs = [pair for name in names for pair in combinations([m for m in common if m[0] == name], 2)]
    links = np.array([[side[a] == side[b] for side in (one, two, truth)] for a, b in pairs])
    in_dispute = links[links[:, 0] != links[:, 1]]
    for r, (name, own) in enumerate({"one": one, "two": two}.items()):
        right = (
            len([m for m in differ if (m in own) == (m in truth)]),
            int((in_dispute[:, r] == in_dispute[:, 2]).sum()),
        )
        *_, mentions, of_mentions, n_links, of_links = made.adjudicated[name].values()
        assert ((mentions, n_links), of_mentions, of_links) == (right, len(differ), len(in_dispute))
