"""What fifteen scorers print for thirty cases: the profile that gives each cell, or the fault by which none does.

A cell is what a scorer prints for a metric of a case. Faults are those of the scorers, see `golden/README.md`.
"""

import re
from collections import Counter

import arraycoref as ac
from oracle.golden import case_outputs, matches_print

BY_HEADS = {"matching": "head", "heads": True}
COLUMNS = {
    "perl perl9": {"profile": "conll"},
    "coval": {"profile": "coval"},
    "corefud": {"profile": "crac", "singletons": "keep", **BY_HEADS},
    "ua1": {"profile": "corefud", "singletons": "keep", **BY_HEADS},
    "corefeval hoi fastcoref allennlp": {"profile": "e2e"},
    "maverick": {"profile": "maverick"},
    "stanza stanzaLEA wl": {"profile": "stanza"},
    "scorchAPI scorchCLI neleval m4coref bcubed": {"profile": "paper", "duplicates": "both"},
    "shanybar": {"profile": "maverick"},
}
"""The scorers, and the options that give what they print."""

FAULTS = [
    ("coval", "ceafm", "", "divides by the number of entities, so that recall of equal clusters may be 600"),
    ("corefud", "mentions", "", "ends with a TypeError"),
    ("stanza", "bcub", "DUP", "counts a repeated mention once for each pair of its entities, up to 125"),
    ("stanza", "ceafe", "EMPTYKEY|BOTHEMPTY|MULTIDOC4", "nan if a document has no key entity"),
    ("stanzaLEA|wl", "lea", "DUP two", "counts a link of a repeated mention once for each pair of its entities"),
    (
        "scorchAPI|scorchCLI",
        "muc|bcub|blanc",
        "DUP two",
        "counts a repeated mention once for each pair of its entities",
    ),
    (
        "scorchAPI|scorchCLI",
        "blanc",
        "N3|N6|M3|M6|SPURIOUS|SING",
        "leaves a class out if the key lacks it: see `conll`",
    ),
    ("scorchAPI", "ceafe", "ONEMENTION diff", "ends with a StatisticsError"),
    ("scorchCLI", "bcub|ceafm|ceafe|blanc", "", "adds the response's mentions to the key, as singletons"),
    ("neleval", "bcub|ceafm|ceafe", "DUP two", "builds a wrong matrix of repeated mentions"),
    ("m4coref", "muc", "", "is the pairwise score of clusters in one order, or divides by zero"),
    ("m4coref", "bcub", "", "averages over the mentions that both sides have, or divides by zero"),
    ("m4coref", "ceafm|ceafe", "", "has one CEAF, by mentions, and divides by zero"),
    ("bcubed", "bcub", "", "needs the same mentions on both sides, or ends with a KeyError or nan"),
    ("shanybar", "bcub", "", "skips singletons in numerators, but not in denominators"),
    ("shanybar", "lea", "", "divides by zero at a singleton"),
]
"""Scorer, metric, beginning of the cases, and the fault."""


def scores_of(documents, heads=None, **options):
    """Score the documents of a case; with heads, letters become spans of one word."""
    sides = [[document[side] for document in documents] for side in ("key", "response")]
    if heads:
        sides = [[[[(ord(m), ord(m)) for m in entity] for entity in one] for one in side] for side in sides]
        options["heads"] = [{(n, n): n for n in range(128)} for _ in documents]
        options["metrics"] = (*ac.METRIC_NAMES[:9], "mor")
    return ac.score_batch(*sides, **options)


def gives(score, printed, scorer):
    """Whether a score is what a scorer printed: three numbers, or F alone."""
    if not re.fullmatch(r"(-/-|[\d.]+/[\d.]+)/[\d.]+", printed):
        return False
    how = "truncated" if scorer.startswith("perl") else "rounded"
    values = zip(score, printed.split("/"), strict=True)
    return all(text == "-" or matches_print(value, float(text), how) for value, text in values)


def fault_of(scorer, metric, name):
    """Return the position of the fault that explains a cell, None for none."""
    for n, (scorers, metrics, begins, _) in enumerate(FAULTS):
        if re.fullmatch(scorers, scorer) and re.fullmatch(metrics, metric) and re.match(begins, name):
            return n
    return None


def test_every_cell_has_a_profile_or_a_fault():
    n_cells, n_faulty, used = Counter(), Counter(), set()
    for case in case_outputs():
        for scorers, options in COLUMNS.items():
            b = scores_of(case["documents"], **options)
            for metric, by_text in case["printed"].items():
                cells = [
                    (scorer, text) for text, those in by_text.items() for scorer in those if scorer in scorers.split()
                ]
                n_cells.update(scorer for scorer, _ in cells)
                for scorer, text in cells:
                    if not gives(b[metric], text, scorer):
                        fault = fault_of(scorer, metric, case["name"])
                        assert fault is not None, (scorer, metric, case["name"], text, [*b[metric]])
                        used.add(fault)
                        n_faulty[scorer] += 1
    assert used == {*range(len(FAULTS))}
    assert (n_cells.total(), n_cells.total() - n_faulty.total()) == (2180, 1937)
    whole = {"perl", "perl9", "ua1", "corefeval", "hoi", "fastcoref", "allennlp", "maverick"}
    assert {*n_cells} - {*n_faulty} == whole
    assert n_faulty["coval"] == 24
    assert n_faulty["stanza"] == 8
