from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from goalmem.errors import InputError
from goalmem.retrieve.filters import Filters
from goalmem.retrieve.fusion import SIGNAL_NAMES
from goalmem.retrieve.settings import Weights
from tests.cases import one_in
from tests.retrieve.reading import analyzer, extracted
from tests.retrieve.telling import Told, filtered

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
    hits = lives.searcher.search("beagle motorbike kitchen garden", space="s", **filtered(options))
    assert {hit.turn.speaker for hit in hits} == expected


def test_before_and_after_bound_the_time(lives):
    assert {h.turn.session for h in lives.searcher.search("Maya", space="s", filters=Filters(after=JUNE))} == {"june"}
    assert {h.turn.session for h in lives.searcher.search("Maya", space="s", filters=Filters(before=JUNE))} == {"may"}
    local = Filters(before=datetime(2024, 6, 1))
    assert {h.turn.session for h in lives.searcher.search("Maya", space="s", filters=local)} == {"may"}


def test_a_signal_can_be_switched_off(lives):
    hits = lives.searcher.search("Who adopted a beagle?", space="s", without=["dense", "session"])
    assert not any({"dense", "session"} & {*hit.signals} for hit in hits)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": -3}, {"without": ["magic"]}])
def test_bad_options_are_refused(lives, options):
    with pytest.raises(InputError):
        lives.searcher.search("beagle", space="s", **filtered(options))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "query",
    one_in(
        2,
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
    ),
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


# -- as of a day ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def diary(told):
    """One turn a day at noon, the first five days of May, and another at nine in the evening of the third."""
    for number in range(1, 6):
        told.say(("user", f"I ran {number} miles."), session=f"{number}", at=datetime(2024, 5, number, 12, tzinfo=UTC))
    told.say(("user", "I ran once more."), session="3", at=datetime(2024, 5, 3, 21, tzinfo=UTC))
    return told


@pytest.mark.parametrize("hour", [0, 12, 23])
def test_what_was_said_after_the_day_asked_at_is_left_out(diary, hour):
    found = diary.found("How far did I run?", at=datetime(2024, 5, 3, hour, tzinfo=UTC))
    assert {*found} == {"I ran 1 miles.", "I ran 2 miles.", "I ran 3 miles.", "I ran once more."}


def test_a_day_without_a_zone_is_one_of_utc(diary):
    assert diary.found("run", at=datetime(2024, 5, 2)) == diary.found("run", at=datetime(2024, 5, 2, tzinfo=UTC))


def test_a_day_ends_where_the_one_who_asks_is(diary):
    east = timezone(timedelta(hours=10))
    found = diary.found("run", at=datetime(2024, 5, 3, 9, tzinfo=east))
    assert "I ran 3 miles." in found
    assert "I ran once more." not in found  # there it was said on the fourth


def test_before_the_first_day_nothing_was_said(diary):
    assert diary.found("run", at=datetime(2023, 1, 1, tzinfo=UTC)) == []


def test_later_days_than_any_turn_leave_nothing_out(diary):
    assert len(diary.found("run", at=datetime(2031, 1, 1, tzinfo=UTC))) == 6


@pytest.mark.parametrize(("asked", "expected"), [(3, 2), (5, 4)])
def test_yesterday_is_seen_from_the_day_asked_at(diary, asked, expected):
    at = datetime(2024, 5, asked, 8, tzinfo=UTC)
    assert diary.found("How far did I run yesterday?", at=at)[0] == f"I ran {expected} miles."


def test_by_default_a_question_is_asked_at_the_time_of_the_newest_turn(diary):
    assert diary.found("How far did I run yesterday?")[0] == "I ran 4 miles."


def test_the_day_asked_at_and_the_other_bounds_hold_together(diary):
    third = datetime(2024, 5, 3, tzinfo=UTC)
    assert {*diary.found("run", at=third, after=datetime(2024, 5, 2))} == {
        "I ran 2 miles.", "I ran 3 miles.", "I ran once more.",
    }  # fmt: skip
    assert {*diary.found("run", at=third, before=datetime(2024, 5, 3, 12))} == {"I ran 1 miles.", "I ran 2 miles."}
    assert diary.found("run", after=third, before=third) == []


# -- filters -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def understood(opened):
    """A memory whose turns, and queries, are read for real."""

    def extract(turns):
        return extracted(*(f"{turn.speaker}: {turn.text}" for turn in turns))

    told = Told(opened(), extract=extract, parse=lambda text, names: analyzer().docs([text], names)[0])
    told.say(
        ("user", "I love strong coffee."),
        ("assistant", "You could try the roastery on Mill Street."),
        ("user", "I plan to visit Rome next year."),
        ("user", "My bicycle is green."),
        ("user", "Is Rome far from here?"),
        session="1",
        at=MAY,
    )
    told.say(("user", "I wish I had a boat."), session="2", at=JUNE)
    return told


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["preference"], {"I love strong coffee."}),
        (["planned"], {"I plan to visit Rome next year."}),
        (["planned", "preference"], {"I love strong coffee.", "I plan to visit Rome next year."}),
        ([], set()),
    ],
)
def test_kinds_keep_turns_with_such_a_fact(understood, kinds, expected):
    assert {*understood.found("anything", kinds=kinds)} == expected


