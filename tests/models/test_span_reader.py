import itertools
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import resources

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from goalmem.errors import ModelError
from goalmem.models import span_reader
from goalmem.models.encoder_file import MAX_PIECES, OVERLAP_PIECES, pair_windows
from goalmem.models.minilm import bundled_tokenizer
from goalmem.models.span_reader import MOST_WINDOWS, SAME, Calibration, MiniLMReader, WindowLogits, reading

TALK = "Nadia: What have you been up to?\nIvo: I adopted a grey parrot last Saturday. She bites.\nNadia: Lovely!"
WHAT = ("What did Ivo adopt?", TALK)
WHEN = ("When did Ivo adopt the parrot?", TALK)
TOKENIZER = bundled_tokenizer()
FORWARD = span_reader._forward
FILLER = "Ivo: The committee went through the minutes of the last meeting and moved on to the budget.\n" * 40


@pytest.fixture(scope="module")
def reader() -> MiniLMReader:
    return MiniLMReader()


def said(pair, reading):
    return pair[1][reading.spans[0].start : reading.spans[0].end]


def test_the_words_that_answer_come_first(reader):
    what, when = reader.read([WHAT, WHEN])
    assert "parrot" in said(WHAT, what)
    assert "last Saturday" in said(WHEN, when)


def test_an_answer_is_more_present_where_it_is(reader):
    here, elsewhere = reader.read([WHAT, ("What did Ivo adopt?", "Nadia: It rained all day.\nIvo: I stayed in.")])
    assert here.present > 0.5 > elsewhere.present


def test_spans_lie_apart_and_are_worth_no_more_than_the_passage(reader):
    for got in reader.read([WHAT, WHEN, ("Who bites?", TALK)], limit=5):
        assert 1 <= len(got.spans) <= 5
        assert all(0 <= span.score <= got.present + 1e-3 for span in got.spans)
        assert [span.score for span in got.spans] == sorted((span.score for span in got.spans), reverse=True)
        for one, other in itertools.combinations(got.spans, 2):
            shared = max(0, min(one.end, other.end) - max(one.start, other.start))
            assert 2 * shared <= SAME * (one.end - one.start + other.end - other.start)
        assert all("\n" not in TALK[start:end] for start, end in ((s.start, s.end) for s in got.spans))


def test_a_pair_reads_the_same_in_any_company(reader):
    pairs = [WHAT, (WHAT[0], FILLER + TALK), WHEN, ("Who?", "Yes."), ("", "")]
    together = reader.read(pairs)
    assert together == [reader.read([pair])[0] for pair in pairs]
    assert together[::-1] == reader.read(pairs[::-1])


def test_the_limit_only_cuts(reader):
    (few,), (many,) = reader.read([WHAT], limit=1), reader.read([WHAT], limit=4)
    assert few.spans == many.spans[:1]
    assert reader.read([WHAT], limit=0)[0].spans == ()


def test_no_pairs_give_no_readings(reader):
    assert reader.read([]) == []


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "🐶🐶", "\u202e", "\n\n", "a" * 20_000])
def test_any_text_is_read(reader, text):
    for got in reader.read([("What?", text), (text, "Ivo: I adopted a parrot.")]):
        assert 0.0 <= got.present <= 1.0
        assert np.isfinite([span.score for span in got.spans]).all()
    assert reader.read([("What?", "")])[0].spans == ()


def test_offsets_count_characters(reader):
    passage = "Zoë: 🦜 Ich mag naïve Cafés…\nIvo: I adopted a grey parrot in Zürich."
    (got,) = reader.read([("What did Ivo adopt?", passage)])
    assert "grey parrot" in passage[got.spans[0].start : got.spans[0].end]


def test_what_stands_far_into_a_long_passage_is_found(reader):
    pair = ("What did Ivo adopt?", FILLER + TALK + "\n" + FILLER)
    (got,) = reader.read([pair])
    assert "parrot" in said(pair, got)


