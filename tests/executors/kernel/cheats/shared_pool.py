"""shared results on copies: WRONG_ANSWER. A pool that trusts what it left in memory."""

from work import Pooled


class ModelNew(Pooled):
    def ready(self, memory):
        pass
