import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxcode.generators.rewrite import Workshop
from maxcode.generators.rewrites import CppSource
from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import replace
from maxcode.generators.rewrites.support import Support
from maxcode.program import Program


@rewrite("Counts up.", weight=4.0)
def up(source: CppSource) -> Iterator[Site]:
    yield from ([replace(one, "2")] for one in source.walk("number_literal") if one.text == "1")


TWO = Program(
    {"main.cpp": "int x = 1;\n", "part.hpp": "int y = 1;\n", "data.txt": "1\n"}, "main.cpp"
)


def test_a_rewrite_changes_all_files_together_or_one_of_them() -> None:
    workshop = Workshop([up], TWO.files)
    tags = list(workshop.applicable(TWO))
    assert tags == ["up", "up#2", "up#3"]
    changed = [TWO.changed(workshop.apply(TWO, [tag])[0]) for tag in tags]
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