@pytest.mark.parametrize("filler", ["((", "They talked about the weather and had tea. "])
def test_of_a_passage_of_any_length_few_windows_are_read_and_the_answer_is_among_them(reader, monkeypatch, filler):
    read = []
    monkeypatch.setattr(
        span_reader, "_forward", lambda session, window: read.append(window) or FORWARD(session, window)
    )
    long = filler * (30_000 // len(filler))
    passage = f"{long} Ines repaired the accordion in Porto. {long}"
    (found,) = reader.read([("Where did Ines repair the accordion?", passage)])
    assert len(read) == MOST_WINDOWS
    assert "Porto" in passage[found.spans[0].start : found.spans[0].end]


@given(st.text(max_size=30), st.text(alphabet="ab é\n.🦜'", max_size=3_000))
@settings(max_examples=40, deadline=None)
def test_windows_overlap_and_cover_the_passage(question, passage):
    (windows,) = pair_windows(TOKENIZER, [(question, passage)])
    assert all(len(window.ids) <= MAX_PIECES for window in windows)
    places = [place for window in windows for place in window.offsets]
    assert all(0 <= start < end <= len(passage) for start, end in places)
    assert set(places) == set(TOKENIZER.encode(passage, add_special_tokens=False).offsets)
    assert all(a.offsets[-OVERLAP_PIECES:] == b.offsets[:OVERLAP_PIECES] for a, b in itertools.pairwise(windows))


def test_a_certain_model_gives_certain_readings():
    passage = "Ivo: a parrot"
    (windows,) = pair_windows(TOKENIZER, [("What?", passage)])
    logits = np.zeros((len(windows[0].ids), 2), dtype=np.float32)
    logits[-2] = 50.0
    got = reading(passage, windows, [WindowLogits(logits, 9.0)], Calibration(1.0, 1.0, 1.0, 0.0), 3)
    assert got.present == 1.0
    assert (passage[got.spans[0].start : got.spans[0].end], got.spans[0].score) == ("parrot", 1.0)


def test_ways_to_cut_the_same_answer_support_each_other():
    """`red kite`, `a red kite` and `kite` together outweigh one other place that is likelier than each of them."""
    passage = "Ivo: a red kite\nAda: Monday"
    (windows,) = pair_windows(TOKENIZER, [("What?", passage)])
    pieces = [TOKENIZER.id_to_token(piece) for piece in windows[0].ids]
    logits = np.full((len(pieces), 2), -9.0, dtype=np.float32)
    for word, start, end in (("a", 2.0, -9.0), ("red", 2.0, -9.0), ("kite", 2.0, 3.0), ("monday", 2.4, 3.4)):
        logits[pieces.index(word)] = start, end
    logits[0] = -9.0
    best = reading(passage, windows, [WindowLogits(logits, 9.0)], Calibration(1.0, 1.0, 1.0, 0.0), 1).spans[0]
    assert passage[best.start : best.end] == "red kite"


def test_threads_share_one_model(reader):
    expected = reader.read([WHAT, WHEN])
    with ThreadPoolExecutor(4) as pool:
        assert all(got == expected for got in pool.map(lambda _: reader.read([WHAT, WHEN]), range(8)))


def test_an_altered_model_is_refused(tmp_path, monkeypatch):
    import goalmem.models.span_reader as module

    monkeypatch.setattr(module, "READER_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="not the one expected"):
        MiniLMReader(threads=3).read([WHAT])  # not the running one that instances share


def test_what_is_no_reader_is_refused(tmp_path):
    (tmp_path / "other.onnx").write_bytes(b"no model")
    for path in (tmp_path / "other.onnx", tmp_path / "gone.onnx", tmp_path):
        with pytest.raises(ModelError, match="cannot be used as a reader"):
            MiniLMReader(path).read([WHAT])


def test_the_bundled_file_fits_its_promise():
    assert resources.files("goalmem.models").joinpath("data", "reader.onnx").stat().st_size <= 25_000_000


def test_importing_loads_no_runtime():
    program = "import sys, goalmem.models.span_reader; print({'onnxruntime', 'tokenizers', 'torch'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
