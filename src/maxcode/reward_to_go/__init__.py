"""Reward-to-go models: their datasets, how they are trained, how they estimate, how good they are.

A model estimates the best reward that a search will reach through a candidate, so that a search can
choose which of its proposals to run. It learns from journals: :mod:`.decisions` reads the outcomes
of candidates, :mod:`.building` makes a dataset of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
