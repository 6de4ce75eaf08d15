"""Training a tuned critic: the vocabulary, what the loss counts, what goes on after a kill, what is written."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from lab.tests.train.arg_world import samples, world

from goalmem.errors import InputError
from goalmem.graph.tuned_text import CLOSE, OPEN, SPECIAL
from goalmem_lab.train.arg_fit import Schedule, parted


def test_all_samples_of_a_query_are_learned_from_or_measured_on():
    made = samples(world())
    kept, held = parted(made, Schedule(held_out=0.4))
    queries = [{made[n][0].split("Output:")[0] for n in places} for places in (kept, held)]
    assert queries[0]
    assert queries[1]
    assert not queries[0] & queries[1]
    assert len(parted(made, Schedule(held_out=0.4, most_held=3))[1]) <= 3


@pytest.fixture(scope="module")
def torch():
    pytest.importorskip("transformers")
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def made():
    return samples(world())


def fresh(made, **shape):
    from goalmem_lab.train import arg_network
    from goalmem_lab.train.arg_network import Size, from_scratch

    small = {"vocab_size": 400, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
    before = arg_network.SHAPES[Size.TINY]
    arg_network.SHAPES[Size.TINY] = {**small, **shape}
    try:
        return from_scratch(Size.TINY, [p + c for p, c in made], 3)
    finally:
        arg_network.SHAPES[Size.TINY] = before


def test_a_vocabulary_is_extended_once_with_mean_embeddings(torch, made):
    from goalmem_lab.train.arg_network import extended

    network = fresh(made)
    for token in SPECIAL:
        assert len(network.encode(token)) == 1
        assert network.tokenizer.decode(list(network.encode(token))) == token
    ids = [network.encode(token)[0] for token in SPECIAL]
    weights = network.model.get_input_embeddings().weight
    assert len(set(ids)) == len(SPECIAL)
    assert torch.allclose(weights[ids[0]], weights[: min(ids)].mean(dim=0), atol=1e-5)
    before = len(network.tokenizer)
    assert extended(network.model, network.tokenizer) == 0
    assert len(network.tokenizer) == before
    assert network.model.get_output_embeddings().weight is weights


def test_a_text_begins_with_the_tokens_of_its_beginning(torch, made):
    network = fresh(made)
    for prompt, completion in made:
        whole = network.encode(prompt + completion)
        assert whole[: len(network.encode(prompt))] == network.encode(prompt)
        assert network.tokenizer.decode(list(whole)) == prompt + completion


def test_the_loss_counts_completions_with_the_knowledge_in_them(torch, made):
    from goalmem_lab.train.arg_fit import encoded

    network = fresh(made)
    prompt, completion = next((p, c) for p, c in made if OPEN in c and "[Utility" in c)
    (example,) = encoded(network, [(prompt, completion)])
    written = network.tokenizer.decode(list(example.ids[example.start :]))
    assert written == completion + network.tokenizer.eos_token
    assert CLOSE in written
    (short,) = encoded(network, [("Query: a\nOutput:", "[Unrelevant]")])
    assert network.tokenizer.decode(list(short.ids[short.start :])) == "[Unrelevant]"
    network.longest = 10
    assert encoded(network, [(prompt, completion)]) == []


class KilledError(Exception):
    pass


@pytest.fixture
def small(torch, made, tmp_path):
    from goalmem_lab.train.arg_fit import encoded, fit

    def run(name, *, after=None, network=None, **changes):
        network = network or fresh(made)
        schedule = replace(Schedule(rate=3e-3, batch=8, epochs=2), **changes)
        steps = []

        def report(at):
            steps.append(at)
            if after is not None and len(steps) == after:
                raise KilledError

        examples = encoded(network, made[:40])
        try:
            return network, fit(network, examples, examples[:9], schedule, tmp_path / name, report, save_every=0.0)
        except KilledError:
            return network, None

    return run


@pytest.mark.parametrize("after", [2, 5, 7])
def test_a_run_that_was_killed_goes_on_to_the_same_end(small, torch, after):
    whole, curve = small("whole")
    assert small("parts", after=after)[1] is None
    again, found = small("parts")
    assert [replace(p, seconds=0) for p in found] == [replace(p, seconds=0) for p in curve]
    for one, other in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_states_of_other_settings_and_damaged_ones_are_refused(small, tmp_path):
    small("state", epochs=1)
    with pytest.raises(InputError, match="other settings"):
        small("state", rate=0.5)
    (tmp_path / "bad").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be read"):
        small("bad")


def test_training_lowers_the_loss(small):
    _, curve = small("state", epochs=4)
    assert curve[-1].loss < curve[0].loss
    assert curve[-1].held_loss < curve[0].held_loss


def test_a_large_batch_is_added_up_of_portions(small, torch, monkeypatch):
    whole, _ = small("whole", epochs=1)
    monkeypatch.setattr("goalmem_lab.train.arg_fit.AT_ONCE", 300)
    parts, _ = small("parts", epochs=1)
    for one, other in zip(whole.model.parameters(), parts.model.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-4)


def test_nothing_to_learn_from_is_said(torch, made, tmp_path):
    from goalmem_lab.train.arg_fit import fit

    with pytest.raises(InputError, match="no sample"):
        fit(fresh(made), [], [], Schedule(), tmp_path / "state", lambda at: None)


@pytest.fixture
def data(made, tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps({"prompt": p, "completion": c}) + "\n" for p, c in made), encoding="utf-8")
    return path


def trained(data, out, **changes):
    from goalmem_lab.train.arg_recipe import Recipe, train_arg
    from goalmem_lab.train.states import Watch

    recipe = Recipe(out, [data], schedule=Schedule(rate=3e-3, batch=32, epochs=1, held_out=0.2))
    return train_arg(replace(recipe, **changes), Watch(lambda at: None, lambda name: None))


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")  # of transformers, by peft
def test_what_was_trained_is_trained_on_whole_or_by_adapters(torch, made, data, tmp_path, monkeypatch):
    from goalmem.graph.tuned_model import TunedModel

    monkeypatch.setattr("goalmem_lab.train.arg_recipe.from_scratch", lambda size, texts, seed: fresh(made))
    figures = trained(data, tmp_path / "one")
    assert figures["too_long"] == 0
    assert 0 <= figures["reflections"] <= 1
    assert not (tmp_path / "one" / "state").exists()
    told = json.loads((tmp_path / "one" / "arg.json").read_text())
    assert (told["format"], told["samples"]) == ("goalmem-arg-1", len(made))
    assert json.loads((tmp_path / "one" / "curve.json").read_text())["points"]
    first = TunedModel.load(tmp_path / "one")
    trained(data, tmp_path / "two", checkpoint=tmp_path / "one")
    second = TunedModel.load(tmp_path / "two")
    assert first.name != second.name
    pytest.importorskip("peft")
    trained(data, tmp_path / "three", checkpoint=tmp_path / "one", lora=4)
    third = TunedModel.load(tmp_path / "three")
    names = [name for name, _ in third.model.named_parameters()]
    assert names == [name for name, _ in first.model.named_parameters()]
    assert any(
        not torch.equal(one, other)
        for one, other in zip(first.model.parameters(), third.model.parameters(), strict=True)
    )


def test_a_run_belongs_to_its_samples(torch, made, data, tmp_path):
    (tmp_path / "one" / "state").mkdir(parents=True)
    (tmp_path / "one" / "state" / "arg.json").write_text('{"samples": 3}')
    with pytest.raises(InputError, match="other settings"):
        trained(data, tmp_path / "one")


def test_a_folder_without_a_model_is_refused(torch, data, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no causal language model"):
        trained(data, tmp_path / "out", checkpoint=tmp_path / "empty")
    data.write_text("")
    with pytest.raises(InputError, match="no sample"):
        trained(data, tmp_path / "out")
    assert not (tmp_path / "out").exists()
