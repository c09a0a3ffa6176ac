import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxcode.generators.rewrite import Workshop
from maxcode.generators.rewrites import CppSource, Rewrite
from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import replace
from maxcode.generators.rewrites.support import Support
from maxcode.program import Program


class Raise(Rewrite):
    """Turns every 1 into a 2, or one of them."""

    name = "raise"
    summary = "Counts up."
    weight = 4.0

    def apply(self, source: CppSource) -> Iterator[str]:
        parts = source.text.split("1")
        if len(parts) > 1:
            yield "2".join(parts)
        if len(parts) > 2:
            for k in range(1, len(parts)):
                yield "1".join(parts[:k]) + "2" + "1".join(parts[k:])


class Double(Rewrite):
    """Needs what Raise makes."""

    name = "double"
    summary = "Doubles."
    weight = 3.0

    def apply(self, source: CppSource) -> Iterator[str]:
        if "2" in source.text:
            yield source.text.replace("2", "4")


ONE = Program.of("int x = 1, y = 1;\n")
TWO = Program(
    {"main.cpp": "int x = 1;\n", "part.hpp": "int y = 1;\n", "data.txt": "1\n"}, "main.cpp"
)


def workshop(program: Program) -> Workshop:
    return Workshop([Raise(), Double()], program.files)


def test_a_rewrite_changes_all_files_together_or_one_of_them() -> None:
    assert list(workshop(TWO).applicable(TWO)) == ["raise", "raise#2", "raise#3"]
    changed = [
        TWO.changed(workshop(TWO).apply(TWO, [tag])[0]) for tag in ("raise", "raise#2", "raise#3")
    ]
    assert changed == [["main.cpp", "part.hpp"], ["main.cpp"], ["part.hpp"]]


SQUARED = (
    "#ifndef SQUARED\n#define SQUARED\ninline double squared(double x) { return x * x; }\n#endif"
)


@rewrite("Squares by multiplying.", weight=1.0, support=(Support((), SQUARED),))
def squares(source: CppSource) -> Iterator[Site]:
    for call in source.walk("call_expression"):
        if call.callee == "pow":
            yield [replace(call, f"squared({call.arguments[0].text})")]


HEADER = """\
#ifndef AREA_HPP
#define AREA_HPP
#include <cmath>
inline double area(double side) { return std::pow(side, 2); }
#endif
"""
MAIN = """\
#include "area.hpp"
#include <cmath>
#include <iostream>
int main() { std::cout << area(3) << std::pow(7, 2); }
"""


@pytest.mark.slow
def test_a_header_and_its_user_build_with_the_same_support_code(tmp_path: Path) -> None:
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("needs g++")
    before = Program({"main.cpp": MAIN, "area.hpp": HEADER}, "main.cpp")
    made, applied = Workshop([squares], before.files).apply(before, ["squares"])
    assert applied == ("squares",)
    assert all("double squared(" in text for text in made.files.values())
    made.write(tmp_path)
    binary = str(tmp_path / "main")
    subprocess.run([gxx, "-O0", "-o", binary, str(tmp_path / "main.cpp")], check=True)
    done = subprocess.run([binary], capture_output=True, text=True, check=True)
    assert done.stdout == "949"
