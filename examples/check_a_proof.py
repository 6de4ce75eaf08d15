"""A proof is a document: keep it, hand it on, check it later, also after the memory has changed."""

from pathlib import Path

from goalmem import Memory, Proof

with Memory(":memory:") as memory:
    receipt = memory.add(
        [{"role": "user", "name": "Ivo", "content": "My sister Lucia lives in Tarnholm."}], at="2024-04-16T21:10:00"
    )
    answer = memory.ask("Where does Ivo's sister live?")
    Path("proof.json").write_text(answer.proof.to_json(), encoding="utf-8")

    proof = Proof.from_json(Path("proof.json").read_text(encoding="utf-8"))
    print("now:", memory.verify(proof).ok)

    memory.forget(turn=receipt.turns[0])
    checked = memory.verify(proof)
    print("after forgetting the turn it rests on:", checked.ok)
    for check in checked.checks:
        if not check.ok:
            print(f"  {check.name}: {check.detail}")
