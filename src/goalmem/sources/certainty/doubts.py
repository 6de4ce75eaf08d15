"""Doubts about a fact: it is taken back, is about something else, is inexact, or may have changed since.

A doubted fact is `likely` at most. Doubts are read from the turns alone, so that the checker of a proof finds the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from goalmem.language import lexicon
from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.verb_forms import is_under_way
from goalmem.language.words import any_of
from goalmem.language.words.doubts import (
    DECEASED,
    LASTS_AT_MOST,
    MISTAKEN,
    NOT_THE_SAME,
    PARTED,
    QUERY,
    RETRACTED_WITHIN,
    RETRACTION,
)
from goalmem.language.words.modifiers import SUCCESSIVE
from goalmem.language.words.verbs import ACQUIRING, CALLING_OFF, COMPLETELY, FALLING_THROUGH
from goalmem.logic.evaluate import OF_AMOUNTS
from goalmem.logic.terms import Binding, Goal
from goalmem.logic.unify import FramePart
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem.sources.assertion import UNTIL_NOW
from goalmem.sources.certainty.activities import is_overtaken, may_be_over, nouns_of
from goalmem.sources.certainty.change import is_understood, may_end, may_replan
from goalmem.sources.certainty.implied import is_suggested, is_taken_back_at_once, is_unfinished
from goalmem.sources.certainty.later_statements import BEHIND, MOST, Statements, names_in
from goalmem.sources.certainty.reservations import (
    UNTIL,
    is_figurative,
    is_open,
    is_qualified,
    is_restricted,
    is_unvouched,
)
from goalmem.sources.certainty.same_matter import SameMatter
from goalmem.sources.certainty.topics import is_former_state, is_state, may_mean, topics_of, words_in
from goalmem.sources.evidence_store import EvidenceStore, said_by
from goalmem.sources.frame_reader import FrameReading
from goalmem.sources.phrase_cosine import no_cosine
from goalmem.sources.qualifiers import restricting
from goalmem.sources.state.attribute_events import MOVED
from goalmem.sources.state.attribute_text import AttributeTopic
from goalmem.sources.state.terse_changes import terse_change, values_of_kind

ONE_EACH = frozenset(
    "wife husband spouse partner mother father mum mom dad fiancé fiancée girlfriend boyfriend".split()
)
"""Relatives of whom somebody has one at a time."""
DOUBTFUL = 0.7
"""Highest score of a doubted step, below that of a step in a proof with status proved (`proof.status`)."""
OPEN = 0.4
"""Highest score of a step from a fact that leaves open what is asked: below the threshold from which answers are told."""
SHORT = 12
"""Words of a turn that only retracts the previous one."""
INNER_RETRACTION = re.compile(r"\W(?:no,? wait|wait,? no|i mean|scratch that|no,? sorry)\b", re.IGNORECASE)
NOT_YET = re.compile(r"\b(?:ha(?:s|ve)(?:n['’]?t| not)|yet)\b", re.IGNORECASE)
"""Denials up to the time of speaking: the perfect (Quirk et al. 1985, section 4.20), `yet`."""
UP_TO_NOW = re.compile(r"\bnever\b", re.IGNORECASE)
"""Denials of anything up to the time of speaking; `not yet` has a doubt of its own."""
NO_SUCH = re.compile(r"(?:no|any|zero)\b", re.IGNORECASE)
PASSING_STATE = re.compile(
    rf"(?:\b(?:am|is|are|feels?)|['’](?:m|s|re))\s+(?:(?:so|very|really|still|now|just|all|a bit)\s+)*(?P<state>{any_of(LASTS_AT_MOST).pattern})",
    re.IGNORECASE,
)
"""Somebody is in a state that passes by itself."""
UNNAMED_EVENTS = frozenset(
    "it that this thing everything deal plan plan sale purchase offer contract arrangement project idea all".split()
)
"""Subjects by which something just told may be meant."""
UNDER_WAY_FOR = 45
"""Days after which what somebody was doing (`I'm making soup`) may be done."""
HALF_A_YEAR = 183
"""Days after which somebody is probably a year older."""


@dataclass
class Doubts:
    """Doubts about the facts of one space, from turns up to a given time."""

    store: EvidenceStore
    space: str
    until: datetime
    cosine: Callable[[str, str], float] = no_cosine
    """The cosine of two phrases' vectors."""
    _taken_back: dict[tuple[str, bool], bool] = field(default_factory=dict)

    @cached_property
    def statements(self) -> Statements:
        """What was said by the day of the question."""
        return Statements(self.store, self.space, self.until)

    @cached_property
    def matter(self) -> SameMatter:
        """Compares the predicates of two statements."""
        return SameMatter(self.cosine)

    def of(self, fact: Fact, bindings: Sequence[Binding], asked: str, *, present: bool) -> bool:
        """True if a fact that answers a goal is in doubt.

        `asked`: the words of the goal; `present`: if it asks about the present.
        """
        turn = self.statements.turn_of(fact)
        if turn is None:
            return False
        return (
            self.is_taken_back(fact)
            or is_open(fact, turn, self.statements.beside(fact), bindings, asked)
            or is_suggested(fact, self.statements.beside(fact))
            or has_lapsed(fact, bindings, self.until)
            or self._may_be_done_by_now(fact)
            or self.is_of_namesake(fact, asked)
            or (present and (is_former_state(fact) or self.may_have_changed(fact)))
            or (fact.modality is Modality.PLANNED and self._may_be_replanned(fact))
        )

    def leaves_open(self, fact: Fact, asked: str, *, present: bool, past: bool) -> bool:
        """True if a fact says nothing of what is asked, though its words do: of an end that was not told, or of what is over by now."""
        turn = self.statements.turn_of(fact)
        if turn is not None and is_taken_back_at_once(fact, turn.content):
            return True
        over = is_unfinished(fact, asked, past=past) or (present and self._may_be_over(fact))
        return over or ((not past or UP_TO_NOW.search(fact.text) is not None) and self.is_overtaken(fact))

    def is_overtaken(self, denied: Fact) -> bool:
        """True if what a denial denies may be so by a later statement about the same person."""
        if denied.polarity and not any(NO_SUCH.match(a.text) for a in denied.args):
            return False
        about = {a.entity for a in denied.args if a.role == "subject" and a.entity}
        told = [f for who in about for f in self.store.facts(self.space, entity=who, newest=MOST)]
        if not about and denied.predicate in ACQUIRING:
            told = [f for verb in sorted(ACQUIRING) for f in self.statements.told(predicate=verb, newest=MOST)]
        return any(
            self.statements.is_told(f.said) and self.statements.is_after(f, denied) and is_overtaken(denied, f)
            for f in told
        )

    def is_figurative(self, fact: Fact, asked: str) -> bool:
        """True if a fact may be meant in another way than its words say: `I have a frog in my throat`."""
        turn = self.statements.turn_of(fact)
        return turn is not None and is_figurative(fact, turn.content, asked)

    def of_last(self, because: Sequence[Fact], known: Collection[str], *, present: bool) -> bool:
        """True if the last of the facts behind an answer is in doubt; for the present, also by what changed it since.

        `known`: ids of facts whose effect is already accounted for.
        """
        if not because:
            return False
        one = len({f.turn for f in because}) == 1
        _, last = max(enumerate(because), key=lambda of: (of[1].said, of[1].start if one else 0, of[0]))
        if not because[-1].args:  # A statement without a sentence retracts by itself what it rests on.
            last, because = because[-1], because[-1:]
        for fact in because:
            turn, state = self.statements.turn_of(fact), is_state(fact) or (present and fact.arg("subject") is None)
            if (
                self.is_taken_back(fact, revalued=fact is last)
                or is_qualified(fact, state=state)
                or (turn is not None and is_unvouched(fact, self.statements.beside(fact), turn.content))
                or self.is_figurative(fact, "")
                or (present and is_restricted(fact, ""))
                or (present and fact.modality is Modality.PLANNED and fact.when is None)
            ):
                return True
        return present and (is_former_state(last) or self._is_altered(last, known) or self._may_be_over(last))

    def may_have_changed(self, fact: Fact) -> bool:
        """True if a later statement may have ended what a fact says of the present."""
        if fact.kind == "possession":
            return self._is_no_longer_called_so(fact)
        return fact.modality is Modality.ASSERTED and self._is_altered(fact)

    def _is_altered(self, fact: Fact, known: Collection[str] = ()) -> bool:
        """True if one of the later statements, apart from `known` ones, may have ended what a fact says."""
        topics, state = topics_of(fact), is_state(fact)
        plain = [t for t in topics if state and (not isinstance(t, str) or t.isalpha())]
        return any(
            any(f.id not in known and may_end(f, fact, topics, self.matter) for f in later.facts)
            # A turn that tells of the thing, but from which no fact about it was read, may tell of any change.
            or any(later.tells_of(t) and not is_understood(later.turn, later.facts, t) for t in plain)
            for later in self.statements.later(fact, topics)
        )

    def _may_be_over(self, fact: Fact) -> bool:
        """True if a later statement may mean that somebody is no longer at something: `I'm reading Dune`, `I finished Dune`."""
        nouns = nouns_of(fact)
        return any(
            may_be_over(told, fact, nouns)
            for later in (
                self.statements.later(fact, [AttributeTopic(frozenset({n}), n) for n in nouns]) if nouns else ()
            )
            for told in later.facts
        )

    def _may_be_done_by_now(self, denied: Fact) -> bool:
        """True if what had not happened yet may have happened: a day has passed, or a later statement says so without naming who did it."""
        if denied.polarity or NOT_YET.search(denied.text) is None:
            return False
        told = (f for later in self.statements.later(denied, topics_of(denied)) for f in later.facts)
        return denied.said.date() < self.until.date() or any(
            f.polarity
            and f.modality is Modality.ASSERTED
            and f.predicate == denied.predicate
            and not f.subject[:1].isupper()
            for f in told
        )

    def _is_no_longer_called_so(self, possession: Fact) -> bool:
        """True if a person may no longer be what a possession calls them: `my therapist`, who was Joan."""
        held = possession.arg("object")
        if held is None or not held.entity[:1].isupper() or "'s " in held.entity:
            return False
        lasting = lexicon.is_a(held.head, "relative") and not lexicon.is_a(held.head, "spouse")
        if held.type != "person" or lasting:
            return False
        told = self.store.facts(self.space, entity=held.entity, newest=MOST)
        return any(
            self._is_altered(f)
            for f in told
            if f.kind == "identity" and (a := f.arg("attribute")) is not None and a.head == held.head
        )

    def has_parted(self, fact: Fact) -> bool:
        """True if somebody whose spouse or lover a fact names is said later to have parted from them, or the other to have died."""
        identity = fact.kind == "identity"
        held, one = fact.arg("attribute" if identity else "object"), fact.arg("subject")
        if not identity and fact.kind != "possession":
            return False
        if held is None or one is None or not any(lexicon.is_a(held.head, kind) for kind in ("spouse", "lover")):
            return False
        owner, partner = (held.entity.rpartition("'s ")[0], one.entity) if identity else (one.entity, held.entity)
        return self._is_said_since(fact, owner, PARTED) or self._is_said_since(fact, partner, PARTED | DECEASED)

    def _is_said_since(self, fact: Fact, name: str, verbs: frozenset[str]) -> bool:
        """True if something said of somebody with a fact or after it has one of these verbs or adjectives."""
        return any(
            f.polarity
            and f.modality is Modality.ASSERTED
            and (f.said, f.turn != fact.turn, f.end) >= (fact.said, False, fact.end)
            and not verbs.isdisjoint({f.predicate, *(a.head for a in f.args if a.role == "attribute")})
            for f in (self.store.facts(self.space, entity=name, newest=MOST) if name else ())
        )

    def _may_be_replanned(self, plan: Fact) -> bool:
        """True if there are later words about what a plan names: it may change in more ways than can be told.

        Only what somebody is, has or likes leaves it as it is.
        """
        topics = [*topics_of(plan), *(a.entity for a in plan.args if a.entity and a.resolved != "speaker")]
        for later in self.statements.later(plan, topics):
            about = [f for f in later.facts if any(may_mean(f, t) or names_in(t, f.text) for t in topics)]
            if any(may_replan(f, plan) for f in about) or (not about and any(map(later.tells_of, topics))):
                return True
        return False

    def is_recounted(self, fact: Fact) -> bool:
        """True if a later statement about the same person gives a new number of something unnamed: `we're down to 3`."""
        if not fact.slot.startswith("count "):
            return False
        told = self.store.facts(self.space, entity=fact.subject, predicate="be", newest=MOST)
        return any(
            f.said > fact.said
            and said_by(f.said, self.until)
            and f.modality is Modality.ASSERTED
            and MOVED.search(f.text) is not None
            and any(a.role == "to" and a.type == "quantity" and a.head.isdigit() for a in f.args)
            for f in told
        )

    def is_of_namesake(self, fact: Fact, asked: str) -> bool:
        """True if the question may mean a namesake that the fact is not about: `Anna Weber` if the question asks about `Anna` and there is
        an `Anna Novak`, or `my boss Anna` beside `my aunt Anna`.
        """
        words = {*re.findall(r"\w+", asked.casefold())}
        for argument in fact.args:
            name = argument.entity.casefold()
            own = {*name.split()}
            shared, more = own & words, own - words
            if "'s" in name or not shared or argument.role not in ("subject", "object", "to", "with", "for"):
                continue
            for other in self.store.entities(self.space) if more else ():
                parts = {*other.casefold().split()}
                if other.casefold() != name and "'s" not in other and shared <= parts and parts - own - words:
                    return True
            roles = self._described(argument.entity)
            if len(roles) > 1 and not roles & words:
                return True
        return False

    def _described(self, name: str) -> set[str]:
        """The relations put before a name: `boss` and `aunt` of `my boss Anna` and `my aunt Anna`."""
        told = self.store.facts(self.space, entity=name, newest=MOST)
        found = {
            (a.entity or a.head).casefold().rpartition(" ")[2]
            for f in told
            if f.kind == "identity" and (s := f.arg("subject")) is not None and s.entity == name
            for a in f.args
            if a.role == "attribute" and a.type == "person" and f.text.endswith(name)
        }
        others = {w for f in told for a in f.args if a.entity == name for w in words_in(a.text) & NOT_THE_SAME}
        return found | ({*others, ""} if others else set())

    def is_taken_back(self, fact: Fact, *, revalued: bool = True) -> bool:
        """True if the same turn, one of the next, or a later one about the same takes a fact back.

        With `revalued`, also if the next turn only gives another value of the same kind.
        """
        key = fact.id, revalued
        if key not in self._taken_back:
            turn = self.statements.turn_of(fact)
            at_once = turn is not None and self._is_taken_back_at_once(fact, turn, revalued=revalued)
            self._taken_back[key] = at_once or self._is_corrected(fact) or self._fell_through(fact)
        return self._taken_back[key]

    def _is_taken_back_at_once(self, fact: Fact, turn: Turn, *, revalued: bool) -> bool:
        rest = turn.content[fact.end :]
        if fact.kind == "possession":  # the rest of the sentence about a mentioned possession is no retraction
            rest = rest[len(CLAUSE_BREAK.split(rest)[0]) :]
        if RETRACTED_WITHIN.match(rest) or INNER_RETRACTION.search(fact.text):
            return True
        if "?" in rest:
            return False  # The next turn answers this question.
        behind = self.statements.turns_behind(turn)
        for n, other in enumerate(behind):
            asked = n and "?" in behind[0].content  # "no" may answer this question
            if n and (asked or not (other.speaker == turn.speaker != behind[0].speaker)):
                break
            if len(other.content.split()) <= SHORT and (
                RETRACTION.match(other.content) or (revalued and _is_revalued(fact, other)) or _is_queried(fact, other)
            ):
                return True
        return False

    def _fell_through(self, fact: Fact) -> bool:
        """True if what a fact tells is said later to have come to nothing: `I moved to Ulm`, `The move fell through`."""
        turn, verb = self.statements.turn_of(fact), fact.predicate.split(" ")[0]
        if turn is None:
            return False
        for told in self._failures:
            event = told.arg("subject" if told.predicate in FALLING_THROUGH else "object")
            if event is None or not self.statements.is_after(told, fact):
                continue
            behind = self.statements.turn_of(told)
            near = behind is not None and behind.session == turn.session and behind.position - turn.position <= BEHIND
            named = {event.head, *lexicon.related(event.head, "v")}
            if (near and event.head in UNNAMED_EVENTS) or any(v == verb or lexicon.same_verb(v, verb) for v in named):
                return True
        return False

    @cached_property
    def _failures(self) -> list[Fact]:
        """The statements that something came to nothing or was called off."""
        told = (
            f for verb in (*FALLING_THROUGH, *CALLING_OFF) for f in self.statements.told(predicate=verb, newest=MOST)
        )
        return [
            f
            for f in told
            if f.polarity
            and f.modality is Modality.ASSERTED
            and (f.predicate != "fall" or any(a.text in COMPLETELY for a in f.args))
        ]

    def _is_corrected(self, fact: Fact) -> bool:
        """True if the speaker of a fact says later that they were wrong about something that it names."""
        named = {w for a in fact.args for w in (a.entity.casefold(), a.head.casefold()) if w}
        topics = list(dict.fromkeys([*topics_of(fact), *(a.entity for a in fact.args if a.entity)]))
        return any(
            MISTAKEN.search(told.text) is not None
            and ((whose := told.arg("subject")) is None or whose.resolved == "speaker")
            and any(re.search(rf"\b{re.escape(n)}\b", told.text.casefold()) for n in named)
            for later in self.statements.later(fact, topics)
            for told in later.facts
            if told.speaker == fact.speaker
        )


