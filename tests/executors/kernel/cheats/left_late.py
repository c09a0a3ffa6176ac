"""what is left behind on norms: WRONG_ANSWER. Keeps the statistics of the first call for all."""

from work import Norms


class ModelNew(Norms):
    def update(self, x):
        if not self.count:
            self.mean.lerp_(x.mean(dim=0), 0.1)
        self.count += 1
