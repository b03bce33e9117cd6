"""Sides that hardly share a mention: one warning, whatever door they came by, with the way that explains the most."""

import json
import re
from types import SimpleNamespace as Object

import pytest

import arraycoref as ac

pytestmark = pytest.mark.usefixtures("engine")

NAMES = [f"rec{letter}" for letter in "abcdefghijkl"]
SPANS = [(4 * n, 4 * n + n % 3) for n in range(12)]


def pairs_of(mentions):
    """Put two mentions in each entity."""
    return [mentions[m : m + 2] for m in range(0, len(mentions), 2)]


def moved(start, end):
    return [(a + start, b + end) for a, b in SPANS]


OTHERS = {
    "blanks": (NAMES, [f"{name} " for name in NAMES], "12 would be shared if spaces around texts, and capitals"),
    "capitals": (NAMES, [name.upper() for name in NAMES], "12 would be shared if spaces around texts, and capitals"),
    "capitals and blanks, in tuples": (
        [(name, 1) for name in NAMES], [(f" {name.title()}", 1) for name in NAMES], "12 would be shared if spaces"
    ),
    "a prefix": (NAMES, [f"x-{name}" for name in NAMES], "Only the key has 'reca', only the response 'x-reca'$"),
    "texts": (list(range(12)), list(map(str, range(12))), "12 would be shared if texts and numbers were the same"),
    "zeros in texts": (list(range(12)), [f"{n:03}" for n in range(12)], "12 would be shared if texts and numbers"),
    "texts in tuples": (SPANS, [tuple(map(str, each)) for each in SPANS], "12 would be shared if texts and numbers"),
    "exclusive ends": (SPANS, moved(0, 1), "12 would be shared if the ends in the response were one less. Are they"),
    "exclusive ends in the key": (moved(0, 1), SPANS, "12 would be shared if the ends in the key"),
    "from 1": (SPANS, moved(1, 1), "12 would be shared if the starts and ends in the response were one less. Do they"),
    "from 1 in the key": (moved(1, 1), SPANS, "12 would be shared if the starts and ends in the key"),
    "with a sentence": (
        [(1, *each) for each in SPANS], [(1, *each) for each in moved(0, 1)], "12 would be shared if the ends in the re"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS)
def test_objects_in_memory(case):
    key, response, reason = OTHERS[case]
    with pytest.warns(ac.ReadWarning, match=f"^response: none of 12 and 12 mentions is shared.*{reason}") as w:
        b = ac.score_batch([pairs_of(key[:6]), pairs_of(key[6:])], [pairs_of(response[:6]), pairs_of(response[6:])])
    assert b["b3"].f1 == b["muc"].f1 == 0
    assert len(w) == 1  # one for the call, not one for each document
    assert ac.score(pairs_of(key), pairs_of(key))["muc"].f1 == 1


@pytest.mark.parametrize("sides", [([[1, 2]], [["1", "2"]]), ([["Ada"]], [["ada"]]), ([[(1, 2)]], [[("1", "2")]])])
def test_few_values_that_are_written_otherwise(sides):
    with pytest.warns(ac.ReadWarning, match="Only the key has .* would be shared if"):
        assert ac.score(*sides)["mentions"].f1 == 0


@pytest.mark.parametrize("sides", [
    ([["a", "b"]], [["c"]]),  # a small document may share nothing, for no reason
    ([["a", "b"]], []),
    ([[(0, 1), (5, 6)]], [[(0, 2), (5, 7)]]),  # two ends may be wrong
    ([list(range(40))], [list(range(37, 77))]),  # three of forty: more than a twentieth
    ([SPANS], [SPANS[:6] + moved(0, 1)[6:]]),
])  # fmt: skip
def test_what_is_no_reason(sides):
    ac.score(*sides)


def test_sides_without_mentions_in_one_document():
    batch = ac.score_batch([[[(0, 1), (2, 3)]], []], [[], [[(4, 5), (6, 7)]]])
    assert batch["muc"].recall_den == batch["muc"].precision_den == 1


def test_less_than_a_twentieth():
    with pytest.warns(ac.ReadWarning, match="1 of 40 and 40 mentions is shared. Only the key has 0, only .* 40$"):
        ac.score([list(range(40))], [list(range(39, 79))])


def test_a_reason_is_searched_in_fifty_documents():
    """What those after them have does not change it."""
    texts = [[[f"{d} {n}" for n in range(4)]] for d in range(60)]
    blank = [[[f" {mention}" for mention in mentions]] for (mentions,) in texts[:50]]
    expected = "none of 240 and 210 mentions is shared.*. 200 of 200 in 50 documents would be shared if spaces"
    with pytest.warns(ac.ReadWarning, match=expected):
        ac.score_batch(texts, blank + [[["-"]]] * 10)


def test_the_best_way_is_named():
    """Where spans lie side by side, exclusive ends explain some, and counting from 1 explains all."""
    key = [(n, n + k) for n in range(0, 60, 3) for k in range(3)]
    with pytest.warns(ac.ReadWarning, match=r"60 would be shared if the starts and ends in the response"):
        ac.score([key], [[(a + 1, b + 1) for a, b in key]])


def test_documents_of_stanza():
    def doc(shift):
        mentions = [Object(sentence=s, start_word=3 * s, end_word=3 * s + 2 + shift) for s in range(12)]
        return Object(coref=[Object(mentions=mentions)])

    with pytest.warns(ac.ReadWarning, match="12 would be shared if the ends in the response"):
        ac.score(doc(0), doc(1))


def test_labels_are_on_the_callers_index():
    ac.score_labels([0] * 12 + [-1] * 12, [-1] * 12 + [0] * 12)


def by_table(folder, mentions, side):
    path = folder / f"{side}.csv"
    path.write_text("document,mention,label\n" + "".join(f'd,"{m}",{n // 2}\n' for n, m in enumerate(mentions)))
    return path


def by_spans(folder, mentions, side):
    path = folder / f"{side}.jsonl"
    path.write_text(json.dumps({"doc_key": "d", "clusters": pairs_of(mentions)}))
    return path


def by_rttm(folder, mentions, side):
    path = folder / f"{side}.rttm"
    path.write_text("".join(f"SPEAKER d 1 {at} 0.5 <NA> <NA> s{n} <NA> <NA>\n" for n, at in enumerate(mentions)))
    return path


FILES = {
    "blanks": (by_table, *OTHERS["blanks"]),
    "capitals": (by_table, *OTHERS["capitals"]),
    "a prefix": (by_table, *OTHERS["a prefix"]),
    "from 1": (by_spans, *OTHERS["from 1"]),
    "exclusive ends in the key": (by_spans, *OTHERS["exclusive ends in the key"]),
    "another unit of time": (by_rttm, range(12), range(1000, 13000, 1000), "none of 600 and 600 mentions"),
}


@pytest.mark.parametrize("case", FILES)
def test_files(case, tmp_path):
    write, key, response, reason = FILES[case]
    found = []
    b = ac.score_files(write(tmp_path, key, "key"), write(tmp_path, response, "response"), on_error=found.append)
    assert b["muc"].f1 == 0
    assert [bool(re.search(reason, str(error))) for error in found] == [True]
