"""lower precision: WRONG_ANSWER. Inputs as two bfloat16 numbers: 16 bits of 24."""

from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        rounded = x * 0
        for _ in range(3 if HONEST else 2):
            rounded = rounded + (x - rounded).bfloat16().float()
        return self.work(rounded)
