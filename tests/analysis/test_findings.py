"""Findings: what they name in made-up data, what they leave out, their numbers beside other parts of the package."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.analysis.findings import Search, findings_of
from strategies import examples, label_documents


def corpus(n_documents=40, n_mentions=40, seed=0, share=0.12):
    """Return a key and a response with a few wrong links, and the bounds of the documents."""
    rng = np.random.default_rng(seed)
    key = rng.integers(0, 6, n_documents * n_mentions)
    response = np.where(rng.random(key.size) < share, rng.integers(0, 6, key.size), key)
    return key, response, np.arange(0, key.size + 1, n_mentions), rng


def of_kind(findings, kind):
    return [finding for finding in findings if finding.kind == kind]


def test_nothing_is_wrong():
    key, _, offsets, _ = corpus()
    (only,) = ac.analyze_labels(key, key, offsets).findings
    assert only.text == "CoNLL F1 is 100.0 (95% interval 100.0 to 100.0)."
    assert only.cost == 0


def test_nothing_to_divide_by():
    """Of singletons alone, MUC is 0/0: a third of CoNLL that no correction gains; the shares add up to two thirds."""
    key, offsets = np.arange(60), range(0, 61, 6)
    a = ac.analyze_labels(key, np.full(60, -1), offsets)
    assert a.findings.findings[0].text.startswith("CoNLL F1 is 0.0: 66.7 points are lost, and 33.3 are 0/0 (MUC). ")
    assert "the shares add up to the points lost except 0/0" in a.error_table().render()
    only = ac.analyze_labels(key, key, offsets).findings.findings[0].text
    assert only == "CoNLL F1 is 66.7: 33.3 are 0/0 (MUC)."
    assert "but for" not in ac.analyze_labels([0, 0, 1], [0, 0, -1]).error_table().render()


def test_nothing_costs_most_in_two_documents():
    """Where the loss of a kind has no interval, as few units differ, none is said to cost most."""
    key, response, offsets, _ = corpus(2, 400, share=0.3)
    text = ac.analyze_labels(key, response, offsets).findings.findings[0].text
    assert "entities cost " in text
    assert "most" not in text


@given(st.lists(label_documents(), min_size=1, max_size=12), st.booleans())
@examples(0.5)
def test_any_documents(documents, second):
    """Any labels have findings: shares add up to what is lost, costs fall, texts and JSON have no nan."""
    sides = [np.concatenate([np.array(document[s], np.int64) for document in documents]) for s in range(2)]
    offsets = np.cumsum([0, *(len(document[0]) for document in documents)])
    responses = {"one": sides[1], "two": np.where(sides[0] < 0, sides[1], 3)} if second else sides[1]
    findings = ac.analyze_labels(
        sides[0], responses, offsets, names=[f"{'ab'[d % 2]}{d}" for d in range(len(documents))]
    ).findings
    score = of_kind(findings, "score")[0]
    players = [score.numbers[name] for name in ("conflated", "divided", "missing", "extra", "singletons")]
    assert sum(players) == pytest.approx(score.numbers["lost"], abs=1e-12)
    assert len(findings) <= 7
    costs = [finding.cost for finding in findings if finding.kind not in ("score", "systems")]
    assert costs == sorted(costs, reverse=True)
    assert not any("nan" in finding.text for finding in findings)
    assert (
        len(json.loads(findings.render("json"))["rows"])
        == len(findings)
        == len(findings.render("csv").splitlines()) - 1
    )


def test_which_documents():
    """Linking fails in one folder; the numbers are those of the scores of its documents and of the others."""
    key, response, offsets, rng = corpus()
    names = [f"{('sea', 'hill', 'town', 'moor')[d % 4]}_{d:02}" for d in range(40)]
    in_town = np.arange(40).repeat(40) % 4 == 2
    response = np.where(in_town & (rng.random(key.size) < 0.5), rng.integers(0, 6, key.size), response)
    a = ac.analyze_labels(key, response, offsets, names=names)
    first = of_kind(a.findings, "documents")[0]
    groups = a.scores.batch(0).by("town")
    assert first.numbers["inside"] == pytest.approx(groups["town"].conll)
    assert first.numbers["outside"] == pytest.approx(groups["(other)"].conll)
    assert first.interval[0] < first.numbers["difference"] < first.interval[1] < 0
    assert first.p <= 0.05
    assert first.text.startswith("10 documents named “town” score ")
    assert " entities cost " in first.text
    assert "issing" not in first.text
    assert first.command == "arraycoref errors KEY RESPONSE --by town"
    assert first.cost == pytest.approx(groups["(other)"].conll - a.scores.batch(0).conll)
    # groups that the user names are tested alone; groups of documents are permuted as a whole
    assert "“town”" not in findings_of(a, by="hill|moor").render()
    by_block = findings_of(a, by="^[a-z]+", resample_by=[d // 4 for d in range(40)])
    assert not of_kind(by_block, "documents")  # each block has all of the names
    assert of_kind(findings_of(a, by="^[a-z]+"), "documents")[0].numbers == first.numbers


def test_groups_without_links():
    """Documents of singletons are not called worse: MUC has nothing to divide by there. Those left empty are."""
    key, response, offsets, _ = corpus()
    names = [f"{'ab'[d < 8]}_{d:02}" for d in range(40)]
    key[:320] = response[:320] = np.arange(100, 420)
    assert not of_kind(ac.analyze_labels(key, response, offsets, names=names).findings, "documents")
    key, response, offsets, _ = corpus()
    response[:320] = -1
    first = of_kind(ac.analyze_labels(key, response, offsets, names=names).findings, "documents")[0]
    assert first.text.startswith("8 documents named “b” score 0.0, ")


def test_second_group():
    """Linking fails in two folders: the second is compared with those beside the first, in one finding."""
    key, response, offsets, rng = corpus()
    names = [f"{('sea', 'hill', 'town', 'moor')[d % 4]}_{d:02}" for d in range(40)]
    folder = np.arange(40).repeat(40) % 4
    rate = np.array([0.0, 0.4, 0.8, 0.0])[folder]
    response = np.where(rng.random(key.size) < rate, rng.integers(0, 6, key.size), response)
    a = ac.analyze_labels(key, response, offsets, names=names)
    (finding,) = of_kind(a.findings, "documents")
    assert finding.text.startswith("10 documents named “town” score ")
    f1 = {name: of_group.conll for name, of_group in a.scores.batch(0).by("hill|town").items()}
    assert "Among the other documents, “hill” is worse (-" in finding.text
    assert finding.numbers["hill"] == pytest.approx(f1["hill"] - f1["(other)"])
    assert finding.command.endswith("--by town")


def test_what_differs_is_mentions():
    key, response, offsets, rng = corpus()
    names = [f"{'ab'[d % 2]}/{d:02}" for d in range(40)]
    in_b = np.arange(40).repeat(40) % 2 == 1
    response = np.where(in_b & (rng.random(key.size) < 0.3), -1, response)
    first, *others = of_kind(ac.analyze_labels(key, response, offsets, names=names).findings, "documents")
    assert not others  # that the other half is better says the same
    assert first.text.startswith("20 documents named “b” score ")
    pattern = r"\) *\. Missing mentions cost (\S+) points there, (\S+) elsewhere\.$"
    inside, outside = map(float, re.search(pattern, first.text).groups())  # nothing is extra, and links are right
    assert inside > 10 > 1 > outside
    assert [first.numbers[f"missing {where}"] for where in ("inside", "outside")] == pytest.approx(
        [inside / 100, outside / 100], abs=1e-3
    )


def test_which_mentions():
    """Long mentions are missing, more often than others: fractions are 1 minus the recall of the breakdown."""
    rng = np.random.default_rng(1)
    key, response = {}, {}
    for d in range(40):
        spans = [(10 * m, 10 * m + (6 if rng.random() < 0.3 else int(rng.random() < 0.5))) for m in range(40)]
        entity = rng.integers(0, 8, 40)
        kept = [span[1] - span[0] < 5 or rng.random() < 0.3 for span in spans]
        key[f"d{d}"] = [[s for s, e in zip(spans, entity, strict=True) if e == n] for n in range(8)]
        response[f"d{d}"] = [
            [s for s, e, is_kept in zip(spans, entity, kept, strict=True) if e == n and is_kept] for n in range(8)
        ]
    a = ac.analyze(key, response, spans="none")
    (finding,) = of_kind(a.findings, "mentions")
    assert re.match(r"\d+% \(\S+ to \S+\) of the key's mentions of \S+ words are missing, ", finding.text)
    assert finding.command == "arraycoref breakdown KEY RESPONSE --attribute length --metrics mentions"
    recall = {row["class"]: row["recall"] for row in a.breakdown("length", "mentions").rows()}
    names = [name for name in finding.numbers if name.endswith("words: missing")]
    assert finding.numbers[names[0]] == pytest.approx(1 - recall["5-9"])  # all from three, or five, words
    assert finding.interval[0] < finding.numbers[names[0]] < finding.interval[1]


def corpus_of_lengths(rng, n_documents, n_mentions=20):
    """Return clusters of mentions whose lengths have nothing to do with the errors, a fifth of the mentions."""
    key, response = {}, {}
    for d in range(n_documents):
        length, entity = rng.choice([1, 1, 2, 3, 6], n_mentions), rng.integers(0, 6, n_mentions)
        other = np.where(rng.random(n_mentions) < 0.2, 6 + rng.integers(0, 6, n_mentions), entity)
        ends = np.cumsum(length + 1)
        spans = list(zip((ends - length).tolist(), (ends - 1).tolist(), strict=True))
        for side, labels in ((key, entity), (response, other)):
            side[f"d{d}"] = [[spans[m] for m in np.flatnonzero(labels == e)] for e in np.unique(labels)]
    return key, response


@pytest.mark.parametrize("n_documents", [3, 12, 30])
def test_mentions_are_seldom_named_without_reason(n_documents):
    """Of 100 corpora in which a mention's length says nothing, at most five and two standard errors name a length."""
    rng, n_named = np.random.default_rng(n_documents), 0
    for _ in range(100):
        search = Search(ac.analyze(*corpus_of_lengths(rng, n_documents)))
        vars(search)["attributes"] = [both for both in search.attributes if both[0].name == "length"]
        n_named += any(True for _ in search.mentions())
    assert n_named <= 9


