"""Proofs changed on purpose, by somebody who makes the digest anew: each with what was done to it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from goalmem.logic.evaluate import evaluate
from goalmem.logic.syntax import canonical, format_rule, parse_rule
from goalmem.logic.terms import Aggregate, Binding, Derivation, Rule, Value
from goalmem.proof.document import Judgement, Node, Proof

Forgery = tuple[str, str, Proof]
"""Its kind, what was done, and the proof."""


def forgeries(proof: Proof, others: Sequence[Proof] = ()) -> Iterator[Forgery]:
    """Every forgery of an answered proof that changes what it says; `others` lend their values and quotes."""
    for made in (_left_out, _doubled, _renamed, _questions, _dates, _worth, _statuses, _answers, _judges, _rules):
        yield from made(proof)
    yield from _lent(proof, others)


def forged_answer(proof: Proof) -> Iterator[Forgery]:
    """An unknown proof told as proved, by each of its alternatives and by as far as it came."""
    tops = [*proof.alternatives, *(proof.root.children if proof.root is not None else ())]
    for i, top in enumerate(tops):
        others = tuple(n for n in proof.alternatives if n is not top)
        for kept in dict.fromkeys(((), others)):
            fields = {"status": "proved", "missing": (), "alternatives": kept}
            yield "unknown as proved", f"by {i}, {len(kept)} alternatives kept", with_solutions(proof, (top,), **fields)


def with_solutions(proof: Proof, solutions: Sequence[Node], **fields: object) -> Proof:
    """The proof over these solutions, with the answer that they come to, all scores right, and a new digest."""
    goal = proof.goal.goal(proof.question)
    score = min((s.score for s in solutions), default=0.0)
    root = Node(kind="aggregate", score=score, children=tuple(solutions))
    changed = {"root": root, "confidence": score, **fields}
    if proof.status != "disproved":
        found = [{b.variable.name: b.value for b in s.bindings} for s in solutions]
        result = evaluate(goal, found, datetime.fromisoformat(proof.asked_at))
        changed |= {"answer": result.text, "values": result.values}
    return proof.model_copy(update=changed).digested()


def _left_out(proof: Proof) -> Iterator[Forgery]:
    root = proof.root
    if root is not None and len(root.children) > 1:
        for i in range(len(root.children)):
            rest = (*root.children[:i], *root.children[i + 1 :])
            yield "completeness", f"solution {i} left out", with_solutions(proof, rest)
            if len(rest) == 1 and proof.goal.aggregate is Aggregate.LIST:
                one = proof.model_copy(update={"goal": proof.goal.model_copy(update={"aggregate": Aggregate.ONE})})
                yield "completeness", f"only solution {1 - i}, as the one", with_solutions(one, rest)
    for i in range(len(proof.alternatives)):
        rest = (*proof.alternatives[:i], *proof.alternatives[i + 1 :])
        yield "completeness", f"alternative {i} left out", proof.model_copy(update={"alternatives": rest}).digested()


SPELLINGS: Sequence[Callable[[str], str]] = (str.upper, lambda key: f"the {key}", lambda _: "mars")
"""Other keys for a value of the same words."""


def _doubled(proof: Proof) -> Iterator[Forgery]:
    """A solution counted twice: the second time its value has another key."""
    for solution in proof.root.children if proof.root is not None else ():
        for value in {b.value for b in solution.bindings}:
            for spelt in SPELLINGS:
                again = _valued(solution, value, replace(value, key=spelt(value.key)))
                yield (
                    "doubled",
                    f"{value.text} as {spelt(value.key)}",
                    with_solutions(proof, (*proof.root.children, again)),
                )


def _renamed(proof: Proof) -> Iterator[Forgery]:
    """A value of another key or type, or read in another way, throughout."""
    solutions = proof.root.children if proof.root is not None else ()
    for held in {b for s in solutions for b in s.bindings}:
        made: list[tuple[str, Value]] = [
            (spelt(held.value.key), replace(held.value, key=spelt(held.value.key))) for spelt in SPELLINGS[1:]
        ]
        made += [(kind, replace(held.value, type=kind)) for kind in KINDS if kind != held.value.type]
        for how, new in made:
            changed = [_valued(s, held.value, new) for s in solutions]
            yield "value", f"{held.value.text} as {how or 'nothing'}", with_solutions(proof, changed)
        others = [replace(held, derivation=how) for how in Derivation if how is not held.derivation]
        others += [replace(held, span=span) for span in ("", held.span[1:], held.span[:1]) if span != held.span]
        for other in others:
            changed = [_derived(s, held, other) for s in solutions]
            yield "value", f"{held.value.text} by {other.derivation} {other.span!r}", with_solutions(proof, changed)


KINDS = ("person", "place", "time", "thing", "")


def _valued(node: Node, old: Value, new: Value) -> Node:
    bindings = tuple(replace(b, value=new) if b.value == old else b for b in node.bindings)
    return node.model_copy(
        update={"bindings": bindings, "children": tuple(_valued(c, old, new) for c in node.children)}
    )


def _derived(node: Node, old: Binding, new: Binding) -> Node:
    bindings = tuple(new if b == old else b for b in node.bindings)
    return node.model_copy(
        update={"bindings": bindings, "children": tuple(_derived(c, old, new) for c in node.children)}
    )


WORDS = {
    "live": "work", "work": "live", "lives": "works", "adopt": "sell", "buy": "sell", "sell": "buy", "visit": "leave",
    "eat": "cook", "cook": "burn", "drink": "sell", "love": "hate", "like": "hate", "play": "sell", "repair": "steal",
    "collect": "sell", "own": "want", "teach": "learn", "have": "want", "win": "lose", "gave": "stole", "sold": "gave",
    "brother": "sister", "sister": "mother", "aunt": "uncle", "son": "daughter", "daughter": "son", "friend": "enemy",
    "first": "last", "before": "after", "after": "before", "favourite": "old", "colour": "song", "cities": "museums",
    "pets": "plants", "rabbits": "hens", "languages": "songs", "dishes": "cakes", "things": "books", "old": "tall",
    "days": "weeks", "cheese": "bread", "coffee": "tea", "olives": "figs", "eggs": "nuts", "walnuts": "figs",
    "lathe": "saw", "globe": "drum", "piano": "harp", "van": "boat", "parrot": "cat", "marzipan": "fudge", "did": "will",
    "does": "did", "is": "was", "runs": "left", "collects": "sells", "made": "broke", "adopted": "sold", "moved": "came",
    "dog": "cat", "cake": "song", "wedding": "exam", "accordion": "piano", "teacher": "pupil", "shelter": "school",
    "allergic": "used", "discount": "fine", "train": "plane", "ferry": "plane", "sea": "wood", "county": "planet",
    "governor": "painter", "name": "age", "grow": "give", "lamp": "chair", "pet": "plant", "job": "hobby",
}  # fmt: skip
"""A word and one that makes another question of it."""
PHRASES = ("where", "when", "who", "what", "how many", "how long ago", "why", "which city", "how often")


def _questions(proof: Proof) -> Iterator[Forgery]:
    for what, question in dict.fromkeys(reworded(proof.question)):
        if question == proof.question:
            continue
        plain = proof.model_copy(update={"question": question}).digested()
        yield "question", f"{what}: {question}", plain
        told = _with_text(proof, proof.question, question)
        if told != proof:
            yield (
                "question",
                f"{what}, in the goal too: {question}",
                told.model_copy(update={"question": question}).digested(),
            )


def reworded(question: str) -> Iterator[tuple[str, str]]:
    """Other questions of nearly the same words."""
    for word, other in WORDS.items():
        if re.search(rf"\b{word}\b", question, re.IGNORECASE):
            yield word, re.sub(rf"\b{word}\b", other, question, count=1, flags=re.IGNORECASE)
    names = list(dict.fromkeys(re.findall(r"(?<!^)\b[A-Z][a-z]+\b", question)))
    for name in names:
        yield "name", question.replace(name, "Wilhelmina")
    if len(names) > 1:
        a, b = names[:2]
        yield "swapped", question.replace(a, "\0").replace(b, a).replace("\0", b)
    first = re.match(r"(?i)how many|how long ago|which \w+|\w+", question)
    opening = first.group() if first else ""
    for phrase in PHRASES:
        if phrase != opening.lower() and opening.lower() in (
            "where",
            "when",
            "who",
            "what",
            "how many",
            "how long ago",
        ):
            yield "asking", phrase.capitalize() + question[len(opening) :]
    if match := re.match(r"(Where|When|What|Who|Which \w+) (did|does|is) ", question):
        yield "negated", f"{match.group()}{question[match.end() :]}".replace(match.group(2), match.group(2) + "n't", 1)
    if match := re.match(r"(Did|Does|Is) (\w+) ", question):
        yield "negated", f"{match.group()}not {question[match.end() :]}"
    if match := re.match(
        r"(?:Where|When|What|Who|Which \w+|How many \w+) (?:did|does) ([A-Z]\w+(?:'s \w+)?) ", question
    ):
        for adverb in ("never", "almost", "no longer", "rarely", "secretly", "not"):
            yield adverb, f"{match.group()}{adverb} {question[match.end() :]}"
    if match := re.match(r"(?:Did|Does) ([A-Z]\w+(?:'s \w+)?) ", question):
        for adverb in ("never", "almost", "no longer", "rarely", "secretly", "only", "want to", "refuse to"):
            yield adverb, f"{match.group()}{adverb} {question[match.end() :]}"
    for auxiliary in ("should", "could", "might", "will", "would"):
        yield auxiliary, re.sub(r"\b(?:did|does)\b", auxiliary, question, count=1, flags=re.IGNORECASE)
    for noun in re.findall(r"(?:which|many|the) (\w+)", question):
        yield "qualified", question.replace(noun, f"frozen {noun}", 1)
        yield "other's", question.replace(noun, f"{noun} of Wilhelmina", 1)
    yield "dated", question.rstrip("?") + " in 1997?"
    yield "dated", question.rstrip("?") + " last week?"
    yield "placed", question.rstrip("?") + " in Canada?"
    yield "with", question.rstrip("?") + " with Wilhelmina?"
    yield "because", question.rstrip("?") + " because of the war?"
    yield "unless", question.rstrip("?") + " without telling anybody?"
    yield "twice", question.rstrip("?") + " twice?"
    yield "than", question.rstrip("?") + " more than Wilhelmina?"
    yield "originally", question.rstrip("?") + " originally?"
    yield "next", question.rstrip("?") + " next year?"
    yield "except", question.rstrip("?") + " except on Sundays?"


def _with_text(proof: Proof, old: str, new: str) -> Proof:
    """The proof with a question's text in its goal exchanged wherever it is quoted there, too."""
    return Proof.from_json(proof.to_json().replace(old.replace('"', '\\"'), new.replace('"', '\\"')))


