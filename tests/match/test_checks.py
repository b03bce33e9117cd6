"""What would score low, or as something else, without a word: each trap ends in an error or a warning that names it."""

import json
import re

import numpy as np
import pytest

import arraycoref as ac

WORDS = "When Mary had left , she called the man who had hired her . He was out .".split()  # noqa: SIM905
CLUSTERS = [[[1, 1], [5, 5], [12, 12]], [[7, 11], [14, 14]], [[0, 3], [2, 2]]]
OTHER = [word.upper() if word.isalpha() else ";" for word in WORDS]


def conll(words=WORDS, clusters=CLUSTERS, name="a; part 000", columns=11):
    """Write a document as CoNLL; of eleven columns or more, the fourth has the words."""
    name, _, part = name.partition("; ")
    cells = [[] for _ in words]
    for entity, cluster in enumerate(clusters):
        for start, end in cluster:
            cells[start].append(f"({entity})" if start == end else f"({entity}")
            if start < end:
                cells[end].append(f"{entity})")
    lines = [
        "\t".join(["a", "0", str(k), word, *["-"] * (columns - 5), "|".join(cell) or "-"])
        for k, (word, cell) in enumerate(zip(words, cells, strict=True))
    ]
    return "\n".join([f"#begin document ({name}); {part}".rstrip(), *lines, "#end document", ""])


def line(clusters=CLUSTERS, words=WORDS, **fields):
    found = {"doc_key": "a", "clusters": clusters}
    return json.dumps((found if words is None else found | {"sentences": [words]}) | fields) + "\n"


def shifted(start, end, clusters=CLUSTERS):
    return [[[a + start, b + end] for a, b in cluster] for cluster in clusters]


@pytest.fixture
def told(tmp_path):
    """Score texts; return what was warned of, or the error. CoNLL is told by its first line."""

    def score(key, response, **options):
        found, paths = [], []
        for side, text in (("key", key), ("response", response)):
            paths.append(tmp_path / f"{side}.{'conll' if text.startswith('#') else 'jsonl'}")
            paths[-1].write_text(text)
        try:
            b = ac.score_files(*paths, on_error=lambda error: found.append(str(error)), **options)
        except ac.ArraycorefError as error:
            return f"{type(error).__name__}: {error}"
        score.b = b
        return "\n".join(found).replace(str(tmp_path), "")

    return score


