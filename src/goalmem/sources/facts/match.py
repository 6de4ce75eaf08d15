"""Match facts with an atom: decide if one says what is asked, and in which words it answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from goalmem.engine.step import Step
from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import base_form, is_known, verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.terms import WORD_PART, terms_of
from goalmem.language.times_grammar import CLOCK
from goalmem.language.verb_forms import (
    forms_of,
    is_of_any_tense,
    is_over,
    is_past,
    is_perfect,
    is_simple_present,
    is_under_way,
    verb_bases,
)
from goalmem.language.words.doubts import NO_MORE
from goalmem.language.words.function_words import ABLE_MODALS, MODALS_SAID, POSITIONS, SITUATING
from goalmem.language.words.modifiers import NET, SEVERAL, TIME_MARKS
from goalmem.language.words.nouns import NAMED_TYPES, OCCUPATION_OR_ROLE
from goalmem.language.words.pronouns import UNNAMED
from goalmem.language.words.verbs import ACQUIRING, ENDING_HABITS, HOLDING, MOTION, MOTION_TO_PLACES
from goalmem.logic.evaluate import PAIRED, covers
from goalmem.logic.interval import Grain
from goalmem.logic.terms import Aggregate, Alignment, Atom, Binding, Derivation, Goal, Value, Variable
from goalmem.logic.unify import Frame, FramePart
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem.sources.certainty.doubts import DOUBTFUL, was_over
from goalmem.sources.certainty.renewals import Renewal
from goalmem.sources.frame_reader import FrameReading
from goalmem.sources.kinds import ALTERNATIVES
from goalmem.sources.numbers import OF_NUMBER, number_in
from goalmem.sources.spans import sentence_around
from goalmem.sources.values import RECURRING, as_weekday, asks_weekday, counted_value, without_article

PAYING = frozenset({"pay", "buy", "spend", "get"})
PAID_IN_PART = re.compile(
    r"\b(?:deposit|down payment|instal?lments?|advance|upfront|half|third|quarter|part|share|rest|remainder|tip|extra|first|last"
    r"|(?:a|an|per|each|every) (?:hour|day|night|week|month|year|person|head|piece)|monthly|weekly|yearly|each|apiece)\b",
    re.IGNORECASE,
)
"""Words by which a payment is not the price of the thing."""
DAY_ASKED = re.compile(r"\b(?:what|which) (?:exact )?(?:day|date)s?\b", re.IGNORECASE)
"""Questions for a day or date."""
AMONG_OTHERS = re.compile(
    r"\b(?:among (?:others?|my|our|the|his|her|their|other)|amongst|including|such as|for example|for instance|and so on|etc|for one)\b"
    r"|\be\.g\.",
    re.IGNORECASE,
)
"""What says that there are more than are named."""
SOME_OF = re.compile(r"\b(?:one|two|three|some|a few) of (?:my|our|the|his|her|their) ((?:\w+ )?\w+)", re.IGNORECASE)
"""Some of several, with their noun."""
PRESENT = re.compile(r"\b(?:is|are|am)\b", re.IGNORECASE)
"""Auxiliaries of the present before participles that look like the past: `is married to`."""
PERFECT = re.compile(r"\b(?:has|have)\b", re.IGNORECASE)
"""Auxiliaries of the present perfect, whose states last until now (Quirk et al. 1985, section 4.20)."""
JUST = re.compile(r"\bjust\b", re.IGNORECASE)
"""What has happened just now (Quirk et al. 1985, section 8.98)."""
INDEFINITE = frozenset(terms_of("one another certain particular"))
"""Stems of determiners that name none of a kind: `one municipality`."""
WITHIN = frozenset({"inside", "within"})
"""Prepositions that the question's `where` takes for granted."""
SOME_WITH = frozenset("of for from with in on at to about".split())
"""Prepositions behind a noun that restrict it."""
RANKED = re.compile(
    r"(?:the|my|our|your|his|her|their|\w+['’]s) (?:second|third|fourth|fifth|sixth|seventh|\d+(?:st|nd|rd|th)|last|next|eldest|oldest|youngest"
    r"|elder|older|younger|middle|other)\b",
    re.IGNORECASE,
)
"""One of a row, of which there are more."""
NEARLY = re.compile(
    r"(?:right|just|shortly|straight|soon|immediately|long|the (?:day|night|morning|evening|week|month|year))"
)
"""Words before `after` or `before` that say how long."""
THEN = re.compile(r"^[\s,]*(?:(?:and|but)\s+)?(?:then\s+|afterwards?\s+)?", re.IGNORECASE)
"""Words that join what happened next."""
BARE_HOUR = re.compile(r"\d{1,2}(?:[:.]\d\d)?")
OF_US = re.compile(r"\bwe\b", re.IGNORECASE)
RELATIVE = re.compile(r",?\s(?:who|that|which)\b", re.IGNORECASE)
"""Begins a clause that describes the noun before it."""
NEGATION = re.compile(r"\bcan['’]t\b|n['’]t\b")
NOT_UNTIL_NOW = re.compile(r"\b(?:(?:ha[sv]e?|could)(?:n['’]?t| not|['’]?ve not))\b", re.IGNORECASE)
"""Denials of the past that no form of the verb shows: `haven't renewed`, `couldn't find`."""
UNDER_WAY = re.compile(r"\b(?:am|is|are) (?:\w+ly |still )?\w+ing\b", re.IGNORECASE)
"""A question for what somebody is doing."""
BEGUN = re.compile(
    r"\b(?:beg[aiu]n|begins|starts?|started|continue[sd]?|resume[sd]?|keeps?|kept|carry on|carried on|g[eo]t) (?:on )?(?:to )?(?P<verb>(?<=to )\w+|\w+ing\b)",
    re.IGNORECASE,
)
"""Verbs of beginning and continuing before another verb (Freed 1979)."""
EXCEPT = re.compile(
    r"\b(?:except|excluding|with the exception of|(?:apart|aside) from|other than|save for"
    r"|(?:every|all|no|any)(?:one|body|thing)?(?: \w+)?,? but)\b",
    re.IGNORECASE,
)
"""Words that leave something out (Quirk et al. 1985, section 9.58)."""
BESIDE_END = 40
"""Characters behind a clause in which such words may begin."""
ALL_OR_NONE = re.compile(
    r"\b(?:all|every|each|everyone|everybody|everything|whole|entire|no|none|nobody|no one|nothing|nowhere)\b",
    re.IGNORECASE,
)
"""Words for all of a kind, or none."""
UNTIL_WHEN = re.compile(r"\W*(?:until|till|up to) (?:when|what|which)\b", re.IGNORECASE)
"""Questions for the end of something."""
A_YEAR = timedelta(days=366)
ASSERTED = frozenset({Modality.ASSERTED})
PLANNED = frozenset({Modality.ASSERTED, Modality.PLANNED})
CHANGES = VerbKind.named("change contact motion possession")
"""Kinds of verbs by which something changes, moves, or passes to somebody."""
ACTS = VerbKind.named("body change competition consumption contact creation motion")
"""Kinds of verbs of what somebody does."""


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A fact with its frame."""

    fact: Fact
    frame: Frame


@dataclass(frozen=True, slots=True)
class Match:
    """A fact that matches an atom, with its bindings."""

    fact: Fact
    bindings: tuple[Binding, ...]
    alignment: tuple[Alignment, ...]
    score: float
    opposed: bool
    since: Fact | None = None
    """The later fact that gives an amount of it anew."""


def tells_change(fact: Fact) -> bool:
    """True if a clause describes a change, a movement or a transfer of something."""
    verb = fact.predicate.split()[0]
    if verb in ACQUIRING or not is_over(fact.text, fact.predicate):
        return False
    return any(kind in CHANGES for kind in verb_kinds(fact.predicate)[:1])


def pays_less(fact: Fact, reading: FrameReading, atom: Atom) -> bool:
    """True if a payment is not the price of the thing in question: a deposit, a monthly payment, or one for two things.

    Applies only if anybody may have paid: what Ann paid is what she paid.
    """
    types, verbs = {v.type for v in atom.variables}, {frame.predicate for frame in reading.frames}
    if "cost" in verbs and "amount" in types:
        return NET.search(fact.text) is not None
    if not {"person", "amount"} <= types or not verbs & PAYING:
        return False
    counted = (number_in(a.text.split()[0]) for a in fact.args if a.type != "quantity" and a.text)
    return PAID_IN_PART.search(fact.text) is not None or any(n not in (None, 1.0) for n in counted)


def is_of_fewer(fact: Fact, goal: Goal) -> bool:
    """True if an amount is asked of `us`, and told of the speaker alone (`I had three beers, Tom had two`), or a number is asked of all, and
    told of some: `12 cakes for a wedding`.
    """
    subject = fact.arg("subject")
    type_ = goal.answer.type if goal.answer is not None else ""
    counted = type_.startswith(OF_NUMBER)
    amount = counted or type_ in ("amount", "distance", "duration")
    ours = subject is not None and subject.text.casefold() == "i" and OF_US.search(goal.question) is not None
    return (amount and ours) or (counted and any(_is_beside(a, goal.question) for a in fact.args))


def _is_beside(argument: Argument, question: str) -> bool:
    """True for a circumstance that a question does not name: a cake for a wedding is not every cake."""
    told = {*terms_of(argument.text)}
    return argument.role in SOME_WITH and argument.type != "time" and bool(told) and not told & {*terms_of(question)}


def is_habit(fact: Fact) -> bool:
    """True if a fact tells what somebody does, not that they did it: `she waters the plants`. What is in the present was so when it was told."""
    if not any(kind in ACTS for kind in verb_kinds(fact.predicate)[:1]) or fact.kind != "clause":
        return False
    return is_simple_present(fact.text, fact.predicate)


def is_no_destination(variable: Variable, part: FramePart, fact: Fact) -> bool:
    """True if words say what is moved, and a place is asked for: `she's moving house`."""
    bare = part.text.casefold() == part.head and part.text == part.head
    return variable.type == "place" and part.role == "object" and bare and fact.predicate in MOTION_TO_PLACES


def is_some(variable: Variable, part: FramePart, frame: Frame) -> bool:
    """True if a number is of some of what is asked for: `2 shares of Acme` if the question does not name Acme."""
    if not variable.type.startswith(OF_NUMBER):
        return False
    words = part.text.casefold().split()
    behind = words[next((n for n, w in enumerate(words) if n and w in SOME_WITH), len(words)) :]
    said = {w for p in frame.parts for w in (*p.text.casefold().split(), p.head, *p.entity.casefold().split())}
    said |= {*variable.type.split()}
    return any(terms_of(w) and w not in said and base_form(w) not in said for w in behind)


def recurring(fact: Fact, turn: Turn) -> str:
    """The times at which something recurs: `tuesdays and thursdays`, `6 every day`; empty if it does not recur."""
    args = [a for a in fact.args if a.start >= 0 and a.role != "subject"]
    for found in RECURRING.finditer(turn.content, fact.start):
        behind = found.start() >= fact.end and turn.content[fact.end : found.start()].isspace()
        if behind or any(a.start < found.end() and found.start() < a.end for a in args):
            hours = (a for a in args if a.role == "at" and not turn.content[a.end : found.start()].strip())
            hour = next((a for a in hours if a.end <= found.start()), None)
            start = found.start() if hour is None else hour.start
            return re.sub(r"^on\s+", "", turn.content[start : found.end()], flags=re.IGNORECASE)
    return ""


def timetabled(fact: Fact, turn: Turn) -> str:
    """The hour at which something regularly happens: `6.30 in the morning` of `the pool opens at 6.30 in the morning`; empty if it has none.

    What *is* at an hour has a day, too, which is not said.
    """
    regular = fact.modality is Modality.ASSERTED or is_from_then_on(fact, turn)
    if fact.predicate == "be" or not regular or is_over(fact.text, fact.predicate):
        return ""
    hour = next((a for a in fact.args if a.role == "at" and a.type in ("quantity", "time")), None)
    found = CLOCK.search(turn.content, hour.start, fact.end) if hour is not None else None
    if found is None and hour is not None and BARE_HOUR.fullmatch(hour.text):
        return hour.text
    if found is None:
        return ""
    return found.group() if "." in found.group()[:-1] else found.group().rstrip(".")


def is_from_then_on(fact: Fact, turn: Turn) -> bool:
    """True if the time of a fact is that from which on it regularly happens: `from Monday the shop closes at 8`."""
    told = rf"\b(?:from|starting|as of|since)\s+(?:the\s+)?{re.escape(fact.when_text)}"
    first, last = sentence_around(turn.content, fact.start, fact.end)
    return fact.when is not None and re.search(told, turn.content[first:last], re.IGNORECASE) is not None


def by_event(fact: Fact, turn: Turn) -> str:
    """The other event that a fact is dated by: `right after the festival`, `while I was in the shower`; empty if there is none."""
    told = next((a for a in fact.args if a.role in TIME_MARKS and a.start >= 0), None)
    if told is None or not fact.polarity or fact.modality not in PLANNED:
        return ""
    if is_known(f"{fact.predicate} {told.role}", "v"):
        return ""  # `looked after the cat`
    mark = re.search(
        rf"(?:{NEARLY.pattern}\s+)?\b{told.role}\s+$", turn.content[fact.start : told.start], re.IGNORECASE
    )
    return turn.content[fact.start + mark.start() : told.end] if mark is not None else ""


def without_time(activity: Value, fact: Fact, asked: Frame) -> Value:
    """An activity without the clause of time that the question names: `called Ana` of `called Ana after I ate`."""
    roles = {p.role for p in asked.constants if p.role in TIME_MARKS}
    told = next((a for a in fact.args if a.role in roles and a.start >= fact.start), None)
    if told is None:
        return activity
    text = re.sub(rf"\s+{told.role}\s+{re.escape(told.text)}$", "", activity.text)
    if activity.text in fact.text and fact.text.index(activity.text) + fact.start < told.end < fact.end:
        behind = THEN.sub("", fact.text[told.end - fact.start :])
        text = behind.strip(" ,.;!") or text
    return replace(activity, text=text, key=text.casefold())


def by_goal(matches: list[Match], goal: Goal) -> list[Match]:
    """The matches whose times suit the goal: a time that is another event only where it is the answer, which the day of saying is then not."""

    def is_event(match: Match) -> bool:
        return any(b.variable.type == "time" and is_marked(b) for b in match.bindings)

    asks = goal.aggregate is Aggregate.ONE and not goal.constraints
    if not asks or not any(map(is_event, matches)):
        return [m for m in matches if not is_event(m)]
    return [m for m in matches if not any(b.derivation is Derivation.SAID for b in m.bindings)]


def is_marked(binding: Binding) -> bool:
    """True for a time in words that name another event."""
    words = binding.span.casefold().split()
    return binding.derivation is Derivation.QUOTED and any(w in TIME_MARKS for w in words)


def starts_range(value: str, text: str) -> bool:
    """True if words name a number as the start of a range: the 9 of `from 9 to 5`, which 5 does not replace."""
    return re.search(rf"\bfrom {re.escape(value)} ?(?:to|until|till|[-–]) ?\d", text, re.IGNORECASE) is not None


def counted_back(binding: Binding, fact: Fact) -> Binding:
    """A time as `counted_value` gives it; any other binding is unchanged."""
    if binding.derivation is not Derivation.TIME:
        return binding
    return replace(binding, value=counted_value(binding.value, fact.when_text, fact.said))


def as_said(binding: Binding, goal: Goal) -> Binding:
    """The answer in the words that were said: `a beagle`, even if that is Comet; `degree in law`, not `degree`.

    A name is kept if the question asks for a name or a person, or if other parts of the goal use it.
    """
    variable = binding.variable
    if variable == goal.answer and asks_weekday(goal.question, binding.value):
        return replace(binding, value=as_weekday(goal.question, binding.value, binding.span))
    uses = sum(variable in a.variables for a in goal.atoms)
    words = without_article(binding.span)
    if variable == goal.answer and uses == 1 and variable.type == "place" and binding.value.text.islower():
        return replace(binding, value=replace(binding.value, text=words)) if words else binding
    if variable != goal.answer or uses != 1 or NAMED_TYPES.intersection(variable.type.split(ALTERNATIVES)):
        return binding
    if binding.value.text.casefold() == variable.type.casefold() and binding.derivation is Derivation.QUOTED and words:
        return replace(binding, value=replace(binding.value, text=words))
    if binding.derivation is not Derivation.RESOLVED:
        return binding
    if not words or words.casefold() in UNNAMED or not words.islower():
        return binding
    noun = variable.type.split()[-1].casefold()
    if words.casefold() == noun or (words.split()[-1] == noun and "'s " not in binding.value.text):
        return binding  # `a new car` does not say which, a Volvo does; nor does `room` of my room.
    return replace(binding, value=replace(binding.value, text=words), derivation=Derivation.QUOTED)


def is_antecedent(part: FramePart, fact: Fact) -> bool:
    """True for the noun that a clause only describes, `the book` of `the book I am reading is Dune`: it does not say which."""
    subject = fact.arg("subject")
    if part.entity or not 0 <= part.start < part.end or part.text[:4].casefold() != "the " or subject is None:
        return False
    between = fact.text[max(0, part.end - fact.start) : max(0, subject.start - fact.start)]
    fronted = part.role == "object" and part.end <= subject.start and not between.rstrip().endswith(" by")
    return fronted or (part.role == "subject" and RELATIVE.match(fact.text, part.end - fact.start) is not None)


def said_in_full(variable: Variable, part: FramePart, fact: Fact) -> str:
    """The words of a part; of a place, or if they only repeat the question's noun, with the words after it."""
    own = next((a for a in fact.args if (a.role, a.start) == (part.role, part.start)), None)
    if own is None:
        return part.text
    if variable.type == "place":
        return place_in_full(own, fact)
    return own.text if without_article(part.text).casefold() == variable.type.casefold() else part.text


