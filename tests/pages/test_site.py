"""The site builds strictly, its links lead somewhere, and its reference has all public names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from mkdocstrings import Inventory
from tests.pages._page import ROOT
from tests.pages._public import exported, homes

pytestmark = pytest.mark.slow

CONFIG = "docs/site/mkdocs.yml"
_LINK = re.compile(r'<[a-z][^<>]*?\s(?:href|src)="([^"]+)"')
_ANCHOR = re.compile(r'\s(?:id|name)="([^"]+)"')
_LOADED = re.compile(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built without a warning."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-d", folder, "-f", CONFIG],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not re.search(r"^(WARNING|ERROR)", done.stderr, re.MULTILINE), done.stderr
    return folder


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {page: page.read_text() for page in site.rglob("*.html") if page.name != "404.html"}
    anchors = {page: {"", *_ANCHOR.findall(text)} for page, text in pages.items()}
    broken = []
    for page, text in pages.items():
        for link in map(unescape, _LINK.findall(text)):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            fragment = unquote(parts.fragment)
            if not target.exists() or fragment not in anchors.get(target, {fragment}):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken, "\n".join(broken)


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = _LOADED.findall(page.read_text())
        assert not loaded, f"{page}: {loaded}"


def test_the_reference_has_every_public_name(site: Path) -> None:
    with (site / "objects.inv").open("rb") as file:
        inventory = Inventory.parse_sphinx(file)
    places = homes(exported())
    missing = sorted(name for name, home in places.items() if not {name, home} & set(inventory))
    assert not missing, "\n".join(missing)
