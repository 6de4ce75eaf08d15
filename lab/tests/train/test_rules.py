"""The learned rule reader is made again from its data, the same for the same seed."""

import json

import pytest
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.cli.outcome import Exit
from goalmem.errors import FormatError, InputError
from goalmem.rules.learned.features import FILE, read_weights
from goalmem.rules.learned.reader import LearnedReader
from goalmem_lab.train import rules
from goalmem_lab.train.chance import chance
from goalmem_lab.train.rules import Apart, Folds, read_pairs, train_rules, write_weights
from goalmem_lab.train.rules_corpus import aligned, read_theories
from goalmem_lab.train.rules_examples import nameless, renamed
from goalmem_lab.train.rules_fit import fit
from goalmem_lab.train.rules_told import tell

TEXTS = (
    "Ida, the tall one, is a mix of calm and witty. He came late. Some people are tall and calm, and those are witty.",
    "Max has been calm because he is tall. Anybody witty will, I am sure, be tall as well.",
    "Eva feels witty. She is also calm at heart. Whoever is witty and calm tends to be tall.",
)
STATED = (
    ({"Ida": ["tall", "calm", "witty"]}, [(["tall", "calm"], "witty")]),
    ({"Max": ["calm", "tall"]}, [(["witty"], "tall")]),
    ({"Eva": ["witty", "calm"]}, [(["witty", "calm"], "tall")]),
)


def literal(who, word):
    return f'("{who}" "is" "{word}" "+")'


def formal(number, facts, stated):
    triples = [literal(name, w) for name, words in facts.items() for w in words]
    rules_ = [
        f"(({' '.join(literal('someone', w) for w in body)}) -> {literal('someone', head)})" for body, head in stated
    ]
    return {
        "id": f"t-{number}",
        "triples": {f"triple{n}": {"representation": r} for n, r in enumerate(triples)},
        "rules": {f"rule{n}": {"representation": r} for n, r in enumerate(rules_)},
    }


@pytest.fixture
def files(tmp_path):
    question = {"id": "q", "text": "Ida is tall.", "label": True}
    told = [{"id": f"t-{n}", "context": text, "questions": [question]} for n, text in enumerate(TEXTS)]
    meta = [formal(n, *stated) for n, stated in enumerate(STATED)]
    paths = tmp_path / "dev.jsonl", tmp_path / "meta-dev.jsonl"
    for path, documents in zip(paths, (told, meta), strict=True):
        path.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    return paths


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(rules, "TEXTS", 12)


def test_each_sentence_is_aligned_with_what_it_states(files):
    pairs = aligned(read_theories(*files)[2])
    assert [(s.text.split()[0], stated.name) for s, stated in pairs] == [
        ("Eva", "Eva"),
        ("She", "Eva"),
        ("Whoever", ""),
    ]
    assert pairs[2][1].heads == ("tall",)


def test_a_theory_can_be_about_other_properties(files):
    theory = read_theories(*files)[0]
    other = renamed(theory, chance(3))
    assert len(other.text.split()) == len(theory.text.split())
    for stated in other.stated:
        assert all(word in other.text.lower() for word in stated.words)
        assert not stated.words & {"tall", "calm", "witty"}


def test_sentences_that_differ_by_names_are_one_sentence():
    assert nameless("Ida is calm.", ["Ida"]) == nameless("Max is calm.", ["Max"])


def test_made_sentences_hold_what_they_say_and_follow_the_seed():
    texts = tell(30, seed=5)
    assert texts == tell(30, seed=5) != tell(30, seed=6)
    for told in (t for text in texts for t in text):
        words = "".join(c if c.isalpha() else " " for c in told.text.lower()).split()
        assert {*told.body, *told.heads} <= {*words}
        assert not {*told.body} & {*told.heads}
        assert {*told.denied} <= {*told.body, *told.heads}
        assert bool(told.heads) is told.rule


