"""Samples of annotation tools, where they are at hand: documents, mentions and entities as their README lists them."""

import functools
import itertools
import os
import warnings
from collections import Counter
from pathlib import Path

import pytest

import arraycoref as ac
from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents

ROOT = Path(os.environ.get("ARRAYCOREF_DATA", ""))
FOLDER = ROOT / "annotation"
pytestmark = [
    pytest.mark.skipif(
        not FOLDER.is_dir() or not os.environ.get("ARRAYCOREF_DATA"), reason="ARRAYCOREF_DATA is not set"
    ),
    pytest.mark.filterwarnings("ignore::arraycoref.ReadWarning"),
]

KAFKA, ANNA, BEN = (54, 12, 2), (12, 4, 1), (11, 4, 1)
SAMPLES = {
    "brat/litbank": (131, 45, 30),
    "brat/litbank-tsv": (131, 45, 30),
    "brat/materials/101039c7ta03244g.ann": (53, 38, 23),
    "brat/materials/101039c7nr05695h.ann": (57, 44, 31),
    "brat/own-discontinuous": (7, 4, 2),
    "webanno-tsv/gum/GUM_news_worship.tsv": (44, 28, 17),
    "webanno-tsv/gum/GUM_news_stampede.tsv": (67, 49, 41),
    "webanno-tsv/inception-kafka": (103, 22, 2),
    **{
        f"{folder}/inception-tests/testSimpleChain{suffix}": (3, 1, 0)
        for folder, suffix in (("webanno-tsv", ".tsv"), ("uima-cas", ".xmi"))
    },
    **{
        f"{folder}/inception-tests/testMultiTokenChain{suffix}": (2, 1, 0)
        for folder, suffix in (("webanno-tsv", ".tsv"), ("uima-cas", ".xmi"))
    },
    **{
        f"{folder}/inception-tests/testStackedChain{suffix}": (6, 2, 0)
        for folder, suffix in (("webanno-tsv", ".tsv"), ("uima-cas", ".xmi"))
    },
    "uima-cas/kafka/kafka.tsv": KAFKA,
    "uima-cas/kafka/kafka.xmi": KAFKA,
    "uima-cas/kafka/kafka.json": KAFKA,
    "uima-cas/corefannotator-v1": (272, 33, 4),
    "uima-cas/own-corefannotator-v2": ANNA,
    "mmax2/htc": (32, 28, 27),
}
OWN = {
    "conll": "own/conll/{}",
    "brat relations": "brat/own-relations/{}",
    "brat equivalences": "brat/own-equivalences/{}",
    "brat ids": "brat/own-ids/{}",
    "tsv relations": "webanno-tsv/own-relations/{}",
    "tsv chains": "webanno-tsv/own-project/annotation/mara.txt/{}.tsv",
    "xmi": "uima-cas/own-project/annotation/mara.txt/{}.xmi",
    "cas json": "uima-cas/own-json/annotation/mara.txt/{}.json",
    "mmax2": "mmax2/own/{}",
    "label studio": "json-links/label-studio",
    "label studio, old": "json-links/label-studio-old",
    "doccano": "json-links/doccano/{}",
    "prodigy": "json-links/prodigy/{}",
}
"""The one document of two annotators, in each format."""


def source(name, who):
    """Return the path of an annotator's files, and the option that is needed to read them."""
    shared = "{}" not in OWN[name]
    return FOLDER / OWN[name].format(who), {"annotator": f"{who}@example.org"} if shared else {}


@functools.cache
def sizes(path, **options):
    """Count mentions, entities, and those of one mention, of a single document."""
    documents = read_documents(path, **options)
    assert len(documents) == 1
    n_mentions = Counter(documents.mentions.entity.tolist())
    return sum(n_mentions.values()), len(n_mentions), sum(n == 1 for n in n_mentions.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name):
    assert sizes(FOLDER / name) == SAMPLES[name]


@pytest.mark.parametrize("name", OWN)
def test_own_document(name):
    for who, expected in (("anna", ANNA), ("ben", BEN)):
        path, options = source(name, who)
        assert sizes(path, **options) == expected


TEXTLESS = "brat equivalences"
"""Here the folder of ben has no text, and its characters are no words of others."""
PAIRS = [
    pair
    for pair in itertools.product(OWN, OWN)
    if pair[1] != TEXTLESS or pair[0] in (TEXTLESS, "brat relations", "doccano")
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_any_two_formats_agree_as_much(one, other):
    (key, of_key), (response, of_response) = source(one, "anna"), source(other, "ben")
    names = [f"{side}:{option['annotator']}" for side, option in (("key", of_key), ("response", of_response)) if option]
    scores = ac.score_files(key, response, **({"annotator": ",".join(names)} if names else {}))
    percent = {
        name: [round(100 * x, 2) for x in (scores[name].recall, scores[name].precision)] for name in ("bcub", "ceafe")
    }
    assert percent == {"bcub": [65.83, 86.36], "ceafe": [65.97, 65.97]}
    for name, expected in {"mentions": (11 / 12, 1), "muc": (6 / 8, 6 / 7), "lea": (7 / 12, 8 / 11)}.items():
        assert (scores[name].recall, scores[name].precision) == pytest.approx(expected)
    assert round(100 * scores.conll, 2) == 73.56


CORPORA = [
    ("litbank.conll", "brat/litbank", "litbank_response.conll.gz", 67.26),
    ("litbank.conll", "brat/litbank-tsv", "litbank_response.conll.gz", 67.26),
    ("gum_gum_key.conll", "webanno-tsv/gum", "gum_gum_resp.conll", 62.78),
]


@pytest.mark.parametrize(("key", "sample", "response", "conll"), CORPORA)
def test_corpora_equal_their_conll(key, sample, response, conll):
    assert ac.score_files(ROOT / key, FOLDER / sample, missing_documents="skip").conll == 1
    scores = ac.score_files(FOLDER / sample, ROOT / response, extra_documents="ignore")
    assert round(100 * scores.conll, 2) == conll


@pytest.mark.parametrize(
    "name",
    [name for name in (*SAMPLES, *OWN) if not name.startswith(("brat/m", "brat/own-d", "uima-cas/corefannotator"))],
)
def test_converted_and_read_again(name, tmp_path):
    path, options = source(name, "anna") if name in OWN else (FOLDER / name, {})
    expected = sizes(path, **options)
    write_documents(read_documents(path, **options), tmp_path / "x.conll")
    assert sizes(tmp_path / "x.conll") == expected
    assert ac.score_files(tmp_path / "x.conll", path, duplicates="first", **options).conll == 1


@pytest.mark.parametrize("name", ["uima-cas/corefannotator-v1", "webanno-tsv/inception-tests/testStackedChain.tsv"])
def test_spans_in_two_entities_are_named(name):
    with pytest.raises(
        ac.DuplicateMentionError, match=r"the mention '\w+' of (characters|tokens) .* is in two entities, '"
    ):
        ac.score_files(FOLDER / name, FOLDER / name)


def test_parts_of_words_are_widened():
    path = FOLDER / "webanno-tsv/inception-tests/testSubtokenChain.tsv"
    with pytest.raises(ReadError, match="the span '1-2' from 1 to 1 is empty"):
        read_documents(path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert read_documents(path, lenient=True).mentions.text.tolist() == ["This", "test"]
    assert "3 values of parts of words" in str([each.message for each in told])


@pytest.mark.parametrize("path", sorted((FOLDER / "recognise").rglob("*.*")) if FOLDER.is_dir() else [])
def test_others_are_named(path):
    if path.name != "README.md":
        with pytest.raises(ReadError, match="this looks like "):
            read_documents(path)