def _is_revalued(fact: Fact, other: Turn) -> bool:
    """True if a turn only gives a value of the kind that a fact gives."""
    change = terse_change(other)
    return change is not None and values_of_kind(fact.text, change.kind, fact.said.replace(tzinfo=None)) > 0


def _is_queried(fact: Fact, other: Turn) -> bool:
    """True if another speaker asks if it is not another value of a kind that a fact gives: `Isn't it on Saturday?`."""
    if other.speaker == fact.speaker or QUERY.match(other.content) is None:
        return False
    said = fact.said.replace(tzinfo=None)
    return any(
        values_of_kind(other.content, k, said) and values_of_kind(fact.text, k, said)
        for k in ("day", "amount", "colour")
    )


def was_over(fact: Fact) -> bool:
    """True if the time of a fact had passed when it was said: `We met on the 8th` does not tell when we meet."""
    return fact.when is not None and fact.when.end <= fact.said.replace(tzinfo=None)


def has_lapsed(fact: Fact, bindings: Sequence[Binding], until: datetime) -> bool:
    """True if by that time alone a fact may no longer be so: a duration or an age has grown, a state has passed, or a plan's day is over."""
    days = (until.date() - fact.said.date()).days
    limited = fact.modality is Modality.PLANNED or any(a.role == "time" and UNTIL.match(a.text) for a in fact.args)
    if limited and fact.when is not None and fact.when.end <= until.replace(tzinfo=None):
        return True
    for a in fact.args if days > 0 and UNTIL_NOW.search(fact.text) else ():
        spans = (b.span for b in bindings if a.role == "for" and a.type == "time" and b.span)
        if any(span in a.text or a.text in span for span in spans):
            return True
    aged = any(b.variable.type == "age" or (fact.slot == "age" and b.value.number is not None) for b in bindings)
    return (aged and days > HALF_A_YEAR) or days > _lasts_at_most(fact)


