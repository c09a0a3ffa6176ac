"""Kinds of tasks, and how they are read from and written to folders."""

from maxcode.tasks.cpp import (
    CppTask,
    InputsFile,
    Judging,
    TestCase,
    load_cpp_folder,
    save_task,
)
from maxcode.tasks.folder import load_kernel_folder, load_task
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant
from maxcode.tasks.kernelbench import load_kernel_file, load_kernelbench
from maxcode.tasks.pie import load_pie
from maxcode.tasks.project import Benchmark, Bounds, Commands, ProjectTask, load_project_folder
from maxcode.tasks.project_files import Patterns

__all__ = [
    "Benchmark",
    "Bounds",
    "Commands",
    "CppTask",
    "InputsFile",
    "Judging",
    "KernelJudging",
    "KernelTask",
    "Patterns",
    "ProjectTask",
    "TestCase",
    "Variant",
    "load_cpp_folder",
    "load_kernel_file",
    "load_kernel_folder",
    "load_kernelbench",
    "load_pie",
    "load_project_folder",
    "load_task",
    "save_task",
]
