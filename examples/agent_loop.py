"""How an agent uses a memory: look up before it replies, remember after.

`reply` stands for any chat model; what matters is what is put into its prompt and what is kept of the turn.
"""

from collections.abc import Sequence

from goalmem import Hit, Memory


def reply(message: str, recalled: Sequence[Hit]) -> str:
    """Stand-in for a chat model that was given the recalled turns as context."""
    if not recalled:
        return f"Tell me more about that: {message}"
    said = recalled[0].turn
    return f"On {said.at:%d %B %Y} {said.speaker} said: {said.text}"


def main() -> None:
    """Talk for three turns, remembering every one."""
    with Memory(":memory:") as memory:
        for day, message in enumerate(
            (
                "I'm allergic to peanuts.",
                "I fly to Lisbon on Friday with my brother Anton.",
                "What should the kitchen know before I eat there?",
            ),
            start=1,
        ):
            recalled = memory.search(message, space="nadia", k=3)
            answer = reply(message, recalled)
            print(f"> {message}\n{answer}")
            memory.add(
                [
                    {"role": "user", "name": "Nadia", "content": message},
                    {"role": "assistant", "content": answer},
                ],
                space="nadia",
                session=f"day {day}",
                at=f"2024-05-0{day}T09:00:00",
            )


main()
