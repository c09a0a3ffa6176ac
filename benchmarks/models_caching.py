"""What a provider's prompt cache serves and saves in a search of 8 x 8, with a critic.

The provider runs on loopback and models the caching rules of both APIs. It answers as a model
would: with the program that it is shown, rewritten by one rule of the offline generator, whole. Its
prompts are the real ones; verdicts are drawn, so that searches take seconds. Costs are those of the
provider's own bill, at the prices of Claude Sonnet 5.5 for both APIs; without a cache all input
would cost the full price.

Usage: python benchmarks/models_caching.py [--seeds 3]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any

from common import ROOT, machine, save

sys.path.insert(0, str(ROOT))
from tests.provider import Charge, LoopbackProvider, Request

from maxcode.critics.llm import LLMCritic
from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.rewrites import CppSource, catalogue
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import load_prices, price_of
from maxcode.models.remote import RemoteModel
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.tasks.folder import load_task
from maxcode.testing import ScriptedExecutor

TASKS = ("word_count", "grid_search", "report_building")
EXAMPLES = Path(__file__).parent.parent / "examples/cpp"
MODEL = "claude-sonnet-5-5"
PRICE = price_of(f"anthropic:{MODEL}", load_prices())
_FENCE = re.compile(r"^(`{3,})cpp\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_DIAGNOSIS = {
    "bottleneck": "memory",
    "diagnosis": "Small allocations in the inner loop take most of the time, and the input is "
    "read a character at a time through a locked stream.",
    "evidence": "The loop over the words builds a string for every character.",
    "suggestions": [
        "Read all of the input in one piece.",
        "Append in place instead of making new strings.",
        "Use a hash table with room reserved for all keys.",
    ],
}


class Says:
    """What a model would say: a rewritten program, or a diagnosis.

    It depends on the prompt and on how many answers that had before, whatever else is asked: so a
    search is the same in every run, but for the order of answers to the same prompt.
    """

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._lock = Lock()

    def __call__(self, request: Request) -> str:
        if "JSON" in request.system:
            return f"```json\n{json.dumps(_DIAGNOSIS, indent=2)}\n```"
        prompt = "\n\n".join((request.system, *request.parts))
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        with self._lock:
            self._asked[digest] += 1
            rng = Random(f"{digest} {self._asked[digest]}")
        code = [match[2] for match in _FENCE.finditer(prompt)]
        whole = [text for text in code if "main(" in text] or code
        rewrites = catalogue()
        for rewrite in rng.sample(rewrites, len(rewrites)):
            if texts := list(rewrite.apply(CppSource(whole[-1]))):
                return f"Summary: {rewrite.summary}\n\n```cpp\n{rng.choice(texts)}```\n"
        return "Summary: nothing more to do.\n"


def verdict(program: Program, baseline: Program) -> Evaluation:
    """Drawn from the program: mostly right, at 0.5 to 4 times the baseline's speed."""
    if program == baseline:
        return Evaluation(Status.OK, Interval(1.0, 0.99, 1.01))
    rng = Random(program.digest)
    kind = rng.random()
    if kind < 0.15:
        said = "main.cpp:12:5: error: 'counts' was not declared in this scope"
        return Evaluation(Status.BUILD_ERROR, feedback=said)
    if kind < 0.25:
        said = "test 3: line 17 differs from what is expected"
        return Evaluation(Status.WRONG_ANSWER, feedback=said)
    speedup = rng.uniform(0.5, 4.0)
    return Evaluation(Status.OK, Interval(speedup, 0.98 * speedup, 1.02 * speedup))


def searched(name: str, task: str, seed: int) -> dict[str, Any]:
    """One search through one API; what its provider billed."""
    with LoopbackProvider(Says(), latency=0.05) as provider:
        model = client(name, provider)
        example = load_task(EXAMPLES / task)
        search = Search(
            example,
            generator=ModelGenerator(model),
            executor=ScriptedExecutor(lambda program: verdict(program, example.baseline)),
            critic=LLMCritic(model),
            policy=MaxCodeLoop(k=8, d=8),
            options=Options(seed=seed),
        )
        result = search.run()
        model.close()
        charges = provider.charges
    bill = billed(charges)
    counted = result.usage[model.name]
    agrees = (counted.input, counted.cached, counted.written, counted.output) == tuple(
        sum(getattr(charge, kind) for charge in charges)
        for kind in ("input", "cached", "written", "output")
    )
    return {
        "api": name,
        "task": task,
        "seed": seed,
        "steps": len(result.tree) - 1,
        "counted_as_billed": agrees,
        "dollars_counted": counted.dollars,
        **bill,
    }


def client(name: str, provider: LoopbackProvider) -> RemoteModel:
    """The real client of an API."""
    if name == "anthropic":
        return AnthropicModel(MODEL, base_url=provider.anthropic_url, price=PRICE)
    return OpenAIModel("a-model", base_url=provider.openai_url, price=PRICE)


def billed(charges: Sequence[Charge]) -> dict[str, Any]:
    """The bill, with the cache and without."""
    assert PRICE
    tokens = {
        kind: sum(getattr(charge, kind) for charge in charges)
        for kind in ("input", "cached", "written", "output")
    }
    prompts = tokens["input"] + tokens["cached"] + tokens["written"]
    paid = PRICE.dollars(**tokens)
    without = PRICE.dollars(input=prompts, output=tokens["output"])
    return {
        "requests": len(charges),
        **tokens,
        "share_from_cache": tokens["cached"] / prompts,
        "dollars": paid,
        "dollars_without_cache": without,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    taken_on = machine()
    seeds = range(parser.parse_args().seeds)
    rows = []
    for name in ("anthropic", "openai"):
        for task in TASKS:
            for seed in seeds:
                row = searched(name, task, seed)
                rows.append(row)
                print(
                    f"{name:10} {task:16} {row['steps']:3} steps {row['requests']:4} requests "
                    f"{row['share_from_cache']:.1%} of input from cache, ${row['dollars']:.2f} "
                    f"instead of ${row['dollars_without_cache']:.2f}"
                    f"{'' if row['counted_as_billed'] else '  NOT COUNTED AS BILLED'}"
                )
    save("models_caching", {"price": MODEL, "searches": rows}, taken_on)


if __name__ == "__main__":
    main()
