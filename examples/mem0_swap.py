"""A program written for mem0, with one import changed; and what it can do then besides."""

# Before: `from mem0 import Memory`.
from goalmem.integrations.mem0 import Memory

with Memory("mem0_swap.goalmem") as memory:
    memory.add(
        [
            {"role": "user", "content": "I adopted a beagle last Friday. I live in Tarnholm."},
            {"role": "assistant", "content": "How lovely!"},
        ],
        user_id="maya",
        metadata={"topic": "pets"},
    )
    memory.add("I work at a bakery.", user_id="maya", metadata={"topic": "work"})

    for row in memory.search("Does she have a pet?", filters={"user_id": "maya", "topic": "pets"}, top_k=1)["results"]:
        print("found:", row["memory"])

    job = memory.get_all(filters={"user_id": "maya", "topic": "work"})["results"][0]
    memory.update(job["id"], text="I work at a library.")
    for event in memory.history(job["id"]):
        print("history:", event["event"], event["old_memory"], "->", event["new_memory"])

    # Beyond mem0: an answer that can be checked, or "I don't know".
    answer = memory.ask("Where do I work?", user_id="maya")
    print("answer:", answer, f"({answer.status})")
    print("verified:", memory.goalmem.verify(answer.proof).ok)
    print("unknown:", memory.ask("Who is my dentist?", user_id="maya"))

    memory.delete_all(user_id="maya")
    print("left:", memory.get_all(filters={"user_id": "maya"}))
