from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.executors.project._projects import written

from maxcode.errors import GeneratorError
from maxcode.evaluation import HotLine, Profile
from maxcode.generators.rewrite import RewriteGenerator, Workshop
from maxcode.generators.rewrites import CppSource, catalogue
from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import replace as replace_node
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation, Observe
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import GeneratorContract, sample_observations, sample_task
from maxcode.tree import Trajectory

EXAMPLES = Path(__file__).parents[2] / "examples" / "cpp"

Observed = Callable[..., Observation]


@pytest.mark.slow
class TestRewriteGenerator(GeneratorContract):
    never_repeats = True

    def make(self) -> Generator:
        return RewriteGenerator()


def cpp(code: str | Program, editable: tuple[str, ...] = ()) -> Task:
    program = Program.of(code) if isinstance(code, str) else code
    return Task("some", "Some program.", program, editable, language="c++")


def propose(observation: Observation, n: int = 8) -> list[Proposal]:
    return RewriteGenerator().propose(observation, n)


def programs(proposals: list[Proposal]) -> list[Program]:
    return [proposal.program for proposal in proposals if proposal.program]


def applied(task: Task, tags: tuple[str, ...]) -> Program:
    program, done = Workshop(catalogue(), task.baseline.files).apply(task.baseline, tags)
    assert done == tags
    return program


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/main.cpp")), ids=lambda p: p.parent.name)
def test_tags_tell_how_to_make_the_program_again(path: Path, observed: Observed) -> None:
    task = cpp(path.read_text())
    proposals = propose(observed(task), 4)
    assert len(set(programs(proposals))) == 4
    for proposal in proposals:
        assert proposal.program == applied(task, proposal.tags)


@pytest.mark.parametrize(
    "code",
    ["int main() {}\n", "", " \n", "int main( { for (;; cout << endl", "\ufeff// nothing\n"],
    ids=["trivial", "empty", "blank", "broken", "comment"],
)
@pytest.mark.parametrize("switches", [Observe(), Observe.nothing()], ids=str)
def test_runs_dry_where_few_rewrites_apply(
    code: str, switches: Observe, observed: Observed
) -> None:
    observation = observed(cpp(code), switches=switches)
    few = programs(propose(observation, 500))
    assert len(few) < 100
    assert len(set(few)) == len(few)
    assert observation.step.program not in few
    assert propose(replace(observation, seen=frozenset(few), seed=1), 1) == []


def test_only_files_that_may_be_edited_change(observed: Observed) -> None:
    header = (
        "#pragma once\n#include <map>\nstd::map<int, int> seen;\n"
        "inline int squares(int n) {\n    int sum = 0;\n    while (n) sum += n * n--;\n"
        "    return sum;\n}\n"
    )
    program = Program(
        {"main.cpp": '#include "seen.hpp"\n' + sample_task().baseline.code, "seen.hpp": header},
        "main.cpp",
    )
    for editable in (("main.cpp",), ("seen.hpp",), ("main.cpp", "seen.hpp")):
        task = cpp(program, editable)
        found = programs(propose(observed(task), 20))
        assert {path for made in found for path in program.changed(made)} == set(editable)
        assert not any(task.forbidden_changes(made) for made in found)


@pytest.mark.parametrize(
    ("language", "executor", "kind"),
    [
        ("rust", "program", "program"),
        ("", "", "program"),
        ("python", "kernel", "kernel"),
        ("python", "project", "project"),
    ],
)
def test_other_tasks_are_refused(
    language: str, executor: str, kind: str, observed: Observed
) -> None:
    class Other(Task):
        pass

    Other.executor = executor
    task = Other("sample", "", sample_task().baseline, language=language)
    said = rf"C\+\+, C and Python, .* 'sample' is a {kind} in .*choose a model \(--generator\)"
    with pytest.raises(GeneratorError, match=said):
        propose(observed(task))


@rewrite("Counts up.", weight=4.0)
def up(source: CppSource) -> Iterator[Site]:
    yield from ([replace_node(one, "2")] for one in source.walk("number_literal"))


def test_a_rewrite_changes_all_files_together() -> None:
    files = {"main.cpp": "int x = 1;\n", "part.hpp": "int y = 1;\n", "data.txt": "1\n"}
    program = Program(files, "main.cpp")
    workshop = Workshop([up], files)
    assert list(workshop.applicable(program)) == ["up"]
    assert program.changed(workshop.apply(program, ["up"])[0]) == ["main.cpp", "part.hpp"]


def test_a_program_in_c_has_rewrites(observed: Observed) -> None:
    code = '#include <stdio.h>\nint main(void) { for (int i = 0; i < 9; i++) puts("a"); }\n'
    program = Program({"main.c": code, "cold.h": "int f(void);\n"}, "main.c")
    task = Task("some", "Some program.", program, language="c")
    proposals = RewriteGenerator(guesses=True).propose(observed(task), 20)
    names = {tag for proposal in proposals for tag in proposal.tags}
    assert names == {"unroll-pragma", "fast-math-pragma", "target-pragma"}


def test_a_script_in_python_has_rewrites(observed: Observed) -> None:
    code = "queue = [int(input())]\nwhile queue:\n    print(queue.pop(0))\n"
    task = Task("some", "Some script.", Program({"main.py": code}, "main.py"), language="python")
    tags = [proposal.tags for proposal in propose(observed(task), 20)]
    assert set(tags[0]) == {"list-to-deque", "read-lines", "loops-in-main"}


@pytest.mark.slow
def test_guesses_are_applied_on_request_only_and_named(observed: Observed) -> None:
    observation = observed(sample_task())
    guesses = {one.name for one in catalogue(guesses=True) if one.guess}
    assert not guesses & {one.name for one in catalogue()}
    assert not any(guesses & set(proposal.tags) for proposal in propose(observation, 20))
    for proposal in RewriteGenerator(guesses=True).propose(observation, 20):
        applied = ", ".join(tag for tag in proposal.tags if tag in guesses)
        assert proposal.summary.endswith(
            f"; changes meaning in rare cases: {applied}" if applied else "; preserves meaning"
        )


def test_of_a_project_only_the_files_that_take_time_are_rewritten(tmp_path: Path) -> None:
    slow = (
        "#include <iostream>\n"
        "void show(int n) { for (int i = 0; i < n; i++) std::cout << i << std::endl; }\n"
    )
    files = {
        "task.toml": 'kind = "project"\nname = "p"\neditable = ["*.cpp"]\n'
        '[commands]\nbench = "a"\n',
        "hot.cpp": slow,
        "cold.cpp": slow.replace("show", "list"),
    }
    task = written(tmp_path, files)
    [observation, *_] = sample_observations(task)
    changed = {path for one in _proposed(observation) for path in task.baseline.changed(one)}
    assert changed == {"hot.cpp", "cold.cpp"}
    profile = Profile("", (HotLine("hot.cpp", 2, 0.9, ""),))
    root = replace(observation.step, profile=profile)
    observation = replace(observation, step=root, trajectory=Trajectory((root,)))
    changed = {path for one in _proposed(observation) for path in task.baseline.changed(one)}
    assert changed == {"hot.cpp"}


def _proposed(observation: Observation) -> list[Program]:
    found = RewriteGenerator(guesses=True).propose(observation, 4)
    return [one.program for one in found if one.program is not None]
