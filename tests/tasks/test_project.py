import subprocess
from pathlib import Path

import pytest
from tests.executors.project._projects import FILES, TASK, written

from maxcode.errors import TaskError
from maxcode.program import Program
from maxcode.system import find_tool
from maxcode.tasks import load_task
from maxcode.tasks.kinds import kind_of
from maxcode.tasks.project import ProjectTask
from maxcode.tasks.project_files import Patterns, Snapshot

_CMAKE = """\
project(p CXX)
enable_testing()
add_executable(bench_p bench/bench.cpp)
target_link_libraries(bench_p benchmark::benchmark)
"""


def test_a_folder_is_read_as_a_project(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    task = load_task(tmp_path)
    assert isinstance(task, ProjectTask)
    assert sorted(task.baseline.files) == ["src/sum.c", "src/sum.h"]
    assert (task.language, task.commands.bench) == ("c", ("./sum 40000000",))


def test_every_file_is_part_of_the_digest(tmp_path: Path) -> None:
    def digest(**files: str) -> str:
        return written(tmp_path, {**FILES, **files}).digest

    before = digest()
    assert digest(**{"main.c": "/* other */"}) != before
    assert digest(**{"task.toml": f'{TASK}\n[bench]\nmeter = "wall"\n'}) != before
    assert digest(**{"sum.maxcode.patch": "ours"}) == before
    (tmp_path / "main.c").chmod(0o755)
    assert digest() != before


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (TASK.replace('bench = "./sum', 'bunch = "./sum'), "bunch: no such key"),
        (TASK.replace("src/**", "lib/**"), "no text file matches"),
        (f'{TASK}\n[bench]\nformat = "gtest"\n', "unknown format 'gtest'"),
        (f'{TASK}\n[bench]\nmeter = "sundial"\n', "bench.meter"),
        (TASK.replace("test = 5.0", "test = -5.0"), "limits.test"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, wrong: str, problem: str) -> None:
    with pytest.raises(TaskError, match=problem) as raised:
        written(tmp_path, {**FILES, "task.toml": wrong})
    assert "task.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("path", "editable"),
    [
        ("src/a.c", True),
        ("src/deep/er/a.c", True),
        ("a.c", False),
        ("src/vendor/a.c", False),
        ("src/vendor/ours.c", True),
        ("src/conftest.py", False),
        ("src/test_a.py", False),
        *(
            (f"src/{name}", False)
            for name in (
                "test.js",
                "test1.cpp",
                "test_a.c",
                "a_test.cpp",
                "a.test.ts",
                "a.spec.js",
                "bench.js",
                "bench_a.c",
                "a-bench.rs",
                "benchmark.go",
                "ATest.java",
                "ABenchmark.java",
            )
        ),
        *(
            (f"src/{name}", True)
            for name in (
                "latest.c",
                "contest.js",
                "Contest.java",
                "testing.cpp",
                "workbench.py",
                "spec.go",
            )
        ),
        ("src/Makefile", False),
        ("src/tests/a.c", False),
        ("Makefile", True),  # named without a wildcard
        ("lib/a.c", True),
        ("lib/a.h", False),
        ("lib/deep/a.c", False),
        ("task.toml", False),
    ],
)
def test_patterns(path: str, editable: bool) -> None:
    patterns = Patterns(
        ("src/**", "!src/vendor/**", "src/vendor/ours.c", "Makefile", "lib/*.c", "task.toml*")
    )
    assert patterns.match(path) is editable


