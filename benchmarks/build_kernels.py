"""Seconds to build each operator: torch's own load_inline, and as maxcode builds it; side by side.

Every operator is built with compiled headers that are there already ("warm"), with a new text at
each round: once with a function of a type that was never bound before ("first"), once with nothing
but another body ("body"), as a search does all day. All take turns in random order. Then a source
that was built before is asked for as a later run would, with everything but the cache on disk made
anew, and one with a mistake in it is built ("broken").

Usage: python benchmarks/build_kernels.py [--rounds 3] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from common import machine, save

from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.toolchain import extension_inspect
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import InlineSources

ADD = """
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty_like(a);
  const float *x = a.data_ptr<float>(), *y = b.data_ptr<float>();
  float* z = out.data_ptr<float>();
  for (int64_t i = 0; i < a.numel(); i++) z[i] = x[i] + y[i];
  return out;
}
"""
SOFTMAX = """
#include <cmath>
torch::Tensor run(torch::Tensor input) {
  TORCH_CHECK(input.dim() == 2, "a matrix is needed");
  auto x = input.contiguous();
  auto out = torch::empty_like(x);
  const int64_t columns = x.size(1);
  at::parallel_for(0, x.size(0), 16, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row++) {
      const float* from = x.data_ptr<float>() + row * columns;
      float* to = out.data_ptr<float>() + row * columns;
      float most = from[0], sum = 0;
      for (int64_t i = 1; i < columns; i++) most = std::max(most, from[i]);
      for (int64_t i = 0; i < columns; i++) sum += to[i] = std::exp(from[i] - most);
      for (int64_t i = 0; i < columns; i++) to[i] /= sum;
    }
  });
  return out;
}
"""
EPILOGUE = """
torch::Tensor run(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double slope) {
  auto out = at::addmm(bias, x, weight.t());
  float* value = out.data_ptr<float>();
  for (int64_t i = 0; i < out.numel(); i++) if (value[i] < 0) value[i] *= float(slope);
  return out;
}
"""
OPERATORS: dict[str, tuple[str, list[str]]] = {
    "add": (ADD, []),
    "softmax": (SOFTMAX, ["-O3"]),
    "matmul_epilogue": (EPILOGUE, ["-O3"]),
}
OWN = """
import json, sys, time
from torch.utils.cpp_extension import load_inline
arguments = json.load(sys.stdin)
started = time.perf_counter()
load_inline(**arguments)
print(time.perf_counter() - started)
"""
INSPECT = "import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])['torch_facts']()))"


def python(code: str, *arguments: str, given: str = "") -> Any:
    """What a process of its own prints last, as JSON."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


class Bench:
    """One operator after the other, built both ways."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.facts = TorchFacts.parse(python(INSPECT, str(extension_inspect.__file__)))
        self.sandbox = BubblewrapSandbox()
        self.runs = 0
        self.builder = self.later()

    def later(self) -> ExtensionBuilder:
        """As in a run of its own, with the cache of all runs."""
        self.runs += 1
        cache = BuildCache(self.scratch / "cache")
        return ExtensionBuilder(self.sandbox, self.scratch / f"run{self.runs}", cache, self.facts)

    def own(self, arguments: dict[str, Any]) -> float:
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            given = json.dumps({**arguments, "build_directory": folder})
            return float(python(OWN, given=given))

    def ours(
        self,
        arguments: dict[str, Any],
        builder: ExtensionBuilder | None = None,
        *,
        fails: bool = False,
    ) -> float:
        started = time.perf_counter()
        built = (builder or self.later()).build(InlineSources.parse(arguments), 600)
        seconds = time.perf_counter() - started
        assert bool(built.errors) is fails, built.errors
        return seconds

    def measure(self, name: str, rounds: int, rng: Random) -> dict[str, Any]:
        text, flags = OPERATORS[name]
        arguments = {"name": name, "functions": ["run"], "extra_cflags": flags}
        header = self.ours({**arguments, "cpp_sources": text}, self.builder)
        taken: dict[str, list[float]] = {"torch": [], "first": [], "body": [], "broken": []}
        for number in range(rounds):
            sources = {
                "torch": f"{text}// {number} by torch\n",
                "first": text.replace("run(", f"run({'double u, ' * number}int64_t v, "),
                "body": f"{text}// {number}\n",
                "broken": f"{text.replace('return out;', 'return out')}// {number}\n",
            }
            for way in rng.sample([*sources], len(sources)):
                new = {**arguments, "cpp_sources": sources[way]}
                fails = way == "broken"
                taken[way].append(
                    self.own(new) if way == "torch" else self.ours(new, self.builder, fails=fails)
                )
        repeated = [self.ours({**arguments, "cpp_sources": text}) for _ in range(5)]
        torch = statistics.median(taken["torch"])
        return {
            "flags": flags,
            **{f"{way}_seconds": [round(one, 2) for one in found] for way, found in taken.items()},
            "first_times_faster": round(torch / statistics.median(taken["first"]), 2),
            "body_times_faster": round(torch / statistics.median(taken["body"]), 2),
            "first_build_with_headers_if_new_seconds": round(header, 2),
            "again_in_a_later_run_ms": [round(1000 * seconds, 1) for seconds in repeated],
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    taken_on = machine()
    rng = Random(2026)
    operators: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="maxcode-") as scratch:
        bench = Bench(Path(scratch))
        for name in arguments.names or OPERATORS:
            operators[name] = bench.measure(name, arguments.rounds, rng)
            print(name, operators[name], flush=True)
        taken_on["torch"] = bench.facts.version
    if not arguments.names:
        save("build_kernels", {"rounds": arguments.rounds, "operators": operators}, taken_on)


if __name__ == "__main__":
    main()
