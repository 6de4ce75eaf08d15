"""Questions read about a few known names."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from goalmem.language import Analyzer
from goalmem.language.names import Names
from goalmem.logic.terms import Goal
from goalmem.questions.local import LocalReasoner
from goalmem.questions.syntax import ParsedQuestion, read_question

ASKED = datetime(2024, 9, 4, 18, tzinfo=UTC)
KNOWN = Names(
    {"Nadia": "person", "Ruben": "person", "Ilse": "person", "Ghent": "place", "Oslo": "place", "Comet": "animal"}
)

Goals = Callable[[str], Sequence[Goal]]
Read = Callable[[str], ParsedQuestion | None]


@pytest.fixture(scope="session")
def reasoner(analyzer: Analyzer) -> LocalReasoner:
    return LocalReasoner(analyzer)


@pytest.fixture(scope="session")
def goals(reasoner: LocalReasoner) -> Goals:
    """The goals of a question asked on 4 September 2024."""
    return lambda question: reasoner.goals(question, ASKED, KNOWN)


@pytest.fixture(scope="session")
def read(analyzer: Analyzer) -> Read:
    """A question taken apart."""
    return lambda question: read_question(question, lambda text: analyzer.docs([text])[0])
