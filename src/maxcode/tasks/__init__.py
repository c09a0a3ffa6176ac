"""Kinds of tasks, and how they are read from and written to folders."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
