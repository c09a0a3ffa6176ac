"""what is left behind on norms: WRONG_ANSWER. Keeps nothing by the names that the reference has."""

from torch import nn
from work import Norms


class ModelNew(Norms):
    def __init__(self, columns):
        super().__init__(columns)
        self.statistics = [self.mean, self.count]
        del self.mean, self.count
        self.mean, self.count = self.statistics
        nn.Module.register_buffer(self, "number", self.count)
