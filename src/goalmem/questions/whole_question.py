"""The whole question as a goal, to be read out of passages instead of proved from facts.

A passage must support the question itself with its answer: `“Where does Ann live?” is answered by (x:place)`. This works for every form of
question, so that no error of parsing can spoil it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goalmem.language.words.empty_phrases import LEADING
from goalmem.language.words.function_words import ASKS_WHETHER
from goalmem.language.words.nouns import PLURAL_TIMES
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.questions.answer_type import asking_word, refine_type, type_of_words
from goalmem.questions.perspective import in_first_person
from goalmem.questions.states import is_of_state
from goalmem.questions.syntax import main_question_word
from goalmem.questions.verbs import is_auxiliary
from goalmem.questions.wh import AnswerKind, inside_relative, wh_phrase

if TYPE_CHECKING:
    from spacy.tokens import Doc


OPENS, CLOSES = "“", "” is answered by "
RECALLED = "recalled"
"""The source of what a model knows by itself."""
LEADS = {
    "walks": "” leads in the graph to ",
    "own walks": "” leads in what was said to ",
    RECALLED: "” is answered by the model itself with ",
}
"""By source of walks: the words between a question and the answer to which a walk leads."""
YES = "yes"
OFFERS = re.compile(r"\bor\b(?!\s+(?:not|no|what|anything|something)\b)", re.IGNORECASE)
"""Marks a choice, which cannot be answered by yes."""
_LEADING = re.compile(rf"{OPENS}(.*)({'|'.join(LEADS.values())})", re.DOTALL)
_QUOTED = re.compile(rf"{OPENS}(.*){CLOSES}", re.DOTALL)
PERFECT = re.compile(r"When (?:had|has|have)\b")
AT = " on "
"""The words between a statement and the time of its event."""
TIMED = frozenset({Aggregate.DURATION, Aggregate.AGE, Aggregate.BIRTHDAY, Aggregate.FIRST_OF, Aggregate.LAST_OF})
"""Aggregates computed from the times of events."""
ASKING = {"person": "who", "thing": "what", "time": "when", "name": "what name", "amount": "how much"}
COUNTED = "number of "
LISTABLE = frozenset({Aggregate.ONE, Aggregate.LIST})


def passage_goal(question: str, asked: str, wanted_: Variable, aggregate: Aggregate) -> Goal:
    """The goal of reading the answer out of passages. `asked` is the question without introductory words."""
    atom = Atom((f"{OPENS}{asked}{CLOSES}", wanted_))
    return Goal(question, (atom,), wanted_, aggregate)


def whether_goal(question: str, asked: str) -> Goal:
    """The goal of deciding a yes/no question from passages: `“Did Ann move?” is answered by yes`."""
    return Goal(question, (Atom((f"{OPENS}{asked}{CLOSES}{YES}",)),), None, Aggregate.WHETHER)


def timed_goals(question: str, goals: Sequence[Goal], read: Callable[[str], Doc]) -> tuple[Goal, ...]:
    """The goals of reading out of passages the times of the events that a question compares or measures from.

    First those in which one time is read and facts prove the other, then that of reading all. None for any other question, and if parts of
    its events must be found first.
    """
    if not goals or any(g.answer is not None or g.aggregate not in TIMED for g in goals):
        return ()
    for goal in goals:
        atoms = [_timed(atom, read) for atom in goal.atoms]
        known = tuple(atom for atom in atoms if atom is not None)
        if len(known) == len(atoms):
            two = goal.aggregate is Aggregate.DURATION and len(known) == 2 and not any(map(_is_of_state, known))
            mixed = [(known[0], goal.atoms[1]), (goal.atoms[0], known[1])] if two else []
            return tuple(
                Goal(question, each, None, goal.aggregate, goal.constraints, goal.unit) for each in (*mixed, known)
            )
    return ()


def _is_of_state(timed: Atom) -> bool:
    """True for `When had I been a member?`: nobody says so of a state, and what is read instead is of something else."""
    asked = passage_question(timed)
    return asked is not None and PERFECT.match(asked[0]) is not None


def _timed(atom: Atom, read: Callable[[str], Doc]) -> Atom | None:
    """`Ann moved on (t:time)` as `“When did Ann move?” is answered by (t:time)`; None for any other form."""
    if atom.negated or len(atom.parts) != 2:
        return None
    statement, time = atom.parts
    if not isinstance(statement, str) or not isinstance(time, Variable):
        return None
    if time.type != "time" or not statement.endswith(AT):
        return None
    told = in_first_person(statement.removesuffix(AT).strip())
    return Atom((f"{OPENS}{when_asked(read(f'{told}.'))}{CLOSES}", time))


def when_asked(statement: Doc) -> str:
    """`Ann moved to Oslo.` as `When did Ann move to Oslo?`."""
    text = statement.text.rstrip(". ")
    verb = next(
        (t for t in statement if t.tag_ in ("VBD", "VBZ", "VBP") and t.dep_ in ("ROOT", "aux", "auxpass")), None
    )
    if verb is None or verb.i == 0:
        return f"When {text}?"
    before, behind = text[: verb.idx].strip(), text[verb.idx + len(verb) :].strip()
    if is_auxiliary(verb) and (verb.lemma_ == "be" or verb.dep_ != "ROOT"):
        return f"When {verb.text} {before} {behind}?"
    auxiliary = {"VBD": "did", "VBZ": "does"}.get(verb.tag_, "do")
    return f"When {auxiliary} {before} {verb.lemma_} {behind}".rstrip() + "?"


def passage_question(atom: Atom) -> tuple[str, Variable] | None:
    """The question that an atom puts to passages, and its answer variable; None for any other atom."""
    if len(atom.parts) != 2 or not isinstance(atom.parts[0], str) or not isinstance(atom.parts[1], Variable):
        return None
    found = _QUOTED.fullmatch(atom.parts[0])
    return (found.group(1), atom.parts[1]) if found is not None and not atom.negated else None


def quoted_answer(atom: Atom) -> Variable | None:
    """The answer variable of a quoted question, which may contain other variables; None for any other atom."""
    opens, answer = atom.parts[:1], atom.parts[-1]
    quoted = len(atom.parts) > 1 and isinstance(opens[0], str) and opens[0].startswith(OPENS)
    closes = atom.parts[-2] if quoted else ""
    ends = isinstance(closes, str) and closes.endswith(CLOSES) and not atom.negated
    return answer if ends and isinstance(answer, Variable) else None


def whether_question(atom: Atom) -> str | None:
    """The yes/no question that an atom puts to passages; None for any other atom."""
    if len(atom.parts) != 1 or not isinstance(atom.parts[0], str) or atom.negated:
        return None
    text = atom.parts[0]
    found = _QUOTED.fullmatch(text.removesuffix(YES)) if text.endswith(CLOSES + YES) else None
    return found.group(1) if found is not None else None


def is_of_passages(atom: Atom) -> bool:
    """True if an atom quotes the question, or one of its two parts, so that only passages can close it."""
    return quoted_answer(atom) is not None or whether_question(atom) is not None


def walk_goal(question: str, source: str) -> Goal:
    """The goal of finding everything that a question leads to in a graph; `source`: the source of walks to ask."""
    to = Variable("x", "thing")
    return Goal(question, (Atom((f"{OPENS}{question}{LEADS[source]}", to)),), to, Aggregate.LIST)


def walk_question(atom: Atom) -> tuple[str, str] | None:
    """The question of an atom for walks, and the source of walks to ask; None for any other atom."""
    if len(atom.parts) != 2 or not isinstance(atom.parts[0], str) or atom.negated:
        return None
    found = _LEADING.fullmatch(atom.parts[0])
    return (found.group(1), next(s for s, says in LEADS.items() if says == found.group(2))) if found else None


def is_walk(atom: Atom) -> bool:
    """True if an atom asks where the question leads in a graph, so that only a walk can close it."""
    return walk_question(atom) is not None


def quotes_question(atom: Atom) -> bool:
    """True if an atom quotes the question or asks the event log: it contains nothing to unify."""
    return is_of_passages(atom) or is_walk(atom) or is_of_state(atom)


def is_asked_whether(doc: Doc) -> bool:
    """True for a yes/no question: it begins with its verb, and has no question word and no choice."""
    if any(t.lower_ in INTERROGATIVES and not inside_relative(t, doc) for t in doc) or OFFERS.search(doc.text):
        return False
    words = [t for t in doc if not t.is_punct]
    opening = next((t for t in words if t.lower_ not in LEADING), None)
    after_comma = [doc[t.i + 1] for t in doc[:-1] if t.text == ","]
    return any(t is not None and t.lower_ in ASKS_WHETHER for t in (opening, *after_comma))


@dataclass(frozen=True, slots=True)
class AtomQuestion:
    """The question that an atom puts to passages."""

    question: str
    variable: Variable
    """Bound to the answer."""
    whole: bool = False
    """True for the question as it stands, False for a subgoal of it."""
    text: str = ""
    """The subgoal as a plain statement, to search for."""


def gap_question(atom: Atom) -> AtomQuestion:
    """An atom with one open variable as a question with a gap: `Ines lives in which place?`."""
    (variable,) = atom.variables
    asked, _ = atom.read_as({variable.name: asking_words(variable.type)})
    text, _ = atom.read_as()
    asked = in_first_person(" ".join(asked.split()))
    return AtomQuestion(f"{asked[:1].upper()}{asked[1:]}?", variable, text=text)


def asking_words(type_: str) -> str:
    """Words that ask for something of a type: `who`, `when`, `how many cats`, `which place`."""
    if type_ in ASKING:
        return ASKING[type_]
    return f"how many {type_.removeprefix(COUNTED)}" if type_.startswith(COUNTED) else f"which {type_}"


def wanted_type(doc: Doc, goals: tuple[Goal, ...]) -> tuple[Variable, Aggregate] | None:
    """The variable and aggregate that a question asks for, from its goals, otherwise from its question phrase.

    None if no span can be the answer: yes/no questions, and counts or durations over several events. For a question that asks for two
    things, it is the first.
    """
    wh = asking_word(doc) if not opens_with_verb(doc) else main_question_word(doc)
    for goal in goals:
        if goal.aggregate is Aggregate.WHETHER and goal.answer is None:
            continue
        if goal.answer is not None and goal.aggregate in LISTABLE:
            several_days = (
                goal.answer.type == "time" and wh is not None and doc[wh.i + 1 : wh.i + 2].text in PLURAL_TIMES
            )
            type_ = "person" if goal.answer.type.startswith("person or ") else goal.answer.type
            return _named(refine_type(type_, doc, wh)), Aggregate.LIST if several_days else goal.aggregate
        if goal.answer is not None and goal.aggregate in (Aggregate.EARLIEST, Aggregate.LATEST):
            return _named(refine_type(goal.answer.type, doc, wh)), Aggregate.ONE
    if wh is None:
        return None
    phrase = wh_phrase(doc, wh)
    if phrase.asked in (AnswerKind.WHETHER, AnswerKind.AGO):
        return None
    if phrase.asked is AnswerKind.COUNT:
        return _named(refine_type(f"{COUNTED}{phrase.type}", doc, wh)), Aggregate.ONE
    if phrase.asked is AnswerKind.DURATION:
        return _named("duration"), Aggregate.ONE
    several = any(t.tag_ == "NNS" for t in doc[phrase.start : phrase.end]) and phrase.asked in (
        AnswerKind.VALUE,
        AnswerKind.TIME,
    )
    return _named(refine_type(phrase.type, doc, wh)), Aggregate.LIST if several else Aggregate.ONE


def without_question_word(doc: Doc) -> Variable:
    """The answer variable of a question that has no question word: `date of the trial?`."""
    return _named(type_of_words(doc, None) or "thing")


def opens_with_verb(doc: Doc) -> bool:
    """True if a question begins as yes/no questions do."""
    opening = next((t for t in doc if not t.is_punct and t.lower_ not in LEADING), None)
    return opening is not None and opening.lower_ in ASKS_WHETHER


def _named(type_: str) -> Variable:
    """The answer variable: `t` for a time, as elsewhere, otherwise `x`."""
    return Variable("t" if type_ == "time" else "x", type_)
