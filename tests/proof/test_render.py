from __future__ import annotations

import io

from rich.console import Console

from goalmem.logic.syntax import parse_atom
from goalmem.logic.terms import Alignment, Binding, Derivation, Evidence, Value, Variable
from goalmem.proof import render
from goalmem.proof.document import Claim, MissingGoal, Node, Proof

HOSTILE = "[bold red]Rex[/] \x1b[31m[link=http://x]\u202eevil\x07\nnew line"


def proof(quote: str = "I adopted a dog called Rex", **more) -> Proof:
    x = Binding(Variable("x", "pet"), Value("Rex", "rex"), Derivation.QUOTED, "Rex", "t1")
    evidence = Evidence("t1", "0" * 64, quote, 0, len(quote), "Ines", "2023-05-03T09:00:00+00:00", "s1")
    leaf = Node(
        kind="fact", goal=parse_atom("Ines adopted (x:pet)"), ground=parse_atom("Ines adopted Rex"), score=0.9, weight=0.9,
        source="memory", bindings=(x,), evidence=(evidence,), alignment=(Alignment("Ines", "I", "speaker", 0.9),),
    )  # fmt: skip
    root = Node(
        kind="aggregate", score=0.9, children=(Node(kind="conjunction", score=0.9, bindings=(x,), children=(leaf,)),)
    )
    fields = {"status": "proved", "answer": "Rex", "confidence": 0.9, "root": root} | more
    claim = Claim(atoms=(leaf.goal,), answer=x.variable)
    return Proof(
        version=2, question="What did Ines adopt?", space="s", asked_at="2023-07-01T09:00:00", goal=claim, **fields
    )


def printed(tree) -> str:
    out = io.StringIO()
    Console(file=out, width=200, color_system=None).print(tree)
    return out.getvalue()


def test_the_tree_says_what_was_proved_from_which_words():
    for shown in (printed(render.tree(proof())), render.text(proof())):
        for said in (
            "What did Ines adopt?",
            "Rex",
            "✓ Ines adopted Rex",
            "(x:pet) = Rex",
            "“I adopted a dog called Rex”",
            "Ines, 3 May 2023",
            "speaker",
        ):
            assert said in shown


def test_what_is_missing_is_shown_with_what_came_nearest():
    missing = MissingGoal(
        atom=parse_atom("Ines adopted (x:cat)"), stage="never-said", reason="nobody says so", nearest=proof().evidence()
    )
    shown = render.text(proof(status="unknown", answer="", confidence=0.0, root=None, missing=(missing,)))
    assert "I don't know" in shown
    assert "✗ Ines adopted (x:cat)  never-said: nobody says so" in shown
    assert "nearest: “I adopted a dog called Rex”" in shown
    why = printed(render.why_not_tree("What cat?", "never-said", (missing,)))
    assert "What cat? → never-said" in why
    assert "nobody says so" in why


def test_turns_are_never_markup_and_cannot_draw_on_the_screen():
    for shown in (printed(render.tree(proof(HOSTILE))), render.text(proof(HOSTILE))):
        assert "[bold red]Rex[/]" in shown
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
        assert "new line" in shown


def test_a_counterexample_is_shown_as_such():
    made = proof()
    leaf = made.root.children[0].children[0].model_copy(update={"negated": True})
    node = made.root.children[0].model_copy(update={"children": (leaf,)})
    shown = render.text(made.model_copy(update={"root": made.root.model_copy(update={"children": (node,)})}))
    assert "✗ Ines adopted Rex  the evidence says the opposite" in shown


def test_what_is_likely_is_told_apart_by_word_and_colour():
    def shown(status: str) -> str:
        out = io.StringIO()
        Console(file=out, width=200, force_terminal=True, color_system="standard").print(
            render.tree(proof(status=status))
        )
        return out.getvalue()

    assert "Rex  likely, confidence 0.90" in render.text(proof(status="likely"))
    assert "\x1b[32mRex" in shown("proved")
    assert "\x1b[33mRex" in shown("likely")
