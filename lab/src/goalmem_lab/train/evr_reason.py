"""The neural EVR at work: networks propose operators, subgoals, facts and rules, in cycles over a working memory.

    reasoner = Reasoner.load(folder)
    reasoner.over(theory).ask("Bob is green.")

Every fact and rule that is proposed is checked against the theory, and what does not fit is rejected. What the networks overlook
nothing makes good: the verdict is theirs. It proves what it proves by the same proofs as the exact solver; an answer whose
proof does not hold, because a denial was thought to fail, is withheld by `Theory.ask` like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from goalmem.engine.budget import Budget
from goalmem.errors import InputError
from goalmem.rules.compiled import CompiledRule, Ground, folded, ground
from goalmem.rules.demand import Instance
from goalmem.rules.program import Strategy, Verdict
from goalmem.rules.terms import Literal
from goalmem.rules.theory import Theory
from goalmem.rules.working_memory import Operator, WorkingMemory
from goalmem_lab.train.evr_decide import Decided, Node, decide
from goalmem_lab.train.evr_examples import Part, Variant, part_of, parts
from goalmem_lab.train.evr_language import (
    Alternative,
    Goal,
    Kind,
    according,
    alternatives,
    cited_fact,
    executing,
    goals,
    proposing,
    running,
)
from goalmem_lab.train.evr_network import from_folder
from goalmem_lab.train.evr_patterns import FACT_PATTERN, RULE_PATTERN, Sentences
from goalmem_lab.train.evr_recipe import CONFIG, FORMAT
from goalmem_lab.train.evr_wording import Statements, worded

__all__ = ["NeuralTheory", "Reasoner", "Writer"]

MOST_GOALS = 5_000
"""Statements that are judged over one theory."""
MOST_CYCLES = 2_000
"""Working cycles for one question: some eight for each rule in a chain."""
NAMINGS = 3
"""Ways to name its words in which each step is proposed: what fits the theory in any of them is taken."""
OPEN = re.compile(r"\b(?:someone|something)\b")
_GET = re.compile(r"GET\((FACT|RULE)_BUFFER_(\d+)\) THEN RUN\(EPISODIC_BUFFER, \1_BUFFER_\2\)")


class Writer(Protocol):
    """What writes what an input calls for."""

    def written(self, texts: Sequence[str], naming: int = 0) -> list[str]:
        """What is written for each input. Where words stand as placeholders, each `naming` gives them others."""
        ...


@dataclass(frozen=True)
class Reasoner:
    """Trained networks, and the buffers that they are used to."""

    writers: Mapping[Part, Writer]
    variant: Variant
    facts_each: int
    rules_each: int
    namings: int = NAMINGS

    @classmethod
    def load(cls, folder: Path) -> Reasoner:
        """What `goalmem train evr` wrote. Raises InputError where it cannot be read."""
        try:
            config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            known = config["format"] == FORMAT
            variant = Variant(config["variant"])
            facts, rules, placeholders = config["fact_buffer"], config["rule_buffer"], config["placeholders"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _no_model(folder, f"{type(error).__name__}: {error}") from error
        if not known:
            raise _no_model(folder, f"its format is {config['format']!r}")
        writers = {part: from_folder(folder / part.value, placeholders=placeholders) for part in parts(variant)}
        return cls(writers, variant, facts, rules)

    def over(self, theory: Theory, statements: Sequence[Literal] = ()) -> NeuralTheory:
        """A theory that these networks decide. `statements` are judged together, which is quicker than one by one."""
        neural = NeuralTheory(theory.clauses, theory.world, theory.unread, theory.reader, self)
        neural.thinking.judge([s for s in statements if s.ground])
        return neural

    def written(self, texts: Sequence[tuple[int, str]], naming: int = 0) -> list[str]:
        """What the networks write for inputs of a pattern, each network all of its own at once."""
        found: dict[int, str] = {}
        for part, writer in self.writers.items():
            own = [n for n, (pattern, _) in enumerate(texts) if part_of(self.variant, pattern) is part]
            found.update(zip(own, writer.written([texts[n][1] for n in own], naming), strict=True))
        return [found[n] for n in range(len(texts))]

    def proposed(self, texts: Sequence[tuple[int, str]]) -> list[list[str]]:
        """All that the networks write for each input, with its words named in several ways, each text once.

        The logic does not depend on what things are called, and what is proposed is checked: so all may be taken that fit.
        """
        ways = [self.written(texts, naming) for naming in range(self.namings)]
        return [list(dict.fromkeys(each)) for each in zip(*ways, strict=True)]


@dataclass(frozen=True)
class NeuralTheory(Theory):
    """A theory in a closed world that networks decide, not the solver. What they judged is kept."""

    reasoner: Reasoner | None = None

    def decide(self, statement: Literal, _budget: Budget | None = None) -> Verdict:
        """What the networks say of a ground statement: the status is `unknown` only where it rests on its own denial."""
        key = ground(statement)
        self.thinking.judge([statement])
        decided = self.thinking.decided
        proof = decided.proofs.get(key)
        if proof is not None:
            return Verdict(statement, "disproved" if key[1] else "proved", _strategy(key), proof)
        if key in decided.open:
            return Verdict(statement, "unknown", Strategy.FAIL_TO_PROVE)
        return Verdict(statement, "proved" if key[1] else "disproved", Strategy.FAIL_TO_PROVE)

    @cached_property
    def thinking(self) -> Thinking:
        """What was judged so far."""
        if self.reasoner is None:
            raise InputError("No networks were given to decide with.", "Use Reasoner.over(theory).")
        return Thinking(self, self.reasoner)


@dataclass(frozen=True, slots=True)
class Item:
    """A goal of the working memory, and the statement for which it is pursued."""

    node: Node
    text: str
    rule: int | None = None
    """The rule according to which it is needed."""


@dataclass
class Thinking:
    """The working cycles over one theory. Goals are kept, so that none is pursued twice and cycles end."""

    theory: Theory
    reasoner: Reasoner
    nodes: dict[Ground, Node] = field(default_factory=dict)
    rejected: int = 0
    """Steps that were proposed and do not fit the theory."""
    _new: list[Node] = field(default_factory=list)
    _decided: Decided | None = None

    def judge(self, statements: Sequence[Literal]) -> None:
        """Pursue statements, and all that they rest on, until nothing is left to judge."""
        for statement in statements:
            self.statements.named.update(folded(str(t)) for t in statement.terms)
            self._want(statement)
        wave: list[Item] = []
        later: list[Item] = []
        for _ in range(MOST_CYCLES):
            wave += [Item(node, str(Goal(Kind.PROVE, worded(self._said(node.statement))))) for node in self._new]
            self._new.clear()
            if not wave:
                # By rules only what the facts leave open: the OR and AND of pattern 2 end with the first that decides.
                wave, later = [item for item in later if item.node.fact is None], []
            if not wave:
                break
            wave, rules = self._cycle(wave)
            later += rules

    @property
    def decided(self) -> Decided:
        """What follows from all steps that were proposed and fit."""
        if self._decided is None:
            self._decided = decide(self.nodes)
        return self._decided

    @cached_property
    def statements(self) -> Statements:
        return Statements(self.theory.index)

    @cached_property
    def sentences(self) -> Sentences:
        return Sentences.of(self.theory, self.reasoner.facts_each, self.reasoner.rules_each)

    @cached_property
    def ruling(self) -> dict[int, CompiledRule]:
        """Rules by the number of their clause."""
        return {rule.number: rule for of in self.theory.index.rules.values() for rule in of}

    def _want(self, statement: Literal) -> None:
        key = ground(statement)
        if key not in self.nodes and len(self.nodes) < MOST_GOALS:
            self.nodes[key] = Node(key)
            self._new.append(self.nodes[key])
            self._decided = None

    def _cycle(self, items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
        """One working cycle for each goal: an operator is proposed, then carried out. Its subgoals, those by rules apart."""
        memory = self.sentences.memory
        proposed = self.reasoner.written([(1, proposing(memory.wanting(item.text))) for item in items])
        calls = [(item, call) for item, op in zip(items, proposed, strict=True) if (call := _call(memory, item, op))]
        proposals = self.reasoner.proposed([call for _, call in calls])
        following: list[Item] = []
        rules: list[Item] = []
        for (item, (pattern, _)), texts in zip(calls, proposals, strict=True):
            for text in texts:
                if pattern == FACT_PATTERN:
                    self._fact(item, text)
                elif pattern == RULE_PATTERN:
                    following += self._by_rules(item, text)
                elif item.rule is not None:
                    self._rule(item, goals(text))
                else:
                    for goal in goals(text):
                        (rules if goal.kind is Kind.RULES else following).append(Item(item.node, str(goal)))
        return list(dict.fromkeys(following)), list(dict.fromkeys(rules))

    def _fact(self, item: Item, text: str) -> None:
        """Take a fact that is said to decide a statement, if it does."""
        number = cited_fact(text, negated=item.node.statement[1])
        if number is None or item.node.fact is not None:
            return
        held = self.sentences.facts[number - 1] if 0 < number <= len(self.sentences.facts) else ()
        stating = self.theory.index.stating(item.node.positive)
        found = next((clause for clause in held if clause in stating), None)
        item.node.fact = found
        self._decided = None
        self.rejected += found is None

    def _by_rules(self, item: Item, text: str) -> Iterator[Item]:
        """What rules need that are said to conclude a statement: of `someone`, of each thing in turn."""
        for found in alternatives(text):
            needed = " and ".join(found.needed)
            things = self.theory.index.domain.values() if OPEN.search(needed) else [""]
            for thing in things:
                plain = thing.replace("\\", r"\\")  # a replacement would take a backslash for an escape
                told = tuple(OPEN.sub(plain, each) for each in found.needed)
                yield Item(item.node, according([Alternative(found.rule, told)], negated=False), found.rule)

    def _rule(self, item: Item, needed: Sequence[Goal]) -> None:
        """Take a rule with what it needs, if it reads so."""
        read = [self.statements.read(goal.statement) for goal in needed if goal.kind is Kind.PROVE]
        literals = [literal for literal in read if literal is not None and literal.ground]
        instance = self._instance(item, literals) if len(literals) == len(read) else None
        if instance is None:
            self.rejected += 1
            return
        if any(known.rule is instance.rule and known.body == instance.body for known in item.node.instances):
            return
        item.node.instances.append(instance)
        self._decided = None
        for literal in literals:
            self._want(literal)

    def _instance(self, item: Item, needed: Sequence[Literal]) -> Instance | None:
        """The rule's instance whose head is the statement, or what it denies, and whose conditions are those."""
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

    def _said(self, statement: Ground) -> Literal:
        return self.theory.index.said(statement)


def _call(memory: WorkingMemory, item: Item, operator: str) -> tuple[int, str] | None:
    """What an operator has the executor read, with its pattern; None for what is no operator."""
    wanting = memory.wanting(item.text)
    if operator == Operator.GENERATE_SUBGOALS:
        return 2, executing(wanting)
    match = _GET.fullmatch(operator)
    if match is None:
        return None
    try:
        source = running(wanting, f"{match[1]}_BUFFER_{match[2]}")
    except KeyError:
        return None
    return (FACT_PATTERN if match[1] == "FACT" else RULE_PATTERN), source


def _strategy(key: Ground) -> Strategy:
    return Strategy.INVERSE_PROOF if key[1] else Strategy.PROOF


def _no_model(folder: Path, reason: str) -> InputError:
    return InputError(f"{folder} holds no trained EVR ({reason}).", "Name a folder that `goalmem train evr` wrote.")
