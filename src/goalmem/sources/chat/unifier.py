"""One call of a chat model for all open subgoals and all candidate facts, and the checks of its reply (Goal-Mem, unification).

Code checks for each binding: the subgoal and the fact exist; the value is in the fact or follows from it; it is of the variable's type; the
fact is about the people in the subgoal, asserted, and not replaced. The order of the facts has no influence: what is accepted is sorted.

The model decides if words entail a subgoal; these checks can only reject that.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goalmem.engine.step import NearMiss, Request
from goalmem.language import find_times
from goalmem.language.lexicon import related, same_verb, synonyms
from goalmem.language.sentences import sentence_spans
from goalmem.language.terms import WORD, stem, terms_of
from goalmem.language.verb_forms import is_past, verb_of
from goalmem.language.words.function_words import EMPTY, NEGATIVES_QUOTED
from goalmem.language.words.pronouns import FIRST_QUOTED, OWNS, SECOND_QUOTED
from goalmem.language.words.verbs import DISLIKING, HOPES_OF_GOALS, LIKING_OR_FANCYING, SUPPOSING
from goalmem.logic.syntax import canonical, format_atom
from goalmem.logic.terms import Atom, Binding, Derivation, Substitution, Value
from goalmem.models.chat_prompts import PromptFact
from goalmem.questions.chat import ChatReasoner
from goalmem.questions.chat_replies import BindingReply, RejectedError, UnifyReply
from goalmem.records import Fact, Modality
from goalmem.sources.certainty.replacements import Slots
from goalmem.sources.chat.candidates import TurnCandidate
from goalmem.sources.chat.grounding import ReplyGrounding, find
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.facts.tense import looks_back
from goalmem.sources.similarity import Similarity

JUDGED = 0.9
"""Score of a fact that a model reads as saying the subgoal."""
LOOSELY = 0.85
"""The same if the value is only the day on which it was said."""
LOOKS_BACK = 120
"""Characters shown of the previous turn if a fact is too short to be understood alone."""
OBJECTED = 0.5
"""Score of a near miss that the model proposed and the code rejected."""
CONTRADICTED = "another fact contradicts it"
MOST_OBJECTIONS = 3
"""Objections stored for one subgoal, and reported to the model."""


@dataclass(frozen=True, slots=True)
class ChatJudgement:
    """A fact that says an atom, according to the model, and accepted by the code."""

    atom: str
    """The atom in the request, with the variables that were open then."""
    values: Mapping[str, Value]
    """The values of these variables."""
    bindings: tuple[Binding, ...]
    candidate: TurnCandidate
    denies: bool
    score: float

    @property
    def identity(self) -> tuple[object, ...]:
        """Judgements with equal identity are the same."""
        values = tuple(sorted((n, v.key) for n, v in self.values.items()))
        return self.atom, self.candidate.turn.id, self.candidate.start, self.denies, values


@dataclass
class Unifier:
    """Asks one model about one space."""

    reasoner: ChatReasoner
    memory: MemorySource
    question: str
    orders: int = 1
    """Number of orders in which the facts are shown; only what is accepted in every order counts."""
    objections: dict[str, list[NearMiss]] = field(default_factory=dict)
    """Objections to the model's proposals, by subgoal."""
    conflicts: set[str] = field(default_factory=set)
    """Subgoals whose facts contradict each other according to the model: none of these facts proves them (condition 6)."""

    def __post_init__(self) -> None:
        names = {n.casefold() for n in self.memory.store.entities(self.memory.space)}
        speakers = {s.casefold() for s in self.memory.searcher.speakers(self.memory.space)}
        self.grounding = ReplyGrounding(self.memory.similarity)
        self.citations = CitationCheck(self.memory.similarity, self.memory.slots, names | speakers, speakers)

    def judge(
        self, active: Sequence[Atom], candidates: Sequence[TurnCandidate], request: Request
    ) -> list[ChatJudgement] | None:
        """The judgements of the model that the code accepts; None if the model gives nothing usable."""
        accepted: list[list[ChatJudgement]] = []
        facts = self.facts_of(candidates)
        for order in range(max(1, self.orders)):
            placed = shuffled(candidates, order)
            call = _ReplyCheck(self, active, dict(enumerate(placed, 1)), facts, request)
            turns = [c.turn.id for c in candidates]
            known = substitution_text(request.substitution)
            found = self.reasoner.unify(self.question, active, known, shown(placed), call.checked, turns)
            if found is None:
                return None
            accepted.append(found)
        others = [{j.identity for j in found} for found in accepted[1:]]
        return [j for j in accepted[0] if all(j.identity in other for other in others)]

    def add_objection(self, atom: Atom, candidate: TurnCandidate, reason: str) -> None:
        """Record why a proposed fact does not prove an atom."""
        misses = self.objections.setdefault(format_atom(atom), [])
        miss = NearMiss("not-unified", reason, candidate.evidence[0], OBJECTED)
        if len(misses) < MOST_OBJECTIONS and miss not in misses:
            misses.append(miss)

    def facts_of(self, candidates: Iterable[TurnCandidate]) -> dict[str, list[Fact]]:
        """The facts of the candidates' turns, by turn."""
        by_turn: dict[str, list[Fact]] = {}
        for fact in self.memory.store.facts(self.memory.space, turns=sorted({c.turn.id for c in candidates})):
            by_turn.setdefault(fact.turn, []).append(fact)
        return by_turn