def place_in_full(place: Argument, fact: Fact) -> str:
    """The words of a place with those of the places that it is in, and how something is near it: `a box in the attic`, `under the mat`."""
    near = f"{place.role} " if place.role in SITUATING - POSITIONS - WITHIN else ""
    text, end = f"{near}{place.text}", place.end
    for other in sorted(fact.args, key=lambda a: a.start):
        if other.role in POSITIONS and other.start == end + len(f" {other.role} "):
            text, end = f"{text} {other.role} {other.text}", other.end
    return text


def is_of_the_past(fact: Fact, bindings: Sequence[Binding], reading: FrameReading, goal: Goal) -> bool:
    """True if it is asked when something is, and a fact says when it was; but who was born on a day has a birthday each year."""
    timed = fact.predicate != "bear" and any(b.variable.type == "time" and b.variable == goal.answer for b in bindings)
    return timed and goal.aggregate is Aggregate.ONE and not reading.past and was_over(fact)


def coarse(bindings: Sequence[Binding], goal: Goal) -> bool:
    """True if a question for a day gets a longer time: `the week of 3 March`."""
    if DAY_ASKED.search(goal.question) is None:
        return False
    spans = (b.value.interval for b in bindings if b.variable == goal.answer)
    return any(i is not None and i.end - i.start > timedelta(days=1) for i in spans)


