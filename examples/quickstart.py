"""Remember, ask, verify: the three calls that matter."""

from goalmem import Memory

with Memory("quickstart.goalmem") as memory:
    memory.add(
        [
            {"role": "user", "name": "Nadia", "content": "I adopted a dog last Saturday! His name is Wotan."},
            {"role": "user", "name": "Ivo", "content": "Lovely! My sister Lucia is a vet, she lives in Tarnholm."},
        ],
        session="spring",
        at="2024-04-16T21:10:00",
    )
    answer = memory.ask("Where does Ivo's sister live?")
    print(answer.text, f"({answer.status}, confidence {answer.confidence:.2f})")
    for turn in answer.citations:
        print("  because", memory.turn(turn).text)
    print("verified:", memory.verify(answer.proof).ok)
