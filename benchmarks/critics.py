"""What a critic is worth on simulated tasks: none, empty words, wrong advice, and right advice.

The same search with each critic, on the same tasks with the same seeds, as benchmarks/
default_policy.py makes them; ratios are to the search without a critic, paired by task, with 95 %
intervals by Student's t on logarithms over tasks; p-values are corrected by Holm's method at a
budget. A placebo that differs from no critic would be a fault of the generator or of this table.

"model, ..." are language models as critics: the shipped client and prompts, and behind a provider
on loopback a model that answers what the critic of that name would say. They cost tokens.

Usage: python benchmarks/critics.py [--seeds 24] [--jobs 2] [--policy maxcode] [--save NAME]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context

import numpy as np
from common import ROOT, machine, save
from default_policy import BUDGETS, KINDS, Form, Row, ratio, searched

sys.path.insert(0, str(ROOT))
from tests.provider import LoopbackProvider, Request

from maxcode import Observation, Step
from maxcode.cli.plugins import make_critic
from maxcode.critics.llm import LLMCritic
from maxcode.evaluation import Critique
from maxcode.interfaces import Critic
from maxcode.landscape import Landscape
from maxcode.measure.statistics import holm
from maxcode.models.openai import OpenAIModel

CRITICS = (
    "none",
    "placebo",
    "landscape-adversary:accuracy=1",
    "landscape:accuracy=0",
    "landscape:accuracy=0.4",
    "landscape:accuracy=0.8",
    "landscape:accuracy=1",
    "model, placebo",
    "model, landscape-adversary:accuracy=1",
    "model, landscape:accuracy=0.8",
)
MODEL = "model, "


class Behind(LLMCritic):
    """A model whose provider answers what another critic says of the step that is asked about."""

    def __init__(self, critic: Critic, stack: ExitStack) -> None:
        self.critic, self.tokens, self.said = critic, 0, Critique("")
        provider = stack.enter_context(LoopbackProvider(self._answer))
        model = OpenAIModel("a-model", base_url=provider.openai_url, price=None)
        super().__init__(stack.enter_context(model))

    def critique(self, observation: Observation, step: Step) -> Critique:
        self.said = self.critic.critique(observation, step)
        found = super().critique(observation, step)
        self.tokens += found.cost.tokens
        return found

    def _answer(self, request: Request) -> str:
        diagnosis = {
            "bottleneck": self.said.bottleneck or "algorithm",
            "diagnosis": self.said.text,
            "suggestions": self.said.suggestions,
        }
        return json.dumps(diagnosis)


def critic_called(name: str, stack: ExitStack) -> Critic | None:
    found = make_critic(name.removeprefix(MODEL))
    return Behind(found, stack) if found and name.startswith(MODEL) else found


def runs(job: tuple[str, int], policy: str, evaluations: int) -> list[Row]:
    """A task with each critic."""
    kind, seed = job
    task, rows = Landscape.on(KINDS[kind](seed)), []
    for name in CRITICS:
        with ExitStack() as stack:
            critic = critic_called(name, stack)
            _, growth = searched(task, Form(policy), critic, seed, evaluations)
        best = {b: max(v for spent, v in growth if spent <= b) for b in BUDGETS if b <= evaluations}
        speedups = {str(budget): round(value, 4) for budget, value in best.items()}
        row = {"kind": kind, "seed": seed, "critic": name, "speedups": speedups}
        rows.append({**row, "tokens": getattr(critic, "tokens", 0)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--evaluations", type=int, default=64)
    parser.add_argument("--kinds", default="usual,rugged,convolution")
    parser.add_argument("--policy", default="maxcode")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", metavar="NAME", default="critics")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    budgets = [budget for budget in BUDGETS if budget <= arguments.evaluations]
    taken_on, started = machine(), time.perf_counter()
    jobs = [(kind, seed) for kind in kinds for seed in range(arguments.seeds)]
    work = partial(runs, policy=arguments.policy, evaluations=arguments.evaluations)
    with get_context("spawn").Pool(arguments.jobs) as pool:
        rows = [row for found in pool.imap(work, jobs) for row in found]
    table = []
    for kind in [*kinds, "all"]:
        for budget in budgets:
            logs = {
                name: np.log(
                    [
                        row["speedups"][str(budget)]
                        for row in rows
                        if row["critic"] == name and kind in (row["kind"], "all")
                    ]
                )
                for name in CRITICS
            }
            found = [ratio(logs[name] - logs["none"]) for name in CRITICS]
            corrected = [1.0, *holm([p for _, p in found[1:]])]
            for name, (over, _), q in zip(CRITICS, found, corrected, strict=True):
                mean = ratio(logs[name])[0]
                tokens = np.mean(
                    [
                        row["tokens"]
                        for row in rows
                        if row["critic"] == name and kind in (row["kind"], "all")
                    ]
                )
                table.append(
                    {
                        "kind": kind,
                        "budget": budget,
                        "critic": name,
                        "geometric_mean": mean,
                        "over_none": over,
                        "corrected": round(q, 4),
                        "tokens_a_run": round(float(tokens)),
                    }
                )
                figure = f"{over['value']:.3f} [{over['low']:.3f}, {over['high']:.3f}]"
                print(f"{kind:14}{budget:>5}  {name:32}{figure}  p = {q:.2g}")
    record = {
        "seeds": arguments.seeds,
        "policy": arguments.policy,
        "evaluations": arguments.evaluations,
        "command": "python benchmarks/critics.py "
        f"--seeds {arguments.seeds} --policy {arguments.policy} --save {arguments.save}",
        "table": table,
        "runs": rows,
        "seconds": round(time.perf_counter() - started),
    }
    save(arguments.save, record, taken_on)


if __name__ == "__main__":
    main()
