"""Graphs kept in a space, and what they prove there by themselves and together with what was said and what is stated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from goalmem import AsyncMemory, Memory
from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, silent
from goalmem.errors import FormatError, InputError, ModelError, NotFoundError, ProofError
from goalmem.graph.critic import Critic
from goalmem.graph.entity_linking import LinkableGraph
from goalmem.graph.protocol import Name, Triple
from goalmem.proof.document import Node, Proof
from goalmem.settings import Settings
from goalmem.sources.graph.space_graphs import SpaceGraphs
from tests.cases import one_in

FILMS = [
    ("Kismet", "directed_by", "William Dieterle"),
    ("Kismet", "starred_actors", "Ronald Colman"),
    ("Portrait of Jennie", "directed_by", "William Dieterle"),
    ("Portrait of Jennie", "starred_actors", "Joseph Cotten"),
    ("Portrait of Jennie", "starred_actors", "Jennifer Jones"),
    ("Niagara", "starred_actors", "Joseph Cotten"),
    ("Niagara", "directed_by", "Henry Hathaway"),
    ("Bergen", "is_a", "city"),
    ("Bergen", "is_in", "Norway"),
]
TALK = [
    {"role": "user", "name": "Maya", "content": "My brother Sam called. He lives in Bergen now."},
    {"role": "user", "name": "Maya", "content": "I love Kismet, it's my favourite film."},
    {"role": "user", "name": "Maya", "content": "Ines works for the airline."},
]
RULES = (
    "People who live in a city that is in Norway need warm boots. "
    "If someone loves a film that was directed by William Dieterle then they are old-fashioned."
)
PATIENT = Settings(ask_seconds=120)
"""What is answered does not depend on how busy the machine is."""
EARLIER = Path(__file__).parents[1] / "graph" / "earlier"
WALK = "Who starred in the films directed by the director of Kismet?"


@pytest.fixture(scope="module")
def filled(module_memory: Callable[..., Memory]) -> Memory:
    """A space with all three; tests that change nothing share it."""
    memory = module_memory(settings=PATIENT)
    memory.add(TALK, at="2024-05-01")
    memory.add_rules(RULES)
    memory.import_graph(FILMS)
    return memory


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(settings=PATIENT)


def test_a_walk_over_an_imported_graph_answers_with_a_proof_that_holds(filled: Memory) -> None:
    answer = filled.ask(WALK)
    assert answer.values == ("Jennifer Jones", "Joseph Cotten")
    assert {(walk.source, walk.judge.partition("-")[0]) for walk in walks_of(answer.proof)} == {("walks", "local")}
    assert "triple:Kismet|directed_by|William Dieterle" in answer.citations
    assert filled.verify(Proof.from_json(answer.proof.to_json())).failures == ()


def walks_of(proof: Proof) -> list[Node]:
    """The steps of an answer that are walks."""
    solutions = proof.root.children if proof.root is not None else ()
    return [step for solution in solutions for step in solution.children if step.kind == "edge" and step.children]


def test_proofs_as_they_were_written_before_a_walk_was_a_step_are_still_accepted(
    open_memory: Callable[..., Memory], filled: Memory
) -> None:
    written = (EARLIER / "space.json").read_text()
    assert filled.verify(written).failures == ()
    assert not filled.verify(written.replace("Jennifer Jones", "Ronald Colman")).ok
    talk = "Nordlys belongs to Torvald. Nordlys is in Oslo. Torvald owns a boat."
    memory = open_memory(settings=Settings(ask_edges=True, answer_threshold=0.0, reader="none"))
    told = ["Sam lives in Bergen. Sam works for Nordlys.", talk]
    memory.add([{"role": "user", "name": "Maya", "content": content} for content in told], at="2024-05-01")
    own = (EARLIER / "own.json").read_text()
    assert memory.verify(own).failures == ()
    assert not memory.verify(own.replace("Sam works", "Tom works")).ok


def test_a_walk_over_the_edges_of_what_was_said_is_a_step_like_one_over_a_graph(
    open_memory: Callable[..., Memory],
) -> None:
    talk = [{"role": "user", "name": "Maya", "content": "Sam lives in Bergen. Sam works for Nordlys."}]
    question = "In which place is the company that Sam works for?"
    memory = open_memory(settings=Settings(ask_edges=True, answer_threshold=0.0, reader="none"))
    turns = memory.add(talk, at="2024-05-01").turns
    answer = memory.ask(question)
    assert {walk.source for walk in walks_of(answer.proof)} == {"own walks"}
    assert set(answer.citations) <= set(turns)
    written = answer.proof.to_json()
    assert memory.verify(Proof.from_json(written)).failures == ()
    for one, other in (
        ("own walks", "walks"),
        ("own walks", "memory"),
        ("Sam work for", "Sam live in"),
        ("Nordlys", "Bergen"),
    ):
        assert not memory.verify(sealed(written.replace(one, other))).ok
    memory.forget(turn=turns[0])
    assert not memory.verify(written).ok


def sealed(written: str) -> Proof:
    """A proof that was changed on purpose, with the digest that it should then have."""
    return Proof.from_json(written).digested()


def test_a_walk_with_an_edge_left_out_put_elsewhere_or_exchanged_is_refused(filled: Memory) -> None:
    proof = filled.ask(WALK).proof
    root = proof.root
    assert root is not None
    first, second = (solution.children[0] for solution in root.children)

    def altered(edges: tuple[Node, ...]) -> Proof:
        walk = first.model_copy(update={"children": edges})
        solution = root.children[0].model_copy(update={"children": (walk,)})
        changed = root.model_copy(update={"children": (solution, *root.children[1:])})
        return proof.model_copy(update={"root": changed}).digested()

    one, two, three = first.children
    assert filled.verify(altered((one, two, three))).ok
    for edges in (
        (two, three),
        (one, three),
        (one, two),
        (two, one, three),
        (one, two, second.children[2]),
        (three,),
        (),
    ):
        assert not filled.verify(altered(edges)).ok


def test_a_budget_that_ends_leaves_a_walk_unknown_and_says_so(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(settings=PATIENT)
    memory.import_graph(FILMS)
    pipeline = memory._parts.pipeline
    inquiry = pipeline.inquiry(WALK, "default", datetime(2024, 5, 1, tzinfo=UTC), silent)
    path = pipeline.path(inquiry, "default", datetime(2024, 5, 1, tzinfo=UTC))
    (goal,) = [g for g in inquiry.goals if "leads in the graph" in str(g.atoms[0])]
    budget = Budget(steps=3)
    proof = path.proved(goal, inquiry.sources, budget)
    assert (proof.status, [m.stage for m in proof.missing]) == ("unknown", ["over-budget"])
    assert budget.spent.steps > 2


def test_a_graph_alone_answers_and_says_what_it_does_not_hold(memory: Memory) -> None:
    report = memory.import_graph(FILMS)
    assert (report.triples, report.known) == (len(FILMS), False)
    assert memory.import_graph(FILMS).known
    answer = memory.ask(WALK)
    assert answer.text == "Jennifer Jones and Joseph Cotten"
    assert memory.verify(answer).ok
    unknown = memory.ask("Who starred in Casablanca?")
    assert (unknown.known, memory.why_not("Who starred in Casablanca?").stage != "answered") == (False, True)
    assert memory.verify(unknown).ok


@pytest.mark.parametrize(
    ("question", "answer", "edge"),
    [
        ("Who needs warm boots?", "Sam", "triple:Bergen|is_in|Norway"),
        ("Does Sam need warm boots?", "Yes", "triple:Bergen|is_in|Norway"),
        ("Is Maya old-fashioned?", "Yes", "triple:Kismet|directed_by|William Dieterle"),
    ],
)
def test_one_proof_rests_on_what_was_said_a_rule_and_an_edge(
    filled: Memory, question: str, answer: str, edge: str
) -> None:
    asked = filled.ask(question)
    assert asked.text == answer
    kinds = {n.source for s in (asked.proof.root.children if asked.proof.root else ()) for _, n in s.walk()}
    assert {"memory", "rules", "graph"} <= kinds
    cited = set(asked.citations)
    assert edge in cited
    assert any(c.startswith("rule-") for c in cited)
    assert any(c.startswith("t") and not c.startswith("triple:") for c in cited)
    assert filled.verify(Proof.from_json(asked.proof.to_json())).failures == ()


def test_a_question_is_taken_apart_into_what_was_said_and_what_the_graph_holds(filled: Memory) -> None:
    answer = filled.ask("In which country is the city where Sam lives?")
    assert answer.text == "Norway"
    steps = answer.proof.root.children[0].children if answer.proof.root else ()
    assert {(s.source, s.kind) for s in steps} == {("graph", "edge"), ("memory", "fact")}
    assert filled.verify(Proof.from_json(answer.proof.to_json())).failures == ()


ALTERED = [
    ("Bergen", "Oslo"),
    ("Norway", "Sweden"),
    ("is_in", "is_a"),
    ("is in", "is near"),
    ("warm boots", "a coat"),
    ("Sam", "Ines"),
    ("triple:Bergen|is_in|Norway", "triple:Norway|is_in|Bergen"),
    ('"kind":"edge"', '"kind":"rule"'),
]


@pytest.mark.parametrize(("one", "other"), one_in(2, ALTERED))
def test_a_mixed_proof_with_anything_altered_is_refused(filled: Memory, one: str, other: str) -> None:
    written = filled.ask("Who needs warm boots?").proof.to_json()
    assert one in written
    for times in (1, -1):
        try:
            assert not filled.verify(written.replace(one, other, times)).ok
        except ProofError:
            continue


def test_the_same_is_answered_of_what_was_said_with_and_without_a_graph(
    open_memory: Callable[..., Memory], filled: Memory
) -> None:
    without = open_memory()
    without.add(TALK, at="2024-05-01")
    for question in ("Where does Sam live?", "Who works for the airline?", "What is Maya's favourite film?"):
        asked, plain = filled.ask(question), without.ask(question)
        assert (asked.text, asked.status) == (plain.text, plain.status)
        assert asked.proof.goal == plain.proof.goal


def test_a_triple_that_is_gone_proves_nothing(memory: Memory) -> None:
    memory.add(TALK, at="2024-05-01")
    memory.add_rules(RULES)
    memory.import_graph(FILMS)
    walk, mixed = memory.ask(WALK).proof, memory.ask("Who needs warm boots?").proof
    assert memory.remove_graph() == len(FILMS)
    for proof in (walk, mixed):
        assert not memory.verify(proof).ok
    assert not memory.ask("Who needs warm boots?").known
    with pytest.raises(NotFoundError):
        memory.remove_graph()
    memory.import_graph(FILMS[:3])
    assert not memory.verify(walk).ok
    memory.import_graph(FILMS)
    assert memory.verify(mixed).ok


def test_a_rule_or_a_turn_that_is_gone_takes_its_mixed_proof_with_it(memory: Memory) -> None:
    turn = memory.add(TALK, at="2024-05-01").turns[0]
    (rule, *_) = memory.add_rules(RULES).ids
    memory.import_graph(FILMS)
    proof = memory.ask("Who needs warm boots?").proof
    memory.remove_rules(rule)
    assert not memory.verify(proof).ok
    memory.add_rules(RULES)
    assert memory.verify(proof).ok
    memory.forget(turn=turn)
    assert not memory.verify(proof).ok


def test_graphs_and_their_proofs_stay_in_their_space(memory: Memory) -> None:
    memory.import_graph(FILMS, space="a")
    memory.import_graph([("Kismet", "directed_by", "Vincente Minnelli")], space="b")
    proof = memory.ask(WALK, space="a").proof
    assert memory.ask("Who directed Kismet?", space="a").text == "William Dieterle"
    assert memory.ask("Who directed Kismet?", space="b").text == "Vincente Minnelli"
    assert not memory.ask("Who directed Kismet?", space="c").known
    assert memory.verify(proof, space="a").ok
    for elsewhere in ("b", "c"):
        assert not memory.verify(proof, space=elsewhere).ok


def test_a_graph_is_kept_in_the_file_exported_imported_and_forgotten(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    copy = tmp_path / "export.jsonl"
    with Memory(tmp_path / "a.goalmem") as memory:
        memory.import_graph([*(Triple(*f) for f in FILMS), Name("Kismet", "The Magic Bazaar", label=False)], space="a")
        memory.add(TALK, space="b", at="2024-05-01")
    with Memory(tmp_path / "a.goalmem") as memory:
        assert memory.graph(space="a").size().triples == len(FILMS)
        assert memory.ask(WALK, space="a").known
        memory.export(copy)
    other = open_memory()
    for _ in range(2):
        other.import_(copy)
        assert other.graph(space="a").size().triples == len(FILMS)
    assert other.ask("Who directed The Magic Bazaar?", space="a").text == "William Dieterle"
    other.import_(copy, space="c")
    assert other.graph(space="c").size().triples == len(FILMS)
    assert other.forget(space="a", everything=True).triples == len(FILMS)
    assert other.graph(space="a").size().triples == 0
    assert not other.ask(WALK, space="a").known


def test_an_export_with_an_altered_graph_is_refused_and_one_without_is_as_before(tmp_path: Path) -> None:
    copy = tmp_path / "export.jsonl"
    with Memory() as memory:
        memory.add(TALK[:1], at="2024-05-01")
        memory.export(copy)
        assert json.loads(copy.read_text().splitlines()[0]) == {"goalmem": 1}
        memory.import_graph(FILMS[:1])
        memory.export(copy)
    lines = copy.read_text().splitlines()
    assert json.loads(lines[0]) == {"goalmem": 3}
    place = next(n for n, line in enumerate(lines) if "triples" in line)
    for wrong in ([["a", "b"]], [["a", "b", 7]], [["a", "", "c"]], "abc", [["a", "b", "c\x00"]]):
        altered = [*lines]
        altered[place] = json.dumps(json.loads(lines[place]) | {"triples": wrong})
        copy.write_text("\n".join(altered))
        with Memory() as other, pytest.raises(FormatError, match=f"line {place + 1}"):
            other.import_(copy)


def test_what_was_said_is_a_graph_itself(filled: Memory) -> None:
    own = filled.graph(own=True)
    sam = own.node("Sam")
    assert sam is not None
    assert filled.graph().node("Sam") is None
    assert own.size().triples > 0


def test_a_walk_over_what_was_said_cites_its_words_where_that_is_asked_for(open_memory: Callable[..., Memory]) -> None:
    talk = [
        {"role": "user", "name": "Maya", "content": "Sam lives in Bergen. Sam works for Nordlys."},
        {"role": "user", "name": "Maya", "content": "Nordlys belongs to Torvald."},
    ]
    question = "To whom does the company that Sam works for belong?"
    memory = open_memory(settings=Settings(ask_edges=True, answer_threshold=0.0, reader="none"))
    turns = memory.add(talk, at="2024-05-01").turns
    answer = memory.ask(question)
    if answer.known:  # what else answers it comes first
        assert set(answer.citations) <= set(turns)
        assert memory.verify(Proof.from_json(answer.proof.to_json())).ok


def test_who_listens_is_told_of_every_hop_and_of_the_walk(filled: Memory) -> None:
    told: list[Event] = []
    filled.ask(WALK, on_event=told.append)
    hops = [e for e in told if e.kind == "hop"]
    (walk,) = [e for e in told if e.kind == "walk"]
    assert {h.data["parent"] for h in hops} <= {0, *(h.data["node"] for h in hops)}
    assert walk.data["topic"] == "Kismet"
    assert sorted(walk.data["answers"]) == ["Jennifer Jones", "Joseph Cotten"]
    json.dumps([dict(e.data) for e in told])


def test_what_is_no_graph_is_refused_whole(memory: Memory, tmp_path: Path) -> None:
    bad = tmp_path / "bad.psv"
    bad.write_text("a|r|b\na|r\n")
    with pytest.raises(FormatError, match="line 2"):
        memory.import_graph(bad)
    for wrong in ([("a", "b")], [("a", "", "c")], [("a", 7, "c")], [], 7, [("a", "r", "c\x00")]):
        with pytest.raises(InputError):
            memory.import_graph(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="pipes"):
        memory.import_graph(bad, format="csv")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        memory.import_graph([("a", "r", "b")], format="tsv")
    assert memory.spaces() == []
    with pytest.raises(FormatError):
        memory.import_graph(tmp_path / "nowhere.nt")


def test_files_of_every_format_are_imported(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.psv": "Kismet|directed_by|William Dieterle\n",
        "b.tsv": "Kismet\tstarred_actors\tRonald Colman\n",
        "c.nt": "<http://e.org/Oslo> <http://e.org/capitalOf> <http://e.org/Norway> .\n",
        "d.ttl": "@prefix e: <http://e.org/> .\ne:Bergen e:isIn e:Norway .\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        memory.import_graph(tmp_path / name)
    assert memory.graph().size().triples == len(files)


class Recorded:
    """A critic as a chat model is one: what it said once it may not say again, and it counts what it costs."""

    name = "chat:somebody"

    def __init__(self, inner: Critic) -> None:
        self.inner = inner
        self.asked = 0

    def __getattr__(self, name: str) -> object:
        self.asked += 1
        return getattr(self.inner, name)

    def usage(self, query: object) -> int:
        return self.asked


def test_what_a_chat_model_reflected_counts_where_it_is_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    critics: list[Recorded] = []
    local = SpaceGraphs._critic

    def critic_of(shelf: SpaceGraphs, graph: LinkableGraph) -> Critic:
        critics.append(Recorded(local(shelf, graph)))
        return critics[-1]  # type: ignore[return-value]

    monkeypatch.setattr(SpaceGraphs, "_critic", critic_of)
    with Memory(tmp_path / "a.goalmem", settings=PATIENT) as memory:
        memory.add(TALK, at="2024-05-01")
        memory.import_graph(FILMS)
        answer = memory.ask(WALK)
        assert answer.values == ("Jennifer Jones", "Joseph Cotten")
        assert {walk.judge for walk in walks_of(answer.proof)} == {"chat:somebody"}
    with Memory(tmp_path / "a.goalmem", settings=PATIENT) as memory:
        assert memory.verify(answer.proof).failures == ()
        assert critics[-1].asked == 0
        assert not memory.verify(answer.proof.to_json().replace("Who starred", "Who was good")).ok
    with Memory(settings=PATIENT) as memory:
        memory.import_graph(FILMS)
        assert not memory.verify(answer.proof).ok


def test_a_critic_that_is_not_there_is_named() -> None:
    for critic in ("chat", "/nowhere/at/all"):
        with Memory(settings=replace(PATIENT, graph_critic=critic)) as memory:
            memory.import_graph(FILMS)
            with pytest.raises((InputError, ModelError)):
                memory.ask(WALK)


def test_asyncio_has_it_too() -> None:
    async def main() -> None:
        async with AsyncMemory() as memory:
            await memory.import_graph(FILMS)
            assert (await memory.graph()).size().triples == len(FILMS)
            answer = await memory.ask(WALK)
            assert (await memory.verify(answer)).ok
            assert await memory.remove_graph() == len(FILMS)

    asyncio.run(main())
