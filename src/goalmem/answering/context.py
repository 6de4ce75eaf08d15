"""Build the block of a prompt that quotes what a memory knows about an utterance.

A question is answered as `ask` does. For a request, plan or statement, its descriptions and names are looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from goalmem.answer import Context, Note
from goalmem.answering.context_block import (
    CLOSEST,
    LONGEST_NAME,
    LONGEST_QUOTE,
    BlockContents,
    QuoteGroup,
    block_of,
    excerpt,
)
from goalmem.answering.pipeline import AnswerPipeline
from goalmem.answering.policy import AnswerPolicy
from goalmem.answering.profile_relevance import relevant_statements
from goalmem.engine.budget import Budget
from goalmem.language.terms import terms_of
from goalmem.language.words.nouns import ANIMATE
from goalmem.logic.syntax import canonical, format_atom
from goalmem.logic.terms import Atom, Goal
from goalmem.models.minilm import count_tokens
from goalmem.proof.document import MissingGoal, Node, Proof
from goalmem.proof.path import ProofPath
from goalmem.questions.local import LONGEST_QUESTION
from goalmem.questions.utterance import understand
from goalmem.records import ASKER, Fact, Profile, Turn, attribution
from goalmem.retrieve.passages import passages
from goalmem.retrieve.search import RankedTurn
from goalmem.retrieve.settings import Weights
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.ranking import scale_scores

__all__ = ["Context", "context_of"]

SECONDS = 2.0
"""Seconds for proving the descriptions in one utterance. What was found by then is quoted."""
TOKENS_A_NOTE = 16
"""Fewer tokens than most quotes take. Gives the number of turns to look up."""
LEAST_NOTES, MOST_NOTES = 3, 60
"""Bounds on the number of turns looked up, whatever the token limit."""
NEAREST = 0.2
"""If no turn shares a word with the utterance, the best turn must reach this cosine; otherwise the memory has nothing relevant. On
lives/train the best turn of every answerable question does."""
TOPIC_WEIGHT = 0.7
"""Weight of the best turn for a topic; the best turn for the whole utterance has weight 1."""
MOST_MISSING = 3
"""Most subgoals listed as not proved."""
"""Types that pronouns are resolved to reliably. `it` is resolved wrongly too often to be shown."""
MOST_VALUES = 3
"""Values of one variable that a subgoal's title names."""
MOST_MEANINGS = 3
"""Words explained in one quote."""
READ_LENGTH = 20_000
"""Characters of a turn that are searched for the best passage."""
REASONS = {
    "never-said": "no statement of it was found",
    "not-asserted": "the nearest statement is a question, plan or wish",
    "superseded": "the nearest statement was replaced later",
    "denied": "what the question takes for granted seems to be denied",
    "judged-not-said": "what comes nearest hardly says so",
    "not-unified": "the nearest statement does not match exactly",
    "over-budget": "the search was cut short",
}
"""The stages at which a goal can fail, in plain words. None of them contradicts what a quote may still say."""
UNMENTIONED = "not mentioned in memory"