def _dates(proof: Proof) -> Iterator[Forgery]:
    asked = datetime.fromisoformat(proof.asked_at)
    for years in (-10, 10):
        moved = asked.replace(year=asked.year + years).isoformat()
        yield "date", f"{years:+} years", proof.model_copy(update={"asked_at": moved}).digested()
        redone = proof.model_copy(update={"asked_at": moved})
        if proof.root is not None and with_solutions(redone, proof.root.children) != redone.digested():
            yield "date", f"{years:+} years, worked out anew", with_solutions(redone, proof.root.children)


def _scaled(node: Node, by: float) -> Node:
    """A node whose first leaf is worth more or less, all scores above it right."""
    if not node.children:
        weight = min(1.0, node.weight * by)
        return node.model_copy(update={"weight": weight, "score": weight})
    children = (_scaled(node.children[0], by), *node.children[1:])
    return node.model_copy(update={"children": children, "score": node.weight * math.prod(c.score for c in children)})


def _worth(proof: Proof) -> Iterator[Forgery]:
    if proof.root is None:
        return
    for by in (0.5, 1.4):
        solutions = [_scaled(s, by) for s in proof.root.children]
        made = with_solutions(proof, solutions)
        if abs(made.confidence - proof.confidence) > 0.1:
            yield "confidence", f"every solution worth {by} of what it was", made
    if proof.confidence < 0.9:
        yield "confidence", "0.99 at the top", proof.model_copy(update={"confidence": 0.99}).digested()


