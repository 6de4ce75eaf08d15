"""The files and modules that pages name exist, in the rooms where the map of the code puts them."""

import re
from pathlib import Path

import pytest
from tests.docs.page import ROOT

FOLDERS = ("src", "lab", "tests", "docs", "examples", "scripts", "benchmarks")
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("lab/**/*.md"), *ROOT.glob("benchmarks/**/*.md")]
)
PAGES = [page for page in PAGES if page.name != "CHANGELOG.md"]  # It also tells of what has gone.
FILES = [path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
FILE = re.compile(r"(?<![\w./*])(?:\.\./)?([\w*][\w*/]*\.py)\b")
ROOM = re.compile(r"^ {4,6}([a-z_]+)/ |^ {6}\w+\.py ", re.MULTILINE)
MODULE = re.compile(r"\b(goalmem(?:_lab)?)((?:\.\w+)+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_a_page_names_exists(page: Path):
    named = FILE.findall(page.read_text(encoding="utf-8"))
    assert [name for name in named if not any(file.match(name) for file in FILES)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_module_that_a_page_names_exists(page: Path):
    for package, dotted in MODULE.findall(page.read_text(encoding="utf-8")):
        here = ROOT / ("lab/src" if package == "goalmem_lab" else "src") / package
        parts = dotted.split(".")[1:]
        if not (here / parts[0]).is_dir():
            continue  # A name at the top (`goalmem.Memory`), a file (`goalmem.toml`) or a logger.
        while parts and (here / parts[0]).is_dir():
            here /= parts.pop(0)
        file = here / f"{parts[0]}.py" if parts and (here / f"{parts[0]}.py").exists() else here / "__init__.py"
        attribute = parts[1:2] if file.name != "__init__.py" else parts[:1]
        assert all(re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) for name in attribute), (
            f"{package}{dotted}"
        )


def test_the_map_names_files_in_the_rooms_where_they_are():
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    drawn = text[text.index("\n    src/goalmem/\n") : text.index("\n    lab/ ")]
    starts = [*ROOM.finditer(drawn)]
    for start, end in zip(starts, [*(m.start() for m in starts[1:]), len(drawn)], strict=True):
        room = ROOT / "src" / "goalmem" / (start[1] or "")
        for name in FILE.findall(drawn[start.start() : end]):
            assert [*room.rglob(name)] or [*(ROOT / "src" / "goalmem").glob(name)], f"no {name} in {room.name}/"