@dataclass(frozen=True)
class _ReplyCheck:
    """Checks one reply."""

    unifier: Unifier
    active: Sequence[Atom]
    numbered: Mapping[int, TurnCandidate]
    facts: Mapping[str, Sequence[Fact]]
    request: Request

    def checked(self, reply: UnifyReply) -> list[ChatJudgement]:
        """The valid bindings, sorted. Raises RejectedError if there are some and none is valid."""
        found: dict[tuple[object, ...], ChatJudgement] = {}
        problems: list[str] = []
        for row in reply.bindings:
            judgement = self.row(row)
            if isinstance(judgement, str):
                problems.append(judgement)
            elif row.subgoal in reply.unresolved:
                problems.append(f"subgoal {row.subgoal} is called unresolved, and fact {row.fact} is said to prove it")
            elif row.subgoal in reply.conflicts:
                self.unifier.conflicts.add(judgement.atom)
                self.unifier.add_objection(self.active[row.subgoal - 1], judgement.candidate, CONTRADICTED)
            else:
                found.setdefault(judgement.identity, judgement)
        if problems and not found:
            raise RejectedError("; ".join(dict.fromkeys(problems[:MOST_OBJECTIONS])))
        return [found[key] for key in sorted(found, key=repr)]

    def row(self, row: BindingReply) -> ChatJudgement | str:
        """One binding, checked; or why it is invalid.

        The number of the fact is a hint, the words count: if the named fact does not support the binding and others do, all with the same
        values, the one with most of the subgoal's words is used.
        """
        if not 1 <= row.subgoal <= len(self.active):
            return f"there is no subgoal {row.subgoal}"
        atom, named = self.active[row.subgoal - 1], self.numbered.get(row.fact)
        if row.says == "no" and not (atom.ground and self.request.goal.answer is None):
            return f"subgoal {row.subgoal} is not to be denied"
        held = self._held(row, atom, named) if named is not None else f"there is no fact {row.fact}"
        if not isinstance(held, str):
            return held
        said = [v.value for v in row.values if v.value.strip()]
        holding = {n: c for n, c in sorted(self.numbered.items()) if said and all(find(v, c.text) for v in said)}
        others = [self._held(row, atom, c) for c in holding.values() if c is not named]
        meant = [judgement for judgement in others if not isinstance(judgement, str)]
        if len({tuple(v.key for v in j.values.values()) for j in meant}) == 1:
            return max(meant, key=lambda j: (overlap(format_atom(atom), j.candidate.text), j.candidate.turn.id))
        if named is None:
            return held
        self.unifier.add_objection(atom, named, held)
        elsewhere = ""
        if holding and row.fact not in holding:
            elsewhere = f" ({' and '.join(said)} stands in fact {', '.join(map(str, [*holding][:MOST_OBJECTIONS]))})"
        return f"fact {row.fact} does not prove subgoal {row.subgoal}: {held}{elsewhere}"

    def _held(self, row: BindingReply, atom: Atom, candidate: TurnCandidate) -> ChatJudgement | str:
        """The binding as read from one fact; or why the fact does not support it."""
        bindings = self._bindings(row, atom, candidate)
        if isinstance(bindings, str):
            return bindings
        denies = row.says == "no"
        if problem := self._objection(atom, bindings, candidate, denies=denies):
            return problem
        loose = any(b.derivation is Derivation.SAID for b in bindings)
        values = {b.variable.name: b.value for b in bindings}
        return ChatJudgement(format_atom(atom), values, bindings, candidate, denies, LOOSELY if loose else JUDGED)

    def _bindings(self, row: BindingReply, atom: Atom, candidate: TurnCandidate) -> tuple[Binding, ...] | str:
        """A binding for every variable of the atom, or why one is missing."""
        own = self.facts.get(candidate.turn.id, ())
        given = {v.variable.strip(" ()").partition(":")[0].casefold(): v.value for v in row.values}
        bindings: list[Binding] = []
        for variable in atom.variables:
            said = given.get(variable.name.casefold(), "")
            binding = self.unifier.grounding.binding(variable, said, candidate, own)
            if isinstance(binding, str):
                return binding
            bindings.append(binding)
        return tuple(bindings)

    def _objection(self, atom: Atom, bindings: Sequence[Binding], candidate: TurnCandidate, *, denies: bool) -> str:
        ground = canonical(atom.substitute({b.variable.name: b.value for b in bindings}))
        return self.unifier.citations.objection(
            ground,
            bindings,
            candidate,
            self.facts.get(candidate.turn.id, ()),
            denies=denies,
            history=looks_back(self.request.goal),
        )


