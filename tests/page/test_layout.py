"""Small screens, long conversations, and what tools for accessibility find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.looking import ask

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

WEB = Path(__file__).parents[2] / "src" / "goalmem" / "serve" / "web"
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
TURNS = 1_000
VIEWS = {
    "ask": ".start",
    "ask?q=How many pets does Petra have?": "[role=tree]",
    "ask?q=Did Petra visit Malta?": "[role=tree]",
    "add": ".card textarea.code",
    "conversations?session=spring": ".turn",
    "profile?who=Petra": ".known",
    "history?about=Petra": ".entry",
    "graph?around=Petra": ".graph-dot",
    "search?q=Malta": ".hit",
    "rules": ".rule-list",
    "check": "#proof-text",
}


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_wider_than_a_phone(page: Page, view: str) -> None:
    page.set_viewport_size({"width": 375, "height": 740})
    page.goto(f"/#/{view}")
    page.wait_for_selector(VIEWS[view])
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    tab = page.locator(".tabs [aria-current]").bounding_box()
    assert tab is not None
    assert 0 <= tab["x"] <= 375 - tab["width"]


SCROLLS = """() => [...document.querySelectorAll("main *, .evidence *")].filter((e) => {
  const { overflowY, position } = getComputedStyle(e);
  return e.children.length > 0 && overflowY === "auto" && position === "static";
}).map((e) => e.className)"""
"""Lists that scroll, out of which words for screen readers (`.hidden`) fall: the page itself then scrolls into nothing."""


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_ends_where_its_content_ends(page: Page, view: str) -> None:
    page.goto(f"/#/{view}")
    page.wait_for_selector(VIEWS[view])
    assert page.evaluate(SCROLLS) == []


CLICKED_ONLY = """() => {
  const reached = "a[href], button, input, select, textarea, summary, label, [role=treeitem], [tabindex='0'], .graph-dot";
  const pointed = [...document.querySelectorAll("body *")].filter((e) => getComputedStyle(e).cursor === "pointer");
  return pointed.filter((e) => !e.closest(reached)).map((e) => e.outerHTML.slice(0, 120));
}"""
"""What takes clicks and no keys. Of trees and of the graph, arrows reach what Tab does not."""


@pytest.mark.parametrize("view", VIEWS)
def test_what_can_be_clicked_can_be_reached_by_keyboard(page: Page, view: str) -> None:
    page.goto(f"/#/{view}")
    page.wait_for_selector(VIEWS[view])
    assert page.evaluate(CLICKED_ONLY) == []


def test_the_first_paint_waits_for_no_answer_and_little_else(page: Page) -> None:
    asked: list[str] = []

    def held(route: Route) -> None:
        asked.append(route.request.url)
        if ("/v1/" not in route.request.url and not route.request.url.endswith(".js")) or route.request.url.endswith(
            "theme.js"
        ):
            route.fallback()

    page.route("**/*", held)
    page.goto("/", wait_until="commit")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length", polling=50)
    assert len([url for url in asked if "/v1/" in url]) == 0
    assert len(asked) <= 5  # the page, its style, the theme, and two that it does not wait for: its script and its icon


def test_on_a_phone_evidence_covers_the_page_and_gives_it_back(page: Page) -> None:
    page.set_viewport_size({"width": 375, "height": 740})
    page.goto("/")
    ask(page, "Where does Petra live?")
    page.locator(".is-quote > .row").first.click()
    page.wait_for_selector(".turn.picked")
    box = page.locator(".evidence").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (375, 740)
    page.keyboard.press("Escape")
    page.wait_for_selector(".evidence", state="detached")
    assert page.locator("[role=tree]").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(page: Page, view: str, scheme: Any) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm ci in serve/web)")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"/#/{view}")
    page.wait_for_selector(VIEWS[view])
    if "ask?q=How" in view:
        page.click("button:text-is('Check this proof')")
        page.wait_for_selector(".outcome.good")
        page.locator(".is-quote > .row").first.click()
        page.wait_for_selector(".turn.picked")
    assert not serious(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_what_opens(page: Page, scheme: Any) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm ci in serve/web)")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto("/")
    ask(page, "How many pets does Petra have?")
    page.click("text=How to read this")
    page.click("text=How it was found")
    page.click("text=Watch it grow again, slowly")
    page.wait_for_selector(".told .growing .open-atom.bound")
    assert not serious(page)
    page.click(".menu summary")
    assert not serious(page)
    for entry, closing in (
        ("New space…", "Cancel"),
        ("Use a key…", "Remove the key"),
        ("Access keys…", ""),
        ("Keyboard shortcuts", ""),
        ("Forget everything…", "Keep"),
    ):
        if not page.locator(".menu[open]").count():
            page.click(".menu summary")
        page.click(f"button:text-is('{entry}')")
        page.wait_for_selector("dialog .actions, dialog .keys")
        page.wait_for_timeout(200)
        assert not serious(page), entry
        if closing:
            page.click(f"dialog button:text-is('{closing}')")
        else:
            page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    page.goto("/#/check")
    page.fill("#proof-text", "no proof")
    page.wait_for_selector(".failure")
    assert not serious(page)
    proof = page.request.post("/v1/ask", data={"question": "Where does Petra live?"}).json()["proof"]
    page.fill("#proof-text", json.dumps(proof).replace("Leiden", "Delft"))
    page.wait_for_selector(".outcome.bad")
    assert not serious(page)


def serious(page: Page) -> list[Any]:
    """What axe finds that is serious or worse: the rule, and the beginning of some elements."""
    # A script that a test injects is what the page's own policy forbids; the browser's debugger may still run it.
    page.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
    found = page.evaluate("axe.run()")
    worst = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], [n["html"][:200] for n in v["nodes"]][:4]) for v in worst]


def turns_of(n: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"t{i:024d}",
            "session": "long",
            "position": i,
            "speaker": "Ada" if i % 2 else "Ben",
            "role": "user",
            "text": f"This is turn {i}. " + "It says a little more than the one before. " * (i % 5),
            "at": f"2024-03-{1 + i * 28 // n:02d}T10:00:00+00:00",
        }
        for i in range(n)
    ]


def test_a_thousand_turns_are_scrolled_without_lag(page: Page) -> None:
    turns = turns_of(TURNS)

    def answered(route: Route) -> None:
        if "/v1/sessions" in route.request.url:
            items: list[Any] = [{"session": "long", "at": turns[0]["at"], "turns": TURNS}]
        else:
            items = turns
        route.fulfill(json={"items": items, "next": None})

    page.route("**/v1/sessions*", answered)
    page.route("**/v1/turns?*", answered)
    page.goto(f"/#/conversations?session=long&turn={turns[700]['id']}&start=0&end=16")
    page.wait_for_selector(".turn.picked")
    page.wait_for_timeout(300)
    assert page.inner_text("mark.quoted") == "This is turn 700"
    assert page.locator(".turn.picked").is_visible()
    assert page.locator(".turn").count() < 100
    slowest = page.evaluate(
        """async () => {
          const list = document.querySelector('.virtual');
          let slowest = 0;
          for (let i = 0; i < 60; i++) {
            list.scrollTop = list.scrollHeight * i / 60;
            const began = performance.now();
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            slowest = Math.max(slowest, performance.now() - began);
          }
          return slowest;
        }"""
    )
    assert slowest < 500, slowest  # two frames; a loaded machine draws them late, a list without limits takes seconds
    page.locator(".virtual-row").first.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.activeElement.textContent.includes('This is turn 999')")
    assert page.evaluate("document.activeElement.ariaPosInSet") == str(TURNS)
    page.keyboard.press("Home")
    page.wait_for_function("() => document.activeElement.textContent.includes('This is turn 0.')")
