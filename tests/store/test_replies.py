"""A chat model's replies kept in a store: asked once, and forgotten with the turns they are about."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

from goalmem.models.chat import ChatRequest
from goalmem.models.chat_cache import Cached
from goalmem.store import Store, open_store
from goalmem.testing import ScriptedChat

from .samples import DIMENSION, MODEL, batch, ids


def cached(model: ScriptedChat, store: Store, space: str = "ana") -> Cached:
    return Cached(model, partial(store.cached_reply, space), partial(store.keep_reply, space))


def test_the_same_is_asked_once_until_a_turn_is_forgotten(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
    made = batch(["a", "b"])
    store.add(made)
    a, b = ids(made)
    model = ScriptedChat(lambda _: "Paris 🎉")
    request = ChatRequest("unify", "Bind.", "facts", about=(a, b))
    for _ in range(3):
        assert cached(model, store).reply(request).text == "Paris 🎉"
    assert len(model.requests) == 1
    cached(model, store, "bob").reply(request)
    assert len(model.requests) == 2
    store.forget("ana", turn=b)
    for _ in range(2):
        cached(model, store).reply(request)
    assert len(model.requests) == 4
    store.close()


def test_a_store_that_cannot_be_written_is_read_from_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    made = batch(["a"])
    model = ScriptedChat(lambda request: request.user)
    with closing(open_store(path, model=MODEL, dimension=DIMENSION)) as store:
        store.add(made)
        cached(model, store).reply(ChatRequest("unify", "", "known", about=tuple(ids(made))))
    with closing(open_store(path, model=MODEL, dimension=DIMENSION, read_only=True)) as store:
        assert cached(model, store).reply(ChatRequest("unify", "", "known")).cached
        assert not cached(model, store).reply(ChatRequest("unify", "", "new")).cached


def test_no_row_of_a_forgotten_space_stays(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(open_store(path, model=MODEL, dimension=DIMENSION)) as store:
        made = batch(["a", "b"])
        store.add(made)
        for key in ("x", "y"):
            store.keep_reply("ana", key, key, ids(made))
        store.keep_reply("ana", "x", "newer", ids(made)[:1])
        store.forget("ana")
    with closing(sqlite3.connect(path)) as connection:
        for table in ("replies", "reply_turns"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