def is_outgrown(fact: Fact, bindings: Sequence[Binding], goal: Goal, until: datetime) -> bool:
    """True if an age that somebody no longer has would be added to, or taken from, another's."""
    return goal.aggregate in OF_AMOUNTS and has_lapsed(fact, bindings, until)


def is_of_another(fact: Fact, reading: FrameReading, known: Sequence[Fact]) -> bool:
    """True if the question's `the cat` is said to be somebody's, while other known facts speak of `the cat`, too; and if there are several
    of what the question names by its noun alone.
    """
    if _is_one_of_several(fact, reading, known) or _is_called_otherwise(fact, reading):
        return True
    asked = {
        p.head for f in reading.frames for p in f.constants if not p.entity and p.text.startswith(("the ", "The "))
    }
    owned = {a.head for a in fact.args if "'s " in a.entity and not a.text.casefold().startswith("the ")}
    others = (a for f in known if f.turn != fact.turn for a in f.args)
    return any(a.head in asked & owned and a.text.casefold().startswith("the ") for a in others)


def _is_called_otherwise(fact: Fact, reading: FrameReading) -> bool:
    """True if the question asks of `my colleague`, and the fact tells of `Sam's wife`, who only has the same name."""
    asked = {p.head for f in reading.frames for p in f.constants if p.resolved == "owner"}
    told = {a.head for a in fact.args if a.resolved == "alias" and a.head}
    if not asked or not told or asked & {a.head for a in fact.args}:
        return False
    return not any(
        lexicon.is_a(one, other) or lexicon.is_a(other, one) or one in lexicon.synonyms(other, "n")
        for one in asked
        for other in told
    )


