"""Bridging links of CorefUD files, as udapi reads them, and what `check` says of those that are wrong."""

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.read import read_documents
from oracle.golden import universal_anaphora

ROWS = {row["name"]: row for row in universal_anaphora("bridge_split") if "Bridge=" in row["text"]}
WRONG = [name for name, row in ROWS.items() if row["advice"] == "error"]


@pytest.fixture
def write(tmp_path):
    """Return a function that writes the text of a row, and returns the path."""

    def write(name):
        path = tmp_path / "a.conllu"
        path.write_text(ROWS[name]["text"])
        return path

    return write


@pytest.mark.parametrize("name", sorted(ROWS.keys() - set(WRONG)))
def test_links(name, write):
    documents = read_documents(write(name), keep_relations=True)
    (relations,), (ids,), mentions = documents.relations, documents.entities, documents.mentions
    links = []
    for anaphor, antecedent, entity, label in zip(*relations[:4], strict=True):
        assert antecedent == -1
        own = mentions.entity[anaphor]
        place = np.flatnonzero(mentions.entity == own).tolist().index(anaphor)  # among the mentions of its entity
        links.append((ids[own], place, ids[entity], label or ""))
    assert links == [*dict.fromkeys(map(tuple, ROWS[name]["udapi"]["bridging"]))]


@pytest.mark.parametrize("name", WRONG)
def test_wrong_links(name, write):
    """A wrong link is an error if links are asked for; `check` lists it; plain scoring does not look at it."""
    path = write(name)
    with pytest.raises(ac.ReadError, match=r"a.conllu:[0-9]+: Bridge"):
        ac.score_files(path, path, metrics="bridging")
    with pytest.warns(ac.ReadWarning, match="Bridge"):
        links = ac.score_files(path, path, metrics="bridging", lenient=True).counts["bridging"]
    assert links.tolist() == [[0, 0, 0, 0]]
    assert ac.score_files(path, path, metrics="mentions")["mentions"].f1 == 1
    assert "Bridge" in str(ac.check(path))


def test_repeated_link(write):
    assert "twice in Bridge" in str(ac.check(write("bridge-twice")))
