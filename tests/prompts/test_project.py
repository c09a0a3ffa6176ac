"""What models see of a project, and what they ask for."""

from dataclasses import replace

import pytest
from tests.executors.project._projects import FAST, FILES, SUM, written
from tests.prompts._observations import observed, right, step

from maxcode.evaluation import HotLine, Interval, Measurement, Profile, TimedTest
from maxcode.generators.llm import ModelGenerator
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.observation import Observation
from maxcode.prompts.draft import tokens
from maxcode.prompts.project import Need, needed, project_view
from maxcode.prompts.prompts import REPAIR, Prompts
from maxcode.tasks.project import ProjectTask
from maxcode.testing import MemoryTranscript, ScriptedModel
from maxcode.tree import Trajectory

COLD = "".join(f"int cold_{n}(void)\n{{\n    return {n};\n}}\n\n" for n in range(400))
HOT = "int hot(int n)\n{\n    return n * 7;\n}\n"
LARGE = COLD + HOT
EDIT = f"""\
Summary: the formula.

src/sum.c
<<<<<<< SEARCH
{SUM.partition("{")[2].strip()}
=======
    return n * (n + 1) / 2;
}}
>>>>>>> REPLACE
""".replace("volatile", "volatile")


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> ProjectTask:
    many = {f"src/parts/part_{n}.c": f"int part_{n};\n" for n in range(300)}
    return written(
        tmp_path_factory.mktemp("project"),
        {**FILES, **many, "src/large.c": LARGE, "logo.png": "\0"},
    )


def seen(task: ProjectTask, profile: Profile | None = None) -> Observation:
    root = replace(step(0, "", right(1.0), None), program=task.baseline, profile=profile)
    shown = observed([root])
    return replace(
        shown,
        task=task,
        step=root,
        best=root,
        trajectory=Trajectory((root,)),
        transcript=MemoryTranscript(),
    )


def hot_in(path: str, line: int, function: str) -> Profile:
    return Profile("profile", (HotLine(path, line, 0.7, "", (), function),))


def test_a_map_says_what_may_be_changed_and_what_is_hot(task: ProjectTask) -> None:
    profile = hot_in("src/sum.c", 7, "sum")
    view = project_view(task, profile, 30_000)
    assert [one.path for one in view.texts[:1]] == ["src/sum.c"]
    assert any(row.startswith("src/sum.c (") and "sum 70 %" in row for row in view.editable)
    assert any(row == "src/parts/ (300 files)" for row in view.editable)
    assert {row.partition(" ")[0] for row in view.fixed} >= {"main.c", "Makefile", "tests/run.sh"}
    assert view.patterns == ("src/**",)


def test_a_file_that_is_too_large_is_shown_around_its_hot_functions(task: ProjectTask) -> None:
    last = LARGE.count("\n") - 1
    [first, *_] = project_view(task, hot_in("src/large.c", last, "hot"), 40_000).texts
    assert first.path == "src/large.c"
    assert HOT in first.text
    assert "cold_0(" in first.text
    assert "cold_200(" not in first.text
    assert "... lines 21 to " in first.text
    assert first.part
    cold = [one.path for one in project_view(task, None, 40_000).texts]
    assert "src/large.c" not in cold


@pytest.mark.slow
@pytest.mark.parametrize("context", [4000, 48_000])
def test_prompts_keep_to_their_size_and_show_no_file_twice(task: ProjectTask, context: int) -> None:
    prompts = Prompts(context=context)
    first = prompts.generator(seen(task))
    assert tokens(first) <= context
    assert first.text.count("unsigned long total = 0") <= 1
    profile = hot_in("src/large.c", 7, "cold_1")
    grown = prompts.generator(seen(task, profile)).size - first.size
    assert grown <= prompts.growth(seen(task)) + 200
    assert "NEED: src/" in first.system
    assert "`./sum 40000000`" in first.user


def improving(task: ProjectTask, path: str = "src/sum.c", text: str = FAST) -> Observation:
    """The first attempt, which changes one file, is the best and is to be improved."""
    observation = seen(task)
    verdict = replace(
        right(2.0),
        measurements=(Measurement("cpu", "s", (0.04, 0.04)),),
        reference=(Measurement("cpu", "s", (0.08, 0.08)),),
        by_test=(
            TimedTest("learn", 0.01, 0.05, "s", Interval(5, 4, 6)),
            TimedTest("suggest", 0.03, 0.03, "s", Interval(1, 1, 1)),
        ),
    )
    changed = task.baseline.with_file(path, text)
    tried = replace(step(1, "", verdict, 0), program=changed, summary="By the formula.")
    path_to_it = Trajectory((observation.step, tried))
    return replace(observation, step=tried, best=tried, trajectory=path_to_it)


def test_files_that_were_asked_for_stay(task: ProjectTask) -> None:
    before = replace(step(2, "", right(1.0), 0), tags=("files:1", "need:main.c", "need:src/sum.c"))
    later = replace(improving(task), history=(before,))
    prompt = Prompts().generator(later)
    assert "strtoul" in prompt.parts[-1]
    assert prompt.text.count(FAST.strip()) == 1  # its changed file is shown already
    assert "strtoul" not in Prompts().generator(improving(task)).text


def test_what_is_asked_for_is_read_however_it_is_written() -> None:
    text = (
        "I have to see\n\n- `NEED: src/a.c`\nNEED: tests/run.sh:10-20\nNEED: x.c:7\nNEED: src/a.c"
    )
    assert needed(text) == [Need("src/a.c"), Need("tests/run.sh", 10, 20), Need("x.c", 7, 7)]
    assert needed("what you NEED: nothing") == []


def _informing(task: ProjectTask, *questions: str) -> tuple[ModelGenerator, ScriptedModel]:
    def script(prompt: Prompt, _: int) -> str:
        turn = prompt.user.count("# What you asked for")
        return questions[turn] if turn < len(questions) else EDIT

    model = ScriptedModel(script, price=Price.parse("3/15"))
    return ModelGenerator(model, Prompts(context=8000)), model


@pytest.mark.slow
def test_a_model_may_ask_for_files_before_it_answers(task: ProjectTask) -> None:
    generator, model = _informing(task, "NEED: main.c\nNEED: /etc/passwd\nNEED: logo.png:1-2")
    observation = seen(task)
    ceiling = generator.cost_ceiling(observation, 1)
    [proposal] = generator.propose(observation, 1)
    assert proposal.program is not None
    assert proposal.program.changed(task.baseline) == ["src/sum.c"]
    asked = ("need:main.c", "need:/etc/passwd", "need:logo.png:1-2")
    assert proposal.tags == ("files:1", *asked)
    first, second = (prompt for prompt, _ in model.calls)
    assert second.parts[:-1] == first.parts
    assert "strtoul" in second.parts[-1]
    assert "strtoul" not in first.text
    assert "the project has no file /etc/passwd" in second.parts[-1]
    assert second.size <= first.size + REPAIR
    assert proposal.cost.dollars <= ceiling.dollars
    again = generator.propose(observation, 1)
    assert again[0].program == proposal.program
    assert len(model.calls) == 2  # all of it is in the transcript
