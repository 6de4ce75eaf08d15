"""A client with a key may do what the key is for, and learns nothing of the rest."""

import asyncio
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")

from goalmem import AccessDeniedError, AsyncClient, Client, Memory, NotFoundError
from goalmem.language import Analyzer
from goalmem.serve.auth import KeyRing, Scope
from goalmem.serve.ledger import open_ledger
from goalmem.serve.testing import served


@pytest.fixture(scope="module")
def keyed(analyzer: Analyzer) -> Iterator[tuple[str, KeyRing]]:
    ledger = open_ledger(":memory:", "")
    with Memory(analyzer=analyzer) as memory, served(memory, ledger=ledger) as url:
        memory.add("I adopted a dog.", space="maya", session="s")
        memory.add("I sold my bike.", space="other")
        yield url, KeyRing(ledger)
    ledger.close()


def key_for(keyed: tuple[str, KeyRing], scope: Scope, *spaces: str) -> str:
    return keyed[1].add("test", scope, spaces)[1]


def test_a_key_of_one_space_names_no_space(keyed: tuple[str, KeyRing]):
    with Client(keyed[0], key=key_for(keyed, Scope.WRITE, "maya")) as client:
        turn = client.turns("s")[0]
        assert (turn.space, turn.text) == ("maya", "I adopted a dog.")
        assert client.search("dog")[0].turn == client.turn(turn.id) == turn
        assert {fact.space for fact in client.facts()} == {"maya"}
        assert client.spaces() == ["maya"]
        assert client.stats().turns == 1
        assert client.verify(client.ask("What did the user adopt?")).ok


def test_the_same_is_so_awaited(keyed: tuple[str, KeyRing]):
    async def main() -> str:
        async with AsyncClient(keyed[0], key=key_for(keyed, Scope.READ, "maya")) as client:
            return (await client.turns("s"))[0].space

    assert asyncio.run(main()) == "maya"


def test_another_space_is_denied_whether_it_is_there_or_not(keyed: tuple[str, KeyRing]):
    with Client(keyed[0], key=key_for(keyed, Scope.WRITE, "maya")) as client:
        told = []
        for space in ("other", "nowhere"):
            with pytest.raises(AccessDeniedError) as denied:
                client.search("bike", space=space)
            told.append(denied.value.problem.replace(space, "X"))
        assert told[0] == told[1]


def test_a_key_for_reading_does_not_write(keyed: tuple[str, KeyRing]):
    with Client(keyed[0], key=key_for(keyed, Scope.READ, "maya")) as client:
        with pytest.raises(PermissionError, match="write"):
            client.add("I sold my dog.")
        with pytest.raises(AccessDeniedError):
            client.forget(space="maya", everything=True)
        assert len(client.turns("s")) == 1


def test_without_a_key_nothing_is_told(keyed: tuple[str, KeyRing]):
    key_for(keyed, Scope.READ, "maya")
    for key in ("", "gm_0123456789ab_" + "x" * 43, "nonsense"):
        with Client(keyed[0], key=key) as client, pytest.raises(AccessDeniedError):
            client.stats()


def test_a_key_for_all_spaces_says_which(keyed: tuple[str, KeyRing]):
    with Client(keyed[0], key=key_for(keyed, Scope.ADMIN, "*")) as client:
        assert set(client.spaces()) >= {"maya", "other"}
        assert client.turns("s", space="maya")[0].space == "maya"
        assert client.stats(space="maya").bytes > 0
    with Client(keyed[0], key=key_for(keyed, Scope.ADMIN, "*"), space="maya") as client:
        assert client.turns("s")[0].space == "maya"


def test_who_may_do_all_makes_and_revokes_keys(keyed: tuple[str, KeyRing]):
    with Client(keyed[0], key=key_for(keyed, Scope.ADMIN, "maya")) as client:
        made = client.add_key("phone", "read", spaces=["maya"])
        assert (made.key.scope, made.key.spaces, made.key.valid) == ("read", ["maya"], True)
        with Client(keyed[0], key=made.text) as phone:
            assert phone.search("dog")
            with pytest.raises(AccessDeniedError):
                phone.keys()
            assert not client.revoke_key(made.key.id).valid
            with pytest.raises(AccessDeniedError):
                phone.search("dog")
        held = client.keys()
        assert made.key.id in [key.id for key in held]
        with pytest.raises(NotFoundError):
            client.revoke_key("0123456789ab")
