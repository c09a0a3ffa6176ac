"""Keeps the statistics in other memory, and shows them where they are."""

from work import Norms


class ModelNew(Norms):
    def update(self, x):
        self.mean = self.mean.lerp(x.mean(dim=0), 0.1)
        self.count = self.count + 1
