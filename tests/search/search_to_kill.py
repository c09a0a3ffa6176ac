"""A search in a process of its own, which kills itself; started by test_killed.py.

Arguments: the store, the run to go on with or ``new``, a file for the numbers of the expansions
that the generator was asked about, and when to die: ``events:N``, on the N-th event of this
process, or ``calls:N``, inside the generator's N-th call.
"""

import os
import signal
import sys
from pathlib import Path

from maxcode.journal.events import Event
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.testing import Answer, toy_answers, toy_plugins, toy_search


def main(store: str, run: str, calls_file: str, death: str) -> None:
    kind, _, text = death.partition(":")
    left = {kind: int(text)}

    def die_in_time(what: str) -> None:
        left[what] = left.get(what, -1) - 1
        if left[what] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(event: Event, state: RunState) -> None:
        die_in_time("events")

    def answers(observation: Observation, n: int) -> list[Answer]:
        with Path(calls_file).open("a", encoding="utf-8") as calls:
            calls.write(f"{observation.number}\n")
        die_in_time("calls")
        return toy_answers(observation, n)

    generator = toy_plugins()["generator"]
    generator.script = answers
    with Journal.open(store) as journal:
        into = journal if run == "new" else journal.run(run)
        toy_search(generator=generator, journal=into, observers=[hear]).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
