"""What `make docs` adds to MkDocs.

Files of the repository that pages link to become pages under `source/`; formulas become MathML, which needs no script; and a
site that would load anything from another host is not built. A link that leads nowhere stays as it is, so that MkDocs refuses it.
"""

from __future__ import annotations

import posixpath
import re
from html import unescape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from pymdownx.slugs import slugify

ROOT = Path(__file__).parents[1]
SOURCE = "source"
ICON = ROOT / "src" / "goalmem" / "serve" / "web" / "public" / "assets" / "icon.svg"
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
FOREIGN = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|srcset|data)\s*=\s*[\"']?(?:https?:)?//[^\s\"'>]*"
    r"|<pre class=[\"']?mermaid"  # drawn by a script that the theme fetches
    r"|<link\b(?![^>]*\bcanonical\b)[^>]*\bhref\s*=\s*[\"']?(?:https?:)?//[^\s\"'>]*"
    r"|(?:@import|url\()\s*(?:url\()?[\"']?(?:https?:)?//[^\s\"')]*",
    re.IGNORECASE,
)
LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".sh": "sh"}


def on_config(config: Any) -> None:
    """Name headings as GitHub does, so that one anchor serves both."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")


def on_files(files: Files, config: Any) -> None:
    """Add the icon, and what pages link to outside of docs/, and what those link to."""
    files.append(File.generated(config, "images/icon.svg", abs_src_path=str(ICON)))
    named = re.findall(rf"{SOURCE}/[^'\"]+\.md", str(config.nav))
    waiting = [path for name in named if (path := ROOT / name.removeprefix(f"{SOURCE}/")).exists()]
    waiting += [target for page in files.documentation_pages() for target in targets(Path(page.abs_src_path))]
    while waiting:
        path = waiting.pop()
        if files.get_file_from_path(uri(path)) is None:
            files.append(File.generated(config, uri(path), content=content(path)))
            if document(path).suffix == ".md":
                waiting += targets(document(path))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to files of the repository lead to their pages."""
    here = page.file.src_uri
    inside = here.removeprefix(f"{SOURCE}/")
    origin = ROOT / inside if inside != here else ROOT / "docs" / here

    def moved(match: re.Match[str]) -> str:
        path = Path(posixpath.normpath(origin.parent / match[1]))
        if not path.exists() or not path.is_relative_to(ROOT) or (inside == here and in_docs(path)):
            return match[1]
        return posixpath.relpath(uri(path), posixpath.dirname(here) or ".")

    return LINK.sub(moved, markdown) if origin.is_file() else markdown  # else it is code


def on_page_content(html: str, **_: Any) -> str:
    """Set formulas."""

    def formula(match: re.Match[str]) -> str:
        return convert(unescape(match[2]).strip(), display="block" if match[1] == "div" else "inline")

    return FORMULA.sub(formula, html)


def on_post_build(config: Any) -> None:
    """Refuse a site that loads scripts, styles, fonts or images from another host."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in {".html", ".css"} and (found := FOREIGN.search(path.read_text(encoding="utf-8"))):
            raise PluginError(f"{path.relative_to(config.site_dir)} loads from another host: {found.group()}")


def targets(page: Path) -> list[Path]:
    """Files and folders outside of docs/ that a page links to."""
    paths = [
        Path(posixpath.normpath(page.parent / target)) for target in LINK.findall(page.read_text(encoding="utf-8"))
    ]
    return [path for path in paths if path.exists() and path.is_relative_to(ROOT) and not in_docs(path)]


def in_docs(path: Path) -> bool:
    """Whether MkDocs has it already."""
    return path.is_relative_to(ROOT / "docs")


def document(path: Path) -> Path:
    """What stands for a path: for a folder its README, where it has one."""
    return path / "README.md" if (path / "README.md").is_file() else path


def uri(path: Path) -> str:
    """The place of a path's page in the site."""
    path = document(path)
    if in_docs(path):
        return path.relative_to(ROOT / "docs").as_posix()
    name = path.relative_to(ROOT).as_posix()
    return f"{SOURCE}/{name}" if path.suffix == ".md" else f"{SOURCE}/{name}.md"


def content(path: Path) -> str:
    """A page with what the path holds: as it is, or as code; of a folder, each of its files."""
    path = document(path)
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    parts = [f"---\nsearch:\n  exclude: true\n---\n\n# {path.relative_to(ROOT).as_posix()}"]
    for file in [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file()):
        heading = [] if file is path else [f"## {file.name}"]
        text = file.read_text(encoding="utf-8").rstrip()
        parts += [*heading, f"``````{LANGUAGES.get(file.suffix, 'text')}\n{text}\n``````"]
    return "\n\n".join(parts) + "\n"
