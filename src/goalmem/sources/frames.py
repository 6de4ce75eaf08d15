"""Atoms and facts as frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from goalmem.language import Extractor
from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import coarse_type, is_known, is_named
from goalmem.language.names import PEOPLE, MaskedText, Names, replace_word
from goalmem.language.terms import WORD_PART, terms_of
from goalmem.language.times_grammar import CLOCK
from goalmem.language.verb_forms import forms_of, is_past, is_unmarked_past, verb_bases
from goalmem.language.words.attributes import DIMENSIONS, PER, TAKING_IN
from goalmem.language.words.function_words import CIRCUMSTANTIAL, POSSIBLE_MODALS
from goalmem.language.words.nouns import ANIMATE, ANYBODY, ANYTHING, HAVABLE_OR_WORK
from goalmem.language.words.pronouns import SUBJECTS, UNNAMED
from goalmem.language.words.verbs import HAPPENING, PLANS_OF_GOALS, SCHEDULING, SHIFTING
from goalmem.logic.terms import Atom, Value, Variable
from goalmem.logic.unify import Frame, FramePart
from goalmem.questions.wh import CLOCK_TIME
from goalmem.records import ASKER, Argument, Fact, Modality
from goalmem.sources.assertion import asks_before
from goalmem.sources.numbers import OF_NUMBER
from goalmem.sources.similarity import HAD

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
ATTENDING = (
    *(
        ("attend", "object"),
        ("celebrate", "object"),
        ("host", "object"),
        ("have", "object"),
        ("do", "object"),
        ("sit", "object"),
    ),
    *(("participate", "in"), ("compete", "in"), ("go", "to"), ("be", "at"), ("volunteer", "at")),
)
"""Verbs of what people do at an event while it happens, with the role of the event."""
SCALED = ("be", "cut down", "cut", "get down", "go up", "go down")
"""Verbs of a number that is now another, with `to` (45.6 calibratable changes of state)."""
ARTICLE = 4
"""Characters by which an article may shift the start of a phrase."""
GET_PASSIVE = re.compile(r"\b(?:get|gets|getting|got|gotten) married\b", re.IGNORECASE)
"""An auxiliary that a frame leaves out (Quirk et al. 1985, section 3.66)."""
BESIDE = re.compile(r"\bnext (?:to|door)\b")
"""A place, and no plan."""
FUTURATE = re.compile(
    r"\b(?:am|is|are) (?:flying|going|travell?ing|leaving|driving|coming|visiting|seeing|meeting|staying|arriving|starting|getting married)\b"
)
"""The present progressive of what people arrange, which a plan proves (Quirk et al. 1985, section 4.44)."""
CIRCUMSTANCES = frozenset({"at", "in", "on", "time"})
ESSENTIAL = frozenset({"subject", "object", "attribute"})
"""Roles of what a copula says to be the same; any other role is a place or a circumstance."""
WITH_OR_WITHOUT = {"with": "without", "without": "with"}
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
        frame = (
            frame_with_variables(main, names, spans, familiar, self._asker)
            if main
            else bare_frame(body, text, names, spans)
        )
        frame = unmask_frame(with_receiver(frame), disguise)
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
        return FrameReading(
            (frame, *equivalents(frame), *unaccompanied(frame)),
            text,
            planned,
            past,
            asks_before(text),
            activity,
            scheduled,
        )


def one_does(frame: Frame) -> bool:
    """True if the subject is one person or thing, of whom a verb in the present takes an -s."""
    subject = next((p for p in frame.parts if p.role == "subject"), None)
    if subject is None or " and " in subject.text or subject.text.casefold() in SUBJECTS:
        return False
    return subject.resolved in ("name", "speaker") or subject.head in getLemma(subject.head, "NOUN")


def asks_when(tail: Iterable[tuple[str, Variable]]) -> bool:
    """True if a time is asked for. In the present tense it may lie ahead, and is then a plan: `When does Nithya arrive?`."""
    return any(variable.type == "time" for _, variable in tail)


def lost_words(atom: Atom, frame: Frame) -> frozenset[str]:
    """Content words of an atom that its frame has lost, so that the frame says something else."""
    said = {term for part in atom.parts if isinstance(part, str) for term in terms_of(part)}
    held = {t for p in frame.parts for t in terms_of(f"{p.role} {p.text} {p.entity} {p.owned} {p.kind}")}
    held |= {*terms_of(frame.predicate), *terms_of(frame.when_text)}
    predicate = frame.predicate.split(" ")[0]
    verbal = {term for form in forms_of(predicate) for term in terms_of(form)} if predicate else set()
    if GET_PASSIVE.search(" ".join(p for p in atom.parts if isinstance(p, str))):
        verbal |= {term for form in forms_of("get") for term in terms_of(form)}
    helping = (
        PLANS_OF_GOALS
        | POSSIBLE_MODALS
        | ({term for word in PLANS_OF_GOALS for term in terms_of(word)} if " to " in atom.read_as()[0] else set())
    )
    return frozenset(t for t in said - held - verbal if len(t) > 1 and t not in helping)


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
        parts.append(replace(part, text=text, entity=entity, head=head, modifiers=words))
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
    if kind in FILLERS:
        return FILLERS[kind]
    if kind.startswith("number of "):
        return f"some {kind.removeprefix('number of ')}"
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def sentence(text: str) -> str:
    """The text with an upper-case start and a full stop, which the parser expects."""
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def emphatic(text: str) -> str:
    """Replace a verb at the end of a sentence by `does` with its base form: `Ann smokes` may be parsed as a noun, `Ann does smoke` not."""
    before, _, last = text.rpartition(" ")
    base = next((b for b in sorted(verb_bases(last)) if b != last.casefold()), "") if last.endswith("s") else ""
    return f"{before} does {base}" if before and base else text


def main_fact(facts: Sequence[Fact]) -> Fact | None:
    """The fact that covers most of the sentence; of `started reading`, the starting."""
    order = {"clause": 3, "preference": 2, "identity": 1}

    def covered(fact: Fact) -> tuple[bool, int, bool, int, int]:
        told = fact.kind in order and len(fact.args) > 1
        return told, fact.end - fact.start, fact.arg("complement") is not None, order.get(fact.kind, 0), len(fact.args)

    return max(facts, key=covered, default=None)


def frame_with_variables(
    fact: Fact, names: Mapping[str, Variable], spans: Mapping[str, tuple[int, int]], text: str, asker: str = ASKER
) -> Frame:
    """A parsed sentence as a frame in which the parts at the places of variables are these variables."""
    shift = text.find(text.strip())
    placed: set[str] = set()
    parts = []
    for argument in fact.args:
        part = FramePart(
            argument.role,
            argument.text,
            argument.start,
            argument.end,
            argument.head,
            argument.entity,
            argument.type,
            argument.resolved,
            argument.modifiers,
        )
        if part.resolved == "alias" and "'s " in part.text:
            # `Oscar is Ann's cat` is a goal here, not a fact: Ann's cat is not Oscar until that is proved.
            part = replace(part, entity=part.text, resolved="owner")
        if not part.entity and (is_name(part) or part.text.casefold() == asker.casefold()):
            part = replace(part, entity=part.text, resolved="name")
        extra: FramePart | None = None
        for name, (start, end) in spans.items():
            a, b = start - shift, end - shift
            if name in placed or not (argument.start < b and a < argument.end):
                continue
            behind = described_by(argument, b) if abs(argument.start - a) <= ARTICLE else None
            if behind is not None or covers(argument.start, argument.end, a, b):
                part, extra = replace(part, variable=names[name], entity=""), behind
                placed.add(name)
                break
        owner = next(
            (n for n, (a, b) in spans.items() if n not in placed and owns(argument, a - shift, b - shift)), None
        )
        if part.variable is None and owner is not None:
            part = replace(part, variable=names[owner], owned=part.head, entity="")
            placed.add(owner)
        if argument.role == "time" and part.variable is None:
            continue
        own = extra is not None and any((a.role, a.text) == (extra.role, extra.text) for a in fact.args)
        parts += [part] if extra is None or own else [part, extra]
    for name, variable in names.items():
        if name not in placed:
            start, end = spans[name]
            role = "subject" if start == 0 else "object"
            parts.append(FramePart(role, text[start:end], start, end, variable.type, variable=variable))
    apart = tuple(replace(p, modifiers=own_modifiers(p, parts)) for p in parts)
    return Frame(fact.predicate, apart, fact.polarity, fact.when, fact.when_text)


def own_modifiers(part: FramePart, parts: Iterable[FramePart]) -> tuple[str, ...]:
    """A part's modifiers without those of another part within it: none for `a gift for user's brother`."""
    within = [p for p in parts if 0 <= part.start < p.start and p.end <= part.end]
    theirs = {word for p in within for word in (p.head, *p.modifiers, *WORD_PART.findall(p.text.casefold()))}
    return tuple(m for m in part.modifiers if m not in theirs)


def is_name(part: FramePart) -> bool:
    """True for capitalised words that are no ordinary words."""
    words = part.text.split()
    capitals = bool(words) and all(w[:1].isupper() for w in words)
    return (
        capitals
        and not any(is_known(w.casefold(), p) and not is_named(w.casefold()) for w in words for p in "nva")
        and words[0].casefold() not in UNNAMED
    )


def owns(argument: Argument, start: int, end: int) -> bool:
    """True if a variable at these offsets is the possessor in the argument's phrase."""
    return (
        argument.start <= start
        and end < argument.end
        and argument.text[end - argument.start :].startswith(("'s ", "’s "))
    )


def described_by(argument: Argument, end: int) -> FramePart | None:
    """The words after a variable in the argument's phrase, as a separate part: `with Ann` of `a song with Ann`."""
    preposition, _, described = argument.text[max(0, end - argument.start) :].strip().partition(" ")
    words = described.split()
    if preposition.casefold() not in CIRCUMSTANTIAL or not words:
        return None
    lower = tuple(w.casefold() for w in words)
    bare = FramePart(preposition.casefold(), described, end + 1, argument.end, lower[-1], modifiers=lower[:-1])
    return replace(bare, entity=described, resolved="name") if is_name(bare) else bare


def covers(start: int, end: int, var_start: int, var_end: int) -> bool:
    """True if a part is the variable itself, apart from an article, and not a larger phrase around it."""
    overlap = min(end, var_end) - max(start, var_start)
    return overlap >= 0.6 * (end - start)


def bare_frame(atom: Atom, text: str, names: Mapping[str, Variable], spans: Mapping[str, tuple[int, int]]) -> Frame:
    """A sentence that could not be parsed, as one constant and its variables: only its own words match it."""
    words = tuple(w.casefold() for w in text.split())
    head = words[-1] if words else ""
    constant = FramePart("subject", text, 0, len(text), head, modifiers=words[:-1])
    open_parts = tuple(
        FramePart("object", text[a:b], a, b, v.type, variable=v) for n, v in names.items() for a, b in [spans[n]]
    )
    return Frame("", (constant, *open_parts), not atom.negated)


def equivalents(frame: Frame) -> tuple[Frame, ...]:
    """Frames that are equivalent by grammar alone: `X is Y's N` and `Y has N X`, both ways; `X's N is Z` and `X's N: Z`; `X is six` and `X turned six`."""
    if frame.time is not None and len(frame.parts) == 1 and frame.predicate in ("be", "happen"):
        return scheduled_frame(frame)
    if (rate := rated(frame)) is not None:
        scaled = tuple(replace(p, role="to") if p is rate else p for p in frame.parts)
        return tuple(replace(frame, predicate=verb, parts=scaled) for verb in SCALED)
    if frame.predicate == "have" and len(frame.parts) == 2:
        return tuple(identified_frame(frame))
    if frame.predicate == "spend":  # `How long did Ann spend in Rome?`
        lasting = [
            p for p in frame.parts if p.role == "for" and p.variable is not None and p.variable.type == "duration"
        ]
        spent = tuple(replace(p, role="object") if p in lasting else p for p in frame.parts)
        return (replace(frame, parts=spent),) if lasting else ()
    return tuple(identity_frames(frame)) if frame.predicate == "be" and len(frame.parts) == 2 else ()