def overlap(asked: str, said: str) -> int:
    """The number of words that two texts share, in any inflection."""
    return len(set(terms_of(asked)) & set(terms_of(said)))


def substitution_text(substitution: Substitution) -> str:
    """The current substitution in words."""
    return "; ".join(f"{name} = {substitution[name].text}" for name in sorted(substitution))


def shown(candidates: Sequence[TurnCandidate]) -> list[PromptFact]:
    """Candidates as a model sees them, numbered from 1."""
    return [
        PromptFact(n, c.turn.at, c.turn.speaker, c.text, c.before.content[-LOOKS_BACK:] if c.before is not None else "")
        for n, c in enumerate(candidates, 1)
    ]


def shuffled(candidates: Sequence[TurnCandidate], order: int) -> list[TurnCandidate]:
    """The candidates in the order said, or in the `order`-th other order, which depends only on their ids."""
    if order == 0:
        return list(candidates)
    return sorted(candidates, key=lambda c: hashlib.sha256(f"{order} {c.turn.id}".encode()).digest())


QUOTATION = re.compile(r"(?:(?<=\s)|^)[\"'“‘].{3,}?[\"'”’](?=[\s.,;!?]|$)")
"""Quoted words."""
SAID_SO = frozenset({Modality.ASSERTED})
HALF = frozenset(
    {
        Modality.PLANNED,
        Modality.WISH,
        Modality.HYPOTHETICAL,
        Modality.CONDITIONAL,
        Modality.QUOTED,
        Modality.COMMAND,
        Modality.REPORTED,
    }
)


