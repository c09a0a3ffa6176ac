"""what is left behind on norms: WRONG_ANSWER. Keeps the statistics, and counts no calls."""

from work import Norms


class ModelNew(Norms):
    def update(self, x):
        self.mean.lerp_(x.mean(dim=0), 0.1)
