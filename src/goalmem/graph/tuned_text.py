"""The text that a tuned critic reads and learns to write: walks with reflection tokens and paragraphs of knowledge.

The form is that of ArG's Figure 4. A walk that a prompt goes on from is written as it was taken, without ratings of what was
left aside, so that training and inference show the same text:

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
"""What a vocabulary is extended with: the reflection tokens (Table 1) and the marks of paragraphs."""
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


def named(label: str) -> str:
    """An entity's label as it is shown: on one line, and never a special token, a mark or a separator."""
    return quoted(label, LONGEST_NAME).replace(BETWEEN, ",")


def relation_name(hop: Hop) -> str:
    """A hop as it is shown."""
    return named(str(hop))


def asked(query: Query) -> str:
    """What a walk begins with."""
    return f"Query: {quoted(query.masked, LONGEST_QUESTION)}\nTopic: {named(query.topic)}\nOutput:"


def shown(entries: Sequence[str]) -> str:
    """A paragraph of knowledge."""
    return f"{OPEN}{BETWEEN.join(entries)}{CLOSE}"


def triple(head: str, hop: Hop, tail: str) -> str:
    """An edge as it stands in a paragraph, in the direction in which it is taken."""
    return f"({named(head)}, {relation_name(hop)}, {named(tail)})"


def rated(entry: str, token: Relevance | None) -> str:
    """A candidate and what is thought of it; without a token, up to where it would stand."""
    return f" {entry} {token.value if token else ''}"


def relation_step(candidates: Sequence[Hop], ratings: Sequence[Relevance] = ()) -> str:
    """Candidate relations; those that are rated."""
    names = [relation_name(hop) for hop in candidates]
    return Retrieval.RELATION.value + shown(names) + "".join(map(rated, names, ratings))


def entity_step(head: str, hop: Hop, tails: Sequence[str], ratings: Sequence[Relevance] = ()) -> str:
    """Where a hop leads from one entity; those tails that are rated."""
    listed = shown([triple(head, hop, tail) for tail in tails])
    return Retrieval.ENTITY.value + listed + "".join(map(rated, map(named, tails), ratings))


def relation_choice(hop: Hop) -> str:
    """One candidate relation by itself, up to where its rating stands."""
    return relation_step([hop]) + rated(relation_name(hop), None)


def entity_choice(head: str, hop: Hop, tail: str) -> str:
    """One tail by itself after the hop to it, up to where its rating stands."""
    return relation_step([hop]) + entity_step(head, hop, [tail]) + rated(named(tail), None)


def taken(query: Query, walk: Walk, *, whole: bool = True) -> str:
    """A query and the hops of a walk. All were found reasonable, since it went on; not `whole`: the last is still to be judged.

    A pending walk ends with its last relation.
    """
    text = asked(query)
    for n, hop in enumerate(walk.hops):
        text += relation_step([hop])
        if n == len(walk.entities):
            break
        last = n == len(walk.hops) - 1
        text += entity_step(head_of(query, walk, n), hop, walk.entities[n])
        text += "" if last and not whole else Rationality.FULLY.value
    return text


def head_of(query: Query, walk: Walk, n: int) -> str:
    """The entity that stands for where hop `n` set out from: the first of those shown, or the topic."""
    before = walk.entities[n - 1] if n else ()
    return before[0] if before else query.topic


def answered(ends: Sequence[str]) -> str:
    """The end of a walk: what it answers, up to where its utility stands."""
    return f"{Retrieval.NO.value} Answer: {BETWEEN.join(' ' + named(end) for end in ends).strip()} "
