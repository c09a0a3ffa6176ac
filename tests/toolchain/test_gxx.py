import os
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.base import Files, Limits
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.toolchain.base import Built
from maxcode.toolchain.gxx import Gxx, sanitized_flags

pytestmark = pytest.mark.slow

HELLO = Program.of('#include <cstdio>\nint main() { puts("hello"); }\n')


def build(gxx: Gxx, program: Program, flags: Sequence[str] = ("-O0",)) -> Built:
    return gxx.build(program, flags, 60)


def printed(built: Built) -> str:
    assert built.executable is not None, built.errors
    run = subprocess.run([built.executable], capture_output=True, text=True, check=True, timeout=30)
    return run.stdout


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


# -- what builds -------------------------------------------------------------------------------


def test_what_is_built_runs_in_the_sandbox_as_whoever_it_makes_of_us(
    gxx: Gxx, bubblewrap: Any
) -> None:
    executable = build(gxx, HELLO).executable
    assert executable is not None
    assert stat.S_IMODE(executable.stat().st_mode) == 0o755
    ran = bubblewrap.run([str(executable)], Limits(), Files(read=(executable,)))
    assert (ran.ok, ran.stdout) == (True, b"hello\n")


def test_a_program_of_many_files_with_headers_in_folders(gxx: Gxx) -> None:
    files = {
        "main.cpp": '#include "lib/deep/twice.h"\n#include <cstdio>\n'
        'int main() { printf("%d\\n", twice(21)); }\n',
        "lib/deep/twice.h": "int twice(int x);\n",
        "lib/deep/twice.cc": '#include "twice.h"\nint twice(int x) { return 2 * x; }\n',
        "-o.cpp": "// a name like an option\n",
        "notes.txt": "not C++",
    }
    assert printed(build(gxx, Program(files, "main.cpp"))) == "42\n"


# -- the compiler meets hostile programs ---------------------------------------------------------


@pytest.mark.parametrize(
    "code", ['#include "{}"\n', "#include <{}>\n", 'asm(".incbin \\"{}\\"");\n']
)
def test_files_outside_cannot_be_compiled_in(gxx: Gxx, tmp_path: Path, code: str) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("#define SECRET 42\n")
    secret.chmod(0o644)
    built = build(gxx, Program.of(code.format(secret) + "int main() {}\n"))
    assert built.executable is None
    assert "No such file" in built.errors or "file not found" in built.errors


def test_a_link_left_in_place_of_the_executable_exposes_nothing(
    sandbox: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("told nobody")
    taken_over = tmp_path / "bin" / "g++"  # as a compiler taken over by its input would act
    taken_over.parent.mkdir()
    taken_over.write_text(
        '#!/bin/sh\nfor last; do :; done\n[ "$1" = -pipe ] || exit 0\n'
        f'ln -s "{tmp_path}/secret" "$last"\n'
    )
    taken_over.chmod(0o755)
    monkeypatch.setenv("PATH", f"{taken_over.parent}:{os.environ['PATH']}")
    built = build(Gxx(sandbox, tmp_path / "built"), HELLO)
    assert built.executable is None
    assert "told nobody" not in built.errors


def test_a_compile_bomb_is_stopped(gxx: Gxx, tmp_path: Path) -> None:
    bomb = Program.of(
        "constexpr unsigned long f(unsigned long n) {\n"
        "    unsigned long x = 0;\n"
        "    for (unsigned long i = 0; i < n; i++) x = x * 31 + i;\n"
        "    return x;\n}\n"
        "static_assert(f(~0ul) != 0);\nint main() {}\n"
    )
    flags = [f"-fconstexpr-{what}-limit=2147483647" for what in ("ops", "loop")]
    built = gxx.build(bomb, flags, 1.5)
    assert built == Built(None, "the build did not end within 1.5 s", timed_out=True)
    assert files_in(tmp_path) == []


# -- which compiler ------------------------------------------------------------------------------


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"g\+\+ is not installed.*apt install"):
        Gxx(ProcessSandbox(), tmp_path)


def test_a_compiler_in_a_place_of_its_own(
    sandbox: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "opt"
    (place / "lib").mkdir(parents=True)
    (place / "bin").mkdir()
    (place / "lib" / "flags").write_text("-DFROM_ITS_OWN_PLACE")
    (place / "other").write_text("not the compiler's")
    script = f'#!/bin/sh\nexec /usr/bin/g++ "$@" $(cat {place}/lib/flags) $(cat {place}/other)\n'
    (place / "bin" / "g++").write_text(script)
    (place / "bin" / "g++").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}/bin:{os.environ['PATH']}")
    code = "#ifndef FROM_ITS_OWN_PLACE\n#error\n#endif\nint main() {}\n"
    assert printed(build(Gxx(sandbox, tmp_path / "built"), Program.of(code))) == ""


@pytest.mark.parametrize(
    "source",
    [
        "#ifdef __SANITIZE_ADDRESS__\nint main() {}\n#else\nint main() { return 1; }\n#endif",
        '__attribute__((no_sanitize("address"))) int main() {}',
    ],
)
def test_a_program_that_sees_sanitizers_is_not_built_with_them(gxx: Gxx, source: str) -> None:
    built = build(gxx, Program.of(source), sanitized_flags(["-O2"]))
    assert built.executable is None
    assert "keeps sanitizers from its code by" in built.errors
    assert build(gxx, Program.of(source)).executable


def test_a_build_knows_no_date(tmp_path: Path) -> None:
    source = "#include <cstdio>\nint main() { puts(__DATE__ __TIME__ __TIMESTAMP__); }"
    built = Gxx(BubblewrapSandbox(), tmp_path).build(Program.of(source), ["-O0"], 60.0)
    assert built.executable
    printed = subprocess.check_output([built.executable])
    assert printed == b"Jan  1 197000:00:00Thu Jan  1 00:00:00 1970\n"
