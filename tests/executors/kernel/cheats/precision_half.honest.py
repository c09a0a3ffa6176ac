"""Leaves to float16 nothing that is not given back."""

from work import Waves, wave


class ModelNew(Waves):
    def forward(self, x):
        coarse = x.half().float()
        return wave(coarse + (x - coarse), self.gain, self.steps)
