"""The page of an analysis as a browser shows it: keys, addresses, focus, filters; no console line, no request."""

import json
import shutil

import numpy as np
import pytest
from test_page import HOSTILE, random_sides

import arraycoref as ac
from arraycoref.analysis.page import Page
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

    def open_(analysis, address="", findings=(), **settings):
        path = tmp_path / "report.html"
        Page(analysis, findings=findings).write(path)
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


TEXTS = "nodes => nodes.map(node => node.textContent)"
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


def test_records_have_the_columns_of_their_table(opened, tmp_path):
    (tmp_path / "key.csv").write_text("unique_id,cluster_id,name,born\na,1,Ann Lee,1990\nb,1,A. Lee,\nc,2,<b>Bo,1980\n")
    (tmp_path / "response.csv").write_text("unique_id,cluster_id\na,7\nb,8\nc,8\n")
    page = opened(ac.analyze_files(tmp_path / "key.csv", tmp_path / "response.csv"), "#key")
    assert page.eval_on_selector_all(".entity:first-child .fields > b", TEXTS) == ["id", "name", "born"]
    assert page.eval_on_selector_all(".fields div > span", TEXTS) == [
        *("a", "Ann Lee", "1990", "b", "A. Lee", ""),
        *("c", "<b>Bo", "1980"),
    ]
    assert page.eval_on_selector_all(".fields mark", TEXTS) == ["A. Lee", ""]
    assert page.text_content(".entity h3") == "k1 a · Ann Lee · 1990"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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


def lines(page, selector):
    return [each.text_content() for each in page.query_selector_all(selector)]


def test_the_address_holds_filters_view_and_sort_and_back_goes_through_entities(opened):
    page = opened(ac.analyze(*random_sides(4)), "#d3")
    page.wait_for_selector(".row")
    page.select_option("#sort", label="MUC · s1")
    page.click("#reverse")
    page.select_option("[aria-label='Errors of']", "2")
    page.keyboard.press("Escape")
    page.check("[type=checkbox]")
    page.click("#types button:has-text('conflated')")
    shown = [lines(page, selector) for selector in (".row", ".error", "#rows span")]
    page.reload()
    page.wait_for_selector("body:not(.loading) .row")
    assert [lines(page, selector) for selector in (".row", ".error", "#rows span")] == shown
    assert page.is_checked("[type=checkbox]")
    assert page.get_attribute("#types button:has-text('conflated')", "aria-pressed") == "true"
    for entity in ("k1", "k2"):
        page.evaluate("part => { location.hash = `d3/${part}`; }", entity)
        page.wait_for_selector(f"#card h3 .link:text-is('{entity}')")
    page.click("#card p .link")
    page.wait_for_selector("#card h3 .link:not(:text-is('k2'))")
    for entity in ("k2", "k1"):
        page.go_back()
        page.wait_for_selector(f"#card h3 .link:text-is('{entity}')")


def test_unknown_addresses_and_documents_without_a_name(opened):
    page = opened(ac.analyze({"": [["a", "b"]], "x/k1": [["c", "d"]]}, {"": [["a"]], "x/k1": [["c"]]}), "#nothing")
    assert "nothing" in page.text_content("[role=status]:not(#live)")
    assert page.get_attribute("#list", "aria-activedescendant") is None
    page.evaluate("location.hash = ''")
    page.wait_for_selector(".cards")
    for name in ("(no name)", "x/k1"):
        page.click(f".doc:has-text('{name}')")
        page.wait_for_selector(f"h2:text-is('{name}')")
        page.reload()
        page.wait_for_selector(f"h2:text-is('{name}')")


