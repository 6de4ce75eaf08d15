"""Lists in pages: everything once, in order, whatever is added meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from goalmem import InputError
from goalmem.serve.lists import Cursors, after_key

from .conftest import add, key_for, problem_of


def pages(client: TestClient, path: str, limit: int, **params: Any) -> Iterator[list[Any]]:
    cursor = None
    while True:
        given = params | {"limit": limit} | ({"cursor": cursor} if cursor else {})
        page = client.get(path, params=given).json()
        assert len(page["items"]) <= limit
        yield page["items"]
        cursor = page["next"]
        if cursor is None:
            return


@pytest.fixture(scope="module")
def filled(analyzer):
    from .conftest import serving

    with serving(analyzer) as client:
        for n in range(4):
            said = [{"name": "Maya", "content": f"I bought lamp {n}{m}. I love tea."} for m in range(3)]
            add(client, said, session=f"s{n}", at=f"2024-05-0{n + 1}")
        client.post("/v1/rules", json={"text": "Bob is big. Carl is big. Big people are rough."})
        for n in range(3):
            client.post("/v1/uploads", params={"name": f"f{n}"}, content=b"Leo: I sold the piano.\n")
        while client.service.jobs.unfinished():
            time.sleep(0.02)
        yield client


@pytest.mark.parametrize("limit", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    "path",
    [
        "/v1/turns",
        "/v1/turns?session=s1",
        "/v1/sessions",
        "/v1/facts",
        "/v1/facts?about=Maya",
        "/v1/entities",
        "/v1/entities?order=mentions",
        "/v1/history?about=Maya",
        "/v1/rules",
        "/v1/jobs",
        "/v1/spaces",
    ],
)
def test_pages_together_are_the_list(filled: TestClient, path: str, limit: int):
    path, _, query = path.partition("?")
    params = dict([query.split("=")]) if query else {}
    whole = filled.get(path, params=params | {"limit": 1000}).json()
    assert whole["next"] is None
    assert len(whole["items"]) >= 1
    assert [item for page in pages(filled, path, limit, **params) for item in page] == whole["items"]


def test_what_is_added_meanwhile_moves_nothing(client: TestClient):
    add(client, [{"id": str(n), "content": f"Line {n}."} for n in range(6)], session="s")
    seen = []
    for page in pages(client, "/v1/turns", 2, session="s"):
        seen += [turn["external_id"] for turn in page]
        if len(seen) == 2:
            client.post("/v1/forget", json={"turn": page[0]["id"]})
            add(client, [{"id": "new", "content": "More."}], session="s")
    assert seen == [*map(str, range(6)), "new"]


def test_gaps_where_turns_were_forgotten_are_passed_over(client: TestClient):
    turns = add(client, [{"id": str(n), "content": f"Line {n}."} for n in range(30)], session="s")["turns"]
    for turn in turns[1:28]:
        client.service.memory.forget(turn=turn)
    found = [t["external_id"] for page in pages(client, "/v1/turns", 2, session="s") for t in page]
    assert found == ["0", "28", "29"]


def test_a_cursor_is_of_one_list_of_one_space(client: TestClient):
    for space in ("a", "b"):
        add(client, [f"Line {n}." and {"content": f"Line {n}."} for n in range(3)], space=space, session="s")
    cursor = client.get("/v1/turns", params={"space": "a", "limit": 1}).json()["next"]
    assert client.get("/v1/turns", params={"space": "a", "limit": 1, "cursor": cursor}).status_code == 200
    problem_of(client.get("/v1/turns", params={"space": "b", "cursor": cursor}), 422)
    problem_of(client.get("/v1/turns", params={"space": "a", "session": "s", "cursor": cursor}), 422)
    problem_of(client.get("/v1/facts", params={"space": "a", "cursor": cursor}), 422)
    theirs = key_for(client, "b")
    problem_of(client.get("/v1/turns", params={"cursor": cursor}, headers=theirs), 422)


words = st.text(max_size=8)


@given(
    st.lists(words, max_size=4),
    st.lists(st.one_of(st.integers(), words), min_size=1, max_size=4),
    st.binary(min_size=32),
)
def test_cursors_are_read_as_they_were_written(listed: list[str], position: list[Any], secret: bytes):
    cursors = Cursors(secret)
    written = cursors.write(listed, position)
    assert cursors.read(listed, written) == position
    assert cursors.write(listed, None) is None
    with pytest.raises(InputError):
        cursors.read([*listed, "more"], written)
    with pytest.raises(InputError):
        Cursors(secret + b"other").read(listed, written)


@given(st.text())
def test_nothing_else_is_a_cursor(text: str):
    with pytest.raises(InputError):
        Cursors(b"secret" * 6).read(["turns"], text)


@given(st.lists(st.integers(), unique=True), st.lists(st.integers(), unique=True), st.integers(1, 5))
def test_a_page_begins_behind_the_last_item(rows: list[int], added: list[int], limit: int):
    held, seen, after = sorted(rows), [], None
    while True:
        page = after_key(held, lambda n: [n], after, limit)
        seen += page.items
        if page.last is None:
            break
        after, held = page.last, sorted({*held, *added})
    assert len(seen) == len(set(seen))
    assert seen == sorted(seen)
    assert set(rows) <= set(seen)
