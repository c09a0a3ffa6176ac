"""Processor and wall seconds to build examples' kernels: torch's ways, and ours without its parts.

For each ``fused_cpp.py`` among the examples' candidates:

* ``torch``: ``load_inline`` as it is; ``torch_pch``: with ``use_pch=True``, its header made by the
  first build. Torch keeps that header beside its own, one for all flags, so each change of flags
  costs as much as the first build. Torch is run from a folder of links to the installed one, which
  stays as it is.
* ``split``: ours as it is, code and bindings as two units; ``split_bound`` where only the body of
  the function is new, so that its bindings are kept.
* ``slim``: ours without the split, one unit with the slim header; ``whole``: one unit with
  ``torch/extension.h`` itself compiled ahead, which is what ``use_pch`` would be in our sandbox.

``header_...`` is the first build with that way, which makes its headers; each further build has a
new body. ``broken`` is what the candidates named ``broken_*.py`` take until their error is known.
Our ways take turns. Processor seconds are those of all compilers, and hardly depend on the load.

Usage: python benchmarks/build_kernels_parts.py [--rounds 1] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from common import ROOT, machine, save

from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.toolchain import extension, extension_attempt, extension_inspect, extension_units
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import InlineSources

KERNELS = ROOT / "examples" / "kernels"
NAMES = ("layer_norm", "softmax", "conv_block")
CALL = """
import json, runpy, sys
from torch.utils import cpp_extension
def load_inline(*positions, **named):
    print(json.dumps(named | dict(zip(("name", "cpp_sources"), positions))))
    raise SystemExit
cpp_extension.load_inline = load_inline
runpy.run_path(sys.argv[1])
"""
OWN = """
import json, resource, sys, time
from torch.utils.cpp_extension import load_inline
arguments = json.load(sys.stdin)
started = time.perf_counter()
load_inline(**arguments)
wall = time.perf_counter() - started
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, wall]))
"""
INSPECT = "import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])['torch_facts']()))"
WAYS = {"split": 0, "slim": -2, "whole": -1}


def python(code: str, *arguments: str, given: str = "", path: str = "") -> Any:
    """What a process of its own prints last, as JSON."""
    begin = f"import sys; sys.path.insert(0, {path!r})\n" if path else ""
    command = [sys.executable, "-c", begin + code, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def linked_torch(folder: Path) -> str:
    """A folder to import a torch from that may write beside its headers."""
    code = "import importlib.util as u, json; print(json.dumps(u.find_spec('torch').origin))"
    installed = Path(python(code)).parent

    def link(source: Path, target: Path, inside: tuple[str, ...]) -> None:
        target.mkdir()
        for path in source.iterdir():
            if inside and path.name == inside[0]:
                link(path, target / path.name, inside[1:])
            else:
                (target / path.name).symlink_to(path)

    link(installed, folder / "torch", ("include", "torch"))
    return str(folder)


def texts(text: str) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{text}// {number}\n"


class Bench:
    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.facts = TorchFacts.parse(python(INSPECT, str(extension_inspect.__file__)))
        links = scratch / "links"
        links.mkdir()
        self.torch = linked_torch(links)
        self.all_ways = extension_units.ways
        self.builders = {way: self.builder(way) for way in WAYS}

    def builder(self, way: str) -> ExtensionBuilder:
        cache = BuildCache(self.scratch / f"cache-{way}")
        folder = self.scratch / f"run-{way}"
        return ExtensionBuilder(BubblewrapSandbox(), folder, cache, self.facts)

    def own(self, arguments: dict[str, Any], **options: Any) -> list[float]:
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            given = json.dumps({**arguments, "build_directory": folder, **options})
            cpu, wall = python(OWN, given=given, path=self.torch)
            return [round(cpu, 2), round(wall, 2)]

    def ours(self, way: str, arguments: dict[str, Any], *, expect: bool = False) -> list[float]:
        every = self.all_ways

        def ways(sources: InlineSources) -> Iterator[Any]:
            found = list(every(sources))
            yield from found if way == "split" else [found[WAYS[way]]]

        for module in (extension, extension_attempt):
            module.ways = ways  # type: ignore[attr-defined]
        builder = self.builders[way]
        if expect:
            builder.expect(arguments.get("extra_cflags") or ())
        before, started = cpu_of_children(), time.perf_counter()
        builder.build(InlineSources.parse(arguments), 600)
        wall = time.perf_counter() - started
        return [round(cpu_of_children() - before, 2), round(wall, 2)]

    def measure(self, name: str, rounds: int, taken: Callable[[str, list[float]], None]) -> None:
        arguments = python(CALL, str(KERNELS / name / "candidates" / "fused_cpp.py"))
        new = texts(arguments["cpp_sources"])

        def build(*, renamed: bool = False) -> dict[str, Any]:
            given = {**arguments, "cpp_sources": next(new)}
            return given | {"name": f"{arguments['name']}_new"} if renamed else given

        for way in WAYS:
            taken(f"header_{way}", self.ours(way, build(), expect=True))
        for number in range(rounds):
            for way in WAYS:
                # another name binds anew, as a function of another type would
                taken(
                    way, self.ours(way, build(renamed=number == 0) if way == "split" else build())
                )
            taken("split_bound", self.ours("split", build()))
        for path in sorted((KERNELS / name / "candidates").glob("broken_*.py")):
            try:
                broken = python(CALL, str(path))
            except (RuntimeError, IndexError):  # it is no Python, or calls nothing
                continue
            for way in WAYS:
                taken(f"broken_{way}", self.ours(way, broken))
        taken("torch_pch_header", self.own(build(), use_pch=True))
        for _ in range(rounds):
            taken("torch_pch", self.own(build(), use_pch=True))
        taken("torch", self.own(build()))


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    taken_on = machine()
    kernels: dict[str, dict[str, list[list[float]]]] = {}
    with tempfile.TemporaryDirectory(prefix="maxcode-") as scratch:
        bench = Bench(Path(scratch))
        taken_on["torch"] = bench.facts.version
        for name in arguments.names or NAMES:
            found: dict[str, list[list[float]]] = {}
            kernels[name] = found

            def taken(way: str, seconds: list[float], name: str = name, found: Any = found) -> None:
                found.setdefault(way, []).append(seconds)
                print(name, way, seconds, flush=True)

            bench.measure(name, arguments.rounds, taken)
            ways = dict.fromkeys(way for one in kernels.values() for way in one)
            medians = {
                way: [
                    round(
                        statistics.median(pair[i] for one in kernels.values() for pair in one[way]),
                        2,
                    )
                    for i in (0, 1)
                ]
                for way in ways
                if all(way in one for one in kernels.values())
            }
            save(
                "build_kernels_parts",
                {
                    "rounds": arguments.rounds,
                    "unit": "[processor seconds of all compilers, wall seconds]",
                    "medians": medians,
                    "kernels": kernels,
                },
                taken_on,
            )


if __name__ == "__main__":
    main()
