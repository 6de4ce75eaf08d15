"""One question asks no model the same thing twice."""

from datetime import datetime

import pytest

from goalmem.language import Analyzer, analyzer
from goalmem.language.tense import times_said
from goalmem.models.minilm import MiniLM
from goalmem.models.minilm_judge import MiniLMJudge
from goalmem.retrieve.search import Searcher

TOLD = [
    {"role": "user", "name": "Maya", "content": "I adopted a beagle from the shelter in Ghent. He is called Biscuit."},
    {"role": "user", "name": "Leo", "content": "My sister Ines bakes bread for the shelter every Sunday."},
    {"role": "user", "name": "Maya", "content": "I paid 120 euros for the beagle."},
]


class Logged:
    """Bundled models that keep what they were asked."""

    name, dimension = MiniLM().name, MiniLM().dimension

    def __init__(self):
        self.embedded, self.judged = [], []

    def embed(self, texts):
        self.embedded += texts
        return MiniLM().embed(texts)

    def judge(self, pairs):
        self.judged += pairs
        return MiniLMJudge().judge(pairs)


@pytest.mark.parametrize("question", ["Where did Maya's dog come from?", "How much did the beagle cost?"])
def test_a_question_embeds_and_judges_nothing_twice(open_memory, question):
    models = Logged()
    memory = open_memory(embedder=models, judge=models)
    memory.add(TOLD)
    models.embedded.clear()
    memory.ask(question)
    assert models.embedded
    assert len(models.embedded) == len(set(models.embedded))
    assert models.judged
    assert len(models.judged) == len(set(models.judged))


def test_verifying_asks_the_judge_again(open_memory):
    models = Logged()
    memory = open_memory(embedder=models, judge=models)
    memory.add(TOLD)
    answer = memory.ask("How much did the beagle cost?")
    assert answer.known
    models.judged.clear()
    assert memory.verify(answer).ok
    assert models.judged


@pytest.fixture
def parsed(monkeypatch):
    """What the language model parses."""
    keys, parse = [], analyzer._parse

    def noted(language, given):
        keys.extend(given)
        return parse(language, given)

    monkeypatch.setattr(analyzer, "_parse", noted)
    return keys


@pytest.mark.parametrize("question", ["Who sold Ines the oven?", "When did Ines bake bread for Leo's school?"])
def test_a_question_parses_and_searches_nothing_twice(open_memory, parsed, monkeypatch, question):
    searched, rank = [], Searcher.rank
    monkeypatch.setattr(Searcher, "rank", lambda self, text, **how: searched.append(text) or rank(self, text, **how))
    memory = open_memory(analyzer=Analyzer())
    memory.add(TOLD)
    parsed.clear()
    assert not memory.ask(question).known
    assert parsed
    assert len(parsed) == len(set(parsed))
    assert not any("some" in text.split() for text in searched)  # a premise is its subgoal


def test_the_times_of_a_turn_are_read_once_for_all_questions(parsed):
    text, at = "Maya saw the beagle last Friday and again on 3 May.", datetime(2026, 5, 20)
    read = Analyzer()
    first = times_said(text, at, read)
    read._recent.clear()
    assert times_said(text, at, read) == first
    assert len(first) == 2
    assert len(parsed) == 1
