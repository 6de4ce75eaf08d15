"""Which turns a question needs, found by its goals (Goal-Mem: targeted retrieval for each subgoal).

The question's own words find most; each subgoal finds what only it asks for; reading says which of the turns found
answer at all; and what a first subgoal may stand for is put into those that share its variable, which are then searched
for, too. All are added on one scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from goalmem.engine.step import Request
from goalmem.logic.terms import Atom, Goal, Substitution, Variable
from goalmem.reasoners.asked import passage_question
from goalmem.retrieve.search import Ranked
from goalmem.sources.memory import MemorySource
from goalmem.sources.passages import PassageSource

__all__ = ["GoalRanking"]

DEEP = 60
"""Turns that are read to be ranked: past them the share of evidence still to be found falls under one in twenty."""
OF_SUBGOAL = 20
"""Turns looked at for one subgoal."""
SUBGOALS = 4
"""Subgoals that are searched for."""
SUBGOAL_WEIGHT = 0.25
"""What the best subgoal's score counts beside the question's own."""
READING_WEIGHT = 1.0
"""What it counts how surely a turn answers, beside how well the words of the question find it."""
BOUND_WEIGHT = 0.25
"""The same for how well a subgoal with its variable bound finds a turn, times how sure the binding is."""
FIRST_WEIGHT = 0.25
"""The same for how surely a turn says what a first subgoal's variable stands for."""
FIRST_READ = 12
"""Turns read for what a first subgoal's variable stands for."""
BEAM = 3
"""Values of a variable that are tried in later subgoals."""
JOINS = 3
"""Pairs of subgoals with a variable in common that are followed."""
ASKED_AS = {"person": "who", "place": "where", "thing": "what", "name": "what name"}
"""Question words by type, for a subgoal that is read for: `Ann's sister is who?`"""


