"""Another system's memory behind `Memory`: searched, asked, and checked again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from goalmem.errors import BackendError, InputError
from goalmem.integrations.backends.calls import BackendCaller, CallAllowance
from goalmem.integrations.backends.protocol import Backend, Passage, adding_of
from goalmem.integrations.backends.recall import BackendRecall, BlockReader
from goalmem.io.chat_messages import InputMessage
from goalmem.language import Extractor
from goalmem.logic.terms import Evidence
from goalmem.proof.document import Proof
from goalmem.records import Hit, Turn
from goalmem.retrieve.filters import ALL, Filters
from goalmem.sources.evidence_store import EvidenceStore

SPACE = "default"
"""A backend is a single space: use one backend for each user."""
WIDER = 4
"""Factor by which more passages are requested if filters will drop some."""


class BackendMemory:
    """A backend as a memory, with what was read from it. As thread-safe as the backend."""

    def __init__(self, backend: Backend, extractor: Callable[[], Extractor], seconds: float) -> None:
        """`seconds`: time budget of the calls of one question, and of each call of a check."""
        self.backend = backend
        self._caller = BackendCaller(backend)
        self._reader = BlockReader(extractor)
        self._seconds = seconds

    def recall(self, question: str, *, space: str, at: datetime, cited: Proof | None = None) -> BackendRecall:
        """What the backend finds for a question, and what a proof cites, both fetched anew.

        Raises BackendError for another space, and for a mistake in a backend that has never answered.
        """
        recall = self._begun(space, at, together=cited is None)
        quotes: dict[str, list[str]] = {}
        for evidence in cited_by(cited) if cited is not None else ():
            quotes.setdefault(evidence.turn, []).append(evidence.quote)
        for turn, quoted in quotes.items():
            recall.look_up(turn, quoted)
        recall.seed(question)
        return recall

    def search(
        self,
        query: str,
        *,
        space: str,
        k: int = 10,
        at: datetime | None = None,
        filters: Filters = ALL,
        without: Collection[str] = (),
        asker: str = "",
    ) -> list[Hit]:
        """The `k` turns that the backend finds, best first. Raises InputError for options that need goalmem's own
        search.

        A backend is not told who asks.
        """
        del asker
        if k < 1:
            raise InputError(f"A search for {k} turns finds nothing.", "Ask for k=1 or more.")
        if filters.kinds is not None or without:
            raise InputError(
                "The search is another system's: it knows no kinds of facts and no signals.",
                "Leave out `kinds` and `without`.",
            )
        recall = self._begun(space, at or datetime.now(UTC))
        ranked = recall.rank(query, space=space, k=k if filters == ALL else k * WIDER, at=at, read=False)
        turns = recall.turns(space, [r.turn for r in ranked])
        kept = [Hit(turns[r.turn], r.score, r.signals) for r in ranked if passes(turns[r.turn], filters)]
        return kept[:k]

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """Turns by id, where the backend can look them up."""
        recall = self._begun(space, datetime.now(UTC))
        wanted = list(ids)
        for turn in wanted:
            recall.look_up(turn, ())
        return recall.turns(space, wanted)

    def add(self, messages: Sequence[tuple[str, int, InputMessage]], space: str, session: str) -> int:
        """Add messages with their turn ids; returns how many. Raises BackendError if the backend is read-only or
        fails.
        """
        check_space(space)
        adding = adding_of(self.backend)
        if adding is None:
            raise BackendError(
                "Messages cannot be added: what this memory knows belongs to another system.",
                "Add them there, or give the backend an `add`.",
            )
        if messages:
            self._caller.add([passage_of_message(turn, message, session) for turn, _, message in messages])
        return len(messages)

    def explained(self, proof: Proof, memory: EvidenceStore) -> Proof:
        """Add a failure of the backend to a proof without an answer, as the first missing item."""
        failures = memory.patience.failures if isinstance(memory, BackendRecall) else []
        if not failures or not proof.missing:
            return proof
        first, *rest = proof.missing
        told = f"The memory behind could not be searched: {failures[0]} {first.reason}"
        return proof.model_copy(update={"missing": (first.model_copy(update={"reason": told}), *rest)}).digested()

    def _begun(self, space: str, at: datetime, *, together: bool = True) -> BackendRecall:
        check_space(space)
        return BackendRecall(self._caller, self._reader, space, at, CallAllowance(self._seconds, together=together))


def cited_by(proof: Proof) -> Iterator[Evidence]:
    """Ids that a proof cites, including those near what is missing."""
    for solution in (proof.root, *proof.alternatives):
        for _, node in solution.walk() if solution is not None else ():
            yield from node.evidence
    for missing in proof.missing:
        yield from missing.nearest


def check_space(space: str) -> None:
    """Raise BackendError for any space other than the backend's."""
    if space != SPACE:
        raise BackendError(
            f"There is no space {space!r}: what another system remembers is one space, {SPACE!r}.",
            "Open one Memory for each user, each with a backend that searches theirs alone.",
        )


def passage_of_message(turn: str, message: InputMessage, session: str) -> Passage:
    """A message as a backend is given it, under the id of its turn."""
    text = f"{message.text}\n[shares a picture: {message.caption}]" if message.caption else message.text
    return Passage(text, turn, message.speaker, message.at, session, message.role)


def passes(turn: Turn, filters: Filters) -> bool:
    """True if a turn meets the conditions on sessions, speakers, roles and times; an undated one fails conditions on
    times.
    """

    def within(value: str, names: Collection[str] | None) -> bool:
        return names is None or value in names

    timed = (filters.before is None or turn.at < filters.before) and (filters.after is None or turn.at >= filters.after)
    dated = turn.dated or (filters.before is None and filters.after is None)
    named = within(turn.session, filters.sessions) and within(turn.speaker, filters.speakers)
    return named and within(turn.role, filters.roles) and timed and dated
