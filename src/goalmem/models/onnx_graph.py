"""A model in ONNX that multiplies weights of 8 bits by their scales, rewritten to open with less memory.

ONNX Runtime makes these products itself when it opens a model, and keeps much of the steps. Of a table that is scaled before rows are
looked up in it, it keeps all rows in 32 bits. Each product is the same wherever it is made: no bit of what the model says changes.

The messages are those of onnx.proto: ModelProto.graph = 7; GraphProto.node = 1, .initializer = 5; NodeProto.input = 1, .output = 2,
.name = 3, .op_type = 4, .attribute = 5; TensorProto.dims = 1, .data_type = 2, .name = 8, .raw_data = 9, .external_data = 13 (key = 1,
value = 2), .data_location = 14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

_GRAPH, _NODE, _INITIALIZER = 7, 1, 5
_INPUT, _OUTPUT, _NAME, _OPERATOR, _ATTRIBUTE = 1, 2, 3, 4, 5
_DIMENSION, _TYPE, _TENSOR, _DATA, _EXTERNAL, _LOCATION = 1, 2, 8, 9, 13, 14
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5

_TYPES: Mapping[np.dtype[Any], int] = {np.dtype("<f4"): 1, np.dtype("u1"): 2, np.dtype("i1"): 3}
"""TensorProto.DataType of numbers."""
_NUMBERS = {kind: numbers for numbers, kind in _TYPES.items()}

_FIRST_AXIS = b"\n\x04axis\x18\x00\xa0\x01\x02"
"""AttributeProto: name `axis`, i = 0, type INT; the default."""

_Pieces = list[bytes | memoryview]
_Constants = dict[str, NDArray[Any]]

LARGE = 2**20
"""Constants above this number of bytes are passed separately, since the runtime would hold both the message and a
copy.
"""


@dataclass(frozen=True, slots=True)
class _Node:
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rest: bytes
    """Operator, attributes and remaining fields, as in the file."""
    of_rows: bool
    """As a lookup, it is one along the first axis."""


def compact_graph(model: bytes) -> tuple[bytes, _Constants]:
    """The model, and the constants that it leaves to `SessionOptions.add_external_initializers`, by their names.

    `Gather(Mul(Cast(table), scales), rows)` becomes `Mul(Cast(Gather(table, rows)), Gather(scales, rows))`, where the scales must
    be one a row; `Mul(Cast(weights), scales)` elsewhere becomes a constant. Raises ValueError when `model` is no message of this format.
    """
    pieces: _Pieces = []
    constants: _Constants = {}
    for number, field, content in _fields(memoryview(model)):
        pieces += _framed(_GRAPH, _rewritten(content, constants)) if number == _GRAPH else [field]
    return b"".join(pieces), constants


def _rewritten(graph: memoryview, constants: _Constants) -> _Pieces:
    """The rewritten graph; removed constants are added to `constants`."""
    fields = list(_fields(graph))
    nodes = {place: _node(content) for place, (number, _, content) in enumerate(fields) if number == _NODE}
    tensors = {place: _tensor(content) for place, (number, _, content) in enumerate(fields) if number == _INITIALIZER}
    made = _replacements(list(nodes.values()), dict(tensors.values()), constants)
    after = {place: made.get(id(node), [node]) for place, node in nodes.items()}
    used = {name for node in nodes.values() for name in node.inputs}
    left = {name for group in after.values() for node in group for name in node.inputs}
    # Copies: views would keep the whole file.
    constants |= {
        name: np.array(a) for name, a in tensors.values() if name in left and a is not None and a.nbytes >= LARGE
    }
    gone = (used - left) | constants.keys()
    pieces: _Pieces = []
    for place, (_, field, _) in enumerate(fields):
        if place in nodes and id(nodes[place]) in made:
            for node in after[place]:
                pieces += _framed(_NODE, [_message(node)])
        elif place not in tensors or tensors[place][0] not in gone:
            pieces.append(field)
    for name, array in constants.items():
        pieces += _framed(_INITIALIZER, _external(name, array))
    return pieces


def _replacements(
    nodes: Sequence[_Node], tensors: Mapping[str, NDArray[Any] | None], constants: _Constants
) -> dict[int, list[_Node]]:
    """By the identity of nodes, those that come in their places."""
    made = {name: node for node in nodes for name in node.outputs}
    uses = Counter(name for node in nodes for name in node.inputs)
    instead: dict[int, list[_Node]] = {}
    for lookup in nodes:
        product = _maker(made, lookup, "Mul") if lookup.operator == "Gather" and lookup.of_rows else None
        cast = _maker(made, product, "Cast")
        if product is not None and cast is not None and uses[product.outputs[0]] == uses[cast.outputs[0]] == 1:
            instead |= {id(cast): [], id(product): [], id(lookup): _looked_up(cast, product, lookup)}
    for product in nodes:
        cast = _maker(made, product, "Cast") if product.operator == "Mul" and id(product) not in instead else None
        if cast is None or uses[cast.outputs[0]] != 1:
            continue
        weights, scales = tensors.get(cast.inputs[0]), tensors.get(product.inputs[1])
        if weights is not None and scales is not None and scales.dtype == np.float32:
            constants[product.outputs[0]] = np.multiply(weights, scales, dtype=np.float32)
            instead |= {id(cast): [], id(product): []}
    return instead


def _maker(made: Mapping[str, _Node], node: _Node | None, operator: str) -> _Node | None:
    """The node with this operator that produces the first input of another."""
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


def _tensor(content: memoryview) -> tuple[str, NDArray[Any] | None]:
    """The name of an initializer and its numbers, which lie in the file; None for those of other types, and elsewhere."""
    name, shape, kind, data = "", [], 0, content[:0]
    for number, field, value in _fields(content):
        if number == _TENSOR:
            name = str(value, "utf-8")
        elif number == _DATA:
            data = value
        elif number == _DIMENSION:
            shape.append(_number(field, 1)[0])
        elif number == _TYPE:
            kind = _number(field, 1)[0]
    numbers = _NUMBERS.get(kind)
    if numbers is None or not data or len(data) != prod(shape) * numbers.itemsize:
        return name, None
    return name, np.frombuffer(data, numbers).reshape(shape)


def _external(name: str, array: NDArray[Any]) -> _Pieces:
    """An initializer whose data is passed separately from the model."""
    numbers = [(_DIMENSION, size) for size in array.shape] + [(_TYPE, _TYPES[array.dtype]), (_LOCATION, 1)]
    where = [*_framed(1, [b"location"]), *_framed(2, [b"beside"])]
    return [
        *(_varint(number << 3 | _VARINT) + _varint(value) for number, value in numbers),
        *_framed(_TENSOR, [name.encode()]),
        *_framed(_EXTERNAL, where),
    ]


# -- the wire format of Protocol Buffers ------------------------------------------------------------------------------


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Each field's number, bytes, and value if it is length-delimited; empty for numbers."""
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
