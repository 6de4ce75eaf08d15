"""One question asks no model the same thing twice."""

import pytest

from goalmem.models.minilm import MiniLM
from goalmem.models.minilm_judge import MiniLMJudge

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
    answer = memory.ask("Where is the shelter?")
    assert answer.known
    models.judged.clear()
    assert memory.verify(answer).ok
    assert models.judged
