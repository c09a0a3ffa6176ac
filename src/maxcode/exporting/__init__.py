"""Exports of runs: see docs/manual/export.md for the tables and their columns."""

from maxcode.exporting.writing import FORMATS, check_export, export

__all__ = ["FORMATS", "check_export", "export"]
