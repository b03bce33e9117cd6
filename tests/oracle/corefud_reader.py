"""Read CorefUD files without faults in plain Python, from the definition of the format."""

import re

from oracle.corefud import Mention, in_order

ITEM = re.compile(r"(\()?([^()]+)(\))?")
OTHER_NAMES = {"GRP": "eid", "entity": "etype"}


def read(text):
    """Return the documents of a file by their names, each as the list of its entities, lists of `Mention`, in order."""
    documents, fields = {}, ["eid", "etype", "head", "other"]
    for block in re.split(r"\n\n+", text.removeprefix("\ufeff").replace("\r\n", "\n").strip("\n")):
        lines = block.split("\n")
        if "newdoc" in block or not documents:
            name = "".join(re.findall(r"^# newdoc id = (.*)", block, re.MULTILINE)).strip()
            documents[name or str(len(documents) + 1)] = entities = {}
            n_sentences = 0
        for value in re.findall(r"^# global.Entity = (.*)", block, re.MULTILINE):
            fields = [OTHER_NAMES.get(each, each) for each in value.split("-")]
        rows = [line.split("\t") for line in lines if line[0] != "#"]
        rows = {tuple(map(int, f"{row[0]}.0".split(".")[:2])): row for row in rows if "-" not in row[0]}
        for name, places, head in mentions_of([row[9] for _, row in sorted(rows.items())], fields):
            nodes = [sorted(rows)[place] for place in sorted(places)]
            node = nodes[head - 1]
            children = [row[3] for row in rows.values() if row[6] == rows[node][0] and row[7].startswith("flat")]
            edges = [each.partition(":") for each in rows[node][8].split("|") if each not in ("", "_")]
            deps = frozenset((parent, relation) for parent, _, relation in edges)
            found = Mention(
                frozenset((n_sentences, *each) for each in nodes),
                (n_sentences, *node),
                deps if node[1] else frozenset(),
                frozenset([rows[node][3], *children]),
            )
            entities.setdefault(name, []).append(found)
        n_sentences += 1
    return {name: in_order(entities) for name, entities in documents.items()}


def mentions_of(column, fields):
    """Return the entity, the places and the head of each mention of a sentence, given its last column."""
    opened, parts = [], []
    for place, misc in enumerate(column):
        items = [each.removeprefix("Entity=") for each in misc.split("|") if each.startswith("Entity=")]
        for opens, text, closes in ITEM.findall("".join(items)):
            values = dict(zip(fields, text.split("-", len(fields) - 1), strict=False)) if opens else {"eid": text}
            if opens:
                opened.append([values["eid"], place, int(values.get("head", 1))])
                parts.append(opened[-1])
            if closes:
                latest = max(n for n, each in enumerate(opened) if each[0] == values["eid"])
                opened.pop(latest).append(place)
    found, begun = [], {}
    for name, first, head, last in parts:
        part = re.fullmatch(r"(.*)\[(\d+)/\d+\]", name)
        if part is None or part[2] == "1":
            found.append((part[1] if part else name, set(), head))
            begun[part and part[1]] = found[-1]
        begun[part and part[1]][1].update(range(first, last + 1))
    return found
