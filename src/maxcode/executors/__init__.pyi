from .kernel.executor import KernelExecutor as KernelExecutor
from .program.executor import ProgramExecutor as ProgramExecutor
from .program.recording import record_task as record_task
from .project.executor import ProjectExecutor as ProjectExecutor
from .ray.executor import RayExecutor as RayExecutor
from .ray.lanes import RayLanes as RayLanes
