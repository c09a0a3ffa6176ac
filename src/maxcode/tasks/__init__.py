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

__all__ = [
    "CppTask",
    "InputsFile",
    "Judging",
    "KernelJudging",
    "KernelTask",
    "TestCase",
    "Variant",
    "load_cpp_folder",
    "load_kernel_file",
    "load_kernel_folder",
    "load_kernelbench",
    "load_pie",
    "load_task",
    "save_task",
]