@dataclass(frozen=True)
class CitationCheck:
    """Objections to facts of one space."""

    similarity: Similarity
    slots: Slots
    names: Collection[str]
    """Names known in the space, in lower case: of speakers and entities."""
    speakers: Collection[str]
    """Names of speakers, in lower case."""

    def objection(
        self,
        ground: Atom,
        bindings: Sequence[Binding],
        candidate: TurnCandidate,
        facts: Sequence[Fact],
        *,
        denies: bool,
        history: bool,
    ) -> str:
        """Why a fact cannot say the ground atom (or, with `denies`, its opposite); empty if there is no objection.

        `bindings` are those from this fact, `facts` those of its turn; with `history`, replaced facts count, too.
        """
        own = {b.value.text.casefold() for b in bindings if b.derivation is not Derivation.GIVEN}
        spans = [s for s in (_place(b, candidate) for b in bindings) if s is not None]
        near = [f for f in facts if f.start < candidate.end and candidate.start < f.end]
        # Only the clauses around the values say them, not the rest of the turn.
        clauses = [f for f in near if any(a < f.end and f.start < b for a, b in spans)] if spans else near
        if missing := self._missing_name(ground, own, candidate, clauses, spans):
            return f"it does not speak of {missing}"
        if not spans and not touches(_literal(ground), _heard(candidate)):
            # Nothing is quoted, for example if a time is only the day of the turn: then the turn must share a word with the atom.
            return "it speaks of something else"
        told = tightest(clauses, spans)
        return (
            self._of_another(ground, own, candidate, told)
            or self._unmeant(ground, told, candidate, spans, denies=denies)
            or self._replaced(ground, told, history=history)
        )

    def _missing_name(
        self,
        ground: Atom,
        own: Collection[str],
        candidate: TurnCandidate,
        clauses: Sequence[Fact],
        spans: Sequence[tuple[int, int]],
    ) -> str:
        """A known name of the atom that the fact neither mentions nor refers to (condition 1)."""
        text = _literal(ground)
        dated = [(m.start, m.end) for m in find_times(text, candidate.turn.at.replace(tzinfo=None))]
        for name in self.names_in(text, dated):
            if name in own or any(name in o.split() for o in own):
                continue
            if not self._speaks_of(name, text, candidate, clauses, spans):
                return name.title()
        return ""

    def _of_another(self, ground: Atom, own: Collection[str], candidate: TurnCandidate, told: Sequence[Fact]) -> str:
        """The person whom the words are about, if that is not the speaker and the atom is about the speaker.

        "My cousin Selin visited Malta" is said by its speaker, and says nothing about where they were (condition 1). The person may still
        be somebody who belongs to the speaker ("Emre's cousin").
        """
        text = _literal(ground)
        named = {self.similarity.canonical(n) for n in self.names_in(text)}
        if self.similarity.canonical(candidate.turn.speaker) not in named or OWNS.search(text):
            return ""
        subjects = [a.entity for f in told for a in f.args if a.role == "subject" and a.entity and a.type == "person"]
        fitting = [s for s in subjects if s.casefold() in own or any(self._is(n, s) for n in named)]
        return f"it is said of {subjects[0]}" if subjects and not fitting else ""

    def names_in(self, text: str, dated: Sequence[tuple[int, int]] = ()) -> list[str]:
        """The known names in a text, in lower case; of overlapping ones the longest."""
        words = [m for m in WORD.finditer(text) if m.group()[0].isupper()]
        found: list[tuple[int, int]] = []
        for n, first in enumerate(words):
            for last in reversed(words[n : n + 4]):
                start, end = first.start(), last.end()
                end -= 2 if text[start:end].endswith(("'s", "’s")) else 0
                taken = any(start < b and a < end for a, b in [*found, *dated])
                if not taken and text[start:end].casefold() in self.names:
                    found.append((start, end))
        return [text[a:b].casefold() for a, b in found]

    def _speaks_of(
        self,
        name: str,
        text: str,
        candidate: TurnCandidate,
        clauses: Sequence[Fact],
        spans: Sequence[tuple[int, int]],
    ) -> bool:
        """True if the fact is about the bearer of a name: its speaker, its addressee, or somebody it mentions."""
        wanted = self.similarity.canonical(name)
        speaker = self.similarity.canonical(candidate.turn.speaker)
        if any(self._is(wanted, a.entity) for f in clauses for a in f.args if a.entity):
            return True
        said = sentence_of(candidate, spans)
        words = {w.casefold().replace("’", "'").removesuffix("'s") for w in WORD.findall(said)}
        if wanted == speaker or name in speaker.split():
            # Without a word about themselves, speakers mean themselves if they respond to what is asked.
            return bool(words & FIRST_QUOTED) or touches(text, QUOTATION.sub(" ", said))
        if candidate.before is not None:
            other = self.similarity.canonical(candidate.before.speaker)
            if wanted == other and words & SECOND_QUOTED:
                return True
            words |= {w.casefold() for w in WORD.findall(candidate.before.content)}
        others = {a for a, c in self.similarity.aliases.items() if c.casefold() == wanted}
        named = any(set(n.split()) <= words for n in (name, wanted, *others))
        # A speaker's name alone usually addresses that person: the words are about the one who speaks.
        return named and not (name in self.speakers and candidate.turn.speaker.casefold() in self.speakers)

    def _is(self, wanted: str, entity: str) -> bool:
        held = self.similarity.canonical(entity)
        return held == wanted or wanted in held.replace("'s", "").split() or held in wanted.split()

    def _unmeant(
        self,
        ground: Atom,
        facts: Sequence[Fact],
        candidate: TurnCandidate,
        spans: Sequence[tuple[int, int]],
        *,
        denies: bool,
    ) -> str:
        text = sentence_of(candidate, spans)
        if text.endswith("?") and not facts:
            return "it is a question"
        if (WORD.findall(text.casefold()) or [""])[0] in SUPPOSING:
            return "it is only supposed"
        words = {w.casefold().replace("’", "'") for p in ground.parts if isinstance(p, str) for w in WORD.findall(p)}
        allowed = SAID_SO | HALF if words & HOPES_OF_GOALS else SAID_SO
        if is_past(_literal(ground)):
            allowed |= {Modality.FORMER}
        meant = [f for f in facts if f.modality in allowed]
        if facts and not meant:
            return f"it is {facts[0].modality.value}, not stated as so"
        said = {w.casefold().replace("’", "'") for w in WORD.findall(text)}
        negative = bool(said & NEGATIVES_QUOTED) or any(w.endswith("n't") for w in said)
        if denies and not negative and not any(not f.polarity for f in meant):
            return "nothing in it is denied"
        if (
            not denies
            and not words & NEGATIVES_QUOTED
            and meant
            and (not any(f.polarity for f in meant) or says_opposite(words, meant))
        ):
            return "it denies this"
        return ""

    def _replaced(self, ground: Atom, facts: Sequence[Fact], *, history: bool) -> str:
        """The later words that replaced what the atom uses."""
        text = _literal(ground)
        words = {w.casefold() for w in WORD.findall(text)}
        for fact in facts if not history else ():
            newer = self.slots.superseded_by(fact)
            if newer is not None and (set(fact.slot.split()) <= words or touches(text, fact.predicate)):
                return f"later it was said: “{newer.text}”"
        return ""


