"""Whatever a turn contains is shown as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.page.looking import answer, ask, choose_space
from tests.page.memories import HEBREW, HOSTILE, HOSTILE_NAME, HOSTILE_SESSION

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def hostile(page: Page) -> Page:
    """The page, where hostile things were said; it opens when a test goes somewhere."""
    return page


def in_hostile_space(page: Page, view: str) -> None:
    page.goto("/")
    choose_space(page, "hostile")
    page.wait_for_selector(".start")
    page.evaluate("view => { location.hash = view }", view)


def unharmed(page: Page) -> bool:
    page.wait_for_timeout(100)
    return bool(
        page.evaluate("window.hacked === undefined && !document.querySelector('main img, main script, main b')")
    )


def test_markup_in_turns_names_and_sessions_is_text(hostile: Page) -> None:
    in_hostile_space(hostile, "/conversations")
    hostile.wait_for_selector(".turn")
    shown = hostile.inner_text("main")
    for words in (HOSTILE, HOSTILE_NAME, HOSTILE_SESSION):
        assert words in shown
    hostile.hover(".turn >> nth=0")
    assert unharmed(hostile)


def test_markup_in_a_proof_and_in_the_evidence_is_text(hostile: Page) -> None:
    in_hostile_space(hostile, "/ask")
    ask(hostile, '<img src=x onerror="window.hacked = 5"> Where does Zora live?')
    assert unharmed(hostile)
    ask(hostile, "Where does Zora live?")
    if answer(hostile) != "I don't know":
        hostile.locator(".is-quote > .row").first.click()
        hostile.wait_for_selector(".evidence .turn.picked")
    assert unharmed(hostile)


def test_markup_is_text_in_every_other_view(hostile: Page) -> None:
    for view, there in (
        ("/search?q=Zora", ".hit"),
        ("/history?about=Zora", ".history-list, .empty"),
        ("/graph", ".graph-words, .empty"),
    ):
        in_hostile_space(hostile, view)
        hostile.wait_for_selector(there)
        assert unharmed(hostile)


def test_characters_that_change_the_direction_are_shown_by_name_and_isolated(hostile: Page) -> None:
    in_hostile_space(hostile, "/conversations")
    hostile.wait_for_selector(".turn")
    reversed_turn = hostile.locator(".turn", has_text="txt.exe")
    assert reversed_turn.locator(".unseen").all_inner_texts() == ["RLO", "PDF"]
    assert "\u202e" not in hostile.inner_text("main")
    hebrew = hostile.locator(".turn-text", has_text=HEBREW.strip("\u200f"))
    assert hebrew.locator("bdi").evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert hebrew.evaluate("e => getComputedStyle(e).direction") == "ltr"


def test_quotes_are_found_behind_characters_of_two_units(hostile: Page) -> None:
    in_hostile_space(hostile, "/ask")
    ask(hostile, "What did Ivo adopt?")
    assert answer(hostile) == "hedgehog"
    hostile.locator(".is-quote > .row").first.click()
    hostile.wait_for_selector(".evidence mark.quoted")
    quoted = hostile.inner_text(".evidence mark.quoted")
    assert quoted.startswith("I adopted a hedgehog"), quoted
