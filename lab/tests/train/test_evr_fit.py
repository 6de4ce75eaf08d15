"""Training the networks of EVR: what goes on after a kill, what ends it, what is written."""

import json
from dataclasses import replace

import pytest

from goalmem.errors import FormatError, InputError
from goalmem_lab.train.evr_fit import edit_distance
from goalmem_lab.train.evr_recipe import read_theories


@pytest.mark.parametrize(
    ("written", "wanted", "distance"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)],
)
def test_edit_distance_counts_insertions_deletions_and_replacements(written, wanted, distance):
    assert edit_distance(written, wanted) == edit_distance(wanted, written) == distance


def test_theories_are_read_from_jsonl_and_text(tmp_path):
    lines = tmp_path / "dev.jsonl"
    lines.write_text('{"context": "Bob is big."}\n\n{"theory": "Ann is kind. Colourless green ideas sleep."}\n')
    text = tmp_path / "one.txt"
    text.write_text("Bob is big. Big people are kind.")
    assert [len(t.clauses) > 0 for t in read_theories([lines, text])] == [True, True, True]


def test_bad_theories_are_named_with_their_line(tmp_path):
    path = tmp_path / "dev.jsonl"
    for line in ("{", "[]", '{"context": 3}'):
        path.write_text(f'{{"context": "Bob is big."}}\n{line}\n')
        with pytest.raises(FormatError, match="line 2"):
            read_theories([path])
    with pytest.raises(InputError, match="cannot be read"):
        read_theories([tmp_path / "gone.txt"])


@pytest.fixture
def torch():
    pytest.importorskip("transformers")
    return pytest.importorskip("torch")


@pytest.fixture
def small(torch, tmp_path):
    """Training on ten examples, a few steps at a time."""
    from goalmem.rules.evr.buffers import NetworkRole
    from goalmem_lab.train.evr_examples import Source
    from goalmem_lab.train.evr_fit import Schedule, fit
    from goalmem_lab.train.evr_network import Size, from_scratch

    schedule = Schedule(batch=8, epoch=24, held_out=8, most=3, warm_up=4)

    class KilledError(Exception):
        pass

    def run(name, *, after=None, **changes):
        source, steps = Source(1, 5, 3), []
        network = from_scratch(Size.TINY, 3)

        def report(at):
            steps.append(at)
            if after is not None and len(steps) == after:
                raise KilledError

        held = source.examples(NetworkRole.FACT, 8, 1)[:8]
        path = tmp_path / name
        try:
            curve, _ = fit(network, lambda epoch: source.examples(NetworkRole.FACT, 24, 10 + epoch), held,
                           replace(schedule, **changes), path, report, save_every=0.0)  # fmt: skip
        except KilledError:
            return network, None
        return network, [replace(point, seconds=0) for point in curve]

    return run


def test_a_run_that_was_killed_goes_on_to_the_same_end(small, torch):
    whole, curve = small("whole")
    assert small("parts", after=5)[1] is None
    again, found = small("parts")
    assert found == curve
    for one, other in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_checkpoint_of_other_settings_is_refused(small):
    small("state")
    with pytest.raises(InputError, match="other settings"):
        small("state", rate=0.5)


def test_a_damaged_checkpoint_is_refused(small, tmp_path):
    (tmp_path / "state").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be read"):
        small("state")


def test_training_lowers_the_loss(small):
    _, curve = small("state", most=6)
    assert curve[-1].loss < curve[0].loss


class Short:
    """Ends what an untrained network would not end."""

    def __init__(self, generator):
        self.generator = generator

    def generated(self, batch, most):
        return self.generator.generated(batch, 5)


def test_a_network_writes_in_numpy_what_it_writes_in_torch(torch, tmp_path):
    from goalmem.rules.evr.t5 import T5
    from goalmem_lab.train.evr_network import Size, from_scratch, numpy_t5

    network = from_scratch(Size.TINY, 3)
    rows = [[*range(5, 5 + n), 1] for n in (3, 9, 40)]
    numpy = numpy_t5(network.model)
    assert numpy.generated(rows, 12) == network.generated(rows, 12)
    numpy.save(tmp_path / "all.npz")
    assert T5.load(tmp_path / "all.npz").depth("encoder") == numpy.depth("encoder") == 3


@pytest.mark.parametrize("variant", ["evr1", "evr2"])
def test_what_was_trained_can_be_loaded_and_asked(torch, tmp_path, variant):
    from goalmem.rules import Theory
    from goalmem.rules.evr.buffers import Variant, parts
    from goalmem.rules.evr.checked import CheckedTheory
    from goalmem.rules.evr.reasoner import Reasoner
    from goalmem_lab.train.evr_fit import Schedule
    from goalmem_lab.train.evr_recipe import Recipe, train_evr
    from goalmem_lab.train.states import Watch

    schedule = Schedule(batch=8, epoch=16, held_out=8, most=1)
    out = tmp_path / "model"
    recipe = Recipe(out, Variant(variant), facts_each=2, rules_each=2, schedule=schedule)
    figures = train_evr(recipe, Watch(lambda at: None, lambda name: None))
    assert set(figures) == {part.value for part in parts(Variant(variant))}
    assert set(json.loads((out / "curve.json").read_text())) == set(figures)
    reasoner = Reasoner.load(out)
    assert (reasoner.facts_each, reasoner.rules_each) == (2, 2)
    for writer in reasoner.writers.values():
        writer.generator = Short(writer.generator)
    theory = CheckedTheory.over(Theory.read("Bob is big. Big people are kind."), reasoner)
    assert theory.ask("Bob is kind.").status in ("disproved", "proved", "unknown")


def test_a_checkpoint_with_its_own_tokenizer_is_trained_on(torch, tmp_path):
    from goalmem_lab.train.evr_network import Pieces, Size, from_checkpoint, from_scratch

    with pytest.raises(InputError, match="no T5"):
        from_checkpoint(tmp_path)
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    words = {word: n for n, word in enumerate([*special.values(), "bob", "is", "big"])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, special["unk_token"]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    from_scratch(Size.TINY, 1).model.save_pretrained(tmp_path)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(tmp_path)
    network = from_checkpoint(tmp_path)
    assert isinstance(network.coding, Pieces)
    ids, names = network.coding.read("bob is big")
    assert network.coding.text(ids, names) == "bob is big"
    network.save(tmp_path, "again")
    assert isinstance(from_checkpoint(tmp_path / "again").coding, Pieces)
