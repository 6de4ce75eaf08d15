"""Two friends' conversation over eight months, and questions about it, run through the same code as any other."""

from goalmem.demo.show import DemoQuestion, QuestionOutcome, add_background, ask_all, is_right, remember, show

__all__ = ["DemoQuestion", "QuestionOutcome", "add_background", "ask_all", "is_right", "remember", "show"]
