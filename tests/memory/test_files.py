"""What `add_file` promises: answers cite where in a file they stand, nobody says "I" in what nobody signed, nothing twice or in part."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from goalmem import AsyncMemory, FormatError, InputError, Memory
from goalmem.proof.document import Proof
from goalmem.proof.render import text
from goalmem.settings import Settings
from tests.cases import one_in

from ..io.documents.made import HANDBOOK, MAIL, NOTES, PAGE

ARCHIVE = """I own a green kayak and I live in Rome.

We own a blue van. We live in Genoa.

I gave Ugo a brass compass. Ugo gave me a map.

The ferry Stella leaves from pier four.
"""


@pytest.fixture(scope="module")
def filled(module_memory: Callable[..., Memory], tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A memory of an e-mail, a page, and a text that nobody signed."""
    folder, memory = tmp_path_factory.mktemp("files"), module_memory()
    for name, content in (("dinner.eml", MAIL), ("page.html", PAGE), ("archive.txt", ARCHIVE.encode())):
        (folder / name).write_bytes(content)
        memory.add_file(folder / name)
    return memory


def test_answers_cite_the_file_with_its_heading(filled: Memory):
    answer = filled.ask("When was the lighthouse on Utsira built?")
    assert (answer.text, answer.status) == ("1844", "proved")
    assert "Nora Vik, page.html, Lighthouses" in text(answer.proof)
    assert filled.verify(answer.proof).ok
    assert "page.html, Lighthouses" in filled.context("When was the lighthouse built?").text
    (hit, *_) = filled.search("the lighthouse on Utsira")
    assert (hit.turn.source, hit.turn.role) == ("page.html, Lighthouses", "document")
    assert hit.turn.at == datetime(2023, 7, 1, tzinfo=UTC)
    assert filled.get_all(where={"source": "page.html", "heading": "Lighthouses › Visits"}).items


def test_a_proof_that_names_another_place_in_a_file_is_refused(filled: Memory):
    proof = filled.ask("When was the lighthouse on Utsira built?").proof
    written = proof.to_json()
    assert '"source":"page.html, Lighthouses"' in written
    for place in ("", "other.html, Lighthouses"):
        forged = Proof.from_json(written.replace("page.html, Lighthouses", place)).digested()
        assert [check.name for check in filled.verify(forged).failures] == ["evidence"]


def test_i_in_a_letter_is_its_sender(filled: Memory):
    answer = filled.ask("Where does Ilse live?")
    assert (answer.text, answer.status) == ("Oslo", "proved")
    assert "Ilse Maier, dinner.eml, Dinner" in text(answer.proof)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "question",
    one_in(
        2,
        [
            "Who owns a green kayak?",
            "Who owns a blue van?",
            "Who gave Ugo a brass compass?",
            "Who lives in Rome?",
            "Where do I live?",
            "Do I own a green kayak?",
            "Do I own a kayak?",
            "Do I own a blue van?",
            "Do I have a map?",
            "Do I live in Rome?",
            "Does Ilse own a red scooter?",
            "Does Ilse own a green kayak?",
            "Does Bob own a red scooter?",
            "Does Nora hate the sea?",
            "Who keeps bees?",
            "When did I move to Oslo?",
        ],
    ),
)
def test_what_nobody_signed_is_said_by_nobody(filled: Memory, question: str):
    assert filled.ask(question).status == "unknown"


TRAPS = """# Notes

## Myths

- Anna lives in Rome.

## Rejected proposals

The office moves to Bergen.

These statements are false:

- Otto owns a helicopter.

## Plans for 2027

- Clara buys a boat.

## If we win

Lena is the captain.

## Crew

> Paul works at the bank.

```
Nina owns a tent.
```

| person | |
| --- | --- |
| Hugo lives in | Paris |

To-do:

- Sven sells the car.

Rosa steers the ferry.
"""


