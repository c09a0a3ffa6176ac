"""maxcode makes code measurably faster.

The names below are the public surface; each package offers its own in the same way, such as
``maxcode.policies.Beam``. Modules are imported on first use of their names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
