"""Looks at the keys up to the last that is kept."""

from work import Masks


class ModelNew(Masks):
    def kept(self, mask):
        return int(mask.any(dim=0).nonzero().max()) + 1
