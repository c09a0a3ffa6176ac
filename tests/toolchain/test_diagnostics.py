from typing import Any

import pytest

from maxcode.program import Program
from maxcode.toolchain.gxx import Gxx


@pytest.fixture(scope="module")
def compiler(bubblewrap: Any, tmp_path_factory: pytest.TempPathFactory) -> Gxx:
    return Gxx(bubblewrap, tmp_path_factory.mktemp("built"))


def failed(gxx: Gxx, text: str | Program, *flags: str) -> str:
    program = text if isinstance(text, Program) else Program.of(text)
    built = gxx.build(program, flags or ("-O0",), 60)
    assert built.executable is None
    assert not built.timed_out
    return built.errors


def test_an_error_comes_with_place_and_code(compiler: Gxx) -> None:
    assert failed(compiler, "int main() {\n    return missing;\n}\n").splitlines() == [
        "main.cpp:2:12: error: 'missing' was not declared in this scope",
        "    2 |     return missing;",
        "      |            ^~~~~~~",
    ]


def test_all_errors_are_kept_as_far_as_there_is_room(compiler: Gxx) -> None:
    calls = [f"    first{i}();\n" for i in range(50)]
    errors = failed(compiler, f"int main() {{\n{''.join(calls[:10])}}}\n")
    assert errors.count("error:") == 10
    errors = failed(compiler, f"int main() {{\n{''.join(calls)}}}\n")
    assert len(errors.splitlines()) == 40


def test_notes_and_warnings_are_left_out(compiler: Gxx) -> None:
    text = "#warning careful\nvoid f(int);\nvoid f(int, int);\nint main() { f(1, 2, 3); NULL; }\n"
    errors = failed(compiler, text)
    assert "did you forget to '#include <cstddef>'?" in errors
    assert "error: no matching function" in errors
    assert "note: candidate" not in errors
    assert "careful" not in errors


@pytest.mark.slow
def test_an_error_in_a_library_is_led_back_to_the_program(compiler: Gxx) -> None:
    lines = failed(
        compiler,
        "#include <algorithm>\n#include <list>\nint main() {\n    std::list<int> l;\n"
        "    std::sort(l.begin(), l.end());\n}\n",
    ).splitlines()
    assert lines[0].startswith("main.cpp:5:14: ")
    assert lines[1].startswith("/usr/include/c++/")
    assert ": error: no match for 'operator" in lines[1]


@pytest.mark.parametrize(
    ("flag", "said"), [("-O0", "main.cpp: "), ("-g", "main.cpp:2: "), ("-flto", "")]
)
def test_what_the_linker_misses_is_told(compiler: Gxx, flag: str, said: str) -> None:
    lines = failed(compiler, "int f();\nint main() { return f(); }\n", flag).splitlines()
    assert lines == ["in function `main':", f"{said}undefined reference to `f()'"]
