"""Questions for a measure or a price, however they are put: `How tall is Ann?`, `What is Ann's height?`, `How much does Ann weigh?`.

All become one statement, `Ann's height is (x:height)`, which facts may say with the noun, a verb, or an adjective
(`sources.equivalent_frames.measuring_frame`).
"""

from __future__ import annotations

from goalmem.language.verb_forms import forms_of
from goalmem.language.words.attributes import DIMENSIONS, PRICES_OF_THINGS
from goalmem.logic.terms import Variable
from goalmem.questions.clause_split import head_of, owner_of
from goalmem.questions.draft import Draft, Item, atom_of
from goalmem.questions.syntax import ParsedQuestion
from goalmem.questions.wh import AnswerKind


def measured(question: ParsedQuestion) -> str:
    """The dimension or the price that a question asks for: `How tall is X?`, `What is X's height?`, `How much does X weigh?`; empty for others."""
    if question.rest or question.stranded is not None or not question.subject:
        return ""
    if question.verb.split()[-1] in forms_of("weigh"):
        return "weight" if question.type in ("amount", "thing") else ""
    if question.verb not in ("is", "am", "are", "was", "were"):
        return ""
    if question.asked is AnswerKind.DURATION:
        return "length" if question.type == "duration" and not question.unit else ""
    if question.asked is AnswerKind.NUMBER:
        return question.type if question.type in DIMENSIONS else ""
    head = head_of(question.subject)
    noun = head.lower_ if head is not None else ""
    return noun if (noun in DIMENSIONS or noun in PRICES_OF_THINGS) and _measured_thing(question) else ""


def _measured_thing(question: ParsedQuestion) -> list[Item]:
    """Whose height or price is asked for: `my sister` of `my sister's height`, `the lamp` of `the price of the lamp`."""
    head = head_of(question.subject)
    if question.asked is not AnswerKind.VALUE or head is None:
        return list(question.subject)
    own = owner_of(head)
    of = next((c for c in head.children if c.lower_ == "of"), None)
    if own is not None:
        return [t for t in own.subtree if not (t.dep_ == "case" and t.head == own)]
    return [t for t in of.subtree if t != of] if of is not None else []


def measure_of(question: ParsedQuestion) -> str:
    """The type of the answer."""
    noun = measured(question)
    return "amount" if noun in PRICES_OF_THINGS else noun


def measured_statement(question: ParsedQuestion, answer: Variable, draft: Draft) -> list[Item]:
    """The statement with the answer at its end."""
    whose = atom_of(_measured_thing(question), draft).read_as()[0].strip().removesuffix("'s")
    return [whose, " cost " if answer.type == "amount" else f"'s {answer.type} is ", answer]
