"""The page in Firefox, where it is installed: what differs between browsers is asked here once."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator

import httpx
import pytest
from tests.page.conftest import served
from tests.page.memories import fill
from tests.page.test_layout import AXE, VIEWS

pytest.importorskip("websockets", reason="websockets is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

from tests.page.firefox import Firefox, firefox


@pytest.fixture(scope="module")
def store_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a small memory."""
    if shutil.which("firefox-esr") is None and shutil.which("firefox") is None:
        pytest.skip("no Firefox is installed")
    store = tmp_path_factory.mktemp("firefox-page") / "page.goalmem"
    fill(store)
    with served(store) as address:
        yield address


@pytest.fixture(scope="module")
def fox(store_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """A tab of a new Firefox."""
    command = shutil.which("firefox-esr") or shutil.which("firefox")
    assert command is not None
    with firefox(command, tmp_path_factory.mktemp("firefox")) as opened:
        yield opened


def test_a_question_is_asked_and_its_proof_checked_by_keyboard(fox: Firefox, store_address: str) -> None:
    fox.goto(store_address)
    fox.see(".start")
    fox.press("/")
    fox.press("How many pets does Petra have?")
    fox.press("Enter")
    fox.see("[role=tree]")
    assert fox.run("document.querySelector('.answer-text').innerText.trim()") == "2"
    fox.press("ArrowDown")
    fox.press("v")
    fox.see(".outcome.good")


def test_a_message_is_added_by_keyboard(fox: Firefox, store_address: str) -> None:
    fox.goto(f"{store_address}/#/add")
    fox.see(".view.add")
    fox.press("/")
    fox.press("Petra")
    fox.press("Tab")
    fox.press("I mended the shed.")
    while fox.run("document.activeElement.innerText") != "Add":
        fox.press("Tab")
    fox.run("document.activeElement.click()")  # without a window, Firefox makes no click of a key
    fox.see(".outcome-line a")
    assert "I mended the shed." in [t["text"] for t in turns(store_address, "default")]


def test_a_change_is_undone_and_views_are_reached_by_keyboard(fox: Firefox, store_address: str) -> None:
    fox.goto(f"{store_address}/?undone#/conversations?space=leaving&session=once")
    fox.see(".turn")
    held = turns(store_address, "leaving")
    fox.run("document.querySelector('.turn [aria-label^=Forget]').click()")
    fox.see("dialog .goes")
    fox.run("document.querySelector('dialog .danger').click()")
    fox.see(".turn.going")
    fox.press("u")
    fox.wait("!document.querySelector('.undo') && !document.querySelector('.turn.going')")
    assert turns(store_address, "leaving") == held
    fox.press("?")
    fox.see("dialog .keys")
    fox.press("Escape")
    fox.wait("!document.querySelector('dialog')")
    for key, view in (("w", "profile"), ("h", "history"), ("s", "search"), ("p", "check-view"), ("a", "ask")):
        fox.press(f"g{key}")
        fox.see(f".view.{view}")


def test_what_was_decided_is_done_when_the_page_is_left(fox: Firefox, store_address: str) -> None:
    fox.goto(f"{store_address}/?left#/conversations?space=leaving&session=once")
    fox.see(".turn")
    fox.run("document.querySelector('.turn [aria-label^=Forget]').click()")
    fox.see("dialog .goes")
    fox.run("document.querySelector('dialog .danger').click()")
    fox.see(".undo")
    held = len(turns(store_address, "leaving"))
    fox.goto("about:blank")
    for _ in range(200):
        if len(turns(store_address, "leaving")) == held - 1:
            return
        time.sleep(0.05)
    raise AssertionError("it was not forgotten")


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(fox: Firefox, store_address: str, view: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm ci in serve/web)")
    fox.goto(f"{store_address}/?axe={list(VIEWS).index(view)}#/{view}{'&' if '?' in view else '?'}space=default")
    fox.see(VIEWS[view])
    fox.run(f"(() => {{ {AXE.read_text(encoding='utf-8')}; return 0; }})()")
    found = fox.run(
        "axe.run().then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(v => v.id))"
    )
    assert not found


def turns(address: str, space: str) -> list[dict[str, str]]:
    items: list[dict[str, str]] = httpx.get(f"{address}/v1/turns?space={space}&limit=1000", timeout=60).json()["items"]
    return items
