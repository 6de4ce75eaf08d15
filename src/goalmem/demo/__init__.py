"""Two friends' conversation over eight months, and questions about it, run through the same code as any other."""

from goalmem.demo.marks import Question, is_right
from goalmem.demo.show import Outcome, add_background, ask_all, remember, show

__all__ = ["Outcome", "Question", "add_background", "ask_all", "is_right", "remember", "show"]
