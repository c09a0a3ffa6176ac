"""Results in memory that is mapped for them."""

from work import Copies, Pages

pages = Pages()


class ModelNew(Copies):
    def zeros(self, shape):
        pages.kept.clear()
        return pages.new(shape)
