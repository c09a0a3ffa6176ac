"""What a strong model makes of ten tasks of examples/: score, confirmed, tokens and minutes.

Six programs in C++, a kernel, and projects in Python and C, each with as many evaluations. Figures
are written after each task, and a task that is there is not done again with the same settings;
answers of a run that was cut off are in the store, and are not paid for again. The table is
printed as documentation quotes it.

``--replay FOLDER`` answers from recordings in place of a model: a folder for each task with
``relay/NNN.prompt.md`` and ``relay/NNN.answer.md`` (``NNN.answer.2.md``: the second choice of one
request). Answers come in their order for each role, over again when all were given. Only tasks
with recordings are done.

Usage: python benchmarks/strong_model.py --generator anthropic:MODEL [--critic profile]
           [--evaluations 12] [--only NAME ...] [--out FILE] [--store FILE]
       python benchmarks/strong_model.py --replay ../shared/runs --evaluations 4 --out /tmp/it.json
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from threading import Lock
from typing import Any

from common import RESULTS, ROOT, machine

from maxcode import Budget, MaxCodeLoop, Options, optimize
from maxcode.cli.plugins import make_critic, make_executor, make_generator
from maxcode.critics.llm import LLMCritic
from maxcode.generators.llm import ModelGenerator
from maxcode.interfaces import Critic, Generator
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.search.result import Result
from maxcode.tasks import load_task
from maxcode.testing import ScriptedModel

EXAMPLES = ROOT / "examples"
TASKS = (
    *("cpp/edit_distance", "cpp/report_building", "cpp/nearest_pairs", "cpp/grid_search"),
    *("cpp/partitions", "cpp/word_count", "kernels/layer_norm"),
    *("projects/spelling", "projects/anagrams", "projects/wordfreq"),
)
COLUMNS = ("task", "score", "confirmed", "interval", "evaluations", "tokens", "cost", "minutes")

Plugins = tuple[Generator, Critic | None]


def role(prompt: str) -> str:
    """Who asks: the generator, a generator that has asked for files, or the critic."""
    if "# What you asked for" in prompt:
        return "further"
    return "critic" if "# The diagnosis" in prompt else "generator"


def recorded(folder: Path) -> Callable[[Prompt, int], str]:
    """A model's answers from a folder of recordings."""
    answers: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.prompt.md")):
        number, asks = path.name.partition(".")[0], role(path.read_text())
        answers[asks] += [one.read_text() for one in _choices(folder, number)]
    coming = {asks: cycle(texts) for asks, texts in answers.items()}
    lock = Lock()

    def answer(prompt: Prompt, _: int) -> str:
        with lock:
            return next(coming.get(role(prompt.text), iter([""])), "")

    return answer


def _choices(folder: Path, number: str) -> list[Path]:
    """Answers to one request: NNN.answer.md, NNN.answer.2.md and so on."""
    first = folder / f"{number}.answer.md"
    return [first, *sorted(folder.glob(f"{number}.answer.*.md"))] if first.exists() else []


def plugins(given: argparse.Namespace, name: str) -> Plugins:
    """Generator and critic of a task."""
    if given.replay is None:
        return make_generator(given.generator), make_critic(given.critic or given.generator)
    script = recorded(given.replay / Path(name).name / "relay")
    model = ScriptedModel(script, price=Price.parse("0/0"), max_tokens=16_384, name="replayed")
    critic = LLMCritic(model) if given.critic is None else make_critic(given.critic)
    return ModelGenerator(model), critic


def search(name: str, given: argparse.Namespace) -> dict[str, Any]:
    """One task, and what came of it."""
    task, began = load_task(EXAMPLES / name), time.monotonic()
    generator, critic = plugins(given, name)
    with make_executor(task, BubblewrapSandbox()) as executor:
        result = optimize(
            task,
            generator=generator,
            critic=critic,
            executor=executor,
            policy=MaxCodeLoop(),
            budget=Budget(evaluations=given.evaluations),
            options=Options(seed=given.seed),
            journal=str(given.store) if given.store else None,
        )
    return {"task": name, **figures(result), "minutes": (time.monotonic() - began) / 60}


def figures(result: Result) -> dict[str, Any]:
    """Speedups and cost of a run; no faster program is 1.0."""
    best, speedup = result.best, result.speedup
    return {
        "score": best.reward if result.improved else 1.0,
        "confirmed": speedup.value if result.improved and result.confirmed else 1.0,
        "interval": [speedup.low, speedup.high] if result.improved else [1.0, 1.0],
        "evaluations": result.spent.evaluations - result.reducing,
        "reducing": result.reducing,
        "tokens": result.spent.tokens,
        "cost": result.spent.dollars,
        "outcomes": {str(status): count for status, count in result.by_status.items()},
        "summary": best.summary,
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows in Markdown."""
    lines = [" | ".join(COLUMNS), " | ".join("---" for _ in COLUMNS)]
    for row in rows:
        low, high = row["interval"]
        cells = [row["task"], f"{row['score']:.2f}x", f"{row['confirmed']:.2f}x"]
        cells += [f"{low:.2f} to {high:.2f}", str(row["evaluations"]), f"{row['tokens']:,}"]
        lines.append(" | ".join([*cells, f"${row['cost']:.2f}", f"{row['minutes']:.1f}"]))
    return "\n".join(f"| {line} |" for line in lines)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--generator", help="as of maxcode optimize")
    who.add_argument("--replay", type=Path, metavar="FOLDER", help="recordings, one folder a task")
    parser.add_argument("--critic", help="as of maxcode optimize; else the generator's model")
    parser.add_argument("--evaluations", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="tasks, such as layer_norm")
    parser.add_argument("--out", type=Path, default=RESULTS / "strong_model.json")
    parser.add_argument("--store", type=Path, help="journal; beside --out if not given")
    given = parser.parse_args()
    if given.replay and given.out == RESULTS / "strong_model.json":
        parser.error("figures of a replay are no results: give --out FILE")
    given.store = given.store or given.out.with_suffix(".db")
    return given


def main() -> None:
    """Run the tasks that are not there yet."""
    given = options()
    names = [one for one in TASKS if not given.only or Path(one).name in given.only]
    if given.replay:
        names = [one for one in names if (given.replay / Path(one).name / "relay").is_dir()]
    if not names:
        raise SystemExit(f"nothing to do; tasks are {', '.join(Path(one).name for one in TASKS)}")
    asked = given.generator or f"replay of {given.replay}"
    settings = {"generator": asked, "critic": given.critic, "seed": given.seed}
    settings["evaluations"] = given.evaluations
    known = json.loads(given.out.read_text()) if given.out.exists() else {}
    if known and known["settings"] != settings:
        raise SystemExit(f"{given.out} has figures of {known['settings']}: give another --out")
    record = known or {"settings": settings, "machine": machine(), "tasks": []}
    for name in names:
        if name in [row["task"] for row in record["tasks"]]:
            continue
        print(f"{name} ...", flush=True)
        record["tasks"].append(search(name, given))
        record["taken"] = time.strftime("%Y-%m-%d")
        given.out.write_text(json.dumps(record, indent=2) + "\n")
    print(table(record["tasks"]))


if __name__ == "__main__":
    main()
