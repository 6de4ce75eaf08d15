"""What a person does on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.looking import answer, ask, choose_space, focused
from tests.page.memories import RULE

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

COUNT = "How many pets does Petra have?"


def test_an_answer_comes_with_its_proof_as_a_tree(page: Page) -> None:
    page.goto("/")
    ask(page, COUNT)
    assert answer(page) == "2"
    tree = page.inner_text("[role=tree]")
    for words in ("Petra has", "cat", "tortoise", "I adopted a tortoise", "RULE", "FACT"):
        assert words in tree, tree
    assert page.locator("[role=treeitem][aria-level='1']").count() == 1
    assert "proved" in page.inner_text(".headline")


def test_another_address_is_another_beginning(page: Page) -> None:
    page.goto("/#/ask")
    ask(page, COUNT)
    page.click(".tabs >> text=Ask")
    page.wait_for_selector(".start >> text=Asked before")
    assert page.input_value("#question") == ""
    page.goto("/#/ask?q=Where does Petra live?")
    page.wait_for_selector(".answer-text >> text=Leiden")


def test_the_proof_grows_while_it_is_searched_for(page: Page) -> None:
    page.goto("/")
    page.wait_for_selector(".start")
    page.evaluate(
        """() => {
          window.grown = new Set();
          new MutationObserver(() => {
            for (const name of ["growing", "open-atom", "tree"])
              if (document.querySelector("." + name)) window.grown.add(name);
          }).observe(document.body, {childList: true, subtree: true});
        }"""
    )
    ask(page, "What did Petra's brother buy?")
    assert page.evaluate("[...window.grown]") == ["growing", "open-atom", "tree"]
    page.click("text=How it was found")
    log = page.inner_text(".log")
    for kind in ("goal", "subgoals", "retrieval", "binding"):
        assert kind in log.lower(), log


def test_how_it_was_found_can_be_watched_again(page: Page) -> None:
    page.goto("/")
    ask(page, COUNT)
    page.click("text=How it was found")
    page.click("text=Watch it grow again, slowly")
    page.wait_for_selector(".told .growing .open-atom.bound")


def test_a_leaf_opens_the_turn_that_it_quotes_with_the_words_highlighted(page: Page) -> None:
    page.goto("/")
    ask(page, COUNT)
    page.locator(".is-quote > .row", has_text="I adopted a tortoise").click()
    page.wait_for_selector(".evidence .turn.picked")
    assert page.inner_text(".evidence mark.quoted") == "I adopted a tortoise"
    assert "Did you ever visit Malta?" in page.inner_text(".evidence .turn.picked")
    assert page.locator(".evidence .turn").count() == 5
    page.click("[aria-label='Close the conversation']")
    assert page.locator(".evidence").count() == 0


def test_a_stated_rule_is_shown_where_rules_stand(page: Page) -> None:
    page.goto("/")
    ask(page, "Does Petra live near the coast?")
    assert answer(page) == "Yes"
    page.locator(".is-quote > .row", has_text=RULE).click()
    page.wait_for_selector(".rule-item.picked")
    assert RULE in page.inner_text(".rule-item.picked")


def test_checking_a_proof_shows_every_check(page: Page) -> None:
    page.goto("/")
    ask(page, COUNT)
    page.click("button:text-is('Check this proof')")
    page.wait_for_selector(".outcome.good")
    assert "none fails" in page.inner_text(".outcome")
    assert page.locator(".verdict.good").count() == page.locator("[role=treeitem]").count()
    page.click("text=Every check")
    assert page.locator(".checks .check.good").count() > 20


def test_a_tampered_proof_is_red_where_it_was_tampered_with(page: Page) -> None:
    page.goto("/")
    ask(page, "Where does Petra live?")
    with page.expect_download() as downloaded:
        page.click("button:text-is('Save')")
    honest = Path(downloaded.value.path()).read_text(encoding="utf-8")
    assert json.loads(honest)["answer"] == "Leiden"
    page.goto("/#/check")
    page.fill("#proof-text", honest)
    page.wait_for_selector(".outcome.good")
    page.fill("#proof-text", honest.replace("Leiden", "Delft"))
    page.wait_for_selector(".outcome.bad")
    assert "does not hold" in page.inner_text(".outcome")
    assert page.locator(".row.failed").count() > 0
    assert page.locator(".checks .check.bad").count() > 0


def test_each_status_is_shown_by_its_name_and_a_colour_of_its_own(page: Page) -> None:
    page.goto("/")
    ask(page, "Where does Petra live?")
    with page.expect_download() as downloaded:
        page.click("button:text-is('Save')")
    honest = json.loads(Path(downloaded.value.path()).read_text(encoding="utf-8"))
    page.goto("/#/check")
    colours = {}
    for status in ("proved", "likely", "disproved", "unknown"):
        page.fill("#proof-text", json.dumps(honest | {"status": status}))
        page.wait_for_selector(f".headline .status.{status}")
        colours[page.inner_text(".headline .status")] = page.evaluate(
            "getComputedStyle(document.querySelector('.headline .status')).color"
        )
    assert list(colours) == ["proved", "likely", "disproved", "not known"]
    assert len(set(colours.values())) == 4


def test_a_proof_file_can_be_opened_and_what_is_no_proof_is_refused(page: Page, tmp_path: Path) -> None:
    page.goto("/#/check")
    nothing = tmp_path / "no.json"
    nothing.write_text('{"a": 1}')
    page.set_input_files("input[type=file]", nothing)
    assert "no proof" in page.inner_text(".failure")
    # What only looks like a proof is shown as far as possible, and the server says what is wrong with it.
    odd = {"version": 1, "question": "?", "goal": {"atoms": ["x"]}, "status": "proved", "surprise": True}
    page.fill("#proof-text", json.dumps(odd))

    page.wait_for_selector(".failure-remedy")
    assert "proof" in page.inner_text(".failure-detail").lower()


def test_what_is_not_known_says_what_is_missing_and_what_came_nearest(page: Page) -> None:
    page.goto("/")
    ask(page, "Does Petra live in Utrecht?")
    assert answer(page) == "I don't know"
    assert "not known" in page.inner_text(".headline")
    assert page.locator(".is-missing").count() >= 1
    page.locator(".is-quote > .row").first.click()
    page.wait_for_selector(".evidence mark.quoted")


def test_forgetting_shows_what_goes_and_then_the_proof_does_not_hold(page: Page) -> None:
    page.goto("/")
    choose_space(page, "leaving")
    ask(page, "Where does Nils live?")
    assert answer(page) == "Bergen"
    page.locator(".is-quote > .row").first.click()
    page.wait_for_selector(".turn.picked")
    page.click(".turn.picked [aria-label^='Forget']")
    page.wait_for_selector("dialog .goes")
    assert "1 turn" in page.inner_text("dialog .goes")
    assert "Nils lives in Bergen" in page.inner_text("dialog .goes")
    page.click("dialog .danger")
    page.click(".undo >> text=Do it now")
    page.wait_for_selector(".undo", state="detached")
    page.click("button:text-is('Check this proof')")
    page.wait_for_selector(".outcome.bad")
    page.goto("/#/conversations?session=once")
    page.wait_for_selector(".turn")
    assert "Bergen" not in page.inner_text(".session-open")
    assert "kayak" in page.inner_text(".session-open")


def test_forgetting_stops_where_something_else_changed_in_between(page: Page, address: str) -> None:
    page.goto("/#/conversations?session=once")
    choose_space(page, "leaving")
    page.wait_for_selector(".turn")
    page.click("text=Forget it…")
    page.wait_for_selector("dialog .goes")
    added = page.request.post(
        f"{address}/v1/messages?space=leaving",
        data={"messages": [{"role": "user", "name": "Nils", "content": "I met Ada."}], "session": "twice"},
    )
    assert added.status == 201
    page.click("dialog .danger")
    page.click(".undo >> text=Do it now")
    page.wait_for_selector(".undo .failure-remedy")
    assert "Nothing was forgotten" in page.inner_text(".undo")
    page.click(".undo >> text=Close")
    assert page.locator(".undo").count() == 0
    assert page.locator(".turn").count() > 0


def test_the_whole_way_by_keyboard(page: Page) -> None:
    page.goto("/")
    page.wait_for_selector(".start")
    page.keyboard.press("/")
    assert focused(page).startswith("question")
    page.keyboard.type(COUNT)
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=tree]")
    page.keyboard.press("ArrowDown")
    assert "Petra has" in focused(page)
    page.keyboard.press("End")
    leaf = page.evaluate("document.activeElement.dataset.id")
    page.keyboard.press("ArrowLeft")
    assert leaf.startswith(page.evaluate("document.activeElement.dataset.id"))
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.ariaExpanded") == "false"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.id") == leaf
    page.keyboard.press("Enter")
    page.wait_for_selector(".turn.picked")
    page.wait_for_function("() => document.activeElement.classList.contains('virtual-row')")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    page.wait_for_function("id => document.activeElement.dataset.id === id", arg=leaf)
    page.keyboard.press("v")
    page.wait_for_selector(".outcome.good")
    page.keyboard.press("?")
    page.wait_for_selector("dialog >> text=Check the proof")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('dialog')")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_selector(".rule-list")


def test_the_theme_follows_the_system_until_one_is_chosen_and_stays_chosen(page: Page) -> None:
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    page.emulate_media(color_scheme="light")
    page.goto("/")
    page.wait_for_selector(".start")
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(paper)
    assert dark != light
    page.emulate_media(color_scheme="light")
    page.click("[data-shortcut=theme]")
    assert page.evaluate(paper) == dark
    page.reload()
    assert page.evaluate(paper) == dark


def test_rules_are_added_and_removed(page: Page) -> None:
    page.goto("/#/rules")
    page.wait_for_selector(".rule-list")
    page.fill("#rule-text", "Nobody can understand this blorp the of.")
    page.click(".add-rules button[type=submit]")
    page.wait_for_selector(".add-rules .failure-remedy")
    page.fill("#rule-text", "Everyone who adopted a rabbit needs carrots.")
    page.click(".add-rules button[type=submit]")
    item = page.locator(".rule-item", has_text="needs carrots")
    item.wait_for()
    item.get_by_text("Remove…").click()
    item.get_by_text("Yes, remove it").click()
    item.wait_for(state="detached")


def test_history_shows_what_replaced_what(page: Page) -> None:
    page.goto("/#/history?about=Petra")
    page.wait_for_selector(".entry.superseded")
    assert "Utrecht" in page.inner_text(".entry.superseded s")
    assert "Leiden" in page.inner_text(".entry.superseded .replaced")
    assert "holds now" in page.inner_text(".entry.holds")
    page.locator(".entry.holds .link").click()
    page.wait_for_selector(".evidence mark.quoted")


def test_the_graph_is_explored_from_name_to_name_by_mouse_and_by_keys(page: Page) -> None:
    page.goto("/#/graph?around=Petra")
    page.wait_for_selector(".graph-dot.chosen")
    assert page.inner_text(".graph-words h2") == "Petra"
    page.focus(".graph-dot.chosen")
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    page.locator(".graph-edge .link", has_text="Joris").or_(
        page.locator(".graph-edge .link", has_text="brother")
    ).first.click()
    page.wait_for_function("() => document.querySelector('.graph-words h2').textContent !== 'Petra'")
    page.locator(".graph-edge .link", has_text="Open").first.click()
    page.wait_for_selector(".evidence .turn.picked")


def test_an_edge_of_an_imported_graph_is_shown_in_it(page: Page) -> None:
    page.goto("/")
    choose_space(page, "films")
    ask(page, "Where was the director of Kismet born?")
    assert answer(page) == "Ludwigshafen"
    page.click("text=How it was found")
    page.click("text=Watch it grow again, slowly")
    page.wait_for_selector(".told .growing .open-atom .open-atom.bound >> text=Ludwigshafen")
    page.locator(".is-quote > .row").last.click()
    page.wait_for_selector(".graph-edge.picked")
    assert "Ludwigshafen" in page.inner_text(".graph-edge.picked")
    assert page.inner_text(".graph-words h2") == "William Dieterle"


def test_search_finds_turns_and_opens_them(page: Page) -> None:
    page.goto("/#/search?q=Malta")
    page.wait_for_selector(".hit")
    assert "Malta" in page.inner_text(".hit >> nth=0")
    page.click(".hit-open >> nth=0")
    page.wait_for_selector(".evidence .turn.picked")


def test_a_refused_call_says_why_and_takes_a_key_that_stays_in_the_tab(page: Page) -> None:
    sent: list[str] = []

    def answered(route: Route) -> None:
        held = route.request.headers.get("authorization", "")
        sent.append(held)
        if held:  # this server has no keys, so it would refuse any
            return route.fallback(headers={k: v for k, v in route.request.headers.items() if k != "authorization"})
        problem = {
            "type": "about:blank",
            "title": "Unauthorized",
            "status": 401,
            "detail": "No key was sent.",
            "remedy": "Send one.",
        }
        return route.fulfill(status=401, content_type="application/problem+json", body=json.dumps(problem))

    page.route("**/v1/**", answered)
    page.goto("/")
    page.wait_for_selector(".failure")
    assert "No key was sent." in page.inner_text(".failure")
    assert "Send one." in page.inner_text(".failure")
    page.click("text=Enter a key")
    page.fill("dialog input", "gm_1_secret")
    page.click("dialog >> text=Use it")
    page.wait_for_selector(".start")
    assert sent[-1] == "Bearer gm_1_secret"
    assert page.evaluate("document.cookie") == ""
    assert "secret" not in page.evaluate("JSON.stringify({...localStorage})")
    assert "secret" not in page.url


def test_a_server_that_is_gone_is_an_error_that_says_so(page: Page) -> None:
    page.goto("/")
    page.wait_for_selector(".start")
    page.route("**/v1/ask*", lambda route: route.abort())
    page.fill("#question", COUNT)
    page.press("#question", "Enter")
    page.wait_for_selector(".failure")
    assert "does not answer" in page.inner_text(".failure")
    page.unroute("**/v1/ask*")
    page.click("button:text-is('Try again')")
    page.wait_for_selector("[role=tree]")


def test_where_nothing_is_remembered_the_page_says_what_to_do(page: Page) -> None:
    page.goto("/?#/ask?space=nobody")
    page.wait_for_selector(".empty")
    assert "goalmem add" in page.inner_text(".empty")
