"""What somebody wants, promises or says is compared with its order, its own subject, its denial and its modal verb."""

from __future__ import annotations

import pytest
from tests.asking import asked
from tests.cases import one_in

OTHERWISE = (
    ("I promised not to sell the boat to Ana.", "Did I promise to sell the boat to Ana?"),
    ("I promised to sell the boat to Ana.", "Did I promise not to sell the boat to Ana?"),
    ("Tom wants Bo to pay Cy.", "Does Tom want Cy to pay Bo?"),
    ("Tom wants Bo to pay Cy.", "Does Tom want to pay Cy?"),
    ("My boss wants me to move to the Cologne office.", "Does my boss want to move to the Cologne office?"),
    ("Tom thinks Ana will win.", "Does Tom think Ana might win?"),
    ("Tom hopes to move from Rome to Milan.", "Does Tom hope to move from Milan to Rome?"),
)
SAME = (
    ("I promised not to sell the boat to Ana.", "Did I promise not to sell the boat to Ana?"),
    ("Tom wants Bo to pay Cy.", "Does Tom want Bo to pay Cy?"),
    ("I like to cook.", "Do I like cooking?"),
    ("Tom hopes to move from Rome to Milan.", "Does Tom hope to move to Milan?"),
)


@pytest.mark.parametrize(("said", "question"), one_in(2, OTHERWISE))
def test_a_complement_that_says_something_else_is_not_proved(said: str, question: str) -> None:
    assert asked(said, question)[0] not in ("proved", "disproved")


@pytest.mark.parametrize(("said", "question"), one_in(2, SAME))
def test_a_complement_that_says_the_same_is_known(said: str, question: str) -> None:
    assert asked(said, question) == ("proved", "Yes")
