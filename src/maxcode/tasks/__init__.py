"""Kinds of tasks, and how they are read from and written to folders."""

from maxcode.tasks.folder import load_kernel_folder, load_task
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant
from maxcode.tasks.kernelbench import load_kernel_file, load_kernelbench
from maxcode.tasks.pie import load_pie
from maxcode.tasks.program import (
    InputsFile,
    Judging,
    ProgramTask,
    TestCase,
    load_program_folder,
    save_task,
)
from maxcode.tasks.project import Benchmark, Bounds, Commands, ProjectTask, load_project_folder
from maxcode.tasks.project_files import Patterns

__all__ = [
    "Benchmark",
    "Bounds",
    "Commands",
    "InputsFile",
    "Judging",
    "KernelJudging",
    "KernelTask",
    "Patterns",
    "ProgramTask",
    "ProjectTask",
    "TestCase",
    "Variant",
    "load_kernel_file",
    "load_kernel_folder",
    "load_kernelbench",
    "load_pie",
    "load_program_folder",
    "load_project_folder",
    "load_task",
    "save_task",
]
