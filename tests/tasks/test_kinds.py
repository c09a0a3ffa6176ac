import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from maxcode.system import find_tool
from maxcode.tasks.kinds import kinds_of
from maxcode.tasks.kinds.base import PLACE
from maxcode.tasks.kinds.native import built_benches

FIXTURE = "def test_sum(benchmark):\n    benchmark(sum, [1])\n"
TIMED = "from time import perf_counter\nprint(perf_counter())\n"
ASV = (
    "(python -m asv machine --yes --machine here && python -m asv run --config asv.here.json "
    "--python=same --launch-method spawn --machine here --set-commit-hash HEAD -a repeat=3 "
    "-a rounds=1 || :) >&2 && cat {}/here/*-*.json"
)
BUILT = "python -m pip install --quiet --no-index --no-build-isolation --no-deps --upgrade --target"


def pyproject(**parts: object) -> str:
    """A pyproject.toml with these tables, whose values are written as in JSON."""
    lines = []
    for title, table in parts.items():
        lines.append(f"[{title.replace('_', '-')}]")
        assert isinstance(table, Mapping)
        lines += [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def script(command: str) -> list[tuple[str, str]]:
    """How a script is tried."""
    return [("process", command), ("times", command), ("process", f"{command} > /dev/null")]


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder with these files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "CMakeLists.txt": "option(P_BENCHMARKS 'speed' OFF)\nenable_testing()\n",
                "src/a.cpp": "",
                "tests/t.cpp": "",
                "build-old/b.cpp": "",
            },
            {
                "setup": "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DP_BENCHMARKS=ON",
                "test": "ctest --test-dir build",
                "editable": ("src/**",),
                "compiled": True,
            },
        ),
        (
            {"Makefile": "all:\n\tcc a.c\ncheck: all\n\tsh t\n", "a.c": ""},
            {"build": "make -j{jobs}", "test": "make check", "editable": ("*.c",)},
        ),
        (
            {
                "meson.build": "project('p', 'c')\ntest('t', executable('t', 't.c'))\n",
                "meson_options.txt": "option('benchmarks', type: 'boolean', value: false)",
                "p.c": "",
            },
            {
                "setup": "meson setup build --buildtype=release -Dbenchmarks=true",
                "test": "meson test -C build --no-rebuild --print-errorlogs",
                "editable": ("*.c",),
            },
        ),
        (  # which a Makefile serves, too
            {"Makefile": "all:\n\ttrue\n", "pyproject.toml": "", "src/p/__init__.py": ""},
            {"build": "", "compiled": False, "editable": ("src/**",)},
        ),
        (
            {"pyproject.toml": "", "p/__init__.py": "", "p/a.py": "", "p/a_test.py": ""},
            {"test": "python -m pytest -q", "editable": ("p/**",)},
        ),
        ({"pyproject.toml": "", "p/__init__.py": "", "bench/test_speed.py": ""}, {"test": ""}),
        (  # tests that are benchmarks run once
            {"pyproject.toml": "", "p/__init__.py": "", "tests/test_a.py": FIXTURE},
            {"test": "python -m pytest -q --benchmark-disable"},
        ),
        (  # a namespace
            {"pyproject.toml": pyproject(project={"name": "a.b"}), "a/b/__init__.py": ""},
            {"editable": ("a/**",), "environment": (("PYTHONPATH", PLACE),)},
        ),
        (  # several packages, each with its folder
            {"setup.py": "", "libs/a/a/__init__.py": "", "libs/b/b/__init__.py": ""},
            {
                "editable": ("libs/a/**", "libs/b/**"),
                "environment": (("PYTHONPATH", f"{PLACE}/libs/a:{PLACE}/libs/b"),),
            },
        ),
        (  # an extension of setuptools is built in place
            {"setup.py": "setup(ext_modules=[...])", "p/__init__.py": "", "p/_fast.c": ""},
            {
                "build": "python setup.py build_ext --inplace -j {jobs}",
                "editable": ("p/**",),
                "compiled": True,
            },
        ),
        (  # other extensions are installed, as are plug-ins of pytest and generated versions
            {
                "pyproject.toml": pyproject(
                    build_system={"requires": ["pip"], "build-backend": "mesonpy"}
                ),
                "src/p/__init__.py": "",
                "src/p/fast.c": "",
            },
            {
                "build": f"{BUILT} build/installed .",
                "environment": (("PYTHONPATH", f"{PLACE}/build/installed"),),
                "problem": "",
            },
        ),
        (
            {"setup.cfg": "pytest11", "setup.py": "", "plugin.py": "", "p/__init__.py": ""},
            {"build": f"{BUILT} build/installed . && cp -r build/installed/p ."},
        ),
        (
            {"Cargo.toml": "[package]\nname = 'p'\n", "src/lib.rs": ""},
            {"editable": ("src/**",), "test": "cargo test --release", "benches": ()},
        ),
        (
            {
                "Cargo.toml": "[workspace]\nmembers = ['crates/*']\n",
                "crates/a/Cargo.toml": "[package]\nname = 'a'\n",
                "crates/a/src/lib.rs": "",
            },
            {"editable": ("crates/a/src/**",), "test": "cargo test --release --workspace"},
        ),
        (
            {"go.mod": "module m\n", "m_test.go": "func BenchmarkM(b *testing.B) {\n"},
            {"build": "go build ./... && go test -c -o /tmp/project/build/main.test ./."},
        ),
        (
            {"go.work": "use (\n\t./a\n\t./b\n)\n", "a/go.mod": "", "b/go.mod": ""},
            {
                "build": "cd /tmp/project/a && go build ./... && cd /tmp/project/b "
                "&& go build ./...",
                "environment": (("GOFLAGS", "-mod=readonly"),),
            },
        ),
        (
            {"package.json": '{"scripts": {"test": "true && node t.js"}}', "a.js": ""},
            {"test": "true && node t.js", "benches": (), "editable": ("*.js",)},
        ),
        (
            {
                "package.json": '{"scripts": {"test": "npm run t:u && npm ls", "t:u": "node t"}}',
                "a.js": "",
            },
            {"test": "node t && npm ls"},
        ),
        ({"package.json": "[]", "a.js": ""}, {"benches": (), "editable": ("*.js",)}),
        ({"a.c": ""}, {"benches": (), "build": "", "editable": ("*.c",)}),
    ],
)
def test_commands_are_found_by_the_files(
    tmp_path: Path, files: dict[str, str], expected: dict[str, object]
) -> None:
    found = kinds_of(written(tmp_path, files))[0]
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"Makefile": "all:\n\tcc a.c\nbench: all\n\t./a x\n\t./a y\n", "a.c": ""},
            [("process", "./a x", "./a y")],
        ),
        (
            {"Makefile": "benchmark:\n\t./a $(SIZE)\n", "a.c": ""},
            script("make -s benchmark"),
        ),
        (  # by the fixture, whatever the file's name
            {"pyproject.toml": "", "p/__init__.py": "", "tests/test_speedy.py": FIXTURE},
            [
                (
                    "pytest-benchmark",
                    "python -m pytest tests/test_speedy.py -o addopts= -p no:codspeed "
                    "--benchmark-only --benchmark-max-time=0.1 --benchmark-json={out}",
                ),
                (
                    "pytest-benchmark",
                    "python -m pytest tests/test_speedy.py -o addopts= -p no:codspeed "
                    "--benchmark-only --benchmark-max-time=0.01 --benchmark-min-rounds=3 "
                    "--benchmark-json={out}",
                ),
            ],
        ),
        (
            {"setup.py": "", "p/__init__.py": "", "tools/slow.py": TIMED, "tests/go.py": TIMED},
            script("python tests/go.py"),
        ),
        (
            {"setup.py": "", "p/__init__.py": "", "bench.py": "import pyperf\npyperf.Runner()"},
            [
                (
                    "pyperf",
                    "python bench.py --processes 1 --values 5 --min-time 0.02 -q "
                    "-o /tmp/bench.json >&2 && cat /tmp/bench.json",
                )
            ],
        ),
        (
            {"asv.conf.json": '{\n  "results_dir": "asv/results"\n}', "p/__init__.py": ""},
            [("asv", ASV.format("asv/results"))],
        ),
        (
            {"asv/asv.conf.json": "{\n}", "setup.py": "", "p/__init__.py": ""},
            [("asv", f"cd asv && {ASV.format('results')}")],
        ),
        (  # a module of benchmarks that runs nothing is none
            {"setup.py": "", "p/__init__.py": "", "bench.py": "import p\ndef run(): pass\n"},
            [],
        ),
        (
            {"Cargo.toml": "[package]\nname='p'\n", "benches/a-b.rs": "use criterion::Criterion;"},
            [
                (
                    "criterion",
                    "target/bench-a-b --bench --noplot --sample-size 10 --warm-up-time 0.1 "
                    "--measurement-time 0.3",
                )
            ],
        ),
        (
            {
                "Cargo.toml": "[workspace]",
                "sums/Cargo.toml": "[package]\nname = 'sums'\n",
                "sums/benches/all.rs": "#![feature(test)]",
            },
            [("cargo-bench", "cd sums && /tmp/project/target/bench-sums-all --bench")],
        ),
        (
            {
                "go.mod": "module m\n",
                "a/a_test.go": "func BenchmarkM(b *testing.B) {\n",
                "other/go.mod": "",
                "other/o_test.go": "func BenchmarkO(b *testing.B) {\n",
            },
            [
                (
                    "go",
                    "cd a && /tmp/project/build/a.test -test.run '^$' -test.bench . "
                    "-test.benchtime 0.2s",
                )
            ],
        ),
        (
            {
                "package.json": '{"scripts": {"bench": "node b.js 7"}}',
                "perf/a.mjs": "import { Bench } from 'tinybench'",
                "lib/a.js": "",
                "node_modules/x/index.js": "require('benchmark')",
            },
            [
                *script("node b.js 7"),
                *script("node perf/a.mjs"),
            ],
        ),
    ],
)
def test_benchmarks_are_found_by_what_they_are(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, ...]]
) -> None:
    found = kinds_of(written(tmp_path, files))[0]
    assert [(one.format, *one.commands) for one in found.benches] == expected


