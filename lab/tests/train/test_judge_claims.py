from goalmem.models.protocol import Excerpt, PassageReading, Span, Statement
from goalmem_lab.train.examples import Example
from goalmem_lab.train.judge_claims import as_questions, elsewhere, read_claims, undecided
from goalmem_lab.train.lives import Claim, Label, Life

PASSAGE = "Bo: what did you buy?\nAnn: a red kite, and Max got a drum"


class Proposing:
    name = "proposing"

    def __init__(self, *words):
        self.words = words

    def read(self, pairs, *, limit=3):
        spans = [[Span(p.index(w), p.index(w) + len(w), 0.4) for w in self.words if w in p][:limit] for _, p in pairs]
        return [PassageReading(0.5, tuple(own)) for own in spans]


def example(question, answer):
    spans = ((PASSAGE.index(answer), PASSAGE.index(answer) + len(answer)),) if answer else ()
    return Example(question, PASSAGE, spans)


def test_a_right_answer_is_entailed_and_a_wrong_proposal_is_not():
    claims = read_claims([example("What did Ann buy?", "a red kite")], Proposing("a drum"), seed=1)
    labels = {c.statement.answer: c.label for c in claims}
    assert labels == {"a red kite": Label.ENTAILED, "a drum": Label.UNSUPPORTED}
    assert all(c.excerpt.speaker == "Ann" and c.excerpt.before == "Bo: what did you buy?" for c in claims)


def test_what_is_proposed_where_nothing_answers_is_not_entailed():
    (claim,) = read_claims([example("What did Bo buy?", "")], Proposing("a red kite", "a drum"), seed=1)
    assert (claim.statement.answer, claim.label) == ("a red kite", Label.UNSUPPORTED)


def test_the_answer_to_another_question_answers_none_but_its_own():
    asked = [example("What did Ann buy?", "a red kite"), example("What did Max get?", "a drum")]
    wrong = {
        (c.statement.question, c.statement.answer)
        for seed in range(40)
        for c in read_claims(asked, Proposing(), seed)
        if c.label is Label.UNSUPPORTED
    }
    assert wrong == {("What did Ann buy?", "a drum"), ("What did Max get?", "a red kite")}


def test_the_same_seed_makes_the_same_claims():
    asked = [example("What did Ann buy?", "a red kite")] * 20
    made = [read_claims(asked, Proposing("a drum"), seed) for seed in (3, 3, 4)]
    assert made[0] == made[1] != made[2]


def test_a_statement_is_not_said_by_turns_that_nobody_cited():
    messages = [{"role": "user", "name": "Ann", "content": f"kite number {n}"} for n in range(12)]
    content = {"sessions": [{"session": "s01", "at": "2025-03-04T09:00:00", "messages": messages}], "questions": []}
    stated = {"statement": "Ann has kite number 3.", "label": "entailed", "evidence": [{"turn": "s01:3"}]}
    made = list(elsewhere(Life("kites", content, [stated]), 1))
    assert made
    assert all(c.label is Label.NOT_SAID and c.excerpt.text != "kite number 3" for c in made)


def test_a_statement_is_asked_with_its_answer():
    excerpt = Excerpt("sold the car", "Ines", None, "")
    stated = [Claim(Statement(f"Ines has sold the car number {n}.", ""), excerpt, Label.ENTAILED) for n in range(60)]
    asked = list(as_questions(stated, 1))
    assert 5 < len(asked) < 40
    assert {(c.statement.answer, c.label) for c in asked} == {("yes", Label.ENTAILED), ("no", Label.CONTRADICTED)}


def test_what_other_turns_leave_open_is_not_said():
    messages = [{"role": "user", "name": "Bo", "content": f"the car again, {n}"} for n in range(9)]
    question = {"question": "Was the car sold?", "answers": ["yes"], "evidence": [{"turn": "s01:0"}]}
    life = Life(
        "one", {"sessions": [{"session": "s01", "at": "2026-01-01", "messages": messages}], "questions": [question]}, []
    )
    claims = list(undecided(life, 3))
    assert len(claims) == 3
    assert all(c.label is Label.NOT_SAID and not c.excerpt.text.endswith(" 0") for c in claims)
