"""Render a proof as a tree for people: with colours for terminals, as plain text for logs.

Turns are data: they are never read as markup, and control characters in them are made visible.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.logic.syntax import format_atom, format_rule
from goalmem.logic.terms import Alignment, Atom, Evidence
from goalmem.proof.document import MissingGoal, Node, Proof, Status
from goalmem.records import attribution

if TYPE_CHECKING:
    from rich.tree import Tree

__all__ = ["text", "tree", "why_not_tree"]

MAX_QUOTE = 300
"""Characters of a quote shown."""
GOOD, FAIR, BAD, DIM, STRONG, QUOTE = "green", "yellow", "red", "dim", "bold", "italic"
COLOURS: Mapping[Status, str] = {"proved": GOOD, "likely": FAIR, "disproved": GOOD, "unknown": BAD}
"""By status of the answer."""


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line of styled words, and the lines below it."""

    words: tuple[tuple[str, str], ...]
    below: tuple[TreeLine, ...] = field(default=())


def tree(proof: Proof) -> Tree:
    """The proof as a rich tree."""
    return _rich(_proof(proof))


def text(proof: Proof) -> str:
    """The proof as plain text, indented with lines."""
    return "\n".join(_plain(_proof(proof)))


def why_not_tree(question: str, stage: str, missing: Sequence[MissingGoal]) -> Tree:
    """The missing parts of a question, as a rich tree."""
    return _rich(_why_not(question, stage, missing))


def _proof(proof: Proof) -> TreeLine:
    known = proof.status != "unknown"
    answer = proof.answer if known else "I don't know"
    head = ((proof.question + " ", STRONG), ("→ ", DIM), (answer, COLOURS[proof.status]))
    detail = f"  {proof.status}, confidence {proof.confidence:.2f}" if known else "  unknown"
    below = [_lemma(i, n) for i, n in enumerate(proof.lemmas)]
    below += _solutions(proof)
    below += [TreeLine((("or ", DIM), (_answer_of(proof, n), "")), _steps(n)) for n in proof.alternatives]
    if proof.missing:
        below.append(TreeLine((("missing", BAD),), tuple(map(_missing, proof.missing))))
    return TreeLine((*head, (detail, DIM)), tuple(below))


def _solutions(proof: Proof) -> Iterator[TreeLine]:
    if proof.root is None:
        return
    if len(proof.root.children) == 1:
        yield from _steps(proof.root.children[0])
        return
    yield TreeLine(((f"{proof.goal.aggregate} of {len(proof.root.children)}", DIM),))
    for child in proof.root.children:
        yield TreeLine(((_answer_of(proof, child), STRONG),), _steps(child))


def _lemma(number: int, node: Node) -> TreeLine:
    step = _step(node)
    return TreeLine(((f"lemma {number + 1}: ", DIM), *step.words), step.below)


def _answer_of(proof: Proof, node: Node) -> str:
    """The answer of a solution: its answer variable's value, or the whole substitution."""
    name = proof.goal.answer.name if proof.goal.answer is not None else ""
    values = [b.value.text for b in node.bindings if b.variable.name == name]
    if values or not node.bindings:
        return values[0] if values else ("no" if any(n.negated for _, n in node.walk()) else "yes")
    return ", ".join(f"{b.variable.name} = {b.value.text}" for b in node.bindings)


def _steps(solution: Node) -> tuple[TreeLine, ...]:
    return tuple(map(_step, solution.children))


def _step(node: Node) -> TreeLine:
    closed = node.kind != "assumed" and not any(n.kind == "assumed" for _, n in node.walk())
    mark = ("✓ ", GOOD) if closed and not node.negated else ("✗ ", BAD)
    said = format_atom(node.ground) if node.ground is not None else node.kind
    words = [mark, (said, STRONG)]
    words += [(f"  {_AGAINST.get(node.kind, 'the evidence says the opposite')}", BAD)] if node.negated else []
    own = [b for b in node.bindings if node.goal is not None and b.variable in node.goal.variables]
    words += [(f"  {b.variable} = {b.value.text}", DIM) for b in own]
    kind = f"lemma {node.lemma + 1}" if node.lemma is not None else node.kind
    words += [(f"  {kind}, {node.score:.2f}", DIM)] if closed else []
    words += [(f"  by {node.judge}", DIM)] if node.judge and node.rule is None else []
    stated = f"assumed rule, by {node.judge}: " if node.judge else "rule: "
    below = [TreeLine(((stated, DIM), (format_rule(node.rule), "")))] if node.rule is not None else []
    below += [_quote(e) for e in node.evidence]
    below += [TreeLine((("because ", DIM), *_joined(map(_match, node.alignment))))] if node.alignment else []
    below += [TreeLine(((node.note, DIM),))] if node.kind == "closed-world" and node.note else []
    return TreeLine(tuple(words), (*below, *map(_step, node.children)))


_AGAINST = {
    "rule": "its opposite follows",
    "lemma": "its opposite follows",
    "closed-world": "it is false, since nothing proves it",
}


def _match(entry: Alignment) -> str:
    score = "" if entry.score == 1 else f" {entry.score:.2f}"
    return f"“{entry.goal}” ~ “{entry.evidence}” ({entry.how}{score})"


def _joined(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return (("; ".join(texts), DIM),)


def _quote(evidence: Evidence) -> TreeLine:
    quote = evidence.quote if len(evidence.quote) <= MAX_QUOTE else evidence.quote[: MAX_QUOTE - 1] + "…"
    # A stated rule has no speaker and no day, so its id is shown.
    told = f"{attribution(evidence.speaker, evidence.source)}, {_day(evidence.said)}, turn " if evidence.said else ""
    return TreeLine(((f"“{quote}”", QUOTE), (f"  {told}{evidence.turn}", DIM)))


def _day(said: str) -> str:
    try:
        day = datetime.fromisoformat(said)
    except ValueError:
        return said
    return f"{day.day} {day:%B %Y}"


def _missing(missing: MissingGoal) -> TreeLine:
    words = (("✗ ", BAD), (_atom(missing.atom), STRONG), (f"  {missing.stage}: ", BAD), (missing.reason, ""))
    return TreeLine(words, tuple(TreeLine((("nearest: ", DIM), *_quote(e).words)) for e in missing.nearest))


def _atom(atom: Atom) -> str:
    return format_atom(atom)


def _why_not(question: str, stage: str, missing: Sequence[MissingGoal]) -> TreeLine:
    return TreeLine(
        ((question + " ", STRONG), ("→ ", DIM), (stage, GOOD if stage == "answered" else BAD)),
        tuple(map(_missing, missing)),
    )


def _visible(words: str) -> str:
    """Replace control and direction-changing characters by U+FFFD and line breaks by spaces, so that a quote cannot change the screen."""
    flat = " ".join(words.split("\n")).replace("\r", " ").replace("\t", " ")
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") or c in _DIRECTIONS else c for c in flat)


_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _rich(branch: TreeLine) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    def label(b: TreeLine) -> Text:
        return Text.assemble(*((_visible(t), style) for t, style in b.words))

    def hang(parent: Tree, b: TreeLine) -> None:
        child = parent.add(label(b))
        for below in b.below:
            hang(child, below)

    root = Tree(label(branch), guide_style=DIM)
    for below in branch.below:
        hang(root, below)
    return root


def _plain(branch: TreeLine, first: str = "", rest: str = "") -> Iterator[str]:
    yield first + "".join(_visible(t) for t, _ in branch.words)
    for i, below in enumerate(branch.below):
        last = i == len(branch.below) - 1
        yield from _plain(below, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))
