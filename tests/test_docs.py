"""The code in docs/ does what the pages say."""

import re
from pathlib import Path

from maxcode.generators.rewrites import CppSource, Rewrite

DOCS = Path(__file__).parent.parent / "docs"


def test_the_rewrite_of_the_plug_in_page_rewrites() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "plugins.md").read_text(), re.DOTALL)
    names: dict[str, type[Rewrite]] = {}
    exec(compile(blocks[-1], "docs/plugins.md", "exec"), names)  # noqa: S102 - our own text
    before = "int main() {\n}\n"
    (after,) = names["HugeBuffers"]().apply(CppSource(before))
    assert "setvbuf" in after
    assert after.endswith("}\n")
