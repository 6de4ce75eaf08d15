from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve.passages import LEAST_WORDS, MOST_PASSAGES, passages

SENTENCES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["rain", "Maya", "runs", "3.5", "dog"]), min_size=1, max_size=30),
        st.sampled_from(".!?\n"),
    )
).map(lambda parts: " ".join(" ".join(words) + end for words, end in parts))


@given(SENTENCES | st.text())
def test_passages_are_the_text_in_order(text):
    assert "".join("".join(passages(text)).split()) == "".join(text.split())


@given(SENTENCES | st.text())
def test_passages_are_few(text):
    assert 1 <= len(passages(text)) <= MOST_PASSAGES


@given(SENTENCES)
def test_no_passage_is_a_fragment_when_the_text_is_not(text):
    found = passages(text)
    assert len(found) == 1 or all(len(passage.split()) >= LEAST_WORDS for passage in found)


def test_an_aside_is_a_passage_of_its_own():
    text = (
        "Can you help me find a good recipe for a birthday cake? "
        "By the way, I adopted a beagle called Biscuit last Friday."
    )
    assert passages(text)[1].startswith("By the way")
