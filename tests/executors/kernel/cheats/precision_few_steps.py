"""lower precision: WRONG_ANSWER. Stops when little changes any more."""

from work import HONEST, Waves, wave


class ModelNew(Waves):
    def forward(self, x):
        return wave(x, self.gain, self.steps if HONEST else self.steps // 2)
