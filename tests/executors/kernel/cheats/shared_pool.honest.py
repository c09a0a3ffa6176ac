"""A pool of memory that nobody has any more, which it clears."""

from work import Pooled


class ModelNew(Pooled):
    pass
