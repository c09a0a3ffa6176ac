from .lane import Lane as Lane
from .rounds import CONFIRM as CONFIRM
from .rounds import SCORE as SCORE
from .rounds import Plan as Plan
from .rounds import interleave as interleave
from .statistics import repetitions as repetitions