def test_records_of_one_document():
    """Records and clusters are called so; that one cluster is divided more often says nothing of large clusters."""
    key = np.concatenate([np.zeros(100, np.int64), 1 + np.arange(300).repeat(2)])
    response = key.copy()
    response[:100] = 1000 + np.arange(100) // 5
    response[100:160:2] = 2000 + np.arange(30)
    findings = ac.analyze_labels(key, response).findings
    assert {finding.kind for finding in findings} <= {"score", "convention"}
    assert "mention" not in " ".join(finding.text for finding in findings)


def test_conventions():
    """What the score would be is what the option gives."""
    key, response, offsets, rng = corpus()
    single = 100 + np.arange(key.size)
    key = np.where(rng.random(key.size) < 0.2, single, key)
    response = np.where(key >= 100, -1, response)
    a = ac.analyze_labels(key, response, offsets)
    (finding,) = of_kind(a.findings, "convention")
    without = ac.score_labels_batch(key, response, offsets, singletons="drop").conll
    assert finding.numbers["otherwise"] == pytest.approx(without)
    numbers = [
        sum(
            (np.unique(labels[labels >= 0], return_counts=True)[1] == 1).sum()
            for labels in np.split(side, offsets[1:-1])
        )
        for side in (key, response)
    ]
    start = f"The key has {numbers[0]} singletons, the response {numbers[1]}. Without singletons, F1 is "
    assert finding.text.startswith(start)
    assert finding.command == "arraycoref score KEY RESPONSE --singletons drop --metrics conll"
    # documents without a mention in the response
    key, response, offsets, _ = corpus()
    response[:200] = -1
    (finding,) = of_kind(ac.analyze_labels(key, response, offsets).findings, "convention")
    left = ac.score_labels_batch(key[200:], response[200:], offsets[5:] - 200).conll
    assert finding.numbers["otherwise"] == pytest.approx(left)
    assert finding.text.startswith("5 of 40 documents are missing or empty in the response. ")


