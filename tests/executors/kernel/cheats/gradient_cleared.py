"""gradients that are kept on tokens: WRONG_ANSWER. One of the table, cleared in places."""

from work import KeptGradients


class ModelNew(KeptGradients):
    def ready(self, memory, tokens):
        written = self.__dict__.setdefault("written", {})
        if memory.data_ptr() in written:
            memory[written[memory.data_ptr()]] = 0.0
        written[memory.data_ptr()] = tokens.clone()
