"""Exports of runs: see docs/export.md for the tables and their columns."""

from maxcode.exporting.export import FORMATS, check_export, export

__all__ = ["FORMATS", "check_export", "export"]
