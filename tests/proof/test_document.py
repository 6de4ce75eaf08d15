from __future__ import annotations

import json

import pytest

from goalmem.errors import ProofError
from goalmem.logic.syntax import parse_atom
from goalmem.proof.document import MAX_DEPTH, Claim, Judgement, Node, Proof, ProofFormatError


def proof(root: Node | None = None) -> Proof:
    claim = Claim(atoms=(parse_atom("Maya adopted (x:pet)"),))
    return Proof(
        version=2,
        question="What?",
        space="s",
        asked_at="2023-07-01T09:00:00+00:00",
        goal=claim,
        status="unknown",
        root=root,
    )


def refused(text: str | bytes) -> str:
    with pytest.raises(ProofFormatError) as caught:
        Proof.from_json(text)
    assert isinstance(caught.value, ProofError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.remedy
    return caught.value.problem


def test_the_document_is_canonical():
    text = proof().to_json()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert Proof.from_json(text).to_json() == text


def test_atoms_are_written_as_sentences():
    assert json.loads(proof().to_json())["goal"]["atoms"] == ["Maya adopted (x:pet)"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00", '{"version": 1', "[" * 100_000, b"\xff\xfe"])
def test_what_is_no_json_object_is_refused(text):
    assert refused(text)


def test_a_newer_version_is_told_apart_from_a_broken_one():
    fields = json.loads(proof().to_json())
    assert "version 3" in refused(json.dumps(fields | {"version": 3, "new": []}))
    for version in (0, -1, "1", 1.0, True, None):
        assert "version" in refused(json.dumps(fields | {"version": version}))


def test_the_format_before_is_read_and_says_so():
    old = Proof.from_json(json.dumps(json.loads(proof().to_json()) | {"version": 1}))
    assert old.version == 1
    assert old.to_json() == proof().to_json().replace('"version":2', '"version":1')
    for later in ({"digest": "0" * 64}, {"asker": "Maya"}, {"status": "likely"}):
        assert "format 1" in refused(json.dumps(json.loads(old.to_json()) | later))
    judged = Node(kind="aggregate", children=(Node(kind="fact", judgement=Judgement(judge="reader")),))
    assert "format 1" in refused(json.dumps(json.loads(proof(judged).to_json()) | {"version": 1}))


def test_the_digest_is_of_everything_else_and_survives_the_document():
    sealed = proof().digested()
    assert Proof.from_json(sealed.to_json(indent=2)).fingerprint() == sealed.digest == proof().fingerprint()
    assert sealed.model_copy(update={"space": "t"}).fingerprint() != sealed.digest


def test_problems_name_the_place():
    fields = json.loads(proof(Node(kind="aggregate", children=(Node(kind="conjunction"),))).to_json())
    fields["root"]["children"][0]["score"] = 7
    assert "root.children[0].score" in refused(json.dumps(fields))


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"goal": {"atoms": ["Maya has (x:dog"]}},
        {"goal": {"atoms": [], "more": 1}},
        {"asked_at": "yesterday"},
        {"confidence": "0.5"},
        {"status": "certain"},
        {"values": [{"text": "a", "key": "a", "secret": 1}]},
        {
            "values": [
                {"text": "a", "key": "a", "interval": {"start": "2023-01-02T00:00:00", "end": "2023-01-01T00:00:00"}}
            ]
        },
        {
            "values": [
                {"text": "a", "key": "a", "interval": {"start": "2023-01-01T00:00:00Z", "end": "2023-01-02T00:00:00Z"}}
            ]
        },
        {"values": [{"text": "a", "key": "a", "interval": {"start": "-1", "end": "2023-01-02T00:00:00"}}]},
    ],
)
def test_unknown_and_impossible_fields_are_refused(change):
    assert refused(json.dumps(json.loads(proof().to_json()) | change))


def test_repeated_fields_and_infinite_numbers_are_refused():
    text = proof().to_json()
    assert "twice" in refused(text[:-1] + ',"status":"proved"}')
    assert refused(text[:-1] + ',"confidence":NaN}')
    assert refused(text[:-1] + ',"confidence":1e999}')


def test_documents_that_are_too_deep_are_refused():
    node: dict[str, object] = {"kind": "conjunction"}
    for _ in range(MAX_DEPTH):
        node = {"kind": "conjunction", "children": [node]}
    assert refused(json.dumps(json.loads(proof().to_json()) | {"root": node}))
    assert refused(json.dumps(json.loads(proof().to_json()) | {"root": {"kind": "conjunction", "children": node}}))


def test_a_proof_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="frozen"):
        proof().answer = "Rex"