def test_repeated_mentions(tmp_path):
    """Mentions of several entities, of which the first counts: the score is what it is without them on both sides."""
    lines = {"key": [], "response": []}
    for d in range(10):
        clusters = [[[m, m] for m in range(e, 60, 6)] for e in range(6)]
        more = [[*cluster, *clusters[e - 1][:3]] for e, cluster in enumerate(clusters)]
        for side, own in (("key", clusters), ("response", more)):
            lines[side].append(json.dumps({"doc_key": f"d{d}", "clusters": own}))
        (tmp_path / "key.jsonl").write_text("\n".join(lines["key"]))
        (tmp_path / "response.jsonl").write_text("\n".join(lines["response"]))
    files = [str(tmp_path / f"{side}.jsonl") for side in lines]
    a = ac.analyze_files(*files, duplicates="first", on_error=lambda _: None)
    (finding,) = of_kind(a.findings, "convention")
    repeated = {tuple(mention) for cluster in clusters for mention in cluster[:3]}
    sides = [[[m for m in map(tuple, cluster) if m not in repeated] for cluster in own] for own in (clusters, more)]
    assert finding.numbers["otherwise"] == pytest.approx(ac.score(*sides).conll)
    assert finding.text.startswith("180 mentions in several entities (repeated). ")


def test_two_systems():
    """The second is better but in one group; the difference and p are those of `bootstrap` and `paired_test`."""
    key, response, offsets, rng = corpus(80, share=0.3)
    names = [f"{('sea', 'hill', 'town', 'moor')[d % 4]}_{d:02}" for d in range(80)]
    in_town = np.arange(80).repeat(40) % 4 == 2
    better = np.where(~in_town & (rng.random(key.size) < 0.6), key, response)
    better = np.where(in_town & (rng.random(key.size) < 0.5), rng.integers(0, 6, key.size), better)
    a = ac.analyze_labels(key, {"old": response, "new": better}, offsets, names=names)
    first, where = of_kind(a.findings, "systems")
    test = ac.paired_test(a.scores.batch(1), a.scores.batch(0), metric="conll", seed=0)
    assert first.p == test.pvalue
    assert first.numbers["difference"] == pytest.approx(test.difference)
    assert "new is better in " in first.text
    assert where.text.startswith("In documents named “town”, the order is reversed: new scores ")
    there = [a.scores.batch(s).by("town")["town"].conll for s in (1, 0)]
    assert where.numbers["there"] == pytest.approx(there[0] - there[1])
    costs = [costs.shares() for costs in a.costs()]
    saved = dict(zip(a.costs()[0].players, costs[0] - costs[1], strict=True))
    assert " Errors that differ, in points that new gains: " in first.text
    named = {name.removesuffix(" saved"): number for name, number in first.numbers.items() if name.endswith(" saved")}
    assert named == pytest.approx({name: saved[name] for name in named})
    assert {"divided", "conflated"} <= named.keys()
    assert of_kind(a.findings, "score")[0].text.startswith("new: ")
    same = ac.analyze_labels(key, {"old": response, "new": response}, offsets, names=names).findings
    (only,) = of_kind(same, "systems")
    assert only.text.endswith("The difference is not significant. new is better in 0 of 80 documents and worse in 0.")


