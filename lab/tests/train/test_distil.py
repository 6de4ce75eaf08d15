import dataclasses
import itertools
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from goalmem.errors import FormatError, InputError  # noqa: E402
from goalmem.models.encoder_file import pair_windows  # noqa: E402
from goalmem.models.minilm import bundled_tokenizer  # noqa: E402
from goalmem.models.minilm_judge import MiniLMJudge  # noqa: E402
from goalmem.models.protocol import Excerpt, Statement  # noqa: E402
from goalmem.models.span_reader import MiniLMReader, span_sums  # noqa: E402
from goalmem_lab.train.cases import Case, Kind  # noqa: E402
from goalmem_lab.train.distil import STAGES, DistilRun, DistilSchedule, distil  # noqa: E402
from goalmem_lab.train.distil_batches import BERT_PIECES, MPNET_PIECES, Learner, Pools, Steps, paired  # noqa: E402
from goalmem_lab.train.distil_data import CLAIM, FOUND_TURN, READING, Answering, load, save  # noqa: E402
from goalmem_lab.train.distil_encoder import Encoder, EncoderShape, from_published, published_names  # noqa: E402
from goalmem_lab.train.distil_export import export_judge, export_reader  # noqa: E402
from goalmem_lab.train.distil_reader import proposals  # noqa: E402
from goalmem_lab.train.distil_windows import WindowTable  # noqa: E402
from goalmem_lab.train.examples import Example  # noqa: E402
from goalmem_lab.train.found_turns import FoundTurn, found_turns  # noqa: E402
from goalmem_lab.train.lives import Claim, Label, Life  # noqa: E402
from goalmem_lab.train.network import ReaderNetwork, set_weights  # noqa: E402
from goalmem_lab.train.recipe import window_logits  # noqa: E402
from goalmem_lab.train.states import Watch  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
STUDENT = EncoderShape(30_522, 16, 1, 2, 16, 256, 1e-12)
TEACHER = EncoderShape(30_527, 24, 2, 2, 24, 514, 1e-5, first_position=2, buckets=32)
FEW = Steps(3, 4, 1e-3, 1e-3)
SCHEDULE = DistilSchedule(7, FEW, FEW, FEW, FEW)
PASSAGES = [f"Bo: Hi.\n{who}: I bought a {thing}." for who in ("Ann", "Mei", "Raj") for thing in ("kite", "drum")]


def spans(passage):
    start = passage.index("a ", 20)
    return (start, len(passage) - 1)


@pytest.fixture
def data():
    table = WindowTable(bundled_tokenizer())
    corpora = [
        row for epoch in (0, 1) for p in PASSAGES for row in table.read(Example("Who bought?", p, (spans(p),)), epoch)
    ]
    turns = []
    for asked, passage in itertools.product(range(len(PASSAGES)), PASSAGES):
        here = PASSAGES[asked] == passage
        answering, span = (Answering.MARKED, spans(passage)) if here else (Answering.NO, None)
        turn = FoundTurn(passage, passage.index("\n") + 1, passage, answering, span)
        turns += table.turn(turn, f"What did {passage[8:11]} buy?", asked)
    claims = [
        table.claim(Claim(Statement(f"{who} sold it.", ""), Excerpt(p, "Ann"), label), noted)
        for noted, (who, p, label) in enumerate(
            [("Ann", PASSAGES[0], Label.ENTAILED), ("Mei", PASSAGES[2], Label.UNSUPPORTED)]
        )
    ]
    return table.data(np.array(corpora, READING), np.array(turns, FOUND_TURN), np.array(claims, CLAIM), {})


def teacher_weights():
    torch.manual_seed(3)
    names = published_names(TEACHER)
    return {names[own]: weights for own, weights in Encoder(TEACHER).state_dict().items()}


def run_of(data, folder, schedule=SCHEDULE):
    return DistilRun(data, "digest", folder, "cpu", schedule, TEACHER, STUDENT)


def watch(stages=None):
    return Watch(lambda at: None, (lambda name: None) if stages is None else stages.append)


