"""A plug-in of runs that are kept; the command line finds it by the name of this module."""

from __future__ import annotations

from maxcode.landscape import LandscapeGenerator


class Mortal(LandscapeGenerator):
    """Killed its process when these runs were made."""
