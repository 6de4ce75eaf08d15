"""A LangChain model with a memory as its tools, and a retriever over the same memory.

What the model says is written beforehand, so that the example runs anywhere; put a real one in its place.
"""

from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from goalmem import Memory
from goalmem.integrations.frameworks.langchain import GoalmemRetriever, memory_tools

EARLIER = [
    {"role": "user", "name": "Maya", "content": "My sister Ilse lives in Ghent."},
    {"role": "user", "name": "Maya", "content": "Ilse loves rye bread."},
]
RUN: Any = {"configurable": {"user_id": "maya"}}


class Model(GenericFakeChatModel):
    """Stands in for a chat model that calls tools."""

    def bind_tools(self, tools: Any, **options: Any) -> "Model":
        """A real model is told what it may call."""
        del options
        print("tools:", ", ".join(tool.name for tool in tools))
        return self


def calls(name: str, **arguments: Any) -> AIMessage:
    """A message in which the model calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}", "type": "tool_call"}])


def main() -> None:
    """A question, answered with two tools; one call is wrong, and the model is told so."""
    script = [
        calls("remember", text="I adopted a beagle.", speaker="Maya", said_at="some day"),
        calls("ask", question="Where does Maya's sister live?"),
        AIMessage("Ilse lives in Ghent."),
    ]
    with Memory() as memory:
        memory.add(EARLIER, space="maya", session="spring", at="2024-05-02T20:00:00")
        tools = memory_tools(memory, space=lambda config: str(config["configurable"]["user_id"]))
        by_name = {tool.name: tool for tool in tools}
        model = Model(messages=iter(script)).bind_tools(tools)
        said: list[AnyMessage] = [HumanMessage("Where does my sister live?")]
        while True:
            reply = model.invoke(said)
            said.append(reply)
            if not reply.tool_calls:
                break
            for call in reply.tool_calls:
                result: ToolMessage = by_name[call["name"]].invoke(call, RUN)
                print(f"{call['name']} ({result.status}): {result.content}")
                said.append(result)
        print(f"> {said[-1].text}")
        told = next(message for message in said if isinstance(message, ToolMessage) and message.name == "ask")
        print("the proof holds:", memory.verify(told.artifact["proof"]).ok)

        found = GoalmemRetriever(memory=memory, space="maya", k=1).invoke("What does Ilse like to eat?")
        print(f"{found[0].metadata['date']}, {found[0].metadata['speaker']}: {found[0].page_content}")


if __name__ == "__main__":
    main()
