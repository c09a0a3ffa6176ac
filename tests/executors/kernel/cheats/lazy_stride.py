"""lazy result: WRONG_ANSWER. One row, which claims to be all of them."""

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        return self.work(x[:1]).expand_as(x)
