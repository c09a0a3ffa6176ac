import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cli.conftest import Run, write_files
from tests.executors.project._projects import FAST, FILES

from maxcode.system import find_tool

GENERATOR = f"""\
from maxcode import Generator, Proposal

FAST = {FAST!r}


class Summing(Generator):
    trusted = True

    def propose(self, observation, n):
        baseline = observation.task.baseline
        texts = {{"by the formula": FAST, "wrong": FAST.replace("/ 2", "/ 3")}}
        programs = {{name: baseline.with_file("src/sum.c", text) for name, text in texts.items()}}
        return [Proposal(program, name) for name, program in programs.items()][:n]
"""


@pytest.fixture
def project(folder: Path) -> Path:
    """A project in C, without anything of maxcode's."""
    (folder / "summing.py").write_text(GENERATOR)
    return write_files(folder / "sum", {p: text for p, text in FILES.items() if p != "task.toml"})


@pytest.mark.slow
def test_from_a_folder_to_a_verified_patch(project: Path, inside: Run, folder: Path) -> None:
    commands = ("--command", "./sum 20000000", "--command", "./sum 15000000")
    made = inside("init sum", *commands, "--editable", "src/**", "--timeout", "30", code=0)
    assert "2 tests passed" in made.stdout
    assert "may be changed: 2 files, and the compiler's flags" in made.stdout
    assert 'build = "make -j{jobs}"' in (project / "task.toml").read_text()

    search = ("--generator", "summing:Summing", "--policy", "best-of-n", "--minimise", "0")
    found = inside("optimize sum", *search, "--budget", "evaluations=2", "--json", code=0)
    document = json.loads(found.stdout)
    patch = folder / "sum.maxcode.patch"
    assert document["best"]["program_path"] == str(patch)

    copy = folder / "copy"
    shutil.copytree(project, copy)
    git = find_tool("git")
    subprocess.run([git, "apply", str(patch)], cwd=copy, check=True)
    assert (copy / "src" / "sum.c").read_text() == FAST
    assert inside("show").stdout.startswith(f"\nbest program\n{patch.read_text()}")
    assert inside("show --patch").stdout == patch.read_text()

    differing = [git, "diff", "--no-index", "--color=always", "--no-prefix", "sum", "copy"]
    coloured = subprocess.run(differing, cwd=folder, check=False, capture_output=True, text=True)
    (folder / "coloured.diff").write_text(coloured.stdout)
    judged = json.loads(inside("judge sum", str(patch), "coloured.diff", "--json").stdout)
    assert [one["verdicts"]["default"] for one in judged["programs"]] == ["faster", "faster"]
    shutil.copy(patch, project)  # a patch of ours is no file of the project's
    for source in (["sum/sum.maxcode.patch", "--task", "sum"], ["last"]):
        again = inside("verify", *source, "--json", code=0)
        verdict = json.loads(again.stdout)
        assert verdict["status"] == "ok"
        assert verdict["speedup"]["low"] > 1
    inside("resume last", code=0)
    inside("report last --out report.html", code=0)
    page = (folder / "report.html").read_text()
    assert re.search(r"<td>./sum 15000000</td>.*<td[^>]*>[\d.,]+x</td>", page)


@pytest.mark.slow
def test_a_project_that_cannot_be_judged_stays_as_it_was(project: Path, inside: Run) -> None:
    for arguments, problem in {
        (): "no benchmark was found in sum; add a target 'bench', or",
        ("--command", "./nothing"): "the project as it is fails",
        ("--command", "./sum 9", "--editable", "x/**"): "no text file matches",
        ("--command", "./sum 9", "--out", "x"): "--out goes with a program",
        ("--command", "date +%N; sleep 0.01"): "the original no longer prints what it printed",
        ("--command", "./sum 9 > /tmp/all", "--test", ""): "it writes /tmp/all, which",
        ("--command", "./sum 9 > all"): "name the file by outputs",
        ("--command", "./sum 9", "--test", "ctset"): "the command ctset was not found",
        ("--command", "./sum 9", "--test", "sh -c 'nosuch 1'"): "the command nosuch was not found",
        ("--command", "./sum 9", "--build", "meson x"): "the command meson was not found",
        ("--command", "python -m nosuch_module"): "has no module nosuch_module",
    }.items():
        inside("init sum", *arguments, code=2, says=problem)
        assert not (project / "task.toml").exists()


@pytest.mark.slow
def test_a_benchmark_is_chosen_by_trying(inside: Run, folder: Path) -> None:
    files = {
        "p/__init__.py": "def total(n):\n    return sum(i * i for i in range(n))\n",
        "bench_import.py": "import p\nprint('nothing')\n",
        "bench_times.py": "from time import perf_counter\nfrom p import total\n"
        "began = perf_counter()\ntotal(300_000)\n"
        "print(f'squares: {1000 * (perf_counter() - began):.3f} ms')\n",
        "tests/test_p.py": "from p import total\n\ndef test_total():\n    assert total(3) == 5\n\n"
        "def test_broken():\n    assert total(3) == 6\n",
        "pyproject.toml": "",
    }
    write_files(folder / "p", files)
    made = inside("init p", code=0, says="not bench_import.py")
    written = (folder / "p" / "task.toml").read_text()
    assert 'bench = "python bench_times.py"\n\n[bench]\nformat = "times"' in written
    said = " ".join(made.stdout.split())
    assert "the time is spent in: p/__init__.py" in said
    assert "1 test passed" in said
    assert "tests that fail in the project as it is do not count" in said
    inside("init p", says="maxcode doctor p")
    checked = inside("doctor p", code=0)
    assert "the time is spent in: p/__init__.py" in " ".join(checked.stdout.split())


@pytest.mark.slow
def test_a_benchmark_of_something_else_is_noticed(inside: Run, folder: Path) -> None:
    files = {
        "own/__init__.py": "N = 50_000\n",
        "run.py": "import json\nprint(sum(range(50_000)))\n",
    }
    write_files(folder / "p", files)
    made = inside("init p --command", "python run.py", "--test", "", code=0)
    assert "it measures something else" in made.stderr

    (folder / "p" / "task.toml").unlink()
    (folder / "p" / "run.py").write_text("from own import N\nprint(sum(range(N)))\n")
    made = inside("init p --command", "python run.py", "--test", "", code=0)
    assert "something else" not in made.stderr


@pytest.mark.skipif(bool(find_spec("asv")), reason="asv is installed")
def test_a_tool_that_python_does_not_have_is_named(inside: Run, folder: Path) -> None:
    write_files(folder / "p", {"own/__init__.py": "", "asv.conf.json": '{"repo": "."}'})
    done = inside("init p", code=2, says=f"{sys.executable} -m pip install asv")
    assert done.stderr.count("-m pip install asv") == 1  # the only kind is not refused twice
    assert not (folder / "p" / "task.toml").exists()


@pytest.mark.slow
def test_without_a_model_a_project_gets_what_suits_its_language(project: Path, inside: Run) -> None:
    toml = FILES["task.toml"]
    (project / "task.toml").write_text(toml)
    assert "nothing proposes changes to c" in inside("optimize sum").stderr
    (project / "task.toml").write_text(toml.replace("\n[limits]", 'flags = ""\n\n[limits]'))
    done = inside("optimize sum --budget evaluations=1 --fuzz 0 --json", code=(0, 1))
    assert json.loads(done.stdout)["evaluations"] == 1
