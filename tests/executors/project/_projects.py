"""A small project in C: a library, a program that is timed, a test, and a Makefile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.project import ProjectTask, load_project_folder

BRIEF = Plan(least=2, most=2, seconds=60.0)

SUM = """\
#include "sum.h"

unsigned long sum(unsigned long n)
{
    volatile unsigned long total = 0;
    for (unsigned long i = 1; i <= n; i++)
        total = total + i;
    return total;
}
"""
FAST = '#include "sum.h"\n\nunsigned long sum(unsigned long n) { return n * (n + 1) / 2; }\n'
MAIN = """\
#include "sum.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    printf("%lu\\n", sum(argc > 1 ? strtoul(argv[1], 0, 10) : 0));
    return 0;
}
"""
MAKEFILE = """\
sum: main.o src/sum.o
	$(CC) -o $@ main.o src/sum.o
%.o: %.c src/sum.h
	$(CC) -O1 -Isrc -c -o $@ $<
test: sum
	sh tests/run.sh
.PHONY: test
"""
TESTS = """\
[ "$(./sum 10)" = 55 ] && echo "ok 1 - ten"
[ "$(./sum 0)" = 0 ] && echo "ok 2 - nothing"
[ "$(./sum 10)" = 55 ] && [ "$(./sum 0)" = 0 ]
"""
TASK = """\
kind = "project"
name = "sum"
editable = ["src/**"]

[commands]
build = "make"
test = "make test"
bench = "./sum 40000000"

[limits]
bench = 4.0
test = 5.0
memory_mb = 192
disk_mb = 32
"""
FILES = {
    "src/sum.c": SUM,
    "src/sum.h": "unsigned long sum(unsigned long n);\n",
    "main.c": MAIN,
    "Makefile": MAKEFILE,
    "tests/run.sh": TESTS,
    "task.toml": TASK,
}


def written(folder: Path, files: Mapping[str, str]) -> ProjectTask:
    """The task of a project with these files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return load_project_folder(folder)


def with_sum(task: ProjectTask, text: str) -> Program:
    """The baseline with another text of the file that is slow."""
    return task.baseline.with_file("src/sum.c", text)
