"""A copy of the input in memory that is mapped for it."""

from work import Copies, Pages

pages = Pages()


class ModelNew(Copies):
    def forward(self, x):
        y = self.matrices(x)
        pages.kept.clear()
        return y, self.copy(y), pages.new(x.shape).copy_(x)
