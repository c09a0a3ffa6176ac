"""Counts how often weights are loaded."""

from work import Steps


class ModelNew(Steps):
    loaded = 0

    def _load_from_state_dict(self, *given):
        self.loaded += 1
        return super()._load_from_state_dict(*given)
