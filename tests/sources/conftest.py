"""Two sessions of two friends, remembered once, and the source that reads them."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from goalmem import Memory
from goalmem.engine.step import Request
from goalmem.language import Analyzer, Extractor
from goalmem.language.names import Names
from goalmem.logic.syntax import parse_atom
from goalmem.logic.terms import Atom, Goal, Substitution
from goalmem.models.minilm import MiniLM
from goalmem.questions.local import LocalReasoner
from goalmem.retrieve.search import Searcher
from goalmem.sources.background import BackgroundSource, RuleBook
from goalmem.sources.chat.check import ChatChecker
from goalmem.sources.facts.check import FactChecker
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.frame_reader import FrameReader
from goalmem.sources.phrase_cosine import PhraseCosine
from goalmem.sources.space_check import SpaceChecker
from goalmem.store import Store, open_store

SPACE = "friends"
ASKED = datetime(2024, 6, 13, 9, tzinfo=UTC)
SPRING = [
    ("Petra", "I live in Utrecht with my brother Joris."),
    ("Emre", "My favorite color is green."),
    ("Petra", "Joris bought a canoe last Saturday."),
    ("Emre", "I might buy a motorbike. My cousin Selin visited Malta in April."),
    ("Petra", "Did you ever visit Malta?"),
    ("Emre", "No, never. I love olives."),
    ("Petra", "If I had a garden, I would grow tomatoes. I started a new job at a bakery."),
]
SUMMER = [
    ("Petra", "I moved to Leiden last week. I plan to buy a kayak next month."),
    ("Emre", "My favorite color is blue now. I can't stand olives any more."),
    ("Petra", "I quit the bakery. I work at a museum now."),
]
DATES = {"spring": datetime(2024, 3, 13, 18, tzinfo=UTC), "summer": datetime(2024, 6, 12, 18, tzinfo=UTC)}


def messages(told: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Speakers and texts as `add` takes them."""
    return [{"role": "user", "name": name, "content": text} for name, text in told]


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="session")
def extractor(analyzer: Analyzer) -> Extractor:
    return Extractor(analyzer)


@pytest.fixture(scope="session")
def remembered(
    analyzer: Analyzer, embedder: MiniLM, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Memory, Store]]:
    """The memory, and its store opened beside it. Tests must not write to either."""
    path = tmp_path_factory.mktemp("sources") / "friends.goalmem"
    with Memory(path, analyzer=analyzer, embedder=embedder) as memory:
        for name, told in (("spring", SPRING), ("summer", SUMMER)):
            memory.add(messages(told), space=SPACE, session=name, at=DATES[name])
        store = open_store(path, model=embedder.name, dimension=embedder.dimension)
        yield memory, store
        store.close()


@pytest.fixture(scope="session")
def source(remembered: tuple[Memory, Store], embedder: MiniLM, extractor: Extractor) -> MemorySource:
    """The source over that memory."""
    _, store = remembered
    types = {name: kind for name, (kind, _) in store.entities(SPACE).items()} | {"Petra": "person", "Emre": "person"}
    return MemorySource(store, Searcher(store, embedder), extractor, PhraseCosine(embedder), SPACE, ASKED, Names(types))


@pytest.fixture(scope="session")
def book(extractor: Extractor) -> RuleBook:
    """The rules that ship with the package."""
    return RuleBook(extractor)


@pytest.fixture(scope="session")
def facts(source: MemorySource) -> FactChecker:
    """What facts of that memory are checked with."""
    return FactChecker(source)


@pytest.fixture(scope="session")
def checker(facts: FactChecker, source: MemorySource, book: RuleBook, analyzer: Analyzer) -> SpaceChecker:
    """What proofs about that memory are checked with."""
    background = BackgroundSource(source.reader, book)
    return SpaceChecker(facts, background, ChatChecker(facts, None), analyzer, LocalReasoner(analyzer))


@pytest.fixture(scope="session")
def reader(extractor: Extractor) -> FrameReader:
    """Reads atoms about a few known names, on 4 September 2024."""
    known = {"Nadia": "person", "Ruben": "person", "Ghent": "place", "Comet": "animal"}
    return FrameReader(extractor, datetime(2024, 9, 4), Names(known))


def request(atom: str | Atom, *, limit: int = 8) -> Request:
    """An atom to close, alone."""
    parsed = parse_atom(atom) if isinstance(atom, str) else atom
    goal = Goal("", (parsed,), next(iter(parsed.variables), None))
    return Request(parsed, Substitution(), goal, (parsed,), 0, limit)
