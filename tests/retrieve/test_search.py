from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from goalmem.errors import InputError
from goalmem.retrieve.sessions import rank_sessions

MAY, JUNE = datetime(2024, 5, 3, 12, tzinfo=UTC), datetime(2024, 6, 20, 12, tzinfo=UTC)


@pytest.fixture
def lives(told):
    """Two people over two months."""
    told.say(
        ("Maya", "I adopted a beagle from the shelter."),
        ("Leo", "What is it called?"),
        ("Maya", "Biscuit!"),
        ("Leo", "My garden is full of tomatoes."),
        session="may",
        at=MAY,
    )
    told.say(
        ("Leo", "I sold my motorbike to a colleague."),
        ("Maya", "I painted the kitchen yellow."),
        ("Leo", "We watched 'The Long Road Home' again."),
        session="june",
        at=JUNE,
    )
    return told


def test_the_best_comes_first(lives):
    hits = lives.searcher.search("Who adopted a beagle?", space="s")
    assert hits[0].turn.text == "I adopted a beagle from the shelter."
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_every_hit_says_what_it_owes_to_which_signal(lives):
    for hit in lives.searcher.search("What did Maya adopt in May 2024?", space="s"):
        assert ("speaker" in hit.signals) == (hit.turn.speaker == "Maya")
        assert sum(hit.signals.values()) == pytest.approx(hit.score, abs=1e-3)


def test_a_turn_is_found_by_what_it_answers(lives):
    assert "Biscuit!" in lives.found("What is the beagle called?", k=3)


def test_a_named_speaker_is_preferred(told):
    told.say(("Maya", "I bought a lamp."), ("Leo", "I bought a lamp."))
    for name in ("Maya", "Leo"):
        assert told.searcher.search(f"What did {name} buy?", space="s")[0].turn.speaker == name
        assert told.searcher.search(f"What is {name}'s lamp like?", space="s")[0].turn.speaker == name


def test_first_person_means_the_user(told):
    told.say(("assistant", "A lamp with a bright shade."), ("user", "A lamp with a bright shade."))
    assert told.searcher.search("Which lamp did I buy?", space="s")[0].turn.role == "user"
    assert told.searcher.search("Which lamp did you name?", space="s")[0].turn.role == "assistant"


def test_a_time_prefers_what_was_said_then(told):
    for month in range(1, 13):
        told.say(("Maya", "We went to the lake."), session=f"{month}", at=datetime(2024, month, 10, tzinfo=UTC))
    asked = datetime(2024, 12, 31, tzinfo=UTC)
    assert told.searcher.search("Where did we go in March 2024?", space="s", at=asked)[0].turn.at.month == 3
    assert (
        told.searcher.search("Where did we go three months ago?", space="s", at=datetime(2024, 9, 10, tzinfo=UTC))[
            0
        ].turn.at.month
        == 6
    )


def test_a_quoted_phrase_counts_as_a_whole(told):
    told.say(("Leo", "The home road was long."), ("Leo", "We watched The Long Road Home."))
    hit = told.searcher.search('What about "the long road home"?', space="s")[0]
    assert hit.turn.text == "We watched The Long Road Home."
    assert hit.signals["phrase"] > 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"speakers": ["Maya"]}, {"Maya"}),
        ({"sessions": ["june"]}, {"Leo", "Maya"}),
        ({"speakers": ["nobody"]}, set()),
        ({"roles": ["assistant"]}, set()),
        ({"before": JUNE, "speakers": ["Leo"]}, {"Leo"}),
    ],
)
def test_filters_keep_what_passes(lives, options, expected):
    hits = lives.searcher.search("beagle motorbike kitchen garden", space="s", **options)
    assert {hit.turn.speaker for hit in hits} == expected


def test_before_and_after_bound_the_time(lives):
    assert {h.turn.session for h in lives.searcher.search("Maya", space="s", after=JUNE)} == {"june"}
    assert {h.turn.session for h in lives.searcher.search("Maya", space="s", before=JUNE)} == {"may"}
    assert {h.turn.session for h in lives.searcher.search("Maya", space="s", before=datetime(2024, 6, 1))} == {"may"}


def test_a_signal_can_be_switched_off(lives):
    hits = lives.searcher.search("Who adopted a beagle?", space="s", without=["dense", "session"])
    assert not any({"dense", "session"} & {*hit.signals} for hit in hits)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": -3}, {"without": ["magic"]}])
def test_bad_options_are_refused(lives, options):
    with pytest.raises(InputError):
        lives.searcher.search("beagle", space="s", **options)


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "\0",
        "\ud800",
        "🐶",
        '"',
        '"beagle',
        "''''",
        "beagle AND NOT (shelter OR *)",
        "NEAR(beagle shelter, 2)",
        "text:beagle^2",
        "'; DROP TABLE turn; --",
        "%s {0} \\",
        "beagle " * 15_000,
        "".join(f"word{n} " for n in range(12_000)),
        "x" * 100_000,
        '"' * 2_000,
        '"beagle" ' * 300,
        '"\ud800\0 beagle"',
        '"*** --- ###"',
        "'NEAR(a b)' \"a AND b\"",
    ],
)
def test_any_query_is_just_text(lives, query):
    assert len(lives.searcher.search(query, space="s", k=3)) == 3


def test_a_space_holds_nothing_of_another(lives):
    lives.say(("Maya", "The beagle of another tenant."), space="t")
    assert all(hit.turn.space == "s" for hit in lives.searcher.search("beagle", space="s"))
    assert [hit.turn.space for hit in lives.searcher.search("beagle", space="t")] == ["t"]
    assert lives.searcher.search("beagle", space="u") == []


def test_another_space_never_changes_a_score(lives):
    def scores():
        return [(hit.turn.id, hit.score) for hit in lives.searcher.search("Who adopted a beagle?", space="s")]

    before = scores()
    lives.say(*(("Maya", f"beagle {n}") for n in range(50)), space="t")
    assert scores() == before


def test_searching_twice_gives_the_same(lives):
    assert lives.searcher.search("garden", space="s") == lives.searcher.search("garden", space="s")


def test_ranking_names_the_turns_that_search_loads(lives):
    ranked = lives.searcher.rank("garden", space="s", k=4)
    hits = lives.searcher.search("garden", space="s", k=4)
    assert [(r.turn, r.score, r.signals) for r in ranked] == [(h.turn.id, h.score, h.signals) for h in hits]


def test_as_many_are_found_as_asked_for(told):
    told.say(*(("Maya", f"Day {n} at the lake.") for n in range(1_100)))
    assert len(set(told.found("lake", k=1_100))) == 1_100
    assert len(told.found("lake", k=5_000)) == 1_100


def test_threads_may_search_together(lives):
    expected = lives.found("garden tomatoes")
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(lambda _: lives.found("garden tomatoes"), range(20)))


def test_sessions_are_ranked_by_their_turns(lives):
    hits = lives.searcher.search("beagle shelter adopted", space="s", k=20)
    ranked = rank_sessions(hits)
    assert [found.session for found in ranked] == ["may", "june"]
    assert sorted(hit.turn.id for found in ranked for hit in found.hits) == sorted(hit.turn.id for hit in hits)
    assert rank_sessions(hits, 1) == ranked[:1]
    assert rank_sessions([]) == []