def identity_frames(frame: Frame) -> Iterator[Frame]:
    """Frames that are equivalent to one of `be` with two parts."""
    asked = next((p for p in frame.unknowns if p.variable is not None), None)
    rest = [p for p in frame.parts if p is not asked]
    type_ = asked.variable.type if asked is not None and asked.variable is not None else ""
    if asked is None:
        return
    if asked.role == "at" and type_ == CLOCK_TIME:
        yield from (replace(had, parts=(*had.parts, asked)) for event in rest for had in had_frame(event, frame))
    elif asked.role == "for":
        yield replace(frame, parts=(*rest, replace(asked, role="attribute", kind="long")))
    elif type_ == "age":
        yield replace(frame, predicate="turn", parts=(*rest, replace(asked, role="object")))
    elif type_ in DIMENSIONS:
        yield from measuring_frame(frame, asked)
    else:
        yield from owned_frames(frame)


def owned_frames(frame: Frame) -> Iterator[Frame]:
    """Frames that are equivalent to `X's N is Z`: X has Z, which is an N; the name of X's N is Z."""
    owned = next((p for p in frame.parts if p.variable is None and "'s " in p.entity), None)
    other = next((p for p in frame.parts if p is not owned), None)
    if owned is None or other is None or other.variable is None or other.role not in ESSENTIAL:
        return
    if coarse_type(owned.entity.rpartition("'s ")[2].split()[-1]) not in HAVABLE_OR_WORK:
        if other.variable.type == "name":
            yield from naming_frame(frame, owned, other)
        return
    owner, _, noun = owned.entity.rpartition("'s ")
    known = {w.casefold() for w in owned.entity.replace("'s", " ").split()}
    known |= {base for w in known for base in adjective_bases(w)}
    noun = " ".join([*(m for m in owned.modifiers if m not in known), noun])
    subject = FramePart("subject", owner, -1, -1, owner.split()[-1].casefold(), entity=owner, resolved="name")
    thing = replace(other, role="object", kind=noun)
    yield replace(frame, predicate="have", parts=(subject, thing))
    if other.variable.type == "name":
        yield from naming_frame(frame, owned, other)


