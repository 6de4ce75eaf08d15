"""Examples for the learned reader's models: from aligned theories, as they are and with other properties, and from
sentences made from a seed.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from goalmem.language.analyzer import Analyzer
from goalmem.rules.grammar.text import TextSentence, sentences
from goalmem.rules.learned.features import LearnedWeights, of_kind, of_polarity, of_property, of_role
from goalmem.rules.learned.scene import Candidate, Scene, scenes
from goalmem_lab.train.chance import chance
from goalmem_lab.train.rules_corpus import Stated, Theory, aligned
from goalmem_lab.train.rules_fit import Labelled, fit
from goalmem_lab.train.rules_told import PROPERTIES, Told

COPIES = 3
"""Times that a sentence counts which the crowd's theories have often, with different sentences around it."""
TOLD = 1 / 3
"""How much a sentence counts that was made from the seed: with thrice as many the seed decides less, and both sources weigh
about the same."""

_Features = tuple[Collection[str], bool]


@dataclass(frozen=True, slots=True)
class Example:
    """What one sentence teaches each of the models."""

    key: str
    """The sentence with names and properties as they first stood, names left out: what must not be in two folds."""
    property: tuple[_Features, ...]
    kind: tuple[_Features, ...]
    role: tuple[_Features, ...]
    polarity: tuple[_Features, ...]
    known: frozenset[str] = field(default=frozenset())
    weight: float = 1.0
    """How much it counts."""


def properties(theories: Iterable[Theory]) -> frozenset[str]:
    """Every property that theories speak of."""
    return frozenset[str]().union(*(s.words for theory in theories for s in theory.stated))


def nameless(text: str, names: Iterable[str]) -> str:
    """The sentence with every name replaced by one mark, in lower case."""
    for name in names:
        text = re.sub(rf"\b{re.escape(name)}\b", "_", text)
    return text.lower()


def renamed(theory: Theory, rng: random.Random) -> Theory:
    """The theory about other properties throughout, its questions too."""
    words = sorted(properties([theory]) | _asked(theory))
    new = dict(zip(words, rng.sample([p for p in PROPERTIES if p not in theory.text.lower()], len(words)), strict=True))
    stated = tuple(
        replace(s, body=_mapped(s.body, new), heads=_mapped(s.heads, new), denied=frozenset(_mapped(s.denied, new)))
        for s in theory.stated
    )
    questions = tuple((_exchanged(text, new), label) for text, label in theory.questions)
    return replace(theory, text=_exchanged(theory.text, new), stated=stated, questions=questions)


def from_theories(theories: Sequence[Theory], analyzer: Analyzer, seed: int) -> list[Example]:
    """Examples of every theory that can be aligned, as it stands and about other properties."""
    rng = chance(seed)
    seen: Counter[tuple[str, bool]] = Counter()
    found = []
    for theory in theories:
        first = aligned(theory)
        names = [s.name for s in theory.stated if s.name]
        keys = [nameless(sentence.text, names) for sentence, _ in first]
        other = renamed(theory, rng)
        for changed, pairs in ((False, first), (True, _with_text(first, theory, other))):
            known = () if changed else properties([theory])
            shown = scenes([s for s, _ in pairs], analyzer, known) if len(pairs) == len(keys) else []
            for key, scene, (_, stated) in zip(keys, shown, pairs, strict=False):
                if seen[key, changed] < COPIES:
                    seen[key, changed] += 1
                    found.append(_example(key, scene, stated, frozenset(known)))
    return found


def from_told(texts: Sequence[Sequence[Told]], analyzer: Analyzer, known: Collection[str]) -> list[Example]:
    """Examples of texts made from a seed. `known`: the properties of the theories that are learned from as well."""
    found = []
    for n, text in enumerate(texts):
        for each, scene in zip(
            text, scenes([TextSentence(t.text, 0, len(t.text)) for t in text], analyzer, known), strict=True
        ):
            stated = Stated("" if each.rule else "_", each.body, each.heads, frozenset(each.denied))
            example = _example(f"told {n}", replace(scene, follows=scene.follows or each.follows), stated, frozenset())
            found.append(replace(example, weight=TOLD))
    return found


def train(examples: Sequence[Example], made: Mapping[str, str | int]) -> LearnedWeights:
    """The models, fitted to all examples."""
    gathered: dict[str, list[Labelled]] = defaultdict(list)
    for each in examples:
        for name in ("property", "kind", "role", "polarity"):
            gathered[name] += [(features, yes, each.weight) for features, yes in getattr(each, name)]
    known = frozenset[str]().union(*(e.known for e in examples))
    return LearnedWeights(**{name: fit(of) for name, of in gathered.items()}, known=known, made=made)


def _example(key: str, scene: Scene, stated: Stated, known: frozenset[str]) -> Example:
    mentions = [c for c in scene.candidates if c.word in stated.words]
    role: list[_Features] = []
    if not stated.name and len(mentions) > 1:
        role = [(of_role(scene, mentions, n), m.word in stated.heads) for n, m in enumerate(mentions)]
    return Example(
        key,
        tuple(
            (f, c.word in stated.words) for c in scene.candidates for f in (of_property(scene, c), _unknown(scene, c))
        ),
        ((of_kind(scene), not stated.name),),
        tuple(role),
        tuple((of_polarity(scene, c), c.word in stated.denied) for c in mentions),
        known,
    )


def _unknown(scene: Scene, candidate: Candidate) -> set[str]:
    """The candidate as if nobody had seen the word: such words are judged by all the rest, which has to be learned too."""
    features = of_property(scene, replace(candidate, known=False, among_known=False))
    return {f for f in features if not f.startswith("word=")}


def _with_text(
    pairs: Sequence[tuple[TextSentence, Stated]], theory: Theory, other: Theory
) -> list[tuple[TextSentence, Stated]]:
    """The pairs with the sentences of the other text, which has as many."""
    texts = list(sentences(other.text))
    by = dict(zip(theory.stated, other.stated, strict=True))
    return [(new, by[stated]) for new, (_, stated) in zip(texts, pairs, strict=False)]


def _asked(theory: Theory) -> frozenset[str]:
    return frozenset(text.rstrip(".").split()[-1] for text, _ in theory.questions)


def _mapped(words: Collection[str], new: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(new[w] for w in words)


def _exchanged(text: str, new: Mapping[str, str]) -> str:
    def other(m: re.Match[str]) -> str:
        word = new[m.group().lower()]
        return word.capitalize() if m.group()[0].isupper() else word

    return re.sub(rf"\b(?:{'|'.join(map(re.escape, new))})\b", other, text, flags=re.IGNORECASE)
