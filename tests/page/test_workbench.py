"""What a person adds, changes, undoes and finds on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.page.conftest import served
from tests.page.looking import answer, ask, choose_space
from tests.page.test_layout import AXE, serious

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHAT = "Maya: I adopted a beagle.\nLeo: What is his name?\nMaya: His name is Comet.\n"
LONG = 300_000
"""Milliseconds for what takes a server its time, on a machine that has other work."""


def turns(page: Page, address: str, space: str) -> list[dict[str, Any]]:
    return page.request.get(f"{address}/v1/turns?space={quote(space)}").json()["items"]


def told(page: Page, address: str, space: str, *texts: str) -> list[str]:
    """Have something remembered; the ids of its turns."""
    body = {"messages": [{"name": "Ines", "content": text} for text in texts], "session": "diary", "at": "2024-06-01"}
    added = page.request.post(f"{address}/v1/messages?space={quote(space)}", data=body)
    assert added.status == 201, added.text()
    return added.json()["turns"]


def opened(page: Page, space: str) -> None:
    """Open the conversation that was told, in its space."""
    page.goto("/#/conversations?session=diary")
    choose_space(page, space)
    page.wait_for_selector(".turn")


def forget_first_turn(page: Page) -> None:
    page.locator(".turn").first.hover()
    page.locator(".turn [aria-label^='Forget']").first.click()
    page.click("dialog .danger")
    page.wait_for_selector(".undo")


# -- adding ------------------------------------------------------------------------------------------------------------


def test_a_space_is_made_and_a_message_added_by_keyboard_alone(page: Page, address: str) -> None:
    page.goto("/")
    page.wait_for_selector(".start")
    page.focus(".menu summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog")
    page.keyboard.type("garden")
    page.keyboard.press("Enter")
    page.wait_for_selector(".view.add")
    assert page.input_value("#space") == "garden"
    page.keyboard.press("/")
    page.keyboard.type("Rosa")
    page.keyboard.press("Tab")
    page.keyboard.type("I planted a quince in March 2024.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".outcome-line >> text=It is remembered")
    (turn,) = turns(page, address, "garden")
    assert (turn["speaker"], turn["session"]) == ("Rosa", "default")
    ask(page, "What did Rosa plant?")
    assert answer(page) == "quince"


def test_a_message_keeps_its_speaker_time_and_conversation(page: Page, address: str) -> None:
    page.goto("/#/add?session=holiday")
    page.wait_for_selector(".view.add")
    page.select_option("#space", "default")
    page.fill("[placeholder='Who says it']", "Petra")
    page.fill(".card textarea >> nth=0", "I swam in the lake.")
    page.fill("input[type=datetime-local]", "2024-07-02T10:30")
    page.click("button:text-is('Add')")
    page.wait_for_selector(".outcome-line")
    added = next(t for t in turns(page, address, "default") if t["session"] == "holiday")
    assert (added["speaker"], added["text"], added["at"][:16]) == ("Petra", "I swam in the lake.", "2024-07-02T10:30")
    page.click(".outcome-line >> text=Open it")
    page.wait_for_selector(".turn.picked >> text=I swam in the lake.")
    page.request.post(f"{address}/v1/forget", data={"session": "holiday"})


def in_new_space(page: Page, name: str) -> None:
    page.goto("/#/add")
    page.wait_for_selector(".view.add")
    page.click(".menu summary")
    page.click("text=New space…")
    page.fill("dialog input", name)
    page.click("dialog >> button:text-is('Create')")
    page.wait_for_selector("dialog", state="detached")


def test_what_is_pasted_is_shown_before_it_is_stored(page: Page, address: str) -> None:
    in_new_space(page, "pasted")
    page.fill("textarea.code", CHAT)
    page.click("text=Preview")
    page.wait_for_selector(".preview >> text=3 messages in 1 conversation")
    assert "I adopted a beagle." in page.inner_text(".preview-list")
    assert turns(page, address, "pasted") == []
    page.click(".preview >> text=Cancel")
    page.click("text=Preview")
    page.click(".preview >> text=Remember it")
    page.wait_for_selector(".outcome-line >> text=3 messages remembered", timeout=LONG)
    assert [t["text"] for t in turns(page, address, "pasted")] == [
        line.partition(": ")[2] for line in CHAT.strip().splitlines()
    ]


def test_a_file_is_read_named_and_remembered(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "evening.json"
    messages = [{"role": "user", "name": "Maya", "content": f"I have tea number {n}."} for n in range(5)]
    file.write_text(json.dumps(messages), encoding="utf-8")
    in_new_space(page, "uploaded")
    page.set_input_files("[aria-label='File of a conversation']", file)
    page.wait_for_selector(".preview >> text=5 messages in 1 conversation")
    page.click("text=Name, day, order of dates")
    page.fill(".card .fields input[type=date]", "2024-05-02")
    assert page.locator(".preview").count() == 0, "what was looked at is not what would be stored now"
    page.click("text=Preview")
    page.click(".preview >> text=Remember it")
    page.wait_for_selector(".outcome-line >> text=5 messages remembered", timeout=LONG)
    held = turns(page, address, "uploaded")
    assert {(t["session"], t["at"][:10]) for t in held} == {("evening", "2024-05-02")}


def test_what_cannot_be_read_says_why_and_stores_nothing(page: Page, address: str) -> None:
    in_new_space(page, "unread")
    page.fill("textarea.code", '[{"role": 4}]')
    page.click("text=Preview")
    page.wait_for_selector(".card .failure-remedy")
    assert page.locator(".preview").count() == 0
    assert turns(page, address, "unread") == []


def test_an_empty_space_offers_the_demo_with_one_click(page: Page) -> None:
    in_new_space(page, "trial")
    page.goto("/#/ask")
    page.click("text=Try the demo")
    page.wait_for_selector(".start", timeout=LONG)
    ask(page, "What is Bram allergic to?")
    assert "shellfish" in answer(page)


# -- changing ----------------------------------------------------------------------------------------------------------


def test_what_is_undone_was_never_done(page: Page, address: str) -> None:
    told(page, address, "undone", "I live in Bergen.", "I have a kayak.")
    opened(page, "undone")
    forget_first_turn(page)
    page.wait_for_selector(".turn.going")
    page.keyboard.press("u")
    page.wait_for_selector(".undo", state="detached")
    assert page.locator(".turn.going").count() == 0
    page.reload()
    page.wait_for_selector(".turn")
    assert len(turns(page, address, "undone")) == 2


def test_what_is_not_undone_is_done_when_its_time_has_passed(page: Page, address: str) -> None:
    told(page, address, "passed", "I live in Bergen.", "I have a kayak.")
    page.clock.install()
    opened(page, "passed")
    forget_first_turn(page)
    page.clock.run_for(9_000)
    assert len(turns(page, address, "passed")) == 2
    page.clock.run_for(2_000)
    page.wait_for_selector(".undo", state="detached")
    assert [t["text"] for t in turns(page, address, "passed")] == ["I have a kayak."]


@pytest.mark.parametrize("way", ["away", "closed", "space"])
def test_what_was_decided_is_done_when_the_page_is_left(page: Page, address: str, way: str) -> None:
    space = f"left {way}"
    told(page, address, space, "I live in Bergen.", "I have a kayak.")
    opened(page, space)
    forget_first_turn(page)
    request = page.context.request
    if way == "away":
        page.goto("about:blank")
    elif way == "closed":
        page.close()
    else:
        page.select_option("#space", "default")
    for _ in range(200):
        held = request.get(f"{address}/v1/turns?space={quote(space)}").json()["items"]
        if len(held) == 1:
            break
    assert [t["text"] for t in held] == ["I have a kayak."]


def test_a_second_change_sends_the_first(page: Page, address: str) -> None:
    told(page, address, "twice", "I live in Bergen.", "I have a kayak.", "I like tea.")
    opened(page, "twice")
    forget_first_turn(page)
    page.locator(".turn >> nth=1").hover()
    page.locator(".turn [aria-label^='Forget'] >> nth=1").click()
    page.wait_for_selector("dialog .goes")
    page.click("dialog .danger")
    page.click(".undo >> text=Do it now")
    page.wait_for_selector(".undo", state="detached")
    assert [t["text"] for t in turns(page, address, "twice")] == ["I like tea."]


def test_a_turn_is_edited_and_answers_follow_its_new_words(page: Page, address: str) -> None:
    (turn,) = told(page, address, "edited", "I live in Bergen.")
    opened(page, "edited")
    page.locator(".turn").hover()
    page.locator(".turn [aria-label^='Edit']").click()
    page.fill("dialog textarea", "I live in Narvik.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".turn >> text=not saved yet")
    assert "Narvik" in page.inner_text(".turn")
    assert turns(page, address, "edited")[0]["text"] == "I live in Bergen."
    page.click(".undo >> text=Do it now")
    page.wait_for_selector(".undo", state="detached")
    assert turns(page, address, "edited")[0]["text"] == "I live in Narvik."
    before = page.request.get(f"{address}/v1/turns/{turn}/history?space=edited").json()["items"]
    assert [v["text"] for v in before] == ["I live in Bergen.", "I live in Narvik."]
    ask(page, "Where does Ines live?")
    assert answer(page) == "Narvik"


# -- finding -----------------------------------------------------------------------------------------------------------


def test_a_profile_says_what_holds_and_where_it_was_said(page: Page) -> None:
    page.goto("/#/profile?who=Petra")
    page.wait_for_selector(".known")
    known = page.inner_text(".view.profile")
    assert "Leiden" in known
    assert "Utrecht" not in known
    page.locator(".known", has_text="Leiden").locator(".link").click()
    page.wait_for_selector(".evidence .turn.picked >> text=I moved to Leiden")
    page.keyboard.press("Escape")
    page.click(".now-or-then >> text=Over time")
    page.wait_for_selector(".entry.superseded >> text=Utrecht")


def test_what_is_drawn_is_in_the_words_of_sentences(page: Page) -> None:
    page.goto("/#/graph?around=Petra")
    page.wait_for_selector(".graph-edge")
    for edge in page.locator(".graph-edge").all():
        words = edge.locator(".edge-text").inner_text()
        sentence, stop, other = words.partition(".")
        assert stop
        assert "Petra" in sentence
        # The other end is a link: in the sentence, or after it where the sentence calls it by another name.
        assert edge.locator(".edge-text .link").inner_text() in (other.strip() or sentence)


def test_a_question_takes_what_it_leaves_out_from_the_one_before(page: Page) -> None:
    page.goto("/")
    ask(page, "Where does Petra live?")
    page.wait_for_selector(".follows >> text=Where does Petra live?")
    page.fill("#question", "And what did her brother buy?")
    page.press("#question", "Enter")
    page.wait_for_selector(".completed")
    understood = page.inner_text(".headline .asked")
    assert "Petra" in understood
    assert answer(page) == "canoe"
    assert quote("Petra") in page.url
    page.click("text=Start over")
    assert page.locator(".follows").count() == 0


def test_a_search_marks_what_matches_and_shows_weak_turns_on_demand(page: Page) -> None:
    page.goto("/#/search?q=adopting rabbits")
    page.wait_for_selector(".hit")
    assert {"adopted", "rabbit"} <= set(page.locator(".hit mark.quoted").all_inner_texts())
    shown = page.locator(".hit").count()
    page.click("text=/Show .* more turns?/")
    assert page.locator(".hit").count() > shown


# -- keys --------------------------------------------------------------------------------------------------------------


def test_keys_are_made_and_revoked(page: Page, tmp_path: Path) -> None:
    with served(tmp_path / "keyed.goalmem") as address:
        other = page.context.browser.new_context(base_url=address).new_page()  # type: ignore[union-attr]
        other.goto("/")
        other.wait_for_selector(".empty")
        other.click(".menu summary")
        other.click("text=Access keys…")
        other.fill("dialog input[type=text]", "owner")
        other.click("dialog >> button:text-is('Create')")
        first = other.inner_text("dialog .made pre").strip()
        assert other.request.get("/v1/spaces").status == 401
        other.wait_for_selector("dialog select")
        other.fill("dialog input[type=text]", "reader")
        other.select_option("dialog select", "read")
        other.click("dialog >> button:text-is('Create')")
        other.wait_for_function(
            "shown => document.querySelector('dialog .made pre').innerText.trim() !== shown", arg=first
        )
        second = other.inner_text("dialog .made pre").strip()
        held = {"Authorization": f"Bearer {second}"}
        assert other.request.get("/v1/stats?space=default", headers=held).status == 200
        assert other.request.post("/v1/messages", data={"messages": "Hi."}, headers=held).status == 403
        other.locator(".key-list li", has_text="reader").get_by_text("Revoke…").click()
        other.click("text=Yes, revoke it")
        other.locator(".key-list li", has_text="reader").wait_for(state="detached")
        assert other.request.get("/v1/stats?space=default", headers=held).status == 401
        other.context.close()


def test_a_key_that_may_only_read_is_told_so(page: Page, tmp_path: Path) -> None:
    from goalmem.serve.auth import KeyRing, Scope
    from goalmem.serve.ledger import open_ledger

    store = tmp_path / "read.goalmem"
    ledger = open_ledger(str(store), "")
    _, text = KeyRing(ledger).add("reader", Scope.READ, ["*"])
    ledger.close()
    with served(store) as address:
        other = page.context.browser.new_context(base_url=address).new_page()  # type: ignore[union-attr]
        other.add_init_script(f"sessionStorage.setItem('goalmem.key', {json.dumps(text)})")
        other.goto("/")
        other.click("text=Try the demo")
        other.wait_for_selector(".failure >> text=scope")
        other.click(".menu summary")
        other.click("text=Access keys…")
        other.wait_for_selector("dialog .failure >> text=scope")
        other.context.close()


# -- for everybody -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_while_something_is_changed(page: Page, address: str, scheme: Any) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm ci in serve/web)")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    told(page, address, f"seen {scheme}", "I live in Bergen.", "I have a kayak.")
    opened(page, f"seen {scheme}")
    page.locator(".turn").first.hover()
    page.locator(".turn [aria-label^='Edit']").first.click()
    page.wait_for_selector("dialog textarea")
    assert not serious(page)
    page.keyboard.press("Escape")
    forget_first_turn(page)
    assert not serious(page)
    page.click(".undo >> text=Undo")
    page.goto("/#/add")
    page.fill("textarea.code", CHAT)
    page.click("text=Preview")
    page.wait_for_selector(".preview")
    assert not serious(page)