def test_the_fit_finds_what_decides():
    examples = [
        ({"yes", "noise"}, True, 1.0),
        ({"no", "noise"}, False, 1.0),
        ({"yes"}, True, 1.0),
        ({"no"}, False, 1.0),
    ]
    model = fit(examples)
    assert model.log_odds({"yes"}) > 0 > model.log_odds({"no"})
    assert abs(model.weights.get("noise", 0.0)) < abs(model.weights["yes"])


def test_an_example_that_counts_twice_is_two_examples():
    once = [({"a", "b"}, True, 1.0), ({"a"}, False, 1.0), ({"b"}, False, 1.0)]
    twice = fit([(f, y, 2.0) for f, y, _ in once])
    assert twice.weights == pytest.approx(fit([*once, *once]).weights, abs=2e-4)


def test_the_same_seed_gives_the_same_weights_and_a_reader(files, tmp_path, small):
    theories = read_pairs([files[0]], [files[1]])
    weights = train_rules(theories, seed=3)
    assert weights == train_rules(theories, seed=3)
    write_weights(weights, tmp_path / "new" / "folder")
    assert read_weights(tmp_path / "new" / "folder") == weights
    assert LearnedReader(weights=weights).read("Ida, as I said, is rather calm.").clauses


@pytest.mark.parametrize("apart", list(Apart))
def test_no_fold_is_read_by_weights_that_saw_it(files, monkeypatch, small, apart):
    taught = []
    trained = rules.train
    monkeypatch.setattr(
        rules, "train", lambda examples, made: taught.append({e.key for e in examples}) or trained(examples, made)
    )
    theories = read_pairs([files[0]], [files[1]])
    folds = Folds.trained(theories, 2, apart)
    for theory in theories:
        weights_of = folds.of(theory.id)
        for sentence, _ in aligned(theory):
            fold = next(n for n, w in enumerate(folds.weights) if w is weights_of(sentence.text))
            assert nameless(sentence.text, folds.names[theory.id]) not in taught[fold]
    with pytest.raises(InputError, match="none of the meta files"):
        folds.of("another")


def test_unusable_files_are_named(files, tmp_path):
    with pytest.raises(InputError, match="1 files"):
        read_pairs([files[0]], [])
    with pytest.raises(InputError, match="cannot be read"):
        read_theories(tmp_path / "gone.jsonl", files[1])
    broken = tmp_path / "broken.jsonl"
    for content, error in (("{", "not valid JSON"), ('{"id": 1}\n', "no theory"), ("[1]\n", "not an object")):
        broken.write_text(content, encoding="utf-8")
        with pytest.raises(FormatError, match=error):
            read_theories(broken, files[1])
        with pytest.raises(FormatError, match=error):
            read_theories(files[0], broken)
    broken.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="in common"):
        read_theories(broken, files[1])


def test_the_command_writes_weights_that_the_benchmark_takes(files, tmp_path, small):
    out = tmp_path / "reader"
    result = CliRunner().invoke(app, ["train", "rules", str(files[0]), "--meta", str(files[1]), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert (out / FILE).is_file()
    arguments = ["eval", "ruletaker", str(files[0]), "--reader", "learned"]
    measured = CliRunner().invoke(app, [*arguments, "--model", str(out)])
    assert measured.exit_code == 0, measured.output
    folded = CliRunner().invoke(app, [*arguments, "--folds", "2", "--meta", str(files[1])])
    assert folded.exit_code == 0, folded.output


def test_folds_need_the_learned_reader_and_the_meta_files(files):
    for options in (["--folds", "2"], ["--reader", "learned", "--folds", "2"], ["--meta", str(files[1])]):
        result = CliRunner().invoke(app, ["eval", "ruletaker", str(files[0]), *options])
        assert result.exit_code == Exit.INPUT, result.output


def test_a_place_that_cannot_be_written_is_refused_before_the_work(files, tmp_path):
    (tmp_path / "file").write_text("")
    out = str(tmp_path / "file" / "folder")
    result = CliRunner().invoke(app, ["train", "rules", str(files[0]), "--meta", str(files[1]), "--out", out])
    assert result.exit_code == Exit.INPUT
    assert "folder" in result.stderr
