"""What a model knows by itself, where no walk over the graph answers (ArG, section 4.1: answers at [Unreasonable]).

Off unless it is asked for. Nothing is cited, for nothing that is stored says it: the step is a rule without conditions that the
critic's model assumed. It names the model, is kept on record, and makes an answer `likely` at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.graph.critic import Query
from goalmem.graph.reasoner import Topic
from goalmem.logic.syntax import format_rule, parse_rule
from goalmem.logic.terms import Binding, Derivation, Rule, Value
from goalmem.questions.asked import RECALLED, walk_question

__all__ = ["RecallSource", "Recalling"]

WORTH = 0.5
"""Of an answer that nothing but a model says: above the threshold of answers, and below all that is read out of turns and judged well."""


@runtime_checkable
class Recalling(Protocol):
    """A critic that can answer by itself."""

    @property
    def name(self) -> str:
        """Says which critic this is, with its weights."""
        ...

    def recalled(self, query: Query) -> str:
        """The answer in a few words; empty where the model knows none."""
        ...


@dataclass(frozen=True)
class RecallSource:
    """One graph's critic, asked what it knows."""

    critic: Recalling
    topics: Callable[[str], Sequence[Topic]]
    """What of the graph a question may be about; of anything else nothing is recalled."""
    labels: Callable[[Topic], str]
    name: str = RECALLED
    closed: bool = False
    exhaustive: bool = True
    cost: int = 2

    def steps(self, request: Request) -> Sequence[Step]:
        """The critic's own answer as a step."""
        asked = walk_question(request.atom)
        if asked is None or asked[1] != self.name or not (topics := self.topics(asked[0])):
            return ()
        text = self.critic.recalled(Query(asked[0], self.labels(topics[0]), topics[0].span))
        (variable,) = request.atom.variables
        rule = Rule(request.atom.substitute({variable.name: Value(text, text.casefold())}), ())
        if not text or not _legible(rule):
            return ()
        binding = Binding(variable, Value(text, text.casefold()), Derivation.RESOLVED, text, "")
        return [Step(self.name, "rule", WORTH, (binding,), rule=rule, judge=self.critic.name)]

    def near_misses(self, _request: Request, /) -> Sequence[NearMiss]:
        """None: what a model does not know comes near to nothing."""
        return ()


def _legible(rule: Rule) -> bool:
    """Whether the words of a model can stand in a proof: none of them is taken for syntax."""
    try:
        return parse_rule(format_rule(rule)) == rule
    except ValueError:
        return False