def unaccompanied(frame: Frame) -> Iterator[Frame]:
    """`X drinks coffee with sugar` as the opposite of `X drinks coffee without sugar`, and the other way round."""
    for part in frame.parts:
        if part.role in WITH_OR_WITHOUT and part.variable is None:
            parts = tuple(replace(p, role=WITH_OR_WITHOUT[p.role]) if p is part else p for p in frame.parts)
            yield replace(frame, parts=parts, polarity=not frame.polarity)


def identified_frame(frame: Frame) -> Iterator[Frame]:
    """The frame that names one of somebody's: `(x:kid) is Ann's kid` of `Ann has (x:kid)`."""
    owner, thing = frame.parts
    if owner.variable is not None or not owner.entity or thing.variable is None or thing.role != "object":
        return
    noun = thing.variable.type
    if noun in (*ANYBODY, *ANIMATE, *ANYTHING) or " or " in noun or noun.startswith(OF_NUMBER):
        return
    whose = f"{owner.entity}'s {noun}"
    kind = coarse_type(noun) if coarse_type(noun) in ANIMATE else ""
    attribute = FramePart("attribute", whose, -1, -1, noun.split()[-1], entity=whose, type=kind, resolved="owner")
    yield replace(frame, predicate="be", parts=(replace(thing, role="subject"), attribute))


