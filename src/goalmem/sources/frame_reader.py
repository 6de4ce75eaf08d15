"""Atoms read as frames: each is a sentence, which the parser of turns reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

from goalmem.language import Extractor
from goalmem.language.inflection import getLemma
from goalmem.language.names import PEOPLE, MaskedText, Names, replace_word
from goalmem.language.terms import terms_of
from goalmem.language.verb_forms import forms_of, inflected, is_past, is_unmarked_past, verb_bases
from goalmem.language.words.function_words import MODALS_SAID, POSSIBLE_MODALS
from goalmem.language.words.pronouns import SUBJECTS
from goalmem.language.words.verbs import PLANS_OF_GOALS
from goalmem.logic.terms import Atom, Value, Variable
from goalmem.logic.unify import Frame, FramePart
from goalmem.questions.wh import CLOCK_TIME, EITHER
from goalmem.records import ASKER, Fact, Modality
from goalmem.sources.assertion import asks_before
from goalmem.sources.equivalent_frames import equivalents, unaccompanied
from goalmem.sources.frames import bare_frame, frame_with_variables

TAILS = (" on ", " for ", " because of ", " like ")
"""Prepositions before a circumstance variable at the end of an atom (see `questions.decompose`)."""
ROLE_OF_TAIL = {" for ": "for", " because of ": "because", " like ": "like"}
FILLERS = {
    "person": "someone",
    "thing": "something",
    "place": "a place",
    "time": "that day",
    "name": "a name",
    "amount": "some money",  # `an amount on flowers` is parsed as one phrase
}
ALTERNATIVES = " or "
GETTING = frozenset({"get", "gets", "getting", "got", "gotten"})
BESIDE = re.compile(r"\bnext (?:to|door)\b")
"""A place, and no plan."""
FUTURATE = re.compile(
    r"\b(?:am|is|are) (?:flying|going|travell?ing|leaving|driving|coming|visiting|seeing|meeting|staying|arriving|starting|getting married)\b"
)
"""The present progressive of what people arrange, which a plan proves (Quirk et al. 1985, section 4.44)."""
CACHED = 4096


@dataclass(frozen=True, slots=True)
class FrameReading:
    """An atom as equivalent frames, with its tense and modality."""

    frames: tuple[Frame, ...]
    text: str
    """The atom as a plain sentence with variables as their types: the query for retrieval."""
    planned: bool
    """True if it is about a plan."""
    past: bool = False
    """True if it is about the past, which a former state proves."""
    former: bool = False
    """True if it is about a former state, which nothing that still holds proves."""
    activity: Variable | None = None
    """Set for `X did (x:activity)`: any activity of the subject answers it."""
    scheduled: bool = False
    """True if a plan proves it: it is about one, or asks in the present when something is."""
    modal: str = ""
    """The modal verb of obligation, permission, possibility or supposition that it has: `should`."""
    ahead: bool = False
    """True if it is about what will be: `will`, `going to`; not if somebody wants or plans it."""


class FrameReader:
    """Parses atoms with the extractor that parses turns, so that both are analysed in the same way."""

    def __init__(
        self, extractor: Extractor, anchor: datetime, names: Names, asker: str = ASKER, *, searches: bool = True
    ) -> None:
        """`asker`: the name that atoms use for `I` in the question. `searches`: atoms are not only read, but also searched for."""
        self._extractor = extractor
        self._asker = asker
        self._anchor = anchor
        self._names = names
        self._searches = searches
        self.read = lru_cache(CACHED)(self._read)
        self._knowing: dict[frozenset[str], FrameReader] = {}

    def with_names(self, names: Iterable[str]) -> FrameReader:
        """The same reader with additional names."""
        new = frozenset(names)
        if new and new not in self._knowing:
            self._knowing[new] = FrameReader(
                self._extractor, self._anchor, self._names.and_these(sorted(new)), self._asker
            )
        return self._knowing[new] if new else self

    def parse_ahead(self, atoms: Iterable[Atom], beside: Iterable[str] = ()) -> None:
        """Parse the sentences of atoms that are soon to be read, their texts as queries for retrieval, and the texts `beside` together."""
        worded = [self._worded(without_tail(atom)[0]) for atom in atoms]
        queries = [*(text for text, *_ in worded if self._searches), *beside]
        self._extractor.parse_ahead([sentence(familiar) for _, familiar, _, _ in worded], queries)

    def _worded(self, body: Atom) -> tuple[str, str, Mapping[str, tuple[int, int]], MaskedText]:
        """An atom in words, the same with familiar names, where its variables stand in these, and how to undo them."""
        fillers = {v.name: filler(v) for v in body.variables}
        text, _ = body.read_as(fillers)
        disguise = self._names.disguise(text, called=ASKER)
        familiar, spans = masked_atom(body, disguise).read_as(fillers)
        return text, familiar, spans, disguise

    def _read(self, atom: Atom) -> FrameReading:
        body, tail = without_tail(atom)
        names = {v.name: v for v in body.variables}
        text, familiar, spans, disguise = self._worded(body)
        self._extractor.parse_ahead([sentence(familiar)], [text] if self._searches else [])
        facts = self._extractor.read(sentence(familiar), anchor=self._anchor)
        main = main_fact(facts) or main_fact(self._extractor.read(sentence(emphatic(familiar)), anchor=self._anchor))
        frame = self._framed(body, main, spans, familiar, disguise)
        if not names and (main is None or lost_words(body, frame)):
            stressed = emphatic(familiar, first=True)
            main = main_fact(self._extractor.read(sentence(stressed), anchor=self._anchor))
            frame = self._framed(body, main, spans, stressed, disguise)
        if main and lost_words(body, frame):
            frame = bare_frame(body, text, names, spans)
        frame = replace(frame, polarity=frame.polarity != atom.negated)
        frame = with_tail(frame, tail)
        activity = next((v for v in names.values() if v.type == "activity"), None)
        words = set(BESIDE.sub("", text.casefold()).split())
        planned = bool(words & PLANS_OF_GOALS) or (main is not None and main.modality is Modality.PLANNED)
        past = is_past(text) or (one_does(frame) and is_unmarked_past(text, frame.predicate))
        timed = asks_when(tail) or any(v.type == CLOCK_TIME for v in body.variables)
        scheduled = planned or (timed and not past) or FUTURATE.search(text) is not None
        modal = next((w for w in re.findall(r"[a-z]+", BESIDE.sub("", text)) if w in MODALS_SAID), "")
        return FrameReading(
            (frame, *equivalents(frame), *unaccompanied(frame)),
            text,
            planned,
            past and not modal,
            asks_before(text),
            activity,
            scheduled,
            modal,
            planned and _is_ahead(frame.predicate.split(" ")[0], words),
        )

    def _framed(
        self, body: Atom, main: Fact | None, spans: Mapping[str, tuple[int, int]], said: str, disguise: MaskedText
    ) -> Frame:
        """The frame of the fact that an atom states, with its own names."""
        names = {v.name: v for v in body.variables}
        text, _ = body.read_as({v.name: filler(v) for v in body.variables})
        frame = (
            frame_with_variables(main, names, spans, said, self._asker)
            if main
            else bare_frame(body, text, names, spans)
        )
        return unmask_frame(with_receiver(frame), disguise)


def _is_ahead(verb: str, words: Collection[str]) -> bool:
    """True if a verb is about what will be; not the wish or plan itself, and not somebody's going."""
    return verb not in PLANS_OF_GOALS and (verb != "go" or not {"will", "shall"}.isdisjoint(words))


