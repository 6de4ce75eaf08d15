"""The annotations of one turn, to which every component of the extractor adds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from goalmem.language.times import Expression
from goalmem.logic.interval import Interval
from goalmem.records import DOCUMENT, Modality, Turn

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


WINDOW = 3
"""Earlier turns in which a pronoun's antecedent or the question to an answer is looked for."""


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The context of the turns to read."""

    previous: Sequence[Turn] = ()
    """The latest preceding turns of the session, oldest first; at most the last six are used, so that pronouns in the
    last three can be resolved, too.
    """
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The space's aliases, in lower case -> canonical name."""
    speakers: Sequence[str] = ()
    """Known participants; the turns' own speakers are added."""
    dated: bool = True
    """False if it is unknown when the turns were said: `last week` is then unresolved."""


@dataclass(frozen=True, slots=True)
class Referent:
    """The referent of a word."""

    entity: str
    type: str = ""
    resolved: str = ""
    """As in records.Argument."""
    gender: str = ""
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """An argument in the making; `start` and `end` are -1 when it is implied, `token` None when it is in another turn."""

    role: str
    text: str
    start: int
    end: int
    head: str
    token: Token | None = None
    entity: str = ""
    type: str = ""
    resolved: str = ""
    modifiers: tuple[str, ...] = ()
    conjuncts: tuple[Part, ...] = ()
    """The coordinated phrases, including the first; empty without coordination."""

    def implied(self) -> Part:
        """The same participant without a span in this turn; its words move to `entity`."""
        return replace(
            self,
            text="",
            start=-1,
            end=-1,
            token=None,
            entity=self.entity or self.text,
            conjuncts=tuple(c.implied() for c in self.conjuncts),
        )

    def as_(self, role: str) -> Part:
        """The same participant in another role, each of its conjuncts too."""
        return replace(self, role=role, conjuncts=tuple(replace(c, role=role) for c in self.conjuncts))


@dataclass(slots=True)
class Clause:
    """A clause: a statement in the making."""

    head: Token | None
    """The verb; None for a clause that is not in the text (possession, identity, an answer)."""
    predicate: str
    link: str = ""
    """The relation of the verb to `matrix`: a dependency label, or empty at the top."""
    matrix: Clause | None = None
    kind: str = "clause"
    parts: list[Part] = field(default_factory=list)
    passive: bool = False
    light: bool = False
    """A semi-auxiliary ("be going to", "used to"): it modifies the clause below and states nothing itself."""
    tense: str = ""
    """`past`, `present`, `future`, or empty when the verb is not finite."""
    past_habit: bool = False
    polarity: bool = True
    modality: Modality = Modality.ASSERTED
    meant: Modality = Modality.ASSERTED
    """The modality apart from the question: that of a yes."""
    offers: bool = False
    """A choice between alternatives: `tea or coffee`."""
    when: Interval | None = None
    when_text: str = ""
    start: int = 0
    end: int = 0
    statement: str = ""
    remnant: Token | None = None
    """The first phrase of a clause whose verb is that of the clause before (`gapping`)."""
    participle: str = ""
    """The verb as written, for a passive without a `head` here."""

    @property
    def verb(self) -> Token:
        """`head`, of a clause that has its verb in the text."""
        assert self.head is not None
        return self.head

    def part(self, role: str) -> Part | None:
        """The first part in `role`."""
        return next((p for p in self.parts if p.role == role), None)


def depth(clause: Clause) -> tuple[int, int]:
    """Sort key: embedding depth, then position of the verb, so that matrix clauses come first."""
    levels, above = 0, clause.matrix
    while above is not None:
        levels, above = levels + 1, above.matrix
    return levels, clause.head.i if clause.head is not None else 0


class Referents(dict[int, "Referent"]):
    """Referents by the place of their word. Those of one entity are found without a look at all others."""

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[str, dict[int, None]] = {}

    def __setitem__(self, place: int, referent: Referent) -> None:
        super().__setitem__(place, referent)
        self._places.setdefault(_owner(referent.entity), {})[place] = None

    def named(self, entity: str) -> list[int]:
        """The places of an entity, and of what is its: `Ann`, `Ann's brother`."""
        same = self._places.get(_owner(entity), {})
        return [i for i in same if self[i].entity == entity or self[i].entity.startswith(f"{entity}'s ")]


def _owner(entity: str) -> str:
    """The first name in an entity: `Ann` of `Ann's brother's dog`."""
    return entity.partition("'s ")[0]


