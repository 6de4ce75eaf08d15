"""What a network of EVR would write that had learned everything."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from goalmem.logic.terms import Variable
from goalmem.rules import Theory
from goalmem.rules.evr.buffers import Sentences, Variant, parts
from goalmem.rules.evr.checked import OPEN
from goalmem.rules.evr.language import Alternative, alternatives
from goalmem.rules.evr.reasoner import Reasoner
from goalmem.rules.terms import Literal
from goalmem_lab.train.evr_patterns import needed, patterns
from goalmem_lab.train.evr_theories import every_statement


@dataclass
class Oracle:
    """Writes what the generator of the patterns says, unless told otherwise; of anything else, nothing."""

    targets: dict[str, str] = field(default_factory=dict)
    lies: dict[str, str] = field(default_factory=dict)
    """What is written instead of a target, by the target."""

    @classmethod
    def of(cls, theory: Theory, facts_each: int = 5, rules_each: int = 3) -> "Oracle":
        sentences = Sentences.of(theory, facts_each, rules_each)
        oracle = cls()
        for statement in every_statement(theory):
            kinds = (Variable("x", kind) for kind in ("person", "thing"))
            opened = [Literal(statement.predicate, (x, *statement.terms[1:])) for x in kinds]
            for each in (s for one in (statement, *opened) for s in (one, one.denied)):
                oracle.learn(patterns(theory, sentences, each))
        for target in list(oracle.targets.values()):
            for found in alternatives(target):
                for thing in theory.index.domain.values() if OPEN.search(" ".join(found.needed)) else ():
                    told = tuple(OPEN.sub(thing, each) for each in found.needed)
                    oracle.learn(needed(sentences.memory, Alternative(found.rule, told)))
        return oracle

    def learn(self, examples) -> None:
        self.targets.update((example.source.casefold(), example.target) for example in examples)

    def written(self, texts: Sequence[str]) -> list[str]:
        targets = [self.targets.get(text.casefold(), "") for text in texts]
        return [self.lies.get(target, target) for target in targets]

    def reasoner(self, variant: Variant = Variant.EVR1) -> Reasoner:
        return Reasoner(dict.fromkeys(parts(variant), self), variant, *variant.buffers)
