"""Pages of the site from outside docs/: the examples, and the commands' own help."""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(\]\()([^)\s#]+)")
LABEL = re.compile(
    r'<small class="doc doc-label doc-label-(?:class|instance|module)-attribute">.*?</small>'
)
HREF = re.compile(r'(href=")([^"#]+\.(?:md|ipynb))')
NOT_FOUND = {"decisions.md", "manual/figures.md", "CONTRIBUTING.md"}  # by the search


@event_priority(100)  # before the plug-in that makes pages of notebooks
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the examples' pages and notebooks, and the reference of the command line."""
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix == ".ipynb" or path.name == "README.md":
            place = str(path.relative_to(ROOT))
            files.append(File(place, str(ROOT), config.site_dir, config.use_directory_urls))
    files.append(File.generated(config, "reference/command_line.md", content=_help()))
    site = str(ROOT / "docs" / "site")
    files.append(File("iframe-worker.js", site, config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let links lead where the site has what they lead to in the repository."""
    if page.file.src_uri in NOT_FOUND:
        page.meta["search"] = {"exclude": True}
    return LINK.sub(lambda match: match[1] + _moved(match[2], page.file.src_uri), markdown)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """The same for notebooks, which are no Markdown when they come here.

    And the reference without the labels of attributes that say where Python keeps them.
    """
    if not page.file.src_uri.endswith(".ipynb"):
        return LABEL.sub("", html)

    def moved(match: re.Match[str]) -> str:
        target = _moved(match[2], page.file.src_uri).replace("README.md", "index.md")
        return match[1] + re.sub(r"\.(md|ipynb)$", ".html", target)

    return HREF.sub(moved, html)


def _moved(link: str, here: str) -> str:
    """A link of the page ``here`` of the site, which is relative to its file in the repository."""
    if urlsplit(link).scheme:
        return link
    file = here if here.startswith("examples/") else f"docs/{here}"
    target = posixpath.normpath(posixpath.join(posixpath.dirname(file), link))
    return posixpath.relpath(target.removeprefix("docs/"), posixpath.dirname(here))


def _help() -> str:
    """The help of all commands, as Typer writes it, but with whole sentences in lists of them."""
    command = [sys.executable, "-m", "typer", "maxcode.cli.main", "utils", "docs"]
    done = subprocess.run(
        [*command, "--name", "maxcode", "--title", "The command line"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = dict(re.findall(r"^#+ `(maxcode .+)`\n\n(.+)", done.stdout, re.MULTILINE))
    lines, group = [], "maxcode"
    for line in done.stdout.splitlines():
        heading, listed = re.match(r"#+ `(maxcode .+)`", line), re.match(r"\* `([a-z]+)`: ", line)
        group = heading[1] if heading else group
        if listed:
            name = f"{group} {listed[1]}"
            lines.append(f"* [`{listed[1]}`](#{name.replace(' ', '-')}): {told[name]}")
        else:
            lines.append(line)
    return "\n".join(lines)
