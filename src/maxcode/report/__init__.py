"""A run as text, page, live view, tables and loggers, from its journal alone."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