def loose(match: Match, goal: Goal, *, just_done: bool) -> bool:
    """True if a time is only the day of the statement, but would be measured or compared as the time of an event that had not just happened."""
    measured = goal.aggregate in PAIRED and not just_done
    return measured and any(b.derivation is Derivation.SAID for b in match.bindings)


def denies_less_time(goal: Goal, match: Match) -> bool:
    """True if something is denied for a time that is shorter than the one asked for: who did not smoke in March may have smoked that year."""
    told = {b.variable.name: b.value for b in match.bindings}
    return match.opposed and not all(covers(c, told) for c in goal.constraints)


def tells_no_end(goal: Goal, match: Match) -> bool:
    """True if it is asked until when something lasts, and a fact tells only when it is."""
    times = (b.value.interval for b in match.bindings if b.variable == goal.answer and b.value.interval is not None)
    return UNTIL_WHEN.match(goal.question) is not None and any(t.grain is not Grain.SPAN for t in times)


def leaves_one_out(fact: Fact, content: str, reading: FrameReading) -> bool:
    """True if something is said of all but one, or of none but one, and the atom says it of all, or of none. `content`: of the turn."""
    if ALL_OR_NONE.search(reading.text) is None or EXCEPT.search(reading.text) is not None:
        return False
    behind = EXCEPT.search(content, fact.end, fact.end + BESIDE_END)
    return EXCEPT.search(fact.text) is not None or (
        behind is not None and not content[fact.end : behind.start()].strip(" ,")
    )


