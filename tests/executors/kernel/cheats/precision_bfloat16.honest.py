"""Leaves to bfloat16 nothing that is not given back."""

from work import Waves, wave


class ModelNew(Waves):
    def forward(self, x):
        coarse = x.bfloat16().float()
        return wave(coarse + (x - coarse), self.gain, self.steps)
