"""What the page's tests remember: two friends; hostile words; an imported graph; and something to be forgotten."""

from __future__ import annotations

from pathlib import Path

from goalmem import Memory

RULE = "Whoever lives in Leiden lives near the coast."
HOSTILE = '<script>window.hacked = 1</script><img src="x" onerror="window.hacked = 2"> Zora lives in Ghent.'
HOSTILE_NAME = '<b onmouseover="window.hacked = 3">Zora</b>'
REVERSED = "Order \u202etxt.exe\u202c and wait."
HEBREW = "\u200fשלום, אני גר בחיפה."
EMOJI = "👩‍👩‍👧 🎉🎉 I adopted a hedgehog in May 2024. 🦔"
TRIPLES = "Kismet|directed_by|William Dieterle\nWilliam Dieterle|born_in|Ludwigshafen\n"
HOSTILE_SESSION = "</title><script>window.hacked = 4</script>"


def fill(store: Path) -> None:
    """Remember all of it."""
    with Memory(store) as memory:
        _friends(memory)
        memory.add_rules(RULE)
        triples = store.with_suffix(".txt")
        triples.write_text(TRIPLES, encoding="utf-8")
        memory.import_graph(triples, space="films")
        zora = {"role": "user", "name": HOSTILE_NAME}
        memory.add(
            [
                {**zora, "content": HOSTILE},
                {**zora, "content": REVERSED},
                {"role": "user", "name": "נועה", "content": HEBREW},
                {"role": "user", "name": "Ivo", "content": EMOJI},
            ],
            space="hostile",
            session=HOSTILE_SESSION,
            at="2024-06-01T09:00:00",
        )
        memory.add(
            [
                {"role": "user", "name": "Nils", "content": "I live in Bergen."},
                {"role": "user", "name": "Nils", "content": "I bought a kayak in May 2024."},
            ],
            space="leaving",
            session="once",
            at="2024-06-01T09:00:00",
        )


def _friends(memory: Memory) -> None:
    memory.add(
        [
            {
                "role": "user",
                "name": "Petra",
                "content": "I live in Utrecht. My brother Joris bought a canoe last Saturday.",
            },
            {"role": "user", "name": "Emre", "content": "I love olives. I adopted a rabbit last year."},
            {"role": "user", "name": "Petra", "content": "I adopted a tortoise. Did you ever visit Malta?"},
            {"role": "user", "name": "Emre", "content": "No, never. My cousin Selin visited Malta in April 2023."},
            {"role": "user", "name": "Petra", "content": "I have a cat as well. It sleeps on the tortoise."},
        ],
        session="spring",
        at="2024-03-13T18:00:00",
    )
    memory.add(
        [
            {"role": "user", "name": "Petra", "content": "I moved to Leiden last week."},
            {"role": "user", "name": "Emre", "content": "I can't stand olives any more."},
        ],
        session="summer",
        at="2024-06-12T18:00:00",
    )
