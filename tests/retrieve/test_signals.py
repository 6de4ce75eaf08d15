"""The signals that score every turn of a space."""

from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve import signals
from goalmem.retrieve.fusion import SIGNAL_NAMES
from goalmem.retrieve.query import named_speakers
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.signals import SIGNALS, quoted_phrases, spread
from goalmem.retrieve.temporal import QuestionTimes, Window
from tests.retrieve.asking import asked, day, seen, vector
from tests.retrieve.reading import extracted, read
from tests.retrieve.telling import Told


@pytest.fixture
def chat(told):
    told.say(
        ("user", "I bought a red lamp."),
        ("assistant", "A red lamp it is, red as a red rose."),
        ("user", "Lamps are nice."),
        ("Maya", "I bought a lamp."),
        at=day(1),
    )
    return told


@pytest.fixture
def understood(opened):
    """A memory whose turns are read for real."""

    def extract(turns):
        return extracted(*(f"{turn.speaker}: {turn.text}" for turn in turns))

    told = Told(opened(), extract=extract)
    told.say(
        ("user", "I love strong coffee."),
        ("user", "I remember when we played the piano in the old house."),
        ("user", "Maya adopted a beagle."),
        ("user", "The beagle saw Maya."),
        ("user", "Coffee is sold in shops."),
    )
    return told


def test_meaning_is_the_cosine_of_the_nearest_passage(chat):
    query = asked(chat, "red lamp")
    texts = (
        "I bought a red lamp.",
        "A red lamp it is, red as a red rose.",
        "Lamps are nice.",
        "Maya: I bought a lamp.",
    )
    expected = [float(vector(text) @ vector("red lamp")) for text in texts]
    assert signals.dense(query).tolist() == pytest.approx(expected, abs=0.01)  # vectors are kept in 8 bits


def test_only_people_speak_personally(chat):
    own = np.array([True, False, False, True])
    view = seen(chat)
    query = asked(chat, "lamp", view=replace(view, personal=own))
    scores = signals.personal(query)
    assert scores.tolist() == pytest.approx(np.where(own, np.maximum(signals.dense(query), 0), 0).tolist())
    assert signals.personal(asked(chat, "lamp")) is None  # stored without features


def test_words_are_a_share_of_the_most_they_could_give(chat):
    scores = signals.lexical(asked(chat, "red lamp"))
    assert 0 < scores[2] < scores[0] < scores[1] < 1
    # What nobody said lowers the share: more was asked for than found.
    assert signals.lexical(asked(chat, "red lamp zeppelin"))[0] < scores[0]


@pytest.mark.parametrize("text", ["", "?!", "who was it", "\ud800"])
def test_a_query_without_terms_says_nothing_by_words(chat, text):
    assert signals.lexical(asked(chat, text)) is None


def test_structure_tells_who_did_what_to_whom(understood):
    scores = signals.logic(asked(understood, "x", anatomy=read("Who adopted the beagle?")))
    assert scores.argmax() == 2
    assert scores.min() >= 0
    assert scores.max() <= 1


def test_likings_count_where_a_recommendation_is_wanted(understood):
    wanted = signals.preference(asked(understood, "x", anatomy=read("Can you recommend a place for coffee?")))
    assert wanted.tolist() == [1, 0, 0, 0, 0]
    assert signals.preference(asked(understood, "x", anatomy=read("Where is coffee sold?"))) is None


def test_the_past_for_its_own_sake_finds_the_like(understood):
    nostalgic = read("I feel nostalgic about the old days.")
    assert signals.reminiscence(asked(understood, "x", anatomy=nostalgic)).tolist() == [0, 1, 0, 0, 0]
    assert signals.reminiscence(asked(understood, "x", anatomy=read("Who plays the piano?"))) is None


def test_what_was_stored_without_features_says_nothing(chat):
    assert SIGNALS["logic"](asked(chat, "x", anatomy=read("Who bought the lamp?"))) is None


def test_the_named_speaker_is_told_apart(chat):
    view = seen(chat)
    for text in ("What did Maya buy?", "maya's lamp", "MAYA!"):
        query = asked(chat, text, view=view, speakers=named_speakers(text, view))
        assert signals.speaker(query).tolist() == [0, 0, 0, 1]
    for text in ("What did the user buy?", "mayak", "assistant"):
        assert named_speakers(text, view) == ()
    assert signals.speaker(asked(chat, "lamp")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which lamp did I buy?", [1, 0, 1, 0]),
        ("What's my lamp like?", [1, 0, 1, 0]),
        ("I've a lamp?", [1, 0, 1, 0]),
        ("Which lamp did you name?", [0, 1, 0, 0]),
        ("Did you see my lamp?", None),
        ("Which lamp?", None),
    ],
)
def test_i_means_the_user_and_you_the_assistant(chat, text, expected):
    scores = signals.person(asked(chat, text))
    assert (None if scores is None else scores.tolist()) == expected


def test_what_was_recommended_was_the_assistants_and_who_asks_for_advice_is_the_user(chat):
    remind = read("Can you remind me what you recommended for my desk?")
    advise = read("Can you recommend me a lamp?")
    assert signals.person(asked(chat, "you, my", anatomy=remind)).tolist() == [0, 1, 0, 0]
    assert signals.person(asked(chat, "you, me", anatomy=advise)).tolist() == [1, 0, 1, 0]


