"""A simulation for research on searches: programs are points of an NK landscape.

Nothing is built, run or timed, so thousands of searches take seconds, and the best program is
known. The worth of feedback is a parameter: see docs/manual/landscape.md for the formulas, and for
the limits of a simulation.
"""

from maxcode.landscape.plugins import (
    LandscapeAdversary,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
)
from maxcode.landscape.recorded import Tuning, recordings
from maxcode.landscape.terrain import Landscape, Point, Space, Terrain

__all__ = [
    "Landscape",
    "LandscapeAdversary",
    "LandscapeCritic",
    "LandscapeExecutor",
    "LandscapeGenerator",
    "Point",
    "Space",
    "Terrain",
    "Tuning",
    "recordings",
]
