"""Kinds of projects: tools for build, tests and benchmark, by the project's files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maxcode.tasks.project_files import PROTECTED_FOLDERS

_SOURCES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
_SCRIPTS = (".js", ".mjs", ".cjs", ".ts")
_BENCHMARK = re.compile(r"bench", re.IGNORECASE)
_GO_BENCH = "-test.run '^$' -test.bench . -test.benchtime 0.2s"
_ASV = "asv.conf.json"
_ASV_SETUP = (  # asv wants a repository, and nothing is seen of the project's own
    'sed -E -e \'s|^( *"repo" *:).*|\\1 ".",|\' -e \'s|^( *"branches" *:).*|\\1 ["original"],|\' '
    "asv.conf.json > asv.here.json && git init -q -b original . && "
    "git -c user.name=maxcode -c user.email=maxcode@localhost commit -q --allow-empty -m original"
)
_ASV_BENCH = (
    "(python -m asv machine --yes --machine here && python -m asv run --config asv.here.json "
    "--python=same --launch-method spawn --machine here --set-commit-hash HEAD "
    "-a repeat=3 -a rounds=1) >&2 && cat {results}/here/*-*.json"
)
_ANY_OWNER = {  # of a repository in the sandbox, where files belong to nobody
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}
_TARGET = re.compile(r"^([\w.-]+)\s*:(?!=)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Kind:
    """The commands of a project, and its editable files; unknown values are empty.

    The fields are those of a project's ``task.toml``. ``compiled``: a C or C++ compiler makes it,
    so flags are worth trying; ``timeout`` is the limit of a benchmark command. ``wanted`` describes
    a usual benchmark for a project without any.
    """

    editable: tuple[str, ...] = ()
    setup: str = ""
    build: str = ""
    test: str = ""
    bench: tuple[str, ...] = ()
    format: str = "process"
    outputs: tuple[str, ...] = ()
    check: str = "exact"
    meter: str = "cpu"
    compiled: bool = False
    flags: str = ""
    timeout: float | None = None
    writable: bool = False
    read: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    wanted: str = ""

    def replaced(self, given: Mapping[str, Any]) -> Kind:
        """Copy with other fields."""
        return replace(self, **given)


def kind_of(folder: Path) -> Kind:
    """The probable kind of a project: the first known kind with its file present.

    A Makefile without sources in C or C++ only counts without any other such file. Without any,
    packages of Python make it a Python project.
    """
    found = [name for name in _KINDS if (folder / name).is_file()]
    others = [name for name in found if _KINDS[name] is not _make]
    if others and not any(_folders_of(folder, _SOURCES)):
        found = others
    if found:
        text = (folder / found[0]).read_text("utf-8", "replace")
        return _KINDS[found[0]](folder, text)
    if any(_packages(folder)):
        return _python(folder, "")
    return Kind(editable=tuple(_folders_of(folder, _SOURCES)))


def _declared(folder: Path, text: str, name: str, pattern: str) -> tuple[str, tuple[str, ...]]:
    """Text of a build file and those one folder below, and the benchmarks that they build."""
    below = sorted(folder.glob(f"*/{name}"))
    texts = {"": text, **{one.parent.name: one.read_text("utf-8", "replace") for one in below}}
    found = (
        "/".join(filter(None, ("build", place, program)))
        for place, part in texts.items()
        for program in re.findall(pattern, part)
        if _BENCHMARK.search(program)
    )
    return "\n".join(texts.values()), tuple(found)


def _cmake(folder: Path, text: str) -> Kind:
    whole, found = _declared(folder, text, "CMakeLists.txt", r"add_executable\(\s*([\w.-]+)")
    google = "benchmark::benchmark" in whole
    if google:
        found = tuple(f"{one} --benchmark_format=json" for one in found)
    return Kind(
        editable=tuple(_folders_of(folder, _SOURCES)),
        setup="cmake -S . -B build -DCMAKE_BUILD_TYPE=Release",
        build="cmake --build build -j {jobs}",
        test="ctest --test-dir build" if "enable_testing" in whole or "CTest" in whole else "",
        bench=found,
        format="google-benchmark" if google else "process",
        compiled=True,
        wanted="an add_executable() whose name has 'bench' in it",
    )


def _make(folder: Path, text: str) -> Kind:
    targets = set(_TARGET.findall(text))
    test = next((name for name in ("test", "check") if name in targets), "")
    bench = next((name for name in ("bench", "benchmark") if name in targets), "")
    return Kind(
        editable=tuple(_folders_of(folder, _SOURCES)),
        build="make -j{jobs}",
        test=f"make {test}" if test else "",
        bench=_recipe(text, bench),
        compiled=True,
        wanted="a target 'bench'",
    )


def _recipe(text: str, target: str) -> tuple[str, ...]:
    """Make's commands for a target, if they are plain, else make itself."""
    if not target:
        return ()
    found = re.search(rf"^{re.escape(target)}\s*:[^=\n]*\n((?:\t.*\n?)*)", text, re.MULTILINE)
    lines = [line.strip().lstrip("@") for line in (found[1] if found else "").splitlines()]
    plain = lines and not any("$" in line or line.endswith("\\") for line in lines)
    return tuple(lines) if plain else (f"make -s {target}",)


