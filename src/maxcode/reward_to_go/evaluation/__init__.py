"""How good reward-to-go models are, measured on the candidates of finished runs.

:mod:`.judgement` holds estimates beside outcomes; :mod:`.ranking` and :mod:`.calibration` compare
them, and :mod:`.figures` gathers all figures with their intervals.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
