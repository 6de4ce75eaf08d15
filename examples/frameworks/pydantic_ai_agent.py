"""A Pydantic AI agent with a memory: what was said in earlier conversations stands before each prompt.

The model is a stand-in that looks into what it was given, so that this runs anywhere. Any of Pydantic AI's models takes its
place: `Agent("openai:gpt-5", …)`.
"""

import asyncio

from pydantic_ai import Agent, ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from goalmem import Memory
from goalmem.integrations.frameworks.pydantic_ai import MemoryCapability

EARLIER = [
    {"role": "user", "name": "Maya", "content": "I loved the ramen bar on Elm Street."},
    {"role": "user", "name": "Ruben", "content": "My sister Ilse lives in Ghent."},
]


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stand-in for a chat model: replies from what stands before the prompt, or asks memory."""
    last = messages[-1]
    assert isinstance(last, ModelRequest)
    told = "\n".join(str(getattr(part, "content", "")) for part in last.parts)
    if any(isinstance(part, ToolReturnPart) for part in last.parts):
        return ModelResponse(parts=[TextPart(told.splitlines()[0])])
    if "parcel" in told:
        return ModelResponse(parts=[ToolCallPart("ask", {"question": "Where does Ilse live?"})])
    known = "ramen bar on Elm Street" in told
    return ModelResponse(parts=[TextPart("A table at the ramen bar on Elm Street." if known else "Which one?")])


async def main() -> None:
    """One prompt that what is remembered answers, one for which the model asks; each user has a space of their own."""
    with Memory() as memory:
        memory.add(EARLIER, space="trips", session="chat", at="2024-05-02T20:00:00")
        remembering = MemoryCapability[str](memory, space=lambda user: user, user="Maya")
        agent = Agent(FunctionModel(model), deps_type=str, capabilities=[remembering])
        for prompt in ("Book us a table at the place Maya loved.", "A parcel for Ilse: to which town?"):
            result = await agent.run(prompt, deps="trips")
            print(f"> {prompt}\n{result.output}")
        print(f"sessions: {len(memory.sessions(space='trips'))}, of others: {len(memory.sessions(space='other'))}")


if __name__ == "__main__":
    asyncio.run(main())
