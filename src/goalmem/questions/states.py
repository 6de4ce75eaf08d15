"""Questions about what holds over time, as goals that only the event log closes.

Their atoms begin with `by what happened`, to show what they are proved from: `by what happened, Mary is in (x:place)`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from goalmem.language.verb_forms import forms_of
from goalmem.language.words.changes import HANDING
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.questions.attributes import ATTRIBUTE_MARK, attribute_goals, bare
from goalmem.questions.log_atoms import NOW, log_atom, marked_statement, slots_of

MARK = "by what happened, "
PLACE, PERSON, THING = Variable("x", "place"), Variable("x", "person"), Variable("x", "thing")
COUNTED = Variable("x", "number of things")
NOTHING = "nothing"
_CARRY = r"(?:carrying|holding|carry|hold|have|got|possess|possessing)"
_HAS = r"(?:has|have|holds|hold|carries|possesses|(?:is|are|has|have) (?:now |currently |still )?(?:carrying|holding|possessing|got)|has got)"
_NOW = r"(?: now| right now| currently| at the moment| at present| these days| today| still)?"
_THINGS = r"(?:objects|things|items|belongings|articles|possessions)"
_GIVE = "|".join(sorted({f for v in HANDING for f in forms_of(v)}, key=lambda w: (-len(w), w)))
MANY = re.compile(
    r"(?:every|each|all|both|most|any|no|none|half|either|neither)\b|(?:their|its|his|her) own\b", re.IGNORECASE
)
"""The start of words for several things at once, or for the one of each."""
_IN = r"(?:in|at|inside|on|within)"
_MOVED = r"(?:(?:he|she|it|they|{s}) )?(?:(?:was|were|went|moved|travell?ed|got|came|lived|is|are|lives|being|going|moving|living|walked|journeyed|returned) (?:back )?)?(?:(?:in|at|to|into) )?"


@dataclass(frozen=True, slots=True)
class StateQuestion:
    """The question that an atom puts to the log: its form and its parts; the part that is asked for is empty."""

    form: str
    """`at`, `home`, `holder`, `had`, `count`, `places`, `given`, `received`, `gave`."""
    subject: str = ""
    value: str = ""
    before: str | None = None
    """The value whose predecessor is asked for; empty for the present value; None for what holds now."""
    receiver: str = ""

    @property
    def whether(self) -> bool:
        """True for a yes/no question."""
        return bool(self.subject and self.value) and self.before is None and self.form in ("at", "home", "holder")


# form, before?, template: S subject, V value, B what it was before, R receiver
_TEMPLATES: tuple[tuple[str, bool, str], ...] = (
    ("places", False, "{S} was, one after the other, in {V}"),
    ("at", False, "{S} is in {V}"),
    ("at", True, "{S} was in {V} before {B}"),
    ("home", True, "{S} lived in {V} before {B}"),
    ("holder", True, "{V} had {S} before {B}"),
    ("count", False, "{V} are with {S}"),
    ("had", False, "{V} is with {S}"),
    ("holder", False, "{S} is had by {V}"),
    ("given", False, "{V} came from {S} to {R}"),
    ("received", False, "{V} came to {R}"),
    ("gave", False, "{V} came from {S}"),
)


def state_question(atom: Atom) -> StateQuestion | None:
    """The question that an atom puts to the log; None for any other atom."""
    statement = marked_statement(atom, MARK)
    for form, before, template in _TEMPLATES if statement else ():
        parts = slots_of(statement, template)
        if parts is not None:
            earlier = ("" if parts["B"] == NOW else parts["B"]) if before else None
            return StateQuestion(form, parts.get("S", ""), parts.get("V", ""), earlier, parts.get("R", ""))
    return None


def is_of_state(atom: Atom) -> bool:
    """True if only the event log closes an atom."""
    return bool(atom.parts) and isinstance(atom.parts[0], str) and atom.parts[0].startswith((MARK, ATTRIBUTE_MARK))


def state_goals(question: str, asker: str) -> tuple[Goal, ...]:
    """The goals of a question about what holds, held or was given; none for any other question."""
    text = bare(question)
    for form in _FORMS:
        found = re.fullmatch(form.pattern, text, re.IGNORECASE)
        if found is not None and not any(of_many(words) for words in found.groupdict().values() if words):
            return (_goal(question, form, found.groupdict(), asker), *attribute_goals(question, asker))
    return tuple(attribute_goals(question, asker))


def of_many(words: str) -> bool:
    """True if words name no single thing or place that the log could follow: `every room`, `its own key`."""
    return MANY.match(words) is not None


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of question: S is its subject, V the value, B the value before, R the receiver."""

    pattern: str
    form: str
    answer: Variable | None = None
    before: bool = False
    all_: bool = False


