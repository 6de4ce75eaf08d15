"""Dialogues asked: several make a memory, and the questions of one that is not told cannot be answered."""

import json

import pytest

from goalmem.errors import FormatError, GoalmemError
from goalmem.models.minilm import MiniLM
from goalmem_lab.evals.asked_run import Run
from goalmem_lab.evals.dialogues_ask import evaluate
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.selection import Selection

PETS = ("beagle", "parrot", "tabby", "gecko", "hamster", "tortoise")


def dialogue(number):
    owner = ("Joris", "Petra")[number % 2]
    return {
        "title": f"scene {number}",
        "paragraphs": [
            {
                "utterances:": [
                    {"uid": 0, "speakers": [owner], "utterance": f"I adopted a {PETS[number]} ."},
                    {"uid": 1, "speakers": ["Emre"], "utterance": "Lovely !"},
                ],
                "qas": [
                    {
                        "id": f"q{number}",
                        "question": f"What did {owner} adopt ?",
                        "answers": [
                            {
                                "answer_text": f"a {PETS[number]}",
                                "utterance_id": 0,
                                "inner_start": 2,
                                "inner_end": 3,
                                "is_speaker": False,
                            }
                        ],
                    }
                ],
            }
        ],
    }


@pytest.fixture
def friends(tmp_path):
    path = tmp_path / "friendsqa_test.json"
    path.write_text(json.dumps({"data": [dialogue(n) for n in range(6)]}), encoding="utf-8")
    return path


@pytest.fixture
def ask(analyzer, tmp_path):
    def measure(path, **options):
        with Memories(MiniLM(), tmp_path / "cache", analyzer) as memories:
            return evaluate(path, memories, Run(state=tmp_path / "state", **options))

    return measure


def test_what_was_told_can_be_answered_and_what_was_not_cannot(friends, ask, tmp_path):
    figures = ask(friends, save=tmp_path / "run.jsonl")
    assert {name: part["questions"] for name, part in figures["by_kind"].items()} == {"told": 4, "unanswerable": 1}
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [r["gold"] for r in rows] == [f"a {pet}" for pet in PETS[:5]]
    assert {r["benchmark"] for r in rows} == {"friendsqa"}
    assert all(r["kind"] for r in rows)


def test_a_sample_is_drawn_from_every_memory(friends, ask, tmp_path):
    many = json.loads(friends.read_text())["data"] * 2
    friends.write_text(json.dumps({"data": many}), encoding="utf-8")
    ask(friends, selection=Selection(sample=4), save=tmp_path / "run.jsonl")
    places = [int(json.loads(line)["id"].split("/")[1]) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert sum(place < 5 for place in places) == 2


def test_a_file_that_is_none_of_the_published_ones_is_refused(tmp_path, ask):
    with pytest.raises(FormatError, match="friendsqa_test"):
        ask(tmp_path / "talk.json")
    with pytest.raises(GoalmemError):
        ask(tmp_path / "friendsqa_dev.json")


def test_too_few_dialogues_are_said(friends, ask):
    friends.write_text(json.dumps({"data": [dialogue(0)]}), encoding="utf-8")
    with pytest.raises(FormatError, match="1 dialogues"):
        ask(friends)
