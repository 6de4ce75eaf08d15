"""Results of tools as short text for a model, with quotations on one line each, as data."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.answer import Answer, Note, Page, Receipt, WhyNot
from goalmem.answering.context_block import (
    CLOSING,
    EMPTY,
    HEADING,
    LONGEST_NAME,
    LONGEST_QUOTE,
    OPENING,
    excerpt,
    inert,
    line_of,
    quoted,
)
from goalmem.logic.syntax import format_atom, format_rule
from goalmem.proof.check import Verification
from goalmem.proof.document import MissingGoal
from goalmem.records import Hit, Profile, ProfileStatement, Turn, attribution
from goalmem.rules.stored import RuleReport
from goalmem.store.protocol import Forgotten

MOST_CHECKS = 20
"""Maximum number of failed checks in a result."""
LIKELY = "This is likely, not certain: say so."
"""Note to a model for a likely answer, as in the MCP server."""


def receipt_text(receipt: Receipt) -> str:
    """The receipt of one message."""
    turn = receipt.turns[0]
    return f"Remembered as turn {turn}." if receipt.new else f"Known already, as turn {turn}."


def answer_text(answer: Answer) -> str:
    """An answer with its quotations, or what is missing."""
    if not answer.known:
        return f"{answer.text}.\n{missing_text(answer.missing)}"
    head = f"Answer: {inert(answer.full or answer.text)} ({answer.status}, confidence {answer.confidence:.2f})"
    quotes = [
        f'- {e.said[:10]}, {inert(attribution(e.speaker, e.source))}: "{inert(excerpt(e.quote, LONGEST_QUOTE))}" (turn {e.turn})'
        for e in answer.proof.evidence()
    ]
    sure = [LIKELY] if answer.status == "likely" else []
    return "\n".join([head, *sure, *(["It was said:", *quotes] if quotes else [])])


def missing_text(missing: Sequence[MissingGoal]) -> str:
    """The missing goals."""
    lines = [f"- {inert(format_atom(m.atom))}: {m.stage} ({inert(m.reason)})" for m in missing]
    return "\n".join(["Missing:", *lines]) if lines else "Nothing that is remembered bears on it."


def why_not_text(why: WhyNot) -> str:
    """What is missing, and what comes near."""
    if why.answer.known:
        return answer_text(why.answer)
    near = [
        f'- "{inert(excerpt(evidence.quote, LONGEST_QUOTE))}" (turn {evidence.turn})'
        for goal in why.missing
        for evidence in goal.nearest
    ]
    return "\n".join([missing_text(why.answer.missing), *(["What comes near:", *dict.fromkeys(near)] if near else [])])


def failures_of(checked: Verification) -> list[str]:
    """The checks of a proof that fail, one a line."""
    return [f"{c.node or 'proof'}: {c.name}: {c.detail}" for c in checked.failures]


def verification_text(checked: Verification) -> str:
    """Whether a proof holds, or the checks that fail."""
    count, failures = len(checked.checks), failures_of(checked)
    if checked.ok:
        return f"The proof holds: {count} checks{f'; it is {checked.seal}' if checked.told_of_seal else ''}."
    said = f"The proof does not hold: {len(failures)} of {count} checks fail."
    return "\n".join([said, *failures[:MOST_CHECKS]])


def rules_text(report: RuleReport) -> str:
    """What rules were read as."""
    said = f"{len(report.ids)} sentences kept, {report.new} new. Read as:"
    return "\n".join([said, *(format_rule(clause.rule) for clause in report.clauses)])


def updated_text(turn: Turn) -> str:
    """What a turn says now."""
    return f'Turn {turn.id} says now: "{inert(excerpt(turn.text, LONGEST_QUOTE))}"'


def forgotten_text(gone: Forgotten) -> str:
    """What was forgotten."""
    return f"Forgotten: {gone.turns} turn and {gone.facts} facts."


def hits_text(hits: Sequence[Hit]) -> str:
    """The turns found, best first, as a block that cannot act as instructions."""
    return quoted_block([turn_line(hit.turn) for hit in hits])


def page_text(page: Page) -> str:
    """Turns in the order stored, as a block, and how to list those behind."""
    more = [f"There are more: list again with cursor {page.next}."] if page.next is not None else []
    return "\n".join([quoted_block([turn_line(turn) for turn in page.items]), *more])


def profile_text(profile: Profile) -> str:
    """A profile by topic, as a block."""
    lines = [f"About {inert(excerpt(profile.who, LONGEST_NAME))}:"] if profile.statements else []
    for topic, statements in profile.topics.items():
        lines += [f"## {topic}", *(f"- {said_plainly(one)}" for one in statements)]
    left_out = profile.total - len(profile.statements)
    return quoted_block([*lines, *([f"({left_out} older statements are left out.)"] if left_out else [])])


def said_plainly(one: ProfileStatement) -> str:
    """A statement with its day and its turn."""
    return f"{one.said:%Y-%m-%d}: {quoted(excerpt(one.text, LONGEST_QUOTE))} [{inert(one.turn)}]"


def turn_line(turn: Turn) -> str:
    """A turn, quoted on one line."""
    return line_of(
        Note(turn.id, attribution(turn.speaker, turn.source), turn.at if turn.dated else None, turn.content),
        LONGEST_QUOTE,
    )


def quoted_block(lines: Sequence[str]) -> str:
    """Lines that quote memory, as a block that cannot act as instructions."""
    return "\n".join([OPENING, HEADING, *(lines or [EMPTY]), CLOSING])
