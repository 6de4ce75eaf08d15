"""The figures of docs/benchmarks.md are not older than what they measure."""

import pytest
from benchmarks.page import BLOCKS, PAGE, ROOT, content, stale


@pytest.mark.parametrize("name", BLOCKS)
def test_figures_are_of_what_is_there(name: str):
    assert name not in stale(), (
        f"Measure them again (python benchmarks/page.py {name}), or say that they still hold (--still)."
    )


def test_each_block_says_when_of_which_commit_and_by_which_command():
    text = PAGE.read_text(encoding="utf-8")
    for name in BLOCKS:
        head = text.split(f"<!-- figures {name} ")[1].splitlines()[1]
        assert head.count("`") == 2
        assert ", commit " in head


def test_what_is_measured_is_there():
    assert all((ROOT / path).exists() for block in BLOCKS.values() for path in block.of)


def test_words_decide_no_figure_and_code_does(tmp_path):
    one, same, other = (tmp_path / name for name in ("one.py", "same.py", "other.py"))
    one.write_text('"""Said."""\nK = 1\n"""Of a kind."""\n', encoding="utf-8")
    same.write_text('"""Otherwise."""\n# a comment\nK = 1\n', encoding="utf-8")
    other.write_text("K = 2\n", encoding="utf-8")
    assert content(one) == content(same) != content(other)
