"""Settings, their sources and limits.

A value is taken from the first of these that gives it:

1. the call: `load_settings(store="other.goalmem")`
2. the environment: `GOALMEM_STORE=other.goalmem`
3. one file of TOML: the one `GOALMEM_CONFIG` names, else `goalmem.toml` in the working directory, else
   `goalmem/config.toml` in the user's configuration folder
4. the defaults below
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_type_hints

from annotated_types import Ge, Gt, Le, MinLen, Predicate

from goalmem.errors import InputError

if TYPE_CHECKING:
    from pydantic import ValidationError

ENV_PREFIX = "GOALMEM_"
CONFIG_VARIABLE = "GOALMEM_CONFIG"

EmbedderChoice = Literal[
    "auto", "minilm", "e5", "static", "minilm+e5", "minilm+static", "e5+static", "minilm+e5+static"
]
"""The embedders of `goalmem.models.registry`, and what the store was made with."""


def is_model_elsewhere(choice: str) -> bool:
    """True if the embedder's name has the prefix of an external model: `openai:MODEL`, `sentence-transformers:MODEL`."""
    kind, _, model = choice.partition(":")
    return kind in ("openai", "sentence-transformers") and bool(model.strip())


def is_hard_to_guess(key: str) -> bool:
    """True if a key is as long as 128 bits in hexadecimal digits, or not set."""
    return not key or len(key.strip()) >= 32