def test_what_git_ignores_and_tools_make_is_no_part(tmp_path: Path) -> None:
    for path in ("a.c", "build/CMakeCache.txt", ".venv/x", "__pycache__/a.pyc", "ignored.o"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    assert Snapshot.of(tmp_path).paths == ("a.c", "ignored.o")
    assert Snapshot.of(tmp_path, ["*.o"]).paths == ("a.c",)
    subprocess.run([find_tool("git"), "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("*.o\nbuild/\n.venv/\n__pycache__/\n")
    assert Snapshot.of(tmp_path).paths == (".gitignore", "a.c")


def test_a_candidate_may_add_what_matches(tmp_path: Path) -> None:
    task = written(tmp_path, FILES)
    program = task.baseline.with_file("src/new.c", "").with_file("src/conftest.py", "")
    assert task.forbidden_changes(program) == ["src/conftest.py"]
    fewer = Program({"src/sum.h": task.baseline.files["src/sum.h"]}, "src/sum.h")
    assert task.forbidden_changes(fewer) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"CMakeLists.txt": _CMAKE, "src/a.cpp": ""},
            {
                "setup": "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release",
                "test": "ctest --test-dir build",
                "bench": ("build/bench_p --benchmark_format=json",),
                "format": "google-benchmark",
                "editable": ("src/**",),
            },
        ),
        (
            {"Makefile": "all:\n\tcc a.c\ncheck: all\n\tsh t\nbench: all\n\t./a x\n", "a.c": ""},
            {"build": "make -j{jobs}", "test": "make check", "bench": ("./a x",)},
        ),
        (  # which a Makefile serves, too
            {"Makefile": "all:\n\ttrue\n", "pyproject.toml": "", "src/p/__init__.py": ""},
            {"build": "", "compiled": False, "editable": ("src/**",)},
        ),
        (
            {"Makefile": "bench:\n\t./a $(SIZE)\n", "a.c": ""},
            {"test": "", "bench": ("make -s bench",), "editable": ("*.c",)},
        ),
        (
            {
                "pyproject.toml": '[project]\nname = "p"\n[x]\ndev = ["pytest-benchmark"]\n',
                "src/p/__init__.py": "",
                "tests/bench_p.py": "",
            },
            {
                "editable": ("src/**",),
                "format": "pytest-benchmark",
                "test": "python -m pytest -q",
                "bench": (
                    "python -m pytest tests/bench_p.py --benchmark-only --benchmark-json={out}",
                ),
            },
        ),
        (
            {"setup.py": "", "p/__init__.py": "", "bench.py": "import pyperf"},
            {"editable": ("p/**",), "format": "pyperf"},
        ),
        (
            {
                "asv.conf.json": '{\n  // where\n  "results_dir": "asv/results"\n}',
                "p/__init__.py": "",
                "benchmarks/__init__.py": "",
            },
            {
                "editable": ("p/**",),
                "format": "asv",
                "writable": True,
                "bench": (
                    "(python -m asv machine --yes --machine here && python -m asv run --config "
                    "asv.here.json --python=same --launch-method spawn --machine here "
                    "--set-commit-hash HEAD -a repeat=3 -a rounds=1) >&2 "
                    "&& cat asv/results/here/*-*.json",
                ),
            },
        ),
        (
            {"Cargo.toml": "[dev-dependencies]\ncriterion = '1'\n", "src/lib.rs": ""},
            {"format": "criterion", "editable": ("src/**",)},
        ),
        (
            {"Cargo.toml": "", "src/lib.rs": "", "benches/my-parse.rs": ""},
            {
                "bench": (
                    "$(ls target/release/deps/my_parse-* | grep -v '[.]d$' | head -1) --bench",
                )
            },
        ),
        (  # the library's tests are built beside it, by the same name
            {
                "Cargo.toml": '[package]\nname = "my-sums"\n',
                "src/lib.rs": "",
                "benches/my-sums.rs": "",
                "benches/other.rs": "",
            },
            {
                "build": "cargo build --release && cargo test --release --no-run && "
                "cargo bench --no-run && cp $(cargo bench --no-run --bench my-sums 2>&1 | "
                r"sed -n 's|.*benches/my-sums[.]rs (\(.*\))|\1|p') target/bench-my-sums",
                "bench": (
                    "target/bench-my-sums --bench",
                    "$(ls target/release/deps/other-* | grep -v '[.]d$' | head -1) --bench",
                ),
            },
        ),
        (
            {
                "meson.build": "project('p', 'c')\ntest('t', executable('t', 't.c'))\n"
                "executable('bench_p', 'b.c')\n",
                "p.c": "",
            },
            {
                "setup": "meson setup build --buildtype=release",
                "bench": ("build/bench_p",),
                "test": "meson test -C build --no-rebuild --print-errorlogs",
                "editable": ("*.c",),
            },
        ),
        (
            {"go.mod": "module m\n", "m_test.go": "func BenchmarkM(b *testing.B) {\n"},
            {
                "build": "go build ./... && go test -c -o build/main.test ./.",
                "format": "go",
                "editable": ("**/*.go",),
            },
        ),
        (
            {
                "package.json": '{"scripts": {"test": "tap t.js", "bench": "node b.js 7"}}',
                "lib/a.js": "",
                "node_modules/x/index.js": "",
            },
            {"bench": ("node b.js 7",), "editable": ("lib/**",)},
        ),
        (
            {"package.json": '{"scripts": {"test": "true && node t.js"}}', "a.js": ""},
            {"test": "true && node t.js", "bench": ()},
        ),
        ({"package.json": "[]", "a.js": ""}, {"bench": (), "editable": ("*.js",)}),
        ({"a.c": ""}, {"bench": (), "build": "", "editable": ("*.c",)}),
        (
            {"pyproject.toml": "", "p/__init__.py": "", "p/a.py": "", "p/a_test.py": ""},
            {"test": "python -m pytest -q", "editable": ("p/**",)},
        ),
        (
            {"pyproject.toml": "", "p/__init__.py": "", "p/tests/test_a.py": ""},
            {"test": "python -m pytest -q", "editable": ("p/**",)},
        ),
        ({"pyproject.toml": "", "p/__init__.py": "", "bench/test_speed.py": ""}, {"test": ""}),
    ],
)
def test_kinds_of_projects(
    tmp_path: Path, files: dict[str, str], expected: dict[str, object]
) -> None:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = kind_of(tmp_path)
    assert {name: getattr(found, name) for name in expected} == expected
