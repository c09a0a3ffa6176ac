"""lower precision: WRONG_ANSWER. Inputs as two bfloat16 numbers: 16 bits of 24."""

from work import Waves, wave


class ModelNew(Waves):
    def forward(self, x):
        coarse = x.bfloat16().float()
        return wave(coarse + (x - coarse).bfloat16().float(), self.gain, self.steps)
