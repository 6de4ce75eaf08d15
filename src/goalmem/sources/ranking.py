"""Rank the turns that a question needs, by its goals (Goal-Mem: targeted retrieval for each subgoal).

The question's own words find most turns; each subgoal adds those that only it asks for; the reader scores how well turns answer; and likely
values of a first subgoal are put into those that share its variable, which are then searched. All scores are added on one scale.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from goalmem.engine.step import Request
from goalmem.logic.terms import Atom, Goal, Substitution, Variable
from goalmem.questions.whole_question import is_of_passages, passage_question
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.passages.source import PassageSource

DEEP = 60
"""Turns that are read for the ranking: further down, less than one in twenty of the remaining evidence is found."""
OF_SUBGOAL = 20
"""Turns found for one subgoal."""
SUBGOALS = 4
"""Subgoals that are searched for."""
SUBGOAL_WEIGHT = 0.35
"""Weight of the best subgoal's score beside the question's own; for a subgoal with a binding, times the certainty of the binding. Chosen on
the multi-hop questions of lives/train (recall of the evidence among the first 20)."""
READING_WEIGHT = 1.0
"""Weight of the reader's score beside that of the question's words."""
FIRST_READ = 12
"""Turns read for values of a first subgoal's variable."""
BEAM = 3
"""Values of a variable that are tried in later subgoals."""
JOINS = 3
"""Pairs of subgoals with a common variable that are followed."""
ASKED_AS = {"person": "who", "place": "where", "thing": "what", "name": "what name"}
"""Question words by type, for subgoals that are read: `Ann's sister is who?`"""


@dataclass
class GoalRanking:
    """Ranks turns for one question. The rank of a turn does not depend on how many are requested."""

    memory: MemorySource
    question: str
    goals: Sequence[Goal]
    """The readings of the question; without any, the question alone is searched."""
    _found: list[RankedTurn] = field(default_factory=list)
    _subgoal_scores: dict[str, float] = field(default_factory=dict)
    _bound_scores: dict[str, float] | None = None

    def turns(self, k: int) -> list[RankedTurn]:
        """The `k` turns to read: those that the question's own words find."""
        return self.by_words()[:k]

    def by_words(self) -> list[RankedTurn]:
        """Turns found by the question's own words, with scores on [0, 1]."""
        if not self._found:
            self._found = scale_scores(self._search(self.question, DEEP, self.memory.asker))
        return self._found

    def ranked(self, k: int, passages: PassageSource | None) -> list[RankedTurn]:
        """The `k` turns that the question needs most, using subgoals and, with a reader, readings and bindings."""
        own = {r.turn: r for r in self.by_words()}
        read, found = self._by_reading(passages), self._by_subgoals()
        if passages is not None:
            found = highest(found, self._by_bindings(passages))
        ranked = [
            with_signals(
                own.get(turn, RankedTurn(turn, 0.0)),
                reading=READING_WEIGHT * read.get(turn, 0.0),
                subgoals=SUBGOAL_WEIGHT * found.get(turn, 0.0),
            )
            for turn in {**own, **found}
        ]
        return sorted(ranked, key=lambda r: (-r.score, r.turn))[:k]

    def _by_reading(self, passages: PassageSource | None) -> dict[str, float]:
        """Turn -> certainty that it answers the question, for turns found by its words; empty without a reader."""
        asked = next((of for g in self.goals for a in g.atoms if (of := passage_question(a)) is not None), None)
        if passages is None or asked is None:
            return {}
        ids = [r.turn for r in self.by_words()]
        return dict(zip(ids, passages.readings.answering(asked[0], ids), strict=True))

    def _by_subgoals(self) -> dict[str, float]:
        """Turn -> score of the best subgoal that finds it."""
        if not self._subgoal_scores:
            for text in self._subgoals():
                for r in scale_scores(self._search(text, OF_SUBGOAL)):
                    self._subgoal_scores[r.turn] = max(self._subgoal_scores.get(r.turn, 0.0), r.score)
        return self._subgoal_scores

    def _by_bindings(self, passages: PassageSource) -> dict[str, float]:
        """Turn -> score of the best subgoal with a binding that finds it, times the certainty of the binding."""
        if self._bound_scores is None:
            worth: dict[str, float] = {}
            for goal, first, later in list(joins(self.goals))[:JOINS]:
                variable = first.variables[0]
                near = self._search(self.memory.reader.read(first).text, FIRST_READ)
                found = passages.found(question_of(first), variable, near)[:BEAM]
                read = [(r.proposal.value.text, r.score) for r in found]
                for value, sure in (*self._by_facts(goal, first), *read):
                    bound, _ = later.read_as({variable.name: value})
                    for r in scale_scores(self._search(bound, OF_SUBGOAL)):
                        worth[r.turn] = max(worth.get(r.turn, 0.0), sure * r.score)
            self._bound_scores = worth
        return self._bound_scores

    def _by_facts(self, goal: Goal, first: Atom) -> list[tuple[str, float]]:
        """Values of a first subgoal's variable according to facts, with their certainty."""
        steps = self.memory.steps(Request(first, Substitution(), goal, (first,), 0, BEAM))
        return [(step.bindings[0].value.text, step.score) for step in steps if step.bindings and not step.negated]

    def _subgoals(self) -> list[str]:
        """Subgoals as plain sentences, those of the first readings first, without the question itself."""
        atoms = dict.fromkeys(a for goal in self.goals for a in goal.atoms if not is_of_passages(a))
        return [self.memory.reader.read(atom).text for atom in list(atoms)[:SUBGOALS]]

    def _search(self, text: str, k: int, asker: str = "") -> list[RankedTurn]:
        memory = self.memory
        return list(memory.searcher.rank(text, space=memory.space, k=k, at=memory.at, asker=asker))


