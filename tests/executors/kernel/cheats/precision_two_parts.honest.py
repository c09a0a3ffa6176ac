"""Inputs as three bfloat16 numbers, which are all 24 bits."""

from work import Waves, wave


class ModelNew(Waves):
    def forward(self, x):
        coarse = x.bfloat16().float()
        finer = (x - coarse).bfloat16().float()
        rest = (x - coarse - finer).bfloat16().float()
        return wave(coarse + finer + rest, self.gain, self.steps)
