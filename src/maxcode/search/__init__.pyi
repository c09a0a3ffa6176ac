from .result import Result as Result
from .search import Search as Search
from .search import optimize as optimize
