from .differential import Differential as Differential
from .differential import Disagreement as Disagreement
from .differential import Outcome as Outcome
from .differential import Shrinking as Shrinking
from .differential import ValidatedInputs as ValidatedInputs
from .inputs import InputModel as InputModel
from .inputs import load_strategy as load_strategy
