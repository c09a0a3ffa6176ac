from .base import Completed as Completed
from .base import Files as Files
from .base import Limits as Limits
from .base import Mount as Mount
from .base import Sandbox as Sandbox
from .bubblewrap import BubblewrapSandbox as BubblewrapSandbox
from .process import ProcessSandbox as ProcessSandbox
