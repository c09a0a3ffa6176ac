"""A simulation for research on searches: programs are points of an NK landscape.

Nothing is built, run or timed, so thousands of searches take seconds, and the best program is
known. The worth of feedback is a parameter: see docs/manual/landscape.md for the formulas, and for
the limits of a simulation.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