def joins(goals: Sequence[Goal]) -> Iterator[tuple[Goal, Atom, Atom]]:
    """Yield subgoals with one open variable, each with another that shares it, for the first reading that has any."""
    for goal in goals:
        pairs = [
            (goal, first, later)
            for first in goal.atoms
            if len(first.variables) == 1 and first.variables[0].type != "time" and not is_of_passages(first)
            for later in goal.atoms
            if later is not first and first.variables[0] in later.variables
        ]
        if pairs:
            yield from pairs
            return


def question_of(atom: Atom) -> str:
    """`(p:person) bakes for Leo` as `Who bakes for Leo?`; a question in the word order of the statement."""
    words = {v.name: question_word_for(v) for v in atom.variables}
    text = " ".join(atom.read_as(words)[0].split())
    return f"{text[:1].upper()}{text[1:]}?"


def question_word_for(variable: Variable) -> str:
    """The question word for a variable."""
    return ASKED_AS.get(variable.type, f"which {variable.type}")


def highest(some: Mapping[str, float], others: Mapping[str, float]) -> dict[str, float]:
    """The higher of two scores for each turn."""
    return {turn: max(some.get(turn, 0.0), others.get(turn, 0.0)) for turn in {**some, **others}}


def with_signals(found: RankedTurn, **more: float) -> RankedTurn:
    """A turn with additional signals, added to its score."""
    signals = {name: round(value, 4) for name, value in more.items() if value}
    return RankedTurn(found.turn, found.score + sum(more.values()), found.signals | signals)


def scale_scores(found: Sequence[RankedTurn]) -> list[RankedTurn]:
    """Scores scaled to [0, 1]: the best is 1, the worst of those found 0."""
    if not found:
        return []
    top, low = found[0].score, found[-1].score
    span = (top - low) or 1.0
    return [RankedTurn(r.turn, (r.score - low) / span, r.signals) for r in found]


OF_QUERY = 60
"""Turns found for one query: as many as for the question itself."""
READ_MORE = 20
"""Turns found only by queries that are read for the ranking: as many as an answer may cite."""
OF_GOALS = 400
"""Turns of the ranking by goals that a query may promote."""
QUERY_WEIGHT = 0.5
"""Weight of the best query beside the question's own words, both on [0, 1]: most queries are wrong, but one right one is enough."""


@dataclass
class QueryRanking:
    """A ranking by goals, combined with a chat model's queries on the same scale."""

    goals: GoalRanking
    queries: Sequence[str]
    _found: list[RankedTurn] = field(default_factory=list)

    def ranked(self, k: int, passages: PassageSource | None) -> list[RankedTurn]:
        """The `k` turns that the question needs most. The rank of a turn does not depend on `k`."""
        if not self._found:
            held = {r.turn: r for r in self.goals.ranked(OF_GOALS, passages)}
            guessed: dict[str, float] = {}
            for query in self.queries:
                for r in scale_scores(self._search(query)):
                    guessed[r.turn] = max(guessed.get(r.turn, 0.0), QUERY_WEIGHT * r.score)
            total = {t: (held[t].score if t in held else 0.0) + guessed.get(t, 0.0) for t in {**held, **guessed}}
            for turn, present in self._read(guessed.keys() - held.keys(), guessed, passages).items():
                total[turn] += READING_WEIGHT * present
            ordered = sorted(total, key=lambda turn: (-total[turn], turn))
            self._found = [RankedTurn(t, round(total[t], 6), held[t].signals if t in held else {}) for t in ordered]
        return self._found[:k]

    def _search(self, query: str) -> list[RankedTurn]:
        memory = self.goals.memory
        return list(memory.searcher.rank(query, space=memory.space, k=OF_QUERY, at=memory.at))

    def _read(
        self, new: Collection[str], guessed: Mapping[str, float], passages: PassageSource | None
    ) -> dict[str, float]:
        """Turn -> certainty that it answers, for the best turns found only by queries."""
        asked = next((of for g in self.goals.goals for a in g.atoms if (of := passage_question(a))), None)
        if passages is None or asked is None:
            return {}
        best = sorted(new, key=lambda turn: (-guessed[turn], turn))[:READ_MORE]
        return dict(zip(best, passages.readings.answering(asked[0], best), strict=True))