@dataclass
class GoalRanking:
    """Ranks turns for one question. The rank of a turn does not depend on how many are asked for."""

    memory: MemorySource
    question: str
    goals: Sequence[Goal]
    """The readings of the question; none ranks by the question alone."""
    _found: list[Ranked] = field(default_factory=list)
    _joined: dict[str, float] | None = None

    def turns(self, k: int) -> list[Ranked]:
        """The `k` turns to read, by words and subgoals alone."""
        return self.by_words()[:k]

    def by_words(self) -> list[Ranked]:
        """Turns by what the question and its subgoals find."""
        if not self._found:
            own = self._search(self.question, DEEP, self.memory.asker)
            best = {r.turn: r.score for r in scaled(own)}
            for text in self._subgoals():
                for r in scaled(self._search(text, OF_SUBGOAL)):
                    best[r.turn] = max(best.get(r.turn, 0.0), SUBGOAL_WEIGHT * r.score)
            signals = {r.turn: r.signals for r in own}
            ordered = sorted(best.items(), key=lambda p: (-p[1], p[0]))
            self._found = [Ranked(turn, score, signals.get(turn, {})) for turn, score in ordered]
        return self._found

    def ranked(self, k: int, passages: PassageSource | None) -> list[Ranked]:
        """The `k` turns that the question needs most, reading counted in where a reader is."""
        found = self.by_words()
        asked = next((a for g in self.goals for a in g.atoms if passage_question(a)), None)
        if passages is None or asked is None:
            return found[:k]
        read = self._present(passages, asked, found)
        joined = self._by_bindings(passages)
        known = {r.turn: r for r in found}
        total = {
            turn: (known[turn].score if turn in known else 0.0)
            + READING_WEIGHT * read.get(turn, 0.0)
            + joined.get(turn, 0.0)
            for turn in {**known, **joined}
        }
        return [
            Ranked(turn, total[turn], self._signals(known.get(turn), read.get(turn), joined.get(turn)))
            for turn in sorted(total, key=lambda turn: (-total[turn], turn))[:k]
        ]

    def _signals(self, found: Ranked | None, read: float | None, joined: float | None) -> dict[str, float]:
        own = dict(found.signals) if found is not None else {}
        more = {"reading": read, "bindings": joined}
        return own | {name: value for name, value in more.items() if value is not None}

    def _present(self, passages: PassageSource, asked: Atom, found: Sequence[Ranked]) -> dict[str, float]:
        of = passage_question(asked)
        assert of is not None
        ids = [r.turn for r in found[:DEEP]]
        return dict(zip(ids, passages.read(of[0], ids), strict=True))

    def _by_bindings(self, passages: PassageSource) -> dict[str, float]:
        """What turns are worth for binding a first subgoal, or for a later one with that binding."""
        if self._joined is None:
            worth: dict[str, float] = {}
            for goal, first, later in list(joins(self.goals))[:JOINS]:
                variable = first.variables[0]
                asked = question_of(first)
                near = self._search(self.memory.reader.read(first).text, FIRST_READ)
                ids = [r.turn for r in near]
                for turn, present in zip(ids, passages.read(asked, ids), strict=True):
                    worth[turn] = max(worth.get(turn, 0.0), FIRST_WEIGHT * present)
                read = [(p.proposal.value.text, p.score) for p in passages.found(asked, variable, near)[:BEAM]]
                for value, sure in (*self._by_facts(goal, first), *read):
                    bound, _ = later.read_as({variable.name: value})
                    for r in scaled(self._search(bound, OF_SUBGOAL)):
                        worth[r.turn] = max(worth.get(r.turn, 0.0), BOUND_WEIGHT * sure * r.score)
            self._joined = worth
        return self._joined

    def _by_facts(self, goal: Goal, first: Atom) -> list[tuple[str, float]]:
        """What facts say that the variable of a first subgoal stands for, and how surely."""
        steps = self.memory.steps(Request(first, Substitution(), goal, (first,), 0, BEAM))
        return [(step.bindings[0].value.text, step.score) for step in steps if step.bindings and not step.negated]

    def _subgoals(self) -> list[str]:
        """Subgoals as plain sentences, those of the first readings first, without the question itself."""
        atoms = dict.fromkeys(a for goal in self.goals for a in goal.atoms if not passage_question(a))
        return [self.memory.reader.read(atom).text for atom in list(atoms)[:SUBGOALS]]

    def _search(self, text: str, k: int, asker: str = "") -> list[Ranked]:
        memory = self.memory
        return list(memory.searcher.rank(text, space=memory.space, k=k, at=memory.at, asker=asker))


def joins(goals: Sequence[Goal]) -> Iterator[tuple[Goal, Atom, Atom]]:
    """Subgoals that one variable alone is open in, each with another that shares it, of the first reading that has any."""
    for goal in goals:
        pairs = [
            (goal, first, later)
            for first in goal.atoms
            if len(first.variables) == 1 and first.variables[0].type != "time" and not passage_question(first)
            for later in goal.atoms
            if later is not first and first.variables[0] in later.variables
        ]
        if pairs:
            yield from pairs
            return


def question_of(atom: Atom) -> str:
    """`(p:person) bakes for Leo` as `Who bakes for Leo?`; a question in the order of the statement."""
    words = {v.name: asked_as(v) for v in atom.variables}
    text = " ".join(atom.read_as(words)[0].split())
    return f"{text[:1].upper()}{text[1:]}?"


def asked_as(variable: Variable) -> str:
    """The question word for a variable."""
    return ASKED_AS.get(variable.type, f"which {variable.type}")


def scaled(found: Sequence[Ranked]) -> list[Ranked]:
    """Scores on [0, 1]: the best is 1, the worst of those found 0."""
    if not found:
        return []
    top, low = found[0].score, found[-1].score
    span = (top - low) or 1.0
    return [Ranked(r.turn, (r.score - low) / span, r.signals) for r in found]