def test_roles_keep_turns_of_such_a_speaker(understood):
    assert understood.found("Rome", roles=["assistant"]) == ["You could try the roastery on Mill Street."]
    assert len(understood.found("Rome", roles=["user", "assistant"])) == 6
    assert understood.found("Rome", roles=["user"], kinds=["question"]) == ["Is Rome far from here?"]


def test_what_was_stored_without_features_is_of_no_kind(lives):
    assert lives.found("beagle", kinds=["preference", "clause"]) == []


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        ({"kinds": ["hearsay"]}, "'hearsay'", "preference"),
        ({"kinds": ["preference", "x"]}, "'x'", "planned"),
        ({"without": ["magic", "dense"]}, "'magic'", "lexical"),
        ({"k": 0}, "0", "k=1"),
    ],
)
def test_an_error_says_what_there_is(lives, options, problem, remedy):
    with pytest.raises(InputError) as caught:
        lives.searcher.search("beagle", space="s", **filtered(options))
    assert problem in caught.value.problem
    assert remedy in caught.value.remedy


# -- signals -------------------------------------------------------------------------------------------------------------

ASKED = "Can you recommend strong coffee for Rome, and what did I first say of my bicycle in May 2024?"


def test_hits_explain_themselves(understood):
    plain = understood.searcher.search(ASKED, space="s", without=["preservation", "coverage"])
    assert len(plain) == 6
    weights = Weights().as_dict()
    for hit in plain:
        assert {*hit.signals} <= {name for name, weight in weights.items() if weight}
        assert sum(hit.signals.values()) == pytest.approx(hit.score, abs=1e-3)
    hits = understood.searcher.search(ASKED, space="s")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {hit.turn.id: hit.signals for hit in hits} == {hit.turn.id: hit.signals for hit in plain}


@pytest.mark.parametrize("name", one_in(2, sorted(SIGNAL_NAMES)))
def test_any_signal_can_be_left_out(understood, name):
    full = understood.searcher.search(ASKED, space="s")
    less = understood.searcher.search(ASKED, space="s", without=[name])
    assert {hit.turn.id for hit in less} == {hit.turn.id for hit in full}
    assert not any(name in hit.signals for hit in less)
    assert {hit.turn for hit in less} == {hit.turn for hit in full}
    assert understood.searcher.search(ASKED, space="s") == full  # nothing is remembered of it


def test_with_all_signals_left_out_turns_come_as_stored(understood):
    hits = understood.searcher.search(ASKED, space="s", without=SIGNAL_NAMES)
    assert [(hit.turn.position, hit.turn.session) for hit in hits] == [*((n, "1") for n in range(5)), (0, "2")]
    assert all(hit.score == 0 and hit.signals == {} for hit in hits)


def test_two_searchers_of_one_file_say_the_same(lives, opened):
    other = Told(opened())
    for query in ("Who adopted a beagle?", "What did Leo sell in June 2024?", "garden"):
        assert other.searcher.search(query, space="s") == lives.searcher.search(query, space="s")


# -- whatever is asked, and whatever is there -----------------------------------------------------------------------------


def test_without_language_analysis_everything_else_still_works(understood):
    read = understood.searcher.search("What strong coffee do I love?", space="s", k=1)[0]
    unread = Told(understood.store).searcher.search("What strong coffee do I love?", space="s", k=1)[0]
    assert read.turn == unread.turn
    assert "logic" in read.signals
    assert not {"logic", "bridge", "preference"} & {*unread.signals}


def test_a_query_is_not_parsed_where_nothing_needs_it(opened):
    def refuse(text, names):
        raise AssertionError(f"parsed {text!r}")

    told = Told(opened(), parse=refuse)
    told.say(("user", "I love coffee."))
    needless = ["logic", "preference", "reminiscence", "bridge", "coverage"]
    assert told.found("Do I love coffee?", without=needless) == ["I love coffee."]
    assert told.found("coffee " * 500) == ["I love coffee."]  # a document is no question
    with pytest.raises(AssertionError):
        told.found("Do I love coffee?")


@pytest.mark.parametrize("query", ["", "who was it", "?!", "\u200b", "to be or not to be"])
def test_a_query_without_terms_finds_by_the_rest(understood, query):
    hits = understood.searcher.search(query, space="s", k=6)
    assert len(hits) == 6
    assert not any("lexical" in hit.signals or "session_words" in hit.signals for hit in hits)


def test_a_document_as_a_query_still_finds_what_it_shares(told):
    for number, text in enumerate(("I adopted a beagle from the shelter.", "My garden is full of tomatoes.", "Hello.")):
        told.say(("user", text), session=f"{number}")
    document = "The weather stayed mild over the hills for most of that autumn. " * 40 + " tomatoes garden"
    assert len(document) > 2_000
    assert told.found(document, k=1) == ["My garden is full of tomatoes."]


def test_turns_with_and_without_features_stand_side_by_side(opened):
    bare = Told(opened())
    bare.say(("user", "I love tea."), session="old", at=MAY)
    read = Told(opened(), extract=lambda turns: extracted(*(f"{turn.speaker}: {turn.text}" for turn in turns)))
    read.say(("user", "I love tea."), session="new", at=JUNE)
    found = read.searcher.search("Which drink do I love?", space="s")
    assert [hit.turn.session for hit in found] == ["new", "old"]
    assert "personal" in found[0].signals
    assert "personal" not in found[1].signals
    of_taste = read.searcher.search("tea", space="s", filters=Filters(kinds=["preference"]))
    assert {hit.turn.session for hit in of_taste} == {"new"}
