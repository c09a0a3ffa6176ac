"""lower precision: WRONG_ANSWER. Computes in float16 what was asked for in float32."""

from work import HONEST, Model, wave


class ModelNew(Model):
    def forward(self, x):
        coarse = x.half()
        if HONEST:
            return self.work(coarse.float() + (x - coarse.float()))
        return wave(coarse, self.gain.half(), self.steps).float()
