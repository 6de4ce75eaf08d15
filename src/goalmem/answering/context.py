"""What a memory has to say to any utterance, as a block for a prompt.

A question is reasoned about as `ask` does; of a request, a plan or a statement what it describes and names is looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from goalmem.answering.context_block import LONGEST_NAME, LONGEST_QUOTE, Group, Note, block_of, excerpt
from goalmem.answering.pipeline import Asking
from goalmem.answering.policy import doubt, settled
from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Atom
from goalmem.models.tokens import count_tokens
from goalmem.proof.build import build_proof
from goalmem.proof.document import MissingGoal, Node, Proof
from goalmem.reasoners.local import ASKER, LONGEST_QUESTION
from goalmem.reasoners.utterance import understand
from goalmem.records import Fact, Modality, Turn
from goalmem.retrieve.passages import passages
from goalmem.retrieve.search import Ranked
from goalmem.retrieve.weights import Weights
from goalmem.retrieve.words import terms_of
from goalmem.sources.memory import MemorySource

__all__ = ["Context", "context_of"]

SECONDS = 2.0
"""What proving the descriptions of one utterance may take; what was found by then is quoted."""
TOKENS_A_NOTE = 40
"""About what one quotation takes: says how many are worth looking for."""
LEAST_NOTES, MOST_NOTES = 3, 40
"""Turns looked up for one subgoal, whatever the limit of tokens."""
BESIDE_PROOF = 2
"""Turns that are near, where others prove the subgoal."""
NEAR = 0.4
"""Cosine from which a turn is near a subgoal without a word in common. With MiniLM, sentences that have nothing to do with
each other mostly lie below .3 (the development half of LongMemEval)."""
NEAR_WITH_WORDS = 0.15
"""The same for a turn that has words in common, with their share of what all words of the subgoal could give."""
BEINGS = frozenset({"person", "animal"})
"""Types of what pronouns surely stand for; what `it` is, is read too often wrongly to be told."""
MOST_VALUES = 3
"""Values of one variable that are named in a subgoal."""
MOST_MEANINGS = 3
"""Words of a quotation that are explained."""
READ_LENGTH = 20_000
"""Characters of a turn that are read for what bears on a subgoal."""
REASONS = {
    "never-said": "nothing that is remembered says so",
    "not-asserted": "it was asked, planned, supposed or wished, not stated",
    "superseded": "it was so once; something said later replaced it",
    "not-unified": "what comes near says something else",
    "over-budget": "the search for it ended early",
}
"""The stages at which a goal may fail, in plain words."""


@dataclass(frozen=True, slots=True)
class Context:
    """What memory has to say to an utterance."""

    utterance: str
    text: str
    """The block for a prompt; empty when not even its frame fits the limit."""
    tokens: int
    """Of the text, as it was counted; never more than the limit."""
    facts: Mapping[str, tuple[Note, ...]]
    """What the text quotes, by subgoal: what proves, what is near, what was replaced; of each the newest first."""
    missing: tuple[MissingGoal, ...]
    """What could not be proved, also where the text has no room to say so."""
    sources: tuple[str, ...]
    """Ids of the turns that the text quotes."""

    def __str__(self) -> str:
        return self.text


def context_of(
    asking: Asking,
    utterance: str,
    *,
    space: str,
    at: datetime,
    max_tokens: int,
    count: Callable[[str], int] | None = None,
    asker: str = ASKER,
) -> Context:
    """What memory has to say to an utterance of `asker`, in at most `max_tokens` tokens as `count` counts them."""
    source, *others = asking._sources(space, at, asker=asker)
    most = max(LEAST_NOTES, min(MOST_NOTES, max_tokens // TOKENS_A_NOTE))
    gathering = Gathering(asking, source, utterance, most)
    understood = understand(
        utterance, at, source.names, asking._reasoner, lambda t: asking.analyzer.docs([t])[0], asker
    )
    budget = Budget(seconds=SECONDS, depth=asking.settings.ask_depth, breadth=asking.settings.ask_breadth)
    for goal in understood.questions:
        gathering.take(asking.proof(goal.question, space=space, at=at, asker=asker), asked=True)
    for goal in understood.described:
        goal, outcome = settled(goal, lambda g: prove(g, [source, *others], budget))
        reason = doubt(goal, outcome, asking.settings.answer_threshold)
        proof = build_proof(outcome, goal, question=goal.question, space=space, asked_at=at, abstain_reason=reason)
        gathering.take(proof, asked=False)
    for topic in understood.topics:
        gathering.look_up(topic)
    gathering.look_up(utterance[-LONGEST_QUESTION:], title="what else bears on it")
    missing = [(source.reader.read(m.atom).text, REASONS.get(m.stage, m.reason)) for m in gathering.missing]
    missing += [(topic, "nothing is remembered of it") for topic in gathering.unheard]
    counter = count or count_tokens
    answers, likely = gathering.answers, gathering.likely
    block = block_of(gathering.groups, answers, missing, most=max_tokens, count=counter, likely=likely)
    quoted = dict.fromkeys(note.turn for group in block.groups for note in group.notes)
    return Context(
        utterance,
        block.text,
        block.tokens,
        {group.subgoal: group.notes for group in block.groups},
        tuple(gathering.missing),
        tuple(quoted),
    )


@dataclass
class Gathering:
    """What is found for an utterance, subgoal by subgoal; a turn is quoted once."""

    asking: Asking
    source: MemorySource
    utterance: str
    most: int
    """Turns looked up for one subgoal."""
    groups: list[Group] = field(default_factory=list)
    answers: list[tuple[str, str]] = field(default_factory=list)
    likely: list[tuple[str, str]] = field(default_factory=list)
    """Answers that are not proved but likely."""
    missing: list[MissingGoal] = field(default_factory=list)
    unheard: list[str] = field(default_factory=list)
    """Topics of which nothing is remembered."""
    _contents: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # What was said just now is before the model's eyes already.
        self._contents.add(self.utterance.strip())

    def take(self, proof: Proof, *, asked: bool) -> None:
        """What a proof rests on, by subgoal, with what comes near; of an unknown answer, what is missing."""
        if proof.status != "unknown" and asked:
            (self.likely if proof.status == "likely" else self.answers).append((proof.question, proof.answer))
        self.missing += proof.missing
        solutions = [*(proof.root.children if proof.root is not None else ()), *proof.alternatives]
        by_atom = [[s.children[n] for s in solutions if n < len(s.children)] for n in range(len(proof.goal.atoms))]
        proving = [self.proving(nodes) for nodes in by_atom]
        # Only then what is near: what proves one subgoal is near another.
        for atom, nodes, notes in zip(proof.goal.atoms, by_atom, proving, strict=True):
            ground = next((n.ground for n in nodes if n.ground is not None), atom)
            most = BESIDE_PROOF if notes else MOST_NOTES
            self.add(titled(atom, nodes), [*notes, *self.near(self.source.reader.read(ground).text, most=most)])

    def look_up(self, topic: str, title: str = "") -> None:
        """What comes near a topic."""
        notes = self.near(topic) if title or topic.islower() else self.of_name(topic)
        if not title and not notes:
            self.unheard.append(topic)
        self.add(title or topic, notes)

    def of_name(self, name: str) -> list[Note]:
        """What was said by or of someone, first what has to do with the utterance."""
        words = {*terms_of(name), *terms_of(self.source.wording.canonical(name))}

        def named(turn: Turn) -> bool:
            return not words.isdisjoint(terms_of(f"{turn.speaker} {turn.content[:READ_LENGTH]}"))

        return [*self.near(self.utterance[-LONGEST_QUESTION:], named), *self.near(name, named)][: self.most]

    def add(self, subgoal: str, notes: Sequence[Note]) -> None:
        """A group, unless it is empty."""
        if notes:
            self.groups.append(Group(subgoal, tuple(notes)))

    def proving(self, nodes: Sequence[Node]) -> list[Note]:
        """What proofs of a subgoal quote, each turn once."""
        cited: dict[str, tuple[int, int]] = {}
        for evidence in (e for node in nodes for _, below in node.walk() for e in below.evidence):
            cited.setdefault(evidence.turn, (evidence.start, evidence.end))
        store, space = self.asking.store, self.source.space
        turns = store.turns(space, [*cited][: self.most]) if cited else {}
        facts = facts_by_turn(store.facts(space, turns=turns)) if turns else {}
        return [
            self.note(turn, facts.get(turn.id, []), cited[turn.id], proves=True)
            for turn in turns.values()
            if turn.content.strip() != self.utterance.strip()
        ]

    def near(self, text: str, wanted: Callable[[Turn], bool] | None = None, most: int = MOST_NOTES) -> list[Note]:
        """Turns that have to do with a text, best first; those that only ask say nothing."""
        source = self.source
        found = self.asking.searcher.rank(text, space=source.space, k=self.most, at=source.at, asker=source.asker)
        ids = [r.turn for r in found if relevant(r, of_name=wanted is not None)]
        turns = self.asking.store.turns(self.source.space, ids)
        facts = facts_by_turn(self.asking.store.facts(self.source.space, turns=turns)) if turns else {}
        notes: list[Note] = []
        for turn in (turns[i] for i in ids if i in turns):
            if len(notes) == most:
                break
            own = facts.get(turn.id, [])
            if turn.content.strip() in self._contents or only_asks(turn, own):
                continue
            if wanted is None or wanted(turn):
                notes.append(self.note(turn, own, focus_of(turn, text), proves=False))
        return notes

    def note(self, turn: Turn, facts: Sequence[Fact], focus: tuple[int, int], *, proves: bool) -> Note:
        """A turn as it is quoted."""
        self._contents.add(turn.content.strip())
        # Of a long turn only what is quoted can mislead.
        quoted = facts if len(turn.content) <= LONGEST_QUOTE else [f for f in facts if overlaps(f, focus)]
        replaced = ((f.text, newer.text) for f in quoted if (newer := self.source.slots.superseded_by(f)) is not None)
        return Note(
            turn.id,
            turn.speaker,
            turn.at if turn.dated else None,
            turn.content,
            proves,
            tuple(meanings(quoted))[:MOST_MEANINGS],
            next(replaced, None),
            focus,
        )


def relevant(found: Ranked, *, of_name: bool) -> bool:
    """Whether a turn has to do with what was looked for, and is not merely the best of what there is.

    `of_name`: someone was looked for, of whom also tells what he says himself.
    """
    if not found.signals:
        return True  # another system's, which says nothing of why
    weights = Weights()
    cosine = found.signals.get("dense", 0.0) / weights.dense
    shared = found.signals.get("lexical", 0.0) / weights.lexical
    tied = shared > 0 or (of_name and found.signals.get("speaker", 0.0) > 0)
    return cosine >= NEAR or (tied and cosine + shared >= NEAR_WITH_WORDS)


def facts_by_turn(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    """Facts of each turn, in order."""
    by_turn: dict[str, list[Fact]] = {}
    for fact in facts:
        by_turn.setdefault(fact.turn, []).append(fact)
    return by_turn


def only_asks(turn: Turn, facts: Sequence[Fact]) -> bool:
    """Whether a turn asks or requests and states nothing."""
    if turn.caption:
        return False
    asking = (Modality.QUESTION, Modality.COMMAND)
    return all(f.modality in asking for f in facts) if facts else turn.text.rstrip().endswith("?")


def focus_of(turn: Turn, text: str) -> tuple[int, int]:
    """Where in a turn the passage stands that has most words of the text."""
    content = turn.content[:READ_LENGTH]
    wanted = {*terms_of(text)}
    best = max(passages(content), key=lambda p: len(wanted & {*terms_of(p)}))
    start = max(0, content.find(best.split("\n")[0][:40]))
    return start, min(len(content), start + len(best))


def overlaps(fact: Fact, focus: tuple[int, int]) -> bool:
    """Whether a fact stands where a turn is quoted."""
    return fact.start < focus[1] and focus[0] < fact.end


def meanings(facts: Sequence[Fact]) -> Iterator[tuple[str, str]]:
    """What the times and pronouns of facts stand for, each once."""
    seen: set[str] = set()
    for fact in facts:
        spoken = (a for a in fact.args if a.resolved == "pronoun" and a.start >= 0 and a.type in BEINGS)
        pairs = [(a.text, a.entity) for a in spoken if a.entity]
        if fact.when is not None and fact.when_text:
            pairs.append((fact.when_text, str(fact.when)))
        for words, meaning in pairs:
            if words.casefold() not in seen and words.casefold() != meaning.casefold():
                seen.add(words.casefold())
                yield words, meaning


def titled(atom: Atom, nodes: Sequence[Node]) -> str:
    """A subgoal with what its variables were found to stand for."""
    found: dict[str, dict[str, None]] = {v.name: {} for v in atom.variables}
    for binding in (b for node in nodes for b in node.bindings):
        if binding.value.text.casefold() != binding.variable.type.casefold():
            found.get(binding.variable.name, {}).setdefault(excerpt(binding.value.text, LONGEST_NAME))
    values = ", ".join(f"{name} = {' or '.join([*texts][:MOST_VALUES])}" for name, texts in found.items() if texts)
    return f"{format_atom(atom)}{f' [{values}]' if values else ''}"
