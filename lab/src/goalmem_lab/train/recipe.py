"""How the bundled span reader was made, from the data files to the exported model and its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import torch
from tokenizers import Tokenizer

from goalmem.errors import InputError
from goalmem.models.encoder_file import PairWindow, stacked
from goalmem.models.minilm import bundled_tokenizer
from goalmem.models.span_reader import MiniLMReader, WindowLogits
from goalmem_lab.train.calibrate import calibrated
from goalmem_lab.train.cases import Case, cases
from goalmem_lab.train.corpora import TEST, TRAINING, read_corpus, read_qamr
from goalmem_lab.train.distractors import Tempting
from goalmem_lab.train.documents import Document, held_out
from goalmem_lab.train.examples import CHAT_MIXES, LATER_MIXES, MIXES, WIDER_MIXES, examples
from goalmem_lab.train.export import export
from goalmem_lab.train.fit import Item, Schedule, fast_half, fit, items, reading_loss
from goalmem_lab.train.found_turns import found_examples
from goalmem_lab.train.lives import document_of, is_held_out, read_lives, read_notes
from goalmem_lab.train.measure import Figures, measured
from goalmem_lab.train.network import ReaderNetwork, pretrained
from goalmem_lab.train.similar_lines import Lookalikes
from goalmem_lab.train.states import Progress, Watch
from goalmem_lab.train.warm_start import exported_weights

ONE_IN = 10
"""Of the groups (scenes, dialogues, articles), what is held out for calibration."""
CALIBRATION_TURNS = (1, 2, 3, 5, 7, 9)
CALIBRATION_SENTENCES = (1, 2, 3, 4)
CALIBRATION_SEED = 5
TEST_TURNS = (5, 6, 7, 8, 9)
TEST_SEED = 11
KIND_QUESTIONS = 1_500
"""About as many as the templates of `told` give."""
CHECKPOINT_SUFFIX = ".checkpoint"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a run is made of."""

    data: Path
    """Folder of the reading corpora."""
    out: Path
    chats: Path | None = None
    """Folder of LongMemEval's sessions, for questions over extracted facts in the second cycle."""
    schedule: Schedule = field(default_factory=Schedule)
    start: Path | None = None
    """A reader to go on from, on the conversations of `lab`; without one, it begins with the encoder as published."""
    lab: Path | None = None
    """Folder with `lives/` and `notes/`, which are read when it goes on from `start`."""
    found: bool = False
    """Whether it goes on over what memories of the lives find, and nothing else."""


GOING_ON = Schedule(
    cycles=(1, 2),
    batch_pieces=3072,
    later_batch_pieces=3072,
    rate=1.2e-4,
    head_rate=4e-4,
    restart=1.0,
    half=fast_half(),
)
"""Of a reader that goes on: one epoch over single sentences and the corpora, two over conversations."""


FOUND = replace(GOING_ON, cycles=(1,), rate=5e-5, head_rate=1.5e-4)
"""Of a reader that goes on over what memories find: one epoch."""


def train_reader(recipe: Recipe, watch: Watch[Progress]) -> dict[str, Figures]:
    """Train, calibrate, export to `recipe.out`, and measure what was exported; the figures by corpus.

    A run that was interrupted goes on from the checkpoint beside `recipe.out`, which is removed at the end. Raises
    NotFoundError or FormatError for data that are missing or in another layout.
    """
    watch.stage("Reading the data")
    documents = [document for corpus in TRAINING for document in read_corpus(recipe.data, corpus)]
    test = read_corpus(recipe.data, TEST)
    kept, held = held_out(documents, ONE_IN)
    tokenizer = bundled_tokenizer()
    checkpoint = recipe.out.with_name(recipe.out.name + CHECKPOINT_SUFFIX)
    if recipe.start is None:
        network = pretrained(recipe.schedule.seed)
        epochs = _epochs(recipe, kept, _generated(recipe, watch), tokenizer)
    else:
        network = pretrained(recipe.schedule.seed, exported_weights(recipe.start))
        chats = read_chats(recipe)
        held += chats.held
        epochs = (
            _epochs_of_found(recipe, tokenizer, watch)
            if recipe.found
            else _epochs_of_chats(
                recipe, [*kept, *held_out(read_qamr(recipe.data), ONE_IN)[0]], chats, tokenizer, watch
            )
        )
    watch.stage("Training")
    fit(network, epochs, recipe.schedule, checkpoint, watch.step, reading_loss)
    watch.stage("Calibrating")
    held_cases = cases(held, CALIBRATION_TURNS, CALIBRATION_SENTENCES, CALIBRATION_SEED)
    calibration = calibrated(held_cases, tokenizer, partial(window_logits, network))
    export(network, recipe.out, calibration.metadata(), ("spans", "present"))
    checkpoint.unlink(missing_ok=True)
    watch.stage("Measuring")
    return figures_of(recipe.out, held_cases, cases(test, TEST_TURNS, (), TEST_SEED))


