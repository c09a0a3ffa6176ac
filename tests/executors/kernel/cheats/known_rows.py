"""known inputs on scales: WRONG_ANSWER. What a constructor knows of rows."""

from torch.nn import functional
from work import Scales


class ModelNew(Scales):
    def normal_rows(self, x):
        return functional.layer_norm(x, x.shape[1:])
