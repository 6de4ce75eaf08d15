"""Features of the learned reader's four models, computed from a sentence and its candidates; and the models' weights.

A feature is present or not. Names say what it is (`dep=amod`), so that a weight can be read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from goalmem.errors import ModelError
from goalmem.language.words.function_words import NEGATIVES_OF_RULES
from goalmem.language.words.pronouns import THIRD_SINGULAR
from goalmem.models.weights import require_hash
from goalmem.rules.learned.scene import Candidate, Scene

if TYPE_CHECKING:
    from spacy.tokens import Token


CLOSED = frozenset({"AUX", "VERB", "SCONJ", "PRON", "ADP", "ADV", "CCONJ", "PART", "DET"})
"""Parts of speech whose words say how a sentence is built."""
TRANSPARENT = frozenset({"conj", "amod", "compound", "nmod"})
"""Relations that leave a word in the clause and at the place of its head."""
CLAUSES = frozenset({"advcl", "relcl", "acl", "ccomp", "csubj", "csubjpass", "pcomp", "xcomp", "ROOT", "parataxis"})
CLAUSE_MARKS = frozenset(
    {"and", "or", "nor", "but", "though", "although", "yet", "because", ",", "who", "that", "if", "when"}
)
ARGUMENTS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr", "dative"})
PARTICIPLES = ("ed", "ing")
SHORT = 4
"""Maximum number of letters of a word in which such an ending does not count: `red`."""
ONLY = frozenset({"only", "just", "merely"})
LONGEST_CHAIN = 4
FAR = 3
"""Counts from here on are one feature."""


def of_property(scene: Scene, candidate: Candidate) -> set[str]:
    """Features for whether the candidate is a property."""
    token = candidate.token
    found = {
        f"word={candidate.word}",
        f"pos={token.pos_}",
        f"tag={token.tag_}",
        f"dep={token.dep_}",
        f"head={token.head.pos_}",
        f"dep+head={token.dep_}+{token.head.lemma_.lower() if token.head.pos_ in CLOSED else token.head.pos_}",
    }
    found |= {f"below={child.dep_}" for child in token.children if child.dep_ not in ("advmod", "punct", "cc")}
    found |= {f"after={_shown(scene, token.i + 1)}", f"before={_shown(scene, token.i - 1)}"}
    group = [c for c in scene.candidates if c.token.head == token or token.head == c.token]
    if token.dep_ == "conj" or any(c.token.dep_ == "conj" for c in group):
        found.add("listed")
    found |= {f"candidates={min(len(scene.candidates), FAR)}"}
    found |= {
        f"ending={ending}" for ending in PARTICIPLES if len(candidate.word) > SHORT and candidate.word.endswith(ending)
    }
    around = {c.token.i - token.i for c in scene.candidates}
    found |= {f"{'right after' if place < 0 else 'right before'} a candidate" for place in (-1, 1) if place in around}
    if candidate.known:
        return found | {"known"}
    # A repeated mention is only informative for ambiguous words.
    elsewhere = f"elsewhere={min(candidate.elsewhere, FAR)}"
    with_what = (f"dep={token.dep_}", f"pos={token.pos_}", f"usual={min(round(candidate.usual), FAR)}")
    if candidate.among_known:
        found |= {"among known", f"{elsewhere}+among known"}
    return found | {elsewhere, *(f"{elsewhere}+{what}" for what in with_what)}


def of_kind(scene: Scene) -> set[str]:
    """Features for whether the sentence is about a particular individual or states a rule."""
    doc = scene.doc
    found = {f"names={min(len(scene.names), 2)}", f"follows={scene.follows}", f"start={_shown(scene, 0)}"}
    subjects = [t for t in doc if t.dep_ in ("nsubj", "nsubjpass")]
    named = {i for name in scene.names for i in range(name.first, name.last + 1)}
    for token in subjects:
        what = "NAME" if token.i in named else token.lower_ if token.pos_ in CLOSED else f"{token.tag_}"
        found.add(f"subject={what}")
        found |= {f"subject's={child.lower_}" for child in token.children if child.dep_ in ("det", "poss")}
        if token.head == scene.root:
            found.add(f"main={what}")
    found |= {f"pronoun={t.lower_}" for t in doc if t.pos_ == "PRON" or t.tag_ in ("PRP", "PRP$")}
    if (pronoun := next((t for t in doc if t.lower_ in THIRD_SINGULAR), None)) is not None:
        found.add(f"pronoun after a noun={any(t.tag_ == 'NN' and t.dep_ in ARGUMENTS for t in doc[: pronoun.i])}")
    found |= {f"marker={t.lower_}" for t in doc if t.dep_ == "mark" or t.tag_ in ("WRB", "WP", "WDT")}
    if scene.names:
        found |= {f"named+marker={t.lower_}" for t in doc if t.dep_ == "mark" or t.tag_ == "WRB"}
        found.add("named")
    else:
        found |= {f"follows={scene.follows}+{t.lower_}" for t in doc if t.tag_ in ("PRP", "PRP$")}
    return found


def of_role(scene: Scene, mentions: Sequence[Candidate], n: int) -> set[str]:
    """Features for whether the n-th property of a rule is in its head or its body."""
    token = mentions[n].token
    found = {
        f"from start={min(n, FAR)}",
        f"from end={min(len(mentions) - 1 - n, FAR)}",
        "last" if n == len(mentions) - 1 else "not last",
        f"side={'after' if token.i > scene.root.i else 'before'} the main verb",
        f"dep={token.dep_}",
    }
    chain = _chain(token)
    found |= {f"chain={'<'.join(chain[:LONGEST_CHAIN])}", f"top={chain[-1]}", f"clause={_clause(token)}"}
    found |= {f"in {each}" for each in chain}
    marker = _marker(token)
    found |= {f"marker={marker}", f"marker+side={marker}+{'last' if n == len(mentions) - 1 else 'not last'}"}
    before = mentions[n - 1].token.i + 1 if n else 0
    after = mentions[n + 1].token.i if n + 1 < len(mentions) else len(scene.doc)
    found |= (
        {f"between={w}" for w in _words(scene, before, token.i)}
        if n
        else {f"first={w}" for w in _words(scene, 0, token.i)}
    )
    found |= {f"next={w}" for w in _words(scene, token.i + 1, after)}
    found |= {f"earlier={w}" for w in _words(scene, 0, before) if n}
    found |= {f"later={w}" for w in _words(scene, after, len(scene.doc))}
    return found


def of_polarity(scene: Scene, candidate: Candidate) -> set[str]:
    """Features for whether the property is negated."""
    token = candidate.token
    found = {"any"}
    for denial in (t for t in scene.doc if t.lower_ in NEGATIVES_OF_RULES and t.i < token.i):
        between = list(scene.doc[denial.i + 1 : token.i])
        words = {t.lower_ for t in between}
        clause = "same clause" if _clause_head(denial) == _clause_head(token) else "other clause"
        split = "".join(sorted(f", {w}" for w in words & CLAUSE_MARKS))
        only = ", only" if between and between[0].lower_ in ONLY else ""
        others = sum(c.token in between for c in scene.candidates)
        how = f"{clause}{only}{split}"
        found |= {
            f"{denial.lower_}: {how}",
            how,
            f"{clause}{only}, {others} before",
            f"others before={others}{split}{only}",
        }
        found |= {f"verb between={any(t.pos_ in ('AUX', 'VERB') for t in between)}{only}", f"denial={denial.lower_}"}
        if not between:
            found |= {"right after a denial", f"right after {denial.lower_}"}
        if denial.head == token or denial.head == token.head:
            found.add(f"denial of its own{only}{split}")
    return found


def _shown(scene: Scene, i: int) -> str:
    """Closed-class words themselves, the part of speech of open-class words; empty outside the sentence."""
    if not 0 <= i < len(scene.doc):
        return ""
    token = scene.doc[i]
    return token.lower_ if token.pos_ in CLOSED | {"PUNCT"} else token.pos_


def _words(scene: Scene, start: int, end: int) -> Iterator[str]:
    properties = {c.token.i for c in scene.candidates}
    for token in scene.doc[max(start, 0) : end]:
        if token.pos_ in CLOSED | {"PUNCT"} and token.i not in properties:
            yield token.lower_


def _chain(token: Token) -> list[str]:
    """Relations from the word up to the main predicate, lists and modifiers left out."""
    found: list[str] = []
    while token.head != token:
        if token.dep_ not in TRANSPARENT:
            found.append(token.dep_)
        token = token.head
    return [*found, "ROOT"]


def _clause_head(token: Token) -> Token:
    while token.head != token and token.dep_ not in CLAUSES:
        token = token.head
    return token


def _clause(token: Token) -> str:
    return _clause_head(token).dep_


def _marker(token: Token) -> str:
    """The word that opens the nearest subordinate clause of the token: `if`, `who`; empty if it is in none."""
    while token.head != token:
        opening = [c.lower_ for c in token.children if c.dep_ == "mark" or c.tag_ in ("WRB", "WP", "WDT", "WP$")]
        if opening:
            return opening[0]
        token = token.head
    return ""


FILE = "learned.json"
FORMAT = 1
WEIGHTS_SHA256 = "e74b4b2b9e336f61fd9cd690a77cb802d691cc053981edcf02d6dcbc8316d3a4"
"""Hash of the bundled weights, which data/LEARNED.md describes."""
MODELS = ("property", "kind", "role", "polarity")


@dataclass(frozen=True, slots=True)
class Linear:
    """A logistic model: the log-odds of yes are the bias and the weights of the features present."""

    bias: float
    weights: Mapping[str, float]

    def log_odds(self, features: Collection[str]) -> float:
        """Log-odds of yes; features unseen in training are ignored."""
        return self.bias + math.fsum(self.weights[f] for f in features if f in self.weights)


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """All that was learned."""

    property: Linear
    """Yes: the candidate is a property."""
    kind: Linear
    """Yes: the sentence is a rule."""
    role: Linear
    """Yes: the property is the head of its rule."""
    polarity: Linear
    """Yes: the property is denied."""
    known: frozenset[str]
    """Words that were properties in training."""
    made: Mapping[str, str | int]
    """Provenance of the weights: seed, examples, versions."""

    def to_json(self) -> str:
        """As `read_weights` takes it."""
        models = {name: self._model(name) for name in MODELS}
        return json.dumps({"format": FORMAT, "made": dict(self.made), "known": sorted(self.known), **models}, indent=0)

    def _model(self, name: str) -> dict[str, object]:
        model: Linear = getattr(self, name)
        return {"bias": model.bias, "weights": dict(sorted(model.weights.items()))}


def read_weights(path: Path) -> LearnedWeights:
    """Read the weights from a file, or from `FILE` in a folder. Raises ModelError if they are missing or invalid."""
    file = path / FILE if path.is_dir() else path
    try:
        return _parsed(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(
            f"The learned reader's weights {file} cannot be read: {error.strerror or error}.",
            "Name the folder that `goalmem train rules` wrote, or none for those that ship with goalmem.",
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"The file {file} holds no weights of the learned reader: {error}.",
            "Make them again: goalmem train rules.",
        ) from error


@cache
def bundled_weights() -> LearnedWeights:
    """The weights that ship with goalmem. Raises ModelError when they are missing or altered."""
    with resources.as_file(resources.files("goalmem.rules") / "data" / FILE) as path:
        require_hash(path, WEIGHTS_SHA256)
        return read_weights(path)


def _parsed(text: str) -> LearnedWeights:
    document = json.loads(text)
    if document["format"] != FORMAT:
        raise ValueError(f"format {document['format']}, not {FORMAT}")
    models = {name: _linear(document[name]) for name in MODELS}
    return LearnedWeights(**models, known=frozenset(document["known"]), made=document["made"])


def _linear(document: Mapping[str, object]) -> Linear:
    bias, weights = document["bias"], document["weights"]
    if not isinstance(bias, int | float) or not isinstance(weights, dict):
        raise ValueError("a model has a bias and weights")
    numbers = {str(name): float(weight) for name, weight in weights.items()}
    if not all(map(math.isfinite, (bias, *numbers.values()))):
        raise ValueError("a weight is not a finite number")
    return Linear(float(bias), numbers)