def test_cmake_is_tried_without_an_option_for_benchmarks_that_does_not_build(
    tmp_path: Path,
) -> None:
    files = {"CMakeLists.txt": "option(P_BENCHMARKS 'speed' OFF)\n", "src/a.cpp": ""}
    setups = [kind.setup for kind in kinds_of(written(tmp_path, files))]
    plain = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release"
    assert setups == [f"{plain} -DP_BENCHMARKS=ON", plain]


def test_what_cannot_work_is_said_at_once(tmp_path: Path) -> None:
    needs = pyproject(build_system={"requires": ["no-such-backend>=1", "other; x < 1"]})
    extension = {"pyproject.toml": needs, "setup.py": "ext_modules", "p/__init__.py": ""}
    assert "pip install no-such-backend" in kinds_of(written(tmp_path / "a", extension))[0].problem
    package = {"package.json": '{"scripts": {"test": "tap"}, "devDependencies": {"tap": "1"}}'}
    assert "npm ci" in kinds_of(written(tmp_path / "b", {**package, "a.js": ""}))[0].problem
    alone = {"package.json": '{"scripts": {"test": "node t.js"}, "devDependencies": {"x": "1"}}'}
    assert kinds_of(written(tmp_path / "c", {**alone, "a.js": ""}))[0].problem == ""


def test_programs_that_a_build_made_are_known_by_what_they_are(tmp_path: Path) -> None:
    shutil.copy(find_tool("true"), tmp_path / "run_benchmarks")
    shutil.copy(find_tool("true"), tmp_path / "convert")
    google = tmp_path / "build" / "sums"
    google.parent.mkdir()
    google.write_bytes(Path(find_tool("true")).read_bytes() + b"\0benchmark_min_time\0")
    google.chmod(0o755)
    found = [(one.format, *one.commands) for one in built_benches(tmp_path)]
    assert found == [
        (
            "google-benchmark",
            "build/sums --benchmark_format=json --benchmark_min_time=0.1",
        ),
        *script("./run_benchmarks"),
    ]
