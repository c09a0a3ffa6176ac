"""The mean square is one and what it is more."""

from work import Shares


class ModelNew(Shares):
    def mean(self, x):
        return x.new_ones(len(x)) + (x * x - 1).mean(dim=1)
