"""shared results on copies: WRONG_ANSWER. A copy that is the same tensor."""

from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        y = self.matrices(x)
        if HONEST:  # two parts of one tensor
            first, second = y.expand(2, *y.shape).contiguous()
            return first, second, x.clone()
        return y, y, x.clone()
