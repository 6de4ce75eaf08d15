"""What several tests do on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def ask(page: Page, question: str) -> None:
    """Ask, and wait for the proof."""
    if page.locator("#question").count() == 0:
        page.goto("/#/ask")
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.wait_for_function("q => document.querySelector('.headline .asked')?.textContent === q", arg=question)
    page.wait_for_selector("[role=tree]")


def choose_space(page: Page, space: str) -> None:
    """Choose a space, and wait for what is there."""
    page.wait_for_function(
        "name => [...document.querySelectorAll('#space option')].some(o => o.value === name)", arg=space
    )
    page.select_option("#space", space)


def answer(page: Page) -> str:
    """The answer as it stands above the proof."""
    return page.inner_text(".answer-text").strip()


def focused(page: Page) -> str:
    """What of the page has the focus: its id or class and the beginning of its words."""
    return str(
        page.evaluate(
            "[document.activeElement.id || document.activeElement.className, document.activeElement.textContent.slice(0, 60)].join(' ')"
        )
    )