@pytest.mark.parametrize("shape", [STUDENT, TEACHER])
def test_an_encoder_computes_what_transformers_computes(shape):
    from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

    kind, settings = (MPNetModel, MPNetConfig) if shape.buckets else (BertModel, BertConfig)
    torch.manual_seed(5)
    reference = kind(
        settings(
            vocab_size=shape.vocabulary,
            hidden_size=shape.hidden_size,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=shape.inner_size,
            max_position_embeddings=shape.positions,
            layer_norm_eps=shape.epsilon,
        ),
        add_pooling_layer=False,
    ).eval()
    for weight in reference.parameters():
        weight.data.normal_(std=0.3)
    encoder = Encoder(shape).eval()
    published = {f"encoder.{name}": weight for name, weight in reference.state_dict().items()}
    set_weights(torch.nn.ModuleDict({"encoder": encoder}), from_published(published, shape))
    ids = torch.randint(104, 30_000, (2, 200))
    mask = torch.ones(2, 200, dtype=torch.bool)
    mask[1, 150:] = False
    ids[~mask] = 1
    kinds = (torch.arange(200) > 9).long().expand(2, -1)
    with torch.no_grad():
        given = {} if shape.buckets else {"token_type_ids": kinds}
        wanted = reference(input_ids=ids, attention_mask=mask.long(), **given).last_hidden_state
        found = encoder(ids, mask, kinds).last_hidden_state
    assert torch.allclose(found[mask], wanted[mask], atol=1e-4)


def test_windows_hold_the_answers_that_they_should(data):
    tokenizer = bundled_tokenizer()
    starts = np.cumsum(data.window_lengths) - data.window_lengths
    for row in data.turns[data.turns["answering"] == Answering.MARKED]:
        begun = starts[row["window"]]
        first, last = row["span"]
        answer = tokenizer.decode(data.window_pieces[begun + first : begun + last + 1].tolist())
        assert answer == PASSAGES[row["asked"]][-7:-1]
        own = data.window_pieces[begun + row["own"] : begun + row["own"] + 1].tolist()
        assert tokenizer.decode(own) in ("ann", "mei", "raj")
    assert (data.turns["answering"] == Answering.MARKED).sum() == len(PASSAGES)


def test_turns_that_a_question_finds_are_marked_by_what_its_author_cites():
    said = ["i bought a red kite at Lidl", "i sold the red kite", "the sky is grey"]
    messages = [{"role": "user", "name": "Ann", "content": text} for text in said]
    questions = [
        {"question": "What did Ann buy?", "answers": ["a red kite"], "span": {"turn": "s1:0", "quote": "a red kite"}},
        {"question": "What did Ann paint?", "answers": [], "type": "unanswerable"},
    ]
    sessions = [{"session": "s1", "at": "2025-03-04T09:00:00", "messages": messages}]
    bought, painted = found_turns(Life("kite", {"sessions": sessions, "questions": questions}, []))
    by_text = {turn.passage[turn.own :]: turn for turn in bought.turns}
    marked, sold = by_text[said[0]], by_text[said[1]]
    assert marked.answering is Answering.MARKED
    assert marked.passage[slice(*marked.span)] == "a red kite"
    assert sold.answering is Answering.UNKNOWN  # the turn before it, which is read with it, says the answer
    assert {turn.answering for turn in painted.turns} == {Answering.NO}


def test_two_texts_are_laid_out_as_each_model_was_pretrained(data):
    pools = Pools(data, "cpu")
    numbers = torch.tensor([0, 0])
    inputs, begins = paired(pools.texts.rows(numbers), pools.windows.rows(numbers), BERT_PIECES)
    shown = bundled_tokenizer().encode("Who bought?", PASSAGES[0])
    assert inputs["input_ids"][0, : len(shown.ids)].tolist() == shown.ids
    assert inputs["token_type_ids"][0, : len(shown.ids)].tolist() == shown.type_ids
    assert inputs["attention_mask"].sum(1).tolist() == [len(shown.ids)] * 2
    assert begins[0] == shown.type_ids.index(1)
    inputs, begins = paired(pools.texts.rows(numbers), pools.windows.rows(numbers), MPNET_PIECES)
    row = inputs["input_ids"][0].tolist()
    assert row[0] == 0
    assert row[begins[0] - 2 : begins[0]] == [2, 2]
    assert row[begins[0]] == shown.ids[shown.type_ids.index(1)] + 4


