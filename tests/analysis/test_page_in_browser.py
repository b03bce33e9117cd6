"""The page of an analysis as a browser shows it: keys, addresses, focus, filters; no console line, no request."""

import shutil

import numpy as np
import pytest
from test_page import HOSTILE, random_sides

import arraycoref as ac
from arraycoref.analysis.pair import TYPES
from pages_of_html import FLAGS, records

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open the page of an analysis, at an address; the console stays empty, and the file is all that is asked for."""
    lines, requests, contexts = [], [], []

    def open_(analysis, address="", **settings):
        path = tmp_path / "report.html"
        analysis.save_html(path)
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: lines.append(message.text))
        page.on("pageerror", lambda error: lines.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{path.as_uri()}{address}")
        page.wait_for_selector("body:not(.loading)")
        page.held = records(path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert lines == []
    assert {url.partition("#")[0] for url in requests} == {(tmp_path / "report.html").as_uri()}


MENTIONS = """nodes => nodes.map(node => [
    +node.dataset.s, +node.dataset.m, [...node.children].findLast(child => child.className === "n")?.textContent,
    [...node.children].filter(child => child.matches(".e")).map(child => +child.dataset.t)])"""


@pytest.mark.parametrize("n_systems", [1, 2])
def test_every_mention_has_its_entity_and_its_signs(opened, n_systems):
    analysis = ac.analyze(*random_sides(5, n_systems=n_systems))
    index = analysis.index
    page = opened(analysis)
    for d, name in enumerate(index.names):
        page.evaluate("name => { location.hash = name; }", name)
        page.wait_for_selector(f"h2:text-is('{name}')")
        first = index.offsets[d]
        shown, ends = {}, {}
        for side, m, label, sign in page.eval_on_selector_all(".row .m", MENTIONS):
            shown.setdefault((side, m), sign)
            if label:  # a mention that is cut has its number at the end
                ends[side, m] = label
        wanted, numbers = {}, {}
        for side in range(n_systems + 1):
            entities = index.entity_in_document(side)
            of_side = range(n_systems) if side == 0 else [side - 1]
            marks = [analysis.pairs[s].marks for s in of_side]
            types = [each.type_of_mentions(side, len(index), only_first=True) for each in marks]
            for m in np.flatnonzero(index.labels[side] >= 0).tolist():
                if first <= m < index.offsets[d + 1]:
                    found = {int(each[m]) for each in types if each[m] >= 0}
                    wanted[side, m - first] = found
                    numbers[side, m - first] = f"{'krs'[side]}{entities[m] + 1}"
        assert ends == numbers
        assert all(found <= set(shown[place]) for place, found in wanted.items())
        assert all(bool(shown[place]) == bool(found) for place, found in wanted.items())


def test_keys_and_focus(opened):
    analysis = ac.analyze(*random_sides(2, n_systems=1))
    page = opened(analysis)
    names = [analysis.documents[d] for d in analysis.worst(5)]
    assert page.text_content("h2") == "s0 against key"
    for name in names[:2]:
        page.keyboard.press("j")
        page.wait_for_selector(f"h2:text-is('{name}')")
        active = page.get_attribute("#list", "aria-activedescendant")
        assert page.get_attribute(f"#{active}", "aria-selected") == "true"
        assert page.text_content(f"#{active} span") == name
        assert name in page.text_content("#live")
    page.keyboard.press("k")
    page.wait_for_selector(f"h2:text-is('{names[0]}')")
    _, documents = page.held
    types, _, _ = documents[names[0]]["e"][0]
    assert page.text_content("#counted").startswith(f"{len(types)} error")
    seen = set()
    for _ in types:
        page.keyboard.press("n")
        seen.add((page.evaluate("document.activeElement.dataset.m"), page.text_content("[aria-current=true] small")))
        assert page.evaluate("document.activeElement.matches('.m.on')")
        kind = [kind["name"] for kind in page.held[0]["types"]].index(page.text_content("[aria-current=true] small"))
        side = "0" if page.held[0]["types"][kind]["side"] == "key" else "1"
        assert page.evaluate("document.activeElement.dataset.s") == side
    assert len(seen) == len(types)
    page.keyboard.press("Escape")
    assert not page.query_selector_all(".m.on")
    kind = int(types[0])
    page.keyboard.press(str(kind + 1))
    assert page.text_content("#counted").startswith(f"{types.count(str(kind))} error")
    assert {each.text_content() for each in page.query_selector_all(".error small")} == {TYPES[kind].replace("-", " ")}
    page.keyboard.press("e")
    assert all(row.query_selector(".piece, .lost") for row in page.query_selector_all(".row"))
    page.keyboard.press("t")
    assert page.query_selector(".entity")
    page.keyboard.press("/")
    page.keyboard.type(names[3])
    assert page.text_content("#shown").startswith("1 of 5 documents")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.query_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.wait_for_selector(".cards")


def test_an_address_opens_an_entity_that_stays_bright_alone(opened):
    analysis = ac.analyze(*random_sides(4, n_systems=1))
    page = opened(analysis, "#d3/k2")
    page.wait_for_selector(".m.on")
    members = {m for m, e in enumerate(page.held[1]["d3"]["k"][0]) if e == 1}
    bright = page.eval_on_selector_all(".m.on", "nodes => nodes.map(node => +node.dataset.m)")
    assert set(bright) == members
    assert page.text_content("#card .link").startswith("k2")
    page.click(".row .m[data-s='1']", position={"x": 2, "y": 5})
    assert "/r" in page.evaluate("location.hash")


def test_hostile_names_are_text(opened):
    key = {name: [[f"{word}{n}" for n, word in enumerate(HOSTILE)]] for name in HOSTILE}
    page = opened(ac.analyze(key, {HOSTILE[0]: key}))
    for d in range(len(HOSTILE)):
        page.evaluate("d => document.querySelectorAll('.doc')[d].click()", d)
        page.wait_for_selector(f".doc:nth-child({d + 1})[aria-selected=true]")
        assert page.text_content("h2") == page.held[0]["names"][d]
    assert page.title() != "bad"
    assert not page.query_selector_all("img, main script")


def test_records_are_shown_by_entity(opened):
    page = opened(ac.analyze([["Ann", "Anne", "A."], ["Ben"]], [["Ann", "Ben"], ["Anne"]]), "#0")
    page.wait_for_selector(".entity")
    assert page.text_content(".entity").startswith("k1 Ann3 records")
    assert "1 missing" in page.text_content(".entity .values")


def test_a_long_document_is_made_where_it_is_looked_at(opened):
    spans = [(n, n) for n in range(0, 60_000, 2)]
    pairs = [spans[n : n + 2] for n in range(0, len(spans), 2)]
    page = opened(ac.analyze(pairs, [[span] for span in spans]), "#0", viewport={"width": 400, "height": 700})
    page.wait_for_selector(".row")
    assert len(page.query_selector_all(".m")) < 5_000
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert int(page.evaluate("document.activeElement.dataset.m")) > 29_000
