"""What ``check`` says of CorefUD files that can be scored, but that the official validator refuses."""

import pytest

import arraycoref as ac
from arraycoref.read.lint_corefud import REFUSED

LINES = """# newdoc id = a
# global.Entity = eid-etype-head-identity-other
# sent_id = 1
1-2	ab	_	_	_	_	_	_	_	Entity=(e1-person-1)
1	a	_	X	_	_	0	root	_	Entity=(e1-person-1-A(e2--1)
2	b	_	X	_	_	1	dep	_	Entity=(e3)
3	c	_	X	_	_	1	dep	_	Entity=e1)(e1-person-1-A
4	d	_	X	_	_	1	dep	_	Bridge=e2<e1:part|Entity=(e3)e1)
5	e	_	X	_	_	1	dep	_	Bridge=e2<e3:part|Entity=(e1--1)
6	f	_	X	_	_	1	dep	_	Entity=(e1--1-B)|SplitAnte=e2<e1
7	g	_	X	_	_	1	dep	_	Entity=(e5)(e4)|SplitAnte=e5<e5,e1<e5
"""
GOOD = """# newdoc id = a
# global.Entity = eid-etype-head
# sent_id = 1
1	a	_	X	_	_	0	root	_	Entity=(e1-person-1(e2--1)
2	b	_	X	_	_	1	dep	_	Bridge=e3<e2,e3<e1:part|Entity=(e2)e1)
3	c	_	X	_	_	1	dep	_	Entity=(e1-person-1(e3)|SplitAnte=e1<e3,e2<e3
4	d	_	X	_	_	1	dep	_	Entity=(e1-person-1)(e3[1/2]--2)
5	e	_	X	_	_	1	dep	_	_
6	f	_	X	_	_	1	dep	_	Entity=e1)(e3[2/2]--2(e4-plant)
7	g	_	X	_	_	1	dep	_	Bridge=e1<e3|Entity=e3[2/2])
7.1	_	_	X	_	_	_	_	_	Bridge=e1<e5|Entity=(e5)
"""
FOUND = [
    (4, f"{REFUSED} Entity on the line of a multiword token: '1-2'"),
    (7, f"{REFUSED} two mentions of one entity that cross: tokens 2-3 here and 0-2 on line 5"),
    (9, f"{REFUSED} an anaphor without a mention at its Bridge: 'e2<e3'"),
    (10, f"{REFUSED} an entity of two identities: 'e1', 'A' and 'B'"),
    (10, f"{REFUSED} a single antecedent in SplitAnte: 'e2<e1'"),
    (11, f"document 'a': the mention of tokens 6-6 is in two entities, also on line 11; {REFUSED} this"),
    (11, f"{REFUSED} an entity that is its own antecedent in SplitAnte: 'e5<e5'"),
]


@pytest.fixture
def check(tmp_path):
    """Return a function that checks a file of a text, and returns line, severity and message of each problem."""

    def check(text):
        (tmp_path / "x.conllu").write_text(text, encoding="utf-8")
        return [(each.line, each.severity, each.message) for each in ac.check(tmp_path / "x.conllu").problems]

    return check


def test_each_is_found_once(check):
    found = check(LINES)
    assert [(line, severity) for line, severity, _ in found] == [(line, "warning") for line, _ in FOUND]
    assert all(message.startswith(start) for (_, _, message), (_, start) in zip(found, FOUND, strict=True))
    line, _, message = next(each for each in check(LINES.replace("(e1--1)", "(e1--1-B)")) if "identities" in each[2])
    assert (line, message.endswith("; there are 2 such in all")) == (9, True)


def test_what_the_validator_accepts(check):
    assert check(GOOD) == []


def test_mentions_of_parts_and_nested_ones_may_cross(check):
    rows = ["(e1-x-1-", "(e1-x-1-", "e1)(e1[1/2]-x-1-", "e1[1/2])", "e1)", "(e1[2/2]-x-1-)"]
    lines = [f"{n}\tw\t_\tX\t_\t_\t0\troot\t_\tEntity={row}\n" for n, row in enumerate(rows, 1)]
    found = check("# newdoc id = a\n# global.Entity = eid-etype-head-other\n" + "".join(lines))
    assert [message for line, _, message in found if "cross" in message] == [
        f"{REFUSED} two mentions of one entity that cross: tokens 2-5 here and 0-4 on line 3"
    ]
