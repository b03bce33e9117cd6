"""Mentions of a response with other words are brought on the key's, and everything that happens is counted."""

import json

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.exceptions import DocumentMismatchError, InputError, OptionError, ReadWarning
from arraycoref.match.aligned_words import align_words

KEY = ["“", "I", "saw", "Mary", "'s", "old", "dog", ",", "”", "said", "John", "."]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, words, clusters, **fields):
        record = {
            "doc_key": "d",
            "sentences": [words.split() if isinstance(words, str) else words],
            "clusters": clusters,
            **fields,
        }
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record), encoding="utf-8")

    return write


@pytest.mark.parametrize(
    ("response", "places", "counts"),
    [
        ('" I saw Mary \'s old dog , " said John .', [*range(13)], (2, 0, 0)),  # straight quotation marks
        ("“I saw Mary's old dog,” said John.", [0, 2, 3, 5, 6, 9, 10], (0, 0, 0)),  # another tokenizer
        ("“ I saw Marry 's dog , ” really said John .", [0, 1, 2, 3, 4, 6, 7, 8, -1, 9, 10, 11], (1, 1, 1)),
        ("“ i saw mary 's old dog , ” said John .", [*range(12)], (2, 0, 0)),  # no folding of case
        ("“ I saw Mary", [0, 1, 2, 3], (0, 8, 0)),
        ("Sure ! “ I saw Mary 's old dog , ” said John . Done !", [-1, -1, *range(12), -1, -1], (0, 0, 4)),
    ],
)
def test_words_are_aligned(response, places, counts):
    aligned = align_words(KEY, response.split())
    assert aligned.first.tolist() == places[: len(response.split())]
    assert aligned[2:5] == counts


def test_scripts_without_blanks_are_aligned_by_characters():
    aligned = align_words(["东京", "是", "大", "城市", "。"], ["东京是", "城市。"])
    assert (aligned.first.tolist(), aligned.last.tolist(), *aligned[2:5]) == ([0, 3], [1, 4], 0, 1, 0)


@pytest.mark.parametrize("share", [0, 0.02, 0.1, 0.2])
def test_the_report_equals_random_edits(share):
    """Each word is there once, and no two edits touch, so that the shortest script is the only one."""
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(2000)]
    kinds = np.where(rng.random(2000) < 2 * share, rng.integers(1, 4, 2000), 0)
    kinds[::2] = 0
    edited = {0: "{}", 1: "x{}", 2: "", 3: "{0} y{0}"}
    response = " ".join(edited[kind].format(word) for kind, word in zip(kinds.tolist(), words, strict=True)).split()
    aligned = align_words(words, response)
    assert aligned[2:5] == tuple((kinds == kind).sum() for kind in (1, 2, 3))
    assert aligned.n_reached == 2000


def test_the_share_reached_is_no_chance_hit():
    words = [f"w{n}" for n in range(1000)] + ["the", "end"]
    assert align_words(words, [*words[:100], "the", "end"]).n_reached == 102
    for refusal in ("We cannot do that .", "No", "Is John old ."):
        assert align_words(KEY * 3, refusal.split()).n_reached == 0
    other = ["x" if n % 2 else word for n, word in enumerate(KEY)]
    assert align_words(KEY, other).n_reached == 12


def test_mentions_keep_their_places_shrink_or_go(write):
    key = [[[3, 6], [1, 1]], [[3, 3]], [[10, 10]]]
    write("key", KEY, key)
    words = ['"', "I", "saw", "Marry", "'s", "old", "dog", ",", '"', "um", "said", "John", ".", "Bye", "now"]
    write("response", words, [[[3, 6], [1, 1]], [[3, 3]], [[9, 9], [11, 11]], [[13, 14]], [[9, 11]]])
    with pytest.warns(ReadWarning, match=r"2 mentions dropped, .*: 'um' in 'd', 'Bye now' in 'd'"):
        scores = ac.score_files("key.jsonl", "response.jsonl", tokens="align", metrics="mentions")
    assert scores["mentions"].recall == 1
    assert scores["mentions"].precision_den == 5
    assert [note for note in scores.notes if "mention" in note or "token" in note] == [
        "12 tokens of the key covered by the response, 100.0% of 12",
        "3 tokens inserted in the response",
        "3 tokens changed in the response",
        "1 mention of the response shrunk, with an end that is not in the key",
        "2 mentions of the response dropped: none of its words are in the key",
    ]
    assert "tokens:align" in str(scores.signature)


