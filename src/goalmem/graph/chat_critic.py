"""The chat critic: any chat model reflects on walks, a short prompt for each reflection.

A reflection is the softmax over the log-probabilities of the words for its tokens (equation 4). Replies are validated,
requested once more if unusable, and then given up: unjudged steps count as irrelevant or unreasonable, so that a
failing model means fewer answers. Failures of a model or its server never raise here.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TypeVar

from goalmem.errors import ChatError
from goalmem.graph.critic import Hypothesis, Query, Rationality, Reflection, Relevance, Retrieval, Utility, Walk
from goalmem.graph.protocol import INVERSE, Hop
from goalmem.graph.relation_meaning import relation_text
from goalmem.models.chat import FINAL, ChatLimits, ChatModel, ChatRequest, GuardedChat, Metered, Prices, Usage, chosen
from goalmem.models.chat_prompts import prompt, quoted

WORDS: dict[type[Enum], tuple[tuple[str, ...], ...]] = {
    Retrieval: (("no",), (), ("yes",)),
    Relevance: (("fully", "full", "relevant"), ("partially", "partly"), ("unrelevant", "irrelevant", "not")),
    Rationality: (("fully", "full", "reasonable"), ("partially", "partly"), ("unreasonable", "not")),
    Utility: (("5", "five"), ("4", "four"), ("3", "three"), ("2", "two"), ("1", "one")),
}
"""Accepted spellings of the values of each token kind, in order. Entities are retrieved after every relevant relation
without a call: a model is only asked whether the answer has been reached.
"""
FAILED: dict[type[Enum], Enum] = {
    Retrieval: Retrieval.RELATION,
    Relevance: Relevance.UN,
    Rationality: Rationality.UN,
    Utility: Utility.ONE,
}
"""Values used if the model gives no usable reply: an unjudged walk is never an answer."""
SAID = 0.8
"""Probability of the stated value if the endpoint has no log-probabilities; the other values share the rest evenly."""
LIMITS = ChatLimits(calls=400)
"""Limits per question: about twice the calls of a three-hop search with ArG's beam and K."""
PLACES = 4
"""Calls side by side."""
MOST_FAILURES = 8
"""Failed reflections of a question after which the model is no longer asked."""
QUESTIONS = 64
"""Questions whose counts and reflections are kept."""
LONGEST_QUESTION, LONGEST_NAME = 1_000, 80
"""Characters that are shown."""
SHOWN = 5
"""Entities of a hop that are shown."""
MOST_ONWARD = 60
"""Relations that a model is shown to choose its hypotheses from."""
HYPOTHESES_TOKENS, RECALL_TOKENS = 96, 32
UNKNOWN = "unknown"
"""Reply of a model that does not know."""
NOTHING = Query("N/A", "N/A")
"""Content-free input for measuring a model's bias."""
LEAST_LEANING = 0.02
"""Lower bound of a bias, so that calibration never raises a value more than fifty-fold."""
TASKS = ("walk", "retrieval", "relation", "entity", "rationality", "utility", "hypotheses")

T = TypeVar("T")


@dataclass
class _QuestionCalls:
    """The state of a question: model calls and their results."""

    model: Metered
    known: dict[tuple[str, str], Reflection] = field(default_factory=dict)
    failed: int = 0
    gone: bool = False


