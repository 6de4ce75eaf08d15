"""Tables of 8 bits in an ONNX file: rows are looked up before they become numbers of 32 bits, not after.

A graph that multiplies a whole table by its scales and then looks rows up in it makes ONNX Runtime keep the table in 32 bits. Each
row is the same product either way: no bit of what the model says changes.

The messages are those of onnx.proto: ModelProto.graph = 7; GraphProto.node = 1; NodeProto.input = 1, .output = 2, .name = 3,
.op_type = 4, .attribute = 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["rows_before_scales"]

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
