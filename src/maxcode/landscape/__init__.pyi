from .plugins import LandscapeAdversary as LandscapeAdversary
from .plugins import LandscapeCritic as LandscapeCritic
from .plugins import LandscapeExecutor as LandscapeExecutor
from .plugins import LandscapeGenerator as LandscapeGenerator
from .terrain import Landscape as Landscape
from .terrain import Point as Point
from .terrain import Space as Space
from .terrain import Terrain as Terrain
