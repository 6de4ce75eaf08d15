"""The trained students as the files that a memory reads with: calibrated on what was held out, in 8 bits, and measured."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from goalmem.models.minilm import bundled_tokenizer
from goalmem.models.minilm_judge import MiniLMJudge
from goalmem_lab.train.calibrate import calibrated
from goalmem_lab.train.cases import Case, cases
from goalmem_lab.train.corpora import TEST, TRAINING, read_corpus
from goalmem_lab.train.distil_encoder import EncoderShape, to_published
from goalmem_lab.train.documents import held_out
from goalmem_lab.train.export import export
from goalmem_lab.train.judge_measure import judged_well, temperature
from goalmem_lab.train.judge_recipe import logits_of
from goalmem_lab.train.lives import Claim, claims_of, document_of, is_held_out, read_lives
from goalmem_lab.train.network import JudgeNetwork, ReaderNetwork, set_weights
from goalmem_lab.train.recipe import (
    CALIBRATION_SEED,
    CALIBRATION_SENTENCES,
    CALIBRATION_TURNS,
    ONE_IN,
    TEST_SEED,
    TEST_TURNS,
    figures_of,
    window_logits,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor
    from transformers import BertModel

    from goalmem_lab.train.distil import DistilRun
    from goalmem_lab.train.states import Progress, Watch


def export_students(
    run: DistilRun, data: Path, lab: Path, watch: Watch[Progress]
) -> dict[str, dict[str, float | None]]:
    """Write reader.onnx and judge.onnx to the run's folder, and measure both; the figures by model and data.

    Raises NotFoundError or FormatError for data that are missing or in another layout.
    """
    watch.stage("Calibrating")
    lives = [life for life in read_lives(lab / "lives") if is_held_out(life)]
    documents = [document for corpus in TRAINING for document in read_corpus(data, corpus)]
    held = [*held_out(documents, ONE_IN)[1], *map(document_of, lives)]
    held_cases = cases(held, CALIBRATION_TURNS, CALIBRATION_SENTENCES, CALIBRATION_SEED)
    claims = [claim for life in lives for claim in claims_of(life)]
    reader, judge = run.out / "reader.onnx", run.out / "judge.onnx"
    export_reader(run.trained("reader"), run.student, held_cases, reader)
    export_judge(run.trained("judge"), run.student, claims, judge)
    watch.stage("Measuring")
    read = figures_of(reader, held_cases, cases(read_corpus(data, TEST), TEST_TURNS, (), TEST_SEED))
    judged = judged_well(MiniLMJudge(judge), claims)
    return {
        **{f"reader, {name}": each.rounded() for name, each in read.items()},
        "judge, lives held out": judged.rounded(),
    }


def export_reader(weights: Mapping[str, Tensor], shape: EncoderShape, held: Sequence[Case], path: Path) -> None:
    """Calibrate a student reader on cases, and write it."""
    network = ReaderNetwork(_encoder(shape))
    set_weights(network, to_published(weights, shape))
    network.eval()
    calibration = calibrated(held, bundled_tokenizer(), partial(window_logits, network))
    export(network, path, calibration.metadata(), ("spans", "present"))


def export_judge(weights: Mapping[str, Tensor], shape: EncoderShape, held: Sequence[Claim], path: Path) -> None:
    """Find a student judge's temperature on claims, and write it."""
    network = JudgeNetwork(_encoder(shape))
    set_weights(network, to_published(weights, shape))
    network.eval()
    warmth = temperature(logits_of(network, held), held)
    export(network, path, {"goalmem.temperature": str(warmth)}, ("verdict",))


def _encoder(shape: EncoderShape) -> BertModel:
    """A BertModel of this shape, whose graph `exported_weights` can read again."""
    from transformers import BertConfig, BertModel

    configuration = BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden_size,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner_size,
        max_position_embeddings=shape.positions,
        layer_norm_eps=shape.epsilon,
        attention_probs_dropout_prob=0.0,
    )
    return BertModel(configuration, add_pooling_layer=False)
