"""Projects in C and C++: CMake, Meson and Make."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from maxcode.tasks.kinds.base import SOURCES, Bench, Files, Kind, script

_NAMED = re.compile(r"bench|perf(?!ect|orm)|speed", re.IGNORECASE)
_TARGET = re.compile(r"^([\w.-]+)\s*:(?!=)", re.MULTILINE)
_OPTION = re.compile(
    r"\boption\(\s*(\w*(?:BENCH|PERF_?TEST)\w*)\s+(?:\"[^\"]*\"|\S+)\s+OFF\b", re.IGNORECASE
)
_MESON_OPTION = re.compile(r"option\(\s*'(\w*bench\w*)'[^)]*value\s*:\s*(false|'disabled')")
_GOOGLE = b"benchmark_min_time"  # an option of its programs, which stands in them
_CATCH = b"--benchmark-samples"
_LARGEST = 256 << 20  # bytes of a program that are looked at


def cmake_kinds(files: Files) -> Iterator[Kind]:
    """CMake, with the project's options for benchmarks switched on, then without them."""
    texts = [files.read(path) for path in files.named("CMakeLists.txt", ".cmake") if _is_part(path)]
    whole = "\n".join(texts)
    options = "".join(f" -D{name}=ON" for name in dict.fromkeys(_OPTION.findall(whole)))
    for chosen in dict.fromkeys((options, "")):  # what is off may need what this machine lacks
        yield Kind(
            editable=files.patterns(*SOURCES),
            setup=f"cmake -S . -B build -DCMAKE_BUILD_TYPE=Release{chosen}",
            build="cmake --build build -j {jobs}",
            test="ctest --test-dir build" if re.search(r"enable_testing|CTest", whole) else "",
            compiled=True,
            wanted="an add_executable() whose name has 'bench' in it",
        )


def meson_kinds(files: Files) -> Iterator[Kind]:
    """Meson, with the project's option for benchmarks switched on."""
    whole = "\n".join(files.read(path) for path in files.named("meson.build"))
    settings = files.read("meson_options.txt") + files.read("meson.options")
    options = "".join(
        f" -D{name}={'true' if value == 'false' else 'enabled'}"
        for name, value in _MESON_OPTION.findall(settings)
    )
    yield Kind(
        editable=files.patterns(*SOURCES),
        setup=f"meson setup build --buildtype=release{options}",
        build="ninja -C build -j {jobs}",
        test="meson test -C build --no-rebuild --print-errorlogs" if "test(" in whole else "",
        compiled=True,
        wanted="an executable() whose name has 'bench' in it",
    )


def make_kinds(files: Files) -> Iterator[Kind]:
    """Make, with its targets for tests and benchmarks."""
    name = next(one for one in ("GNUmakefile", "makefile", "Makefile") if one in files.paths)
    text = files.read(name)
    targets = list(dict.fromkeys(_TARGET.findall(text)))
    test = next((one for one in ("test", "tests", "check") if one in targets), "")
    found = [one for one in targets if _NAMED.search(one) and "." not in one]
    yield Kind(
        editable=files.patterns(*SOURCES),
        build="make -j{jobs}",
        test=f"make {test}" if test else "",
        benches=tuple(bench for one in found for bench in _of_target(text, one)),
        compiled=True,
        wanted="a target 'bench'",
    )


def built_benches(folder: Path) -> Iterator[Bench]:
    """Benchmarks among the programs of a built project: Google's and Catch2's, then by name."""
    google, others = [], []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"CMakeFiles", ".git", "node_modules"})
        for path in (Path(place, name) for name in sorted(names)):
            if not _is_program(path):
                continue
            data, name = path.read_bytes(), path.relative_to(folder).as_posix()
            name = name if "/" in name else f"./{name}"
            if _GOOGLE in data and b"BENCHMARK_" not in path.name.encode():
                google.append(name)
            elif _NAMED.search(path.name):
                others.append((name, _CATCH in data))
    for name in google:
        options = "--benchmark_format=json --benchmark_min_time=0.1"
        yield Bench(name, (f"{name} {options}",), "google-benchmark")
    for name, catch in others:
        if catch:
            command = f"{name} '[!benchmark]' -r xml --benchmark-samples 20"
            yield Bench(name, (command,), "catch2")
        else:
            yield from script(name, name)


def _is_program(path: Path) -> bool:
    """Whether a file is a native program."""
    if path.is_symlink() or not os.access(path, os.X_OK) or ".so" in path.name:
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF" and path.stat().st_size < _LARGEST


def _of_target(text: str, target: str) -> Iterator[Bench]:
    """Ways to run a target: make's commands for it, if they are plain, else make itself."""
    found = re.search(rf"^{re.escape(target)}\s*:[^=\n]*\n((?:\t.*\n?)*)", text, re.MULTILINE)
    lines = [line.strip().lstrip("@") for line in (found[1] if found else "").splitlines()]
    plain = lines and not any("$" in line or line.endswith("\\") for line in lines)
    if plain:
        yield Bench(f"make {target}", tuple(lines))
    if not plain or len(lines) == 1:
        yield from script(lines[0] if plain else f"make -s {target}", f"make {target}")


def _is_part(path: str) -> bool:
    """Whether a file of CMake belongs to the project itself."""
    parts = PurePosixPath(path).parts
    return not any(one.lower() in {"third_party", "vendor", "external", "deps"} for one in parts)