def bound_atom(atom: Atom, values: Mapping[str, Value]) -> Atom:
    """The atom with its bound variables filled in, except times, which are compared as intervals, not as words."""
    timeless = {n: v for n, v in values.items() if v.interval is None}
    return atom.substitute(timeless)


def says_nothing_more(frame: Frame) -> bool:
    """True for `there is (x:person)`, which says nothing of whom is asked for, so that no fact answers it."""
    return frame.predicate == "be" and len(frame.parts) == 1 and not frame.constants and frame.time is None


def one_does(frame: Frame) -> bool:
    """True if the subject is one person or thing, of whom a verb in the present takes an -s."""
    subject = next((p for p in frame.parts if p.role == "subject"), None)
    if subject is None or " and " in subject.text or subject.text.casefold() in SUBJECTS:
        return False
    return subject.resolved in ("name", "speaker") or subject.head in getLemma(subject.head, "NOUN")


def asks_when(tail: Iterable[tuple[str, Variable]]) -> bool:
    """True if a time is asked for. In the present tense it may lie ahead, and is then a plan: `When does Nithya arrive?`."""
    return any(variable.type == "time" for _, variable in tail)


SELECTING = frozenset({"only", "again"})
"""Adverbs without which a statement says something else."""


def lost_words(atom: Atom, frame: Frame) -> frozenset[str]:
    """Content words of an atom that its frame has lost, so that the frame says something else."""
    said = {term for part in atom.parts if isinstance(part, str) for term in terms_of(part)}
    held = {t for p in frame.parts for t in terms_of(f"{p.role} {p.text} {p.entity} {p.owned} {p.kind}")}
    chosen = {w for p in frame.parts for w in p.text.casefold().split()}
    said |= {
        w for part in atom.parts if isinstance(part, str) for w in part.casefold().split() if w in SELECTING
    } - chosen
    held |= {*terms_of(frame.predicate), *terms_of(frame.when_text)}
    predicate = frame.predicate.split(" ")[0]
    verbal = {term for form in forms_of(predicate) for term in terms_of(form)} if predicate else set()
    if _is_get_passive(predicate, " ".join(p for p in atom.parts if isinstance(p, str))):
        verbal |= {term for form in forms_of("get") for term in terms_of(form)}
    helping = (
        PLANS_OF_GOALS
        | POSSIBLE_MODALS
        | ({term for word in PLANS_OF_GOALS for term in terms_of(word)} if " to " in atom.read_as()[0] else set())
    )
    return frozenset(t for t in said - held - verbal if len(t) > 1 and t not in helping)