def test_mentions_that_become_equal_count_once(write):
    write("key", KEY, [[[3, 3]]])
    write(
        "response",
        ["“", "I", "saw", "um", "Mary", "'s", "old", "dog", ",", "”", "said", "John", "."],
        [[[3, 4], [4, 4]]],
    )
    scores = ac.score_files("key.jsonl", "response.jsonl", tokens="align", metrics="mentions")
    assert scores["mentions"].f1 == 1
    assert any(note.startswith("1 mention of the response that equal") for note in scores.notes)


def test_a_dropped_mention_takes_no_place(write):
    write("key", "Mary saw .", [[[0, 0]]])
    write("response", "um Mary saw .", [[[0, 0], [1, 1]]])
    with pytest.warns(ReadWarning, match="1 mention dropped"):
        assert ac.score_files("key.jsonl", "response.jsonl", tokens="align", metrics="mentions")["mentions"].f1 == 1


def test_characters_of_another_text(write):
    write("key", KEY, [[[3, 6], [1, 1]], [[10, 10]]])
    text = '"I saw Mary\'s own dog," said John.'
    places = [[text.index(part), text.index(part) + len(part)] for part in ("Mary's own dog", "I", "John")]
    write("fast", [], [places[:2], places[2:]], text=text, clusters_strings=[])
    assert ac.score_files("key.jsonl", "fast.jsonl", tokens="align")["conll"].f1 == 1


def test_more_changes_than_allowed(write):
    write("key", KEY, [[[3, 3]]])
    write("response", [*KEY[:-1], "!"], [[[3, 3]]])
    assert ac.score_files("key.jsonl", "response.jsonl", tokens="align", max_changed="10%")["conll"].f1
    with pytest.raises(DocumentMismatchError, match=r"of 12 tokens, 1 are changed .* at most max_changed, 0.05"):
        ac.score_files("key.jsonl", "response.jsonl", tokens="align", max_changed="5%")
    with pytest.raises(OptionError, match="max_changed is 'five'"):
        ac.score_files("key.jsonl", "response.jsonl", tokens="align", max_changed="five")
    with pytest.raises(OptionError, match="max_changed has no effect without tokens='align'"):
        ac.score_files("key.jsonl", "response.jsonl", max_changed="5%")


def test_output_without_end_and_other_texts_are_refused(write):
    write("key", KEY * 100, [[[3, 3]]])
    for words in (KEY[:4] * 3000, [f"w{n}" for n in range(1200)]):
        write("response", words, [[[3, 3]]])
        with pytest.raises(DocumentMismatchError, match="shares too little text with key"):
            ac.score_files("key.jsonl", "response.jsonl", tokens="align")


def test_mentions_with_gaps(tmp_path):
    """A mention of parts keeps these, also where a word comes between."""
    paths, blank = [], "\t_"
    for line in ("a|(0a) b|- c|(0a) d|(0)", "a|(0a) um|- b|- c|(0a) d|(0)"):
        rows = "".join(f"d\t0\t{n}\t{item.replace('|', 7 * blank + chr(9))}\n" for n, item in enumerate(line.split()))
        paths.append(tmp_path / f"{len(paths)}.conll")
        paths[-1].write_text(f"#begin document (d); part 0\n{rows}#end document\n")
    scores = ac.score_files(*paths, tokens="align")
    assert scores["conll"].f1 == scores["mentions"].f1 == 1


