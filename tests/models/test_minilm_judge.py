from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from importlib import resources

import pytest

from goalmem.errors import ModelError
from goalmem.models.minilm_judge import MiniLMJudge, excerpt_text, statement_text
from goalmem.models.protocol import Excerpt, Statement

BOUGHT = Excerpt(
    "I bought a red kite at the fair, it was 14 euros", "Ann", datetime(2025, 3, 4), "Bo: what did you get?"
)
PAIRS = [
    (Statement("What did Ann buy?", "a red kite"), BOUGHT),
    (Statement("What did Ann buy?", "14 euros"), BOUGHT),
    (Statement("Ann bought a kite.", ""), BOUGHT),
    (Statement("Ann did not buy anything at the fair.", ""), BOUGHT),
]


@pytest.fixture(scope="module")
def judge():
    return MiniLMJudge()


def test_what_is_said_is_told_from_what_is_not(judge):
    right, wrong, *_ = judge.judge(PAIRS)
    assert right.name == "entailed"
    assert right.entailed > 1.3 * wrong.entailed


def test_statements_are_told_from_their_denials(judge):
    _, _, stated, denied = judge.judge(PAIRS)
    assert stated.entailed > denied.entailed


def test_a_verdict_is_three_probabilities(judge):
    for verdict in judge.judge(PAIRS):
        assert verdict.entailed + verdict.contradicted + verdict.not_said == pytest.approx(1)


def test_a_pair_is_judged_the_same_in_any_company_and_by_any_thread(judge):
    expected = judge.judge(PAIRS)
    assert [judge.judge([pair])[0] for pair in PAIRS] == expected
    with ThreadPoolExecutor(4) as pool:
        assert all(got == expected for got in pool.map(lambda _: judge.judge(PAIRS), range(4)))


@pytest.mark.parametrize("text", ["", " ", "\0", "a" * 5_000, "\ud800", "🪁" * 400, "\n\n"])
def test_any_text_is_judged(judge, text):
    (verdict,) = judge.judge([(Statement(text, text), Excerpt(text, text, None, text))])
    assert 0 <= verdict.entailed <= 1


def test_nothing_is_judged_of_nothing(judge):
    assert judge.judge([]) == []


def test_a_statement_and_an_excerpt_are_printed_for_it():
    assert statement_text(PAIRS[0][0]) == "What did Ann buy? a red kite"
    assert excerpt_text(BOUGHT).startswith("Bo: what did you get?\nAnn (Tue 4 March 2025): I bought")


def test_an_altered_model_is_refused(monkeypatch):
    import goalmem.models.minilm_judge as module

    monkeypatch.setattr(module, "JUDGE_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="not the one expected"):
        MiniLMJudge(threads=3).judge(PAIRS)  # not the running one that instances share


def test_what_is_no_judge_is_refused(tmp_path):
    (tmp_path / "other.onnx").write_bytes(b"no model")
    for path in (tmp_path / "other.onnx", tmp_path / "gone.onnx", tmp_path):
        with pytest.raises(ModelError, match="cannot be used as a judge"):
            MiniLMJudge(path).judge(PAIRS)


def test_the_bundled_file_fits_its_promise(judge):
    assert resources.files("goalmem.models").joinpath("data", "judge.onnx").stat().st_size <= 26_000_000
    assert len(judge.digest) == 64
