"""Files into a store: exactly once, whatever stops the work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import FormatError, InputError, StoreError
from goalmem.integrations.bulk import Ingest, LocalEngine, ingest
from goalmem.integrations.bulk.engine import MakeWorker
from goalmem.integrations.bulk.ingest import IngestWork
from goalmem.integrations.bulk.ray_engine import Mapper, failure_in
from goalmem.settings import Settings

from .telling import held, messages, turns_in, write


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return write(tmp_path / "chat.jsonl", messages())


@pytest.fixture
def job(chat: Path) -> Ingest:
    return Ingest([chat], "bulk.goalmem")


class Stopped(LocalEngine):
    """Is stopped after some tasks."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after

    def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
        yield from super().run(make, tasks[: self._after], here=here)
        raise KeyboardInterrupt


class Forgetful(LocalEngine):
    """Each worker stores its first task and dies before it says so; another does it again."""

    def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
        for task in tasks:
            for _ in super().run(make, [task], here=here):
                pass
            yield from super().run(make, [task], here=here)


def test_the_store_is_what_adding_session_by_session_makes(job: Ingest) -> None:
    report = ingest(job)
    by_session: dict[tuple[str, str], list[dict[str, object]]] = {}
    for message in messages():
        by_session.setdefault((message.pop("space"), message.pop("session")), []).append(message)
    with Memory("added.goalmem") as memory:
        for (space, session), said in by_session.items():
            memory.add(said, space=space, session=session)
    assert held("bulk.goalmem") == held("added.goalmem")
    assert (report.messages, report.new, report.left_out, report.undated) == (32, 32, (), 0)
    assert report.per_core_second > 0


def test_ingesting_again_adds_nothing_and_leaves_nothing_behind(job: Ingest) -> None:
    ingest(job)
    before = held(job.store)
    report = ingest(job)
    assert (report.messages, report.new) == (32, 0)
    assert held(job.store) == before
    assert list(Path(".goalmem/bulk").iterdir()) == []


def test_a_job_that_was_stopped_goes_on(job: Ingest) -> None:
    with pytest.raises(KeyboardInterrupt):
        ingest(job, engine=Stopped(after=2))
    assert 0 < turns_in(job.store) < 32
    # A line of what is done that was cut short counts for nothing.
    (done,) = Path(".goalmem/bulk").glob("*/done.jsonl")
    done.write_text(done.read_text()[:-10])
    counts: list[tuple[int, int]] = []
    report = ingest(job, progress=lambda done, total: counts.append((done, total)))
    assert (report.messages, report.resumed, report.restarted) == (32, 1, 0)
    assert counts == sorted(counts)
    assert counts[-1] == (32, 32)
    whole = replace(job, store="whole.goalmem")
    ingest(whole)
    assert held(job.store) == held(whole.store)


def test_a_worker_that_dies_before_it_reports_stores_nothing_twice(job: Ingest) -> None:
    report = ingest(job, engine=Forgetful())
    assert (report.messages, report.new, report.restarted) == (32, 0, report.partitions)
    ingest(whole := replace(job, store="whole.goalmem"))
    assert held(job.store) == held(whole.store)


