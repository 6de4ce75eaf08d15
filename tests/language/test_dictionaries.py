"""Dictionaries that are searched as they lie in their files say what they say when they are parsed whole."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.lexicon import packed

from goalmem.language import lexicon
from goalmem.language.inflection import LazyDictionary
from goalmem.language.lexicon import WIDTH, Lines

KEYS = st.binary(max_size=6).filter(lambda key: b"\n" not in key and b"," not in key)


@given(st.lists(st.tuples(KEYS, st.binary(max_size=4).filter(lambda rest: b"\n" not in rest)), max_size=30), KEYS)
def test_every_line_of_a_key_is_found_and_no_other(pairs, asked):
    pairs = sorted(pairs, key=lambda pair: pair[0])
    lines = Lines(b"head\n" + b"".join(key + b"," + rest + b"\n" for key, rest in pairs), b",", 5)
    for key in {asked, *(key for key, _ in pairs)}:
        assert lines.of(key) == [own + b"," + rest for own, rest in pairs if own == key]


@pytest.mark.parametrize(
    ("codec", "path"), [("LemmaLUCodec", "lemma_lu_fn"), ("InflectionLUCodec", "inflection_lu_fn")]
)
def test_a_word_has_the_forms_that_lemminflect_reads_from_the_whole_file(codec, path):
    from importlib import import_module

    from lemminflect import config

    codec = getattr(import_module(f"lemminflect.codecs.{codec}"), codec)
    whole, lazy = codec.load(getattr(config, path)), LazyDictionary(codec, getattr(config, path))
    for word in [*list(whole)[::37], "be", "can", "'d", "left"]:
        assert lazy.get(word) == whole.get(word), word
    for word in ("zzgrf", "", "a,noun", "can\n", "\ud800"):
        assert lazy.get(word) is None


def test_lemminflect_uses_the_dictionaries_that_it_is_given():
    from goalmem.language import inflection

    assert inflection.getInflection("weave", "VBD") == ("weaved", "wove")
    assert isinstance(inflection.Lemmatizer()._getLemmaDict(), LazyDictionary)
    assert isinstance(inflection.Inflections()._getInflDict(), LazyDictionary)


def test_the_file_of_wordnet_is_sorted_and_its_numbers_point_at_synsets():
    content = resources.files("goalmem.language").joinpath("data", "wordnet.txt").read_bytes()
    lines = content.decode("ascii").splitlines()
    count = int(lines[0].split()[1])
    synsets, irregular, lemmas = lines[count + 1 : 2 * count + 1], lines[2 * count + 1], lines[2 * count + 2 :]
    assert packed(synsets, irregular, lemmas) == content
    keys = [line.split("\t", 1)[0] for line in lemmas]
    assert keys == sorted(set(keys))
    assert all(len(line) == WIDTH for line in lines[1 : count + 1])


def test_synsets_and_lemmas_name_each_other():
    for lemma in ("dog", "buy", "red", "'hood", "zymurgy"):
        for pos in "nva":
            for synset in lexicon._plausible(lemma, pos):
                assert lemma in lexicon._synset(synset).members


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def test_spacy_is_imported_without_its_command_line_which_can_be_imported_later():
    program = """if True:
        import sys
        from goalmem.language.spacy_import import import_spacy
        spacy = import_spacy()
        assert "weasel" not in sys.modules and "spacy.cli" not in sys.modules
        assert spacy.info(silent=True)["spacy_version"] == spacy.__version__
        assert spacy.cli.download.__module__ == "spacy.cli.download"
        print("weasel" in sys.modules)"""
    assert run(program) == "True"


@given(st.text(st.characters(), max_size=5))
def test_no_text_is_too_odd_to_be_looked_up(text):
    assert lexicon.is_known(text) in (True, False)
    assert lexicon.is_known(text + "\ud800") is False


def test_a_spacy_that_needs_more_of_its_command_line_is_imported_whole(tmp_path):
    package = tmp_path / "spacy"
    (package / "cli").mkdir(parents=True)
    (package / "__init__.py").write_text("from .cli.info import info, more\n")
    (package / "cli" / "__init__.py").write_text("")
    (package / "cli" / "info.py").write_text("info = more = 3\n")
    program = f"""if True:
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from goalmem.language.spacy_import import import_spacy
        print(import_spacy().more)"""
    assert run(program) == "3"