_DEAREST = 1e9
"""Money for a million tokens, in any currency: a finite number."""
_NAMES = frozenset({"store", "space"})
"""Settings that any text will do for that is not empty."""
_SECRETS = frozenset({"chat_key", "embedding_key", "proof_key"})
"""Settings whose values no message repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting with its default. `Memory` checks it, and `load_settings`."""

    store: Annotated[str, MinLen(1)] = "memory.goalmem"
    """Path or URL of the store that the command line opens."""
    space: Annotated[str, MinLen(1)] = "default"
    """The space that the command line works in."""
    embedder: EmbedderChoice | Annotated[str, Predicate(is_model_elsewhere)] = "auto"
    """The model of the vectors: what the store was made with, for a new one MiniLM; or one by name, `openai:MODEL` for one behind
    an endpoint, `sentence-transformers:MODEL` for one in a folder."""
    embedding_url: str = ""
    """Base address of the OpenAI-compatible endpoint of an embedder `openai:MODEL`; nothing else asks it."""
    embedding_key: str = field(default="", repr=False)
    """That endpoint's key. Secret: shown nowhere."""
    embedding_dimensions: Annotated[int, Ge(1), Le(65_536)] | None = None
    """Numbers of a vector, where the model leaves a choice; None: the model's own."""
    embedding_query_prefix: str = ""
    """Put before what is searched for, as the model was trained with it (E5: `query: `)."""
    embedding_passage_prefix: str = ""
    """Put before what is remembered (E5: `passage: `)."""
    embedding_batch: Annotated[int, Ge(1), Le(512)] = 64
    """Texts that one request of embeddings holds at most."""
    embedding_tokens: Annotated[int, Ge(1)] = 32_768
    """Tokens that one request of embeddings holds at most, about."""
    embedding_timeout: Annotated[float, Gt(0), Le(3600)] = 60.0
    """Seconds that one request of embeddings may take, with all that is tried again."""
    embedding_retries: Annotated[int, Ge(0), Le(20)] = 5
    """How often a request of embeddings is repeated that may yet succeed."""
    embedding_concurrency: Annotated[int, Ge(1), Le(64)] = 4
    """Requests of embeddings that run side by side."""
    reader: Literal["minilm", "none"] = "minilm"
    """The span reader that answers are read out of passages with where facts prove none; `none` leaves that out."""
    judge: Literal["minilm", "chat", "none"] = "minilm"
    """What decides whether passages say what was read out of them: the bundled judge, or the chat model that is set, in calls of their
    own. With `none` nothing is read, since nothing unjudged is told."""
    busy_timeout: Annotated[float, Gt(0), Le(3600)] = 30.0
    """Seconds to wait while another process writes, before StoreBusyError."""
    space_turns: Annotated[int, Ge(0)] = 0
    """Turns that a space may hold; 0 for any number."""
    space_bytes: Annotated[int, Ge(0)] = 0
    """Bytes of text, captions and metadata that a space may hold, earlier versions of turns included; 0 for any number."""
    retention: Annotated[float, Ge(0), Le(500 * 366 * 86_400)] = 0.0
    """Seconds after which a message is forgotten that names no time itself; 0: never."""
    max_message_characters: Annotated[int, Ge(1)] = 10_000_000
    """Longest message that is taken; a longer one is refused with InputError."""
    captions: bool = False
    """Have the chat model say what shared pictures show, where messages have no `caption`; else such messages are refused."""
    max_file_mb: Annotated[int, Ge(1)] = 256
    """Megabytes of the largest file that is taken as a document; a larger one is refused with FormatError."""
    file_analysis_characters: Annotated[int, Ge(0)] = 250_000
    """Characters of a document that are analysed, from its beginning: half a minute on a core. The rest is stored, and found by its words
    and headings; 0: all is analysed."""
    max_rule_characters: Annotated[int, Ge(1)] = 4_000_000
    """Longest rule text that is taken at once; a longer one is refused with InputError."""
    ask_depth: Annotated[int, Ge(1), Le(16)] = 3
    """Levels of subgoals (D_max). Depth keeps paying (Goal-Mem, ablation of depth and breadth)."""
    ask_breadth: Annotated[int, Ge(1), Le(16)] = 2
    """Alternative steps a state (B_max). Breadth saturates after one decomposition (same ablation)."""
    ask_seconds: Annotated[float, Gt(0), Le(3600)] = 60.0
    """Time one question may take before the best honest result is given."""
    ask_hops: Annotated[int, Ge(1), Le(8)] = 3
    """Hops of a walk over a graph at most (ArG's depth; the paper's are 2 and 4, MetaQA's questions take up to 3)."""
    ask_beam: Annotated[int, Ge(1), Le(100)] = 3
    """Walks over a graph that go on after each hop (ArG, section 5.3)."""
    ask_edges: bool = False
    """Where nothing else answers, walk over the edges that a space's own facts make. Off, since on LoCoMo it answers what should
    be left open (33 of 50 such questions) and little else (docs/graph.md)."""
    graph_critic: str = ""
    """Who scores walks over graphs: the folder of a trained critic (`goalmem train critic`, `goalmem train arg`), or `chat`; empty:
    the local critic, not trained."""
    evr_model: str = ""
    """Folder of the networks by `goalmem train evr` that decide over rules with the reasoner `evr`; empty: those of goalmem-lab,
    if it is installed."""
    evr_veto: bool = True
    """Withhold what these networks answer where no proof of it holds; else they are believed, and an answer is `likely` at most."""
    graph_own_knowledge: bool = False
    """Where no walk over an imported graph answers, give what the critic's model (`chat`, or a tuned one) knows by itself, as `likely` and
    marked as assumed by it; nothing that is stored says it."""
    chat_seconds: Annotated[float, Gt(0), Le(86400)] = 300.0
    """Time one question may take when a chat model reasons: a small one on two cores takes a minute or two."""
    ask_calls: Annotated[int, Ge(1), Le(1000)] = 16
    """Calls of the chat model that one question may take."""
    ask_tokens: Annotated[int, Ge(1)] = 40_000
    """Tokens of prompts and replies that one question may take."""
    chat_orders: Annotated[int, Ge(1), Le(5)] = 1
    """In how many orders facts are shown to the chat model; what it does not find in every one does not count."""
    chat_facts: Annotated[int, Ge(1), Le(60)] = 20
    """Turns shown to the chat model in one call, with goals and without; a small model on few cores does better with 8."""
    chat_reads: bool = True
    """Let the chat model read facts, too; else it only takes questions apart and guesses what was said, in one call, and
    what is found is read and proved without it: better with a model of one or two billion parameters."""
    chat_wording: bool = True
    """Let the chat model word what is proved, in one more call; else the answer is as the proof has it."""
    answer_threshold: Annotated[float, Ge(0), Le(1)] = 0.5
    """Confidence under which an answer is withheld. At 0.5 some 90 % of what has no answer in the held-out lives is left open
    (docs/reasoning.md)."""
    proof_key: Annotated[str, Predicate(is_hard_to_guess)] = field(default="", repr=False)
    """Key that proofs are sealed with, so that one made with it can be told; 32 characters or more. Secret: shown nowhere."""
    proof_seal_required: bool = False
    """Let no proof hold that was not sealed with this key."""
    index_memory_mb: Annotated[int, Ge(16)] = 1024
    """Megabytes that the in-memory indexes of all spaces may use together; the least used space is dropped first."""
    chat_url: str = ""
    """Base address of an OpenAI-compatible endpoint, `ollama:MODEL` or `openai:MODEL`; empty: there is no chat model, and nothing is contacted."""
    chat_model: str = ""
    """The chat model's name there."""
    chat_key: str = field(default="", repr=False)
    """The endpoint's key. Secret: shown nowhere."""
    chat_timeout: Annotated[float, Gt(0), Le(3600)] = 60.0
    """Seconds that one call of the chat model may take, with all that is tried again."""
    chat_retries: Annotated[int, Ge(0), Le(10)] = 2
    """How often a call is repeated that may yet succeed."""
    chat_price_in: Annotated[float, Ge(0), Le(_DEAREST)] | None = None
    """Money for a million tokens of prompts; None: unknown."""
    chat_price_out: Annotated[float, Ge(0), Le(_DEAREST)] | None = None
    """Money for a million tokens of replies; None: unknown."""
    chat_concurrency: Annotated[int, Ge(1), Le(64)] = 4
    """Calls of the chat model that run side by side."""
    chat_cache: bool = True
    """Keep the chat model's replies in the store, and do not ask for the same again."""
    chat_kept: Annotated[int, Ge(0)] = 10_000
    """Replies kept in a space; the oldest go first. Some kilobytes each at most."""
    use_server: bool = True
    """Let commands use a `goalmem serve` that runs over the same store, of the same user and with the same settings."""
    serve_host: Annotated[str, MinLen(1)] = "127.0.0.1"
    """Address that `goalmem serve` listens on; on any but a loopback address it needs keys."""
    serve_port: Annotated[int, Ge(0), Le(65535)] = 8765
    """Port that `goalmem serve` listens on; 0: any that is free."""
    serve_workers: Annotated[int, Ge(0), Le(256)] = 0
    """Threads that look things up, and as many that reason; 0: one of each a core, two at least."""
    serve_waiting: Annotated[int, Ge(2), Le(100_000)] = 1024
    """Requests of a kind that may wait for a thread, half of them of one caller; more are refused with 503 or 429."""
    serve_seconds: Annotated[float, Gt(0), Le(3600)] = 120.0
    """Time that a request may take, waiting included."""
    serve_header_seconds: Annotated[float, Gt(0), Le(3600)] = 15.0
    """Time that a request's headers may take to arrive; the connection is closed then."""
    serve_body_bytes: Annotated[int, Ge(1024), Le(2**30)] = 8 * 2**20
    """Largest JSON body; what is larger is uploaded as a file."""
    serve_upload_bytes: Annotated[int, Ge(1024)] = 4 * 2**30
    """Largest file that is uploaded."""
    serve_connections: Annotated[int, Ge(1), Le(100_000)] = 2000
    """Requests that may be open at once, waiting ones and streams included; more are refused with 503."""
    serve_rate: Annotated[float, Gt(0), Le(1e6)] = 100.0
    """Requests a second that one key may make in the long run, unless it was made with a rate of its own."""
    serve_burst: Annotated[float, Gt(0), Le(3600)] = 5.0
    """Seconds' worth of its rate that a key may use at once after a rest."""
    serve_grace: Annotated[float, Gt(0), Le(3600)] = 30.0
    """Seconds that what has begun may take when the server is told to stop."""
    serve_hosts: str = ""
    """Names by which the server may be called, separated by commas; on loopback it may always be called localhost."""
    serve_data: str = ""
    """Folder of keys, acknowledgements and uploads; default: the store's name with `.serve`."""
    serve_log: Literal["debug", "info", "warning", "error"] = "info"
    """What is logged; `info` has a line a request."""