def _python(folder: Path, text: str) -> Kind:
    try:
        project = tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError:
        project = {}
    packages = list(_packages(folder))
    inside = "src" if (folder / "src").is_dir() else ""
    place = "/".join(filter(None, ("/tmp/project", inside)))  # noqa: S108 - in the sandbox
    bench, reads = _python_benchmark(folder, text)
    variables = {"PYTHONPATH": place}
    asv = reads == "asv"
    if asv:
        variables |= {"ASV_PYTHONPATH": place, **_ANY_OWNER}
    compiled = "ext_modules" in text or "setuptools.Extension" in text
    beside = any((folder / name).is_dir() for name in ("tests", "test"))
    tests = beside or any(_python_tests(folder))
    return Kind(
        editable=tuple(f"{name}/**" for name in packages) or ("*.py",),
        setup=_ASV_SETUP if asv else "",
        test="python -m pytest -q" if tests or "pytest" in str(project) else "",
        bench=bench,
        format=reads,
        compiled=compiled,
        writable=asv,
        environment=tuple(variables.items()),
        wanted="a file *bench*.py",
    )


def _python_benchmark(folder: Path, text: str) -> tuple[tuple[str, ...], str]:
    """The commands of a Python project's benchmarks, and how their output is read."""
    if (folder / _ASV).is_file():
        return (_ASV_BENCH.replace("{results}", _asv_results(folder)),), "asv"
    files = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*bench*.py")
        if ".venv" not in path.parts
    )
    if "pytest-benchmark" in text and files:
        names = " ".join(files)
        command = f"python -m pytest {names} --benchmark-only --benchmark-json={{out}}"
        return (command,), "pytest-benchmark"
    for name in files:
        if "pyperf" in (folder / name).read_text("utf-8", "replace"):
            report = "/tmp/bench.json"  # noqa: S108 - in the sandbox
            command = f"python {name} --processes 1 --values 5 -q -o {report} >&2 && cat {report}"
            return (command,), "pyperf"
    return tuple(f"python {name}" for name in files[:1]), "process"


def _asv_results(folder: Path) -> str:
    """Where asv writes to, by its configuration, which is JSON with comments."""
    text = (folder / _ASV).read_text("utf-8", "replace")
    found = re.search(r'^\s*"results_dir"\s*:\s*"([\w./-]+)"', text, re.MULTILINE)
    return found[1] if found else "results"


def _python_tests(folder: Path) -> Iterator[str]:
    """Modules with tests, beside the code or in folders of their own, outside of benchmarks."""
    for path in folder.rglob("*.py"):
        name = path.relative_to(folder).as_posix()
        hidden = any(part.startswith(".") for part in name.split("/"))
        collected = path.name.startswith("test_") or path.stem.endswith("_test")
        if collected and not hidden and not re.search(r"(?:^|/)bench", name):
            yield name


def _packages(folder: Path) -> Iterator[str]:
    """Folders with sources of a Python project."""
    if any((folder / "src").rglob("*.py")):
        yield "src"
        return
    for path in sorted(folder.iterdir()):
        if (path / "__init__.py").is_file() and path.name.lower() not in PROTECTED_FOLDERS:
            yield path.name


def _cargo(folder: Path, text: str) -> Kind:
    """Built offline: dependencies are fetched before, by ``cargo fetch``.

    Benchmarks are run as the programs built by cargo, which writes nothing.
    """
    benches = sorted(path.stem for path in folder.glob("benches/*.rs"))
    taken = _cargo_names(folder, text)
    programs = {
        name: f"target/bench-{name}"
        if name.replace("-", "_") in taken
        else f"$(ls target/release/deps/{name.replace('-', '_')}-* | grep -v '[.]d$' | head -1)"
        for name in benches
    }
    copied = [
        f" && cp $(cargo bench --no-run --bench {name} 2>&1 | "
        f"sed -n 's|.*benches/{name}[.]rs (\\(.*\\))|\\1|p') {program}"
        for name, program in programs.items()
        if program.startswith("target/bench-")
    ]
    criterion = "criterion" in text
    variables = {"CARGO_HOME": "/tmp/home/.cargo"}  # noqa: S108 - in the sandbox
    if criterion:
        variables["CRITERION_HOME"] = "/tmp/criterion"  # noqa: S108
    return Kind(
        editable=("src/**",),
        build="cargo build --release && cargo test --release --no-run"
        + (" && cargo bench --no-run" if benches else "")
        + "".join(copied),
        test="cargo test --release",
        bench=tuple(f"{program} --bench" for program in programs.values()),
        format="criterion" if criterion else "process",
        environment=tuple(variables.items()),
        wanted="benches/NAME.rs",
    )


