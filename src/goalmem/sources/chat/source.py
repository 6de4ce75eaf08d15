"""Facts that a chat model reads, as steps: all open subgoals and candidate facts in one call, each binding checked in code (Goal-Mem,
unification and refinement).

What no fact proves is refined: antecedents that would make it checkable, with the relation type that decides where to look. If a refinement
fails, the model is asked for another one and shown the previous ones. If the model fails, the local reasoner's sources do the step.

`ChatReading` answers the whole question instead, after its goals, or alone if goals are disabled. Code checks that the value is in a shown
fact or follows from it, and that the fact is about the people in the question, asserted and not replaced. The model's number of a fact is a
hint: if the value is not in that fact but in others, the one with most of the question's words is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from goalmem.engine.step import NearMiss, Request, Source, Step
from goalmem.logic.evaluate import needs_all
from goalmem.logic.syntax import canonical, format_atom, format_rule
from goalmem.logic.terms import Aggregate, Atom, Binding, Goal, Relation, Rule, Substitution, Value, Variable
from goalmem.questions.chat_refine import Refinement
from goalmem.questions.chat_replies import FactsReply, RejectedError
from goalmem.records import Fact
from goalmem.sources.chat.candidates import EVIDENCE, CandidateQuery, CandidateRetriever, TurnCandidate
from goalmem.sources.chat.unifier import ChatJudgement, Unifier, overlap, shown, substitution_text
from goalmem.sources.kinds import kinds_open

REFINED = 0.95
"""Score of a refinement."""
ASSUMED_RULE = 0.7
"""Score of a rule that a model offers: it often holds, but nobody stated it."""
ASSUMED = "assumed"
"""The source of steps by unstated rules."""
SIDE_BY_SIDE = 4
"""Calls of a model made at the same time."""
BEST = 5
"""Turns named in a search event."""
NEAREST = 3
"""Near misses of one subgoal, and facts shown when one is refined."""


@dataclass(frozen=True, slots=True)
class RefinementHint:
    """How to search for an atom of a refinement."""

    relation: Relation
    queries: tuple[str, ...]


@dataclass
class ChatSource:
    """The memory of one space, read by a chat model, for one question."""

    unifier: Unifier
    retriever: CandidateRetriever
    local: Sequence[Source]
    """Used for a step if the model gives no usable reply."""
    assume: bool = True
    """If unstated rules may be used."""
    refining: bool = True
    """If unproved atoms are refined. Without refinement, an attempt costs one call."""
    evidence: int = EVIDENCE
    """Turns shown in one call."""
    name: str = "memory"
    closed: bool = False
    cost: int = 0
    _judged: dict[str, list[ChatJudgement]] = field(default_factory=dict)
    _asked: dict[tuple[str, ...], bool] = field(default_factory=dict)
    _alone: set[str] = field(default_factory=set)
    _seen: dict[str, set[str]] = field(default_factory=dict)
    """Turns read for an atom. Unless it is refined, they are not read again when more of it is bound."""
    _guides: dict[str, RefinementHint] = field(default_factory=dict)
    _refined: dict[str, list[Refinement | None]] = field(default_factory=dict)
    """The model's refinements of an atom, in order; None, once, if it gave nothing."""
    _tried: list[Atom] = field(default_factory=list)
    _last: tuple[TurnCandidate, ...] = ()

    def __post_init__(self) -> None:
        self.reasoner, self.memory = self.unifier.reasoner, self.unifier.memory

    # -- as a source -----------------------------------------------------------------------------------------------

    def steps(self, request: Request) -> Sequence[Step]:
        """Facts that the model reads as the atom; if it fails, the local steps."""
        found = self._facts(request)
        return self._locally(request) if found is None else found

    def refine(self, request: Request, /) -> Sequence[Step]:
        """Steps to antecedents of an atom, by one refinement different from those tried; or steps that prove the atom, if the search for
        antecedents found some.
        """
        bound = as_bound(request.atom, request.substitution)
        if not self.refining or format_atom(bound) in self.unifier.conflicts:
            return ()
        angles = self._refined.setdefault(format_atom(bound), [])
        tried = {step.subgoals for step in request.tried}
        for steps in (self._as_steps(r) for r in angles if r is not None):
            if steps and not tried.intersection(s.subgoals for s in steps):
                return steps
        if angles and (angles[-1] is None or angles[-1].stop):
            return ()
        known = {self._identity(self._step(j, request)) for j in self._matching(request, bound)}
        self._refine_together(request, bound)
        refinement = angles[-1]
        if refinement is None:
            return self._locally(request) if len(angles) == 1 else ()
        if refinement.stop:
            return ()
        self._look_for(refinement, request, bound)
        found = (self._step(j, request) for j in self._matching(request, bound))
        new = {self._identity(s): s for s in found if self._identity(s) not in known}
        return list(new.values())[: request.limit] or self._as_steps(refinement)

    def _locally(self, request: Request) -> list[Step]:
        """The steps of the local sources."""
        return [s for source in self.local for s in source.steps(request)]

    def near_misses(self, request: Request, /) -> Sequence[NearMiss]:
        """Rejected proposals of the model, why it stopped, and the nearest facts of the local source."""
        bound = format_atom(as_bound(request.atom, request.substitution))
        own = list(self.unifier.objections.get(bound, ()))
        stop = next((r for r in self._refined.get(bound, ()) if r is not None and r.stop), None)
        if stop is not None and not own:
            own.append(NearMiss("never-said", f"nothing more to look for: {stop.stop}", None, 0.0))
        return [*own, *self.memory.near_misses(request)][:NEAREST]

    # -- facts -----------------------------------------------------------------------------------------------------

    def _facts(self, request: Request) -> list[Step] | None:
        """Steps by facts, best first; None if the model gave nothing usable."""
        bound = as_bound(request.atom, request.substitution)
        found = self._matching(request, bound)
        whole = needs_all(request.goal) and bool(request.substitution.bindings)
        if not found or (whole and format_atom(bound) not in self._alone):
            # If all solutions count, what was found before a variable was bound may be incomplete.
            usable = self._unify(self._active(request, bound), request)
            found = self._matching(request, bound)
            if not usable and not found:
                return None
        steps = {self._identity(s): s for s in (self._step(j, request) for j in reversed(found))}
        return sorted(steps.values(), key=lambda s: (-s.score, s.evidence[0].turn))[: request.limit]

    def _active(self, request: Request, bound: Atom) -> tuple[Atom, ...]:
        """All open atoms as bound, the requested one first, the others in a fixed order."""
        others = {
            format_atom(as_bound(a, request.substitution)): as_bound(a, request.substitution) for a in request.open
        }
        others.pop(format_atom(bound), None)
        return bound, *(others[key] for key in sorted(others))

    def _matching(self, request: Request, bound: Atom) -> list[ChatJudgement]:
        """Judgements of this atom that agree with the bindings (condition 3), including those made before it was bound."""
        found = []
        judged = (kept for key, kept in self._judged.items() if key not in self.unifier.conflicts)
        for judgement in (j for kept in judged for j in kept):
            values = {n: v for n, v in judgement.values.items() if n in request.substitution}
            if all(self._equal(request.substitution[n], v) for n, v in values.items()):
                reached = self._reached(judgement, request, bound)
                found += [judgement] if reached else []
        return found

    def _reached(self, judgement: ChatJudgement, request: Request, bound: Atom) -> bool:
        """True if the judgement is about the atom, now or with more of it open."""
        if judgement.atom == format_atom(bound):
            return True
        extra = {n: b for n, b in request.substitution.items() if n in judgement.values}
        if not extra:
            return False
        open_ = Substitution(tuple(b for b in request.substitution.bindings if b.variable.name not in extra))
        return judgement.atom == format_atom(as_bound(request.atom, open_))

    def _equal(self, held: Value, found: Value) -> bool:
        canonical_ = self.memory.similarity.canonical
        return held.key == found.key or canonical_(held.key) == canonical_(found.key)

    def _step(self, judgement: ChatJudgement, request: Request) -> Step:
        new = tuple(b for b in judgement.bindings if b.variable.name not in request.substitution)
        note = f"{judgement.candidate.turn.speaker}: {judgement.candidate.text}"
        facts = self.memory.facts_of([e.turn for e in judgement.candidate.evidence])
        return Step(
            self.name,
            "fact",
            judgement.score,
            new,
            evidence=judgement.candidate.evidence,
            negated=judgement.denies,
            alignment=kinds_open(judgement.bindings, facts, request.goal.atoms),
            note=note,
            judge=self.reasoner.model.name,
        )

    def _identity(self, step: Step) -> tuple[object, ...]:
        return (step.negated, *sorted((b.variable.name, b.value.key) for b in step.bindings))

    # -- one call ---------------------------------------------------------------------------------------------------

    def _unify(self, active: tuple[Atom, ...], request: Request, *, more: Sequence[CandidateQuery] = ()) -> bool:
        """Ask about all active subgoals in one call, once for each set of them. Returns if the reply was usable."""
        key = (*map(format_atom, active), *(w.text for w in more))
        if key not in self._asked:
            wanted = [w for a in active for w in self._wanted(a)] + list(more)
            # All subgoals ranked the turns for the question; what became known since is searched in addition.
            new = wanted if more or request.substitution.bindings else []
            seen = self._seen.setdefault(format_atom(canonical(request.atom)), set())
            without = frozenset() if self.refining else frozenset(seen)
            candidates = self.retriever.find(new or [CandidateQuery(self.unifier.question)], self.evidence, without)
            seen |= {c.turn.id for c in candidates}
            ids = tuple(c.turn.id for c in candidates)
            told = {"turns": len(ids), "best": ids[:BEST], "subgoals": tuple(map(format_atom, active))}
            self.reasoner.tell("retrieval", format_atom(active[0]), told)
            self._last = tuple(candidates)
            if not candidates or not request.budget.allows(passages=len(candidates)):
                return True
            request.budget.spend(passages=len(candidates))
            judgements = self.unifier.judge(active, candidates, request)
            self._asked[key] = judgements is not None
            self._alone.add(format_atom(active[0]))
            for judgement in judgements or ():
                held = self._judged.setdefault(judgement.atom, [])
                if judgement.identity not in {j.identity for j in held}:
                    held.append(judgement)
        return self._asked[key]

    # -- retrieval -------------------------------------------------------------------------------------------------

    def _wanted(self, atom: Atom) -> list[CandidateQuery]:
        """The queries to close an atom: its own words, and those of a refinement."""
        guide = self._guides.get(format_atom(atom))
        text = self.memory.reader.read(atom).text
        names = tuple(sorted({n for name in self.unifier.citations.names_in(text) for n in self.memory.names_of(name)}))
        if guide is None:
            relation = Relation.TEMPORAL if any(v.type == "time" for v in atom.variables) else Relation.SEMANTIC
            return [CandidateQuery(text, relation, names)]
        return [CandidateQuery(t, guide.relation, names) for t in (text, *guide.queries)]

    # -- refinement ------------------------------------------------------------------------------------------------

    def _look_for(self, refinement: Refinement, request: Request, bound: Atom) -> None:
        """Read what a refinement's queries find, for the atom and for its antecedents."""
        more = [
            CandidateQuery(q, refinement.relation, w.names) for w in self._wanted(bound)[:1] for q in refinement.queries
        ]
        guide = RefinementHint(refinement.relation, refinement.queries)
        for atom in (*refinement.antecedents, *refinement.conditions):
            self._guides.setdefault(format_atom(atom), guide)
        self._unify((bound, *refinement.antecedents, *refinement.conditions), request, more=more)

    def _as_steps(self, refinement: Refinement) -> list[Step]:
        steps = []
        if refinement.antecedents:
            steps.append(
                Step(self.name, "refinement", REFINED, subgoals=refinement.antecedents, relation=refinement.relation)
            )
        if refinement.rule is not None and self.assume:
            steps.append(self._assumed(refinement.rule, refinement.conditions))
        return steps

    def _assumed(self, rule: Rule, conditions: tuple[Atom, ...]) -> Step:
        judge = self.reasoner.model.name
        return Step(ASSUMED, "rule", ASSUMED_RULE, subgoals=conditions, rule=rule, judge=judge)

    def _refine_together(self, request: Request, bound: Atom) -> None:
        """Refine the atom once more and, at the same time, refine for the first time the unproved open atoms that share no variable with
        it.
        """
        waiting = {format_atom(bound): bound}
        names = {v.name for v in bound.variables}
        for other in self._active(request, bound)[1:]:
            key = format_atom(other)
            unproved = not self._judged.get(key) and key not in self.unifier.conflicts
            if unproved and not self._refined.get(key) and not names & {v.name for v in other.variables}:
                waiting[key] = other
        ask = partial(self._refine, request=request, tried=tuple(self._tried))
        with ThreadPoolExecutor(min(SIDE_BY_SIDE, len(waiting)), thread_name_prefix="goalmem-chat") as pool:
            replies = dict(zip(waiting, pool.map(ask, waiting.values()), strict=True))
        for key, refinement in replies.items():
            self._refined.setdefault(key, []).append(refinement)
            if refinement is not None:
                self._tried += [a for a in (*refinement.antecedents, *refinement.conditions) if a not in self._tried]
                self._tell(key, refinement)

    def _refine(self, atom: Atom, request: Request, tried: Sequence[Atom]) -> Refinement | None:
        near = self._last[:NEAREST]
        names = [v.name for a in request.goal.atoms for v in a.variables]
        known = substitution_text(request.substitution)
        return self.reasoner.refine(
            self.unifier.question,
            atom,
            known=known,
            facts=shown(near),
            tried=tried,
            names=names,
            assume=self.assume,
            about=[c.turn.id for c in near],
        )

    def _tell(self, atom: str, refinement: Refinement) -> None:
        new = tuple(format_atom(a) for a in (*refinement.antecedents, *refinement.conditions))
        told = {
            "atom": atom,
            "subgoals": new,
            "by": "proposed",
            "source": self.name,
            "relation": refinement.relation.value,
            "rule": format_rule(refinement.rule) if refinement.rule is not None else None,
            "queries": refinement.queries,
            "stop": refinement.stop,
        }
        self.reasoner.tell("refinement", f"{atom}: {refinement.stop or ' and '.join(new)}", told)


