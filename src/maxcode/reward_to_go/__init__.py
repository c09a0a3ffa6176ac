"""Reward-to-go models: their datasets, training, estimates and evaluation.

A model estimates the best reward a search will reach through a candidate, so a search can choose
which proposals to run. It learns from journals: :mod:`.decisions` reads the outcomes of candidates,
:mod:`.building` makes a dataset of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
