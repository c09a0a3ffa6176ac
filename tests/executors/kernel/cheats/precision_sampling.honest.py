"""The mean of the means of every second column."""

from work import Shares


class ModelNew(Shares):
    def mean(self, x):
        odd, even = x[:, 1::2], x[:, ::2]
        return (odd.square().sum(dim=1) + even.square().sum(dim=1)) / x.shape[1]
