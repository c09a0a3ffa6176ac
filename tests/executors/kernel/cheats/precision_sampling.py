"""lower precision on shares: WRONG_ANSWER. The mean of every second column."""

from work import Shares


class ModelNew(Shares):
    def mean(self, x):
        return x[:, ::2].square().mean(dim=1)
