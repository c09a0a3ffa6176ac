"""cached outputs on steps: WRONG_ANSWER. Notices weights that are loaded, and no others."""

from work import HONEST, Model


class ModelNew(Model):
    kept = None

    def _load_from_state_dict(self, *given):
        self.kept = None
        return super()._load_from_state_dict(*given)

    def shares(self):
        if HONEST or self.kept is None:
            self.kept = super().shares()
        return self.kept