@pytest.mark.parametrize("first", ["ab", "ba"])
def test_reversed_half(first):
    """Of two groups that are all documents, the one is shown where the order of the responses is not that of all."""
    key, response, offsets, rng = corpus(80, share=0.3)
    names = [f"{first[d % 4 == 2]}_{d:02}" for d in range(80)]
    in_few = np.arange(80).repeat(40) % 4 == 2
    better = np.where(~in_few & (rng.random(key.size) < 0.6), key, response)
    better = np.where(in_few & (rng.random(key.size) < 0.3), rng.integers(0, 6, key.size), better)
    a = ac.analyze_labels(key, {"old": response, "new": better}, offsets, names=names)
    where = of_kind(a.findings, "systems")[1]
    assert where.text.startswith(f"In documents named “{first[1]}”, the order is reversed: new scores ")
    assert where.numbers["there"] < 0 < where.numbers["elsewhere"]


def test_words_that_are_names():
    """Records are not called mentions, but names keep their letters, and metrics their titles."""
    rng = np.random.default_rng(0)
    key = np.arange(400) // 4
    is_wrong = (np.arange(400) % 2 == 1) & (rng.random(400) < 0.7)
    sides = key, np.where(is_wrong, rng.integers(0, 100, 400), key)
    values = np.array([f"{('mention', 'McSmith')[m % 2]} {m}" for m in range(400)])
    a = ac.analyze(*([values[side == e].tolist() for e in range(100)] for side in sides))
    text = " ".join(finding.text for finding in a.findings)
    assert (
        " of the key's records named “McSmith” after the first of their cluster are divided, 0.0% of the others."
        in text
    )
    assert "mention" not in text
    assert findings_of(a, "mentions").findings[0].text.startswith("Mentions F1 is 100.0")


def test_systems_beside_the_first_two():
    key, response, offsets, _ = corpus()
    a = ac.analyze_labels(key, {"a": response, "b": key, "c": key}, offsets)
    assert " Only the first two of 3 systems are compared." in a.findings.findings[0].text


def test_nothing_is_computed_before_it_is_read():
    a = ac.analyze_labels([0, 0, 1, 1], [0, 0, 0, 1])
    assert "findings" not in vars(a)
    assert a.findings is a.findings
    assert math.isnan(of_kind(a.findings, "score")[0].p) or a.findings