TRAPS = {
    "ends exclusive": (line(words=None), line(shifted(0, 1), None), r"none of 7 and 7 mentions is shared. Only .* 7 "
    r"would be shared if the ends in the response were one less. Are they exclusive"),
    "ends exclusive in the key": (line(shifted(0, 1), None), line(words=None),
    "7 would be shared if the ends in the key"),
    "offsets from 1": (line(words=None), line(shifted(1, 1), None), "7 would be shared if the starts and ends in the "
    "response were one less. Do they count from 1"),
    "a token dropped": (conll(), conll(WORDS[:4] + WORDS[5:], shifted(-1, -1, [[[5, 5], [12, 12]]])),
    "18 tokens .* 17 in .* token 4, ',' in the key and 'she' in the response"),
    "a token dropped, without words": (conll(columns=5), conll(WORDS[1:], [], columns=5),
    "18 tokens .* and 17 in [^ ]*; "
    "expected the same. tokens"),
    "other tokens": (conll(), conll(OTHER), "DocumentMismatchError: .*18 of 18 tokens differ.* token 0, 'When' in the"),
    "texts swapped": (conll() + conll(OTHER, name="b"),
    conll(OTHER, name="a; part 000") + conll(name="b"), r"'\(a\); part 000': 18"),
    "characters": (line(), json.dumps({"doc_key": "a", "text": " ".join(WORDS), "clusters": [[[5, 9], [20, 23]]],
    "clusters_strings": []}), "1 mention of the response with a boundary within a word"),
    "characters of another text": (line(), json.dumps({"doc_key": "a", "text": " ".join(OTHER), "clusters": [[[5, 9]]],
    "clusters_strings": []}), "different texts"),
    "subtokens": (line(), line(words=["[CLS]", *WORDS, "[SEP]"], clusters=shifted(1, 1)), "18 tokens .* and 20 in"),
    "documents renamed": (line(doc_key="nw/one"), line(doc_key="nw/one_a"), r"missing .* \('nw/one'\).*"
    r"has 1 of 1 documents \('nw/one_a'\) instead; the nearest names: 'nw/one_a'"),
    "documents permuted, without names": (
    "".join(json.dumps({"sentences": [words], "clusters": []}) + "\n" for words in (WORDS, OTHER)),
    "".join(json.dumps({"sentences": [words], "clusters": []}) + "\n" for words in (OTHER, WORDS)), "has another text"),
    "null clusters": (line(), line(clusters=None), "ReadError"),
    "a key as prediction": (line(), line() + line(doc_key="b", predicted_clusters=CLUSTERS), "predicted_clusters"),
    "no mention": (line(), line([]), "no document of the response has a mention"),
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_traps(told, trap):
    key, response, expected = TRAPS[trap]
    assert told(key, key) in ("", "/key.jsonl: no document of the key has a mention") or "permuted" in trap
    message = told(key, response)
    assert re.search(expected, message.replace("\n", " ")) if expected else message == "", message


@pytest.mark.parametrize("counted", [conll(columns=5), line()], ids=["CoNLL", "JSON"])
def test_a_mention_past_the_last_token(told, counted):
    """Where one side alone has tokens, a mention of the other may still lie past them."""
    name, said = "(a); part 000" if counted.startswith("#") else "a", "counted from 0"
    for clusters, end, hint in (
        ([[[0, 0], [700, 701]]], 701, ""),
        ([[[0, 0], [17, 18]]], 18, ". Is its end exclusive?"),
    ):
        for side, sides in (("response", (counted, line(clusters, None))), ("key", (line(clusters, None), counted))):
            message = told(*sides).split("\n")[0]
            assert message.startswith(f"/{side}.jsonl: document ")
            assert message.endswith(f"{end} here, {said}{hint}")
            assert f"{name!r} has 18 tokens in" in message or side == "key"
            assert said not in told(*sides, tokens="ignore")
    assert told(counted, line([[[0, 1], [17, 17]]], None)) == ""


def test_few_words_differ(told):
    """Two of a hundred tokens: one warning for both, and no error; the reference scorer compares none."""
    words = [f"w{k}" for k in range(100)]
    changed = ["x" if k in (40, 70) else word for k, word in enumerate(words)]
    clusters = [[[1, 2], [5, 5]]]
    message = told(conll(words, clusters), conll(changed, clusters))
    assert message == (
        "/response.conll: the words of 2 tokens differ from the key's; the first, in document '(a); part 000', is "
        "token 40, 'w40' in the key and 'x' in the response"
    )
    assert told(conll(words, clusters), line(clusters, changed)).count("the words of 2 tokens differ") == 1
    assert told(conll(words, clusters), conll(changed, clusters).replace("\tw2\t", "\t w2\t")) == message
    for options in ({"profile": "conll"}, {"tokens": "ignore"}):
        assert told(conll(words, clusters), conll(changed, clusters), **options) == ""
        assert told(conll(), conll(OTHER), **options) == ""
    assert "18 tokens" in told(conll(), conll(WORDS[:-1]), profile="conll")


def test_more_than_five_percent(told):
    words = [str(k) for k in range(100)]
    for share in (5, 6):
        message = told(conll(words), conll(["x"] * share + words[share:]))
        assert message.startswith("DocumentMismatchError") == (share > 5)


def test_files_without_words(told):
    """Ten columns have no words, nor has a column of blanks."""
    assert told(conll(columns=10), conll(OTHER, columns=10)) == ""
    assert told(conll(), conll(["_"] * len(WORDS))) == ""
    assert told(conll(), conll(OTHER, columns=10)) == ""


def test_first_part(told):
    """``x; part 000`` is ``x`` and ``x_0`` of JSON, unless it has another part, or both names are there."""
    assert told(conll(), line()) == told(line(), conll()) == told(conll(), line(doc_key="a_0")) == ""
    assert told.b["muc"].f1 == 1
    two = conll() + conll(name="a; part 001")
    assert "missing from" in told(two, line() + line(doc_key="a_1"))
    assert told(two, line(doc_key="a_1") + line(doc_key="a_0")) == ""
    assert "missing from" in told(conll(), line() + line(doc_key="a_0"))
    assert told(conll(), line() + line(doc_key="a_0"), extra_documents="ignore") == ""
    assert "missing from" in told(conll(name="a; part 001"), line())


@pytest.mark.parametrize("options", [{}, {"profile": "conll"}, {"missing_documents": "skip"}, {"lenient": True}])
def test_no_document_shared(told, options):
    """In no profile is a corpus that was paired with other names 0.00."""
    said = "DocumentMismatchError: key and response have no document in common: "
    said += r"missing from the response are 2 of 2 documents \('a', 'b'\) "
    said += r"of the key. The response has 2 of 2 documents \('c/a', 'c/b'\) instead"
    sides = (line() + line(doc_key="b"), line(doc_key="c/a") + line(doc_key="c/b"))
    assert re.match(said, told(*sides, **options))
    with pytest.raises(ac.DocumentMismatchError, match="key and response have no document in common"):
        ac.score_batch({"a": CLUSTERS}, {"c/a": CLUSTERS}, **{k: v for k, v in options.items() if k != "lenient"})


def test_half_shared_is_enough(told):
    """A warning comes below half of what a shift would share, and if four more would be shared at least."""
    key, starts = [[[k, k] for k in range(0, 18, 2)]], list(range(0, 18, 2))
    for n, moved, warned in ((9, 9, True), (9, 7, True), (9, 6, False), (4, 4, True), (3, 3, False)):
        response = [[[k, k + (m < moved)] for m, k in enumerate(starts[:n])]]
        assert bool(told(line(key, None), line(response, None))) == warned


def test_texts_against_numbers(tmp_path):
    """Values of their own, which a system read from text and the key's author wrote as numbers."""
    found = []
    for name, values in (("key", [1, 2, 3, 4, "x"]), ("response", ["1", "2", "3", "4", "x"])):
        graph = {"type": "graph", "mentions": values, "links": [values[:2]]}
        (tmp_path / f"{name}.json").write_text(json.dumps(graph))
    ac.score_files(tmp_path / "key.json", tmp_path / "response.json", on_error=found.append)
    assert [error.reason for error in found] == [
        "1 of 5 and 5 mentions is shared. Only the key has 2, only the response '2'. 5 would be shared if texts and "
        "numbers were the same, '1' and 1, 01 and 1.0"
    ]


def test_batch_given_as_one_document():
    batch = [[[(0, 1), (2, 3)], [(4, 4)]], [[(0, 0)]]]
    for sides in ((batch, []), ([], batch)):
        with pytest.raises(ac.InputError, match=r"score_batch"):
            ac.score(*sides)


@pytest.mark.parametrize("suffix", ["npy", "labels"])
def test_label_files_of_different_length_are_an_error(tmp_path, suffix):
    for name, labels in (("key", [0, 0, 1, 1, 2]), ("response", [0, 0, 1])):
        path = tmp_path / f"{name}.{suffix}"
        if suffix == "npy":
            np.save(path, np.array(labels))
        else:
            path.write_text("".join(f"{label}\n" for label in labels))
    options = {} if suffix == "npy" else {"format": "labels"}
    files = [str(tmp_path / f"{name}.{suffix}") for name in ("key", "response")]
    with pytest.raises(ac.DocumentMismatchError, match=r"has 5 labels in .* and 3 in"):
        ac.score_files(*files, **options)
    assert ac.score_files(*files, tokens="ignore", **options)["mentions"].recall == 0.6
