"""Two friends' conversation over eight months, and questions about it, run through the same code as any other."""

from goalmem.demo.marks import DemoQuestion, is_right
from goalmem.demo.show import QuestionOutcome, add_background, ask_all, remember, show

__all__ = ["DemoQuestion", "QuestionOutcome", "add_background", "ask_all", "is_right", "remember", "show"]
