"""Stored rules: one sentence per row with its reading, which is not computed again."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from goalmem.errors import InputError, RuleError, shown
from goalmem.logic.syntax import format_atom, format_rule
from goalmem.logic.terms import Variable
from goalmem.records import StatedRule
from goalmem.rules.compiled import ground
from goalmem.rules.program import World
from goalmem.rules.terms import Clause, Literal, Reading, RuleReader, Unread, sentence_id, sentence_of
from goalmem.rules.theory import Theory, unreadable
from goalmem.rules.wellfounded import denied

if TYPE_CHECKING:
    from goalmem.store import Store


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that states rules or facts."""

    id: str
    text: str
    clauses: tuple[Clause, ...]
    world: World
    reader: str
    """Name of the reader."""

    @property
    def logic(self) -> tuple[str, ...]:
        """Its clauses in NL-Logic."""
        return tuple(format_rule(c.rule) for c in self.clauses)

    @property
    def row(self) -> StatedRule:
        """As a store keeps it."""
        written = [[_plain(c.head), [_plain(b) for b in c.body]] for c in self.clauses]
        clauses = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
        return StatedRule(self.id, self.text, clauses, self.world, self.reader)


def sentences_read(reading: Reading, world: World, reader: str) -> list[Sentence]:
    """The sentences of a reading in order, equal ones once with all that they state."""
    found: dict[str, dict[tuple[Literal, tuple[Literal, ...]], Clause]] = {}
    for clause in reading.clauses:
        found.setdefault(sentence_of(clause), {}).setdefault((clause.head, clause.body), clause)
    return [Sentence(sentence_id(text), text, tuple(held.values()), world, reader) for text, held in found.items()]


def sentence_from(row: StatedRule) -> Sentence:
    """A sentence from its row. Raises RuleError where the row cannot be one."""
    try:
        clauses = tuple(
            Clause(_literal(head), tuple(map(_literal, body)), row.text, 0, len(row.text))
            for head, body in json.loads(row.clauses)
        )
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise RuleError(
            f"The rule {row.id} (“{row.text}”) is kept with a reading that cannot be used: {error}.",
            "Remove it and add the sentence again.",
        ) from error
    if row.world not in ("closed", "open") or sentence_id(row.text) != row.id or not clauses:
        raise RuleError(f"The rule {row.id} does not hold together.", "Remove it and add the sentence again.")
    return Sentence(row.id, row.text, clauses, "open" if row.world == "open" else "closed", row.reader)


@dataclass
class TheoryCache:
    """The theories of spaces, read when first asked for and again when their rules have changed."""

    store: Store
    reader: RuleReader
    """Reader of questions."""
    _held: dict[str, tuple[int, Theory | None]] = field(default_factory=dict)
    _empty: dict[str, tuple[tuple[int, int], bool]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def theory(self, space: str) -> Theory | None:
        """The theory of a space; None where it has no rules."""
        version = self.store.rules_version(space)
        if not version:
            return None
        held = self._held.get(space)
        if held is None or held[0] != version:
            with self._lock:
                held = self._held[space] = (version, self._read(space))
        return held[1]

    def alone(self, space: str) -> bool:
        """True if a space contains only rules."""
        version = self.store.version(space)
        held = self._empty.get(space)
        if held is None or held[0] != version:
            held = self._empty[space] = (version, next(iter(self.store.all_turns(space)), None) is None)
        return held[1]

    def mentions(self, space: str, name: str) -> bool:
        """True if some turn of a space holds the words of a name."""
        words = _ARTICLE.sub("", name)
        return bool(words) and bool(self.store.phrase(space, words, limit=1))

    def _read(self, space: str) -> Theory | None:
        sentences = [sentence_from(row) for row in self.store.rules(space)]
        if not sentences:
            return None
        clauses = tuple(c for s in sentences for c in s.clauses)
        return Theory(clauses, sentences[0].world, reader=self.reader)


_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)


def _plain(literal: Literal) -> list[Any]:
    terms = [t if isinstance(t, str) else [t.name, t.type] for t in literal.terms]
    return [literal.predicate, terms, *([True] if literal.negated else [])]


def _literal(written: Sequence[Any]) -> Literal:
    predicate, terms, *negated = written
    if not isinstance(predicate, str) or predicate.count("_") < len(terms):
        raise ValueError(f"{written!r} is not a statement")
    return Literal(predicate, tuple(_terms(terms)), bool(negated and negated[0]))


def _terms(written: Iterable[Any]) -> Iterable[str | Variable]:
    for term in written:
        yield term if isinstance(term, str) else Variable(str(term[0]), str(term[1]))


def keep_rules(
    store: Store, text: str, space: str, world: World, reader: RuleReader, *, partial: bool, longest: int
) -> RuleReport:
    """Read a text and keep its sentences.

    Raises:
        InputError: the text is too long, or there is no such world.
        UnreadableRulesError: a sentence cannot be read, and `partial` is not set.
        RuleError: nothing in it could be read, or the space holds rules of another world.
        StoreError: nothing was kept.
    """
    if world not in ("closed", "open"):
        raise InputError(f"There is no world {shown(world)}.", "Choose closed or open.")
    if len(text) > longest:
        raise InputError(
            f"The rule text has {len(text):,} characters; {longest:,} are taken at once.",
            "Add it in parts, each of whole sentences, or set max_rule_characters.",
        )
    reading = reader.read(text)
    if reading.unread and (not partial or not reading.clauses):
        raise unreadable(reading.unread)
    sentences = sentences_read(reading, world, reader.name)
    if not sentences:
        raise RuleError("The text states no rule and no fact.", "Write sentences like “Big people are rough.”")
    ids = tuple(s.id for s in sentences)
    kept = [sentence_from(row) for row in store.rules(space)]
    read = frozenset(ids)
    other = [s for s in kept if s.world != world and s.id not in read]
    if other:
        raise RuleError(
            f"The space {space!r} holds rules of {'an open' if world == 'closed' else 'a closed'} world"
            f" (“{other[0].text}”).",
            "Keep rules of another world in a space of their own, or remove these first.",
        )
    new = store.add_rules(space, [s.row for s in sentences])
    every = [*(c for s in kept if s.id not in read for c in s.clauses), *reading.clauses]
    return RuleReport(ids, len(new), reading.clauses, reading.unread, contradictions(every), world)


@dataclass(frozen=True, slots=True)
class RuleReport:
    """Result of `add_rules`. The sentences are on disk when it is returned."""

    ids: tuple[str, ...]
    """The id of every sentence of the text that was read, known before or new, in order."""
    new: int
    """Number of new sentences."""
    clauses: tuple[Clause, ...]
    """Clauses of the sentences."""
    unread: tuple[Unread, ...]
    """Sentences that could not be read and were skipped, with the reasons."""
    contradictions: tuple[str, ...]
    """Statements that the space's facts both state and deny; their answer is then unknown."""
    world: World


def contradictions(clauses: Iterable[Clause]) -> tuple[str, ...]:
    """Statements that facts both state and deny, in the order in which they are stated."""
    facts = {ground(c.head): c.head for c in clauses if not c.body and c.head.ground}
    return tuple(format_atom(said.atom) for held, said in facts.items() if not held[1] and denied(held) in facts)
