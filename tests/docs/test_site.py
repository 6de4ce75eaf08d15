"""The site that `make docs` builds has every page, and every link leads somewhere. Read from the sources: MkDocs is not needed."""

import ast
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from tests.docs.page import ROOT

import goalmem

DOCS = ROOT / "docs"
API = sorted(DOCS.glob("api/*.md"))
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("**/*.md"), ROOT / "lab" / "README.md"])
FENCE = re.compile(r"^(`{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+?)(?: #+)?$", re.MULTILINE)
GENERATED = re.compile(r"^::: (\S+)$", re.MULTILINE)


def named(nav: object) -> Iterator[str]:
    """Every page of a navigation."""
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from named(part)


NAV = Counter(named(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    slugs: Counter[str] = Counter()
    found = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        text = unicodedata.normalize("NFC", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading))
        slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        found.add(f"{slug}-{slugs[slug]}" if slugs[slug] else slug)
        slugs[slug] += 1
    return frozenset(found)


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_page_is_in_the_navigation_once(page: Path):
    assert NAV[page.relative_to(DOCS).as_posix()] == 1


@pytest.mark.parametrize("entry", NAV)
def test_every_entry_of_the_navigation_is_a_page(entry: str):
    place = ROOT / entry.removeprefix("source/") if entry.startswith("source/") else DOCS / entry
    assert place.is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path):
    text = CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = page.parent / place if place else page
        assert target.exists(), f"there is no {link}"
        if anchor:
            assert anchor in anchors(target.resolve()), f"there is no {link}"


def test_every_public_name_has_its_place_in_the_api_once():
    counted = Counter(name for page in API for name in GENERATED.findall(page.read_text(encoding="utf-8")))
    assert max(counted.values()) == 1
    assert {f"goalmem.{name}" for name in goalmem.__all__} == {name for name in counted if name.count(".") == 1}


@pytest.mark.parametrize("page", API, ids=lambda page: page.name)
def test_what_the_api_is_generated_from_is_there(page: Path):
    for name in GENERATED.findall(page.read_text(encoding="utf-8")):
        module, _, last = name.rpartition(".")
        assert last in names(ROOT / "src" / Path(*module.split("."))), f"there is no {name}"


@cache
def names(module: Path) -> frozenset[str]:
    """What a module defines or imports at its top, and for the type checker."""
    file = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in [part for top in tree.body for part in (top.body if isinstance(top, ast.If) else [top])]:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Assign(targets=targets):
                found.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.ImportFrom(module=str(whole), names=[ast.alias(name="*")]):
                found.update(names(ROOT / "src" / Path(*whole.split("."))))
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                found.update(alias.asname or alias.name for alias in aliases)
    return frozenset(found)
