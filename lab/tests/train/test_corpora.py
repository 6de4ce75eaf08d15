import pytest

from goalmem.errors import FormatError, NotFoundError
from goalmem_lab.train.corpora import TEST, TRAINING, read_corpus
from goalmem_lab.train.documents import Document, Line, Question, held_out

FRIENDS, MOLWENI, SQUAD, _ = TRAINING


def answered(document):
    return {
        question.text: [document.lines[mark.line].text[mark.start : mark.end] for mark in question.answers]
        for question in document.questions
    }


def test_answers_of_a_dialogue_stand_in_its_printed_lines(data):
    (scene,) = read_corpus(data, FRIENDS)
    assert scene.lines[1].text == "Max Weber: I bought a red kite , Ada ."
    assert scene.dialogue
    assert answered(scene) == {"What did Max buy ?": ["a red kite"], "Who dislikes rain ?": ["Ada Byron"]}


def test_an_unanswerable_question_knows_where_it_seems_to_be_answered(data):
    (dialogue,) = read_corpus(data, MOLWENI)
    asked = {question.text: question for question in dialogue.questions}
    assert answered(dialogue)["How to mount ?"] == ["with fstab"]
    assert asked["Who broke it ?"].answers == ()
    assert asked["Who broke it ?"].near == 1


def test_a_paragraph_is_its_sentences(data):
    (paragraph,) = read_corpus(data, SQUAD)
    assert [line.text for line in paragraph.lines] == [
        "Rollo led the Norse.", "He swore fealty to Charles the Simple.", "The land became Normandy.",
    ]  # fmt: skip
    assert not paragraph.dialogue
    assert answered(paragraph) == {"Who led the Norse?": ["Rollo"], "To whom did he swear?": ["Charles the Simple"]}


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NotFoundError, match=r"friendsqa_test\.json"):
        read_corpus(tmp_path, TEST)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"data": []}', '{"data": [{"paragraphs": 3}]}', "null", "\0"]
)
def test_a_file_in_another_layout_is_refused(data, content):
    for corpus in TRAINING:
        (data / corpus.file).write_text(content, encoding="utf-8")
        with pytest.raises(FormatError, match=corpus.file.replace(".", r"\.")):
            read_corpus(data, corpus)


def document(corpus: str, group: str, text: str) -> Document:
    return Document(corpus, group, (Line(text),), (Question("Who?"),))


def test_what_is_held_out_is_whole_groups_and_always_the_same():
    documents = [document("squad", f"article {n % 40}", f"Text {n}.") for n in range(400)]
    kept, held = held_out(documents, 10)
    assert held_out(documents, 10) == (kept, held)
    assert not {one.group for one in kept} & {one.group for one in held}
    assert len(kept) + len(held) == 400
    assert 0 < len(held) < 120


def test_a_text_that_is_held_out_is_not_trained_on_under_another_name():
    documents = [document("squad", f"article {n}", f"Text {n}.") for n in range(40)]
    again = [document("squad", f"again {n}", f"Text {n}.") for n in range(40)]
    kept, held = held_out([*documents, *again], 10)
    assert held
    assert not {one.lines for one in kept} & {one.lines for one in held}
