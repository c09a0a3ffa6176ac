"""Rust's crates and workspaces, built offline: dependencies are fetched before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from maxcode.tasks.kinds.base import PLACE, Bench, Files, Kind, toml

_CRITERION = "--noplot --sample-size 10 --warm-up-time 0.1 --measurement-time 0.3"


@dataclass(frozen=True, slots=True)
class _Target:
    """A benchmark target of a crate in a folder."""

    crate: str
    name: str
    path: str
    text: str

    @property
    def program(self) -> str:
        """The path to which its program is copied: cargo's own has a hash in it."""
        return f"target/bench-{_below(self.crate).replace('/', '-')}{self.name}"

    @property
    def copied(self) -> str:
        """The command that builds and copies its program."""
        manifest = f"--manifest-path {_below(self.crate)}Cargo.toml"
        built = f"cargo bench --no-run {manifest} --bench {self.name} 2>&1"
        return f"cp $({built} | sed -n 's|.*Executable .*(\\(.*\\))|\\1|p') {self.program}"

    @property
    def format(self) -> str:
        """How its output is read."""
        if "criterion" in self.text:
            return "criterion"
        return "cargo-bench" if "feature(test)" in self.text else "process"


def cargo_kinds(files: Files) -> Iterator[Kind]:
    """The crates of the folder. Benchmarks are run as the programs built by cargo."""
    manifests = {
        str(PurePosixPath(path).parent): toml(files.read(path))
        for path in files.named("Cargo.toml")
        if not re.search(r"(?:^|/)(?:tests?|vendor|fuzz)/", path)
    }
    crates = {place: one for place, one in manifests.items() if "package" in one}
    root = manifests.get(".", {})
    if "workspace" not in root:
        crates = {place: one for place, one in crates.items() if place == "."} or {".": root}
    targets = [one for place, made in crates.items() for one in _targets(files, place, made)]
    nightly = any("feature(test)" in one.text for one in targets)
    whole = " --workspace" if "workspace" in root else ""
    yield Kind(
        editable=tuple(f"{_below(place)}src/**" for place in sorted(crates)),
        build=" && ".join(
            [
                f"cargo build --release{whole}",
                f"cargo test --release{whole} --no-run",
                *(one.copied for one in targets),
            ]
        ),
        test=f"cargo test --release{whole}",
        benches=tuple(_benches(targets)),
        environment=(
            ("CARGO_HOME", "/tmp/home/.cargo"),  # noqa: S108 - in the sandbox
            ("CRITERION_HOME", "/tmp/criterion"),  # noqa: S108
            *((("RUSTC_BOOTSTRAP", "1"),) if nightly else ()),
        ),
        wanted="benches/NAME.rs",
    )


def _benches(targets: list[_Target]) -> Iterator[Bench]:
    """All targets of a format together, criterion's first."""
    for kind in ("criterion", "cargo-bench", "process"):
        some = [one for one in targets if one.format == kind]
        commands = tuple(
            (f"cd {one.crate} && {PLACE}/" if one.crate != "." else "")
            + f"{one.program} --bench"
            + (f" {_CRITERION}" if kind == "criterion" else "")
            for one in some
        )
        if not commands:
            continue
        source = ", ".join(one.path for one in some)
        yield Bench(source, commands, kind)
        if kind == "process":
            yield Bench(source, commands, "times")


def _targets(files: Files, place: str, made: dict[str, Any]) -> Iterator[_Target]:
    """Benchmarks of a crate: those it names, and files in benches/."""
    before = f"{_below(place)}benches/"
    found = {
        path.removeprefix(before).removesuffix(".rs").removesuffix("/main"): path
        for path in files.named(".rs")
        if path.startswith(before)
        and (path.count("/") == before.count("/") or path.endswith("/main.rs"))
    }
    if not made.get("package", {}).get("autobenches", True):
        found = {}
    for one in made.get("bench", []):
        name = str(one.get("name", ""))
        path = f"{_below(place)}{one.get('path', '')}" if one.get("path") else found.get(name, "")
        found = {key: value for key, value in found.items() if value != path}
        if name and path:
            found[name] = path
    for name, path in sorted(found.items()):
        yield _Target(place, name, path, files.read(path))


def _below(place: str) -> str:
    return "" if place == "." else f"{place}/"
