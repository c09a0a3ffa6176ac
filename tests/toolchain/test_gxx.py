import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Limits
from maxcode.sandbox.process import ProcessSandbox
from maxcode.toolchain.gxx import Built, Gxx

HELLO = Program.of('#include <cstdio>\nint main() { puts("hello"); }\n')


class CountingSandbox(ProcessSandbox):
    """Notes every command it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.commands: list[list[str]] = []
        self._lock = Lock()

    def run(
        self, command: Sequence[str], folder: Path, limits: Limits, stdin: Path | None = None
    ) -> Completed:
        with self._lock:
            self.commands.append(list(command))
        return super().run(command, folder, limits, stdin)


def build(folder: Path, program: Program, flags: Sequence[str] = ("-O0",)) -> Built:
    return Gxx(ProcessSandbox(), folder).build(program, flags, 60)


def printed(built: Built) -> str:
    assert built.executable is not None, built.errors
    run = subprocess.run([built.executable], capture_output=True, text=True, check=True, timeout=30)
    return run.stdout


def failed(folder: Path, *lines: str) -> str:
    built = build(folder, Program.of("".join(f"{line}\n" for line in lines)))
    assert built.executable is None
    assert not built.timed_out
    return built.errors


# -- what builds -------------------------------------------------------------------------------


def test_a_program_builds_and_runs(tmp_path: Path) -> None:
    built = build(tmp_path, HELLO)
    assert printed(built) == "hello\n"
    assert built.errors == ""


def test_a_program_of_many_files_with_headers_in_folders(tmp_path: Path) -> None:
    files = {
        "main.cpp": '#include "lib/deep/twice.h"\n#include <cstdio>\n'
        'int main() { printf("%d\\n", twice(21)); }\n',
        "lib/deep/twice.h": "int twice(int x);\n",
        "lib/deep/twice.cc": '#include "twice.h"\nint twice(int x) { return 2 * x; }\n',
        "-o.cpp": "// a name like an option\n",
        "notes.txt": "not C++",
    }
    assert printed(build(tmp_path, Program(files, "main.cpp"))) == "42\n"


def test_flags_reach_the_compiler(tmp_path: Path) -> None:
    source = "#include <cstdio>\nint main() { printf(TEXT); }\n"
    assert printed(build(tmp_path, Program.of(source), ['-DTEXT="a b"'])) == "a b"


def test_the_same_name_for_a_function_in_another_program_is_another_program(tmp_path: Path) -> None:
    gxx = Gxx(ProcessSandbox(), tmp_path)
    other = HELLO.with_code(HELLO.code.replace("hello", "goodbye"))
    first, second = (gxx.build(program, ["-O0"], 60) for program in (HELLO, other))
    assert (printed(first), printed(second)) == ("hello\n", "goodbye\n")


def test_sources_are_not_kept_where_a_program_could_read_them(tmp_path: Path) -> None:
    build(tmp_path, HELLO)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["program"]


# -- once --------------------------------------------------------------------------------------


def test_a_program_is_built_once_whoever_asks(tmp_path: Path) -> None:
    sandbox = CountingSandbox()
    gxx = Gxx(sandbox, tmp_path)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: gxx.build(HELLO, ["-O0"], 60), range(16)))
    assert len(sandbox.commands) == 1
    assert {built.executable for built in found} == {found[0].executable}
    assert printed(found[0]) == "hello\n"


def test_other_flags_are_another_build(tmp_path: Path) -> None:
    sandbox = CountingSandbox()
    gxx = Gxx(sandbox, tmp_path)
    first = gxx.build(HELLO, ["-O0"], 60)
    second = gxx.build(HELLO, ["-O1"], 60)
    assert len(sandbox.commands) == 2
    assert first.executable != second.executable


def test_a_failure_is_remembered_too(tmp_path: Path) -> None:
    sandbox = CountingSandbox()
    gxx = Gxx(sandbox, tmp_path)
    broken = Program.of("int main( {\n")
    assert gxx.build(broken, [], 60) == gxx.build(broken, [], 60)
    assert len(sandbox.commands) == 1


# -- what does not build -----------------------------------------------------------------------


def test_an_error_comes_with_place_and_code(tmp_path: Path) -> None:
    errors = failed(tmp_path, "int main() {", "    return missing;", "}")
    assert "main.cpp:2:12: error:" in errors
    assert "return missing;" in errors
    assert str(tmp_path) not in errors


def test_only_the_first_errors_are_kept(tmp_path: Path) -> None:
    errors = failed(tmp_path, "int main() {", *[f"    first{i}();" for i in range(50)], "}")
    assert errors.count("error:") == 3
    assert "first0" in errors
    assert "first3" not in errors


def test_notes_and_warnings_are_left_out(tmp_path: Path) -> None:
    errors = failed(
        tmp_path,
        "#warning be careful",
        "void f(int);",
        "void f(int, int);",
        "int main() { f(1, 2, 3); }",
    )
    assert "error: no matching function" in errors
    assert "note:" not in errors
    assert "be careful" not in errors


def test_an_endless_error_is_cut(tmp_path: Path) -> None:
    errors = failed(tmp_path, f"int main() {{ return {'x' * 5000}; }}")
    assert "error:" in errors
    assert len(errors) < 3000


def test_a_missing_header_is_told(tmp_path: Path) -> None:
    errors = failed(tmp_path, '#include "nothing.h"', "int main() {}")
    assert "fatal error: nothing.h: No such file" in errors


def test_what_the_linker_misses_is_told(tmp_path: Path) -> None:
    errors = failed(tmp_path, "int nowhere();", "int main() { return nowhere(); }")
    assert "undefined reference to `nowhere()'" in errors


def test_a_program_without_main_is_told(tmp_path: Path) -> None:
    assert "undefined reference to `main'" in failed(tmp_path, "int f() { return 1; }")


def test_an_unknown_flag_is_told(tmp_path: Path) -> None:
    built = build(tmp_path, HELLO, ["-fno-such-thing"])
    assert built.executable is None
    assert "-fno-such-thing" in built.errors


def test_a_program_without_a_source_is_told(tmp_path: Path) -> None:
    built = build(tmp_path, Program.of("int main() {}", "main.txt"))
    assert "no input files" in built.errors


def test_a_compile_bomb_is_stopped(tmp_path: Path) -> None:
    bomb = Program.of(
        "constexpr unsigned long f(unsigned long n) {\n"
        "    unsigned long x = 0;\n"
        "    for (unsigned long i = 0; i < n; i++) x = x * 31 + i;\n"
        "    return x;\n}\n"
        "static_assert(f(~0ul) != 0);\nint main() {}\n"
    )
    flags = [f"-fconstexpr-{what}-limit=2147483647" for what in ("ops", "loop")]
    built = Gxx(ProcessSandbox(), tmp_path).build(bomb, flags, 1.5)
    assert built == Built(None, "the build did not end within 1.5 s", timed_out=True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_executable_that_would_fill_the_disk_is_stopped(tmp_path: Path) -> None:
    built = build(tmp_path, Program.of("char data[1l << 29] = {1};\nint main() {}\n"))
    assert built.executable is None
    assert built.errors
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"g\+\+ is not installed.*apt install"):
        Gxx(ProcessSandbox(), tmp_path)
