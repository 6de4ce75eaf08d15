import pytest

from goalmem_lab.train.cases import Kind, cases
from goalmem_lab.train.chance import chance
from goalmem_lab.train.corpora import TRAINING, read_corpus
from goalmem_lab.train.documents import Document, Line, Mark, Question
from goalmem_lab.train.examples import examples, reworded, window_with, window_without
from goalmem_lab.train.similar_lines import Lookalikes
from goalmem_lab.train.speaker_names import invented_names, swapped

LINES = tuple(Line(f"{who}: {what}", who) for who, what in [
    ("Ada Byron", "I do n't mind ."), ("Max Weber", "I bought a red kite ."), ("Ada Byron", "A red kite ?"),
    ("Max Weber", "Yes ."), ("Ada Byron", "Fly it then ."), ("Max Weber", "Later ."),
])  # fmt: skip
SCENE = Document("friendsqa", "one", LINES, (Question("What did Max buy ?", (Mark(1, 20, 30),)),))


@pytest.fixture
def documents(data):
    return [document for corpus in TRAINING for document in read_corpus(data, corpus)]


def test_every_span_is_an_answer_in_its_passage():
    made = [one for seed in range(60) for one in examples([SCENE], Lookalikes([SCENE]), seed)]
    told = {one.passage[start:end] for one in made for start, end in one.spans}
    assert told == {"a red kite"}
    assert any(not one.spans for one in made)


def test_the_same_seed_gives_the_same_examples(documents):
    alike = Lookalikes(documents)
    assert examples(documents, alike, 3) == examples(documents, Lookalikes(documents), 3)
    assert examples(documents, alike, 3) != examples(documents, alike, 4)


def test_speakers_appear_under_other_names_in_passage_and_question():
    made = [one for seed in range(40) for one in examples([SCENE], Lookalikes([SCENE]), seed) if one.spans]
    renamed = [one for one in made if "Max" not in one.passage]
    assert renamed
    for one in renamed:
        buyers = {line.split(":")[0].split()[0] for line in one.passage.splitlines() if "bought" in line}
        assert buyers & set(one.question.replace("?", " ").split()) or one.question.islower()


@pytest.mark.parametrize("length", range(1, 9))
def test_windows_hold_the_answer_or_none_of_its_words(length):
    for seed in range(20):
        random_ = chance(seed)
        window = window_with(SCENE, SCENE.questions[0], length, random_)
        assert 1 in window
        assert len(window) == min(length, len(LINES))
        empty = window_without(SCENE, SCENE.questions[0], length, random_)
        assert empty is not None
        assert not {1, 2} & set(empty)  # line 2 says it again


def test_a_question_about_the_wrong_person_names_another_speaker():
    wrong = swapped("What did Max buy ?", ["Ada Byron", "Max Weber"], ["Ada Byron"], chance(1))
    assert wrong == "What did Ada buy ?"
    assert swapped("What was bought ?", ["Ada Byron", "Max Weber"], ["Ada Byron"], chance(1)) is None


def test_roles_and_words_are_no_names():
    lines = (Line("user: Hello woman", "user"), Line("Woman: Hi", "Woman"), Line("Bo Li: Hi", "Bo Li"))
    assert set(invented_names(Document("told", "one", lines, ()), chance(1))) == {"Bo", "Li"}


def test_a_question_may_be_a_statement_with_a_gap():
    asked = {reworded("What did Ann Lee buy in Rome ?", chance(seed)) for seed in range(60)}
    assert "Ann Lee bought in Rome what?" in asked
    assert "What did Ann Lee buy in Rome ?" in asked
    assert all(text.lower().startswith(("what did ann", "ann lee")) for text in asked)


def test_lookalikes_share_rare_words_and_not_the_answer():
    filler = [Document("squad", f"filler {n}", (Line(f"Word{n} number{n}."),), ()) for n in range(200)]
    asked = Document("squad", "a", (Line("Rollo ruled Rouen."),), (Question("Who ruled Rouen?", (Mark(0, 0, 5),)),))
    same = Document("squad", "b", (Line("Rouen fell."), Line("Rollo saw Rouen.")), ())
    assert Lookalikes([asked, same, *filler]).find(0, 0, chance(1)) == (1, 0)


def test_cases_are_of_every_kind_there_is():
    made = cases([SCENE], (2,), (1,), 1)
    kinds = {case.kind: case for case in made}
    assert set(kinds) >= {Kind.ANSWER, Kind.WITHOUT, Kind.PERSON}
    assert kinds[Kind.ANSWER].texts == ("a red kite",)
    assert kinds[Kind.WITHOUT].texts == kinds[Kind.PERSON].texts == ()
    assert "Ada" in kinds[Kind.PERSON].question
