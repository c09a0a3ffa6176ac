from .figure import Figure as Figure
from .formats import FORMATS as FORMATS
from .formats import check_format as check_format
from .formats import read_figures as read_figures
