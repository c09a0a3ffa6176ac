"""maxcode as a judge for coding agents, over the Model Context Protocol."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
