"""Kinds of tasks, and how they are read from and written to folders."""

from maxcode.tasks.cpp import CppTask, Judging, TestCase
from maxcode.tasks.folder import load_task, save_task

__all__ = ["CppTask", "Judging", "TestCase", "load_task", "save_task"]
