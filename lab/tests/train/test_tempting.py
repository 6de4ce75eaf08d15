from goalmem.models.protocol import PassageReading
from goalmem_lab.train.chance import chance
from goalmem_lab.train.distractors import Tempting
from goalmem_lab.train.documents import Document, Line, Mark, Question
from goalmem_lab.train.examples import CHAT_MIXES, examples, window_as_read
from goalmem_lab.train.similar_lines import Lookalikes

TURNS = (
    ("Ida", "I bought a kettle at the market."),
    ("Bo", "my brother bought a lamp at the market"),
    ("Ida", "the market was crowded"),
    ("Bo", "it rains"),
)
LIFE = Document(
    "lives",
    "one",
    tuple(Line(f"{who}: {what}", who) for who, what in TURNS),
    (
        Question("What did Ida buy at the market?", (Mark(0, 14, 22),)),
        Question("What did Ida pay at the market?", near=2),
    ),
    closed=True,
)


class Liking:
    """Likes the lines with some word."""

    name = "liking"

    def __init__(self, word):
        self.word = word

    def read(self, pairs, *, limit=3):
        return [PassageReading(0.9 if self.word in passage.split("\n")[-1] else 0.1, ()) for _, passage in pairs]


def test_lines_that_share_words_tempt_and_the_answer_does_not():
    tempting = Tempting([LIFE])
    assert {1, 2} <= set(tempting.lines(LIFE, LIFE.questions[0].text))
    assert 0 not in tempting.lines(LIFE, LIFE.questions[0].text)


def test_a_reader_says_what_tempts_most():
    tempting = Tempting([LIFE], Liking("crowded"))
    assert tempting.lines(LIFE, LIFE.questions[0].text)[0] == 2


def test_nothing_tempts_to_another_question():
    assert Tempting([LIFE]).find(LIFE, "Who sang?", chance(1)) is None


def test_a_life_is_read_as_memory_reads():
    assert {window_as_read(LIFE.questions[1], chance(seed)) for seed in range(40)} == {range(1, 3), range(2, 3)}
    made = [
        one
        for seed in range(20)
        for one in examples([LIFE], Lookalikes([LIFE]), seed, CHAT_MIXES, tempting=Tempting([LIFE]))
    ]
    assert all(one.passage.count("\n") <= 1 for one in made if one.spans)
    assert {one.passage[a:b] for one in made for a, b in one.spans} == {"a kettle"}
    assert any(not one.spans for one in made if one.question.casefold().startswith("what did"))
