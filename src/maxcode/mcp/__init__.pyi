from .server import make_server as make_server
from .submissions import Submission as Submission
from .submissions import SubmittedSearch as SubmittedSearch
