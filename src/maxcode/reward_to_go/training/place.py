"""Places of a training's checkpoints, and of the model saved at its end."""

from __future__ import annotations

import re
import shutil
from contextlib import AbstractContextManager
from pathlib import Path

from pydantic import ValidationError

from maxcode.errors import InputError
from maxcode.files import new_folder, read_text, write_text
from maxcode.reward_to_go.saved import FILE, check_free
from maxcode.reward_to_go.training.settings import Settings

_SETTINGS, _DATA = "settings.json", "data.json"


class Place:
    """The folder ``out`` of a model, and ``work`` beside it with checkpoints.

    ``out`` is written at once, when training has ended. With ``force`` an earlier model there is
    replaced, and an unfinished training is begun again.
    """

    def __init__(self, out: str | Path, *, force: bool = False) -> None:
        self.out = Path(out).expanduser().absolute()
        self.force = force
        self.work = self.out.with_name(f"{self.out.name}.training")
        self.base = self.work / "base"

    @property
    def begun(self) -> bool:
        """Whether a training was begun here and has not ended."""
        return (self.work / _SETTINGS).is_file()

    def check(self) -> None:
        """Raise :class:`InputError` when something at ``out`` would be lost."""
        check_free(self.out, FILE, "model", force=self.force)

    def begin(self, settings: Settings, data: str, *, resume: bool) -> None:
        """Make the work folder, or with ``resume`` check its training.

        ``data`` identifies the examples. Raises :class:`InputError` for an existing work folder
        without ``resume``, and for a missing or foreign folder with it.
        """
        if resume:
            self._check_same(settings, data)
            return
        if self.work.exists():
            if not (self.force and self.begun):
                raise InputError(
                    f"{self.work} holds a training that has not ended; go on with --resume, or "
                    "begin again with --force"
                )
            shutil.rmtree(self.work)
        write_text(self.work / _DATA, data)
        write_text(self.work / _SETTINGS, settings.model_dump_json(indent=2) + "\n")

    def _check_same(self, settings: Settings, data: str) -> None:
        path = self.work / _SETTINGS
        if not self.begun:
            raise InputError(f"there is nothing to resume: no {path}; leave out --resume")
        try:
            before = Settings.model_validate_json(read_text(path)).model_dump()
        except ValidationError as error:
            raise InputError(f"{path} cannot be read; begin again with --force") from error
        for name, value in settings.model_dump().items():
            if before[name] != value:
                raise InputError(
                    f"--resume: {self.work} was begun with {name}={before[name]}, not {value}"
                )
        if read_text(self.work / _DATA) != data:
            raise InputError(f"--resume: {self.work} was begun with other data")

    def checkpoint(self) -> Path | None:
        """The last whole checkpoint, with its last file."""
        found = {
            int(match[1]): path
            for path in self.work.glob("checkpoint-*")
            if (match := re.fullmatch(r"checkpoint-(\d+)", path.name))
            and (path / "trainer_state.json").is_file()
        }
        return found[max(found)] if found else None

    def publish(self) -> AbstractContextManager[Path]:
        """A folder to fill, which then becomes ``out``; until then an earlier model stays whole.

        On leaving raises :class:`InputError` as :meth:`check` does, for anything new at ``out``.
        """
        return new_folder(self.out, self.check)

    def end(self) -> None:
        """Remove the work folder, if a training was begun there."""
        if self.begun:
            shutil.rmtree(self.work, ignore_errors=True)
