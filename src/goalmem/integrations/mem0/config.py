"""The part of mem0's configuration that goalmem uses: the location of memories."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goalmem.errors import InputError
from goalmem.memory import Memory

if TYPE_CHECKING:
    from goalmem.settings import Settings


DEFAULT_COLLECTION = "mem0"
SUFFIX = ".goalmem"


class Section(BaseModel):
    """A part of mem0's configuration: who provides it, and its own settings."""

    model_config = ConfigDict(frozen=True)

    provider: str = ""
    config: dict[str, Any] | None = None


class MemoryConfig(BaseModel):
    """mem0's configuration. Of it only `vector_store.config` is used, as the place of the store: no model is needed.

    `goalmem` holds settings of goalmem by name (docs/settings.md), with `store` for the path or URL of the store.
    """

    model_config = ConfigDict(frozen=True)

    vector_store: Section = Field(default_factory=Section)
    llm: Section = Field(default_factory=Section)
    embedder: Section = Field(default_factory=Section)
    history_db_path: str | None = None
    reranker: Section | None = None
    version: str = "v1.1"
    custom_instructions: str | None = None
    goalmem: dict[str, Any] = Field(default_factory=dict)


DEFAULTS = MemoryConfig()
"""The store that goalmem is set to, or `memory.goalmem` in the working folder."""


def configured(given: object) -> MemoryConfig:
    """A configuration: one of ours or of mem0's, a dict of the same, or a path or URL of a store.

    Raises InputError that names the first thing wrong.
    """
    if isinstance(given, str | PathLike):
        return MemoryConfig(goalmem={"store": fspath(given)})
    if isinstance(given, MemoryConfig):
        return given
    fields = _of_theirs(given) if isinstance(given, BaseModel) else given
    if not isinstance(fields, Mapping):
        raise InputError(
            f"A configuration is a dict, not {type(given).__name__}.",
            'Pass mem0\'s, or {"goalmem": {"store": "life.db"}}.',
        )
    try:
        return MemoryConfig.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"The configuration cannot be used: {where}: {first['msg']}.", "Correct it.") from None


def _of_theirs(given: BaseModel) -> dict[str, Any]:
    """The relevant part of mem0's own configuration, whose vector store has one of many types."""
    vectors = getattr(given, "vector_store", None)
    held = getattr(vectors, "config", None)
    told = {name: getattr(held, name) for name in type(held).model_fields} if isinstance(held, BaseModel) else held
    return {"vector_store": {"provider": getattr(vectors, "provider", ""), "config": told}}


def open_memory(config: MemoryConfig) -> Memory:
    """The memory that a configuration names.

    The store is `goalmem.store`, else a file in the folder of the vector store, else the one that goalmem is set to.
    Raises InputError for settings that do not exist, StoreError where the place cannot be used.
    """
    from goalmem.settings import load_settings

    given = dict(config.goalmem)
    place = given.pop("store", None) or _beside_vectors(config.vector_store)
    settings: Settings = load_settings(**given, **({"store": fspath(place)} if place else {}))
    return Memory(settings.store, settings=settings)


def _beside_vectors(vectors: Section) -> str | Path | None:
    """A file for a collection in the folder where mem0 would keep its vectors; None where that is a server."""
    told = vectors.config or {}
    path = told.get("path")
    if path is None:
        return None
    if not isinstance(path, str | PathLike):
        raise InputError(f"vector_store.config.path is {path!r}.", "Give a path as a string.")
    name = fspath(path)
    if name == ":memory:":
        return name
    collection = str(told.get("collection_name") or DEFAULT_COLLECTION)
    if "/" in collection or "\\" in collection or "\x00" in collection or collection in (".", ".."):
        raise InputError(f"The collection is named {collection!r}.", "Use a name that can be that of a file.")
    place = Path(name).expanduser()
    return place.with_name(place.name + SUFFIX) if place.is_file() else place / f"{collection}{SUFFIX}"
