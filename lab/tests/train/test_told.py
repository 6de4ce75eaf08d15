import json

import pytest

from goalmem.errors import FormatError, NotFoundError
from goalmem.language import Analyzer, Extractor
from goalmem_lab.train.templates import told


def session(*texts):
    return json.dumps({"turns": [{"role": "user", "content": text} for text in texts]})


@pytest.fixture(scope="module")
def extractor():
    return Extractor(Analyzer())


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "sessions.jsonl"
    said = ("I bought a red kite in Porto yesterday.", "I painted my kitchen.", "I am learning Greek.")
    path.write_text("\n".join(session(text, "Thanks, that helps.") for text in said * 4), encoding="utf-8")
    return path


def asked(documents):
    return {
        (question.text, document.lines[mark.line].text[mark.start : mark.end], document.lines[mark.line].speaker)
        for document in documents
        for question in document.questions
        for mark in question.answers
    }


def test_questions_name_who_spoke_and_are_answered_by_what_was_said(chats, extractor):
    found = {
        (text.replace(speaker, "S") if speaker != "user" else text.replace("I", "S"), answer.replace(speaker, "S"))
        for text, answer, speaker in asked(told(chats, extractor, 3, lambda done, total: None))
    }
    assert ("What did S paint?", "my kitchen") in found
    assert ("Who painted their kitchen?", "S") in found
    assert ("When did S buy a red kite in Porto?", "yesterday") in found


def test_the_same_seed_gives_the_same_questions(chats, extractor):
    assert told(chats, extractor, 3, lambda done, total: None) == told(chats, extractor, 3, lambda done, total: None)


def test_files_that_are_no_sessions_are_refused(tmp_path, extractor):
    with pytest.raises(NotFoundError):
        told(tmp_path / "gone.jsonl", extractor, 3, lambda done, total: None)
    for content in ("{", "[1]", '{"turns": [{"role": "user"}]}'):
        (tmp_path / "bad.jsonl").write_text(content, encoding="utf-8")
        with pytest.raises(FormatError):
            told(tmp_path / "bad.jsonl", extractor, 3, lambda done, total: None)