def rated(frame: Frame) -> FramePart | None:
    """The number of `drinks (x:number of coffees) a day`, which may be said to have risen or fallen to another."""
    told = any(p.role == "manner" and PER.fullmatch(p.text) for p in frame.parts)
    if not told or frame.predicate not in TAKING_IN:
        return None
    return next((p for p in frame.unknowns if p.variable and p.variable.type.startswith(OF_NUMBER)), None)


def adjective_bases(word: str) -> tuple[str, ...]:
    """The base forms of an adjective: `good` of `best`."""
    from goalmem.language.inflection import getLemma

    return tuple(getLemma(word, "ADJ"))


def naming_frame(frame: Frame, owned: FramePart, name: FramePart) -> Iterator[Frame]:
    """Frames that give a name: `X's N's name is Z`, `X's N is called Z`."""
    called = replace(
        owned, text=f"{owned.text}'s name", head="name", entity=f"{owned.entity}'s name", type="", modifiers=()
    )
    yield replace(frame, parts=tuple(called if p is owned else p for p in frame.parts))
    parts = (replace(owned, role="object"), replace(name, role="attribute"))
    yield replace(frame, predicate="call", parts=parts)


def measuring_frame(frame: Frame, measure: FramePart) -> Iterator[Frame]:
    """Frames that give a measure without its noun: `X is 180 cm tall`, `X weighs 80 kg` of `X's height is (x:height)`; and with `of`."""
    whose = next((p for p in frame.constants if p.head == measure.variable.type), None) if measure.variable else None
    if whose is None or measure.variable is None:
        return
    owner = re.sub(rf"['’]s? {whose.head}$", "", whose.text)
    thing = owner.split()[-1] if owner else ""
    if not thing or owner == whose.text:
        return
    named = "'s " in whose.entity
    who = whose.entity.rpartition("'s ")[0] if named else ""
    modifiers = tuple(m for m in whose.modifiers if m not in who.casefold().split() and m != thing.casefold())
    part = FramePart(
        "subject", owner, -1, -1, thing.casefold(), who, resolved="name" if named else "", modifiers=modifiers
    )
    for adjective in DIMENSIONS[measure.variable.type]:
        yield replace(frame, parts=(part, replace(measure, role="attribute", kind=adjective)))
    if measure.variable.type == "weight":
        yield replace(frame, parts=(part, replace(measure, role="attribute")))
        yield replace(frame, predicate="weigh", parts=(part, replace(measure, role="object")))
    of = replace(whose, text=f"the {whose.head} of {owner}", entity="", modifiers=(*modifiers, thing.casefold()))
    yield replace(frame, parts=(of, measure))