def context_of(
    pipeline: AnswerPipeline,
    utterance: str,
    *,
    space: str,
    at: datetime,
    max_tokens: int,
    count: Callable[[str], int] | None = None,
    asker: str = ASKER,
    profile: Callable[[], Profile] | None = None,
) -> Context:
    """Return what a memory knows about an utterance of `asker`, in at most `max_tokens` tokens as `count` counts them.

    `profile`: the asker's; what of it matters to the utterance is put on top.
    """
    source, background = pipeline._sources(space, at, asker=asker)
    most = max(LEAST_NOTES, min(MOST_NOTES, max_tokens // TOKENS_A_NOTE))
    gathering = ContextBuilder(pipeline, source, utterance, most)
    understood = understand(
        utterance, at, source.names, pipeline._reasoner, lambda t: pipeline.analyzer.docs([t])[0], asker
    )
    budget = Budget(seconds=SECONDS, depth=pipeline.settings.ask_depth, breadth=pipeline.settings.ask_breadth)
    for goal in understood.questions:
        gathering.take(pipeline.proof(goal.question, space=space, at=at, asker=asker), asked=True)
    checker, policy = pipeline.checker(source, background), AnswerPolicy(pipeline.settings.answer_threshold)
    reader = DescriptionReader(understood.described)
    for goal in understood.described:
        path = ProofPath(goal.question, space, at, checker, policy, reader=reader, as_of=pipeline.as_of(space, at))
        gathering.take(path.proved(goal, [source, background], budget), asked=False)
    gathering.fill(understood.topics)
    missing = [(source.reader.read(m.atom).text, REASONS.get(m.stage, m.reason)) for m in gathering.missing]
    missing = [*dict(missing[:MOST_MISSING]).items(), *((topic, UNMENTIONED) for topic in gathering.unheard)]
    known = profile() if profile is not None else None
    shown = relevant_statements(known.statements, utterance, pipeline.cosine) if known is not None else ()
    who = known.who if known is not None else ""
    contents = BlockContents(gathering.groups, gathering.answers, missing, gathering.order, who, shown)
    block = block_of(contents, most=max_tokens, count=count or count_tokens)
    quoted = dict.fromkeys([*(note.turn for group in block.groups for note in group.notes), *block.profiled])
    return Context(
        utterance,
        block.text,
        block.tokens,
        {group.subgoal: group.notes for group in block.groups},
        tuple(gathering.missing),
        tuple(quoted),
    )


@dataclass(frozen=True)
class DescriptionReader:
    """Reads sentences that are not questions: their goals are what they describe."""

    goals: tuple[Goal, ...]

    def asks(self, goal: Goal, _asked: datetime, /) -> bool:
        """True if the goal, in canonical form, is what one of the sentences describes."""
        return any(replace(g, atoms=tuple(map(canonical, g.atoms))) == goal for g in self.goals)


@dataclass
class ContextBuilder:
    """Collects quotes for an utterance by subgoal. Each turn is quoted once."""

    pipeline: AnswerPipeline
    source: MemorySource
    utterance: str
    most: int
    """Most turns looked up."""
    groups: list[QuoteGroup] = field(default_factory=list)
    answers: list[tuple[str, str]] = field(default_factory=list)
    missing: list[MissingGoal] = field(default_factory=list)
    unheard: list[str] = field(default_factory=list)
    """Names that no turn mentions."""
    order: dict[str, int] = field(default_factory=dict)
    """Turn id -> its place in the order in which the turns were said, for turns that search found."""
    _contents: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # The model already sees the utterance itself.
        self._contents.add(self.utterance.strip())

    def take(self, proof: Proof, *, asked: bool) -> None:
        """Add the evidence of a proof, by subgoal; for an unknown answer, what is missing."""
        if proof.status != "unknown" and asked:
            self.answers.append((proof.question, f"{proof.answer} ({proof.status}, {proof.confidence:.2f})"))
        self.missing += proof.missing
        solutions = [*(proof.root.children if proof.root is not None else ()), *proof.alternatives]
        for n, atom in enumerate(proof.goal.atoms):
            nodes = [s.children[n] for s in solutions if n < len(s.children)]
            self.add(subgoal_title(atom, nodes), self.evidence_notes(nodes))

    def fill(self, topics: Sequence[str]) -> None:
        """Add the turns that search ranks first for the utterance and its topics."""
        own = self.found(self.utterance[-LONGEST_QUESTION:])
        scores = {r.turn: r.score for r in scale_scores(own)} if relevant(own) else {}
        for topic in topics:
            found = self.found(topic)
            if not topic.islower() and not self.named(topic, found):
                self.unheard.append(topic)
            elif relevant(found):
                for r in scale_scores(found):
                    scores[r.turn] = max(scores.get(r.turn, 0.0), TOPIC_WEIGHT * r.score)
        best = sorted(scores, key=lambda turn: (-scores[turn], turn))[: self.most]
        turns = self.pipeline.store.turns(self.source.space, best)
        self.add(CLOSEST, self.search_notes([turns[i] for i in best if i in turns]), by_day=True)
        said = sorted(turns.values(), key=lambda t: (t.at, t.session, t.position))
        self.order = {turn.id: place for place, turn in enumerate(said)}

    def found(self, text: str) -> Sequence[RankedTurn]:
        """The turns that search ranks first."""
        return self.pipeline.searcher.rank(
            text, space=self.source.space, k=self.most, at=self.source.at, asker=self.source.asker
        )

    def named(self, name: str, found: Sequence[RankedTurn]) -> bool:
        """True if one of these turns mentions the name or was said by its bearer."""
        words = {*terms_of(name), *terms_of(self.source.similarity.canonical(name))}
        turns = self.pipeline.store.turns(self.source.space, [r.turn for r in found])
        said = (f"{turn.speaker} {turn.content[:READ_LENGTH]}" for turn in turns.values())
        return any(not words.isdisjoint(terms_of(text)) for text in said)

    def add(self, subgoal: str, notes: Sequence[Note], *, by_day: bool = False) -> None:
        """Add a group, unless it is empty."""
        if notes:
            self.groups.append(QuoteGroup(subgoal, tuple(notes), by_day))

    def evidence_notes(self, nodes: Sequence[Node]) -> list[Note]:
        """Notes of the turns that proofs of a subgoal cite, each turn once."""
        cited: dict[str, tuple[int, int]] = {}
        for evidence in (e for node in nodes for _, below in node.walk() for e in below.evidence):
            cited.setdefault(evidence.turn, (evidence.start, evidence.end))
        store, space = self.pipeline.store, self.source.space
        turns = store.turns(space, [*cited][: self.most]) if cited else {}
        facts = facts_by_turn(store.facts(space, turns=turns)) if turns else {}
        return [
            self.note(turn, facts.get(turn.id, []), cited[turn.id], proves=True)
            for turn in turns.values()
            if turn.content.strip() != self.utterance.strip()
        ]

    def search_notes(self, turns: Sequence[Turn]) -> list[Note]:
        """Notes of turns that search found, without those that are already quoted or repeat one."""
        facts = (
            facts_by_turn(self.pipeline.store.facts(self.source.space, turns=[t.id for t in turns])) if turns else {}
        )
        return [
            self.note(turn, facts.get(turn.id, []), focus_of(turn, self.utterance), proves=False)
            for turn in turns
            if turn.content.strip() not in self._contents
        ]

    def note(self, turn: Turn, facts: Sequence[Fact], focus: tuple[int, int], *, proves: bool) -> Note:
        """Make a note of a turn."""
        self._contents.add(turn.content.strip())
        # Of a long turn, only the quoted part can mislead.
        quoted = facts if len(turn.content) <= LONGEST_QUOTE else [f for f in facts if overlaps(f, focus)]
        replaced = ((f.text, newer.text) for f in quoted if (newer := self.source.slots.superseded_by(f)) is not None)
        return Note(
            turn.id,
            attribution(turn.speaker, turn.source),
            turn.at if turn.dated else None,
            turn.content,
            proves,
            tuple(meanings(quoted))[:MOST_MEANINGS] if proves else (),
            next(replaced, None),
            focus,
        )


def relevant(found: Sequence[RankedTurn]) -> bool:
    """True if anything relevant was found. Judges the whole result, not each turn."""
    weights = Weights()
    return any(
        not r.signals  # other systems give no signals
        or r.signals.get("lexical", 0.0) > 0
        or r.signals.get("dense", 0.0) >= NEAREST * weights.dense
        for r in found
    )


def facts_by_turn(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    """Group facts by turn, in order."""
    by_turn: dict[str, list[Fact]] = {}
    for fact in facts:
        by_turn.setdefault(fact.turn, []).append(fact)
    return by_turn


def focus_of(turn: Turn, text: str) -> tuple[int, int]:
    """Start and end of the passage that shares most words with the text, as offsets in the turn."""
    content = turn.content[:READ_LENGTH]
    wanted = {*terms_of(text)}
    best = max(passages(content), key=lambda p: len(wanted & {*terms_of(p)}))
    start = max(0, content.find(best.split("\n")[0][:40]))
    return start, min(len(content), start + len(best))


def overlaps(fact: Fact, focus: tuple[int, int]) -> bool:
    """True if a fact lies in the quoted part of a turn."""
    return fact.start < focus[1] and focus[0] < fact.end


def meanings(facts: Sequence[Fact]) -> Iterator[tuple[str, str]]:
    """Yield the times and pronouns of facts with their meanings, each once."""
    seen: set[str] = set()
    for fact in facts:
        spoken = (a for a in fact.args if a.resolved == "pronoun" and a.start >= 0 and a.type in ANIMATE)
        pairs = [(a.text, a.entity) for a in spoken if a.entity]
        if fact.when is not None and fact.when_text:
            pairs.append((fact.when_text, str(fact.when)))
        for words, meaning in pairs:
            if words.casefold() not in seen and words.casefold() != meaning.casefold():
                seen.add(words.casefold())
                yield words, meaning


def subgoal_title(atom: Atom, nodes: Sequence[Node]) -> str:
    """A subgoal with the values found for its variables."""
    found: dict[str, dict[str, None]] = {v.name: {} for v in atom.variables}
    for binding in (b for node in nodes for b in node.bindings):
        if binding.value.text.casefold() != binding.variable.type.casefold():
            found.get(binding.variable.name, {}).setdefault(excerpt(binding.value.text, LONGEST_NAME))
    values = ", ".join(f"{name} = {' or '.join([*texts][:MOST_VALUES])}" for name, texts in found.items() if texts)
    return f"{format_atom(atom)}{f' [{values}]' if values else ''}"
