import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from goalmem.errors import FormatError, InputError
from goalmem.records import Hit, Turn
from goalmem.retrieve.fusion import SIGNAL_NAMES
from goalmem.retrieve.settings import Weights
from goalmem_lab.evals.longmemeval import evaluate, rank_sessions
from goalmem_lab.evals.longmemeval_data import read_longmemeval
from goalmem_lab.evals.selection import Selection

KEYS = {"questions", "scope", "any@5", "all@5", "any@10", "all@10", "by_type", "seconds_ingest", "seconds_search_p50"}
ALL = sorted(SIGNAL_NAMES)
TIMES = ("seconds_ingest", "seconds_search_p50")
DATA = Path(__file__).parents[4] / "shared" / "data" / "longmemeval"


def untimed(figures):
    return {key: value for key, value in figures.items() if key not in TIMES}


@pytest.mark.parametrize("scope", ["haystack", "pool"])
def test_figures_have_their_names(folder, embedder, tmp_path, scope):
    figures = evaluate(folder, scope=scope, embedder=embedder, state=tmp_path)
    assert figures.keys() >= KEYS
    assert figures["scope"] == scope
    assert {*figures["by_type"]} == {"single-session-user", "multi-session"}
    for part in figures["by_type"].values():
        assert part.keys() == {"questions", "any@5", "all@5", "any@10", "all@10"}


def test_figures_are_shares_of_questions(folder, embedder, tmp_path):
    figures = evaluate(folder, embedder=embedder, state=tmp_path)
    assert (figures["questions"], figures["without_evidence"]) == (3, 1)
    assert figures["any@10"] == figures["all@10"] == 1.0
    assert figures["any@5"] == figures["all@5"] == 1.0


@pytest.mark.parametrize("scope", ["haystack", "pool"])
def test_both_layouts_give_the_same(official, folder, embedder, tmp_path, scope):
    one, other = (evaluate(p, scope=scope, embedder=embedder, state=tmp_path / "state") for p in (official, folder))
    assert untimed(one) == untimed(other)


def test_layouts_read_the_same(official, folder):
    assert read_longmemeval(official) == read_longmemeval(folder)


def test_labels_are_no_input(folder):
    dataset = read_longmemeval(folder)
    assert all(len(message) == 2 for dated in dataset.pool for message in dated.messages)


def test_labels_name_places_among_the_turns_that_say_something(folder):
    lines = (folder / "sessions.jsonl").read_text().splitlines()
    row = json.loads(lines[0])
    row["turns"] = [{"role": "assistant", "content": " "}, *row["turns"]]
    (folder / "sessions.jsonl").write_text("\n".join([json.dumps(row), *lines[1:]]))
    labelled = {dated.session: dated.labelled for dated in read_longmemeval(folder).pool}
    assert {name: places for name, places in labelled.items() if places} == {"dog": {0}, "bike": {0}, "lamp": {0}}


def test_switching_a_signal_off_is_seen(folder, embedder, tmp_path):
    both = [evaluate(folder, embedder=embedder, state=tmp_path, without=off) for off in ((), ALL)]
    assert both[0]["all@5"] == 1.0
    assert both[1]["all@5"] < 1.0


def test_an_unknown_signal_is_refused_with_those_there_are(folder, embedder, tmp_path):
    with pytest.raises(InputError, match=r"'magic'.*dense.*lexical"):
        evaluate(folder, without=["magic"], embedder=embedder, state=tmp_path)


def test_weights_other_than_those_that_ship_are_used(folder, embedder, tmp_path):
    silent = Weights(**dict.fromkeys(Weights().as_dict(), 0.0))
    assert evaluate(folder, weights=silent, embedder=embedder, state=tmp_path)["all@5"] < 1.0


def test_a_limit_takes_the_first(folder, embedder, tmp_path):
    assert evaluate(folder, selection=Selection(1), embedder=embedder, state=tmp_path)["questions"] == 1


