"""An answer that a chat model reads out of turns without a subgoal: the question itself is the goal.

It stands behind the goals that a question is taken apart into, and alone where goals are switched off. Checked in code:
the value stands in a fact that was shown or follows from it, and the fact is about whom the question names, is meant as
so and was not replaced. The number that the model gives a fact is a hint: where the value does not stand there, and does in
others that hold, the one of them is meant that speaks most of the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goalmem.engine.step import Step
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Atom, Binding, Goal, Variable
from goalmem.questions.chat_replies import Read, RejectedError
from goalmem.records import Fact
from goalmem.sources.candidates import Candidate
from goalmem.sources.chat_unifier import Unifier, overlap, shown

__all__ = ["ChatReading", "goal_read"]

READ = 0.9
"""What an answer is worth that a model reads out of facts."""
YES_NO = {"yes": True, "no": False}
UNANSWERED = frozenset({"", "i don't know", "unknown", "none", "n/a", "not mentioned"})
"""Values by which models say that there is none."""
MOST_PROBLEMS = 2
"""Of what speaks against a reply: so many are told to the model."""


@dataclass(frozen=True)
class ChatReading:
    """Reads the answers to one question."""

    unifier: Unifier

    def steps(self, variable: Variable, candidates: Sequence[Candidate]) -> list[Step]:
        """A step for each value that holds; none where the model finds none or gives nothing that can be used."""
        facts = self.unifier.facts_of(candidates)
        turns = [c.turn.id for c in candidates]

        def checked(reply: Read) -> list[Step]:
            return self._steps(reply, variable, dict(enumerate(candidates, 1)), facts)

        if not candidates:
            return []
        return self.unifier.reasoner.read(self.unifier.question, shown(candidates), checked, turns) or []

    def _steps(
        self,
        reply: Read,
        variable: Variable,
        numbered: Mapping[int, Candidate],
        facts: Mapping[str, Sequence[Fact]],
    ) -> list[Step]:
        """Steps of a reply. Raises RejectedError when there are values and none holds."""
        cited = [numbered[n] for n in reply.facts if n in numbered]
        said = [v.strip(" .") for v in reply.values if v.strip(" .").casefold() not in UNANSWERED]
        if len(said) == 1 and said[0].casefold() in YES_NO:
            return [self._yes_or_no(YES_NO[said[0].casefold()], cited, facts)]
        steps: dict[str, Step] = {}
        problems: list[str] = []
        for value in said:
            held = self._held(value, variable, cited, list(numbered.values()), facts)
            if isinstance(held, str):
                problems.append(held)
                continue
            binding, candidate = held
            judge = self.unifier.reasoner.model.name
            step = Step("memory", "fact", READ, (binding,), evidence=candidate.evidence, judge=judge)
            steps.setdefault(binding.value.key, step)
        if problems and not steps:
            raise RejectedError("; ".join(problems[:MOST_PROBLEMS]))
        return list(steps.values())

    def _yes_or_no(self, yes: bool, cited: Sequence[Candidate], facts: Mapping[str, Sequence[Fact]]) -> Step:
        """A step by the first fact named that may say so. Raises RejectedError when none may."""
        problem = "facts names no fact that was given"
        for candidate in cited:
            own = facts.get(candidate.turn.id, ())
            problem = self.unifier.saying.objection(
                Atom((self.unifier.question,)), [], candidate, own, denies=not yes, history=False
            )
            if not problem:
                judge = self.unifier.reasoner.model.name
                return Step("memory", "fact", READ, evidence=candidate.evidence, negated=not yes, judge=judge)
        raise RejectedError(problem)

    def _held(
        self,
        value: str,
        variable: Variable,
        cited: Sequence[Candidate],
        every: Sequence[Candidate],
        facts: Mapping[str, Sequence[Fact]],
    ) -> tuple[Binding, Candidate] | str:
        """The value as the first fact that is cited for it gives it, or the only other one that does; or why none does."""
        problem = f"{value!r} stands in no fact that is named"
        for candidate in cited:
            found = self._binding(value, variable, candidate, facts.get(candidate.turn.id, ()))
            if not isinstance(found, str):
                return found, candidate
            problem = found
        others = [(self._binding(value, variable, c, facts.get(c.turn.id, ())), c) for c in every if c not in cited]
        meant = [(b, c) for b, c in others if not isinstance(b, str)]
        if len({binding.value.key for binding, _ in meant}) != 1:
            return problem
        return max(meant, key=lambda m: (overlap(self.unifier.question, m[1].text), m[1].turn.id))

    def _binding(self, value: str, variable: Variable, candidate: Candidate, facts: Sequence[Fact]) -> Binding | str:
        binding = self.unifier.grounding.binding(variable, value, candidate, facts)
        if isinstance(binding, str):
            return binding
        asked = Atom((f"{self.unifier.question} ", variable)).substitute({variable.name: binding.value})
        objection = self.unifier.saying.objection(asked, [binding], candidate, facts, denies=False, history=False)
        return objection or binding


def goal_read(question: str, variable: Variable, steps: Sequence[Step]) -> Goal:
    """The question itself as a goal."""
    if steps and not steps[0].bindings:
        return Goal(question, (canonical(Atom((f"the answer to “{question}” is yes",))),), None, Aggregate.WHETHER)
    atom = canonical(Atom((f"“{question}” is answered by ", variable)))
    return Goal(question, (atom,), variable, Aggregate.LIST if len(steps) > 1 else Aggregate.ONE)