_FORMS = (
    _Form(
        r"(?:where|in which \w+|in what \w+) (?:did|had) (?P<S>.+?) (?:live|lived|reside|resided|dwell)(?: in)?(?: before(?: (?P<B>.+))?| previously)",
        "home",
        PLACE,
        before=True,
    ),
    _Form(
        r"where (?:was|were|had) (?P<S>.+?)(?: been)? (?:before|previously)(?: (?P<B>.+))?", "at", PLACE, before=True
    ),
    _Form(
        rf"(?:where(?:'s| is| are)|in (?:which|what) (?:room|place|location) (?:is|are)){_NOW} (?P<S>.+?)(?: located)?{_NOW}",
        "at",
        PLACE,
    ),
    _Form(
        r"(?:(?:which|what) (?:places|rooms|locations)|where all) (?:was|were|has|have|did) (?P<S>.+?)(?: (?:been|visit|go))?(?: (?:in|at|to))?(?: in order| one after the other)?",
        "places",
        PLACE,
        all_=True,
    ),
    _Form(rf"how many {_THINGS} (?:is|are|does|do|has|have){_NOW} (?P<S>.+?){_NOW} {_CARRY}{_NOW}", "count", COUNTED),
    _Form(
        rf"what(?: {_THINGS})?(?: else)? (?:is|are) (?P<S>.+?){_NOW} (?:carrying|holding){_NOW}",
        "had",
        THING,
        all_=True,
    ),
    _Form(rf"what(?: {_THINGS})? (?:does|do) (?P<S>.+?){_NOW} (?:carry|hold){_NOW}", "had", THING, all_=True),
    _Form(
        r"who(?:m)? (?:had|was holding|was carrying|held|owned) (?P<S>.+?) (?:before|previously)(?: (?P<B>.+?))?(?: (?:had|got|took|received) (?:it|them))?",
        "holder",
        PERSON,
        before=True,
    ),
    _Form(rf"who(?:'s|){_NOW} ?{_HAS}{_NOW} (?P<S>.+?){_NOW}", "holder", PERSON),
    _Form(rf"(?:is|are|does|do|has|have) (?P<V>.+?){_NOW} {_CARRY} (?P<S>.+?){_NOW}", "holder", None),
    _Form(rf"who(?:m)? did (?P<S>.+?) (?:{_GIVE}) (?P<V>.+?)(?: to)?", "given", PERSON),
    _Form(rf"to who(?:m)? did (?P<S>.+?) (?:{_GIVE}) (?P<V>.+?)", "given", PERSON),
    _Form(rf"what did (?P<S>.+?) (?:{_GIVE})(?: to)? (?P<R>.+?)", "given", THING),
    _Form(rf"who (?:{_GIVE}) (?P<V>.+?) to (?P<R>.+?)", "given", PERSON),
    _Form(r"who (?:received|got|was given|accepted|obtained) (?P<V>.+?) from (?P<S>.+?)", "given", PERSON),
    _Form(r"who (?:received|was given) (?P<V>.+?)", "received", PERSON),
    _Form(rf"who (?:{_GIVE}) (?P<V>(?:the|a|an|his|her|their|my) .+?)", "gave", PERSON),
    _Form(rf"(?:is|are)(?: still)? (?P<S>.+?){_NOW} {_IN} (?P<V>.+?){_NOW}", "at", None),
)


def _goal(question: str, asked: _Form, parts: dict[str, str | None], asker: str) -> Goal:
    """The goal of a question of a known form."""
    template = next(t for f, b, t in _TEMPLATES if f == asked.form and b == asked.before)
    said: dict[str, str | Variable | None] = {k: with_asker_name(v, asker) for k, v in parts.items() if v}
    earlier = parts.get("B") if asked.form == "holder" else _place(parts.get("B"), parts.get("S") or "")
    said["B"] = with_asker_name(earlier, asker) if earlier else NOW
    atom = log_atom(MARK, template, dict.fromkeys("SVR", asked.answer) | said)
    kind = Aggregate.LIST if asked.all_ else Aggregate.ONE if asked.answer is not None else Aggregate.WHETHER
    return Goal(question, (atom,), asked.answer, kind)


def _place(words: str | None, subject: str) -> str:
    """`he went to the kitchen` as `the kitchen`; empty if no place is named."""
    if words is None or words.casefold() in ("that", "this", "now", "then"):
        return ""
    moved = _MOVED.replace("{s}", re.escape(subject))
    return re.sub(rf"^{moved}", "", words, flags=re.IGNORECASE).strip()


def with_asker_name(words: str, asker: str) -> str:
    """Replace `I` and `my` by the asker's name."""
    if re.fullmatch(r"i|me|myself|we|us|ourselves", words, re.IGNORECASE):
        return asker
    return re.sub(r"^(?:my|our) (?!own\b)", f"{asker}'s ", words, flags=re.IGNORECASE)
