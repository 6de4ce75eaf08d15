"""Keys: what they open, and that nothing is learned without one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from goalmem import InputError, NotFoundError, Settings
from goalmem.serve.auth import KeyRing, Scope
from goalmem.serve.http import require_safe
from goalmem.serve.ledger import Ledger, open_ledger
from goalmem.serve.refusals import UnauthorizedError

from .conftest import Serve, add, key_for, problem_of


@pytest.fixture
def ledger(tmp_path: Path):
    ledger = open_ledger(str(tmp_path / "store.goalmem"), "")
    yield ledger
    ledger.close()


def test_no_secret_is_kept(ledger: Ledger, tmp_path: Path):
    _, text = KeyRing(ledger).add("ci", Scope.READ, ["maya"])
    secret = text.rpartition("_")[2] if text.count("_") == 2 else text.split("_", 2)[2]
    held = b"".join(f.read_bytes() for f in (tmp_path / "store.goalmem.serve").rglob("*") if f.is_file())
    assert secret.encode() not in held
    assert len(secret) == 43, "256 bits"


def test_the_folder_of_keys_is_for_its_owner_alone(ledger: Ledger, tmp_path: Path):
    folder = tmp_path / "store.goalmem.serve"
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "serve.db").stat().st_mode & 0o077 == 0


def test_a_key_opens_until_it_is_revoked(ledger: Ledger):
    keys, elsewhere = KeyRing(ledger), KeyRing(ledger)
    key, text = keys.add("ci", Scope.WRITE, ["maya"])
    assert keys.opened_by(text) == key
    elsewhere.revoke(key.id)
    with pytest.raises(UnauthorizedError):
        keys.opened_by(text)
    assert not keys.list()[0].valid


def test_a_key_opens_until_it_expires(ledger: Ledger):
    keys = KeyRing(ledger)
    _, text = keys.add("ci", Scope.READ, ["maya"], expires=datetime.now(UTC) + timedelta(hours=1))
    keys.opened_by(text)
    with ledger.writing() as connection:  # an hour passes
        connection.execute("UPDATE key SET expires = expires - 3600")
    with pytest.raises(UnauthorizedError):
        keys.opened_by(text)
    with pytest.raises(InputError):
        keys.add("ci", Scope.READ, ["maya"], expires=datetime(2020, 1, 1, tzinfo=UTC))


def test_nothing_else_opens(ledger: Ledger):
    keys = KeyRing(ledger)
    key, text = keys.add("ci", Scope.READ, ["maya"])
    other = text[:-1] + ("A" if text[-1] != "A" else "B")
    for wrong in (
        "",
        "x",
        "gm__",
        other,
        text + "A",
        text.upper(),
        f"gm_{key.id}_",
        "gm_000000000000_" + text[16:],
        "é" * 60,
    ):
        with pytest.raises(UnauthorizedError):
            keys.opened_by(wrong)


def test_an_unknown_id_is_compared_like_a_known_one(ledger: Ledger, monkeypatch: pytest.MonkeyPatch):
    import hmac

    compared = []
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((len(a), len(b))) or a == b)
    for wrong in ("gm_000000000000_" + "a" * 43, "nothing like a key"):
        with pytest.raises(UnauthorizedError):
            KeyRing(ledger).opened_by(wrong)
    assert compared == [(32, 32)] * 2


def test_a_store_elsewhere_needs_a_folder_for_its_keys(tmp_path: Path):
    with pytest.raises(InputError, match="GOALMEM_SERVE_DATA"):
        open_ledger("postgresql://somewhere/memory", "")
    open_ledger("postgresql://somewhere/memory", str(tmp_path / "kept")).close()
    assert (tmp_path / "kept" / "serve.db").exists()


def test_a_key_is_for_something(ledger: Ledger):
    with pytest.raises(InputError):
        KeyRing(ledger).add("ci", Scope.READ, [])
    with pytest.raises(InputError):
        KeyRing(ledger).add("", Scope.READ, ["maya"])
    with pytest.raises(NotFoundError):
        KeyRing(ledger).revoke("nothing")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])  # noqa: S104
def test_other_addresses_need_a_key(ledger: Ledger, host: str):
    keys = KeyRing(ledger)
    with pytest.raises(InputError, match="Without keys"):
        require_safe(Settings(serve_host=host), keys)
    key, _ = keys.add("ci", Scope.READ, ["maya"])
    require_safe(Settings(serve_host=host), keys)
    keys.revoke(key.id)
    with pytest.raises(InputError):
        require_safe(Settings(serve_host=host), keys)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_loopback_needs_none(ledger: Ledger, host: str):
    require_safe(Settings(serve_host=host), KeyRing(ledger))


def test_from_the_first_key_on_every_call_needs_one(client: TestClient):
    assert client.get("/v1/stats").status_code == 200
    key = key_for(client)
    refused = client.get("/v1/stats")
    problem_of(refused, 401)
    assert refused.headers["www-authenticate"] == "Bearer"
    assert client.get("/v1/stats", headers=key).status_code == 200
    client.service.keys.revoke(client.service.keys.list()[0].id)
    problem_of(client.get("/v1/stats", headers=key), 401)
    problem_of(client.get("/v1/stats"), 401)
    assert client.get("/health").status_code == client.get("/ready").status_code == 200


def test_every_reason_for_no_key_is_answered_alike(client: TestClient):
    key, other = key_for(client), key_for(client)
    client.service.keys.revoke(client.service.keys.list()[1].id)
    answers = [
        client.get("/v1/stats", headers=headers)
        for headers in ({}, other, {"Authorization": "Bearer x"}, {"Authorization": "Basic eDp5"})
    ]
    said = {(a.status_code, a.json()["detail"], a.json()["remedy"], a.json()["type"]) for a in answers}
    assert len(said) == 1
    assert client.get("/v1/stats", headers=key).status_code == 200


def test_scopes(client: TestClient):
    read, write, admin = (key_for(client, scope=scope) for scope in (Scope.READ, Scope.WRITE, Scope.ADMIN))
    said = {"messages": "hello"}
    problem_of(client.post("/v1/messages", json=said, headers=read), 403)
    problem_of(client.post("/v1/forget", json={"everything": True}, headers=read), 403)
    problem_of(client.post("/v1/uploads", content=b"x", headers=read), 403)
    assert client.post("/v1/messages", json=said, headers=write).status_code == 201
    assert client.post("/v1/search", json={"query": "hello"}, headers=read).status_code == 200
    problem_of(client.get("/metrics", headers=write), 403)
    assert client.get("/metrics", headers=admin).status_code == 200
    problem_of(client.get("/metrics"), 401)


def test_a_key_of_one_space_does_not_learn_of_another(client: TestClient):
    add(client, [{"name": "Leo", "content": "I sold the piano."}], space="leo", session="s")
    turn = client.get("/v1/turns", params={"space": "leo"}).json()["items"][0]["id"]
    job = client.post("/v1/uploads", params={"space": "leo"}, content=b"Leo: hello\n").json()["id"]
    size = client.get("/v1/stats", params={"space": "leo"}).json()["bytes"]
    maya = key_for(client, "maya")
    add(client, "I bought a lamp.", headers=maya)
    assert client.get("/v1/spaces", headers=maya).json()["items"] == ["maya"]
    assert size
    assert client.get("/v1/stats", headers=maya).json()["bytes"] is None
    calls = [
        ("GET", "/v1/stats", None),
        ("GET", "/v1/turns", None),
        ("GET", f"/v1/turns/{turn}", None),
        ("GET", "/v1/jobs", None),
        ("GET", "/v1/export", None),
        ("POST", "/v1/search", {"query": "piano"}),
        ("POST", "/v1/messages", {"messages": "hello"}),
        ("POST", "/v1/forget", {"everything": True}),
        ("POST", "/v1/rules", {"text": "Bob is big."}),
    ]
    for method, path, body in calls:
        said = {}
        for space in ("leo", "nobody"):
            answer = client.request(method, path, json=body, params={"space": space}, headers=maya)
            problem = problem_of(answer, 403)
            said[space] = {n: v.replace(space, "…") for n, v in problem.items() if n in ("type", "detail", "remedy")}
        assert said["leo"] == said["nobody"], path
    absent = {n: problem_of(client.get(f"/v1/{n}", headers=maya), 404)["detail"] for n in (f"turns/{turn}", "turns/t0")}
    assert absent[f"turns/{turn}"].replace(turn, "t0") == absent["turns/t0"]
    for method, path in (("GET", "/v1/jobs/{}"), ("DELETE", "/v1/jobs/{}"), ("POST", "/v1/jobs/{}/resume")):
        theirs, none = (
            problem_of(client.request(method, path.format(id_), headers=maya), 404)["detail"] for id_ in (job, "job-0")
        )
        assert theirs.replace(job, "job-0") == none


def test_without_a_name_the_space_is_the_only_one_of_the_key(client: TestClient):
    maya, both = key_for(client, "maya"), key_for(client, "maya", "leo")
    add(client, "hello", headers=maya)
    assert client.get("/v1/stats", params={"space": "maya"}, headers=both).json()["turns"] == 1
    problem_of(client.get("/v1/stats", headers=both), 403)


def test_a_key_has_a_rate_of_its_own(client: TestClient):
    slow = key_for(client, rate=0.01)
    quick = key_for(client)
    assert client.get("/v1/stats", headers=slow).status_code == 200
    refused = client.get("/v1/stats", headers=slow)
    problem_of(refused, 429)
    assert 1 <= int(refused.headers["retry-after"]) <= 100
    assert client.get("/v1/stats", headers=quick).status_code == 200


def test_keys_survive_a_restart(serve: Serve, tmp_path: Path):
    store = tmp_path / "store.goalmem"
    first = serve(store)
    key = key_for(first, "maya")
    second = serve(store)
    problem_of(second.get("/v1/stats"), 401)
    assert second.get("/v1/stats", headers=key).status_code == 200


def made(client: TestClient, headers: dict[str, str], **wish: object):
    return client.post("/v1/keys", json={"name": "made", "scope": "write", **wish}, headers=headers)


def test_a_key_makes_keys_for_no_more_than_it_is_for(client: TestClient):
    admin = key_for(client, "maya", "leo", scope=Scope.ADMIN)
    elsewhere = client.service.keys.add("ada", Scope.READ, ["ada"])[0]
    about = {"params": {"space": "maya"}}
    own = client.post("/v1/keys", json={"name": "made", "scope": "admin"}, headers=admin, **about).json()
    assert sorted(own["key"]["spaces"]) == ["leo", "maya"]
    for spaces in (["ada"], ["*"], ["maya", "ada"]):
        wish = {"name": "more", "scope": "read", "spaces": spaces}
        problem_of(client.post("/v1/keys", json=wish, headers=admin, **about), 403)
    listed = client.get("/v1/keys", headers=admin, **about).json()["items"]
    assert elsewhere.id not in {key["id"] for key in listed}
    problem_of(client.delete(f"/v1/keys/{elsewhere.id}", headers=admin, **about), 404)
    assert client.service.keys.find(elsewhere.id).valid
    ended = client.delete(f"/v1/keys/{own['key']['id']}", headers=admin, **about).json()
    assert (ended["valid"], ended["id"]) == (False, own["key"]["id"])
    problem_of(client.get("/v1/spaces", headers={"Authorization": f"Bearer {own['text']}"}), 401)


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE])
def test_keys_are_for_who_may_do_all(client: TestClient, scope: Scope):
    headers = key_for(client, scope=scope)
    problem_of(client.get("/v1/keys", headers=headers), 403)
    problem_of(made(client, headers), 403)
    problem_of(client.delete("/v1/keys/0", headers=headers), 403)


def test_a_key_that_another_makes_ends_with_it(client: TestClient):
    end = datetime.now(UTC) + timedelta(hours=1)
    admin = key_for(client, scope=Scope.ADMIN, expires=end, rate=3.0)
    for wish in ({}, {"expires": (end + timedelta(days=9)).isoformat()}):
        key = client.service.keys.find(made(client, admin, **wish).json()["key"]["id"])
        assert key.expires is not None
        assert key.expires.timestamp() == pytest.approx(end.timestamp())
        assert key.rate == 3.0
    sooner = end - timedelta(minutes=9)
    key = client.service.keys.find(made(client, admin, expires=sooner.isoformat()).json()["key"]["id"])
    assert key.expires is not None
    assert key.expires.timestamp() == pytest.approx(sooner.timestamp())


def test_a_key_made_by_a_call_is_kept_nowhere(client: TestClient):
    admin = key_for(client, scope=Scope.ADMIN)
    text = made(client, {**admin, "Idempotency-Key": "once"}).json()["text"]
    assert client.get("/v1/spaces", headers={"Authorization": f"Bearer {text}"}).status_code == 200
    folder = client.service.ledger.uploads.parent
    held = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert text[-43:].encode() not in held


def test_the_first_key_over_http_leaves_somebody_who_may_do_all(client: TestClient):
    for wish in ({"scope": "write"}, {"scope": "read"}, {"scope": "admin", "spaces": ["maya"]}):
        problem_of(made(client, {}, **wish), 422)
    assert client.get("/v1/stats").status_code == 200
    first = made(client, {}, scope="admin").json()
    admin = {"Authorization": f"Bearer {first['text']}"}
    assert made(client, admin, scope="write").status_code == 201
    assert len(client.get("/v1/keys", headers=admin).json()["items"]) == 2