def test_what_is_done_is_not_believed_of_another_store(job: Ingest, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        ingest(job, engine=Stopped(after=2))
    for left in Path().glob("bulk.goalmem*"):
        left.unlink()
    made = datetime(2030, 1, 1).astimezone()

    class Later(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return made

    monkeypatch.setattr("goalmem.store.database_file.datetime", Later)
    report = ingest(job)
    assert (report.messages, report.new, report.resumed) == (32, 32, 0)


def test_a_partition_on_which_workers_die_is_given_up(job: Ingest) -> None:
    class Deadly(LocalEngine):
        """Every worker dies on its first task."""

        def run(self, make: MakeWorker, tasks: Sequence[str], *, here: bool) -> Iterator[str]:
            while True:
                for _ in super().run(make, tasks[:1], here=here):
                    pass
            yield ""

    with pytest.raises(StoreError, match="5 workers died"):
        ingest(job, engine=Deadly())
    assert ingest(job).messages == 32


def test_the_number_of_partitions_does_not_matter(job: Ingest) -> None:
    ingest(job)
    ingest(one := replace(job, store="one.goalmem", partitions=1))
    assert held(job.store) == held(one.store)


def test_a_session_may_go_on_in_another_file(tmp_path: Path, job: Ingest) -> None:
    lines = messages()
    parts = [write(tmp_path / f"part-{n}.jsonl", lines[n * 16 : (n + 1) * 16]) for n in range(2)]
    ingest(job)
    ingest(split := replace(job, files=parts, store="split.goalmem"))
    assert held(job.store) == held(split.store)


def test_nothing_is_stored_where_a_line_is_bad(tmp_path: Path, job: Ingest) -> None:
    bad = write(tmp_path / "bad.jsonl", [*messages(1), "{oops"])
    with pytest.raises(FormatError, match=r"bad\.jsonl, line 9"):
        ingest(replace(job, files=[bad]))
    assert turns_in(job.store) == 0
    report = ingest(replace(job, files=[bad], skip_bad=True))
    assert (report.messages, report.new) == (8, 8)
    assert [(left.file, left.line) for left in report.left_out] == [(str(bad), 9)]


def test_an_id_that_comes_with_other_content_is_named_or_left_out(tmp_path: Path, job: Ingest) -> None:
    first, second, third = (
        {"role": "user", "content": text, "id": "m-1", "session": "s"} for text in ("Hi", "Bye", "Hi")
    )
    with Memory(job.store) as memory:
        memory.add([{"role": "user", "content": "Older", "id": "m-2"}], session="s")
    known = {"role": "user", "content": "Newer", "id": "m-2", "session": "s"}
    files = [write(tmp_path / "ids.jsonl", [first, second, third, known])]
    with pytest.raises(FormatError, match=r"ids\.jsonl, line 2: .*'m-1'"):
        ingest(replace(job, files=files))
    report = ingest(replace(job, files=files, skip_bad=True))
    assert [left.line for left in report.left_out] == [2, 4]
    assert (report.messages, report.new, turns_in(job.store)) == (2, 1, 2)


def test_messages_without_a_time_are_counted_or_given_one(tmp_path: Path, job: Ingest) -> None:
    undated = [write(tmp_path / "undated.jsonl", [{"role": "user", "content": "I moved yesterday."}])]
    assert ingest(replace(job, files=undated)).undated == 1
    assert ingest(replace(job, files=undated)).new == 0
    ingest(dated := replace(job, files=undated, store="dated.goalmem", at=datetime(2020, 2, 2)))
    with Memory(dated.store) as memory:
        ((_, at, _),) = memory.sessions()
    assert at.date().isoformat() == "2020-02-02"


def test_what_cannot_be_done_is_refused(tmp_path: Path, chat: Path, job: Ingest) -> None:
    with pytest.raises(InputError, match="in memory"):
        ingest(replace(job, store=":memory:"))
    with pytest.raises(InputError, match="twice"):
        ingest(replace(job, files=[chat, str(chat)]))
    with pytest.raises(InputError, match="nothing to ingest"):
        ingest(replace(job, files=[]))
    with pytest.raises(FormatError, match="cannot be read"):
        ingest(replace(job, files=[tmp_path / "none.jsonl"]))
    with pytest.raises(FormatError, match="a database"):
        ingest(replace(job, files=[job.store]))
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="work folder"):
        ingest(replace(job, work=tmp_path / "file"))


def test_errors_travel_from_a_worker_of_ray_as_they_were(tmp_path: Path) -> None:
    work = IngestWork(str(tmp_path / "s.goalmem"), Settings(), str(tmp_path / "gone"), ("chat.jsonl",))
    outcome = Mapper(work)({"task": ["1"]})
    assert outcome["failed"] == [True]
    error = failure_in(outcome["outcome"][0])
    assert isinstance(error, StoreError)
    assert "same on every machine" in error.remedy


def test_an_empty_file_is_no_job(tmp_path: Path, job: Ingest) -> None:
    empty = write(tmp_path / "empty.jsonl", [])
    assert ingest(replace(job, files=[empty])).messages == 0


def test_a_changed_file_is_read_anew(chat: Path, job: Ingest) -> None:
    with pytest.raises(KeyboardInterrupt):
        ingest(job, engine=Stopped(after=1))
    with chat.open("a") as file:
        file.write(json.dumps({"space": "late", "role": "user", "content": "Hi", "at": "2024-06-01"}) + "\n")
    os.utime(chat, ns=(1, 1))
    report = ingest(job)
    assert (report.messages, report.resumed) == (33, 0)
    assert turns_in(job.store) == 33
