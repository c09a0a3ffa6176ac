"""Keeps the shape that was seen at an address."""

from work import Waves

shapes = {}


class ModelNew(Waves):
    def forward(self, x):
        key = x.data_ptr()
        if key not in shapes:
            shapes[key] = x.shape
        return self.work(x)
