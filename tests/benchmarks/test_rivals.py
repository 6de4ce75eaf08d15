"""Every rival answers through one protocol; what is not installed is left out."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from benchmarks.rivals import RIVALS, load, missing_packages, scores
from benchmarks.rivals.child import refuse_network
from benchmarks.rivals.data import from_locomo, from_longmemeval
from benchmarks.rivals.protocol import Place, Session, Unit, best_sessions
from benchmarks.rivals.stages import STAGES, Task
from benchmarks.rivals.vectors import KeptVectors

from goalmem_lab.evals.locomo_data import read_locomo
from goalmem_lab.evals.longmemeval_data import read_longmemeval
from tests.benchmarks.conftest import WordsAsVectors

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "compare.py"
AT = datetime(2023, 6, 1, tzinfo=UTC)


class ByWords:
    """The fake: documents that share most words with the query."""

    def __init__(self, place: Place) -> None:
        self._file = place.folder / "kept.json"
        self._rows: list[tuple[str, str, str]] = json.loads(self._file.read_text()) if self._file.exists() else []

    def add(self, session: Session) -> None:
        self._rows += [(message.id, session.name, message.spoken.lower()) for message in session.messages]

    def finish(self) -> None:
        self._file.write_text(json.dumps(self._rows))

    def _ranked(self, query: str) -> list[tuple[str, str, str]]:
        words = set(query.lower().strip("?").split())
        return sorted(self._rows, key=lambda row: -len(words & set(row[2].strip(".").split())))

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        return best_sessions(lambda depth: [row[1] for row in self._ranked(query)[:depth]], k)

    def turns(self, query: str, k: int) -> list[str]:
        return [row[0] for row in self._ranked(query)[:k]]

    def close(self) -> None: ...


class FakeModule:
    PACKAGES: tuple[str, ...] = ("pytest",)
    HOW = "words in common"

    @staticmethod
    def open_store(place: Place) -> ByWords:
        return ByWords(place)


@pytest.fixture
def task(tmp_path: Path, longmemeval: Path, locomo: Path) -> Task:
    questions = tuple((q.text, q.at.isoformat()) for q in read_longmemeval(longmemeval).questions)
    return Task("fake", "", longmemeval, locomo, None, tmp_path / "state", tmp_path / "result.json", questions)


def test_a_store_that_is_filled_and_opened_again_is_measured(task: Task) -> None:
    ticks: list[tuple[int, int]] = []
    filled = STAGES["store"](FakeModule(), task, lambda done, total: ticks.append((done, total)))
    asked = STAGES["search"](FakeModule(), task, lambda *_: None)
    assert ticks[-1] == (3, 3)
    speeds = scores.speeds({"store": filled, "search": asked})
    assert set(speeds) == {"search p50 ms", "resident MB", "disk MB"}
    assert all(value > 0 for value in speeds.values())


def test_some_and_every_evidence_session_are_told_apart(task: Task) -> None:
    found = STAGES["pool"](FakeModule(), task, lambda *_: None)["found"]
    first = {question: sessions[:1] for question, sessions in found.items()}
    figures = scores.sessions(read_longmemeval(task.longmemeval).questions, first)
    assert figures == {"any@5": 1.0, "all@5": 0.5, "any@10": 1.0, "all@10": 0.5}


def test_haystacks_go_on_where_a_killed_run_stopped(task: Task) -> None:
    part = task.result.with_suffix(".part")
    part.write_text('["q0", ["kept"]]\n["q1", ["cut sho', encoding="utf-8")
    found = STAGES["haystack"](FakeModule(), task, lambda *_: None)["found"]
    assert found["q0"] == ["kept"]
    assert found["q1"][0] == "s3"
    assert not part.exists()


def test_adversarial_questions_do_not_count(task: Task) -> None:
    found = STAGES["locomo"](FakeModule(), task, lambda *_: None)["found"]
    first = {question: turns[:1] for question, turns in found.items()}
    figures = scores.conversations(read_locomo(task.locomo), first)
    assert figures["recall@5"] == pytest.approx(0.75)
    assert figures["multi-hop recall@20"] == pytest.approx(0.5)


def test_speed_counts_turns_and_leaves_out_the_warm_up(task: Task) -> None:
    measured = STAGES["speed"](FakeModule(), task, lambda *_: None)
    assert measured["turns"] == 4
    assert scores.speeds({"speed": measured})["ingest turns/s"] > 0


def test_sessions_are_ranked_by_their_best_turn_however_many_turns_others_have() -> None:
    turns = ["a"] * 60 + ["b"] + ["c"] * 200 + ["d"]
    asked: list[int] = []

    def fetch(depth: int) -> list[str]:
        asked.append(depth)
        return turns[:depth]

    assert best_sessions(fetch, 3) == ["a", "b", "c"]
    assert best_sessions(fetch, 10) == ["a", "b", "c", "d"]
    assert max(asked) < 2 * 2 * len(turns)


def test_a_text_is_embedded_once_across_runs(embedder: WordsAsVectors, tmp_path: Path) -> None:
    first = KeptVectors(embedder, tmp_path).embed(["one", "two", "one"])
    again = KeptVectors(embedder, tmp_path).embed(["two", "three"])
    assert embedder.embedded == ["one", "two", "three"]
    np.testing.assert_array_equal(first[1], again[0])


def test_two_runs_share_vectors_while_both_go_on(embedder: WordsAsVectors, tmp_path: Path) -> None:
    one, other = KeptVectors(embedder, tmp_path), KeptVectors(embedder, tmp_path)
    np.testing.assert_array_equal(one.embed(["same"]), other.embed(["same"]))
    other.embed(["later"])
    one.embed(["later"])
    assert embedder.embedded == ["same", "later"]
    assert one.embed([]).shape == (0, embedder.dimension)


@pytest.mark.parametrize("name", RIVALS)
def test_every_rival_says_how_it_is_used(name: str) -> None:
    module = load(name)
    assert module.HOW
    assert all(isinstance(package, str) for package in module.PACKAGES)


@pytest.fixture(params=RIVALS)
def installed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if missing := missing_packages(request.param):
        pytest.skip(f"{', '.join(missing)} not installed")
    from benchmarks.rivals.child import OFFLINE

    for switch, value in OFFLINE.items():
        monkeypatch.setenv(switch, value)
    return request.param


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("as_shipped", [True, False])
def test_rivals_find_the_session(
    installed: str, as_shipped: bool, embedder: WordsAsVectors, longmemeval: Path, tmp_path: Path
) -> None:
    module, dataset = load(installed), read_longmemeval(longmemeval)
    place = opened(tmp_path, embedder, "session", as_shipped)
    rival = module.open_store(place)
    for dated in dataset.pool:
        rival.add(from_longmemeval(dated))
    rival.finish()
    if as_shipped:
        rival.close()
        rival = module.open_store(place)
    found = rival.sessions("sourdough bread in Porto", AT, 2)
    assert found[0] == "s2"
    assert len(found) == len(set(found))
    rival.close()


@pytest.mark.filterwarnings("default")
def test_rivals_find_the_turn(installed: str, embedder: WordsAsVectors, locomo: Path, tmp_path: Path) -> None:
    rival = load(installed).open_store(opened(tmp_path, embedder, "turn", as_shipped=False))
    (conversation,) = read_locomo(locomo)
    for session in conversation.sessions:
        rival.add(from_locomo(session))
    rival.finish()
    assert rival.turns("sourdough bread in Porto", 2)[0] == "D1:2"
    rival.close()


def opened(tmp_path: Path, embedder: WordsAsVectors, unit: Unit, as_shipped: bool) -> Place:
    folder = tmp_path / "store"
    folder.mkdir()
    return Place(folder, embedder, unit, as_shipped)


def test_a_rival_that_reaches_out_is_refused() -> None:
    with pytest.raises(ConnectionRefusedError, match=r"telemetry\.example"):
        refuse_network("socket.getaddrinfo", ("telemetry.example", 443, 0, 0, 0))
    with pytest.raises(ConnectionRefusedError):
        refuse_network("socket.connect", (object(), ("192.0.2.1", 443)))
    refuse_network("socket.connect", (object(), "/run/local.sock"))
    refuse_network("open", ("file", "r", 0))


def test_the_command_says_what_it_can_do() -> None:
    shown = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True, check=True)
    assert "--only" in shown.stdout