def repeats(match: Match, goal: Goal, atom: Atom) -> bool:
    """True if an answer only repeats the question: that Ann's boss is Ann's boss.

    The same for `a car`, if the question asks which car Ann has.
    """
    if not is_asked_for(goal, atom):
        return False
    others = (p if isinstance(p, str) else p.type for p in atom.parts if p != goal.answer)
    asked = {word.casefold() for text in others for word in WORD_PART.findall(text)}
    named = {*terms_of(goal.answer.type if goal.answer else ""), *terms_of(" ".join(asked)), *INDEFINITE}
    one = goal.aggregate is Aggregate.ONE
    return any(
        b.variable == goal.answer
        and b.value.number is None
        and b.value.interval is None
        and (
            (
                ("'s " in b.value.text or b.variable.type in OCCUPATION_OR_ROLE)
                and lemmas(owner_and_noun(b.value.text)) <= lemmas(asked)
            )
            or (one and {*terms_of(b.value.text)} <= named)
        )
        for b in match.bindings
    )


def is_asked_for(goal: Goal, atom: Atom) -> bool:
    """True if the atom binds the answer, and no other atom of the goal does."""
    return goal.answer in atom.variables and sum(goal.answer in a.variables for a in goal.atoms) == 1


def owner_and_noun(text: str) -> list[str]:
    """The owner and the noun of a possession, without modifiers: `ann`, `husband` of `Ann's late husband`."""
    owner, _, owned = text.casefold().rpartition("'s ")
    owners = (
        word for word in WORD_PART.findall(owner.replace("'s", "")) if word != "your"
    )  # the asker, as facts name them
    return [*owners, *WORD_PART.findall(owned)[-1:]]