def test_i_means_who_asks_where_that_is_known(chat):
    assert signals.person(asked(chat, "my lamp", asker="Maya")).tolist() == [0, 0, 0, 1]
    assert signals.person(asked(chat, "my lamp", asker="user")).tolist() == [1, 0, 1, 0]
    assert signals.person(asked(chat, "my lamp", asker="Nobody")).tolist() == [0, 0, 0, 0]
    assert signals.person(asked(chat, "your lamp", asker="Maya")).tolist() == [0, 1, 0, 0]
    assert signals.person(asked(chat, "the lamp", asker="Maya")) is None


def test_a_time_named_prefers_what_was_said_then(told):
    for number in range(1, 11):
        told.say(("user", "Well."), session=f"{number}", at=day(number))
    window = Window(datetime(2024, 5, 4), datetime(2024, 5, 5), precise=True)
    scores = signals.time(asked(told, "Well?", times=QuestionTimes((window,))))
    assert scores.argmax() == 3
    assert scores[4] > scores[2] > scores[0]  # people tell of a thing soon after it, or just before
    assert signals.time(asked(told, "Well?", times=QuestionTimes(ordering="last"))) is None


def test_a_phrase_marks_the_turns_that_hold_it(chat):
    assert signals.phrase(asked(chat, "x", phrase_rows=(1, 3))).tolist() == [0, 1, 0, 1]
    assert signals.phrase(asked(chat, "x")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Who said "over and out"?', ["over and out"]),
        ("Who sang ‘Blue Moon’ and “Moon River”?", ["Blue Moon", "Moon River"]),
        ("What is 'the long road' about?", ["the long road"]),
        ("Maya's and Leo's lamps", []),
        ('""', []),
        ('"', []),
        ("", []),
    ],
)
def test_quoted_phrases(text, expected):
    assert quoted_phrases(text) == expected


def test_every_signal_keeps_between_nothing_and_one(understood):
    query = asked(
        understood,
        "Did I love coffee?",
        anatomy=read("Can you recommend coffee? I feel nostalgic."),
        speakers=(0,),
        phrase_rows=(0,),
        times=QuestionTimes((Window(datetime(2024, 5, 1), datetime(2024, 5, 2)),)),
    )
    for name, signal in SIGNALS.items():
        scores = signal(query)
        assert scores is not None, name
        assert (scores.shape, scores.dtype) == ((5,), np.float32)
        assert -1e-3 <= scores.min() <= scores.max() <= 1 + 1e-3, name


def test_there_is_one_name_for_everything_that_can_be_switched_off():
    assert {*SIGNALS, "context", "session", "theme", "bridge", "preservation", "coverage"} <= SIGNAL_NAMES


# -- context ------------------------------------------------------------------------------------------------------------


def lent(query, own):
    """What neighbours lend, turn by turn."""
    settings, previous = query.settings, query.view.previous
    leaning = settings.context_length / (settings.context_length + query.view.lengths)
    around = np.zeros(len(own))
    for row in range(len(own)):
        for weights, forwards in ((settings.before, True), (settings.after, False)):
            earlier = row
            for weight in weights:
                earlier = previous[earlier]
                if earlier < 0:
                    break
                taker, lender = (row, earlier) if forwards else (earlier, row)
                around[taker] += weight * own[lender] * leaning[lender] * leaning[taker]
    substance: np.ndarray = query.view.lengths / (query.view.lengths + settings.context_substance)
    return around * substance


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.floats(0, 1, width=16)), min_size=1, max_size=25),
    st.sampled_from([((0.8, 0.4), (0.5, 0.2)), ((1.0,), ()), ((), (0.5, 0.2)), ((), ())]),
)
def test_neighbours_of_a_session_lend_more_the_shorter_both_are(turns, weights):
    last: dict[int, int] = {}
    previous = []
    for row, (session, _, _) in enumerate(turns):
        previous.append(last.get(session, -1))
        last[session] = row
    lengths = np.array([length for _, length, _ in turns], dtype=np.float32)
    before, after = weights
    # As much of a query as context looks at.
    view = SimpleNamespace(previous=np.array(previous, dtype=np.int32), lengths=lengths)
    query = SimpleNamespace(view=view, settings=RetrievalSettings(before=before, after=after))
    own = np.array([score for *_, score in turns], dtype=np.float32)
    kept = own.copy()
    assert spread(query, own).tolist() == pytest.approx(lent(query, own).tolist(), abs=1e-5)
    assert (own == kept).all()


def test_a_short_reply_gets_more_than_an_essay(told):
    told.say(("Leo", "What is the beagle called?"), ("Maya", "Biscuit!"), session="1")
    told.say(("Leo", "What is the beagle called?"), ("Maya", "Well, " + "so much to tell you now " * 40), session="2")
    query = asked(told, "the beagle's name")
    around = spread(query, signals.lexical(query))
    assert around[1] > 2 * around[3] > 0


def test_a_bare_exclamation_does_not_stand_before_what_it_answers(told):
    told.say(("Maya", "I got a beagle puppy on Sunday."), ("Leo", "Wow!"))
    query = asked(told, "beagle puppy")
    own = signals.lexical(query)
    weights = query.settings.weights
    total = weights.lexical * own + weights.context * spread(query, own)
    assert total[0] > total[1] > 0


def test_a_turn_lends_nothing_to_another_session(told):
    told.say(("Leo", "What is the beagle called?"), session="1")
    told.say(("Maya", "Biscuit!"), session="2")
    query = asked(told, "beagle")
    assert not spread(query, signals.lexical(query)).any()