def as_bound(atom: Atom, substitution: Substitution) -> Atom:
    """The atom with its bindings filled in, in canonical form."""
    return canonical(atom.substitute(substitution))


READ = 0.9
"""Score of an answer that a model reads out of facts."""
YES_NO = {"yes": True, "no": False}
UNANSWERED = frozenset({"", "i don't know", "unknown", "none", "n/a", "not mentioned"})
"""Values by which models say that there is no answer."""
MOST_PROBLEMS = 2
"""Problems of a reply that are reported to the model."""


@dataclass(frozen=True)
class ChatReading:
    """Reads the answers to one question."""

    unifier: Unifier
    whether: bool | None = None
    """If the question is a yes/no question; None if not known."""

    def steps(self, variable: Variable, candidates: Sequence[TurnCandidate]) -> list[Step]:
        """A step for each valid value; none if the model finds none or gives nothing usable."""
        facts = self.unifier.facts_of(candidates)
        turns = [c.turn.id for c in candidates]

        def checked(reply: FactsReply) -> list[Step]:
            return self._steps(reply, variable, dict(enumerate(candidates, 1)), facts)

        if not candidates:
            return []
        return self.unifier.reasoner.read(self.unifier.question, shown(candidates), checked, turns) or []

    def _steps(
        self,
        reply: FactsReply,
        variable: Variable,
        numbered: Mapping[int, TurnCandidate],
        facts: Mapping[str, Sequence[Fact]],
    ) -> list[Step]:
        """The steps of a reply. Raises RejectedError if it has values and none is valid."""
        cited = [numbered[n] for n in reply.facts if n in numbered]
        said = [v.strip(" .") for v in reply.values if v.strip(" .").casefold() not in UNANSWERED]
        decides = len(said) == 1 and said[0].casefold() in YES_NO
        if said and self.whether is not None and decides != self.whether:
            raise RejectedError(f"the question is {'' if self.whether else 'not '}answered by yes or no")
        if decides:
            return [self._yes_or_no(YES_NO[said[0].casefold()], cited, facts)]
        steps: dict[str, Step] = {}
        problems: list[str] = []
        for value in said:
            held = self._held(value, variable, cited, list(numbered.values()), facts)
            if isinstance(held, str):
                problems.append(held)
                continue
            binding, candidate = held
            judge = self.unifier.reasoner.model.name
            step = Step("memory", "fact", READ, (binding,), evidence=candidate.evidence, judge=judge)
            steps.setdefault(binding.value.key, step)
        if problems and not steps:
            raise RejectedError("; ".join(problems[:MOST_PROBLEMS]))
        return list(steps.values())

    def _yes_or_no(self, yes: bool, cited: Sequence[TurnCandidate], facts: Mapping[str, Sequence[Fact]]) -> Step:
        """A step by the first named fact that may say so. Raises RejectedError if none may."""
        problem = "facts names no fact that was given"
        for candidate in cited:
            own = facts.get(candidate.turn.id, ())
            problem = self.unifier.citations.objection(
                Atom((self.unifier.question,)), [], candidate, own, denies=not yes, history=False
            )
            if not problem:
                judge = self.unifier.reasoner.model.name
                return Step("memory", "fact", READ, evidence=candidate.evidence, negated=not yes, judge=judge)
        raise RejectedError(problem)

    def _held(
        self,
        value: str,
        variable: Variable,
        cited: Sequence[TurnCandidate],
        every: Sequence[TurnCandidate],
        facts: Mapping[str, Sequence[Fact]],
    ) -> tuple[Binding, TurnCandidate] | str:
        """The value from the first fact cited for it, or from the only other fact that contains it; or why there is none."""
        problem = f"{value!r} stands in no fact that is named"
        for candidate in cited:
            found = self._binding(value, variable, candidate, facts.get(candidate.turn.id, ()))
            if not isinstance(found, str):
                return found, candidate
            problem = found
        others = [(self._binding(value, variable, c, facts.get(c.turn.id, ())), c) for c in every if c not in cited]
        meant = [(b, c) for b, c in others if not isinstance(b, str)]
        if len({binding.value.key for binding, _ in meant}) != 1:
            return problem
        return max(meant, key=lambda m: (overlap(self.unifier.question, m[1].text), m[1].turn.id))

    def _binding(
        self, value: str, variable: Variable, candidate: TurnCandidate, facts: Sequence[Fact]
    ) -> Binding | str:
        binding = self.unifier.grounding.binding(variable, value, candidate, facts)
        if isinstance(binding, str):
            return binding
        asked = Atom((f"{self.unifier.question} ", variable)).substitute({variable.name: binding.value})
        objection = self.unifier.citations.objection(asked, [binding], candidate, facts, denies=False, history=False)
        return objection or binding


def goal_read(question: str, variable: Variable, steps: Sequence[Step]) -> Goal:
    """The question itself as a goal."""
    if steps and not steps[0].bindings:
        return Goal(question, (canonical(Atom((f"the answer to “{question}” is yes",))),), None, Aggregate.WHETHER)
    atom = canonical(Atom((f"“{question}” is answered by ", variable)))
    return Goal(question, (atom,), variable, Aggregate.LIST if len(steps) > 1 else Aggregate.ONE)
