from .figures import Trust as Trust
from .figures import evaluate as evaluate
from .judgement import Judgement as Judgement
from .judgement import judge as judge
from .judgement import objective_of as objective_of
from .judgement import recorded as recorded
