import pytest
from tests.judges import Telling

from goalmem import Memory
from goalmem.models.protocol import Excerpt, Verdict
from goalmem.questions.whole_question import is_asked_whether, whether_goal, whether_question
from goalmem.sources.passages.yes_no import Opinion, deciding_opinion, evades, opinions


def test_yes_entailed_and_no_contradicted_count_alike():
    judge = Telling({("so?", "yes"): Verdict(0.9, 0.0, 0.1), ("so?", "no"): Verdict(0.0, 0.7, 0.3)})
    (opinion,) = opinions(judge, "so?", [Excerpt("it is", "Ann")])
    assert (opinion.yes, opinion.no) == pytest.approx((0.8, 0.0))
    assert opinion.verdict == "entailed"


def test_the_surest_turn_decides_and_a_turn_against_it_makes_it_less_sure():
    alone = deciding_opinion([Opinion(0.1, 0.1), Opinion(0.1, 0.9)])
    against = deciding_opinion([Opinion(0.7, 0.1), Opinion(0.1, 0.9)])
    assert alone is not None
    assert against is not None
    assert alone[0] == against[0] == 1
    assert alone[1] > against[1]
    assert deciding_opinion([]) is None
    assert deciding_opinion([Opinion(0.55, 0.1)]) is None  # nobody is sure


def test_the_fewer_turns_there_are_the_surer_the_one_that_decides_must_be():
    near, surely = Opinion(0.8, 0.0), Opinion(0.96, 0.0)
    of_many = deciding_opinion([near] + [Opinion(0.0, 0.0)] * 9)
    assert of_many is not None
    assert deciding_opinion([near]) is None
    alone = deciding_opinion([surely])
    assert alone is not None
    assert alone[1] < 0.96


def test_a_reply_to_the_question_itself_need_not_be_surer_in_a_small_memory():
    direct = deciding_opinion([Opinion(0.8, 0.0, direct=True)])
    assert direct is not None
    assert deciding_opinion([Opinion(0.8, 0.0)]) is None


def test_what_only_a_relative_does_decides_nothing_about_the_person():
    question = "Did Maya buy a lamp?"
    judge = Telling({(question, "no"): Verdict(0.99, 0.0, 0.01), (question, "yes"): Verdict(0.0, 0.99, 0.01)})
    for text, answer in (("Maya's sister bought a lamp.", "I don't know"), ("Maya came by without one.", "No")):
        with Memory(judge=judge) as memory:
            memory.add([{"role": "user", "name": "Leo", "content": text}])
            assert memory.ask(question).text == answer


class Finding:
    """A judge that is sure of `yes` wherever a word stands in what it sees, and of nothing else."""

    name = "finding"

    def __init__(self, word):
        self.word = word

    def judge(self, pairs):
        sure = {"yes": Verdict(0.99, 0.0, 0.01), "no": Verdict(0.0, 0.99, 0.01)}
        return [
            sure[statement.answer]
            if self.word in f"{excerpt.before} {excerpt.text}" and statement.answer in sure
            else Verdict(0.0, 0.0, 1.0)
            for statement, excerpt in pairs
        ]


def told_then(first, later):
    """A memory of two sessions of Petra, whose judge is sure of whatever mentions Utrecht."""
    memory = Memory(judge=Finding("Utrecht"))
    for session, day, texts in (("first", "2026-01-04", first), ("second", "2026-03-04", later)):
        told = [{"role": "user", "name": "Petra", "content": text} for text in texts]
        if told:
            memory.add(told, session=session, at=f"{day}T10:00:00")
    return memory


@pytest.mark.parametrize("behind", [["I love olives."], ["It rained all day."], []])
def test_what_was_replaced_decides_nothing_also_not_in_the_line_before(behind):
    question = "Does Petra ever call Utrecht her home?"
    with told_then(["I live in Utrecht.", *behind], []) as memory:
        assert memory.ask(question, at="2026-06-01").text == "Yes"
    with told_then(["I live in Utrecht.", *behind], ["I moved to Leiden last week."]) as memory:
        assert memory.ask(question, at="2026-06-01").text != "Yes"


