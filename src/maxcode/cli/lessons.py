"""The command `lessons`: what earlier runs teach, kept in a file, listed and removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from maxcode.cli import commands
from maxcode.cli.console import plain_table, print_document, standard_error, standard_output
from maxcode.comparison.lessons import learn
from maxcode.errors import InputError, JournalError
from maxcode.journal.journal import Journal, RunLog
from maxcode.prompts.lessons import LessonBook, summarise
from maxcode.text import counted, cut


def lessons(request: commands.Lessons) -> int:
    """Learn from runs, remove lessons, and print what the file has; gives the exit code."""
    if request.every and request.run_ids:
        raise InputError("--all means every run of the store: name no RUN with it")
    path = Path(request.file)
    learning = request.every or bool(request.run_ids)
    book = LessonBook() if learning and not path.exists() else LessonBook.read(path)
    if request.remove:
        book = book.without(request.remove)
    if learning:
        with Journal.open(request.store, create=False) as journal:
            for log in _runs(journal, request):
                try:
                    book = learn(book, log)
                except JournalError as error:
                    standard_error().print(f"left out: {error}", soft_wrap=True)
    if learning or request.remove:
        book.write(path)
    known = [one for one in book.lessons if not one.removed]
    if request.json:
        print_document({"lessons": [one.model_dump(mode="json") for one in known]})
        return 0
    console = standard_output()
    table = plain_table()
    for name in ("id", "language", "change", "evidence"):
        table.add_column(name, overflow="fold")
    for one in sorted(known, key=lambda lesson: -len(lesson.evidence)):
        table.add_row(one.id, cut(one.language or "-", 12), cut(one.text, 160), summarise(one))
    console.print(table)
    console.print(f"{counted(len(known), 'lesson')} in {path}", soft_wrap=True)
    return 0


def _runs(journal: Journal, request: commands.Lessons) -> Iterator[RunLog]:
    names = journal.run_ids() if request.every else request.run_ids or ()
    return (journal.run(name) for name in names)
