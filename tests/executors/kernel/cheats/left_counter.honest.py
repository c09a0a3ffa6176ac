"""Counts before it keeps the statistics."""

from work import Norms


class ModelNew(Norms):
    def update(self, x):
        self.count.copy_(self.count + 1)
        self.mean.lerp_(x.mean(dim=0), 0.1)
