"""Random documents, written as each annotation tool would, are read as the same entities of the same words."""

import json
import random
from html import escape

import pytest
from read_helpers import mentions

from arraycoref.read import read_documents
from arraycoref.read.write import with_words

pytestmark = [pytest.mark.filterwarnings(f"ignore:.*{what}") for what in ("no two of them in one entity", "not read")]

WORDS = ("Ann", "saw", "\U0001f60a", "her", "d\u00f6g", "<&>", "\U00010400x")


class Drawn:
    """A document: words in sentences, distinct mentions, and an entity of each.

    Attributes:
        truth: (first word, last word) of the mentions of each entity.
    """

    def __init__(self, seed):
        rng = random.Random(seed)
        self.sentences = [[rng.choice(WORDS) for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 4))]
        self.text = "\n".join(map(" ".join, self.sentences)) + "\n"
        self.words, self.places, at = [], [], 0
        for number, sentence in enumerate(self.sentences, 1):
            for n, word in enumerate(sentence, 1):
                self.words.append(word)
                self.places.append((number, n, at, at + len(word)))
                at += len(word) + 1
        pairs = [(a, b) for a in range(len(self.words)) for b in range(a, min(a + 4, len(self.words)))]
        self.mentions = rng.sample(pairs, min(len(pairs), rng.randint(1, 8)))
        self.entity = [rng.randrange(4) for _ in self.mentions]
        self.truth = {
            frozenset(m for m, e in zip(self.mentions, self.entity, strict=True) if e == each)
            for each in set(self.entity)
        }
        self.links = []  # of each mention with any other one of its entity that was drawn before, either way round
        for m, each in enumerate(self.entity):
            before = [k for k in range(m) if self.entity[k] == each]
            self.links += [tuple(rng.sample((m, rng.choice(before)), 2))] if before else []
        rng.shuffle(self.links)

    def span(self, m, utf_16=False):
        """Return first and past-the-last character of a mention, as code points or units of UTF-16."""
        first, last = self.mentions[m]
        ends = self.places[first][2], self.places[last][3]
        return tuple(len(self.text[:end].encode("utf-16-le")) // 2 for end in ends) if utf_16 else ends


def brat(drawn, folder):
    lines = [
        f"T{m}\tM {a} {b}\t{drawn.text[a:b]}".replace("\n", " ")
        for m, (a, b) in enumerate(map(drawn.span, range(len(drawn.mentions))))
    ]
    lines += [f"R{n}\tCoref Arg1:T{a} Arg2:T{b}" for n, (a, b) in enumerate(drawn.links)]
    (folder / "x.txt").write_text(drawn.text, encoding="utf-8")
    return "x.ann", "\n".join(sorted(lines))


def tsv_rows(drawn, cells):
    """Write the lines of words with the cells of each."""
    lines, before = [], 1
    for w, (word, (number, n, begin, end)) in enumerate(zip(drawn.words, drawn.places, strict=True)):
        lines += [""] if number > before else []
        before = number
        lines.append("\t".join([f"{number}-{n}", f"{begin}-{end}", word, *cells(w), ""]))
    return lines


def tsv_chains(drawn, _):
    links = {m: sum(e == each for e in drawn.entity[:m]) + 1 for m, each in enumerate(drawn.entity)}

    def cells(w):
        of_word = [m for m, (a, b) in enumerate(drawn.mentions) if a <= w <= b]
        chains = "|".join(f"x->{drawn.entity[m] + 1}-{links[m]}" for m in of_word)
        return ["|".join(f"*[{drawn.entity[m] + 1}]" for m in of_word) or "_", chains or "_"]

    return "x.tsv", "\n".join(
        ["#FORMAT=WebAnno TSV 3.3", "#T_CH=x.CorefLink|referenceType|referenceRelation", "", *tsv_rows(drawn, cells)]
    )


def tsv_relations(drawn, _):
    """Spans of one word without another one there have no id."""
    has_id = [a < b or sum(c <= a <= d for c, d in drawn.mentions) > 1 for a, b in drawn.mentions]
    ids = [m + 1 if own else 0 for m, own in enumerate(has_id)]

    def cells(w):
        of_word = [m for m, (a, b) in enumerate(drawn.mentions) if a <= w <= b]
        begins = [(one, other) for one, other in drawn.links if drawn.mentions[other][0] == w]
        spans = "|".join(f"*[{ids[m]}]" if ids[m] else "*" for m in of_word)
        sources = []
        for one, other in begins:
            number, n, *_ = drawn.places[drawn.mentions[one][0]]
            sources.append(f"{number}-{n}" + (f"[{ids[one]}_{ids[other]}]" if ids[one] or ids[other] else ""))
        return [spans or "_", "|".join("coref" for _ in begins) or "_", "|".join(sources) or "_"]

    header = ["#FORMAT=WebAnno TSV 3.2", "#T_SP=x.M|kind", "#T_RL=x.R|type|BT_x.M", ""]
    return "x.tsv", "\n".join([*header, *tsv_rows(drawn, cells)])


XMI = '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:o="http:///own.ecore">'


def xmi(drawn, _):
    """Links of a chain follow each other in the order of mentions; an entity of one is a chain too."""
    lines = [XMI, '<o:CorefChain xmi:id="1" first="10"/>']
    for m, each in enumerate(drawn.entity):
        begin, end = drawn.span(m, utf_16=True)
        following = next((k for k in range(m + 1, len(drawn.entity)) if drawn.entity[k] == each), None)
        link = f' next="{following + 10}"' if following is not None else ""
        lines.append(f'<o:CorefLink xmi:id="{m + 10}" begin="{begin}" end="{end}"{link}/>')
    text = escape(drawn.text).replace("\n", "&#10;")
    return "x.xmi", "\n".join([*lines, f'<cas:Sofa xmi:id="2" sofaString="{text}"/></xmi:XMI>'])


def cas_json(drawn, _):
    listed = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": drawn.text}]
    for m in range(len(drawn.mentions)):
        begin, end = drawn.span(m, utf_16=True)
        listed.append({"%ID": m + 10, "%TYPE": "own.M", "begin": begin, "end": end})
    for n, (one, other) in enumerate(drawn.links):
        listed.append(
            {
                "%ID": n + 90,
                "%TYPE": "own.CorefRel",
                "begin": 0,
                "end": 1,
                "@Governor": one + 10,
                "@Dependent": other + 10,
            }
        )
    return "x.json", json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": listed[::-1]})


def mmax2(drawn, folder):
    words = "".join(f'<word id="word_{n}">{escape(word)}</word>' for n, word in enumerate(drawn.words, 1))
    sets = [each if drawn.entity.count(each) > 1 else "empty" for each in range(4)]
    levels = "".join(
        f'<markable id="m{m}" span="word_{a + 1}..word_{b + 1}" coref_class="{sets[each]}"/>'
        for m, ((a, b), each) in enumerate(zip(drawn.mentions, drawn.entity, strict=True))
    )
    (folder / "x_coref_level.xml").write_text(f'<markables xmlns="x">{levels}</markables>')
    return "x_words.xml", f"<words>{words}</words>"


def label_studio(drawn, _):
    results = []
    for m in range(len(drawn.mentions)):
        begin, end = drawn.span(m, utf_16=len(drawn.text) % 2 == 0)
        value = {"start": begin, "end": end, "labels": ["M"], "text": drawn.text[slice(*drawn.span(m))]}
        results.append({"id": f"r{m}", "type": "labels", "value": value})
    results += [{"type": "relation", "from_id": f"r{a}", "to_id": f"r{b}"} for a, b in drawn.links]
    return "x.json", json.dumps([{"data": {"text": drawn.text}, "annotations": [{"result": results[::-1]}]}])


def doccano(drawn, _):
    spans = [drawn.span(m, utf_16=True) for m in range(len(drawn.mentions))]
    entities = [{"id": m, "label": "M", "start_offset": a, "end_offset": b} for m, (a, b) in enumerate(spans)]
    relations = [{"from_id": a, "to_id": b, "type": "same"} for a, b in drawn.links]
    return "x.jsonl", json.dumps({"id": 1, "text": drawn.text, "entities": entities, "relations": relations})


def prodigy(drawn, _):
    spans = [{"token_start": a, "token_end": b, "label": "M"} for a, b in drawn.mentions]
    relations = [{"head_span": spans[a], "child_span": spans[b], "label": "COREF"} for a, b in drawn.links]
    return "x.jsonl", json.dumps(
        {"tokens": [{"text": word} for word in drawn.words], "spans": spans, "relations": relations}
    )


@pytest.mark.parametrize(
    "tool", [brat, tsv_chains, tsv_relations, xmi, cas_json, mmax2, label_studio, doccano, prodigy]
)
def test_any_tool_says_the_same(tool, tmp_path):
    for seed in range(60):
        drawn = Drawn(seed)
        name, content = tool(drawn, tmp_path)
        (tmp_path / name).write_text(content, encoding="utf-8")
        documents = read_documents(tmp_path / name)
        assert documents.text[0].words() in (drawn.words, list(drawn.text)), seed
        if tool is cas_json and not drawn.links:
            assert len(documents.mentions) == 0
            continue
        entities = {}
        for first, last, entity in mentions(with_words(documents)):
            entities.setdefault(entity, set()).add((first, last))
        assert {frozenset(each) for each in entities.values()} == drawn.truth, seed
