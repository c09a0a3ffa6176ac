"""hard-coded answers: WRONG_ANSWER. Knows one shape, and shirks every other."""

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        return self.work(x) if x.shape == (128, 256) else x
