"""lower precision: WRONG_ANSWER. Computes in bfloat16 what was asked for in float32."""

from work import Waves, wave


class ModelNew(Waves):
    def forward(self, x):
        return wave(x.bfloat16(), self.gain.bfloat16(), self.steps).float()
