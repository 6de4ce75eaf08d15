import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from goalmem.models.encoder_file import bundled  # noqa: E402
from goalmem.models.minilm import bundled_tokenizer  # noqa: E402
from goalmem.models.minilm_judge import MiniLMJudge  # noqa: E402
from goalmem.models.protocol import Excerpt, Statement  # noqa: E402
from goalmem_lab.train.export import export  # noqa: E402
from goalmem_lab.train.fit import Schedule, fit  # noqa: E402
from goalmem_lab.train.judge_network import claim_items, judging_loss  # noqa: E402
from goalmem_lab.train.lives import Claim, Label  # noqa: E402
from goalmem_lab.train.network import JudgeNetwork  # noqa: E402
from goalmem_lab.train.warm_start import exported_weights  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
SCHEDULE = Schedule(cycles=(8,), batch_pieces=256, rate=1e-2, head_rate=1e-2, half=False)
CLAIMS = [
    Claim(Statement(f"{who} owns a {thing}.", ""), Excerpt(text.format(thing), who), label)
    for who in ("Ann", "Mei", "Raj")
    for thing in ("kite", "drum", "lamp")
    for text, label in (
        ("i bought a {}", Label.ENTAILED),
        ("i sold the {}", Label.CONTRADICTED),
        ("shall i buy a {}?", Label.NOT_SAID),
        ("no {} for me", Label.UNSUPPORTED),
    )
]


def network():
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    return JudgeNetwork(BertModel(BertConfig(**sizes), add_pooling_layer=False))


def test_the_loss_falls_and_the_exported_judge_judges(tmp_path):
    pytest.importorskip("onnx")
    net, losses = network(), []
    made = claim_items(bundled_tokenizer(), CLAIMS)
    fit(net, lambda epoch: made, SCHEDULE, tmp_path / "kept", lambda at: losses.append(at.loss), judging_loss)
    assert losses[-1] < losses[0]
    export(net, tmp_path / "judge.onnx", {"goalmem.temperature": "1.0"}, ("verdict",))
    (verdict,) = MiniLMJudge(tmp_path / "judge.onnx").judge([(CLAIMS[0].statement, CLAIMS[0].excerpt)])
    assert verdict.entailed + verdict.contradicted + verdict.not_said == pytest.approx(1)


def test_the_weights_of_an_exported_model_are_found_again():
    pytest.importorskip("onnx")
    with bundled("reader") as path:
        weights = exported_weights(path)
    assert weights["encoder.encoder.layer.5.attention.self.query.weight"].shape == (384, 384)
    assert weights["encoder.embeddings.token_type_embeddings.weight"].shape == (2, 384)
    assert weights["span.weight"].shape == (2, 384)
    assert weights["present.weight"].shape == (1, 384)


def test_a_mean_of_two_networks_lies_between_them_at_its_share():
    from goalmem_lab.train.judge_recipe import average

    learnt, known = network(), network()
    with torch.no_grad():
        for place, weights in enumerate(learnt.parameters()):
            weights.add_(place + 1.0)
    before = [weights.clone() for weights in learnt.parameters()]
    average(learnt, known, 0.25)
    for mean, one, other in zip(learnt.parameters(), before, known.parameters(), strict=True):
        assert torch.allclose(mean, 0.25 * one + 0.75 * other, atol=1e-5)