def test_an_interrupted_run_goes_on(folder, embedder, tmp_path):
    whole = evaluate(folder, embedder=embedder, state=tmp_path / "whole")
    state = tmp_path / "state"

    def interrupt(what, done, total):
        if (what, done) == ("questions", 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(folder, embedder=embedder, state=state, progress=interrupt)
    (kept,) = state.iterdir()
    assert kept.read_text().count('"key"') == 2
    kept.write_text(kept.read_text() + '{"key": "q3_abs", "resu')

    asked = []

    class Counting(type(embedder)):
        def embed(self, texts):
            asked.extend(texts)
            return super().embed(texts)

    assert untimed(evaluate(folder, embedder=Counting(), state=state)) == untimed(whole)
    assert not any("beagle did I adopt" in text for text in asked)
    assert list(state.iterdir()) == []


def test_a_run_never_goes_on_from_another(folder, embedder, tmp_path):
    def interrupt(what, done, total):
        if done == 1:
            raise KeyboardInterrupt

    for options in ({}, {"without": ["dense"]}, {"scope": "pool"}):
        with pytest.raises(KeyboardInterrupt):
            evaluate(folder, embedder=embedder, state=tmp_path / "state", progress=interrupt, **options)
    assert len(list((tmp_path / "state").iterdir())) == 3


def test_progress_reaches_its_end(folder, embedder, tmp_path):
    ticks = []
    evaluate(folder, embedder=embedder, state=tmp_path, progress=lambda *tick: ticks.append(tick))
    assert ticks[-1] == ("questions", 4, 4)


def test_an_unknown_scope_is_refused(folder, embedder):
    with pytest.raises(InputError, match="galaxy"):
        evaluate(folder, scope="galaxy", embedder=embedder)


@pytest.mark.parametrize(
    ("name", "line", "place"),
    [
        ("questions.jsonl", '{"question_id": "x"', "questions.jsonl, line 5"),
        ("questions.jsonl", "[1]", "questions.jsonl, line 5"),
        ("questions.jsonl", '{"question_id": "x"}', "questions.jsonl, line 5"),
        ("sessions.jsonl", '{"session_id": "x", "date": "someday", "turns": []}', "sessions.jsonl, line 10"),
        ("sessions.jsonl", '{"session_id": "x", "date": "2023/05/10", "turns": [{"role": "user"}]}', r"turns\[0\]"),
        ("sessions.jsonl", '{"session_id": "dog", "date": "2023/05/10", "turns": []}', "'dog'"),
    ],
)
def test_bad_data_are_named_with_their_place(folder, name, line, place):
    with (folder / name).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(FormatError, match=place):
        read_longmemeval(folder)


def test_a_session_that_is_missing_is_named(folder):
    lines = (folder / "sessions.jsonl").read_text().splitlines(keepends=True)
    (folder / "sessions.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(FormatError, match=r"questions.jsonl, line 1.haystack\[0\]"):
        read_longmemeval(folder)


@pytest.mark.parametrize(
    "change", [{"haystack_dates": []}, {"haystack_sessions": 3}, {"question_date": None}, {"answer_session_ids": [1]}]
)
def test_bad_official_rows_are_named(official, change):
    rows = json.loads(official.read_text())
    rows[1] |= change
    official.write_text(json.dumps(rows))
    with pytest.raises(FormatError, match=r"\[1\]"):
        read_longmemeval(official)


@pytest.mark.parametrize("content", ["", "{", "{}", "[]", "[3]", "\ufeff[", "[" * 100_000])
def test_what_is_no_list_of_questions_is_refused(official, content):
    official.write_text(content)
    with pytest.raises(FormatError, match="longmemeval_s"):
        read_longmemeval(official)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(FormatError, match="sessions"):
        read_longmemeval(tmp_path)
    with pytest.raises(FormatError, match="gone"):
        read_longmemeval(tmp_path / "gone.json")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="UTF-8"):
        read_longmemeval(tmp_path / "x.json")


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the development data are not here")
def test_the_development_data_can_be_read():
    dataset = read_longmemeval(DATA)
    assert (len(dataset.questions), len(dataset.pool)) == (252, 612)
    assert all(q.evidence <= {dated.session for dated in q.haystack} for q in dataset.questions)


def test_sessions_are_ranked_by_their_turns():
    def hit(session, number, score):
        turn = Turn(
            f"{session}{number}", "s", session, number, "Maya", "user", "A beagle.", datetime(2024, 5, 3, tzinfo=UTC)
        )
        return Hit(turn, score, {})

    hits = [hit("june", 0, 0.9), hit("may", 0, 0.8), hit("may", 1, 0.7)]
    ranked = rank_sessions(hits)
    assert [found.session for found in ranked] == ["may", "june"]
    assert [len(found.hits) for found in ranked] == [2, 1]
    assert rank_sessions(hits, 1) == ranked[:1]
    assert rank_sessions([]) == []