def _is_get_passive(verb: str, text: str) -> bool:
    """True for `got engaged`, whose auxiliary a frame leaves out (Quirk et al. 1985, section 3.66)."""
    words = text.casefold().split()
    done = inflected(verb, "VBN") if verb else frozenset()
    return any(first in GETTING and second in done for first, second in pairwise(words))


def masked_atom(atom: Atom, disguise: MaskedText) -> Atom:
    """The atom with its names replaced by familiar ones."""
    parts: list[str | Variable] = []
    for part in atom.parts:
        for familiar, name in disguise.back.items() if isinstance(part, str) else ():
            part = replace_word(str(part), name, familiar)
        parts.append(part)
    return Atom(tuple(parts), atom.negated)


def with_receiver(frame: Frame) -> Frame:
    """The frame of `brought Alice soup` with the person as receiver, if the parser makes one noun phrase of both."""
    parts: list[FramePart] = []
    for part in frame.parts:
        name, _, thing = part.text.partition(" ")
        if part.role != "object" or part.variable is not None or name not in PEOPLE or not thing.islower():
            parts.append(part)
            continue
        kept = tuple(m for m in part.modifiers if m != name.casefold())
        parts.append(
            FramePart("indirect", name, part.start, part.start + len(name), name.casefold(), name, "person", "name")
        )
        parts.append(replace(part, text=thing, start=part.start + len(name) + 1, entity="", modifiers=kept))
    return replace(frame, parts=tuple(parts))


