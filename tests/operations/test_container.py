"""The image and the compose file: not built here, but held to what is promised of them."""

import json
import re
import shlex
from dataclasses import fields
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import typer.main

from goalmem.cli.app import app
from goalmem.settings import Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "Dockerfile"


def instructions() -> list[tuple[str, str]]:
    """Instruction and arguments, lines joined and comments left out."""
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = [line.strip() for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    return [(name, " ".join(rest.split())) for name, _, rest in (line.partition(" ") for line in lines)]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for instruction in instructions():
        if instruction[0] == "FROM":
            found.append([])
        found[-1].append(instruction)
    return found


def last(name: str) -> str:
    return next(arguments for word, arguments in reversed(stages()[-1]) if word == name)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def test_instructions_are_those_of_a_dockerfile():
    known = set("FROM RUN COPY ENV USER WORKDIR VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD ARG LABEL".split())
    assert {name for name, _ in instructions()} <= known


def test_what_builds_is_not_what_runs():
    first, final = stages()
    assert first[0][1].endswith("AS build")
    assert ("COPY", "--from=build /opt/goalmem /opt/goalmem") in final
    assert not any("pip install" in arguments for _, arguments in final)


def test_images_are_pinned_and_of_no_registry_that_is_named():
    for stage in stages():
        image = stage[0][1].split()[0]
        name, _, tag = image.partition(":")
        assert tag not in ("", "latest")
        assert "." not in name.split("/")[0]


def test_no_address_is_in_either_file():
    for file in (DOCKERFILE, ROOT / "compose.yaml"):
        addresses = re.findall(r"https?://([^/\s:'\"]+)", file.read_text(encoding="utf-8"))
        assert set(addresses) <= {"127.0.0.1"}
        assert "index-url" not in file.read_text(encoding="utf-8")


def test_it_runs_as_nobody_of_importance():
    user, group = last("USER").split(":")
    assert int(user) >= 1000
    assert int(group) >= 1000
    words = [name for name, _ in stages()[-1]]
    assert words.index("USER") > max(n for n, word in enumerate(words) if word in ("RUN", "COPY"))


def test_it_is_watched():
    options, _, probe = last("HEALTHCHECK").partition("CMD ")
    assert {"--interval", "--timeout", "--start-period", "--retries"} <= set(re.findall(r"--[a-z-]+", options))
    program = json.loads(probe)
    assert program[0] == "python"
    compile(program[2], "probe", "exec")
    assert f":{Settings().serve_port}/ready" in program[2]


def test_what_it_starts_is_a_command():
    assert json.loads(last("ENTRYPOINT")) == ["goalmem"]
    commands = getattr(typer.main.get_command(app), "commands", {})
    assert json.loads(last("CMD"))[0] in commands


def test_variables_are_settings():
    names = {f"GOALMEM_{field.name}".upper() for field in fields(Settings)}
    given = re.findall(r"(GOALMEM_[A-Z_]+)=", last("ENV"))
    assert given
    assert set(given) <= names


def test_what_is_copied_is_there_and_sent_to_the_build():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    kept = [line[1:] for line in ignored if line.startswith("!")]
    for name, arguments in stages()[0]:
        if name == "COPY":
            for source in shlex.split(arguments)[:-1]:
                assert (ROOT / source).exists()
                assert any(fnmatch(source, pattern) for pattern in kept)
    assert "*" in ignored


def test_extras_that_are_installed_exist():
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = re.search(r"\.\[([a-z,]+)\]", DOCKERFILE.read_text(encoding="utf-8"))
    assert wanted
    assert set(wanted[1].split(",")) <= set(extras)


def test_the_service_is_on_loopback_and_may_do_little(compose: dict[str, Any]):
    service = compose["services"]["goalmem"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["ports"][0].endswith(f":{Settings().serve_port}")
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


def test_what_is_remembered_outlives_the_container(compose: dict[str, Any]):
    service = compose["services"]["goalmem"]
    volume, place = service["volumes"][0].split(":")
    assert volume in compose["volumes"]
    assert place == last("VOLUME")
    assert f"{place}/" in last("ENV")


def test_it_is_given_the_time_to_end_in_order(compose: dict[str, Any]):
    seconds = int(compose["services"]["goalmem"]["stop_grace_period"].removesuffix("s"))
    assert seconds > Settings().serve_grace


def test_the_compose_file_holds_nothing_unknown(compose: dict[str, Any]):
    known = "build image command ports volumes read_only tmpfs cap_drop security_opt pids_limit mem_limit restart stop_grace_period"
    assert set(compose) == {"services", "volumes"}
    assert set(compose["services"]["goalmem"]) <= set(known.split())