def _cargo_names(folder: Path, text: str) -> set[str]:
    """Other names that cargo builds with its tests, perhaps also names of benchmarks."""
    try:
        made = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        made = {}
    tables = [made.get("package", {}), made.get("lib", {}), *made.get("bin", [])]
    names = [str(one.get("name", "")) for one in tables]
    others = [one for where in ("tests", "src/bin") for one in folder.glob(f"{where}/*.rs")]
    return {name.replace("-", "_") for name in (*names, *(one.stem for one in others))}


def _meson(folder: Path, text: str) -> Kind:
    whole, found = _declared(folder, text, "meson.build", r"executable\(\s*'([\w.-]+)'")
    return Kind(
        editable=tuple(_folders_of(folder, _SOURCES)),
        setup="meson setup build --buildtype=release",
        build="ninja -C build -j {jobs}",
        test="meson test -C build --no-rebuild --print-errorlogs" if "test(" in whole else "",
        bench=found,
        compiled=True,
        wanted="an executable() whose name has 'bench' in it",
    )


def _go(folder: Path, text: str) -> Kind:
    """Test programs are built once a candidate; their benchmarks are timed."""
    del text
    benches = sorted(
        {
            path.parent.relative_to(folder).as_posix()
            for path in folder.rglob("*_test.go")
            if re.search(r"^func Benchmark", path.read_text("utf-8", "replace"), re.MULTILINE)
        }
    )
    programs = {
        place: f"build/{place.replace('/', '-').replace('.', 'main')}.test" for place in benches
    }
    made = [f"go test -c -o {program} ./{place}" for place, program in programs.items()]
    return Kind(
        editable=("**/*.go",),
        build=" && ".join(["go build ./...", *made]),
        test="go test -v ./...",
        bench=tuple(
            f"{program if place == '.' else f'cd {place} && /tmp/project/{program}'} {_GO_BENCH}"
            for place, program in programs.items()
        ),
        format="go" if benches else "process",
        wanted="a function Benchmark... in a file *_test.go",
    )


def _npm(folder: Path, text: str) -> Kind:
    """Scripts of package.json; packages beside it are read in place."""
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError):
        scripts = {}
    bench = next((name for name in ("bench", "benchmark") if name in scripts), "")
    installed = folder / "node_modules"

    def script(name: str) -> str:
        """The command of a script, without npm, which does not end without a network."""
        text = str(scripts.get(name, ""))
        plain = not text or text.startswith("node ") or not installed.is_dir()
        return text if plain else f"PATH=$PATH:{installed.resolve()}/.bin; {text}"

    return Kind(
        editable=tuple(_folders_of(folder, _SCRIPTS)),
        build=script("build"),
        test=script("test"),
        bench=(script(bench),) if bench else (),
        wanted="a script 'bench' in package.json",
        read=(str(installed.resolve()),) if installed.is_dir() else (),
        environment=(("NODE_PATH", str(installed.resolve())),) if installed.is_dir() else (),
    )


def _folders_of(folder: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Patterns of the folders with such files; of the top folder only the files themselves."""
    for path in sorted(folder.iterdir()):
        hidden = (
            path.name.startswith((".", "build", "node_modules"))
            or path.name.lower() in PROTECTED_FOLDERS
        )
        own = path.is_dir() and not hidden
        if own and any(below.suffix in suffixes for below in path.rglob("*")):
            yield f"{path.name}/**"
    for suffix in suffixes:
        if any(folder.glob(f"*{suffix}")):
            yield f"*{suffix}"


_KINDS: Mapping[str, Callable[[Path, str], Kind]] = {
    "CMakeLists.txt": _cmake,
    "meson.build": _meson,
    "Makefile": _make,
    "makefile": _make,
    "pyproject.toml": _python,
    "setup.py": _python,
    _ASV: _python,
    "Cargo.toml": _cargo,
    "go.mod": _go,
    "package.json": _npm,
}
"""By the file typical of a kind; C and C++ come first, since Python projects may contain them."""
