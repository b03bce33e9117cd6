"""What tagsets, weights and query logs hold against: keys, classes and features beyond any tagset's."""

from __future__ import annotations

import pytest

from arraycoref.errors import InputError, ReadError
from arraycoref.read.parsed import MOST_FAULTS
from arraycoref.tagging import read_tagged
from arraycoref.tagging.table import MOST_CATEGORIES, tag_table
from arraycoref.tagging.tagsets import MOST_SLOTS, SeparatedTagset, Slot, load_tagset
from arraycoref.tagging.toml import MOST_CHARACTERS, MOST_PARTS, load_toml
from arraycoref.tagging.weights import Terminal, load_weights, query_weights, read_rules, rule_weights

CATEGORIES = [f"c{k}" for k in range(MOST_SLOTS)]


def tagset(n: int, values: str = "a", optional: bool = True) -> SeparatedTagset:
    slots = tuple(Slot(category, optional) for category in CATEGORIES[:n])
    return SeparatedTagset("t", ":", dict.fromkeys(CATEGORIES, frozenset(values)), {"x": slots})


def test_tag_with_readings_without_number():
    """Forty optional categories with one value: 137,846,528,820 readings of twenty values."""
    with pytest.raises(InputError, match="value 'a' fits c0 and c1"):
        tagset(1 + 1).parse("x:a")
    with pytest.raises(InputError, match=r"value 'a' fits c\d+ and c\d+"):
        tagset(MOST_SLOTS).parse("x" + ":a" * 20)
    with pytest.raises(InputError, match=r"unknown value 'b'; expected a value of|comes after the last category"):
        tagset(MOST_SLOTS).parse("x" + ":a" * 20 + ":b")
    assert tagset(MOST_SLOTS).parse("x" + ":a" * MOST_SLOTS) == {"pos": "x", **dict.fromkeys(CATEGORIES, "a")}
    with pytest.raises(InputError, match="comes after the last category"):
        tagset(MOST_SLOTS).parse("x" + ":a" * (MOST_SLOTS + 1))


@pytest.mark.parametrize(("extra", "fits"), [(0, True), (1, False)])
def test_categories_of_a_class(tmp_path, extra, fits):
    names = [f"c{k}" for k in range(MOST_SLOTS + extra)]
    path = tmp_path / "t.toml"
    path.write_text(
        'name = "t"\nlayout = "separated"\nseparator = ":"\n[categories]\n'
        + "".join(f'{name} = ["{name}"]\n' for name in names)
        + f"[classes]\nx = {names}\n".replace("'", '"')
    )
    if fits:
        assert load_tagset(path).categories == ("pos", *names)
    else:
        with pytest.raises(ReadError, match=f"classes.x: {MOST_SLOTS + 1} categories; expected at most {MOST_SLOTS}"):
            load_tagset(path)


def test_features_of_ever_new_names():
    """A row a tag and a column a feature are their product."""
    ud = load_tagset("ud")
    names = [f"NOUN|F{k}=1" for k in range(MOST_CATEGORIES - 1)]
    assert tag_table(names, ud).values.shape == (MOST_CATEGORIES - 1, MOST_CATEGORIES)
    with pytest.raises(
        InputError, match=f"more than {MOST_CATEGORIES} categories, among them 'F{MOST_CATEGORIES - 1}'"
    ):
        tag_table([*names, f"NOUN|F{MOST_CATEGORIES - 1}=1"], ud)


def test_rules_of_ever_new_names():
    rules = [[Terminal((f"c{k}",), f"p{k}")] for k in range(400)]
    with pytest.raises(InputError, match="400 parts of speech and 400 categories; expected at most 100000"):
        rule_weights(rules)
    assert len(rule_weights(rules[:300]).by_pos) == 300


@pytest.mark.parametrize("part", ["a", '"a"', "'a'", "a ", "a-b"])
def test_keys_of_many_parts(tmp_path, part):
    path = tmp_path / "w.toml"
    path.write_text("b = 1\n" + ".".join([part] * MOST_PARTS) + " = 1\n")
    assert set(load_toml(path, "a file")) == {"b", part.strip("\"' ")}
    path.write_text("b = 1\n" + ".".join([part] * (MOST_PARTS + 1)) + " = 1\n")
    with pytest.raises(ReadError, match=rf"w.toml:2: not a file: a key of more than {MOST_PARTS} parts"):
        load_toml(path, "a file")


def test_long_definitions(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text("a = 1\n#" + "x" * (MOST_CHARACTERS - 7))
    assert load_toml(path, "a file") == {"a": 1}
    path.write_text("a = 1\n#" + "x" * (MOST_CHARACTERS - 6))
    with pytest.raises(ReadError, match=f"w.toml: not a file: {MOST_CHARACTERS + 1} characters; expected at most"):
        load_toml(path, "a file")


@pytest.mark.parametrize(
    ("name", "head", "fault", "tail"),
    [("x.conllu", "", "1\n", ""), ("x.xml", "<x>", "<tok/>\n", "</x>"), ("x.tsv", "", "\tX\n", "")],
)
def test_lenient_reading_has_an_end(tmp_path, name, head, fault, tail):
    path = tmp_path / name
    path.write_text(head + fault * 3 * MOST_FAULTS + tail)
    faults = []
    with pytest.raises(ReadError, match="more than 10,000 faults"):
        read_tagged(path, lenient=True, report=faults.append)
    assert len(faults) == MOST_FAULTS


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000, "a = " + "{a=" * 5000, "a = " + "1" * 5000, "[" * 600 + "]" * 600]
)
def test_definitions_nested_deeply(tmp_path, text):
    for name in ("x.toml", "x.json"):
        (tmp_path / name).write_text(text)
        with pytest.raises(ReadError):
            load_weights(tmp_path / name)
    with pytest.raises(ReadError):
        load_tagset(tmp_path / "x.toml")
    (tmp_path / "rules").write_text('{"terminals": ' + text)
    with pytest.raises(ReadError, match="rules:1: "):
        list(read_rules(tmp_path / "rules"))


@pytest.mark.parametrize("weight", [10**400, 2**1024, float("inf"), float("nan"), -1, True, "1", [[[]]]])
def test_weight_that_is_no_number_of_64_bits(weight):
    with pytest.raises(InputError, match=r"weight of pos is .*; expected a finite number"):
        load_weights({"pos": weight})


def test_quotes_that_never_end():
    """What follows such a quote is quoted, as far as the query goes."""
    ud = load_tagset("ud")
    weights = query_weights(
        ['[pos="x & Case=y', "[Case='x\\'Number=y", '[pos="Number=\\"" & Person=z]', 'pos="x\\'], ud
    )
    assert dict(weights.categories) == {"pos": 3.0, "Case": 1.0, "Person": 1.0}
