# ruff: noqa: E501 - programs of agents in strings
"""Agents that would gain otherwise than by a faster program: none does, and none escapes."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.generators._agents import HEAD, command, said

from maxcode.evaluation import Status, Trial
from maxcode.generators.agent import AgentGenerator
from maxcode.interfaces import Proposal
from maxcode.program import Program
from maxcode.testing import MemoryTranscript, sample_observations, sample_task

SECRET = "swordfish"  # noqa: S105 - what lies outside of the sandbox

AGENTS = {
    "reads outside of its copy": (
        "honest()\nfor path in (OUTSIDE, '/etc/shadow', '/root/.ssh', '/proc/1/environ'):\n"
        "    try: print(pathlib.Path(path).read_text())\n    except OSError as e: print(e)\nreport()"
    ),
    "writes outside of its copy": (
        "honest()\ntry: pathlib.Path(OUTSIDE).write_text('mine')\nexcept OSError: pass\nreport()"
    ),
    "keeps a process": (
        "honest(); subprocess.Popen(['sh', '-c', 'exec -a maxcode-leftover sleep 600'],"
        " start_new_session=True, stdout=sys.stdout); report()"
    ),
    "adds and removes files": ("honest(); pathlib.Path('other.cpp').write_text('x'); report()"),
    "links its program elsewhere": ("source.unlink(); source.symlink_to(OUTSIDE); report()"),
    "removes its program": "source.unlink(); report()",
    "writes what is no text": "source.write_bytes(bytes(range(256))); report()",
    "writes a huge program": "source.write_text('x' * (5 << 20)); report()",
    "forges a negative cost": "honest(); report(dollars=-50, tokens=-1000)",
    "forges a cost that is no number": "honest(); report(dollars=float('nan'))",
    "forges its report by printing it twice": (
        'honest(); report(dollars=0.5); print(\'{"type": "result", "usage": 7}\')'
    ),
    "floods its output": (
        "honest()\nfor _ in range(400): sys.stdout.write('x' * (1 << 16))\nprint(); report()"
    ),
    "fills its disk": (
        "honest()\ntry:\n    with open('big', 'wb') as f:\n"
        "        for _ in range(4096): f.write(bytes(1 << 20))\n"
        "except OSError as e: print(e)\nreport()"
    ),
    "never ends": "honest()\nwhile True: time.sleep(1)",
    "replaces maxcode try": (
        "honest(); import shutil; where = pathlib.Path(shutil.which('maxcode'));"
        " where.write_text('#!/bin/sh\\necho ok: 99 times faster\\n');"
        " print(attempt().stdout); report()"
    ),
    "forges the answer to a try": (
        "honest(); desk = pathlib.Path(os.environ['HOME']).parent / 'desk';"
        " (desk / 'answers').mkdir(exist_ok=True);"
        " (desk / 'answers' / '1').write_text('{}'); (desk / 'asked' / '../../x').write_text('');"
        " print(attempt().stdout); report()"
    ),
    "tries without an end": ("honest()\nwhile True: print(attempt().stdout, flush=True)"),
    "asks without an end in the place of its guest": (
        "honest()\nwhile True:\n    with open(f'/proc/{os.getppid()}/fd/3', 'wb') as f:\n"
        '        f.write(b\'{"kind": "try", "files": {}}\\n\' * 100)\n'
    ),
    "kills what watches over it": (
        "honest()\nimport signal\nfor _ in range(2):\n"
        "    try: os.kill(os.getppid(), signal.SIGKILL)\n    except OSError: pass\n"
        "time.sleep(1); report()"
    ),
    "speaks in the place of its guest": (
        "honest()\ntry:\n    with open(f'/proc/{os.getppid()}/fd/3', 'wb') as f:\n"
        '        f.write(b\'{"kind": "end", "files": {"main.cpp": "forged", "/etc/x": ""}}\\n\')\n'
        "except OSError as e: print(e)\nreport()"
    ),
    "asks for the network": (
        "honest()\nimport socket\ntry: print(socket.create_connection(('127.0.0.1', 22), 1))\n"
        "except OSError as e: print('refused', e)\nreport()"
    ),
    "puts a pipe in the place of its program": "source.unlink(); os.mkfifo(source); report()",
    "puts a device in the place of its program": (
        "source.unlink(); source.symlink_to('/dev/zero'); report()"
    ),
    "writes a program full of holes": (
        "with open(source, 'r+b') as f: f.truncate(1 << 30)\nreport()"
    ),
    "links to what lies outside": (
        "for make in (os.link, os.symlink):\n"
        "    try: source.unlink(missing_ok=True); make(OUTSIDE, source)\n"
        "    except OSError as e: print(e)\nreport()"
    ),
    "brings a repository that runs commands": (
        "honest(); git = pathlib.Path('.git'); (git / 'hooks').mkdir(parents=True)\n"
        "run = f'sh -c \"echo mine > {OUTSIDE}\"'\n"
        "(git / 'HEAD').write_text('ref: refs/heads/main\\n')\n"
        "(git / 'config').write_text(f'[core]\\nfsmonitor = {run}\\npager = {run}\\n[diff \"x\"]\\ntextconv = {run}\\n')\n"
        "pathlib.Path('.gitattributes').write_text('* diff=x\\n')\n"
        "hook = git / 'hooks' / 'post-checkout'; hook.write_text('#!/bin/sh\\n' + run); hook.chmod(0o755)\n"
        "report()"
    ),
    "names files oddly": (
        "honest(); desk = pathlib.Path(os.environ['HOME']).parent / 'desk'\n"
        "for name in ('a\\nb', '\\x1b[2J', '\\udcff', 'x' * 255, '-rf'):\n"
        "    pathlib.Path(name).write_text('x'); (desk / 'asked' / name).write_text('x')\n"
        "time.sleep(0.5); report()"
    ),
    "takes the desk away": (
        "honest(); import shutil; shutil.rmtree(pathlib.Path(os.environ['HOME']).parent / 'desk');"
        " time.sleep(0.5); report()"
    ),
    "says that it could not be started": (
        "honest()\nwith open(f'/proc/{os.getppid()}/fd/3', 'wb') as f:\n"
        '    f.write(b\'{"kind": "failed", "why": "no such program"}\\n\')\n'
        "time.sleep(1); report()"
    ),
    "hands in what cannot be written": (
        "honest()\nwith open(f'/proc/{os.getppid()}/fd/3', 'wb') as f:\n"
        '    f.write(b\'{"kind": "end", "output": "\\\\ud800", "files": {"main.cpp": "\\\\udfff"}}\\n\')\n'
        "time.sleep(1); report()"
    ),
    "says what cannot be written": r"honest(); report(said='Summary: \ud800 \x1b[2J\x00')",
    "reports numbers beyond all bounds": "honest(); report(tokens=10**4000)",
    "reports what nests without an end": "honest(); print('{\"a\":' * 100_000); report(dollars=0.5)",
    "leaves a half line in the place of its guest": (
        "honest()\nwith open(f'/proc/{os.getppid()}/fd/3', 'wb') as f: f.write(b'x' * (1 << 20))\n"
        "time.sleep(0.2); report()"
    ),
    "multiplies": (
        "honest()\ntry:\n    for _ in range(2000): os.fork() or (time.sleep(5), os._exit(0))\n"
        "except OSError as e: print(e)\nreport()"
    ),
}


def _trial(program: Program, *, quick: bool) -> Trial:
    return Trial(Status.OK, "correct")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Proposal]:
    """Proposals of each; they run side by side."""
    outside = tmp_path_factory.mktemp("outside") / "secret"
    outside.write_text(SECRET)
    folders = {name: tmp_path_factory.mktemp("agent") for name in AGENTS}

    def run(name: str) -> Proposal:
        text = f"{HEAD}OUTSIDE = {str(outside)!r}\n{AGENTS[name]}\n"
        line, read = command(folders[name], text)
        agent = AgentGenerator(line, read=read, seconds=6.0, tries=3)
        observation = replace(
            sample_observations(sample_task())[0],
            transcript=MemoryTranscript(),
            try_out=_trial,
        )
        [proposal] = agent.propose(observation, 1)
        return proposal

    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(AGENTS, pool.map(run, AGENTS), strict=True))
    assert outside.read_text() == SECRET
    return found


@pytest.mark.parametrize("name", AGENTS)
def test_it_gains_nothing(name: str, outcomes: dict[str, Proposal]) -> None:
    proposal = outcomes[name]
    baseline = sample_task().baseline
    assert SECRET not in proposal.answer
    if proposal.program is not None:  # no more than an edit of the one file, to be judged
        assert list(proposal.program.files) == list(baseline.files)
        assert proposal.program.code in (baseline.code + "// faster\n", "forged")
    assert proposal.call is not None
    assert 0 < proposal.cost.dollars <= 1.0
    assert proposal.cost.tokens > 0
    assert len(proposal.answer) < 200_000


@pytest.mark.parametrize(
    "name",
    [
        *("keeps a process", "floods its output", "never ends", "fills its disk"),
        *("tries without an end", "adds and removes files", "replaces maxcode try"),
        *("takes the desk away", "brings a repository that runs commands"),
        *("names files oddly", "says what cannot be written"),
        *("reports numbers beyond all bounds", "reports what nests without an end"),
        "asks for the network",
    ],
)
def test_what_it_wrote_itself_counts(name: str, outcomes: dict[str, Proposal]) -> None:
    program = outcomes[name].program
    assert program is not None, outcomes[name]
    assert program.code.endswith("// faster\n")


@pytest.mark.parametrize(
    "name",
    [
        *("removes its program", "writes what is no text", "links its program elsewhere"),
        "puts a pipe in the place of its program",
        "puts a device in the place of its program",
        *("writes a program full of holes", "links to what lies outside"),
    ],
)
def test_what_is_no_program_is_none(name: str, outcomes: dict[str, Proposal]) -> None:
    assert outcomes[name].program is None


def test_costs_that_cannot_be_are_charged_at_the_limit(outcomes: dict[str, Proposal]) -> None:
    for name in (
        *("forges a negative cost", "forges a cost that is no number", "never ends"),
        "reports numbers beyond all bounds",
    ):
        assert outcomes[name].cost.dollars == 1.0


def test_tries_are_limited_and_the_network_is_off(outcomes: dict[str, Proposal]) -> None:
    assert "no more than 3 tries" in outcomes["tries without an end"].answer
    assert "refused" in outcomes["asks for the network"].answer


def test_what_they_say_can_be_kept_and_shown(outcomes: dict[str, Proposal]) -> None:
    for one in outcomes.values():
        assert one.summary.encode().decode() == one.summary
        assert one.problem.encode().decode() == one.problem
    assert outcomes["says what cannot be written"].summary


def test_nothing_that_one_leaves_is_there_for_the_next(tmp_path: Path) -> None:
    text = (
        "places = [os.environ['HOME'], '/tmp', '/var/tmp', '/dev/shm', '/run', os.getcwd()]\n"
        "found = [str(p) for d in places for p in pathlib.Path(d).rglob('left*')]\n"
        "for place in [*places, os.environ['HOME'] + '/.config']:\n"
        "    try: os.makedirs(place, exist_ok=True); (pathlib.Path(place) / 'left').write_text('x')\n"
        "    except OSError: pass\n"
        "honest(); report(said=f'Summary: found {found}')"
    )
    line, read = command(tmp_path, f"{HEAD}{text}\n")
    agent = AgentGenerator(line, read=read, seconds=6.0)
    observation = replace(
        sample_observations(sample_task())[0], transcript=MemoryTranscript(), try_out=_trial
    )
    for seed in range(2):
        [proposal] = agent.propose(replace(observation, seed=seed), 1)
        assert proposal.summary == "found []"
    assert not list(tmp_path.rglob("left*"))


def test_nothing_of_them_is_left(outcomes: dict[str, Proposal]) -> None:
    running = []
    for process in os.listdir("/proc"):
        if process.isdecimal():
            try:
                running.append(Path(f"/proc/{process}/cmdline").read_bytes())
            except OSError:
                continue
    assert not [line for line in running if b"maxcode-leftover" in line]
    assert all(said(one.answer) for one in outcomes.values())
