"""lower precision: WRONG_ANSWER. Stops when little changes any more."""

from work import HONEST, Model, wave


class ModelNew(Model):
    def forward(self, x):
        return wave(x, self.gain, self.steps if HONEST else self.steps // 2)
