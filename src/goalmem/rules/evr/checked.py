"""The neural EVR held to the theory: networks propose operators, subgoals, facts and rules, in cycles over a working memory.

    CheckedTheory.over(theory, Reasoner.load(folder)).ask("Bob is green.")

Every fact and rule that is proposed is checked against the theory, and what does not fit is rejected. What the networks overlook
nothing makes good: the verdict is theirs. It proves what it proves by the same proofs as the exact solver; an answer whose
proof does not hold, because a denial was thought to fail, is withheld by `Theory.ask` like any other. Where a rule needs
something of `something`, each thing that is named is tried, since a proof names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product

from goalmem.cancellation import checkpoint
from goalmem.engine.budget import Budget
from goalmem.errors import InputError, RuleError
from goalmem.logic.terms import Variable
from goalmem.rules.compiled import CompiledRule, Ground, folded, ground
from goalmem.rules.demand import Instance
from goalmem.rules.derivation import RuleDerivation
from goalmem.rules.evr.buffers import FACT_PATTERN, RULE_PATTERN, Sentences
from goalmem.rules.evr.language import (
    Alternative,
    GoalKind,
    NetworkGoal,
    according,
    alternatives,
    cited_fact,
    goals,
)
from goalmem.rules.evr.reasoner import Reasoner
from goalmem.rules.evr.unchecked import Cycle, executed, told
from goalmem.rules.evr.wording import StatementReader, worded
from goalmem.rules.monologue import Thought
from goalmem.rules.program import Program, Strategy, Verdict
from goalmem.rules.terms import Literal
from goalmem.rules.theory import Theory

MOST_GOALS = 5_000
"""Statements that are judged over one theory."""
MOST_CYCLES = 2_000
"""Working cycles for one question: some eight for each rule in a chain."""
OPEN = re.compile(r"\b(?:someone|something)\b")
NO_FACT = frozenset({"true, NAF.", "false, CWA."})
NO_RULE = frozenset({"true", "false"})
"""The output for a buffer that does not mention a statement."""


@dataclass(frozen=True)
class CheckedTheory(Theory):
    """A theory in a closed world that networks decide, not the solver. What they judged is kept."""

    reasoner: Reasoner | None = None

    @classmethod
    def over(cls, theory: Program, reasoner: Reasoner, statements: Sequence[Literal] = ()) -> CheckedTheory:
        """A theory that these networks decide. `statements` are judged together, which is quicker than one by one.

        Raises RuleError where the world is open.
        """
        if not theory.closed:
            raise RuleError("Networks decide only over rules of a closed world.", "Ask with the reasoner `local`.")
        neural = cls(theory.clauses, theory.world, theory.unread, theory.reader, reasoner)
        neural.thinking.judge([s for s in statements if s.ground])
        return neural

    def decide(self, statement: Literal, budget: Budget | None = None) -> Verdict:
        """Decide a ground statement with the networks; `unknown` only if it depends on its own negation."""
        key = ground(statement)
        self.thinking.judge([statement])
        decided = self.thinking.decided
        proof = decided.proofs.get(key)
        if proof is not None:
            return Verdict(statement, "disproved" if key[1] else "proved", _strategy(key), proof)
        if key in decided.open:
            return Verdict(statement, "unknown", Strategy.FAIL_TO_PROVE)
        return Verdict(statement, "proved" if key[1] else "disproved", Strategy.FAIL_TO_PROVE)

    def find(self, statement: Literal, budget: Budget | None = None) -> Iterator[tuple[Literal, RuleDerivation]]:
        """Every ground instance of a statement that the networks prove, over the constants of the theory."""
        open_ = [t for t in dict.fromkeys(statement.terms) if isinstance(t, Variable)]
        choices = product(self.index.domain.values(), repeat=len(open_))
        stands = (dict(zip(open_, chosen, strict=True)) for chosen in islice(choices, MOST_GOALS))
        every = [
            Literal(statement.predicate, tuple(s.get(t, str(t)) if isinstance(t, Variable) else t
                                               for t in statement.terms), statement.negated)
            for s in stands
        ]  # fmt: skip
        self.thinking.judge(every)
        for said in every:
            verdict = self.decide(said, budget)
            if verdict.status == "proved":
                yield said, verdict.derivation or RuleDerivation(ground(said), "failure")

    @cached_property
    def thinking(self) -> WorkingCycles:
        """The state of reasoning so far."""
        if self.reasoner is None:
            raise InputError("No networks were given to decide with.", "Use CheckedTheory.over(theory, reasoner).")
        return WorkingCycles(self, self.reasoner)


@dataclass(frozen=True, slots=True)
class Item:
    """A goal of the working memory, and the statement for which it is pursued."""

    node: GoalNode
    text: str
    kind: GoalKind
    rule: int | None = None
    """The rule according to which it is needed."""


@dataclass
class WorkingCycles:
    """The working cycles over one theory. Each goal is pursued once, so that the cycles end."""

    theory: Theory
    reasoner: Reasoner
    nodes: dict[Ground, GoalNode] = field(default_factory=dict)
    log: dict[str, Cycle] = field(default_factory=dict)
    """Output of the networks by goal."""
    asked: dict[str, None] = field(default_factory=dict)
    """The goals that it began with, in order."""
    _new: list[GoalNode] = field(default_factory=list)
    _decided: ProvedNodes | None = None

    def judge(self, statements: Sequence[Literal]) -> None:
        """Pursue statements and everything they depend on until all are judged."""
        for statement in statements:
            self.statements.named.update(folded(str(t)) for t in statement.terms)
            self._want(statement)
            if (key := ground(statement)) in self.nodes:
                self.asked.setdefault(self._item(key).text)
        wave: list[Item] = []
        later: list[Item] = []
        for _ in range(MOST_CYCLES):
            checkpoint()
            wave += [self._item(node.statement) for node in self._new]
            self._new.clear()
            if not wave:
                # Rules only for what facts leave open: OR and AND of pattern 2 stop at the first decisive subgoal.
                wave, later = [item for item in later if item.node.fact is None], []
            if not wave:
                break
            wave, rules = self._cycle(wave)
            later += rules

    def transcript(self) -> tuple[Thought, ...]:
        """The cycles that led to the judgements of all queried statements."""
        return told(self.log, self.asked, self.sentences.memory) if self.asked else ()

    @property
    def rejected(self) -> int:
        """Steps that were proposed and do not fit the theory."""
        return sum(len(cycle.rejected) for cycle in self.log.values())

    @property
    def decided(self) -> ProvedNodes:
        """Consequences of all proposed steps that passed validation."""
        if self._decided is None:
            self._decided = proved_nodes(self.nodes)
        return self._decided

    @cached_property
    def statements(self) -> StatementReader:
        """Reads statements about what the theory names."""
        return StatementReader(self.theory.index)

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences of the theory, each with its clauses."""
        return Sentences.of(self.theory, self.reasoner.facts_each, self.reasoner.rules_each)

    @cached_property
    def ruling(self) -> dict[int, CompiledRule]:
        """Rules by the number of their clause."""
        return {rule.number: rule for of in self.theory.index.rules.values() for rule in of}

    def _want(self, statement: Literal) -> None:
        key = ground(statement)
        if key not in self.nodes and len(self.nodes) < MOST_GOALS:
            self.nodes[key] = GoalNode(key)
            self._new.append(self.nodes[key])
            self._decided = None

    def _cycle(self, items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
        """Run one working cycle per goal: propose an operator, then execute it. Returns subgoals, with those for
        rules separate.
        """
        memory = self.sentences.memory
        subgoals: list[Item] = []
        for place, operator, pattern, text in executed(self.reasoner, memory, [i.text for i in items], self.log):
            item = items[place]
            led = self._carried(item, pattern, text)
            following = list(dict.fromkeys(led or ()))
            rejected = (text,) if led is None else ()
            self.log[item.text] = Cycle(operator, (text,), rejected, tuple(each.text for each in following))
            subgoals += following
        ahead = [
            each for each in subgoals if each.kind not in (GoalKind.RULES, GoalKind.PROVE)
        ]  # each statement to prove is a node
        return list(dict.fromkeys(ahead)), list(dict.fromkeys(each for each in subgoals if each.kind is GoalKind.RULES))

    def _carried(self, item: Item, pattern: int, text: str) -> list[Item] | None:
        """The goals that follow from the output; None if the output does not fit the theory."""
        if pattern == FACT_PATTERN:
            return [] if self._fact(item, text) else None
        if pattern == RULE_PATTERN:
            found = list(self._by_rules(item, text))
            return found if found or text in NO_RULE else None
        if item.rule is not None:
            return self._rule(item, goals(text))
        return [Item(item.node, str(goal), goal.kind) for goal in goals(text)] or None

    def _fact(self, item: Item, text: str) -> bool:
        """Accept a fact that is claimed to decide a statement, if it does. Returns True if the claim is valid."""
        number = cited_fact(text, negated=item.node.statement[1])
        if number is None:
            return text in NO_FACT
        held = self.sentences.facts[number - 1] if 0 < number <= len(self.sentences.facts) else ()
        stating = self.theory.index.stating(item.node.positive)
        found = next((clause for clause in held if clause in stating), None)
        if found is not None and item.node.fact is None:
            item.node.fact = found
            self._decided = None
        return found is not None

    def _by_rules(self, item: Item, text: str) -> Iterator[Item]:
        """Conditions of rules that are claimed to conclude a statement; a condition on `someone` is tried with each
        constant.
        """
        for found in alternatives(text):
            needed = " and ".join(found.needed)
            things = self.theory.index.domain.values() if OPEN.search(needed) else [""]
            for thing in things:
                plain = thing.replace("\\", r"\\")  # a replacement would take a backslash for an escape
                told = tuple(OPEN.sub(plain, each) for each in found.needed)
                text = according([Alternative(found.rule, told)], negated=False)
                yield Item(item.node, text, GoalKind.ACCORDING, found.rule)

    def _rule(self, item: Item, needed: Sequence[NetworkGoal]) -> list[Item] | None:
        """Accept a rule with its conditions if the theory contains it; returns the new goals, None if it does not."""
        read = [self.statements.read(goal.statement) for goal in needed if goal.kind is GoalKind.PROVE]
        literals = [literal for literal in read if literal is not None and literal.ground]
        instance = self._instance(item, literals) if len(literals) == len(read) else None
        if instance is None:
            return None
        if not any(known.rule is instance.rule and known.body == instance.body for known in item.node.instances):
            item.node.instances.append(instance)
            self._decided = None
            for literal in literals:
                self._want(literal)
        return [self._item(key) for literal in literals if (key := ground(literal)) in self.nodes]

    def _instance(self, item: Item, needed: Sequence[Literal]) -> Instance | None:
        """The instance of the rule whose head is the statement or its negation, with exactly these conditions."""
        number = item.rule or 0
        held = self.sentences.rules[number - 1] if 0 < number <= len(self.sentences.rules) else ()
        for clause in held:
            rule = self.ruling[clause]
            binding = rule.opened(item.node.positive) if rule.head.signed == item.node.positive[:2] else None
            body = tuple(map(ground, needed))
            for pattern, condition in zip(rule.body, body, strict=False):
                fits = binding is not None and pattern.signed == condition[:2]
                binding = pattern.bound(condition[2], binding) if fits and binding is not None else None
            if binding is not None and len(body) == len(rule.body) and None not in binding:
                stands = tuple(c for c in binding if c is not None)
                return Instance(rule, stands, item.node.positive, body)
        return None

    def _item(self, statement: Ground) -> Item:
        """The goal to prove a statement."""
        goal = NetworkGoal(GoalKind.PROVE, worded(self.theory.index.said(statement)))
        return Item(self.nodes[statement], str(goal), GoalKind.PROVE)


def _strategy(key: Ground) -> Strategy:
    return Strategy.INVERSE_PROOF if key[1] else Strategy.PROOF


# -- consequences of the steps that a network proposed ---------------------------------------------------------------


@dataclass(slots=True, eq=False)
class GoalNode:
    """A statement that was judged, and the steps that were proposed for it, or, of a denial, against it."""

    statement: Ground
    fact: int | None = None
    """The clause that states the statement or its negation."""
    instances: list[Instance] = field(default_factory=list)

    @property
    def positive(self) -> Ground:
        """The literal that its steps prove."""
        return (self.statement[0], False, self.statement[2])


@dataclass(frozen=True)
class ProvedNodes:
    """Nodes whose positive statement is proved."""

    proofs: Mapping[Ground, RuleDerivation]
    """By statement of the node; for a negated statement, the proof of the statement that it negates."""
    open: frozenset[Ground]
    """Nodes that rest on their own denial."""


def proved_nodes(nodes: Mapping[Ground, GoalNode]) -> ProvedNodes:
    """The well-founded model by the alternating fixpoint (Van Gelder 1993): a denial holds where its node has no proof."""
    under: dict[Ground, RuleDerivation] = {}
    while True:
        over = _least(nodes, frozenset(under))
        grown = _least(nodes, frozenset(over))
        if grown.keys() == under.keys():
            return ProvedNodes(grown, frozenset(over.keys() - grown.keys()))
        under = grown


def _least(nodes: Mapping[Ground, GoalNode], contradicted: frozenset[Ground]) -> dict[Ground, RuleDerivation]:
    """The least model in which exactly these negations hold, computed level by level, so that each proof is shortest."""
    proved = {
        key: RuleDerivation(node.positive, "fact", node.fact) for key, node in nodes.items() if node.fact is not None
    }
    height = 0
    while True:
        height += 1
        wave = dict(_wave(nodes, contradicted, proved, height))
        if not wave:
            return proved
        proved |= wave


def _wave(
    nodes: Mapping[Ground, GoalNode],
    contradicted: frozenset[Ground],
    proved: Mapping[Ground, RuleDerivation],
    height: int,
) -> Iterator[tuple[Ground, RuleDerivation]]:
    for key, node in nodes.items():
        if key in proved:
            continue
        for instance in sorted(node.instances, key=lambda i: i.rule.number):
            children = [_condition(c, contradicted, proved) for c in instance.body]
            found = tuple(c for c in children if c is not None)
            if len(found) == len(children):
                yield key, RuleDerivation(node.positive, "rule", instance.rule.number, instance, found, height)
                break


def _condition(
    condition: Ground, contradicted: frozenset[Ground], proved: Mapping[Ground, RuleDerivation]
) -> RuleDerivation | None:
    if condition[1]:
        return None if condition in contradicted else RuleDerivation(condition, "failure")
    return proved.get(condition)