def _statuses(proof: Proof) -> Iterator[Forgery]:
    for status in ("proved", "likely", "disproved", "unknown"):
        if status != proof.status:
            yield "status", status, proof.model_copy(update={"status": status}).digested()
    opposed = {"proved": "disproved", "disproved": "proved"}.get(proof.status, "proved")
    text = "No" if opposed == "disproved" else "Yes"
    turned = {"status": opposed, "answer": text, "values": (Value(text, text.lower()),)}
    yield "status", f"{opposed}, {text}", proof.model_copy(update=turned).digested()


def _answers(proof: Proof) -> Iterator[Forgery]:
    for text in ("Atlantis", "3", "No", "Yes", "1 May 2001"):
        if text != proof.answer:
            values = (Value(text, text.casefold(), number=float(text) if text.isdigit() else None),)
            yield "answer", text, proof.model_copy(update={"answer": text, "values": values}).digested()


def _leaves_as(node: Node, changed: Callable[[Node], Node]) -> Node:
    """A node with its leaves changed."""
    if not node.children:
        return changed(node)
    return node.model_copy(update={"children": tuple(_leaves_as(c, changed) for c in node.children)})


def _judges(proof: Proof) -> Iterator[Forgery]:
    """Another judge, a surer one, none, or one where none was asked."""
    if proof.root is None:
        return
    held = next((n.judgement for _, n in proof.root.walk() if n.judgement is not None), None)
    base = held or Judgement(judge="minilm-judge-int8", digest="0" * 64)
    for what, said in (
        ("surer", base.model_copy(update={"certainty": 0.99})),
        ("surer, of another model", base.model_copy(update={"certainty": 0.99, "digest": "ab" * 32})),
        ("of another model", base.model_copy(update={"digest": "ab" * 32})),
        ("of no model", base.model_copy(update={"digest": ""})),
        ("by another judge", base.model_copy(update={"judge": "oracle"})),
        ("none", None),
    ):
        solutions = [
            _leaves_as(s, lambda n, to=said: n.model_copy(update={"judgement": to})) for s in proof.root.children
        ]
        made = with_solutions(proof, solutions, status="proved" if proof.status == "likely" else proof.status)
        close = said is not None and held is not None and what == "surer" and said.certainty - held.certainty < 0.05
        if made != proof and not close:
            yield "judge", what, made
    chat = [
        _leaves_as(s, lambda n: n.model_copy(update={"judge": "gpt", "judgement": None})) for s in proof.root.children
    ]
    for reader in ("", "gpt"):
        yield "judge", "a chat model that was not asked", with_solutions(proof, chat, judge=reader)
    yield "judge", "a question that no chat model read", proof.model_copy(update={"judge": "gpt"}).digested()


