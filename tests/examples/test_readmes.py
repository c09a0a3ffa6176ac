"""Each example is in the table of its folder's README."""

from pathlib import Path

import pytest

from maxcode.tasks import load_kernelbench

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = {
    "cpp": [path.parent.name for path in EXAMPLES.glob("cpp/*/main.cpp")],
    "kernels": [path.parent.name for path in EXAMPLES.glob("kernels/*/task.toml")],
    "pie": [path.name for path in EXAMPLES.glob("pie/tests/*")],
    "kernelbench": [
        task.name for level in (1, 2) for task in load_kernelbench(EXAMPLES / "kernelbench", level)
    ],
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_readme_lists_them_all(folder: str) -> None:
    readme = (EXAMPLES / folder / "README.md").read_text(encoding="utf-8")
    assert len(FOLDERS[folder]) >= 6
    assert [name for name in FOLDERS[folder] if f"| `{name}` |" not in readme] == []
