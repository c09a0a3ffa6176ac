"""Keeps the statistics of half of the rows at a time."""

from work import Norms


class ModelNew(Norms):
    def update(self, x):
        halves = x.view(2, -1, x.shape[1]).mean(dim=1)
        self.mean.lerp_(halves.mean(dim=0), 0.1)
        self.count += 1