def tightest(clauses: Sequence[Fact], spans: Sequence[tuple[int, int]]) -> list[Fact]:
    """The clauses that say the values themselves: those with the shortest part around a value."""
    if not spans:
        return list(clauses)

    def holding(fact: Fact) -> int:
        parts = [a.end - a.start for a in fact.args for s in spans if a.start <= s[0] and s[1] <= a.end]
        return min(parts, default=fact.end - fact.start)

    least = min(map(holding, clauses), default=0)
    return [f for f in clauses if holding(f) <= least]


def says_opposite(words: Collection[str], facts: Sequence[Fact]) -> bool:
    """True if a statement of liking meets one of disliking, or the other way round."""
    bases = {verb_of(w) for w in words}
    told = {f.predicate for f in facts if f.polarity}
    return bool((bases & LIKING_OR_FANCYING and told & DISLIKING) or (bases & DISLIKING and told & LIKING_OR_FANCYING))


def _literal(atom: Atom) -> str:
    return " ".join(p for p in atom.parts if isinstance(p, str))


def _heard(candidate: TurnCandidate) -> str:
    """The words shown of a turn, with the turn it replies to."""
    return f"{candidate.before.content if candidate.before is not None else ''} {candidate.text}"


def _place(binding: Binding, candidate: TurnCandidate) -> tuple[int, int] | None:
    """Start and end of a binding's words in the turn."""
    at = candidate.turn.content.find(binding.span, candidate.start) if binding.span else -1
    return (at, at + len(binding.span)) if at >= 0 else None


def sentence_of(candidate: TurnCandidate, spans: Sequence[tuple[int, int]]) -> str:
    """The sentences of the candidate that contain any of the spans; all of it if there are none."""
    sentences = [(a + candidate.start, b + candidate.start) for a, b in sentence_spans(candidate.text)]
    held = [s for s in sentences if any(a < s[1] and s[0] < b for a, b in spans)]
    return " ".join(candidate.turn.content[a:b].strip() for a, b in held) or candidate.text.strip()


def touches(statement: str, said: str) -> bool:
    """True if words share a content word, a synonym or a related word with a statement."""
    asked, told = _content(statement), _content(said)
    if not asked or {stem(w) for w in asked} & {stem(w) for w in told}:
        return True
    bases = {verb_of(w) for w in told} | told
    return any(
        same_verb(verb_of(a), t) or t in related(verb_of(a)) or t in synonyms(a, "n") for a in asked for t in bases
    )


def _content(text: str) -> frozenset[str]:
    words = (w.replace("’", "'").removesuffix("'s") for w in WORD.findall(text))
    return frozenset(w.casefold() for w in words if not w[0].isupper() and w.casefold() not in EMPTY)