def test_proposals_are_the_likeliest_whole_words_of_the_turn_itself(data):
    torch.manual_seed(2)
    network = ReaderNetwork(Encoder(STUDENT)).eval()
    proposed = proposals(Learner(network, BERT_PIECES), Pools(data, "cpu"), data.turns)
    assert set(proposed.right.tolist()) == {-1, 0, 1}
    best = {}
    for turn, first, last in zip(proposed.turns, proposed.first, proposed.last, strict=True):
        best.setdefault((turn["asked"], turn["window"]), (turn["own"], first, last))
    assert len(best) == len(PASSAGES) ** 2
    for (asked, window), (own, *found) in best.items():
        passage = PASSAGES[window]
        ((shown,),) = pair_windows(bundled_tokenizer(), [(f"What did {PASSAGES[asked][8:11]} buy?", passage)])
        sums, starts, ends = span_sums(passage, shown, window_logits(network, shown).spans)
        likeliest = np.where(starts >= own, sums, -np.inf).argmax()
        assert found == [starts[likeliest], ends[likeliest]]


def test_what_was_built_is_read_again(data, tmp_path):
    save(dataclasses.replace(data, start={"reader/span.weight": np.ones((2, 3), np.float32)}), tmp_path / "a.npz")
    again = load(tmp_path / "a.npz")
    assert (again.turns == data.turns).all()
    assert list(again.start) == ["reader/span.weight"]
    (tmp_path / "b.npz").write_bytes(b"PK half")
    with pytest.raises(FormatError, match="--arrays"):
        load(tmp_path / "b.npz")


def test_a_run_that_was_stopped_goes_on_behind_the_last_stage_and_ends_with_the_same_weights(data, tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    whole, parts = run_of(data, tmp_path / "whole"), run_of(data, tmp_path / "parts")
    distil(whole, teacher_weights, watch())

    def stop(name):
        if name.endswith("3 of 4"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        distil(parts, teacher_weights, Watch(lambda at: None, stop))
    stages = []
    distil(parts, lambda: pytest.fail("the teacher has read"), watch(stages))
    assert [name[-6:] for name in stages if "stage" in name] == ["3 of 4", "4 of 4"]
    for stage in STAGES:
        one, other = whole.trained(stage), parts.trained(stage)
        assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one), stage
    with pytest.raises(InputError, match="other settings"):
        run_of(data, tmp_path / "parts", dataclasses.replace(SCHEDULE, seed=8)).trained("judge")


def test_the_students_are_exported_as_files_that_a_memory_reads_with(data, tmp_path):
    pytest.importorskip("onnx")
    run = run_of(data, tmp_path)
    distil(run, teacher_weights, watch())
    held = [Case("lives", Kind.ANSWER, "What did Ann buy?", PASSAGES[0], (spans(PASSAGES[0]),))]
    held.append(Case("lives", Kind.WITHOUT, "What did Ann buy?", "Mei: I slept.", ()))
    export_reader(run.trained("reader"), STUDENT, held, tmp_path / "reader.onnx")
    (reading,) = MiniLMReader(tmp_path / "reader.onnx").read([("What did Ann buy?", PASSAGES[0])])
    assert reading.spans
    claims = [Claim(Statement("Ann slept.", ""), Excerpt("i slept", "Ann"), Label.ENTAILED)]
    export_judge(run.trained("judge"), STUDENT, claims, tmp_path / "judge.onnx")
    (verdict,) = MiniLMJudge(tmp_path / "judge.onnx").judge([(claims[0].statement, claims[0].excerpt)])
    assert verdict.entailed + verdict.contradicted + verdict.not_said == pytest.approx(1)
    assert json.dumps(run.plain)
