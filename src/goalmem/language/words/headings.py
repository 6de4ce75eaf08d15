"""Words of headings and introductory lines whose text is not asserted."""

from __future__ import annotations

import re

from goalmem.language.words.function_words import NEGATIVES
from goalmem.language.words.modifiers import CONDITIONS

FALSE = frozenset(
    "myth misconception fallacy falsehood lie rumor rumour hoax false untrue wrong incorrect mistaken inaccurate debunked".split()
)
"""WordNet 3.0: falsehood.n.01, misconception.n.01, rumor.n.01, false.a.01, incorrect.a.01, with their hyponyms and
similar words.
"""
UNREAL = frozenset(
    "plan planned proposal proposed suggestion suggested draft idea option alternative scenario hypothesis hypothetical assumption example "
    "sample template fiction fictional story tale fable joke dream wish hope goal aim target todo task roadmap forecast prediction "
    "upcoming quiz exercise claim claimed alleged unconfirmed unverified disputed speculation gossip".split()
)
"""WordNet 3.0: plan.n.01 to plan.n.03, proposal.n.01, suggestion.n.01, hypothesis.n.01, example.n.01, fiction.n.01,
goal.n.01, prediction.n.01, speculation.n.01; claims that are not vouched for.
"""
ENDED = frozenset(
    "rejected declined cancelled canceled withdrawn abandoned refused postponed dropped discarded obsolete deprecated outdated superseded "
    "former formerly previous previously expired archived".split()
)
"""WordNet 3.0: reject.v.01, cancel.v.01, withdraw.v.01, discard.v.01 as participles; obsolete.a.01, former.a.03."""
OPEN = frozenset(
    "could would might should perhaps maybe possibly possible potential suppose imagine imagined assume whether".split()
)
"""Modals and adverbs of possibility (CGEL 3.2, 9), without `may`, which is a month."""
DOUBTFUL = FALSE | UNREAL | ENDED | OPEN | NEGATIVES | CONDITIONS | {"to do", "to-do"}
WORD = re.compile(r"to[ -]do\b|[^\W\d_]+(?:['’][^\W\d_]+)?")


def is_doubtful(heading: str) -> bool:
    """True if the text below a heading, or after an introductory line, may not be asserted."""
    words = (word.replace("’", "'") for word in WORD.findall(heading.casefold()))
    return any(not DOUBTFUL.isdisjoint((word, word.removesuffix("s"))) or word.endswith("n't") for word in words)
