"""Checks on what a proof claims of all: what a search finds anew stands in it, and what it holds is found anew."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from goalmem.logic.evaluate import needs_all
from goalmem.logic.terms import Goal, Value
from goalmem.proof.checks import Checks
from goalmem.proof.document import Node, Proof
from goalmem.proof.oracles import Found

__all__ = ["SolutionKey", "check_complete", "key_of"]

SCORE_SHIFT, READ_SHIFT = 0.02, 0.1
"""How far a solution's score may be from what a search finds: of stated facts; of what is read out of passages, which is
weighed with how well its turn was found, and that shifts with every turn that is remembered since."""

SolutionKey = tuple[bool, tuple[tuple[str, str], ...]]
"""Whether it opposes, and the key of what each variable stands for."""


def check_complete(checks: Checks, proof: Proof, goal: Goal, found: Sequence[Found]) -> None:
    """Compare the solutions of an answered proof with those that a search finds.

    Where all count, every one that is found is one of the root's. Where one is enough, every other that is as good stands
    among the alternatives. None is there that a search does not find, and none is worth more or less.
    """
    root = proof.root.children if proof.root is not None else ()
    counted = {key_of(n): n for n in root}
    shown = counted if needs_all(goal) else {**counted, **{key_of(n): n for n in proof.alternatives}}
    anew = {found_key(f, goal): f for f in found}
    worded = {_worded(_as_found(n), goal) for n in shown.values()}
    left_out = [f for key, f in anew.items() if key not in shown and _worded(f, goal) not in worded]
    told = f"a search finds “{_named(left_out, goal)}”, too" if left_out else "a search finds no other"
    checks.note("root", "complete", not left_out, told)
    spoken = {_worded(f, goal) for f in found}
    invented = [n for key, n in counted.items() if key not in anew and _worded(_as_found(n), goal) not in spoken]
    told = (
        f"a search does not find “{_named(map(_as_found, invented), goal)}”" if invented else "a search finds the same"
    )
    checks.note("root", "found again", not invented, told)
    for i, node in enumerate(root):
        if (again := anew.get(key_of(node))) is not None:
            shift = READ_SHIFT if again.read else SCORE_SHIFT
            close = math.isclose(node.score, again.score, abs_tol=shift)
            checks.note(f"root.children[{i}]", "worth", close, f"a search finds it worth {again.score:.2f}")


def key_of(node: Node) -> SolutionKey:
    """What makes a solution of a proof the same as another."""
    return _key(any(n.negated for _, n in node.walk()), {b.variable.name: b.value for b in node.bindings})


def found_key(found: Found, goal: Goal) -> SolutionKey:
    """The same of a solution that a search finds."""
    return _key(found.against, {name: value for name, value in found.values.items() if name in goal.names})


def _key(against: bool, values: Mapping[str, Value]) -> SolutionKey:
    return against, tuple(sorted((name, value.key) for name, value in values.items()))


def _worded(found: Found, goal: Goal) -> SolutionKey:
    """The same by the words that are shown: sources may fold what they read in ways of their own (`bruge`, `bruges`)."""
    worded = {name: value.text.casefold() for name, value in found.values.items() if name in goal.names}
    return found.against, tuple(sorted(worded.items()))


def _as_found(node: Node) -> Found:
    against = any(n.negated for _, n in node.walk())
    return Found({b.variable.name: b.value for b in node.bindings}, node.score, against)


def _named(found: Iterable[Found], goal: Goal) -> str:
    """Solutions by what they answer."""
    name = goal.answer.name if goal.answer is not None else ""
    told = [f.values[name].text if name in f.values else "no" if f.against else "yes" for f in found]
    return "”, “".join(dict.fromkeys(told))