OTHER_RULES = (
    "(x:thing) is nice if (x:thing) is big", "(x:person) lives in (y:place) if (x:person) likes (y:place)",
    "(x:person) owns (y:thing) if (x:person) saw (y:thing)",
)  # fmt: skip


def _rules(proof: Proof) -> Iterator[Forgery]:
    """Another rule in place of the one that was used, one that asks for less, and its conditions left out."""
    if proof.root is None:
        return
    for rule in {n.rule for _, n in proof.root.walk() if n.rule is not None}:
        made = [parse_rule(text) for text in OTHER_RULES]
        made += [Rule(rule.head, rule.body[:i] + rule.body[i + 1 :]) for i in range(len(rule.body))]
        made += [Rule(rule.head, tuple(replace(a, negated=not a.negated) for a in rule.body))] if rule.body else []
        for other in made:
            solutions = [_with_rule(s, rule, other) for s in proof.root.children]
            yield "rule", f"{format_rule(other)} for {format_rule(rule)}", with_solutions(proof, solutions)


def _with_rule(node: Node, rule: Rule, other: Rule) -> Node:
    children = tuple(_with_rule(c, rule, other) for c in node.children)
    if node.rule != rule:
        return node.model_copy(update={"children": children})
    names = {v.name for a in (other.head, *other.body) for v in a.variables}
    instance = {name: node.instance.get(name, "Anne") for name in names}
    children = (
        tuple(c for c, a in zip(children, rule.body, strict=False) if a in other.body)
        if len(other.body) < len(rule.body)
        else children
    )
    score = node.weight * math.prod(c.score for c in children)
    return node.model_copy(update={"rule": other, "instance": instance, "children": children, "score": score})


