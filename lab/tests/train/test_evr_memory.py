"""Networks that answer over the rules of a memory: with the veto and without, and what they said is kept."""

import json
import tomllib
from hashlib import sha256
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from lab.tests.train.evr_oracle import Oracle
from typer.testing import CliRunner

from goalmem import Memory
from goalmem.cli.app import app
from goalmem.errors import InputError, ModelError, RuleError
from goalmem.rules import Theory
from goalmem.rules.evr import reasoner
from goalmem.rules.evr.reasoner import Reasoner
from goalmem.settings import Settings
from goalmem_lab import networks

BOB = (
    "Bob is big. Ann is round. Big people are rough. If someone is rough and not blue then they are green. "
    "If someone is round then they are blue."
)
FACT = "true, this is confirmed by fact 1."


@pytest.fixture
def oracle(monkeypatch):
    made = Oracle.of(Theory.read(BOB))
    monkeypatch.setattr(Reasoner, "load", classmethod(lambda cls, folder: made.reasoner()))
    return made


def told(text=BOB, store=":memory:", **settings):
    memory = Memory(store, settings=Settings(evr_model="trained", **settings))
    memory.add_rules(text)
    return memory


def test_networks_prove_what_the_checker_then_accepts(oracle):
    with told() as memory:
        for question, text in (("Is Bob green?", "Yes"), ("Is Ann green?", "No"), ("Bob is not blue.", "Yes")):
            answer = memory.ask(question, reasoner="evr")
            assert answer.text == text
            assert memory.verify(answer).ok
        answer = memory.ask("Is Bob green?", reasoner="evr")
        assert answer.status == "proved"
        assert "false, CWA." in answer.monologue()
        assert 'i want to prove "Bob is not blue".' in answer.monologue()


def test_a_list_is_what_the_networks_find_or_withheld(oracle):
    with told() as memory:
        assert memory.ask("Who is rough?", reasoner="evr").text == "Bob"
        oracle.lies[FACT] = "false, CWA."
        assert memory.ask("Who is rough?", reasoner="evr").status == "unknown"


def test_with_the_veto_what_was_overlooked_is_withheld_and_without_it_likely_at_most(oracle):
    oracle.lies[FACT] = "false, CWA."
    with told() as memory:
        answer = memory.ask("Is Bob green?", reasoner="evr")
        assert (answer.text, answer.status) == ("I don't know", "unknown")
        assert memory.verify(answer).ok
    with told(evr_veto=False) as memory:
        answer = memory.ask("Is Bob green?", reasoner="evr")
        assert (answer.text, answer.status) == ("No", "likely")


def test_what_is_only_believed_is_never_proved_and_does_not_verify(oracle):
    with told(evr_veto=False) as memory:
        for question, text in (("Is Bob green?", "Yes"), ("Is Ann green?", "No")):
            answer = memory.ask(question, reasoner="evr")
            assert (answer.text, answer.status) == (text, "likely")
            assert answer.confidence < 1
            assert not memory.verify(answer).ok
            assert answer.proof.status == "unknown"
        assert memory.ask("Who is rough?", reasoner="evr").status == "unknown"


def test_questions_that_no_rule_bears_on_are_answered_as_without_networks(oracle):
    with Memory(settings=Settings(evr_model="trained")) as memory:
        memory.add([{"role": "user", "name": "Maya", "content": "I adopted a beagle."}])
        assert memory.ask("What did Maya adopt?", reasoner="evr").text == "beagle"
        memory.add_rules(BOB)
        assert memory.ask("What did Maya adopt?", reasoner="evr").text == "beagle"
        assert memory.ask("Is Bob rough?", reasoner="evr").text == "Yes"


def test_an_open_world_and_a_reasoner_that_there_is_not_are_refused(oracle):
    with Memory(settings=Settings(evr_model="trained")) as memory:
        memory.add_rules(BOB, world="open")
        with pytest.raises(RuleError, match="closed world"):
            memory.ask("Is Bob rough?", reasoner="evr")
        with pytest.raises(InputError, match="no reasoner"):
            memory.ask("Is Bob rough?", reasoner="evr1")


def test_where_no_networks_are_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(reasoner, "entry_points", lambda **_: ())
    with told() as memory, pytest.raises(InputError, match="goalmem train evr"):
        memory.ask("Is Bob rough?", reasoner="evr")
    with Memory() as memory:
        memory.add_rules(BOB)
        with pytest.raises(ModelError, match="GOALMEM_EVR_MODEL"):
            memory.ask("Is Bob rough?", reasoner="evr")


def test_the_networks_that_the_laboratory_ships_answer_where_none_are_set(monkeypatch):
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    ((name, value),) = project["project"]["entry-points"]["goalmem.networks"].items()
    shipped = EntryPoint(name, value, "goalmem.networks")
    monkeypatch.setattr(reasoner, "entry_points", lambda **_: (shipped,))
    for veto in (True, False):
        with Memory(settings=Settings(evr_veto=veto)) as memory:
            memory.add_rules(BOB)
            for question, text in (("Is Bob green?", "Yes"), ("Is Ann green?", "No"), ("Bob is not blue.", "Yes")):
                answer = memory.ask(question, reasoner="evr")
                assert answer.text == text
                assert memory.verify(answer).ok is veto
            assert answer.transcript


def test_each_shipped_network_is_the_one_that_its_card_describes():
    folder = networks.evr1()
    card = (folder / "README.md").read_text(encoding="utf-8")
    for weights in folder.glob("*.npz"):
        assert f"`{weights.name}` `{sha256(weights.read_bytes()).hexdigest()}`" in card


def test_the_command_answers_and_tells_what_was_said(oracle, tmp_path):
    store = str(tmp_path / "rules.goalmem")
    told(store=store).close()

    def run(*given):
        return CliRunner().invoke(app, ["rules", "ask", "Is Bob rough?", "--store", store, *given])

    assert run().stdout.splitlines()[0] == "Yes"
    shown = run("--reasoner", "evr", "--model", "trained", "--monologue").stdout
    assert shown.splitlines()[0] == "Yes"
    assert "GET(RULE_BUFFER_1) THEN RUN(EPISODIC_BUFFER, RULE_BUFFER_1)" in shown
    believed = run("--reasoner", "evr", "--model", "trained", "--no-veto", "--json")
    path = tmp_path / "answer.json"
    path.write_text(believed.stdout)
    assert json.loads(believed.stdout)["status"] == "likely"
    assert CliRunner().invoke(app, ["verify", str(path), "--store", store]).exit_code != 0
    assert run("--no-veto").exit_code != 0