class ChatCritic:
    """`Critic` over any chat model. Safe to use from several threads; as deterministic as the model is."""

    def __init__(
        self,
        model: ChatModel,
        *,
        limits: ChatLimits = LIMITS,
        places: int = PLACES,
        prices: Prices | None = None,
        calibrated: bool = False,
    ) -> None:
        """`limits`: maximum cost per question. `places`: concurrent calls, in addition to the model's own limit.

        `calibrated`: weigh each probability by what the model gives it where nothing is asked, for small models, which lean
        to a word whatever they are shown (contextual calibration, Zhao et al. 2021). One more call for each kind of prompt.
        """
        self._model = GuardedChat(model)
        self._limits = limits
        self._places = places
        self._prices = prices
        self._calibrated = calibrated
        self._leanings: dict[str, tuple[float, ...]] = {}
        self._questions: OrderedDict[Query, _QuestionCalls] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Says which critic this is: the model and the prompts."""
        prompts = hashlib.sha256("\0".join(map(_prompt, TASKS)).encode()).hexdigest()[:8]
        return f"chat:{self._model.name}:{prompts}{':calibrated' if self._calibrated else ''}"

    def usage(self, query: Query) -> Usage:
        """Cost of a question so far."""
        return self._asked(query).model.usage

    def broken(self, query: Query) -> bool:
        """True if the model was given up for a question: its answers may be too few."""
        return self._asked(query).gone

    # -- reflections -------------------------------------------------------------------------------------------------

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Distribution over `Retrieval` for each walk: what it needs next."""
        asked = iter(self._all(query, Retrieval, "retrieval", [(walk, "") for walk in walks if not walk.pending]))
        return [_sure(Retrieval, Retrieval.ENTITY) if walk.pending else next(asked) for walk in walks]

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        """Over `Relevance`: each candidate as the walk's next hop."""
        walk = walk.bare  # a proof's score must not depend on what a search happened to retrieve
        steps = [_step(hop, _last(query, walk)) for hop in candidates]
        return self._all(query, Relevance, "relation", [(walk, step) for step in steps])

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        """Over `Relevance`: each entity that the walk's last hop led to."""
        if not walk.hops:
            return [_sure(Relevance, Relevance.UN) for _ in candidates]
        before, hop = Walk(walk.hops[:-1], walk.entities[:-1]), walk.hops[-1]
        steps = [f"{_step(hop, _last(query, before))}: {_name(label)}" for label in candidates]
        return self._all(query, Relevance, "entity", [(before, step) for step in steps])

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Rationality`: each walk so far."""
        return self._all(query, Rationality, "rationality", [(walk.bare, "") for walk in walks])

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Distribution over `Utility` for each walk: the quality of its end as the answer."""
        return self._all(query, Utility, "utility", [(walk, _last(query, walk)) for walk in walks])

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        """At most `k` relations that the model expects next, likeliest first; the n-th has weight 1/n. Empty if the
        model gives none.

        Nor where no more than `k` lead on from the walk: then all of them are candidates anyway.
        """
        asked = self._asked(query)
        if k < 1 or asked.gone or 0 < len(walk.onward) <= k:
            return []
        onward = ", ".join(_name(str(hop)) for hop in walk.onward[:MOST_ONWARD])
        offered = f"There are: {onward}\n({INVERSE} before a name: the relation taken backwards.)\n" if onward else ""
        user = _material(query, walk) + _prompt("hypotheses").format(candidate=offered, count=k)
        reply = self._reply(asked, partial(asked.model.reply, _request("hypotheses", user, HYPOTHESES_TOKENS)))
        lines = reply.text.splitlines() if reply is not None else []
        names = dict.fromkeys(name for line in lines if (name := _listed(line)))
        return [Hypothesis(name, 1 / n) for n, name in enumerate(list(names)[:k], 1)]

    def recalled(self, query: Query) -> str:
        """The model's answer without the graph, in a few words; empty if it does not know or the reply is unusable."""
        asked = self._asked(query)
        if asked.gone:
            return ""
        request = _request("recall", _material(query, Walk()) + _prompt("recall"), RECALL_TOKENS)
        reply = self._reply(asked, partial(asked.model.reply, request))
        text = _listed(reply.text.strip().partition("\n")[0]).rstrip(".") if reply is not None else ""
        return "" if text.casefold() == UNKNOWN else text

    # -- asking ------------------------------------------------------------------------------------------------------

    def _all(self, query: Query, kind: type[Enum], task: str, shown: Sequence[tuple[Walk, str]]) -> list[Reflection]:
        """A reflection for each walk with a candidate, asked for side by side."""
        asked = self._asked(query)
        asking = _prompt(task)
        texts = [_material(query, walk) + asking.format(candidate=candidate) for walk, candidate in shown]
        new = [text for text in dict.fromkeys(texts) if (task, text) not in asked.known]
        if len(new) > 1 and self._places > 1:
            with ThreadPoolExecutor(min(self._places, len(new)), thread_name_prefix="goalmem-chat") as pool:
                found = list(pool.map(lambda text: self._one(asked, kind, task, text), new))
        else:
            found = [self._one(asked, kind, task, text) for text in new]
        made = dict(zip(new, found, strict=True))
        # Failures are not cached: they say nothing about the walk.
        asked.known.update(((task, text), each) for text, each in made.items() if each is not None)
        known = [asked.known.get((task, text)) for text in texts]
        return [each or _sure(kind, FAILED[kind]) for each in known]

    def _one(self, asked: _QuestionCalls, kind: type[Enum], task: str, user: str) -> Reflection | None:
        """One reflection, retried once with the reason for the rejection; None if both fail."""
        words = WORDS[kind]
        text = user
        for _ in range(2):
            if asked.gone:
                return None
            found = self._reply(asked, partial(chosen, asked.model, _request(task, text), words))
            if found is not None and not found.measured:
                return Reflection(_flat(found.shares))
            if found is not None:
                return Reflection(_weighed(found.shares, self._leaning(asked, words, task)))
            offered = ", ".join(spellings[0] for spellings in words if spellings)
            text = f"{user}\n(Your last reply was none of: {offered}. Reply with one of these words only.)"
        with self._lock:
            asked.failed += 1
            asked.gone = asked.gone or asked.failed >= MOST_FAILURES
        return None

    def _leaning(self, asked: _QuestionCalls, words: Sequence[Sequence[str]], task: str) -> tuple[float, ...]:
        """The model's bias on content-free input; uniform without calibration or if unavailable."""
        even = (1.0,) * len(words)
        if not self._calibrated:
            return even
        with self._lock:
            if task in self._leanings:
                return self._leanings[task]
        user = _material(NOTHING, Walk()) + _prompt(task).format(candidate=NOTHING.topic)
        found = self._reply(asked, partial(chosen, asked.model, _request(task, user), words))
        if found is None or not found.measured:
            return even
        with self._lock:
            return self._leanings.setdefault(task, found.shares)

    def _reply(self, asked: _QuestionCalls, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except ChatError as error:
            if isinstance(error, FINAL):
                asked.gone = True
            return None

    def _asked(self, query: Query) -> _QuestionCalls:
        with self._lock:
            if query not in self._questions:
                self._questions[query] = _QuestionCalls(Metered(self._model, limits=self._limits, prices=self._prices))
            self._questions.move_to_end(query)
            while len(self._questions) > QUESTIONS:
                self._questions.popitem(last=False)
            return self._questions[query]


_prompt = partial(prompt, package="goalmem.graph")


def _request(task: str, user: str, most: int = 4) -> ChatRequest:
    """The fixed part first, and the same for all tasks: a server that keeps prefixes reads it, and a walk, once."""
    return ChatRequest(f"graph_{task}", _prompt("walk"), user, max_tokens=most)


def _material(query: Query, walk: Walk) -> str:
    """The material of every task: the question, and the steps so far with their ends."""
    text = f"Question: {quoted(query.question, LONGEST_QUESTION)}\nTopic: {_name(query.topic)}\n"
    before = _name(query.topic)
    for n, (hop, entities) in enumerate(zip(walk.hops, walk.entities, strict=True), 1):
        text += f"Step {n}: {_step(hop, before)}{': ' if entities else ''}{_names(entities)}\n"
        before = _names(entities) or "these"
    return text + ("" if walk.hops else "No steps so far.\n")


def _last(query: Query, walk: Walk) -> str:
    """The end of a walk."""
    return _names(walk.entities[-1] if walk.entities else (query.topic,)) or "these"


def _names(labels: Sequence[str]) -> str:
    return ", ".join(map(_name, labels[:SHOWN]))


def _step(hop: Hop, start: str) -> str:
    """A hop in words, as small models understand it."""
    words = _name(relation_text(hop.relation))
    return f'what has {start} as its "{words}"' if hop.inverse else f'the "{words}" of {start}'


def _name(label: str) -> str:
    """A label for display."""
    return quoted(label, LONGEST_NAME)


def _listed(line: str) -> str:
    """The name of a relation in a line of a list."""
    return quoted(line.strip().lstrip("-*•0123456789.) ").strip("`\"' "), LONGEST_NAME)


def _weighed(shares: Sequence[float], leaning: Sequence[float]) -> tuple[float, ...]:
    weighed = [share / max(LEAST_LEANING, lean) for share, lean in zip(shares, leaning, strict=True)]
    return tuple(each / sum(weighed) for each in weighed)


def _flat(shares: Sequence[float]) -> tuple[float, ...]:
    """Distribution for a stated value without measured probabilities."""
    rest = (1 - SAID) / (len(shares) - 1)
    return tuple(SAID if share else rest for share in shares)


def _sure(kind: type[Enum], value: Enum) -> Reflection:
    return Reflection(tuple(float(each is value) for each in kind))