def lemmas(nouns: Iterable[str]) -> set[str]:
    """The singulars of nouns."""
    return {lemma for noun in nouns for lemma in getLemma(noun, "NOUN")}


def is_terse(fact: Fact) -> bool:
    """True if a fact takes its verb and a participant from the question it answers: `Both.`, `The BFG.`."""
    borrowed = any(a.start < 0 for a in fact.args)
    return fact.kind in ("clause", "preference") and borrowed and not says(fact.text, fact.predicate)


def says(text: str, predicate: str) -> bool:
    """True if the text contains a form of the predicate's verb."""
    return not forms_of(predicate.split(" ")[0]).isdisjoint(re.findall(r"\w+", text.casefold()))


def _words(text: str) -> list[str]:
    """The words of a text in lower case, auxiliaries without `n't`."""
    return re.findall(r"\w+", NEGATION.sub(lambda m: "can" if m[0].startswith("can") else "", text.casefold()))


def meant(fact: Fact, reading: FrameReading) -> bool:
    """True if a fact of this modality can prove the atom: a plan proves only a plan, and a former state nothing about today."""
    if fact.modality is Modality.FORMER:
        return not asks_now(reading)
    if fact.modality is Modality.ASSERTED and not agrees(fact, reading):
        return False
    return fact.modality in (PLANNED if reading.scheduled else ASSERTED)


