"""Every signal switched off in turn."""

import json

import pytest

from goalmem.errors import FormatError, InputError, ModelError
from goalmem.retrieve.fusion import SIGNAL_NAMES
from goalmem_lab.evals import locomo as locomo_runner
from goalmem_lab.evals.ablation import ablate, table
from goalmem_lab.evals.longmemeval import evaluate
from goalmem_lab.evals.picture import check_picture, draw
from goalmem_lab.evals.retaining import PARTS

SIGNALS = ("dense", "lexical", "time")
LONGMEMEVAL = ["LongMemEval, haystack", "LongMemEval, pool"]


def figures_of(dense, lexical):
    return {
        "benchmarks": {
            "LongMemEval, haystack": {
                "full": {"any@5": 1.0, "all@5": 0.9, "any@10": 1.0, "all@10": None},
                "without": {
                    "dense": {"any@5": 0.98, "all@5": dense, "any@10": 1.0, "all@10": None},
                    "lexical": {"any@5": 1.0, "all@5": lexical, "any@10": 1.0, "all@10": None},
                },
            }
        }
    }


def test_every_signal_is_switched_off_by_default(folder, embedder, tmp_path):
    figures = ablate([folder], limit=1, embedder=embedder, state=tmp_path)
    assert list(figures["benchmarks"]) == LONGMEMEVAL
    for found in figures["benchmarks"].values():
        assert set(found["without"]) == SIGNAL_NAMES


def test_figures_are_those_of_single_runs(folder, embedder, tmp_path):
    figures = ablate([folder], signals=SIGNALS, embedder=embedder, state=tmp_path)["benchmarks"]
    for scope in ("haystack", "pool"):
        for name, found in {
            None: figures[f"LongMemEval, {scope}"]["full"],
            **figures[f"LongMemEval, {scope}"]["without"],
        }.items():
            alone = evaluate(folder, scope=scope, without=[name] if name else [], embedder=embedder, state=tmp_path)
            assert {k: v for k, v in found.items() if not k.startswith("seconds")}.items() <= alone.items()


def test_locomo_stands_beside_longmemeval(folder, locomo, embedder, tmp_path):
    figures = ablate([folder, locomo], signals=["lexical"], limit=2, embedder=embedder, state=tmp_path)
    assert list(figures["benchmarks"]) == [*LONGMEMEVAL, "LoCoMo"]
    columns, _ = table(figures)
    assert columns[-2:] == ["LoCoMo: recall@10", "LoCoMo: recall@20"]
    assert len(columns) == 1 + 4 + 4 + 2


def test_the_official_file_is_known_by_what_it_holds(official, embedder, tmp_path):
    assert list(ablate([official], signals=[], limit=1, embedder=embedder, state=tmp_path)["benchmarks"]) == LONGMEMEVAL


def test_parts_of_retaining_are_added_to_the_full_system(folder, locomo, embedder, tmp_path):
    figures = ablate([folder, locomo], added=PARTS, embedder=embedder, state=tmp_path)
    assert list(figures["benchmarks"]) == [*LONGMEMEVAL, "LoCoMo"]
    for found in figures["benchmarks"].values():
        assert list(found["without"]) == [f"+ {part}" for part in PARTS]
    with pytest.raises(InputError, match=r"'magic'.*anchoring"):
        ablate([folder], added=["magic"], embedder=embedder, state=tmp_path)


@pytest.mark.parametrize("content", [[], {}, [{}], 3, [{"question": "Who?"}]])
def test_a_file_of_something_else_is_refused(tmp_path, embedder, content):
    (tmp_path / "x.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"x\.json"):
        ablate([tmp_path / "x.json"], embedder=embedder, state=tmp_path)


def test_an_unknown_signal_is_refused_with_those_there_are(folder, embedder, tmp_path):
    with pytest.raises(InputError, match=r"'magic'.*dense.*lexical"):
        ablate([folder], signals=["magic"], embedder=embedder, state=tmp_path)


def test_what_was_measured_before_an_interruption_is_not_measured_again(
    folder, locomo, embedder, tmp_path, monkeypatch
):
    def interrupt(what, done, total):
        if what == "LoCoMo: questions":
            raise KeyboardInterrupt

    options = {"signals": ["lexical"], "embedder": embedder, "state": tmp_path / "state"}
    with pytest.raises(KeyboardInterrupt):
        ablate([folder, locomo], progress=interrupt, **options)
    ticks = []
    figures = ablate([folder, locomo], progress=lambda *tick: ticks.append(tick[0]), **options)
    assert list(figures["benchmarks"]) == [*LONGMEMEVAL, "LoCoMo"]
    assert all(what.startswith("LoCoMo") for what in ticks)
    assert list((tmp_path / "state").iterdir()) == []


def test_a_conversation_is_filled_once_for_all_variants(locomo, embedder, tmp_path, monkeypatch):
    filled = []
    fill = locomo_runner.Corpora.filled
    monkeypatch.setattr(locomo_runner.Corpora, "filled", lambda *args, **kw: filled.append(args) or fill(*args, **kw))
    ablate([locomo], signals=SIGNALS, embedder=embedder, state=tmp_path)
    assert len(filled) == 1


def test_the_table_shows_differences_in_points_and_what_is_missed_most_first():
    columns, rows = table(figures_of(dense=0.88, lexical=0.75))
    assert columns == ["without", *(f"haystack: {m}" for m in ("any@5", "all@5", "any@10", "all@10"))]
    assert rows == [
        ["(full)", "100.0", "90.0", "100.0", "0.0"],
        ["lexical", "0", "-15.0", "0", "0"],
        ["dense", "-2.0", "-2.0", "0", "0"],
    ]


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_is_drawn(tmp_path, kind):
    path = tmp_path / f"ablation.{kind}"
    draw(figures_of(dense=0.88, lexical=0.95), path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG" if kind == "png" else b"<?xml")
    if kind == "svg":
        for text in (b"lexical", b"dense", b"-2.0", b"+5.0", b"LongMemEval, haystack", b"all@5"):
            assert text in content or text.replace(b"-", "\u2212".encode()) in content


def test_the_same_figures_give_the_same_picture(tmp_path):
    for name in ("one.svg", "other.svg"):
        draw(figures_of(dense=0.88, lexical=0.95), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_a_picture_that_cannot_be_drawn_is_said_before_the_work(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"\.svg"):
        check_picture(tmp_path / "ablation.docx")
    monkeypatch.setattr("goalmem_lab.evals.picture.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"goalmem-lab\[eval\]"):
        check_picture(tmp_path / "ablation.svg")


def test_a_picture_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(InputError, match="gone"):
        draw(figures_of(dense=0.88, lexical=0.95), tmp_path / "gone" / "ablation.svg")
