"""Words that are made of the same letters."""

from anagrams.groups import groups, largest

__all__ = ["groups", "largest"]
