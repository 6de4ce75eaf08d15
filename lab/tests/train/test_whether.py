import pytest

pytest.importorskip("lemminflect")
from goalmem_lab.train.judge_claims import whether


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("Ines has sold the car.", "Has Ines sold the car?"),
        ("Ines has two cars.", "Does Ines have two cars?"),
        ("The user bought a boat.", "Did the user buy a boat?"),
        ("Bo keeps bees.", "Does Bo keep bees?"),
        ("Bo did not buy anything.", "Did Bo not buy anything?"),
        ("The animal is not yet eleven.", "Is the animal not yet eleven?"),
        ("The man who was here is gone.", None),
        ("The tall woman sings.", None),
    ],
)
def test_a_statement_is_asked(statement, question):
    assert whether(statement) == question
