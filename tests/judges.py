"""Judges for tests."""

from goalmem.models.protocol import Verdict

SILENT = Verdict(0.0, 0.0, 1.0)


class Telling:
    """A judge that says what it was told to of (question, answer), whatever the excerpt; of all else nothing."""

    name = "telling"

    def __init__(self, told):
        self.told = told

    def judge(self, pairs):
        return [self.told.get((statement.question, statement.answer), SILENT) for statement, _ in pairs]
