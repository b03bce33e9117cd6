"""Profile `crac`: the sums of CorefUD's scorer 4fd7b0e, its ties and its table of pairs included."""

import gzip
import json

import numpy as np
import pytest

import arraycoref as ac
from marks import about
from oracle.golden import FOLDER, counts

METRICS = ("muc", "bcub", "ceafm", "ceafe", "lea", "mor", "zero")
LINKS = {"blancc": "coreference", "blancn": "non_coreference"}
GOLDEN = json.loads(gzip.decompress((FOLDER / "corefud_scorer.json.gz").read_bytes()))


@pytest.fixture
def paths(tmp_path):
    """Return the paths of the files, by name."""
    found = {name: tmp_path / name.replace("/", "_") for name in GOLDEN["files"]}
    for name, path in found.items():
        path.write_text(GOLDEN["files"][name], encoding="utf-8")
    return found


def sums_of(b):
    """Return the four sums of each metric, and of both classes of BLANC."""
    return {name: counts(b[name]) for name in METRICS} | {n: counts(getattr(b["blanc"], a)) for n, a in LINKS.items()}


def options_of(row):
    """Return the options of a row."""
    options = {
        "matching": row["match"].removesuffix("-corefud"),
        "singletons": row["singletons"],
        "zeros": row["zeros"],
    }
    return options | {"metrics": (*METRICS, "blanc", "conll"), "on_error": lambda _: None}


def test_sums_of_the_scorer(paths):
    """Ties, zeros that overwrite each other's pairs; profile `corefud` gives other sums for many rows."""
    n_other = 0
    for row in GOLDEN["rows"]:
        files, options = (paths[row["key"]], paths[row["response"]]), options_of(row)
        with about(f"{row['key']} {row['match']} {row['singletons']} {row['zeros']}"):
            sums = sums_of(ac.score_files(*files, profile="crac", **options))
            for name, expected in row["total"].items():
                assert sums[name] == pytest.approx(expected, rel=1e-9), name
        n_other += sums != sums_of(ac.score_files(*files, profile="corefud", **options))
    assert (len(GOLDEN["rows"]), n_other) == (64, 30)


def test_repeated_mentions_are_counted_beside_the_table(paths):
    """A document of two pairs, in one of which a mention is in two entities, has the sums of both."""
    name = "syntax/p09_zero_cycle_of_three"
    key, response = (paths[f"{name}.{side}.conllu"] for side in ("key", "r"))
    more = "# newdoc id = e\n# global.Entity = eid-etype-head-other\n# sent_id = e1\n"
    more += (
        "1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-x-1-)(e2-x-1-)\n2\tb\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-x-1-)(e2-x-1-)\n\n"
    )
    options = {"profile": "crac", "metrics": METRICS, "on_error": lambda _: None}
    alone = ac.score_files(key, response, **options).counts.rows
    for path in (key, response):
        path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    both = ac.score_files(key, response, **options)
    np.testing.assert_array_equal(both.counts.rows[:1], alone)
    assert counts(both["e"]["bcub"]) == [4.0, 4.0, 4.0, 4.0]
