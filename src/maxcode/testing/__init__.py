"""For plug-in authors: a contract suite for each role, and plug-ins without a machine.

A suite is a class to inherit from in a test module; see the docstring of each. ``Scripted...``
plug-ins answer from a script. ``toy_...`` make a small world for them, and ``outline`` describes a
tree for comparison with another.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
