"""Check what a proof cites: turns, quotes, and the words that values were read from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from goalmem.logic.interval import Interval
from goalmem.logic.syntax import format_rule
from goalmem.logic.terms import KIND_OPEN, Alignment, Binding, Derivation, Evidence, Value
from goalmem.proof.document import Node
from goalmem.proof.node_check import Checks
from goalmem.proof.oracles import EvidenceReader, EvidenceTurn, FateOracle, LemmaOracle

UNSAID = frozenset({"speaker", "addressee", "time", "implied", KIND_OPEN})
"""Kinds of alignment whose words need not be in the quote; `entails` covers them."""


@dataclass(slots=True)
class EvidenceChecks:
    """Compares citations with the current turns."""

    checks: Checks
    reader: EvidenceReader
    entails: object
    """The entailment oracle, which may know lemmas."""
    asked: str = ""
    """When the question was asked (ISO 8601). Later statements prove nothing. Empty: any date counts."""
    _turns: dict[str, EvidenceTurn | None] = field(default_factory=dict)
    _sound: dict[Evidence, tuple[bool, str]] = field(default_factory=dict)
    _lemmas: dict[str, frozenset[str]] = field(default_factory=dict)

    def cited(self, path: str, evidence: Evidence) -> None:
        """Check that the turn still exists unchanged, and contains the quote at the given place, by the given speaker."""
        if evidence not in self._sound:
            problem = self._problem(evidence)
            self._sound[evidence] = not problem, problem or f"turn {evidence.turn} says it, unchanged"
        ok, detail = self._sound[evidence]
        self.checks.note(path, "evidence", ok, detail)

    def binding(
        self, path: str, binding: Binding, evidence: Sequence[Evidence], rules: Iterable[str], given: str
    ) -> None:
        """Check that the value was read from words at the place that the binding gives.

        `evidence` is everything that the solution cites, `rules` the texts of its rules, `given` the question and its goal.
        """
        value, problem = binding.value, _misshapen(binding.value)
        cited = [e for e in evidence if e.turn == binding.turn]
        if problem:
            pass
        elif binding.derivation is Derivation.GIVEN:
            problem = "" if _within(value.text, given) else f"{value.text!r} does not stand in the question"
        elif not binding.turn:
            stated = any(_within(binding.span, r) for r in rules)
            problem = "" if binding.span and stated else f"{binding.span!r} stands in no rule used"
        elif not cited:
            problem = f"turn {binding.turn} is not cited"
        elif binding.span and not any(binding.span in e.quote for e in cited):
            problem = f"{binding.span!r} does not stand in the quote"
        elif binding.derivation is Derivation.SAID and binding.span:
            problem = f"{binding.span!r} says no time: it is the day on which it was said"
        elif binding.derivation is Derivation.SAID:
            problem = "" if any(_said_in(value.interval, e.said) for e in cited) else "it was said at another time"
        if not problem and binding.derivation is Derivation.QUOTED and not _within(value.text, binding.span):
            problem = f"{value.text!r} is not quoted by {binding.span!r}"
        self.checks.note(path, f"binding {binding.variable.name}", not problem, problem or f"it is {value.text!r}")

    def alignment(self, path: str, entry: Alignment, node: Node) -> None:
        """Check that the aligned words are in the evidence."""
        quotes = " ".join(e.quote for e in node.evidence)
        ok = entry.how in UNSAID or self._occurs(entry.evidence, quotes)
        ok = ok and 0 <= entry.score <= 1
        self.checks.note(path, "alignment", ok, f"{entry.goal!r} is said as {entry.evidence!r} ({entry.how})")

    def _occurs(self, text: str, quotes: str) -> bool:
        if _within(text, quotes):
            return True
        if quotes not in self._lemmas:
            known = self.entails.lemmas(quotes) if isinstance(self.entails, LemmaOracle) else frozenset()
            self._lemmas[quotes] = known | set(re.findall(r"\w+", quotes.casefold())) if known else known
        words = set(re.findall(r"\w+", text.casefold()))
        return bool(words) and words <= self._lemmas[quotes]

    def _problem(self, evidence: Evidence) -> str:
        if evidence.turn not in self._turns:
            self._turns[evidence.turn] = self.reader.content(evidence.turn)
        turn = self._turns[evidence.turn]
        if turn is None:
            return self._fate(evidence.turn) or f"turn {evidence.turn} is not remembered"
        if hashlib.sha256(turn.content.encode("utf-8", "surrogatepass")).hexdigest() != evidence.sha256:
            return self._fate(evidence.turn) or f"turn {evidence.turn} has changed since"
        if not (0 <= evidence.start < evidence.end <= len(turn.content)):
            return "the quote has no place in the turn"
        if turn.content[evidence.start : evidence.end] != evidence.quote:
            return f"turn {evidence.turn} does not say {evidence.quote!r} there"
        if evidence.speaker != turn.speaker:
            return f"{turn.speaker} said it, not {evidence.speaker}"
        if not _same_moment(evidence.said, turn.said):
            return f"it was said at {turn.said}, not at {evidence.said}"
        if evidence.session != turn.session:
            return f"it was said in session {turn.session!r}"
        if evidence.position not in (turn.position, 0):  # older proofs do not say it
            return f"it is message {turn.position} of its session, not {evidence.position}"
        if evidence.source != turn.source:
            return f"it stands in {turn.source!r}, not in {evidence.source!r}"
        return f"it was said on {turn.said}, after the question was asked" if _later(turn.said, self.asked) else ""

    def _fate(self, turn: str) -> str:
        return self.reader.fate(turn) if isinstance(self.reader, FateOracle) else ""


def _misshapen(value: Value) -> str:
    """Why a value contradicts itself, or an empty string: its key must be that of its time or number."""
    if value.interval is not None and value.key.casefold() not in _keys(value.interval):
        return f"the key {value.key!r} is not that of {value.interval}"
    if value.number is not None and value.interval is None and not _is_number(value.key, value.number):
        return f"the key {value.key!r} is not that of {value.number}"
    return "" if value.text and value.key else "the value is empty"


def _keys(interval: Interval) -> set[str]:
    start, end = interval.start.isoformat(), interval.end.isoformat()
    return {k.casefold() for k in (str(interval), start, f"{start}/{end}", start.removesuffix("T00:00:00"))}


def _is_number(key: str, number: float) -> bool:
    # The unit may be part of the key: five euros are not five dollars.
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?", key)
    return len(found) == 1 and abs(float(found[0].replace(",", "")) - number) <= 1e-9 * max(1.0, abs(number))


def _within(text: str, whole: str) -> bool:
    words = " ".join(text.casefold().split())
    return bool(words) and words in " ".join(whole.casefold().split())


def _said_in(interval: Interval | None, said: str) -> bool:
    moment = _moment(said)
    return interval is not None and moment is not None and interval.start <= moment.replace(tzinfo=None) < interval.end


def _same_moment(a: str, b: str) -> bool:
    first, second = _moment(a), _moment(b)
    if first is None or second is None:
        return a == b
    return first == second and (first.tzinfo is None) == (second.tzinfo is None)


def _later(said: str, asked: str) -> bool:
    """True if something was said after the day of a question; False if either has no date."""
    then, end = _moment(said), _moment(asked)
    if then is None or end is None:
        return False
    if then.tzinfo is not None and end.tzinfo is not None:
        then = then.astimezone(end.tzinfo)
    return then.date() > end.date()


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def rule_texts(nodes: Iterable[Node]) -> list[str]:
    """The rules used in a solution, as text."""
    return [format_rule(n.rule) for n in nodes if n.rule is not None]
