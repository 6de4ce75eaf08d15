"""The text that a tuned critic reads and learns to write: walks with reflection tokens and paragraphs of knowledge.

The format is that of ArG's Figure 4. A walk that a prompt continues is written as it was taken, without ratings of
rejected candidates, so that training and inference use the same text:

    Query: what does [topic] act in
    Topic: Tom Cullen
    Output:[Retrieve Relation]<paragraph>~starred_actors</paragraph>[Retrieve Entity]<paragraph>(Tom Cullen, …)</paragraph>…
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalmem.graph.critic import Query, Rationality, Relevance, Retrieval, Utility, Walk
from goalmem.graph.protocol import Hop
from goalmem.models.chat_prompts import quoted

OPEN, CLOSE = "<paragraph>", "</paragraph>"
"""Around knowledge of the graph."""
BETWEEN = ";"
"""Between entries of a paragraph."""
SPECIAL: tuple[str, ...] = (
    *(token.value for kind in (Retrieval, Relevance, Rationality, Utility) for token in kind),
    OPEN,
    CLOSE,
)
"""Additional vocabulary: the reflection tokens (Table 1) and the paragraph marks."""
LONGEST_NAME, LONGEST_QUESTION = 120, 1_000
"""Characters that are shown."""

_PIECE = re.compile("|".join(map(re.escape, sorted((*SPECIAL, BETWEEN), key=len, reverse=True))))


def pieces(text: str) -> list[str]:
    """A text cut at special tokens and separators, each a piece of its own; joined they are the text.

    Tokens of a language model never cross these cuts, so that the tokens of a text begin with those of its beginning.
    """
    cut: list[str] = []
    at = 0
    for found in _PIECE.finditer(text):
        cut += [text[at : found.start()], found.group()]
        at = found.end()
    return [piece for piece in (*cut, text[at:]) if piece]


def label_text(label: str) -> str:
    """An entity's label on one line, without special tokens, marks and separators."""
    return quoted(label, LONGEST_NAME).replace(BETWEEN, ",")


def relation_name(hop: Hop) -> str:
    """A hop in prompts."""
    return label_text(str(hop))


def query_text(query: Query) -> str:
    """The start of a walk's text."""
    return f"Query: {quoted(query.masked, LONGEST_QUESTION)}\nTopic: {label_text(query.topic)}\nOutput:"


def knowledge_text(entries: Sequence[str]) -> str:
    """A paragraph of knowledge."""
    return f"{OPEN}{BETWEEN.join(entries)}{CLOSE}"


def triple(head: str, hop: Hop, tail: str) -> str:
    """An edge in a paragraph, in the direction in which it is followed."""
    return f"({label_text(head)}, {relation_name(hop)}, {label_text(tail)})"


def rated_entry(entry: str, token: Relevance | None) -> str:
    """A candidate with its rating token, or the text before that token."""
    return f" {entry} {token.value if token else ''}"


def relation_step(candidates: Sequence[Hop], ratings: Sequence[Relevance] = ()) -> str:
    """Candidate relations; those that are rated."""
    names = [relation_name(hop) for hop in candidates]
    return Retrieval.RELATION.value + knowledge_text(names) + "".join(map(rated_entry, names, ratings))


def entity_step(head: str, hop: Hop, tails: Sequence[str], ratings: Sequence[Relevance] = ()) -> str:
    """The tails of a hop from one entity, as far as they are rated."""
    listed = knowledge_text([triple(head, hop, tail) for tail in tails])
    return Retrieval.ENTITY.value + listed + "".join(map(rated_entry, map(label_text, tails), ratings))


def relation_choice(hop: Hop) -> str:
    """One candidate relation, up to its rating token."""
    return relation_step([hop]) + rated_entry(relation_name(hop), None)


def entity_choice(head: str, hop: Hop, tail: str) -> str:
    """One tail after its hop, up to its rating token."""
    return relation_step([hop]) + entity_step(head, hop, [tail]) + rated_entry(label_text(tail), None)


def walk_text(query: Query, walk: Walk, *, whole: bool = True) -> str:
    """A query and the hops of a walk. All were found reasonable, since it went on; not `whole`: the last is still to be judged.

    A pending walk ends with its last relation.
    """
    text = query_text(query)
    for n, hop in enumerate(walk.hops):
        text += relation_step([hop])
        if n == len(walk.entities):
            break
        last = n == len(walk.hops) - 1
        text += entity_step(head_of(query, walk, n), hop, walk.entities[n])
        text += "" if last and not whole else Rationality.FULLY.value
    return text


def head_of(query: Query, walk: Walk, n: int) -> str:
    """The start entity of hop `n` in the text: the first of those listed, or the topic."""
    before = walk.entities[n - 1] if n else ()
    return before[0] if before else query.topic


def ends_text(ends: Sequence[str]) -> str:
    """The end of a walk: its answers, up to the utility token."""
    return f"{Retrieval.NO.value} Answer: {BETWEEN.join(' ' + label_text(end) for end in ends).strip()} "
