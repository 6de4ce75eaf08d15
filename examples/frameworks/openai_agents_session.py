"""An agent of the OpenAI Agents SDK whose sessions are remembered: what was said in one is known in every later one.

The model is a stand-in that looks into what it was given, so that this runs anywhere, and nothing is traced.
"""

import asyncio
import tempfile
from pathlib import Path

from agents import Agent, RunConfig, Runner, set_tracing_disabled
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from goalmem import Memory
from goalmem.integrations.frameworks.openai_agents import MemorySession, memory_tools, recalling


def replies(call: ModelCall) -> ModelStep:
    """Stand-in for a chat model: asks memory about Ilse, and otherwise replies from what it was given."""
    items = [item for item in call.input if isinstance(item, dict)]
    last = items[-1]
    if last.get("type") == "function_call_output":
        return ModelStep([assistant_message(str(last["output"]).splitlines()[0])])
    if "Where does Ilse" in str(last.get("content")):
        return ModelStep([function_call("ask", {"question": "Where does Ilse live?"}, call_id="call-1")])
    known = "need" in str(last.get("content")) and any("beagle" in str(i.get("content")) for i in items[:-1])
    return ModelStep([assistant_message("Dog food, for your beagle." if known else "I will remember it.")])


async def main() -> None:
    """Two conversations: the second knows of the first, and keeps its own items exactly."""
    set_tracing_disabled(True)
    model = ScriptedModel([ModelStep.respond(replies) for _ in range(6)])
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder, "life.db")) as memory:
        agent = Agent("Desk", model=model, tools=memory_tools(memory, space="maya"))
        recall = RunConfig(call_model_input_filter=recalling(memory, space="maya"))
        for conversation, prompts in {
            "monday": ["I adopted a beagle last Friday.", "My sister Ilse lives in Ghent."],
            "tuesday": ["What do I need for my beagle?", "Where does Ilse live?"],
        }.items():
            session = MemorySession(conversation, memory, Path(folder, "sessions.db"), space="maya", user="Maya")
            for prompt in prompts:
                result = await Runner.run(agent, prompt, session=session, run_config=recall)
                print(f"> {prompt}\n{result.final_output}")
            print(f"{conversation}: {len(await session.get_items())} items")
            session.close()


if __name__ == "__main__":
    asyncio.run(main())
