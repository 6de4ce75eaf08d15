"""A proof made with a key can be told from one made elsewhere; the key is told nowhere."""

from __future__ import annotations

import json
import pickle
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import InputError, Memory, Settings
from goalmem.language import Analyzer
from goalmem.proof.document import Claim, Proof
from goalmem.proof.seal import Seals
from goalmem.settings import load_settings
from tests.proof.mutants import is_harmless, mutants

KEY, OTHER = "one/key+of=enough characters here", "another key, of enough characters too"
KEYS = st.text(min_size=32, max_size=64)


@pytest.fixture(scope="module")
def made(analyzer: Analyzer):
    with Memory(settings=Settings(proof_key=KEY), analyzer=analyzer) as memory:
        memory.add("I adopted a beagle.", at="2024-01-05")
        yield memory, [memory.ask(q).proof for q in ("What did I adopt?", "Where do I live?")]


def verified(memory: Memory, proof: Proof | str, key: str, *, required: bool = False):
    memory._parts.settings = replace(memory.settings, proof_key=key, proof_seal_required=required)
    try:
        return memory.verify(proof)
    finally:
        memory._parts.settings = memory.settings


def test_verify_says_where_a_proof_was_sealed(made):
    memory, proofs = made
    for proof in proofs:
        for written in (proof, proof.to_json(), proof.to_json(indent=2)):
            found = verified(memory, written, KEY, required=True)
            assert (found.ok, found.seal) == (True, "sealed here")
        bare = proof.digested()
        cases = [
            (proof, OTHER, False, False, "sealed with another key or changed"),
            (proof, "", False, True, "sealed, and no key is set to tell"),
            (proof, "", True, False, "sealed, and no key is set to tell"),
            (bare, KEY, False, True, "not sealed"),
            (bare, KEY, True, False, "not sealed"),
            (bare, "", False, True, "not sealed"),
        ]
        for changed, key, required, ok, said in cases:
            found = verified(memory, changed, key, required=required)
            assert (found.ok, found.seal) == (ok, said)


@pytest.mark.parametrize("seal", ["\ud800", "é" * 64, "\0", "0" * 64])
def test_what_is_no_seal_is_another(made, seal: str):
    memory, (proof, *_) = made
    found = verified(memory, proof.model_copy(update={"seal": seal}), KEY)
    assert (found.ok, found.seal) == (False, "sealed with another key or changed")


def test_no_changed_proof_is_sealed_here(made):
    """Those included that claim nothing else, and those whose seal was kept."""
    _, proofs = made
    seals = Seals(KEY, required=True)
    for proof in proofs:
        for mutant in mutants(proof):
            try:
                changed = Proof.from_json(mutant.document)
            except ValueError:
                continue
            kept = changed.model_copy(update={"seal": proof.seal})
            assert [c.ok for c in seals.check(changed)] == [False]
            assert kept == proof or [c.ok for c in seals.check(kept)] == [False], is_harmless(mutant)


@given(KEYS, KEYS, st.text(max_size=20))
def test_another_key_makes_another_seal(key: str, other: str, question: str):
    proof = Proof(
        version=2, question=question, space="s", asked_at="2024-01-01", goal=Claim(atoms=()), status="unknown"
    )
    sealed = Seals(key).sealed(proof.digested())
    assert Seals(key).of(sealed) == "sealed here"
    assert (Seals(other).of(sealed) == "sealed here") == (key.strip() == other.strip())
    assert sealed.digest == sealed.fingerprint()


def test_the_key_is_told_nowhere(made, monkeypatch: pytest.MonkeyPatch):
    memory, proofs = made
    told = [repr(memory.settings), repr(Seals(KEY)), repr(memory.verify(proofs[0])), *(p.to_json() for p in proofs)]
    assert not [text for text in told if KEY in text or json.dumps(KEY) in text]
    monkeypatch.setenv("GOALMEM_PROOF_KEY", "too short")
    with pytest.raises(InputError, match="GOALMEM_PROOF_KEY") as caught:
        load_settings()
    assert "too short" not in str(caught.value) + repr(caught.value)


def test_a_seal_can_only_be_required_with_a_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_PROOF_SEAL_REQUIRED", "true")
    with pytest.raises(InputError, match="GOALMEM_PROOF_KEY"):
        load_settings()
    monkeypatch.setenv("GOALMEM_PROOF_KEY", KEY)
    assert load_settings().proof_key == KEY
    assert pickle.loads(pickle.dumps(load_settings())).proof_key == KEY  # noqa: S301 (bulk work hands it on)


def test_the_command_line_and_http_say_it_too(tmp_path, monkeypatch: pytest.MonkeyPatch, analyzer: Analyzer):
    from fastapi.testclient import TestClient
    from typer.testing import CliRunner

    from goalmem.cli.app import app
    from goalmem.serve.app import create_app
    from goalmem.serve.ledger import open_ledger
    from goalmem.serve.service import Service

    sealed = Memory(settings=Settings(proof_key=KEY), analyzer=analyzer)
    with sealed as memory, closing(open_ledger(":memory:", "")) as ledger:
        memory.add("I adopted a beagle.", at="2024-01-05")
        service = Service(memory, ledger, memory.settings)
        with TestClient(create_app(service), base_url="http://localhost") as client:
            answer = client.post("/v1/ask", json={"question": "What did I adopt?"}).json()
            checks = client.post("/v1/verify", json={"proof": answer["proof"]}).json()["checks"]
    assert [c["detail"] for c in checks if c["name"] == "seal"] == ["sealed here"]
    store = ["--store", str(tmp_path / "a.goalmem")]
    monkeypatch.setenv("GOALMEM_PROOF_KEY", KEY)
    run = CliRunner().invoke
    assert run(app, ["add", "--text", "I adopted a beagle.", *store]).exit_code == 0
    told = run(app, ["ask", "What did I adopt?", "--json", *store]).output
    assert "sealed here" in run(app, ["verify", "-", *store], input=told).output
    monkeypatch.setenv("GOALMEM_PROOF_KEY", OTHER)
    done = run(app, ["verify", "-", *store], input=told)
    assert (done.exit_code, KEY in done.output) == (1, False)
    assert "sealed with another key or changed" in done.output
