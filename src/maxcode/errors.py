"""Errors raised on purpose.

A candidate that does not compile, crashes or answers wrongly is no error: it is an
:class:`~maxcode.evaluation.Evaluation` with its status. Errors are for people who can act on them,
so each message says which thing failed, where, and how to go on.
"""


class MaxcodeError(Exception):
    """Base of all errors of maxcode."""


class InputError(MaxcodeError):
    """Input of the user that cannot be used as it is."""


class ContextError(InputError):
    """A prompt needs more tokens than it may have."""


class TaskError(InputError):
    """A task is malformed, or its baseline does not build, pass or repeat."""


class ToolError(MaxcodeError):
    """A required program or library is not on this machine."""


class JournalError(MaxcodeError):
    """A store of runs cannot be opened, read or written."""


class RunNotFoundError(JournalError):
    """The store holds no run of this id."""


class SchemaError(JournalError):
    """The store's tables belong to another version of maxcode."""


class StoreUnavailableError(JournalError):
    """The database of a store cannot be reached, or written, for now."""


class WriterError(JournalError):
    """Another process is writing the same run."""


class PluginError(MaxcodeError):
    """A plug-in broke its contract, or failed in a way retrying does not mend."""


class GeneratorError(PluginError):
    """Raised by, or about, a generator."""


class ExecutorError(PluginError):
    """Raised by, or about, an executor."""


class CriticError(PluginError):
    """Raised by, or about, a critic."""


class ModelError(PluginError):
    """A language model gives no answer: refused, unreachable, or failing again and again."""


class NoAnswerError(ModelError):
    """A request stayed without an answer, after all patience; another request may be answered."""


class PromptTooLongError(ModelError):
    """A prompt is too long for its model; a shorter prompt may be answered."""


class RewardToGoError(PluginError):
    """Raised by, or about, a reward-to-go model."""


class PolicyError(PluginError):
    """Raised by, or about, a search policy."""