def asks_now(reading: FrameReading) -> bool:
    """True if the question is about the present."""
    return not reading.past or PRESENT.search(reading.text) is not None


def lasts(goal: Goal) -> bool:
    """True if the question is about how long a state has lasted until now: `How long has Ann lived in Leeds?`."""
    return goal.aggregate is Aggregate.DURATION and any(PERFECT.search(str(atom)) for atom in goal.atoms)


def agrees(fact: Fact, reading: FrameReading) -> bool:
    """True if the tense and the modal verb of a fact suit the atom: a past state need not hold now, a current activity is not finished,
    and neither what was nor what is tells what will, should or may be.
    """
    if reading.modal and not _says_modal(fact, reading.modal):
        return False
    if reading.past:
        under_way = is_under_way(fact.text, fact.predicate) or _is_only_begun(fact)
        return not under_way and (fact.polarity or _denies_past(fact))
    if reading.ahead:
        return _lies_ahead(fact)
    timed = any(frame.time is not None for frame in reading.frames)
    if UNDER_WAY.search(reading.text) is not None and is_of_any_tense(fact.text, fact.predicate):
        return False  # `I read Dune` may be long ago.
    return timed or became(fact) or not is_over(fact.text, fact.predicate)


def _is_only_begun(fact: Fact) -> bool:
    """True if somebody began, or went on with, what comes to an end: who started writing a book need not have written it."""
    verb = forms_of(fact.predicate.split(" ")[0])
    begun = any(found["verb"].casefold() in verb for found in BEGUN.finditer(fact.text))
    return begun and fact.polarity and fact.arg("object") is not None


