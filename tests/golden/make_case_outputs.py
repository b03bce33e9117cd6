"""Turn the survey's listing of what fifteen scorers print into case_outputs.json.

Usage: python make_case_outputs.py case_outputs.txt > case_outputs.json

Under `expected` are only columns of the plain convention, which is what arraycoref computes: mentions as they are,
singletons kept, nothing added. `README.md` says which, and why the others are left out. Under `printed` is all.
"""

import json
import re
import sys
from pathlib import Path

PLAIN = ("coval", "ua1", "corefud", "scorchAPI", "neleval", "maverick")
ROUNDED = {
    "muc": PLAIN,
    "bcub": PLAIN,
    "ceafm": ("ua1", "corefud", "scorchAPI", "neleval"),  # coval divides CEAFm by the number of entities
    "ceafe": PLAIN,
    "lea": ("coval", "ua1", "corefud"),  # the others skip singletons
    "mentions": ("coval",),
    "blanc": ("ua1", "corefud"),
}
TRUNCATED = dict.fromkeys(("muc", "bcub", "ceafm", "ceafe", "blanc", "mentions"), "perl") | {"lea": "perl9"}
INDICATOR = ("BOTHEMPTY", "ONEMENTION same K{a} S{a}")
"""No link on either side and equal mentions: I(M_k = M_r) = 1 (Luo et al. 2014, 4.1), which only scorch prints."""


def entities(text):
    """Read `{a}{bc}`; `{a}..{f}` is a run of singletons."""
    run = re.fullmatch(r"\{(\w)\}\.\.\{(\w)\}", text)
    if run:
        return [[chr(code)] for code in range(ord(run[1]), ord(run[2]) + 1)]
    return [list(letters) for letters in re.findall(r"\{(\w+)\}", text)]


def document(text):
    """Read one document's `K... S...`."""
    if "both empty" in text or text == "BOTHEMPTY":
        return {"key": [], "response": []}
    clusters = r"(?:\{\w+\}(?:\.\.)?)+"
    found = re.search(rf"K(?: (none)|({clusters})) (?:S=(K)|S (none)|S (all singletons)|S({clusters}))$", text)
    if not found:
        raise ValueError(f"cannot read the case {text!r}")
    key = [] if found[1] else entities(found[2])
    if found[3]:
        response = key
    elif found[4]:
        response = []
    elif found[5]:
        response = [[mention] for entity in key for mention in entity]
    else:
        response = entities(found[6])
    return {"key": key, "response": response}


def has_repeats(clusters):
    """Tell whether a mention occurs twice."""
    mentions = [mention for entity in clusters for mention in entity]
    return len(mentions) != len(set(mentions))


def expectations(metric, name, columns, repeats):
    """Choose the rows of a metric that follow the plain convention."""
    chosen = []
    perl = TRUNCATED[metric]
    if perl in columns:
        chosen.append({"scorers": [perl], "printed": "truncated", "profile": "conll", "rpf": columns[perl]})
    if repeats:  # every other scorer has a policy of its own, none of them `first`
        return chosen
    rounded = ("scorchAPI",) if metric == "blanc" and name in INDICATOR else ROUNDED[metric]
    rows = {}
    for scorer in rounded:
        if scorer in columns:
            rows.setdefault(tuple(columns[scorer]), []).append(scorer)
    if len(rows) != 1:
        raise ValueError(f"{metric}, {name}: the plain scorers disagree: {rows}")
    for rpf, scorers in rows.items():
        chosen.append({"scorers": scorers, "printed": "rounded", "profile": "paper", "rpf": list(rpf)})
    return chosen


def read(path):
    """Read the listing: metric -> case -> scorer -> [R, P, F]; and metric -> case -> what is printed -> scorers."""
    listing, printed_by = {}, {}
    metric = name = ""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("### "):
            metric = line[4:].strip()
        elif line.startswith("  - "):
            name = line[4:].removesuffix(" :").strip()
            listing.setdefault(metric, {})[name] = {}
            printed_by.setdefault(metric, {})[name] = {}
        elif "<-" in line:
            printed, scorers = line.split("<-")
            printed_by[metric][name][printed.strip()] = [scorer.strip() for scorer in scorers.split(",")]
            if re.fullmatch(r"[\d.]+/[\d.]+/[\d.]+", printed.strip()):
                values = [float(value) for value in printed.strip().split("/")]
                listing[metric][name].update((scorer.strip(), values) for scorer in scorers.split(","))
    return listing, printed_by


def cases(listing, printed_by):
    """Return the cases, with what to expect of each metric and what each scorer prints."""
    for name in listing["muc"]:
        documents = [document(part.strip()) for part in name.split(";")]
        repeats = any(has_repeats(side) for one in documents for side in one.values())
        expected = {metric: expectations(metric, name, listing[metric][name], repeats) for metric in TRUNCATED}
        if any(has_repeats(one["key"]) for one in documents):  # no partition, no definition
            expected = {}
        printed = {metric: by_case[name] for metric, by_case in printed_by.items()}
        case = {"name": name, "repeated_mentions": repeats, "documents": documents}
        yield case | {"expected": expected, "printed": printed}


def main():
    """Print the cases, one a line."""
    rows = [json.dumps(case) for case in cases(*read(sys.argv[1]))]
    sys.stdout.write("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