def load_settings(**given: object) -> Settings:
    """Settings from the call, the environment, a file and the defaults, checked.

    `given` values of None count as not given. Raises InputError that names the setting, where its value came from and
    what it must be.
    """
    explicit = {name: value for name, value in given.items() if value is not None}
    path = config_file()
    # pydantic-settings takes a quarter of a second to import: not needed where at most a store and a space are named.
    named = {name: os.environ[_variable(name)] for name in _NAMES if _variable(name) in os.environ} | explicit
    others = any(_variable(f.name) in os.environ for f in fields(Settings) if f.name not in _NAMES)
    if path is None and not others and named.keys() <= _NAMES:
        names = {name: value for name, value in named.items() if isinstance(value, str) and value}
        if len(names) == len(named):
            return Settings(**cast("dict[str, Any]", names))
    return _checked(explicit, path)


def check_settings(settings: Settings) -> None:
    """Raises InputError for a value that a setting cannot have; of defaults and of plain text, numbers and flags nothing is loaded."""
    hints, standard = get_type_hints(Settings, include_extras=True), Settings()
    given = {name: getattr(settings, name) for name in hints}
    changed = {name: value for name, value in given.items() if value != getattr(standard, name)}
    unsure = {
        n: v for n, v in changed.items() if type(v) is not hints[n] and not (n in _NAMES and v and isinstance(v, str))
    }
    if not unsure:
        return
    from pydantic import ConfigDict, ValidationError, create_model

    definitions: dict[str, Any] = {name: (hints[name], ...) for name in unsure}
    try:
        create_model("Given", __config__=ConfigDict(strict=True), **definitions)(**unsure)
    except ValidationError as error:
        raise _explain(error, unsure, None) from None