def _lent(proof: Proof, others: Sequence[Proof]) -> Iterator[Forgery]:
    """Another value, quote or turn for a leaf, taken from other proofs, the whole proof made to fit."""
    if proof.root is None or len(proof.root.children) != 1:
        return
    solution = proof.root.children[0]
    foreign = [n for other in others if other.root is not None for _, n in other.root.walk() if n.evidence]
    for held in solution.bindings:
        for leaf in foreign:
            for b in leaf.bindings:
                if b.value.key != held.value.key:
                    new = replace(b, variable=held.variable)
                    yield "binding", f"{held.value.text} for {b.value.text}", _rebound(proof, solution, held, new, leaf)
    for leaf in foreign:
        changed = _cited(solution, leaf)
        if changed != solution:
            yield "evidence", f"quotes {leaf.evidence[0].quote!r}", with_solutions(proof, (changed,))
    yield "evidence", "a quote with other words", with_solutions(proof, (_misquoted(solution),))


def _rebound(proof: Proof, solution: Node, old: Binding, new: Binding, leaf: Node) -> Proof:
    """A variable bound to what another leaf says, by that leaf's words."""

    def changed(node: Node) -> Node:
        bindings = tuple(new if b.variable == old.variable else b for b in node.bindings)
        values = {b.variable.name: b.value for b in bindings}
        ground = canonical(node.goal.substitute(values)) if node.goal is not None else None
        cites = (
            leaf.evidence if node.evidence and any(b.variable == old.variable for b in node.bindings) else node.evidence
        )
        fields = {"bindings": bindings, "ground": ground, "evidence": cites, "alignment": ()}
        return node.model_copy(update={**fields, "children": tuple(map(changed, node.children))})

    return with_solutions(proof, (changed(solution),))


def _cited(node: Node, leaf: Node) -> Node:
    """A solution whose first leaf cites what another leaf cites."""
    if node.children:
        return node.model_copy(update={"children": (_cited(node.children[0], leaf), *node.children[1:])})
    turns = leaf.evidence[0].turn
    bindings = tuple(replace(b, turn=turns) for b in node.bindings)
    same = not node.evidence or node.evidence[0] == leaf.evidence[0]
    return node if same else node.model_copy(update={"evidence": leaf.evidence, "bindings": bindings, "alignment": ()})


def _misquoted(node: Node) -> Node:
    if node.children:
        return node.model_copy(update={"children": (_misquoted(node.children[0]), *node.children[1:])})
    evidence = tuple(replace(e, quote=e.quote[:-1] + "?") for e in node.evidence)
    return node.model_copy(update={"evidence": evidence})
