"""A search in a process of its own that kills itself; started by test_openai.py.

Arguments: the store, the server's URL, and on the how manyth estimate to die.
"""

import os
import signal
import sys

from maxcode.budget import Budget
from maxcode.journal.events import Answered, Event
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.models.openai import FirstTokenModel
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.reward_to_go.objective import Bins
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.testing import ScriptedGenerator, toy_search


def numbers(observation: Observation, n: int) -> list[str]:
    """No two alike, so that no two estimates are of the same."""
    return [f"1.{observation.number:02}{i}" for i in range(n)]


def main(store: str, url: str, death: str) -> None:
    left = int(death)

    def hear(event: Event, state: RunState) -> None:
        nonlocal left
        left -= isinstance(event, Answered)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    model = OpenAIRewardToGo(FirstTokenModel("rtg", tokens=Bins().labels, base_url=url))
    with Journal.open(store) as journal:
        toy_search(
            generator=ScriptedGenerator(numbers),
            reward_to_go=model,
            policy=BestOfN(batch=2),
            budget=Budget(evaluations=10),
            options=Options(seed=5, in_flight=2, propose=3),
            journal=journal,
            observers=[hear],
        ).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