def unmask_frame(frame: Frame, disguise: MaskedText) -> Frame:
    """The frame with its own names again. Masked names are entities."""
    parts = []
    for part in frame.parts:
        text, entity = disguise.reveal(part.text), disguise.reveal(part.entity)
        if part.text in disguise.back and not entity:
            entity = text
        words = tuple(w for m in part.modifiers for w in disguise.reveal(m).split())
        head = disguise.reveal(part.head).split()[-1] if part.head else part.head
        named = disguise.reveal(part.named)
        parts.append(replace(part, text=text, entity=entity, head=head, modifiers=words, named=named))
    return replace(frame, parts=tuple(parts))


def without_tail(atom: Atom) -> tuple[Atom, list[tuple[str, Variable]]]:
    """The atom without circumstance variables at its end, and those, innermost first."""
    parts = list(atom.parts)
    tail: list[tuple[str, Variable]] = []
    while len(parts) >= 2 and isinstance(parts[-1], Variable) and isinstance(parts[-2], str):
        mark = next((t for t in TAILS if parts[-2].endswith(t)), None)
        if mark is None or (mark == " on " and parts[-1].type != "time"):
            break
        if (mark == " for " and parts[-1].type != "duration") or (mark == " like " and parts[-1].type != "manner"):
            break
        tail.insert(0, (mark, parts[-1]))
        rest = parts[-2].removesuffix(mark)
        parts = parts[:-2] + ([rest] if rest else [])
    return Atom(tuple(parts)), tail


def with_tail(frame: Frame, tail: Sequence[tuple[str, Variable]]) -> Frame:
    """The frame with its circumstance variables."""
    for mark, variable in tail:
        if mark == " on ":
            frame = replace(frame, time=variable)
        else:
            role = ROLE_OF_TAIL[mark]
            part = FramePart(role, variable.type, -1, -1, variable.type, variable=variable)
            frame = replace(frame, parts=(*frame.parts, part))
    return frame


def filler(variable: Variable) -> str:
    """Words in place of a variable while its sentence is parsed."""
    kind = variable.type.rpartition(" or ")[2]
    if variable.type.startswith(EITHER):
        one = kind.removeprefix(EITHER)
        if one != one.casefold() or "'s " in one or is_plural(one):
            return one
        kind = one
        if ALTERNATIVES not in variable.type:
            return f"the {one}"
    if kind in FILLERS:
        return FILLERS[kind]
    if kind.startswith("number of "):
        return f"some {kind.removeprefix('number of ')}"
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def is_plural(noun: str) -> bool:
    """True for `trains`."""
    last = noun.casefold().split()[-1]
    return last not in getLemma(last, "NOUN")


def sentence(text: str) -> str:
    """The text with an upper-case start and a full stop, which the parser expects."""
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def emphatic(text: str, *, first: bool = False) -> str:
    """Replace a verb at the end of a sentence, or behind its `first` word, by `does` with its base form.

    `Ann smokes` may be parsed as a noun, and `User prefers` too; `Ann does smoke` not.
    """
    words = text.split(" ")
    place = 1 if first else len(words) - 1
    word = words[place] if 0 < place < len(words) else ""
    base = next((b for b in sorted(verb_bases(word)) if b != word.casefold()), "") if word.endswith("s") else ""
    return " ".join((*words[:place], "does", base, *words[place + 1 :])) if base else text


def main_fact(facts: Sequence[Fact]) -> Fact | None:
    """The fact that covers most of the sentence; of `started reading`, the starting."""
    order = {"clause": 3, "preference": 2, "identity": 1}

    def covered(fact: Fact) -> tuple[bool, int, bool, int, int]:
        told = fact.kind in order and len(fact.args) > 1
        return told, fact.end - fact.start, fact.arg("complement") is not None, order.get(fact.kind, 0), len(fact.args)

    return max(facts, key=covered, default=None)