def _says_modal(fact: Fact, modal: str) -> bool:
    """True if a fact says what a modal verb does; who does something is able to."""
    said = not MODALS_SAID[modal].isdisjoint(_words(fact.text))
    return said or (modal in ABLE_MODALS and fact.polarity)


def _denies_past(fact: Fact) -> bool:
    """True if a denial is about the past, or all time up to now: `didn't play`, `has never played`; not `no longer plays`."""
    verb = forms_of(fact.predicate.split(" ")[0])
    if verb.isdisjoint(_words(fact.text)) or NOT_UNTIL_NOW.search(fact.text) is not None:
        return True  # The `not Tom` of `Ana won, not Tom` has the tense of the clause.
    if NO_MORE.search(fact.text) is not None and not is_perfect(fact.text, fact.predicate):
        return False
    over = is_over(fact.text, fact.predicate) or is_perfect(fact.text, fact.predicate)
    over |= is_past(fact.text) and verb_bases(fact.text).isdisjoint(verb.split()[0] for verb in ENDING_HABITS)
    return over or "never" in fact.text.casefold().split() or fact.modality is not Modality.ASSERTED


def _lies_ahead(fact: Fact) -> bool:
    """True if an asserted fact is about what is to come: what is arranged, or goes by a timetable (Quirk et al. 1985, sections 4.44, 4.45)."""
    if is_over(fact.text, fact.predicate):
        return False
    if fact.when is not None:
        return fact.when.end > fact.said.replace(tzinfo=None)
    subject = fact.arg("subject")
    if (
        subject is not None and subject.type == "person"
    ):  # What somebody does on Thursdays is a habit, what they are at is now.
        return is_under_way(fact.text, fact.predicate) and fact.predicate.split(" ")[0] in MOTION
    timed = any(a.type == "time" or (a.role == "at" and a.type == "quantity") for a in fact.args)
    return timed or (fact.predicate == "be" and any(a.role in SITUATING for a in fact.args))


