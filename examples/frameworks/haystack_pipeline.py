"""A Haystack pipeline with a memory: messages are written, and recalled before a prompt is built.

The pipeline is written as YAML and read again, as one that is deployed is. The generator is a stand-in that looks into the
prompt, so that this runs anywhere. Haystack's own telemetry is switched off.
"""

import os
import tempfile
from pathlib import Path

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.dataclasses import ChatMessage

from goalmem.integrations.frameworks.haystack import MemoryContextBuilder, MemoryRetriever, MemoryWriter

EARLIER = [
    ChatMessage.from_user("I loved the ramen bar on Elm Street.", name="Maya", meta={"at": "2024-05-02T20:00:00"}),
    ChatMessage.from_user("My sister Ilse lives in Ghent.", name="Ruben", meta={"at": "2024-05-02T20:01:00"}),
]
TEMPLATE = "{{ context }}\n{% for d in documents %}{{ d.meta.speaker }} said so.{% endfor %}\n{{ query }}"


@component
class StandIn:
    """Stand-in for a generator: replies from the prompt."""

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, list[str]]:
        """One reply."""
        known = "ramen bar on Elm Street" in prompt and "Maya said so." in prompt
        return {"replies": ["A table at the ramen bar on Elm Street." if known else "Which one do you mean?"]}


def main() -> None:
    """Write, then answer a request that only makes sense with what was written."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder, "life.db"))
        writer = MemoryWriter(place, space="trips", session="chat")
        print(writer.run(EARLIER)["messages_written"], writer.run(EARLIER)["messages_written"])
        made = Pipeline()
        made.add_component("context", MemoryContextBuilder(place, space="trips", max_tokens=400))
        made.add_component("turns", MemoryRetriever(place, space="trips", top_k=1))
        made.add_component("prompt", PromptBuilder(TEMPLATE, required_variables="*"))
        made.connect("context.context", "prompt.context")
        made.connect("turns.documents", "prompt.documents")
        pipeline = Pipeline.loads(made.dumps(), allowed_modules=["goalmem.*"])
        pipeline.add_component("model", StandIn())
        pipeline.connect("prompt.prompt", "model.prompt")
        request = "Book us a table at the place Maya loved."
        result = pipeline.run({name: {"query": request} for name in ("context", "turns", "prompt")})
        print(f"> {request}\n{result['model']['replies'][0]}")


if __name__ == "__main__":
    main()