@pytest.fixture(scope="module")
def trapped(module_memory: Callable[..., Memory], tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A memory of what a file mentions without stating it."""
    file, memory = tmp_path_factory.mktemp("traps") / "traps.md", module_memory()
    file.write_text(TRAPS)
    memory.add_file(file)
    return memory


@pytest.mark.parametrize(
    "question",
    one_in(
        2,
        [
            "Where does Anna live?",
            "Does Anna live in Rome?",
            "Where does the office move?",
            "Does Otto own a helicopter?",
            "Does Clara own a boat?",
            "Did Clara buy a boat?",
            "Is Lena the captain?",
            "Where does Paul work?",
            "Does Nina own a tent?",
            "Where does Hugo live?",
            "Did Sven sell the car?",
        ],
    ),
)
def test_what_a_file_mentions_without_stating_it_is_not_proved(trapped: Memory, question: str):
    assert trapped.ask(question).status not in ("proved", "disproved")


def test_what_a_file_states_below_another_heading_is_proved(trapped: Memory):
    answer = trapped.ask("Who steers the ferry?")
    assert (answer.text, answer.status) == ("Rosa", "proved")


def test_what_a_file_says_of_others_is_known(filled: Memory):
    answer = filled.ask("Where does the ferry Stella leave from?")
    assert answer.text == "pier four"
    assert filled.verify(answer.proof).ok


def test_who_wrote_a_file_is_not_who_asks(memory: Memory, tmp_path: Path):
    (tmp_path / "dinner.eml").write_bytes(MAIL)
    memory.add_file(tmp_path / "dinner.eml")
    assert memory.ask("Where do I live?").status == "unknown"
    memory.add([{"role": "user", "name": "Tomas", "content": "I live in Lyon."}])
    assert memory.ask("Where do I live?").text == "Lyon"


def test_an_author_may_be_given(memory: Memory, tmp_path: Path):
    (tmp_path / "letter.txt").write_text("I moved to Oslo in May.")
    memory.add_file(tmp_path / "letter.txt", author="Rosa", at="2024-06-01", tags=["mail"], metadata={"box": 3})
    assert memory.ask("Where does Rosa live?").text == "Oslo"
    (hit,) = memory.search("Oslo", where={"tags": "mail", "box": 3})
    assert hit.turn.at == datetime(2024, 6, 1, tzinfo=UTC)


def test_pages_are_cited(memory: Memory, tmp_path: Path):
    pytest.importorskip("pypdf")
    (tmp_path / "handbook.pdf").write_bytes(HANDBOOK)
    memory.add_file(tmp_path / "handbook.pdf", name="Handbook")
    (first, *_) = memory.search("parental leave weeks")
    assert first.turn.source == "Handbook, page 2, Parental leave"


def test_adding_a_file_again_adds_nothing_and_a_changed_one_what_is_new(memory: Memory, tmp_path: Path):
    file = tmp_path / "notes.md"
    file.write_bytes(NOTES)
    first = memory.add_file(file)
    assert (first.pieces, first.new, first.sessions) == (6, 6, ("notes.md",))
    assert memory.add_file(file).new == 0
    # Rosa's line is new, Tomas's gone; what is below another heading now is known all the same.
    file.write_bytes(NOTES.replace(b"Tomas is the captain.", b"Lars is the captain.").replace(b"# Boats", b"# Ships"))
    os.utime(file, (1e9, 1e9))
    changed = memory.add_file(file)
    assert (changed.pieces, changed.new, len(changed.gone)) == (6, 2, 2)
    assert {memory.turn(turn).text for turn in changed.gone} == {
        "Crew\nTomas is the captain.",
        "Boats\nThe Stella leaves from pier four.",
    }
    assert memory.add_file(file, prune=True).gone == changed.gone
    assert memory.add_file(file).gone == ()
    assert memory.stats().turns == 6


def test_a_session_keeps_what_is_not_of_the_file(memory: Memory, tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_text("The ferry is blue.")
    memory.add([{"role": "user", "content": "I like the ferry.", "id": "mine"}], session="s")
    assert memory.add_file(file, session="s", prune=True).gone == ()
    assert memory.stats().turns == 2


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4 nonsense", b"Fine.\n\ncaf\xe9", b"{}"])
def test_a_file_that_cannot_be_read_leaves_nothing(memory: Memory, tmp_path: Path, content: bytes):
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.txt"):
        memory.add_file(tmp_path / "a.txt")
    assert memory.spaces() == []


def test_options_that_cannot_be_used_are_refused(memory: Memory, tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_text("The ferry is blue.")
    for options in ({"format": "docx"}, {"author": " "}, {"metadata": {"a": {}}}, {"session": ""}):
        with pytest.raises(InputError):
            memory.add_file(file, **options)
    assert memory.spaces() == []


def test_progress_is_told(memory: Memory, tmp_path: Path):
    (tmp_path / "a.txt").write_text("\n\n".join(f"Boat {n} is blue." for n in range(70)))
    told: list[tuple[str, int, int]] = []
    memory.add_file(tmp_path / "a.txt", progress=lambda *event: told.append(event))
    assert told == [("reading", 64, 0), ("reading", 70, 0), ("storing", 64, 70), ("storing", 70, 70)]


async def add_awaited(path: Path) -> int:
    async with AsyncMemory() as memory:
        return (await memory.add_file(path)).new


def test_files_are_added_by_an_asynchronous_memory(tmp_path: Path):
    import asyncio

    (tmp_path / "a.txt").write_text("The ferry is blue.")
    assert asyncio.run(add_awaited(tmp_path / "a.txt")) == 1


def test_files_survive_an_export(memory: Memory, open_memory: Callable[..., Memory], tmp_path: Path):
    (tmp_path / "page.html").write_bytes(PAGE)
    memory.add_file(tmp_path / "page.html")
    memory.export(tmp_path / "all.jsonl")
    other = open_memory()
    other.import_(tmp_path / "all.jsonl")
    (hit, *_) = other.search("lighthouse on Utsira")
    assert hit.turn.source == "page.html, Lighthouses"
    assert other.add_file(tmp_path / "page.html").new == 0


def test_a_long_file_is_stored_whole_and_analysed_up_to_its_budget(open_memory: Callable[..., Memory], tmp_path: Path):
    places = [f"The ferry Number{n} leaves from pier {n}.\n\n" for n in range(200)]
    (tmp_path / "piers.txt").write_text("".join([*places, "The museum shows a whale skeleton in its main hall.\n"]))
    analysed = sum(map(len, places[:20]))
    memory = open_memory(settings=Settings(file_analysis_characters=analysed))
    parsed: list[str] = []
    docs = memory._parts.analyzer.docs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            memory._parts.analyzer, "docs", lambda texts, names=(): parsed.extend(texts) or docs(texts, names)
        )
        receipt = memory.add_file(tmp_path / "piers.txt")
    assert (receipt.pieces, receipt.new) == (201, 201)
    assert 175 < receipt.unanalysed < 185
    assert sum(map(len, set(parsed))) <= analysed
    assert memory.ask("Where does the ferry Number3 leave from?").text == "pier 3"
    (hit, *_) = memory.search("Where is the whale skeleton?")
    assert "whale" in hit.turn.text
    assert len(memory.get_all(where={"unanalysed": True}, limit=200).items) == receipt.unanalysed
    assert not memory.check()
    assert memory.add_file(tmp_path / "piers.txt").new == 0
    memory.forget(turn=memory.get_all(where={"unanalysed": True}, limit=1).items[0].id)
    assert memory.stats().facts < 25


def test_all_of_a_file_is_analysed_where_no_budget_is_set(open_memory: Callable[..., Memory], tmp_path: Path):
    (tmp_path / "piers.txt").write_text("The ferry leaves from pier four. " * 400)
    for settings, unanalysed in (
        (Settings(file_analysis_characters=0), False),
        (Settings(), False),
        (Settings(file_analysis_characters=1), True),
    ):
        assert bool(open_memory(settings=settings).add_file(tmp_path / "piers.txt").unanalysed) is unanalysed