def config_file() -> Path | None:
    """The settings file in force, or None. Raises InputError when `GOALMEM_CONFIG` names no file."""
    if named := os.environ.get(CONFIG_VARIABLE):
        path = Path(named).expanduser()
        if not path.is_file():
            raise InputError(f"{CONFIG_VARIABLE} names {named!r}, which is no file.", "Correct the path or unset it.")
        return path
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    candidates = (Path("goalmem.toml"), Path(home).expanduser() / "goalmem" / "config.toml")
    return next((path for path in candidates if path.is_file()), None)


def _checked(given: Mapping[str, object], path: Path | None) -> Settings:
    """Let pydantic-settings merge the sources and check the result."""
    import tomllib

    from pydantic import ValidationError, create_model
    from pydantic_settings import (
        BaseSettings,
        PydanticBaseSettingsSource,
        SettingsConfigDict,
        TomlConfigSettingsSource,
    )

    class Sources(BaseSettings):
        model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, extra="forbid", toml_file=path)

        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            del dotenv_settings, file_secret_settings
            return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    hints = get_type_hints(Settings, include_extras=True)
    definitions: dict[str, Any] = {name: (hints[name], default) for name, default in asdict(Settings()).items()}
    model = create_model("SettingsModel", __base__=Sources, **definitions)
    try:
        settings = Settings(**model(**given).model_dump())
    except ValidationError as error:
        raise _explain(error, given, path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"The settings file {path} is no TOML: {error}.", "Correct it or remove it.") from None
    if settings.proof_seal_required and not settings.proof_key:
        raise InputError(
            "GOALMEM_PROOF_SEAL_REQUIRED is set, and no key.", "Set GOALMEM_PROOF_KEY, too, or let seals be optional."
        )
    return settings


def _variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"{ENV_PREFIX}{name}".upper()


def _explain(error: ValidationError, given: Mapping[str, object], path: Path | None) -> InputError:
    """Convert the first validation error to InputError."""
    first = error.errors()[0]
    name = str(first["loc"][0])
    if name in given:
        origin = f"the setting {name!r}"
    else:
        origin = _variable(name) if _variable(name) in os.environ else f"{name!r} in {path}"
    if first["type"] == "extra_forbidden":
        known = ", ".join(f.name for f in fields(Settings))
        return InputError(f"There is no setting {origin.removeprefix('the setting ')}.", f"Known settings: {known}.")
    value = "what it cannot be" if name in _SECRETS else repr(first["input"])
    if name == "embedder":
        remedy = "Give one of these, openai:MODEL, or sentence-transformers:FOLDER, or leave it out."
    elif name == "proof_key":
        remedy = "Give 32 characters or more, as `openssl rand -hex 32` prints them, or leave it out."
    else:
        remedy = "Give a value in that range, or leave it out."
    return InputError(f"{origin} is {value}: {first['msg']}.", remedy)
