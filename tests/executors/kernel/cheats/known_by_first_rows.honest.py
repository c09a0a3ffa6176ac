"""Looks at all of a mask for the last key that any row keeps."""

from work import Masks


class ModelNew(Masks):
    def kept(self, mask):
        return int(mask.any(dim=0).nonzero().max()) + 1
