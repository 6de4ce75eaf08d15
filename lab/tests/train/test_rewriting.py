import hypothesis.strategies as st
import pytest
from hypothesis import given

from goalmem_lab.train.text_edits import Edit, joined, renamed, rewrite


@given(st.text(alphabet="ab .'", max_size=40), st.data())
def test_what_no_edit_touches_keeps_its_words(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    edit = Edit(cuts[0], cuts[1], data.draw(st.text(max_size=5)))
    new, [(start, end)] = rewrite(text, [(cuts[2], cuts[3])], [edit])
    assert new == text[: edit.start] + edit.new + text[edit.end :]
    assert new[start:end] == text[cuts[2] : cuts[3]]


@given(st.text(alphabet="ab", min_size=1, max_size=20), st.text(alphabet="xy", max_size=4), st.data())
def test_a_span_around_an_edit_holds_what_was_put_in(text, new, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    changed, [span] = rewrite(text, [(0, len(text))], [Edit(start, end, new)])
    assert changed[slice(*span)] == text[:start] + new + text[end:]


def test_names_are_replaced_as_whole_words():
    text = "Ann: Annie saw Ann's dog."
    new, _ = rewrite(text, (), renamed(text, {"Ann": "Mei"}))
    assert new == "Mei: Annie saw Mei's dog."


@pytest.mark.parametrize(
    ("tokenised", "written"),
    [
        ("I do n't know , Ann !", "I don't know, Ann!"),
        ("You 're gon na ( maybe ) see ...", "You're gonna (maybe) see..."),
        ("We ca n't ; they 've left .", "We can't; they've left."),
        ("No blanks to take out", "No blanks to take out"),
    ],
)
def test_a_tokenisers_blanks_are_taken_out(tokenised, written):
    assert rewrite(tokenised, (), joined(tokenised))[0] == written
