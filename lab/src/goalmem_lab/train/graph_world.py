"""A generated graph with questions about it: what a tuned critic learns to walk from before it sees another graph (ArG, section 5.6).

Names are made of syllables and triples drawn by chance, so that nothing is learned but how questions speak of relations. A question
nests the phrases of a random walk: *who teaches the author of [Moradel]*. Kinds, relations and phrases are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.protocol import Hop, Triple
from goalmem_lab.train.chance import chance

SYLLABLES = tuple(
    "ba bel cor da den fa gri hal io ka lim lor ma mor na nel o per qua ra rin sa sel ta tur u val wen yo zan".split()
)
OF_A_KIND = 400
MOST_ANSWERS = 30
"""Walks that lead to more entities are asked about by nobody."""
ASKED = {"person": ("who is {}", "who are {}", "name {}"), "": ("what is {}", "which are {}", "name {}", "tell me {}")}


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation, and how a phrase names what it leads to and what leads there."""

    name: str
    start: str
    end: str
    forth: tuple[str, ...]
    back: tuple[str, ...]


RELATIONS = (
    Relation("works_for", "person", "firm", ("the employer of {}", "the firm that employs {}"), ("the staff of {}", "those who work for {}")),
    Relation("born_in", "person", "city", ("the birthplace of {}", "where {} was born"), ("those born in {}", "natives of {}")),
    Relation("married_to", "person", "person", ("the spouse of {}", "the one {} married"), ("the one married to {}",)),
    Relation("studied_at", "person", "school", ("the school of {}", "where {} studied"), ("graduates of {}", "those who studied at {}")),
    Relation("plays", "person", "instrument", ("the instrument of {}", "what {} plays"), ("players of {}", "those who play {}")),
    Relation("wrote", "person", "book", ("the books by {}", "what {} wrote"), ("the author of {}", "the one who wrote {}")),
    Relation("founded_by", "firm", "person", ("the founder of {}", "the one who founded {}"), ("the firms founded by {}", "what {} founded")),
    Relation("has_office_in", "firm", "city", ("the offices of {}", "where {} has offices"), ("the firms with offices in {}",)),
    Relation("makes", "firm", "product", ("the products of {}", "what {} makes"), ("the maker of {}", "the manufacturer of {}")),
    Relation("lies_on", "city", "river", ("the river at {}", "the river that {} lies on"), ("the cities on {}", "the towns along {}")),
    Relation("located_in", "city", "country", ("the country of {}", "where {} is located"), ("the cities of {}", "the cities in {}")),
    Relation("mouth", "river", "sea", ("the mouth of {}", "the sea that {} flows into"), ("the rivers that flow into {}",)),
    Relation("official_language", "country", "tongue", ("the official language of {}", "the language of {}"), ("the countries where {} is spoken",)),
    Relation("borders", "country", "country", ("the neighbours of {}", "what {} borders"), ("the countries that border {}",)),
    Relation("published_by", "book", "firm", ("the publisher of {}", "the house that published {}"), ("the books published by {}",)),
    Relation("set_in", "book", "city", ("the setting of {}", "where {} is set"), ("the books set in {}", "novels that take place in {}")),
    Relation("headmaster", "school", "person", ("the headmaster of {}", "the one who leads {}"), ("the school led by {}",)),
    Relation("made_from", "product", "material", ("the material of {}", "what {} is made from"), ("the products made from {}",)),
    Relation("mined_in", "material", "country", ("where {} is mined", "the countries that mine {}"), ("the materials mined in {}",)),
    Relation("award", "book", "prize", ("the prize of {}", "the award that {} won"), ("the books that won {}", "winners of {}")),
)  # fmt: skip


def generated(random: Random) -> list[Triple]:
    """The triples of a graph: of each relation one to three from most entities of its kind."""
    kinds = sorted({kind for r in RELATIONS for kind in (r.start, r.end)})
    names = {
        kind: [_name(random) for _ in range(OF_A_KIND if kind in ("person", "book", "city") else 60)] for kind in kinds
    }
    made = dict.fromkeys(
        Triple(start, relation.name, end)
        for relation in RELATIONS
        for start in random.sample(names[relation.start], len(names[relation.start]) * 4 // 5)
        for end in random.sample(names[relation.end], random.choice((1, 1, 1, 2, 3)))
        if start != end
    )
    return list(made)


def questions_on(graph: ArrayGraph, hops: int, many: int, random: Random) -> Iterator[tuple[str, list[str]]]:
    """Questions whose walk has so many hops: the text with its topic in brackets, and the answers."""
    phrases = {
        Hop(r.name, way): (r.back if way else r.forth, r.start if way else r.end)
        for r in RELATIONS
        for way in (False, True)
    }
    nodes = graph.size().entities
    made = 0
    while made < many:
        topic = random.randrange(nodes)
        here, phrase, kind, walked = np.array([topic]), f"[{graph.labels(np.array([topic]))[0]}]", "", Hop("")
        for _ in range(hops):
            onward = [hop for hop in graph.hops(here) if hop != walked.back]
            if not onward:
                break
            walked = random.choice(onward)
            wordings, kind = phrases[walked]
            phrase = random.choice(wordings).format(phrase)
            here = np.unique(graph.edges(here, walked)[1])
            here = here[here != topic]
        else:
            if 0 < len(here) <= MOST_ANSWERS:
                made += 1
                yield random.choice(ASKED.get(kind, ASKED[""])).format(phrase), sorted(graph.labels(here))


def written(folder: Path, hops: Sequence[int], many: int, seed: int) -> list[Path]:
    """Write `kb.txt` and `N-hop/qa.txt` in MetaQA's layout; the files of questions. The same seed gives the same files."""
    random = chance(seed)
    triples = generated(random)
    graph = ArrayGraph(triples)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kb.txt").write_text(
        "".join(f"{'|'.join((t.subject, t.relation, t.object))}\n" for t in triples), encoding="utf-8"
    )
    paths = []
    for number in hops:
        path = folder / f"{number}-hop" / "qa.txt"
        path.parent.mkdir(exist_ok=True)
        lines = [f"{text}\t{'|'.join(answers)}\n" for text, answers in questions_on(graph, number, many, random)]
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(path)
    return paths


def _name(random: Random) -> str:
    return " ".join(
        "".join(random.choices(SYLLABLES, k=random.choice((2, 3)))).capitalize() for _ in range(random.choice((1, 2)))
    )
