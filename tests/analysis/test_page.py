"""The page of an analysis: what it holds, that it loads nothing, and that names and words are no markup."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from importlib.resources import files
from itertools import accumulate, chain

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.analysis import page
from arraycoref.analysis.entities import forms_of
from arraycoref.analysis.pair import TYPES
from arraycoref.display.formats import encodable
from pages_of_html import records

HOSTILE = [
    "</script><script>document.title='bad'</script>",
    "{script} {data}",
    "<img src=x onerror=alert(1)>",
    "\ud800 &amp;",
]


def random_sides(seed, n_documents=5, n_systems=2):
    """Draw clusters of spans, which may be nested or cross, for a key and some responses that share most of them."""
    random = np.random.default_rng(seed)
    spans = [
        np.unique(random.integers(0, [40, 5], (25, 2)), axis=0).cumsum(axis=1).tolist() for _ in range(n_documents)
    ]

    def side():
        clusters = {}
        for d, of in enumerate(spans):
            entity = random.integers(-2, 6, len(of)).tolist()  # a negative one for a span that the side lacks
            clusters[f"d{d}"] = [[tuple(span) for span, e in zip(of, entity, strict=True) if e == k] for k in range(6)]
        return clusters

    return side(), {f"s{n}": side() for n in range(n_systems)}


@pytest.fixture
def saved(tmp_path):
    def save(analysis, **options):
        path = tmp_path / "report.html"
        assert analysis.save_html(path, **options) == path.stat().st_size
        return path

    return save


@pytest.mark.parametrize("kind", ["spans", "labels"])
def test_chunks_hold_labels_spans_and_errors(saved, monkeypatch, kind):
    monkeypatch.setattr(page, "CHUNK", 60)  # so that there are several chunks
    for seed in range(3):
        analysis = ac.analyze(*random_sides(seed))
        index = analysis.index
        if kind == "labels":
            systems = dict(zip(index.systems, index.labels[1:], strict=True))
            analysis = ac.analyze_labels(index.labels[0], systems, index.offsets, names=index.names)
            index = analysis.index
        _, documents = records(saved(analysis))
        assert list(documents) == list(index.names)
        for d, document in enumerate(documents.values()):
            rows = slice(*index.offsets[d : d + 2])
            for side in range(3):
                assert document["k"][side] == index.entity_in_document(side)[rows].tolist()
            starts = list(accumulate(document["a"]))
            if kind == "spans":
                assert starts == index.start[rows].tolist()
                assert [a + n for a, n in zip(starts, document["l"], strict=True)] == index.end[rows].tolist()
                assert sum(document["s"]) == len(document["w"])
            else:
                assert document["v"] == [str(n) for n in range(len(starts))]
            for s, (types, lengths, mentions) in enumerate(document["e"]):
                pieces = analysis.pairs[s].marks
                of = pieces.range_of(d)
                assert types == "".join(map(str, pieces.type[of]))
                assert lengths == np.diff(pieces.bounds)[of].tolist()
                held = pieces.mentions[pieces.bounds[of.start] : pieces.bounds[of.stop]] - index.offsets[d]
                assert mentions == held.tolist()


def test_rows_end_where_no_mention_is_open(saved):
    _, documents = records(saved(ac.analyze(*random_sides(7))))
    for document in documents.values():
        cuts = set(accumulate(document["s"]))
        spans = zip(accumulate(document["a"]), document["l"], strict=True)
        assert not [cut for start, n in spans for cut in range(start + 1, start + n + 1) if cut in cuts]


def test_columns_are_scores_and_numbers_of_errors(saved):
    analysis = ac.analyze(*random_sides(3, 7))
    index, documents = records(saved(analysis))
    columns = {column["name"]: column["values"] for column in index["columns"]}
    for s, system in enumerate(analysis.systems):
        for name, title in (("muc", "MUC"), ("conll", "CoNLL")):
            scores = analysis.scores.batch(s).documents[name].f1
            assert columns[f"{title} · {system}"] == np.round(100 * scores, 2).tolist()
        assert columns[f"errors · {system}"] == [len(document["e"][s][0]) for document in documents.values()]
    apart = analysis.scores.batch(1).documents["lea"].f1 - analysis.scores.batch(0).documents["lea"].f1
    assert columns["LEA: s1 − s0"] == np.round(100 * apart, 2).tolist()


def test_words_as_they_are_read(saved, tmp_path):
    sentences = [["``", "Well", ",", "she", "'s", '"', "here", '"', "(", "now", ")", "."], ["Don", "n't", "go", "!"]]
    lines = [[f"d\t0\t{n}\t{w}\t-\t-\t-\t-\t-\t-\t*\t(0)\n" for n, w in enumerate(words)] for words in sentences]
    text = "#begin document (d);\n" + "\n".join(map("".join, lines)) + "\n#end document\n"
    (tmp_path / "a.conll").write_text(text)
    path = saved(ac.analyze_files(tmp_path / "a.conll", tmp_path / "a.conll"))
    document = records(path)[1]["d"]
    assert [word.strip() for word in document["w"]] == list(chain(*sentences))
    assert "".join(document["w"]) == "`` Well, she's \"here\" (now). Donn't go!"
    assert (document["s"], document["unit"], document["kind"]) == ([12, 4], "sentence", "")
    with pytest.raises(ac.OptionError, match=r"would replace the input .*a\.conll"):
        ac.analyze_files(tmp_path / "a.conll", tmp_path / "a.conll").save_html(tmp_path / "a.conll")
    bare = records(saved(ac.analyze_files(tmp_path / "a.conll", tmp_path / "a.conll"), words=False))[1]["d"]
    assert set(bare["w"]) <= {" #", " ·", " …", ""}
    assert (bare["s"], bare["kind"]) == ([12, 4], "plain")


def test_names_and_words_are_no_markup(saved):
    key = {name: [[word, "b"] for word in HOSTILE] for name in HOSTILE}
    for document in key.values():
        document[1:] = [[word] for word in HOSTILE[1:]]
    analysis = ac.analyze(key, {HOSTILE[0]: key})
    path = saved(analysis, names=HOSTILE[:2])
    text = path.read_text(encoding="utf-8")
    index, documents = records(path)
    assert list(documents) == index["names"] == list(map(encodable, HOSTILE))
    assert all(set(document["v"]) == {*HOSTILE, "b"} for document in documents.values())
    assert len(re.findall("<script", text)) == 2 + len({c for c, _ in index["places"]})
    assert "<img" not in text
    assert text.count(files("arraycoref.analysis").joinpath("page.js").read_text()) == 1


def test_the_policy_allows_the_script_and_nothing_else(saved):
    text = saved(ac.analyze([["a", "b"]], [["a"]])).read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert policy.startswith("default-src 'none';")
    for kind, element in (("style", r"<style>(.*?)</style>"), ("script", r"<script>(.*?)</script>")):
        (content,) = re.findall(element, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert all(url.startswith("http://www.w3.org/") for url in re.findall(r"\w+://[^\s\"']+", text))


def test_script_and_style_are_small_and_have_no_error_of_syntax():
    folder = files("arraycoref.analysis")
    assert sum(len(folder.joinpath(f"page.{name}").read_bytes()) for name in ("js", "css")) <= 40_000
    if shutil.which("node") is None:
        pytest.skip("no node")
    script = folder.joinpath("page.js").read_text()
    subprocess.run(["node", "--check", "-"], input=script.encode(), check=True)


def test_what_is_left_out_and_what_is_refused(saved, tmp_path):
    analysis = ac.analyze(*random_sides(1, n_systems=3))
    with pytest.raises(ac.OptionError, match="one or two responses, not 3"):
        analysis.save_html(tmp_path / "a.html")
    analysis = ac.analyze(*random_sides(1))
    with pytest.raises(ac.OptionError, match="2 names for a key and 2 responses"):
        analysis.save_html(tmp_path / "a.html", names=["anna", "ben"])
    index, documents = records(saved(analysis, worst=2, sort="bcub.recall"))
    assert set(documents) == {analysis.documents[d] for d in analysis.worst(2, "bcub.recall")}
    assert index["notes"][0] == "2 of 5 documents are shown; scores are those of all"
    assert not list(tmp_path.glob("a.html"))


def test_one_clustering_has_intervals_from_its_entities(saved):
    random = np.random.default_rng(1)
    key = random.integers(0, 60, 200)
    response = np.where(random.random(200) < 0.8, key, random.integers(0, 80, 200))
    ends = ac.bootstrap(ac.score_labels_batch(key, response, [0, 200]))["lea"].f1
    index, _ = records(saved(ac.analyze_labels(key, response)))
    scores = next(table for table in index["tables"] if table["title"] == "Scores")
    row = next(row for row in scores["rows"] if row[0] == "LEA")
    assert row[4] == f"{100 * ends.low:.2f} – {100 * ends.high:.2f}"


def table_of(index, title):
    return next(table for table in index["tables"] if table["title"].startswith(title))


def test_two_responses_are_compared_first(saved):
    analysis = ac.analyze(*random_sides(3, 9))
    a, b = (analysis.scores.batch(s) for s in range(2))
    index, _ = records(saved(analysis))
    assert index["tables"][0]["title"] == "Comparison"
    rows = {row[0]: row for row in index["tables"][0]["rows"]}
    for metric, title in (("muc", "MUC F1"), ("conll", "CoNLL F1")):
        apart, test = ac.bootstrap(b, a)[metric].f1, ac.paired_test(b, a, metric=metric, field="f1")
        ends = f"{100 * apart.low:+.2f} – {100 * apart.high:+.2f}"
        assert rows[title][3:6] == [f"{100 * (b[metric].f1 - a[metric].f1):+.2f}", ends, f"{test.pvalue:.4f}"]


def test_entities_repaired_and_broken_are_differences_of_what_is_lost(saved):
    analysis = ac.analyze(*random_sides(3, 9))
    lost = []
    for s in range(2):
        data = analysis.entities(s).data
        lost.append(dict(zip(zip(data["document"], data["entity"].tolist(), strict=True), data["cost"], strict=True)))
    index, _ = records(saved(analysis))
    for title, sign in (("Entities repaired by s1", 1), ("Entities broken by s1", -1)):
        changes = {at: sign * (lost[0][at] - lost[1][at]) for at in lost[0]}
        rows = table_of(index, title)["rows"]
        places = [(index["names"][row[0]["document"]], int(row[0]["entity"][1:]) - 1) for row in rows]
        assert [round(changes[at], 6) for at in places] == sorted(
            (round(change, 6) for change in changes.values() if change > 1e-9), reverse=True
        )[:20]
        assert [row[4] for row in rows] == [" → ".join(f"{of[at]:.1f}" for of in lost) for at in places]


def test_marks_are_as_many_as_errors_and_never_on_the_largest_piece():
    for seed in range(20):
        analysis = ac.analyze(*random_sides(seed))
        for pair in analysis.plain_pairs:
            counted, drawn = (
                sorted(zip(pieces.document.tolist(), pieces.type.tolist(), strict=True))
                for pieces in (pair.pieces, pair.marks)
            )
            assert counted == drawn
            marks, members = pair.marks, {}
            for p, (kind, entity) in enumerate(zip(marks.type.tolist(), marks.entity.tolist(), strict=True)):
                if TYPES[kind] == "divided":
                    marked = marks.mentions[marks.bounds[p] : marks.bounds[p + 1]]
                    members.setdefault(entity, []).append(set(marked.tolist()))
            for entity, marked in members.items():
                of = np.flatnonzero(pair.key == entity)
                free = set(of.tolist()) - set().union(*marked)
                largest = max(np.count_nonzero(pair.response[of] == r) for r in set(pair.response[of]) - {-1})
                assert max(map(len, marked)) <= largest
                if largest > 1 and not pair.sides[0].is_whole[entity]:
                    assert max(np.count_nonzero(pair.response[list(free)] == r) for r in range(40)) == largest


def test_findings_and_names_on_the_page(saved, tmp_path):
    analysis = ac.analyze(random_sides(1)[0], {"x.r1.conllu": random_sides(1)[0], "x.r2.conllu": random_sides(2)[0]})
    findings = [("Linking costs most.", "arraycoref errors key x", "group=d1"), ("Nothing else does.", "", "")]
    page.Page(analysis, findings=findings).write(tmp_path / "found.html")
    index, _ = records(tmp_path / "found.html")
    assert index["systems"] == ["r1", "r2"]
    assert index["findings"][0] == {
        "text": "Linking costs most.",
        "command": "arraycoref errors key x",
        "address": "#?f=d1",
    }
    f2 = ac.analyze(*random_sides(1, n_systems=1), beta=2)
    index, _ = records(saved(f2))
    assert index["cards"][0][1] == "CoNLL F2"
    assert ["F2", "r"] in table_of(index, "Scores")["heads"]


def test_entities_are_named_by_names_then_nouns(saved, tmp_path):
    sentences = [["The", "author", "saw", "Florence", "."], ["She", "said", ":", "I", "saw", "the", "author", "."]]
    clusters = [[[0, 1], [8, 8], [10, 11]], [[3, 3], [5, 5]]]
    for name, of in (("key", clusters), ("response", [[[8, 8], [5, 5]]])):
        (tmp_path / name).write_text(json.dumps({"doc_key": "d", "sentences": sentences, "clusters": of}))
    analysis = ac.analyze_files(tmp_path / "key", tmp_path / "response")
    assert forms_of(analysis.index, 0) == [1, 0, 2, 2, 1]
    index, _ = records(saved(analysis))
    assert [row[0]["text"] for row in table_of(index, "Entities that lose")["rows"]] == ["The author", "Florence"]


def test_records_are_called_records(saved):
    index, _ = records(saved(ac.analyze([["a", "b"], ["c"]], [["a"], ["b", "c"]])))
    assert index["nouns"] == ["record", "cluster", "Clusters"]
    titles = [table["title"] for table in index["tables"]]
    assert "Clusters that lose most" in titles
    assert not [title for title in titles if "antecedent" in title]
    assert "missing record" in [kind["name"] for kind in index["types"]]
