"""Where the outcome of a comparison goes besides the screen: JSON, CSV and plots."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from maxcode.cli.compare_commands import Contended
from maxcode.cli.saving import check_writable
from maxcode.comparing.contest import Contest
from maxcode.comparing.difference import Difference
from maxcode.comparing.documents import document, table
from maxcode.comparing.plots import check_plots, save_plots
from maxcode.comparing.published import PublishedTable
from maxcode.errors import InputError
from maxcode.textfiles import write_text


@dataclass(frozen=True)
class Files:
    """The files that were asked for."""

    json: Path | None
    csv: Path | None
    plots: Path | None

    @classmethod
    def of(cls, request: Contended) -> Files:
        """As asked for. Raises before anything runs if one can be neither drawn nor written."""
        out = _path(request.out)
        files = cls(
            json=_path(request.json) or (out and out / "comparison.json"),
            csv=_path(request.csv) or (out and out / "runs.csv"),
            plots=_path(request.plot) or out,
        )
        if files.plots:
            check_plots()
        for folder in filter(None, (out, files.plots)):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
        for file in filter(None, (files.json, files.csv)):
            check_writable(file)
        return files

    def save(
        self,
        contest: Contest,
        effects: Sequence[Difference],
        tables: Sequence[PublishedTable] = (),
    ) -> Iterator[Path]:
        """Write all of them; gives each that was written."""
        if self.json:
            told = json.dumps(document(contest, effects, tables), indent=2, ensure_ascii=False)
            write_text(self.json, told + "\n")
            yield self.json
        if self.csv:
            write_text(self.csv, table(contest))
            yield self.csv
        if self.plots and contest.pairs:
            yield from save_plots(contest, self.plots)


def _path(name: str | None) -> Path | None:
    return Path(name).absolute() if name else None
