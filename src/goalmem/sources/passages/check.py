"""Check readings of passages: compute values and types again from the cited words, and ask the judge. Never the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from goalmem.logic.terms import Atom, Binding, Evidence, Goal, JudgeRecord
from goalmem.models.protocol import Judge, Statement, Verdict
from goalmem.proof.document import Judgement, Node
from goalmem.proof.node_check import Finding, ProofContext, SourceOracles, check_leaf, unknown_kind
from goalmem.questions.whole_question import AtomQuestion, is_of_passages, quoted_answer, whether_question
from goalmem.records import Turn
from goalmem.sources.facts.check import FactChecker, replaced_around
from goalmem.sources.passages.answer_words import answer_words, places
from goalmem.sources.passages.texts import (
    NOT_SAID,
    PassageTexts,
    ReadPassage,
    atom_question,
    digest_of,
    opinion_judgement,
)
from goalmem.sources.passages.yes_no import DECIDES

READ_BY = re.compile(r"(?:read by [^\n]{1,100})?")
"""The note of a reading: the reader's name. What it read is checked without it."""


@dataclass(frozen=True)
class PassageChecker:
    """Checks what was read out of the passages of one space."""

    texts: PassageTexts
    judge: Judge
    """Decides if words state what was read."""
    facts: FactChecker
    """Knows what was replaced later."""

    @cached_property
    def oracles(self) -> SourceOracles:
        """The oracles of this checker."""
        return SourceOracles.of(self)

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """Yield the findings on a reading."""
        return check_leaf(self.oracles, node, about) if node.kind == "fact" else unknown_kind(node)

    def reads_value(self, node: Node, _about: ProofContext, held: Binding, /) -> bool:
        """True if this is the value that was read; `entails` computes it again."""
        bindings = {b.variable.name: b for b in node.bindings}
        found = self.cited(node.goal, bindings, node.evidence) if node.goal is not None else ""
        return not isinstance(found, str) and found[1] == held

    def explains(self, node: Node, _about: ProofContext, /) -> bool:
        """True if it says only that the value was read, by whom, and what was asked."""
        bindings = {b.variable.name: b for b in node.bindings}
        found = self.cited(node.goal, bindings, node.evidence) if node.alignment and node.goal is not None else ""
        read = {(found[0].question, found[1].span, "read")} if not isinstance(found, str) else set()
        return {(a.goal, a.evidence, a.how) for a in node.alignment} <= read and READ_BY.fullmatch(
            node.note
        ) is not None

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], _negated: bool, /
    ) -> str:
        """The later words that replaced the clause that was read."""
        return replaced_around(self.facts.slots, goal, atom, bindings, evidence) or self.facts.told_otherwise(
            goal, bindings
        )

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool = False
    ) -> tuple[bool, str]:
        """Return if the quoted sentence can mean the bindings, by computing value and type again and asking the judge; and why (not).

        For a yes/no question: if the judge finds that the quoted turn gives this answer.
        """
        if whether_question(atom) is not None:
            said = self.said(atom, bindings, evidence)
            if said is None or said.certainty < DECIDES or (said.verdict == "contradicted") != negated:
                return False, f"{self.judge.name} does not find that the quoted words say so"
            return (
                True,
                f"{self.judge.name} finds it {said.verdict} with a probability of {said.certainty:.2f}",
            )
        if negated:
            return False, "what is read denies nothing"
        found = self.cited(atom, bindings, evidence)
        if isinstance(found, str):
            return False, found
        reading, held, turn = found
        cited = evidence[0]
        (passage,) = self.texts.passages_of([turn.id])
        if not any(self._stands(reading, held, passage, *span) for span in places(turn.content, held.span, cited)):
            return False, f"{held.value.text!r} does not follow from what is quoted"
        verdict = self.judged(reading, held, turn, cited)
        if verdict.entailed < NOT_SAID:
            return False, f"{self.judge.name} judges that the quoted words do not say this"
        return True, f"{self.judge.name} finds it said with a probability of {verdict.entailed:.2f}"

    def judgement(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> Judgement | None:
        """The judge's current verdict on a leaf; None if the leaf was not read."""
        said = None if negated and not is_of_passages(atom) else self.said(atom, bindings, evidence)
        return Judgement.of(said) if said is not None else None

    def said(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> JudgeRecord | None:
        """The judge's current verdict on a leaf that was read, as a record; None if it was not read."""
        if (whether := whether_question(atom)) is not None:
            turn = self.texts.memory.turn(evidence[0].turn) if len(evidence) == 1 else None
            if turn is None:
                return None
            return opinion_judgement(self.judge, self.texts.opinions(self.judge, whether, [turn.id])[0])
        found = self.cited(atom, bindings, evidence)
        if isinstance(found, str):
            return None
        reading, held, turn = found
        sure = round(self.judged(reading, held, turn, evidence[0]).entailed, 4)
        return JudgeRecord(self.judge.name, "entailed", sure, digest_of(self.judge))

    def judged(self, reading: AtomQuestion, held: Binding, turn: Turn, cited: Evidence) -> Verdict:
        """The judge's verdict on a reading with its citation."""
        said = Statement(self.texts.worded(reading.question), answer_words(held.span, held.value))
        (verdict,) = self.judge.judge([(said, self.texts.excerpt(turn, cited.start, cited.end))])
        return verdict

    def cited(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> tuple[AtomQuestion, Binding, Turn] | str:
        """The question of an atom, the binding by the cited turn, and that turn; or why there is none."""
        if len(evidence) != 1:
            return "what is read is cited by one sentence"
        turn = self.texts.memory.turn(evidence[0].turn)
        answer = quoted_answer(atom)
        said = [v.name for v in atom.variables if v.name in bindings and bindings[v.name].turn == evidence[0].turn]
        own = (
            answer.name if answer is not None else next(reversed(said), "")
        )  # Read last, with what else the turn says.
        elsewhere = {n: b.value for n, b in bindings.items() if n != own}
        reading = atom_question(atom, elsewhere)
        held = bindings.get(reading.variable.name) if reading is not None else None
        if reading is None or held is None or turn is None:
            return "it is no question read out of one passage"
        return reading, held, turn

    def _stands(self, reading: AtomQuestion, held: Binding, passage: ReadPassage, start: int, end: int) -> bool:
        """True if words of a turn can have a value: they are asserted, about the right people, and of the right type."""
        for proposal in self.texts.values(reading.question, reading.variable, passage, start, end):
            if proposal is not None and any(
                (held.value, held.derivation) == (each.value, each.derivation)
                for each in (proposal, self.texts.counted(proposal))
            ):
                return True
        return False