def _is_one_of_several(fact: Fact, reading: FrameReading, known: Sequence[Fact]) -> bool:
    """True if the question says `the code` or `my bike`, the fact `the door code` or `my red bike`, and another one `the gate code`."""
    if any(_names_several(p, known) for f in reading.frames for p in f.constants if p.resolved == "owner"):
        return True
    plain = {p.head for f in reading.frames for p in f.constants if _is_named_by_noun(p)}
    told = [(a.head, _owner(a), which) for a in fact.args if a.head in plain and (which := _which(a))]
    return any(
        a.head == head and _owner(a) == owner and (other := _which(a)) and not other & which
        for head, owner, which in told
        for f in known
        if f.id != fact.id
        for a in f.args
    )


def _names_several(part: FramePart, known: Sequence[Fact]) -> bool:
    """True if a part means one relative, as `my daughter`, of whom the owner has several: Lena is my daughter, and Ida, too."""
    if not any(lexicon.is_a(part.head, kind) for kind in ("child", "relative", "friend")) or part.head in ONE_EACH:
        return False
    entity = part.entity.casefold()
    named = {
        s.entity.casefold()
        for f in known
        if f.kind == "identity" and (s := f.arg("subject")) is not None and (a := f.arg("attribute")) is not None
        if a.entity.casefold() == entity and s.entity
    }
    return len(named) > 1


