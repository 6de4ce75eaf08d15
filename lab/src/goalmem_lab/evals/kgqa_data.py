"""Questions over graphs, in two layouts: MetaQA's text files, and RoG's JSONL or Parquet with a graph of its own for each question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError
from goalmem.graph.protocol import Graph, Triple
from goalmem_lab.train.datasets import Record, read_rows, read_text

_HOPS = re.compile(r"(\d+)-?hops?", re.IGNORECASE)
_MARKED = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
"""A name may have brackets of its own: [[REC]]."""
_FIELDS = 3


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """A question with its answers."""

    id: str
    """The file and the line."""
    text: str
    """Without the marks around its topic."""
    answers: tuple[str, ...]
    hops: str = ""
    """How many hops its file says it takes; empty where it does not say."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where topics are marked."""
    topics: tuple[str, ...] = ()
    """Topic entities that are named beside the question."""
    triples: tuple[Triple, ...] = ()
    """The question's own graph."""


def read_metaqa(path: Path) -> list[GraphQuestion]:
    """Lines of `question with [topic]`, a tab, answers with `|` between. The folder's name, `N-hop`, says how many hops.

    Raises FormatError, naming the line.
    """
    found = []
    hops = _HOPS.fullmatch(path.absolute().parent.name)
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        question, tab, answers = line.partition("\t")
        names = tuple(dict.fromkeys(name for part in answers.split("|") if (name := part.strip())))
        if not tab or not question.strip() or not names:
            raise FormatError(
                f"{path.name}, line {number} is no question, a tab, and answers.",
                "Write: who directed [The Title]<TAB>one answer|another.",
            )
        text, spans = _unmarked(question)
        place = f"{path.absolute().parent.name}/{path.name}:{number}"
        found.append(GraphQuestion(place, text, names, hops[1] if hops else "", spans))
    return found


def read_rog(path: Path) -> Iterator[GraphQuestion]:
    """Objects with question, answer or a_entity, q_entity, and graph, a list of [subject, relation, object].

    JSON lines, or Parquet as WebQSP and CWQ are published in this layout. Raises FormatError, naming the line or row.
    """
    for number, record in enumerate(read_rows(path), 1):
        answers = _names(record, "a_entity") or _names(record, "answer")
        triples = tuple(_triple(each, record, i) for i, each in enumerate(record.get("graph", list)))
        yield GraphQuestion(
            f"{path.name}:{record.value.get('id', number)}:{number}",
            record.text("question"),
            answers,
            topics=_names(record, "q_entity"),
            triples=triples,
        )


def topic_of(graph: Graph, question: GraphQuestion) -> tuple[int, tuple[int, int] | None] | None:
    """The node that the question's mark names, with where; None where the graph has none of that name.

    Of several marks the first that names a node counts.
    """
    for span in question.spans:
        if (node := node_named(graph, question.text[slice(*span)])) is not None:
            return node, span
    return None


def node_named(graph: Graph, name: str) -> int | None:
    """The node with this identifier, or the first that is called so."""
    node = graph.node(name)
    if node is None:
        found = graph.named(name)
        node = int(found[0]) if len(found) else None
    return node


def span_of(text: str, name: str) -> tuple[int, int] | None:
    """Where a text names something, as whole words, whatever their case; None where it does not."""
    words = r"\s+".join(map(re.escape, name.split()))
    found = re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) if words else None
    return found.span() if found is not None else None


def _unmarked(question: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The question without brackets, and where they were."""
    text, spans, done = "", [], 0
    for found in _MARKED.finditer(question):
        text += question[done : found.start()]
        spans.append((len(text), len(text) + len(found[1])))
        text += found[1]
        done = found.end()
    return text + question[done:], tuple(spans)


def _names(record: Record, key: str) -> tuple[str, ...]:
    value = record.value.get(key)
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return tuple(dict.fromkeys(record.texts(key)))


def _triple(value: Any, record: Record, place: int) -> Triple:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != _FIELDS:
        raise FormatError(
            f"graph[{place}] of {record.place} is not a triple.", "Write it as [subject, relation, object]."
        )
    if not all(isinstance(part, str) and part for part in value):
        raise FormatError(f"graph[{place}] of {record.place} holds what is not a valid name.", "Write three strings.")
    return Triple(*value)