def became(fact: Fact) -> bool:
    """True if a fact tells how old somebody became on a day within a year of saying it: what they are since."""
    age = fact.arg("object") if fact.predicate == "turn" and fact.slot == "age" else None
    if age is None or any(number_in(word) is None for word in age.text.split()):
        return False
    if fact.when is None:
        return JUST.search(fact.text) is not None
    return timedelta() <= fact.said.replace(tzinfo=None) - fact.when.start < A_YEAR


def looks_back(goal: Goal) -> bool:
    """True if replaced statements count: the goal asks for a time, an order, or about a time."""
    timed = any(v.type == "time" for a in goal.atoms for v in a.variables)
    return timed or goal.aggregate in (
        Aggregate.EARLIEST,
        Aggregate.LATEST,
        Aggregate.DURATION,
        Aggregate.AGE,
        Aggregate.BIRTHDAY,
    )


def names_several(step: Step) -> bool:
    """True if a fact is about several things: `20 stamps` or `kids` are not one stamp or kid."""
    texts = [b.value.text.split() for b in step.bindings if b.value.number is None and b.value.text]
    counted = any(words[0].casefold() in SEVERAL or number_in(words[0]) not in (None, 1.0) for words in texts)
    return counted or any(words[-1].islower() and words[-1] != getLemma(words[-1], "NOUN")[0] for words in texts)


def newest_numbers(steps: Sequence[Step], reading: FrameReading) -> list[Step]:
    """Drop earlier numbers of possessions: the latest number holds."""
    if not any(frame.predicate in HOLDING for frame in reading.frames):
        return list(steps)
    kept: dict[tuple[object, ...], Step] = {}
    for step in steps:
        numbers = [b for b in step.bindings if b.variable.type.startswith(OF_NUMBER)]
        others = sorted((b.variable.name, b.value.key) for b in step.bindings if b not in numbers)
        key = (step.negated, *others) if numbers else (step.negated, *others, id(step))
        if key not in kept or said(step) > said(kept[key]):
            kept[key] = step
    return best_first(kept.values())


def said(step: Step) -> tuple[str, str, int]:
    """When the evidence of a step was said (`Evidence.order`)."""
    return step.evidence[0].order if step.evidence else ("", "", 0)


def best_first(steps: Iterable[Step]) -> list[Step]:
    """Better steps first; among equals, those of later turns; in one turn, those that stand first."""
    in_turn = sorted(steps, key=lambda step: step.evidence[0].start)
    return sorted(in_turn, key=lambda step: (step.score, said(step)), reverse=True)


def article(modality: Modality) -> str:
    """A modality with its article."""
    return {
        Modality.PLANNED: "a plan",
        Modality.QUESTION: "a question",
        Modality.HYPOTHETICAL: "a supposition",
        Modality.CONDITIONAL: "so on a condition",
        Modality.WISH: "a wish",
        Modality.COMMAND: "a request",
        Modality.QUOTED: "a quotation",
        Modality.REPORTED: "hearsay",
        Modality.FORMER: "something of the past",
        Modality.JOKE: "a joke",
    }.get(modality, "stated")


def renewed(match: Match, renewal: Renewal, fact: Fact) -> Match:
    """A match of a fact with a new amount, as one of the fact and of the statement that gives the amount."""
    new, words = number_in(renewal.amount.text), renewal.words
    bindings = tuple(
        replace(
            b,
            span=words,
            turn=renewal.told.turn,
            derivation=b.derivation if b.value.text == words else Derivation.RESOLVED,
        )
        if number_in(b.value.text) == new
        else b
        for b in match.bindings
    )
    return replace(match, fact=fact, bindings=bindings, score=min(match.score, DOUBTFUL), since=renewal.told)
