"""lower precision: WRONG_ANSWER. Computes in float16 what was asked for in float32."""

from work import Waves, wave


class ModelNew(Waves):
    def forward(self, x):
        return wave(x.half(), self.gain.half(), self.steps).float()
