"""Commands of `goalmem eval` that measure rules stated in plain language: ruletaker, proofwriter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from goalmem.cli.options import settings_for
from goalmem.errors import InputError
from goalmem.models.connect import connect_chat
from goalmem_lab.commands.eval_options import JsonOut, Limit, Save, measured
from goalmem_lab.commands.figures import report
from goalmem_lab.commands.packages import require_packages

if TYPE_CHECKING:
    from goalmem.rules.terms import RuleReader
    from goalmem_lab.evals.ruletaker import Measuring, ReaderOf


NETWORKS = "evr.json"
"""What a folder by `goalmem train evr` has."""


Files: TypeAlias = Annotated[list[Path], typer.Argument(metavar="FILE...", help="The benchmark's files.")]
RuleEnglish: TypeAlias = Literal["grammar", "learned", "chat"]
ReadBy: TypeAlias = Annotated[
    RuleEnglish, typer.Option("--reader", help="The grammar, the trained reader, or the chat model that is set.")
]
ModelFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--model", metavar="DIR", help="Folder of the trained reader.")
]
RuleModel: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--model", metavar="DIR", help="Folder of the trained reader, or of networks by `train evr` that decide."
    ),
]


def register(evals: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (ruletaker, proofwriter):
        evals.command()(command)


def ruletaker(
    paths: Files,
    reader: ReadBy = "grammar",
    model: RuleModel = None,
    paraphrased: Annotated[
        bool, typer.Option("--paraphrased", help="Of meta-* files read the paraphrase, not the controlled English.")
    ] = False,
    folds: Annotated[
        int | None, typer.Option("--folds", min=2, help="Train the learned reader anew for each of so many parts.")
    ] = None,
    metas: Annotated[
        list[Path] | None,
        typer.Option("--meta", help="With --folds: what each FILE states formally, in the same order."),
    ] = None,
    apart: Annotated[
        Literal["sentence", "theory"],
        typer.Option("--apart", help="With --folds: what is never read by weights that saw it in training."),
    ] = "sentence",
    believed: Annotated[
        bool, typer.Option("--believed", help="Of networks: count what they write without holding it to the theory.")
    ] = False,
    limit: Limit = None,
    save: Save = None,
    out: JsonOut = None,
) -> None:
    """Measure what is answered, and how it is proved, over rules in a closed world (RuleTaker).

    \b
    Examples:
      goalmem eval ruletaker depth-5/test.jsonl --json depth5.json
      goalmem eval ruletaker depth-*/dev.jsonl NatLang/meta-dev.jsonl
      goalmem eval ruletaker NatLang/test.jsonl --reader learned
      goalmem eval ruletaker NatLang/dev.jsonl --reader learned --folds 5 --meta NatLang/meta-dev.jsonl
      goalmem eval ruletaker depth-5/dev.jsonl --model evr1 --limit 1000
      goalmem eval ruletaker depth-5/dev.jsonl --model evr1 --believed --limit 1000
    """
    from goalmem_lab.evals.ruletaker import evaluate

    measuring = _networks(model, believed=believed)
    model = None if measuring is not None else model
    if folds is not None or metas:
        reads: RuleReader | ReaderOf = _trained_without(reader, model, paths, metas or [], folds, apart)
    else:
        reads = reader_of(reader, model)
    figures = measured(
        lambda tick: evaluate(
            paths, reads, controlled=not paraphrased, limit=limit, progress=tick, save=save, measuring=measuring
        )
    )
    report(f"RuleTaker, {reader}{_by(measuring, believed=believed)}", figures, out)


def proofwriter(
    paths: Files,
    reader: ReadBy = "grammar",
    model: ModelFolder = None,
    limit: Limit = None,
    save: Save = None,
    out: JsonOut = None,
) -> None:
    """Measure what is true, false or unknown over rules in an open world (ProofWriter, as in Logic-LLM).

    \b
    Examples:
      goalmem eval proofwriter dev.json
    """
    from goalmem_lab.evals.proofwriter import evaluate

    reads = reader_of(reader, model)
    figures = measured(lambda tick: evaluate(paths, reads, limit=limit, progress=tick, save=save))
    report(f"ProofWriter, {reader}", figures, out)


def reader_of(kind: RuleEnglish, model: Path | None) -> RuleReader:
    """The reader that is asked for. Raises InputError."""
    from goalmem.rules.theory import reader_named

    if model is None:
        chat = connect_chat(settings_for(":memory:", None)) if kind == "chat" else None
        return reader_named(kind, chat)
    if kind != "learned":
        raise InputError("--model names the trained reader.", "Add --reader learned, or leave it out.")
    from goalmem.rules.grammar.reader import GrammarReader
    from goalmem.rules.learned.features import read_weights
    from goalmem.rules.learned.reader import LearnedReader

    return LearnedReader(GrammarReader(), read_weights(model))


def _networks(model: Path | None, *, believed: bool) -> Measuring | None:
    """What measures networks by `goalmem train evr`; None for any other folder. Raises InputError and ModelError."""
    if model is None or not (model / NETWORKS).exists():
        if believed:
            raise InputError("--believed is for networks.", "Name a folder by `goalmem train evr` with --model.")
        return None
    from goalmem.rules.evr.reasoner import read_config

    if not read_config(model)["placeholders"]:
        require_packages("torch", "transformers")
    from goalmem_lab.evals.ruletaker_networks import Networks
    from goalmem_lab.train.evr_network import load_reasoner

    return Networks(load_reasoner(model), believed).measure


def _by(measuring: Measuring | None, *, believed: bool) -> str:
    """What a report says of who decides."""
    if measuring is None:
        return ""
    return ", networks believed" if believed else ", networks"


def _trained_without(
    kind: RuleEnglish, model: Path | None, files: list[Path], metas: list[Path], folds: int | None, apart: str
) -> ReaderOf:
    """For each theory a reader that was trained without it, or without its sentences. Raises InputError."""
    if kind != "learned" or model is not None or folds is None:
        raise InputError(
            "--folds and --meta train the learned reader anew.",
            "Give both, with --reader learned and without --model, or neither.",
        )
    from goalmem.language.analyzer import Analyzer
    from goalmem.rules.learned.reader import LearnedReader
    from goalmem_lab.train.rules import Apart, Folds, read_pairs

    trained = Folds.trained(read_pairs(files, metas), folds, Apart(apart))
    analyzer = Analyzer()
    return lambda theory: LearnedReader(weights=trained.of(theory.id), analyzer=analyzer)
