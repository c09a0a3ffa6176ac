"""What of the public surface has a docstring, and a place in the reference of the site.

Public are the names that packages export by ``__all__``, those that pages and notebooks import,
and those that the reference describes; of classes also their methods and properties.

Usage: python benchmarks/docs_coverage.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, machine, save
from mkdocstrings import Inventory

sys.path.insert(0, str(ROOT))

from tests.pages._public import described, exported, imported, referred


def built() -> Inventory:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["mkdocs", "build", "-q", "-d", folder, "-f", "docs/site/mkdocs.yml"],
            cwd=ROOT,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
            check=True,
        )
        with Path(folder, "objects.inv").open("rb") as file:
            return Inventory.parse_sphinx(file)


def main() -> None:
    taken_on = machine()
    offered, shown = set(exported()), set(imported())
    documented = described({*offered, *shown, *referred()})
    inventory = built()
    names = offered | shown
    figures = {
        "public_objects": len(documented),
        "with_docstring": sum(documented.values()),
        "share_with_docstring": round(sum(documented.values()) / len(documented), 4),
        "names": len(names),
        "names_exported": len(offered),
        "names_imported_by_pages_and_notebooks": len(shown),
        "names_in_the_reference": sum(name in inventory for name in names),
        "entries_of_the_inventory": len(inventory),
    }
    print(figures)
    save("docs_coverage", figures, taken_on)


if __name__ == "__main__":
    main()