def test_search_leads_to_entities_and_words(opened, tmp_path):
    sentences = [["Yesterday", "Mr.", "Darcy", "came", "."], ["He", "saw", "Darcy", "and", "Mr.", "Darcy", "."]]
    for name, clusters in {"key": [[[1, 2], [5, 5], [9, 10]], [[7, 7]]], "response": [[[1, 2], [9, 10]]]}.items():
        record = {"doc_key": "novel", "sentences": sentences, "clusters": clusters}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record))
    page = opened(ac.analyze_files(tmp_path / "key.jsonl", tmp_path / "response.jsonl"))
    page.keyboard.press("/")
    page.keyboard.type("darcy")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    assert lines(page, ".hit a")[:3] == ["Mr. Darcy", "Darcy", "Mr. Darcy"]  # of the key first, the larger first
    assert lines(page, ".page h3") == ["3 entities", "3 places"]
    page.click(".hit >> nth=0 >> a")
    page.wait_for_selector("#card h3:has-text('k1Mr. Darcy')")
    page.go_back()
    page.wait_for_selector(".hit")
    page.click(".hit >> nth=4 >> a")
    page.wait_for_selector("mark")
    assert page.text_content("mark") == "Darcy"
    assert page.evaluate("location.hash") == "#novel/w7"


def test_findings_come_first_and_lead_to_what_they_speak_of(opened):
    findings = [
        ("Linking fails.", "arraycoref errors", "errors"),
        ("It fails in d3.", "", "group=d3"),
        ("Fine.", "", ""),
    ]
    page = opened(ac.analyze(*random_sides(5)), findings=findings)
    assert lines(page, ".findings li") == ["Linking fails.arraycoref errors", "It fails in d3.", "Fine."]
    page.click(".findings a >> nth=0")
    page.wait_for_function("() => document.querySelector('main').scrollTop > 100")
    assert 0 <= page.locator("h3:text-is('Errors')").bounding_box()["y"] < 300
    page.click(".findings a >> nth=1")
    page.wait_for_selector("#shown:has-text('1 of 5')")
    assert lines(page, "#rows span") == ["d3"]


def test_sentences_that_were_skipped_open(opened, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        json.dumps({"doc_key": "d", "sentences": [["She"], ["is"], ["her"]], "clusters": [[[0, 0], [2, 2]]]})
    )
    other = tmp_path / "b.jsonl"
    other.write_text(json.dumps({"doc_key": "d", "sentences": [["She"], ["is"], ["her"]], "clusters": [[[2, 2]]]}))
    page = opened(ac.analyze_files(path, other), "#d?e=1")
    page.wait_for_selector(".row")
    assert lines(page, ".skipped") == ["2 sentences without errors"]
    page.click(".skipped")
    assert len(page.query_selector_all(".row")) == 3
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.row .s'))")
    assert page.evaluate("getSelection().toString()") == "She"


def test_the_document_that_was_asked_for_last_is_shown(opened):
    large = [[(n, n), (n + 1, n + 1)] for n in range(0, 120_000, 2)]
    key = {"large": large, "small": [[(0, 0), (1, 1)]]}
    page = opened(ac.analyze(key, key))
    page.evaluate("location.hash = 'large'; setTimeout(() => { location.hash = 'small'; })")
    page.wait_for_selector("h2:text-is('small')")
    page.wait_for_timeout(1500)
    assert page.text_content("h2") == "small"


@pytest.mark.parametrize("address", ["", "#d1", "#d1/k1", "#d1?v=0"])
def test_a_telephone_scrolls_in_one_direction(opened, address):
    page = opened(ac.analyze(*random_sides(6)), address, viewport={"width": 390, "height": 844})
    page.wait_for_selector(".row, table, .entity")
    sizes = (
        "[document.documentElement, document.querySelector('main')].map(node => node.scrollWidth - node.clientWidth)"
    )
    assert page.evaluate(sizes) == [0, 0]


def test_a_dark_window_prints_in_light_colors(opened):
    page = opened(ac.analyze(*random_sides(6)), "#d1", color_scheme="dark")
    page.wait_for_selector(".row")
    color = "getComputedStyle(document.querySelector('.m')).color"
    dark = page.evaluate(color)
    page.emulate_media(media="print")
    assert page.evaluate(color) != dark
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