@dataclass(frozen=True, slots=True)
class Chats:
    """The conversations of the laboratory, as documents to read."""

    trained: Sequence[Document]
    held: Sequence[Document]
    notes: Sequence[Document]


def read_chats(recipe: Recipe) -> Chats:
    """Of the lives, one in five is held out. Raises InputError without a laboratory, NotFoundError or FormatError."""
    if recipe.lab is None:
        raise InputError(
            "A reader goes on with the conversations of a laboratory.", "Pass --lab, or leave --start out."
        )
    lives = read_lives(recipe.lab / "lives")
    return Chats(
        [document_of(life) for life in lives if not is_held_out(life)],
        [document_of(life) for life in lives if is_held_out(life)],
        read_notes(recipe.lab / "notes")[0],
    )


def figures_of(model: Path, held: Sequence[Case], test: Sequence[Case]) -> dict[str, Figures]:
    """Of FriendsQA's test half, and of each corpus's held-out part."""
    reader = MiniLMReader(model)
    corpora = dict.fromkeys(case.corpus for case in held)
    return {
        "friendsqa test": measured(reader, test),
        **{
            f"{corpus} held out": measured(reader, [case for case in held if case.corpus == corpus])
            for corpus in corpora
        },
    }


def _generated(recipe: Recipe, watch: Watch[Progress]) -> list[Document]:
    """Dialogues with questions over what our own extraction finds in them; none without chats."""
    if recipe.chats is None or len(recipe.schedule.cycles) < 2:
        return []
    from goalmem.language import Analyzer, Extractor
    from goalmem_lab.train.generated import CHATS, generated
    from goalmem_lab.train.templates import told

    extractor, seed = Extractor(Analyzer()), recipe.schedule.seed
    documents = told(
        recipe.chats / CHATS,
        extractor,
        seed,
        lambda done, total: watch.stage(f"Extracting facts, chat {done} of {total}"),
    )
    return documents + generated(recipe.chats, extractor, seed, KIND_QUESTIONS)


def _epochs(
    recipe: Recipe, kept: Sequence[Document], told: Sequence[Document], tokenizer: Tokenizer
) -> Callable[[int], list[Item]]:
    """The items of each epoch: the corpora in the first cycle, generated questions beside them from then on."""
    schedule = recipe.schedule
    more = [*kept, *told]
    first, later = Lookalikes(kept), Lookalikes(more)

    def of(epoch: int) -> list[Item]:
        seed = schedule.seed * 101 + epoch
        if epoch < schedule.cycles[0]:
            return items(tokenizer, examples(kept, first, seed, MIXES))
        return items(tokenizer, examples(more, later, seed, LATER_MIXES))

    return of


def _epochs_of_chats(
    recipe: Recipe, corpora: Sequence[Document], chats: Chats, tokenizer: Tokenizer, watch: Watch[Progress]
) -> Callable[[int], list[Item]]:
    """The items of each epoch: the corpora in the first cycle, conversations beside a few of those from then on."""
    assert recipe.start is not None
    schedule = recipe.schedule
    more = [*corpora, *chats.trained, *chats.notes]
    first, later = Lookalikes(corpora), Lookalikes(more)
    tempting = Tempting(
        chats.trained,
        MiniLMReader(recipe.start),
        lambda done, all_: watch.stage(f"Searching what tempts the reader, conversation {done} of {all_}"),
    )

    def of(epoch: int) -> list[Item]:
        seed = schedule.seed * 101 + epoch
        if epoch < schedule.cycles[0]:
            return items(tokenizer, examples(corpora, first, seed, WIDER_MIXES))
        return items(tokenizer, examples(more, later, seed, CHAT_MIXES, tempting=tempting))

    return of


def _epochs_of_found(recipe: Recipe, tokenizer: Tokenizer, watch: Watch[Progress]) -> Callable[[int], list[Item]]:
    """The items of each epoch: turns that memories of the lives find for their questions."""
    assert recipe.lab is not None
    lives = [life for life in read_lives(recipe.lab / "lives") if not is_held_out(life)]

    def of(epoch: int) -> list[Item]:
        made = found_examples(
            lives,
            recipe.schedule.seed * 101 + epoch,
            lambda done, all_: watch.stage(f"Conversations: {done} of {all_} remembered and asked"),
        )
        return items(tokenizer, made)

    return of


def window_logits(network: ReaderNetwork, window: PairWindow) -> WindowLogits:
    """What the network says of a window, in float."""
    inputs = {name: torch.from_numpy(array) for name, array in stacked([window]).items()}
    with torch.inference_mode():
        spans, present = network(**inputs)
    return WindowLogits(spans[0].numpy(), float(present[0]))
