"""An LLM judge beside token F1: is an answer right, in whatever words? Its reply is checked before it counts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from goalmem.errors import ChatError
from goalmem.models.chat import ChatModel, ChatRequest, object_in

ATTEMPTS = 2
"""A reply that is no verdict is asked for once more, with the reason; then the answer stays without one."""
MOST_TOKENS = 64


class Verdict(BaseModel):
    """What a judge replies."""

    model_config = ConfigDict(extra="ignore", strict=True)

    verdict: Literal["right", "wrong"]


@dataclass
class Judge:
    """Judges answers with a chat model; the same answer to the same question once a run."""

    model: ChatModel
    _said: dict[tuple[str, str, str], bool | None] = field(default_factory=dict)

    def __call__(self, question: str, right: str, given: str) -> bool | None:
        """Whether the answer is right; None where the model gave no verdict, or could not be asked."""
        key = (question, right, given)
        if key not in self._said:
            self._said[key] = self._verdict(*key)
        return self._said[key]

    def _verdict(self, question: str, right: str, given: str) -> bool | None:
        material = json.dumps({"question": question, "right": right, "given": given}, ensure_ascii=False)
        reason = ""
        for _ in range(ATTEMPTS):
            request = ChatRequest(
                task="judge",
                system=prompt("judge"),
                user=material + reason,
                schema=Verdict.model_json_schema(),
                schema_name="verdict",
                max_tokens=MOST_TOKENS,
            )
            try:
                reply = self.model.reply(request)
                return Verdict.model_validate_json(object_in(reply.text)).verdict == "right"
            except ChatError:
                return None
            except ValidationError as error:
                reason = (
                    f"\n\nYour last reply was no verdict ({error.error_count()} problems). Reply with the JSON alone."
                )
        return None


@cache
def prompt(name: str) -> str:
    """The instructions in `prompts/<name>.txt`."""
    return resources.files("goalmem_lab.evals").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
