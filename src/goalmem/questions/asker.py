"""Whom `I` and `my` mean in a question, put into its words for models that read it beside what speakers say."""

from __future__ import annotations

import re

from goalmem.language.words.pronouns import FIRST_SINGULAR
from goalmem.questions.local import ASKER

__all__ = ["naming_asker"]

OWNING = frozenset({"my", "mine"})
SHORTENED = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
"""What is left of a verb behind `I'`, in the third person."""
_FIRST = re.compile(
    rf"(?<![\w'’.-])(?P<word>{'|'.join(sorted(FIRST_SINGULAR))})(?:['’](?P<verb>{'|'.join(SHORTENED)}))?(?![\w'’-]|\.\w)",
    re.IGNORECASE,
)


def naming_asker(question: str, asker: str) -> str:
    """`Where do I keep my bike?`, asked by Ann, as `Where do Ann keep Ann's bike?`.

    A model that reads `Ann: it's in the cellar` then sees whose bike is meant. Verbs stay as they are. The question of the unnamed
    user stays as it is, too: what that user says is in the first person as well.
    """
    if not asker or asker == ASKER:
        return question

    def named(found: re.Match[str]) -> str:
        if found["word"].lower() in OWNING:
            return f"{asker}'s"
        return f"{asker} {SHORTENED[found['verb'].lower()]}" if found["verb"] else asker

    return _FIRST.sub(named, question)