ASKED = "Ann: Hey, Mia said you were looking at vans. Did you buy a van?"


@pytest.mark.parametrize(
    ("reply", "evasive"),
    [
        ("Hang on, the doorbell. Back later!", True),
        ("haha", True),
        ("I'm making soup, what do you want for dinner?", True),
        ("Why do you ask?", True),
        ("Money is tight this month. The boiler broke, it turned out.", True),
        ("Who told you?", True),
        ("Yes!", False),
        ("A blue one, yes.", False),
        ("I did, last Friday.", False),
        ("I didn't.", False),
        ("Can't, no money.", False),
        ("busy, talk later", True),
        ("Never.", False),
        ("Couldn't afford it.", False),
        ("The van is in the garage.", False),
    ],
)
def test_a_reply_that_evades_a_question_decides_nothing(reply, evasive):
    assert evades("Did Tom buy a van?", Excerpt(reply, "Tom", before=ASKED)) is evasive
    assert not evades("Did Tom buy a van?", Excerpt(reply, "Tom", before="Ann: I saw Tom. He has a boat."))


def test_a_property_answers_a_question_about_one():
    asked = "Ann: Is the flat warm?"
    assert not evades("Is Bo's flat warm?", Excerpt("icy lol", "Bo", before=asked))
    assert evades("Is Bo's flat warm?", Excerpt("lol", "Bo", before=asked))


def test_a_goal_of_yes_or_no_quotes_its_question():
    (atom,) = whether_goal("Did Ann move?", "Did Ann move?").atoms
    assert whether_question(atom) == "Did Ann move?"


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Did Ann move?", True),
        ("is my mum still walking with a stick", True),
        ("So, has the parcel come?", True),
        ("After the change, was it faster than grep -c?", True),
        ("was it ready or not?", True),
        ("Is it red or blue?", False),
        ("What did Ann buy?", False),
        ("Tell me about Ann.", False),
        ("When was the van washed?", False),
    ],
)
def test_what_yes_or_no_answers_is_told_from_what_it_does_not(analyzer, question, asks):
    assert is_asked_whether(analyzer.docs([question])[0]) is asks


TURN = "the chairs from Ikea came on tuesday, all in one piece"


@pytest.mark.parametrize(("sure", "answer"), [(Verdict(0.97, 0.01, 0.02), "Yes"), (Verdict(0.01, 0.97, 0.02), "No")])
def test_a_question_of_yes_or_no_is_decided_by_what_is_retrieved(open_memory, sure, answer):
    other = Verdict(sure.contradicted, sure.entailed, sure.not_said)
    question = "Was any of the furniture damaged?"
    judge = Telling({(question, "yes"): sure, (question, "no"): other})
    memory = open_memory(judge=judge)
    memory.add({"role": "user", "name": "Ann", "content": TURN})
    found = memory.ask(question)
    assert found.text == answer
    assert found.proof is not None
    (quoted,) = (node.evidence[0].quote for _, node in found.proof.root.walk() if node.evidence)
    assert quoted == TURN
    assert memory.verify(found.proof).ok
    judge.told[question, "yes"], judge.told[question, "no"] = other, sure
    assert not memory.verify(found.proof).ok  # it asks the judge again
    judge.told = {key: Verdict(0.4, 0.1, 0.5) for key in judge.told}
    assert not memory.verify(found.proof).ok  # it leans the same way, and is not sure


def test_what_the_judge_finds_nowhere_stays_open(open_memory):
    memory = open_memory(judge=Telling({}))
    memory.add({"role": "user", "name": "Ann", "content": TURN})
    assert not memory.ask("Was any of the furniture damaged?").known
    assert not memory.ask("Where did the chairs come from?").known


def test_without_a_judge_nothing_is_read(open_memory):
    from goalmem import Settings

    memory = open_memory(settings=Settings(judge="none"))
    memory.add({"role": "user", "name": "Ann", "content": TURN})
    assert not memory.ask("Was any of the furniture damaged?").known
