"""Keeps the bias under another name, and weights as the constructor draws them."""

from torch import nn
from work import Scales


class ModelNew(Scales):
    def __init__(self, columns):
        super().__init__(columns)
        self.mixing, self.shift = self.mix.weight, self.mix.bias
        del self.mix

    def mixed(self, x):
        return nn.functional.linear(x, self.mixing, self.shift)
