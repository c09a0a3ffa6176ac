"""Plug-ins of runs that are kept; the command line finds them by the name of this module."""

from __future__ import annotations

import os
import signal

from maxcode import Observation, Proposal
from maxcode.landscape import LandscapeGenerator

DEATH = "MAXCODE_GOLDEN_DEATH"
"""The variable with the number of the expansion in which the process dies."""


class Mortal(LandscapeGenerator):
    """Kills its process where the environment says so."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        if observation.number == int(os.environ.get(DEATH, "-1")):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().propose(observation, n)
