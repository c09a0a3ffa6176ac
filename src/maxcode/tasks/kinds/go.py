"""Go modules: test programs are built once a candidate, and their benchmarks are timed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from maxcode.tasks.kinds.base import PLACE, Bench, Files, Kind

_OPTIONS = "-test.run '^$' -test.bench . -test.benchtime 0.2s"
_BENCHMARK = re.compile(r"^func Benchmark\w*\(\w+ \*testing\.B\)", re.MULTILINE)


def go_kinds(files: Files) -> Iterator[Kind]:
    """The module of the folder, or those of its workspace; other modules below are left out."""
    modules = {str(PurePosixPath(path).parent) for path in files.named("go.mod")}
    places = [one for one in _workspace(files) if one in modules] or ["."]
    benches, builds, tests = [], [], []
    for place in places:
        made = {
            package: f"{PLACE}/build/{package.replace('/', '-').replace('.', 'main')}.test"
            for package in _packages(files, place, modules)
        }
        enter = "" if place == "." else f"cd {PLACE}/{place} && "
        programs = [
            f"go test -c -o {program} ./{PurePosixPath(package).relative_to(place)}"
            for package, program in made.items()
        ]
        builds.append(enter + " && ".join(["go build ./...", *programs]))
        tests.append(f"{enter}go test -v ./...")
        benches += [
            f"{program} {_OPTIONS}" if package == "." else f"cd {package} && {program} {_OPTIONS}"
            for package, program in made.items()
        ]
    vendored = "vendor/modules.txt" in files.paths
    yield Kind(
        editable=("**/*.go", "!vendor/**") if vendored else ("**/*.go",),
        build=" && ".join(builds),
        test=" && ".join(tests),
        benches=(Bench("functions Benchmark...", tuple(benches), "go"),) if benches else (),
        environment=(("GOFLAGS", "-mod=vendor" if vendored else "-mod=readonly"),),
        wanted="a function Benchmark... in a file *_test.go",
    )


def _workspace(files: Files) -> list[str]:
    """Folders that go.work uses."""
    text = re.sub(r"//[^\n]*", "", files.read("go.work"))
    used = re.findall(r"\buse\s*(?:\(([^)]*)\)|(\S+))", text)
    return [str(PurePosixPath(one)) for group, alone in used for one in (group or alone).split()]


def _packages(files: Files, place: str, modules: set[str]) -> list[str]:
    """Packages of a module with benchmarks."""
    found = set()
    for path in files.named("_test.go"):
        above = PurePosixPath(path).parents
        own = next((str(one) for one in above if str(one) in modules), ".")
        if own == place and _BENCHMARK.search(files.read(path)) and "vendor/" not in path:
            found.add(str(above[0]))
    return sorted(found)
