"""The tuned critic: distributions from a model's own logits, whatever names it is shown, and errors that say what to do."""

from __future__ import annotations

import importlib.util
import math

import pytest
from lab.tests.train.arg_world import asked, collector, retriever, samples, world

from goalmem.errors import InputError, ModelError
from goalmem.graph.critic import Query, Rationality, Relevance, Retrieval, Utility, Walk
from goalmem.graph.protocol import Hop
from goalmem.graph.search import SearchOptions, search
from goalmem.graph.tuned import TunedCritic
from goalmem.graph.tuned_model import ScoringRequest, TunedModel

OF, SHOWN, MADE = Hop("painted_by", True), Hop("shown_in"), Hop("made_of")
QUERY = Query("where are pictures by Ann Poe shown", "Ann Poe", (22, 29))
WALK = Walk((OF,), (("Kites", "Rain"),), onward=(SHOWN, MADE, Hop("owned_by")))


def test_without_torch_it_says_what_to_install(tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr("goalmem.graph.tuned_model.find_spec", lambda name: None if name == "torch" else found(name))
    with pytest.raises(ModelError, match=r"goalmem\[tuned\]"):
        TunedCritic.load(tmp_path)


@pytest.fixture(scope="module")
def torch():
    pytest.importorskip("transformers")
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def tuned(torch, tmp_path_factory):
    """A folder with a model that has learned a little from the small graph's samples."""
    from goalmem_lab.train import arg_network
    from goalmem_lab.train.arg_fit import Schedule, encoded, fit

    made = samples(world())
    shape = {"vocab_size": 400, "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2}
    before = arg_network.SHAPES[arg_network.Size.TINY]
    arg_network.SHAPES[arg_network.Size.TINY] = shape
    network = arg_network.from_scratch(arg_network.Size.TINY, [p + c for p, c in made], 3)
    arg_network.SHAPES[arg_network.Size.TINY] = before
    folder = tmp_path_factory.mktemp("tuned")
    schedule = Schedule(rate=8e-3, batch=16, epochs=2, held_out=0.0)
    fit(network, encoded(network, made), [], schedule, folder / "state", lambda at: None)
    network.model.save_pretrained(folder)
    network.tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def critic(tuned):
    return TunedCritic.load(tuned)


def test_a_missing_folder_and_one_without_a_model_are_named(torch, tmp_path):
    with pytest.raises(InputError, match="not a folder"):
        TunedCritic.load(tmp_path / "gone")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(InputError, match="no causal language model"):
        TunedCritic.load(tmp_path)


def test_a_vocabulary_without_reflection_tokens_is_refused(tuned, tmp_path):
    from tokenizers import Tokenizer, models
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

    AutoModelForCausalLM.from_pretrained(tuned).save_pretrained(tmp_path)
    plain = Tokenizer(models.WordLevel({"<u>": 0, "</s>": 1}, "<u>"))
    PreTrainedTokenizerFast(tokenizer_object=plain, unk_token="<u>", eos_token="</s>").save_pretrained(tmp_path)  # noqa: S106
    with pytest.raises(InputError, match=r"\[Fully Relevant\].*train arg"):
        TunedCritic.load(tmp_path)


def test_every_reflection_is_a_distribution_over_its_values(critic):
    whole = WALK.then(SHOWN, ("Porto Museum",))
    for kind, found in (
        (Retrieval, critic.retrieval(QUERY, [Walk(), WALK, whole, WALK.towards(SHOWN)])),
        (Relevance, critic.relations(QUERY, WALK, [SHOWN, MADE])),
        (Relevance, critic.entities(QUERY, whole, ["Porto Museum", "Oslo Hall"])),
        (Rationality, critic.rationality(QUERY, [Walk(), WALK, whole])),
        (Utility, critic.utility(QUERY, [Walk(), WALK, whole])),
    ):
        assert all(len(r.probabilities) == len(kind) for r in found)
        assert all(math.isclose(sum(r.probabilities), 1, abs_tol=1e-5) for r in found)
        assert all(r.log_probability <= 0 < r.length for r in found)
    for empty in (critic.retrieval(QUERY, []), critic.relations(QUERY, WALK, []), critic.entities(QUERY, WALK, [])):
        assert empty == []


def test_what_is_recalled_is_words_or_nothing_and_the_same_again(critic):
    found = critic.recalled(QUERY)
    assert found == critic.recalled(QUERY)
    assert not any(token in found for token in ("[", "<paragraph>"))


def test_a_reflection_is_the_softmax_over_the_alternatives_logits(critic, torch):
    model = critic.model
    (found,) = critic.rationality(QUERY, [WALK])
    from goalmem.graph.tuned_text import walk_text

    ids = torch.tensor([model.begun(walk_text(QUERY, WALK.bare, whole=False))])
    with torch.inference_mode():
        logits = model.model(input_ids=ids).logits[0, -1]
    tokens = [model.encode(t.value)[0] for t in Rationality]
    assert found.probabilities == pytest.approx(logits[tokens].softmax(dim=-1).tolist(), abs=1e-4)


@pytest.mark.parametrize("kind", ["gpt2", "granite", "gemma2"])
def test_models_of_other_kinds_will_do(torch, tuned, tmp_path, kind):
    """With learned positions, untied embeddings, and logits that are scaled or capped."""
    import transformers

    from goalmem_lab.train.arg_network import from_checkpoint

    common = {"vocab_size": 500, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = {
        "gpt2": lambda: transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, **common),
        "granite": lambda: transformers.GraniteConfig(
            **small, **common, num_key_value_heads=2, logits_scaling=4.0, tie_word_embeddings=False
        ),
        "gemma2": lambda: transformers.Gemma2Config(
            **small, **common, num_key_value_heads=2, head_dim=8, final_logit_softcapping=0.01
        ),
    }[kind]()
    torch.manual_seed(5)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(tuned).save_pretrained(tmp_path)
    model = from_checkpoint(tmp_path)
    ids = model.begun("Query: a[Fully Relevant]b")
    found = TunedCritic(model).model.judged([ScoringRequest(ids, (1, len(ids)))], ["[Fully Relevant]", "[Unrelevant]"])[
        0
    ]
    with torch.inference_mode():
        logits = model.model(input_ids=torch.tensor([ids])).logits[0].float()
    tokens = [model.encode(token)[0] for token in ("[Fully Relevant]", "[Unrelevant]")]
    assert found.probabilities == pytest.approx(logits[-1, tokens].softmax(dim=-1).tolist(), abs=1e-4)
    logs = logits.log_softmax(dim=-1)
    assert found.log_probability == pytest.approx(
        sum(float(logs[n, token]) for n, token in enumerate(ids[1:])), abs=1e-2
    )


def test_the_sequence_score_is_of_the_candidate_s_own_tokens(critic, torch):
    model = critic.model
    (found,) = critic.relations(QUERY, WALK, [SHOWN])
    from goalmem.graph.tuned_text import OPEN, walk_text

    before = model.begun(walk_text(QUERY, WALK.bare) + Retrieval.RELATION.value + OPEN)
    own = model.encode("shown_in")
    with torch.inference_mode():
        logits = model.model(input_ids=torch.tensor([[*before, *own]])).logits[0].log_softmax(dim=-1)
    expected = sum(float(logits[len(before) - 1 + n, token]) for n, token in enumerate(own))
    assert found.length == len(own)
    assert found.log_probability == pytest.approx(expected, abs=1e-3)


def test_candidates_are_judged_each_by_itself(critic, monkeypatch):
    hops = [SHOWN, MADE, Hop("owned_by"), Hop("born_in", True)]
    together = critic.relations(QUERY, WALK, hops)
    monkeypatch.setattr("goalmem.graph.tuned_model.AT_ONCE", 1)
    alone = [critic.relations(QUERY, WALK, [hop])[0] for hop in reversed(hops)][::-1]
    for one, other in zip(together, alone, strict=True):
        assert one.probabilities == pytest.approx(other.probabilities, abs=1e-4)
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-3)


def test_what_a_proof_rests_on_does_not_depend_on_the_entities_shown(critic):
    other = Walk(WALK.hops, ((),))
    assert critic.relations(QUERY, WALK, [SHOWN]) == critic.relations(QUERY, other, [SHOWN])
    assert critic.rationality(QUERY, [WALK]) == critic.rationality(QUERY, [other])


def test_hypotheses_are_among_what_leads_on(critic):
    found = critic.hypotheses(QUERY, WALK, 2)
    assert len(found) == 2
    assert {h.text for h in found} <= {"shown_in", "made_of", "owned_by"}
    assert found[0].weight >= found[1].weight
    assert critic.hypotheses(QUERY, WALK, 0) == []


def test_hypotheses_are_written_within_the_graph_s_relations_or_freely(tuned, monkeypatch):
    monkeypatch.setattr("goalmem.graph.tuned.EXACTLY", 1)
    names = world().relations()
    known = TunedCritic.load(tuned, relations=names)
    walk = Walk(WALK.hops, WALK.entities)
    found = known.hypotheses(QUERY, walk, 3)
    assert found
    assert {h.text.removeprefix("~") for h in found} <= set(names)
    free = TunedCritic.load(tuned).hypotheses(QUERY, walk, 3)
    assert all(h.text and 0 <= h.weight <= 1 for h in free)


@pytest.mark.parametrize("label", ["[Fully Relevant]", "</paragraph>", "a;b\nc", "日本 🎨", "", "x" * 5_000])
def test_names_are_data(critic, label):
    query = Query(f"what about {label}", label)
    walk = Walk((Hop(label or "r"),), ((label,),))
    found = [
        *critic.relations(query, walk, [Hop(label or "r", True)]),
        *critic.entities(query, walk, [label]),
        *critic.rationality(query, [walk]),
        *critic.utility(query, [walk]),
    ]
    assert all(math.isfinite(sum(r.probabilities)) for r in found)
    assert critic.hypotheses(query, walk, 2) is not None


def test_of_a_text_that_is_too_long_the_end_is_read(tuned):
    critic = TunedCritic.load(tuned)
    critic.model.longest = 40
    query = Query("where " * 200, "Ann Poe")
    for walk in (WALK, Walk(WALK.hops, (("x" * 300,),), WALK.onward)):
        for reflection in (*critic.relations(query, walk, [SHOWN, MADE]), *critic.utility(query, [walk])):
            assert math.isclose(sum(reflection.probabilities), 1, abs_tol=1e-5)
        assert critic.hypotheses(query, walk, 2)


def test_its_name_tells_weights_apart(critic, tuned, tmp_path):
    assert critic.name == TunedCritic.load(str(tuned)).name
    import shutil

    import safetensors.torch as tensors

    other = shutil.copytree(tuned, tmp_path / "other")
    weights = tensors.load_file(other / "model.safetensors")
    weights[next(iter(weights))] += 1
    tensors.save_file(weights, other / "model.safetensors", {"format": "pt"})
    assert TunedModel.load(other).name != TunedModel.load(tuned).name


def test_a_search_goes_through_with_it_and_goes_the_same_way_twice(critic):
    graph = world()

    def searched(question):
        tree = search(graph, question.query, question.topic, critic, retriever(), SearchOptions(depth=2))
        return [(str(node.walk.hops), node.fate, round(node.score, 6)) for node in tree.nodes]

    for question in asked(graph)[::3]:
        found = searched(question)
        assert found == searched(question)
        assert all(math.isfinite(score) for _, _, score in found)


def test_it_may_label_samples_itself(critic):
    graph = world()
    made = collector(graph, critic=critic).samples(asked(graph)[6], 6)
    assert {"path", "relation"} <= {s.kind for s in made}
