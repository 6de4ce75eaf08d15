import dataclasses

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from goalmem.errors import InputError  # noqa: E402
from goalmem.models.minilm import bundled_tokenizer  # noqa: E402
from goalmem.models.span_reader import Calibration, MiniLMReader  # noqa: E402
from goalmem_lab.train.examples import Example  # noqa: E402
from goalmem_lab.train.export import export  # noqa: E402
from goalmem_lab.train.fit import Schedule, fit, items, reading_loss  # noqa: E402
from goalmem_lab.train.network import ReaderNetwork  # noqa: E402

# The exporter warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore")
SCHEDULE = Schedule(cycles=(2, 1), batch_pieces=64)
EXAMPLES = [
    Example(
        f"What did {who} buy?", f"{who}: I bought a {thing}.\nBo: Nice.", ((len(who) + 11, len(who) + 13 + len(thing)),)
    )
    for who in ("Ann", "Mei", "Raj")
    for thing in ("kite", "drum", "lamp")
]


def network():
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    return ReaderNetwork(
        BertModel(
            BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16),
            add_pooling_layer=False,
        )
    )


def weights(net):
    return torch.cat([weight.detach().flatten() for weight in net.parameters()])


def epochs(number):
    return items(bundled_tokenizer(), EXAMPLES[number:])


def test_the_pieces_of_an_answer_are_its_words():
    for item, example in zip(items(bundled_tokenizer(), EXAMPLES), EXAMPLES, strict=True):
        (first, last) = item.gold[0]
        start = item.window.offsets[first - item.window.first][0]
        end = item.window.offsets[last - item.window.first][1]
        assert (start, end) == example.spans[0]
        assert example.passage[start:end].startswith("a ")


def test_a_run_that_was_stopped_ends_with_the_weights_of_one_that_was_not(tmp_path):
    whole, stopped, resumed = network(), network(), network()
    fit(whole, epochs, SCHEDULE, tmp_path / "whole", lambda at: None, reading_loss)

    def stop(at):
        if at.step == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(stopped, epochs, SCHEDULE, tmp_path / "kept", stop, reading_loss, save_every=0.0)
    steps = []
    fit(resumed, epochs, SCHEDULE, tmp_path / "kept", lambda at: steps.append(at.step), reading_loss)
    assert steps[0] == 5
    assert torch.allclose(weights(whole), weights(resumed), atol=1e-6)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    fit(network(), epochs, SCHEDULE, tmp_path / "kept", lambda at: None, reading_loss)
    with pytest.raises(InputError, match="other settings"):
        fit(network(), epochs, dataclasses.replace(SCHEDULE, seed=8), tmp_path / "kept", lambda at: None, reading_loss)


def test_a_damaged_checkpoint_is_refused(tmp_path):
    (tmp_path / "kept").write_bytes(b"half")
    with pytest.raises(InputError, match="Remove it"):
        fit(network(), epochs, SCHEDULE, tmp_path / "kept", lambda at: None, reading_loss)


def test_an_exported_model_reads(tmp_path):
    pytest.importorskip("onnx")
    export(network(), tmp_path / "reader.onnx", Calibration(1.0, 0.5, 0.5, 0.0).metadata(), ("spans", "present"))
    reading = MiniLMReader(tmp_path / "reader.onnx").read([("What did Ann buy?", "Ann: I bought a kite.")])[0]
    assert 0.0 <= reading.present <= 1.0
    assert reading.spans
