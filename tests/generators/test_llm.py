"""A generator that asks a model: what it is shown, what is made of its answers, what that costs."""

from __future__ import annotations

from dataclasses import replace

from maxcode.generators.llm import ModelGenerator
from maxcode.interfaces import Generator
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.prompts import Prompts
from maxcode.testing import (
    GeneratorContract,
    MemoryTranscript,
    ScriptedModel,
    sample_observations,
    sample_task,
)

_PRICE = Price.parse("3/15")


def _answer(prompt: Prompt, sample: int) -> str:
    code = sample_task().baseline.code
    return f"Summary: A comment more.\n\n```cpp\n{code}// {len(prompt.text)}, {sample}\n```\n"


class TestModelGenerator(GeneratorContract):
    pays = True

    def make(self) -> Generator:
        return ModelGenerator(ScriptedModel(_answer, price=_PRICE))


def _first() -> Observation:
    return replace(sample_observations(sample_task())[0], transcript=MemoryTranscript())


def test_a_proposal_says_all_there_is_to_know_of_its_answer() -> None:
    model = ScriptedModel(_answer, price=_PRICE)
    generator = ModelGenerator(model)
    observation = _first()
    one, two = generator.propose(observation, 2)
    assert one.program is not None
    assert one.program.code == f"{observation.task.baseline.code}// {len(one.prompt)}, 0\n"
    assert (one.summary, one.problem, one.tags) == ("A comment more.", "", ())
    assert one.prompt == two.prompt == generator.prompt(observation).text
    assert one.answer == _answer(model.calls[0][0], 0)
    assert one.call is not None
    assert (one.call.sample, one.call.model, one.call.dollars) == (0, model.name, one.cost.dollars)
    assert one.cost.tokens == one.call.tokens > 0


def test_an_answer_that_cannot_be_used_says_why() -> None:
    texts = ["I would rather not.", _answer(Prompt("", ()), 1)]
    generator = ModelGenerator(ScriptedModel(lambda _, sample: texts[sample]))
    bad, good = generator.propose(_first(), 2)
    assert bad.program is None
    assert bad.tags == ("no-program",)
    assert "no program" in bad.problem
    assert bad.answer == texts[0]
    assert good.program is not None


def test_edits_apply_to_the_best_program_too() -> None:
    task = sample_task()
    observation = sample_observations(task)[4]  # grows from a failed step, the best is shown
    assert observation.best is not None
    mark = f"// attempt {observation.best.id}"
    assert mark not in observation.step.program.code
    edit = f"<<<<<<< SEARCH\n{mark}\n=======\n// faster\n>>>>>>> REPLACE\n"
    (proposal,) = ModelGenerator(ScriptedModel(lambda *_: edit)).propose(observation, 1)
    expected = observation.best.program.code.replace(mark, "// faster")
    assert proposal.program == Program.of(expected)


def test_edits_apply_to_what_is_shown_and_not_to_what_is_too_long() -> None:
    task = sample_task()
    table = task.baseline.code + "// a long table\n" * 2000
    root, *_ = sample_observations(task)
    huge = replace(root.step, id=7, parent=0, program=task.baseline.with_code(table))
    first = task.baseline.code.splitlines()[0]
    edit = f"<<<<<<< SEARCH\n{first}\n=======\n{first} //\n>>>>>>> REPLACE\n"
    for step, context, expected in (
        (huge, 48_000, table),
        (huge, 3000, task.baseline.code),
    ):
        observation = replace(root, step=step, best=None, transcript=MemoryTranscript())
        model = ScriptedModel(lambda prompt, sample: edit, price=_PRICE)
        [proposal] = ModelGenerator(model, Prompts(context=context)).propose(observation, 1)
        assert proposal.program is not None
        assert proposal.program.code == expected.replace(first, f"{first} //", 1)


def test_a_prompt_too_long_for_the_model_is_a_proposal_that_says_so() -> None:
    class Small(ScriptedModel):
        def longest_prompt(self) -> int:
            return 150

    model = Small(_answer, price=_PRICE)
    [proposal] = ModelGenerator(model).propose(_first(), 3)
    assert proposal.tags == ("too-long",)
    assert "prompt" in proposal.problem
    assert not model.calls
