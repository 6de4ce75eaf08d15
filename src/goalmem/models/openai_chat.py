"""A chat model behind any OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, or one that is hosted."""

from __future__ import annotations

import time

from goalmem.models.chat import ChatReply, ChatRequest
from goalmem.models.chat_failures import CHAT, EndpointName, RequestError
from goalmem.models.chat_wire import ChatRequestForm, body_of, read_reply, weaker
from goalmem.models.openai_requests import OpenAILine

_PATH = "/chat/completions"


class OpenAIChat:
    """A `ChatModel` behind an OpenAI-compatible endpoint. Safe for many threads, and across a fork.

    A JSON schema is asked for by `response_format`; an endpoint that rejects that is asked for any JSON, and one that
    rejects that, too, by the prompt alone. What it takes is remembered for each `schema_name`.
    """

    takes_images = True
    """True if the model accepts images."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        timeout: float = 60.0,
        retries: int = 2,
        concurrency: int = 4,
    ) -> None:
        """Nothing is contacted yet.

        Args:
            url: base address of the endpoint, as `http://127.0.0.1:8000/v1`.
            model: the model's name there.
            key: sent as a bearer token; empty where none is needed.
            timeout: seconds that a call may take with all that is tried again.
            retries: how often a request is repeated that may yet succeed.
            concurrency: calls that run side by side; others wait.

        Raises:
            InputError: the address is none, the model has no name, or the key cannot be sent.
            ModelError: the extra `chat` is not installed.
        """
        self._line = OpenAILine(CHAT, _PATH, url, model, key, timeout=timeout, retries=retries, concurrency=concurrency)
        self._timeout = timeout
        self._forms: dict[str, ChatRequestForm] = {}

    @property
    def name(self) -> str:
        """The model and the address, without the key."""
        return str(self._endpoint)

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r})"

    def reply(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.reply`."""
        # Created before the clock starts: the first call imports the client, which is not the model's time.
        self._line.connect()
        began = time.monotonic()
        allowed = self._timeout if request.seconds is None else min(self._timeout, request.seconds)
        deadline = began + allowed
        try:
            with self._line.place(deadline):
                content = self._ask(request, deadline)
        except RequestError as failure:
            error = failure.error
        else:
            return read_reply(
                self._endpoint.without_key(content), request, self._endpoint.model, time.monotonic() - began
            )
        raise error

    def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        self._line.close()

    @property
    def _endpoint(self) -> EndpointName:
        return self._line.endpoint

    def _ask(self, request: ChatRequest, deadline: float) -> str:
        """The body of the answer; asks in weaker forms until the endpoint takes one."""
        known_as = request.schema_name if request.schema is not None else ""
        form = self._forms.get(known_as, ChatRequestForm())
        while True:
            try:
                content = self._line.ask(body_of(request, self._endpoint.model, form), deadline)
            except RequestError as failure:
                rejected = failure.rejection
                other = weaker(form, rejected, schema=request.schema is not None) if rejected else None
                if other is None:
                    raise
                form = other
            else:
                # Remember only accepted forms: a request may be rejected for other reasons.
                self._forms[known_as] = form
                return content