CONLLU = """# newdoc id = d
# global.Entity = eid-etype-head
# sent_id = 1
1 veo _ _ _ _ 0 _ _ _
2 al _ _ _ _ 1 _ _ Entity=(e1-x-2
3 perro _ _ _ _ 1 _ _ Entity=e1)
3.1 él _ _ _ _ _ _ 1:x Entity=(e1-x-1)
4 ladra _ _ _ _ 1 _ _ _

"""


def test_trees_and_empty_nodes(tmp_path):
    """Empty nodes are tokens with ``##`` in text, with or without a form; heads of CoNLL-U go with their words."""
    lines = [line if line.startswith("#") else line.replace(" ", "\t") for line in CONLLU.split("\n")]
    (tmp_path / "key.conllu").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "response.conllu").write_text("\n".join(lines).replace("veo", "veía"), encoding="utf-8")
    text = {"doc_id": "d", "text": "veo al|[e1 gran perro|e1] ##|[e1] ladró"}
    (tmp_path / "response.jsonl").write_text(json.dumps(text), encoding="utf-8")
    for response, heads in (("response.jsonl", "key-tree"), ("response.conllu", "file")):
        paths = tmp_path / "key.conllu", tmp_path / response
        scores = ac.score_files(*paths, tokens="align", profile="corefud", heads=heads)
        assert scores["conll"].f1 == 1
        assert any("changed in the response" in note for note in scores.notes)


def test_words_beside_the_entities_of_a_book(write, tmp_path):
    write("d", KEY, [[[3, 6], [1, 1]], [[10, 10]]])
    words = ["“", "I", "saw", "Mary's", "old", "dog", ",", "”", "said", "John", "."]
    rows = ["0\t3\t5\tMary's old dog", "0\t1\t1\tI", "1\t9\t9\tJohn"]
    (tmp_path / "d.entities").write_text("\n".join(["COREF\tstart_token\tend_token\ttext", *rows]) + "\n")
    assert ac.score_files("d.jsonl", "d.entities", tokens="ignore")["conll"].f1 < 0.7
    (tmp_path / "d.tokens").write_text(
        "\n".join(["paragraph_ID\tword\tlemma", *(f"0\t{word}\tx" for word in words)]) + "\n"
    )
    assert ac.score_files("d.jsonl", "d.entities", tokens="align")["conll"].f1 == 1


def test_conversion_says_what_was_aligned(tmp_path):
    """Windows are written on the words of a key only."""
    from arraycoref.match import on_words
    from arraycoref.read import read_documents
    from arraycoref.read.write import write_documents

    lines = [line if line.startswith("#") else line.replace(" ", "\t") for line in CONLLU.split("\n")]
    (tmp_path / "key.conllu").write_text("\n".join(lines), encoding="utf-8")
    texts = ["<m> veo </m>#1 al perro", "al <m> perro </m>#1 ladró </m>#3"]
    records = [{"doc_id": "d", "order": n, "text": text} for n, text in enumerate(texts)]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    doubts = []
    documents = read_documents(tmp_path / "d.jsonl", join="overlap", on_error=doubts.append)
    assert str(doubts[0]).endswith("1 tag left out, without an opening tag")
    with pytest.raises(InputError, match="in windows, which overlap"):
        write_documents(documents, tmp_path / "out.conll")
    key = read_documents(tmp_path / "key.conllu")
    moved = on_words(documents, key, tokens="align", on_error=doubts.append)
    assert moved.mentions.start.tolist() == [0, 2]
    assert any("1 token changed in the response" in str(doubt) for doubt in doubts)


@pytest.mark.parametrize("cut", [slice(0, 4), slice(7, 11)])
def test_words_stay_near_each_other(cut):
    """The ends of a text that breaks off, or of a window, are not those of the whole text."""
    words = ["Ann", "saw", "her", ".", "Bob", "ran", ".", "Cy", "saw", "her", ".", "Eve", "ran", "."]
    assert align_words(words, words[cut]).first.tolist() == [*range(cut.start, cut.stop)]
    assert align_words([*words[:11], "So", "."], words[cut]).first.tolist() == [*range(cut.start, cut.stop)]