def scheduled_frame(frame: Frame) -> tuple[Frame, ...]:
    """Frames that give the time of an event: it happens, takes place, or is set or moved to that time."""
    event = replace(frame.parts[0], resolved=frame.parts[0].resolved or "event")
    as_subject = (
        replace(frame, predicate=p, parts=(replace(event, role="subject"),)) for p in ("be", *HAPPENING, *SHIFTING)
    )
    as_object = (replace(frame, predicate=p, parts=(replace(event, role="object"),)) for p in SCHEDULING)
    attended = (replace(frame, predicate=p, parts=(replace(event, role=r),)) for p, r in ATTENDING)
    return tuple(
        f for f in (*as_subject, *as_object, *attended, *had_frame(event, frame), *born_frame(frame)) if f != frame
    )


def had_frame(event: FramePart, frame: Frame) -> Iterator[Frame]:
    """The frame by which somebody has an event that is theirs: `Ann has an exam` of `Ann's exam is`."""
    owner, mark, noun = event.entity.rpartition("'s ")
    if mark:
        subject = FramePart("subject", owner, -1, -1, owner.split()[-1].casefold(), owner, resolved="name")
        modifiers = tuple(m for m in event.modifiers if m not in WORD_PART.findall(owner.casefold()))
        had = replace(event, role="object", text=noun, resolved=HAD, modifiers=modifiers)
        yield replace(frame, predicate="have", parts=(subject, had))


def born_frame(frame: Frame) -> Iterator[Frame]:
    """The frame by which somebody was born on the day of a birthday."""
    owner, owned, noun = frame.parts[0].entity.rpartition("'s ")
    if owned and noun == "birthday":
        whose = FramePart("object", owner, -1, -1, owner.split()[-1].casefold(), owner, "person", "name")
        yield replace(frame, predicate="bear", parts=(whose,))


def frame_of_fact(fact: Fact) -> Frame:
    """The frame of a fact."""
    parts = tuple(
        FramePart(
            a.role, own_text(a, fact) or a.entity, a.start, a.end, a.head, a.entity, a.type, a.resolved, a.modifiers
        )
        for a in fact.args
        if a.role != "time"
    )
    return Frame(fact.predicate, (*parts, *hour_of(fact)), fact.polarity, fact.when, fact.when_text)


def hour_of(fact: Fact) -> Iterator[FramePart]:
    """The hour in the words of a date, as a part of its own: `10:30` of `on 9 April at 10:30`."""
    if any(a.role == "at" for a in fact.args):
        return
    for told in (a for a in fact.args if a.role == "time" and a.start >= 0):
        hour = CLOCK.search(told.text)
        if hour is not None:
            words = re.sub(r"^(?:(?:at|around|about|by) )+", "", hour.group(), flags=re.IGNORECASE)
            start = told.start + hour.end() - len(words)
            yield FramePart("at", words, start, start + len(words), words.split()[-1].casefold(), type="time")
            return


def bound_atom(atom: Atom, values: Mapping[str, Value]) -> Atom:
    """The atom with its bound variables filled in, except times, which are compared as intervals, not as words."""
    timeless = {n: v for n, v in values.items() if v.interval is None}
    return atom.substitute(timeless)


def own_text(argument: Argument, fact: Fact) -> str:
    """The argument's words without a circumstance that is another argument (`the lamp` of `the lamp at her party`, `the lamp for $50`)."""
    text = argument.text
    for other in fact.args:
        if not argument.start < other.start < argument.end:
            continue
        before = text[: other.start - argument.start].rstrip()
        rest, _, mark = before.rpartition(" ")
        if other.role == "time":
            text = rest if rest and mark in CIRCUMSTANTIAL else text
        elif other.role in CIRCUMSTANCES or (other.role == "for" and other.type == "quantity"):
            text = before.removesuffix(other.role).rstrip() if before.endswith(f" {other.role}") else text
    return text