@dataclass(slots=True)
class TurnReading:
    """One turn with all annotations so far. Components read earlier annotations and add to them."""

    turn: Turn
    doc: Doc
    text: str
    """The document's text, cached because spaCy assembles it on each access."""
    speakers: tuple[str, ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    """All aliases known here, those stated in this turn included."""
    types: dict[str, str] = field(default_factory=dict)
    """Name -> coarse type, as far as an earlier mention in these turns made it plain."""
    previous: Sequence[TurnReading] = ()
    """Earlier turns, oldest first."""
    caption: Doc | None = None
    referents: Referents = field(default_factory=Referents)
    """Token index -> referent."""
    owned: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Index of a possessed noun -> (owner, noun): ("Maya", "sister")."""
    names: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Index of a name's head -> its first and last token."""
    named: list[tuple[int, int]] = field(default_factory=list)
    """(described noun, name) token indices of namings in this turn: `my sister Ines`."""
    named_here: set[int] = field(default_factory=set)
    """The name tokens of `named`."""
    named_at: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """The same namings by their later token."""
    stated: list[tuple[str, str]] = field(default_factory=list)
    """Aliases stated in this turn: (alias, canonical name)."""
    times: list[tuple[Expression, Token]] = field(default_factory=list)
    """Expressions of time with the word that carries them."""
    quoted: list[tuple[int, int]] = field(default_factory=list)
    """Character ranges of quotations."""
    titles: list[tuple[int, int]] = field(default_factory=list)
    """Character ranges of titles in quotation marks, the marks left out."""
    spoken_to: dict[int, str] = field(default_factory=dict)
    """The start of a sentence -> who is addressed in it by name."""
    clauses: list[Clause] = field(default_factory=list)
    dated: bool = True
    """False if it is unknown when the text was said: relative times are then unresolved."""
    _by_sentence: tuple[int, dict[int, list[Clause]]] = field(default_factory=lambda: (0, {}), repr=False)
    """The first so many of `clauses`, which only grow, by the start of their sentence."""

    @property
    def offset(self) -> int:
        """Offset of the caption in the turn's content."""
        return len(self.turn.content) - len(self.turn.caption) - 1

    def words(self, start: int, end: int) -> Sequence[Token]:
        """The tokens in a range of the content; none in the caption."""
        if end > len(self.text):
            return ()
        found = self.doc.char_span(start, end, alignment_mode="contract")
        return tuple(found) if found is not None else ()

    def addressee(self, token: Token) -> str:
        """The one whom `you` means: whom the sentence calls by name, else the other one of two; empty if unknown."""
        return self.spoken_to.get(token.sent.start) or self.other()

    def other(self) -> str:
        """The one spoken to, when there are just two; else empty."""
        others = [s for s in self.speakers if s != self.turn.speaker] if self.turn.role != DOCUMENT else []
        return others[0] if len(others) == 1 else ""

    def is_quoted(self, token: Token) -> bool:
        """True inside a quotation."""
        return around(self.quoted, token.idx) is not None

    def title_at(self, token: Token) -> tuple[int, int] | None:
        """The character range of the quoted title that contains the word."""
        marked = len(token) > 1 and token.text[0] in "\"'"  # the title as one word, with its quotation marks
        return around(self.titles, token.idx + marked)

    def in_title(self, token: Token) -> bool:
        """True inside a title in quotation marks."""
        return self.title_at(token) is not None

    def clauses_in(self, sentence: Span) -> Sequence[Clause]:
        """The clauses whose verb is in a sentence, in order."""
        count, by_sentence = self._by_sentence
        for clause in islice(self.clauses, count, None):
            if clause.head is not None:
                by_sentence.setdefault(clause.head.sent.start, []).append(clause)
        self._by_sentence = len(self.clauses), by_sentence
        return by_sentence.get(sentence.start, ())

    def state(self, alias: str, name: str) -> None:
        """Records an alias that this turn gives."""
        if (alias, name) not in self.stated:
            self.stated.append((alias, name))
        self.aliases[alias.lower()] = name

    def canonical(self, name: str) -> str:
        """The canonical name for a name or a description, itself when it has no other; an owner is renamed too."""
        return self._renamed(name, RENAMED)

    def _renamed(self, name: str, times: int) -> str:
        """See `canonical`; owners are renamed so many times at most, since names may lead back to each other."""
        known = self.aliases.get(name.lower())
        if known is not None:
            return known
        owner, owned, what = name.rpartition("'s ")
        other = self._renamed(owner, times - 1) if owned and times > 0 else owner
        return self._renamed(f"{other}'s {what}", times - 1) if other != owner else name


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same places as ranges in order that do not overlap."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def around(ranges: Sequence[tuple[int, int]], place: int) -> tuple[int, int] | None:
    """The range that holds a place; the ranges are in order and do not overlap (`merged`)."""
    behind = bisect_right(ranges, place, key=itemgetter(0))
    return ranges[behind - 1] if behind and place < ranges[behind - 1][1] else None


RENAMED = 12
"""How often an owner of an owner is renamed."""