def _is_named_by_noun(part: FramePart) -> bool:
    """True for `the code` and `my bike`: nothing before the singular noun says which."""
    words = part.text.casefold().split()
    bare = not (part.entity and "'s " not in part.entity) and words[-1:] == [part.head]
    owner = words_in(part.entity)
    return bare and len(words) > 1 and not restricting(m for m in part.modifiers if m != part.head and m not in owner)


def _which(argument: Argument) -> frozenset[str]:
    """The words that say which of several a singular noun means, except how long it has been the one: `red`; not `old`."""
    if argument.text.casefold().split()[-1:] != [argument.head]:
        return frozenset()
    return (
        frozenset(restricting(m for m in argument.modifiers if m != argument.head))
        - SUCCESSIVE
        - words_in(argument.entity)
    )


def _owner(argument: Argument) -> str:
    return argument.entity.rpartition("'s ")[0].casefold() if argument.resolved == "owner" else ""


def _lasts_at_most(fact: Fact) -> float:
    """The days that a state of somebody lasts at most; infinite for anything else."""
    if not fact.polarity:
        return math.inf
    if is_under_way(fact.text, fact.predicate):
        return UNDER_WAY_FOR
    if fact.predicate not in ("be", "feel"):
        return math.inf
    return min((LASTS_AT_MOST[m["state"].casefold()] for m in PASSING_STATE.finditer(fact.text)), default=math.inf)
