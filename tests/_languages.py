"""A slow and a fast program in each language, for tests of whatever judges programs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from random import Random

import pytest

from maxcode.program import Program
from maxcode.tasks.languages import LANGUAGES
from maxcode.tasks.program import Judging, ProgramTask, TestCase

_PYTHON = """import sys

def unique(values):
    seen = []
    for value in values:
        if value not in seen:
            seen.append(value)
    return seen

values = sys.stdin.read().split()[1:]
found = unique(values)
print(len(found))
print(*found[:5])
"""
_JAVASCRIPT = """const words = require("fs").readFileSync(0, "utf8").split(/\\s+/).filter(Boolean);
const values = words.slice(1);
const seen = [];
for (const value of values) {
  if (!seen.includes(value)) seen.push(value);
}
console.log(seen.length);
console.log(seen.slice(0, 5).join(" "));
"""
_RUST = """use std::io::{stdin, Read};

fn main() {
    let mut text = String::new();
    stdin().read_to_string(&mut text).unwrap();
    let mut seen: Vec<&str> = Vec::new();
    #[allow(unused_mut, unused_variables)]
    let mut known = std::collections::HashSet::<&str>::new();
    for value in text.split_whitespace().skip(1) {
        if !seen.contains(&value) { seen.push(value); }
    }
    println!("{}", seen.len());
    println!("{}", seen[..seen.len().min(5)].join(" "));
}
"""
_GO = """package main

import ("bufio"; "fmt"; "os"; "strings")

func main() {
	reader := bufio.NewReader(os.Stdin)
	var n int
	fmt.Fscan(reader, &n)
	seen := []string{}
	have := map[string]bool{}
	_ = have
	for i := 0; i < n; i++ {
		var value string
		fmt.Fscan(reader, &value)
		known := false
		for _, one := range seen { if one == value { known = true; break } }
		if !known { seen = append(seen, value) }
	}
	fmt.Println(len(seen))
	if len(seen) > 5 { seen = seen[:5] }
	fmt.Println(strings.Join(seen, " "))
}
"""
_JAVA = """import java.util.*;

public class Main {
    public static void main(String[] words) {
        Scanner input = new Scanner(System.in);
        int n = input.nextInt();
        List<String> seen = new ArrayList<>();
        Set<String> known = new HashSet<>();
        for (int i = 0; i < n; i++) {
            String value = input.next();
            if (!seen.contains(value)) seen.add(value);
        }
        System.out.println(seen.size());
        System.out.println(String.join(" ", seen.subList(0, Math.min(5, seen.size()))));
    }
}
"""
_C = """#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n, count = 0;
    if (scanf("%d", &n) != 1) return 1;
    int *seen = malloc(sizeof(int) * (n + 1));
    for (int i = 0; i < n; i++) {
        int value, known = 0;
        if (scanf("%d", &value) != 1) return 1;
        for (int j = 0; j < count; j++) if (seen[j] == value) { known = 1; break; }
        if (!known) seen[count++] = value;
    }
    printf("%d\\n", count);
    for (int i = 0; i < count && i < 5; i++) printf("%s%d", i ? " " : "", seen[i]);
    printf("\\n");
}
"""


@dataclass(frozen=True)
class Sample:
    """A program, changes to it, and the tool its language needs."""

    language: str
    slow: str
    fast: tuple[str, str]
    broken: tuple[str, str]
    tool: str

    @property
    def entry(self) -> str:
        return LANGUAGES[self.language].entry

    def changed(self, change: tuple[str, str]) -> Program:
        assert change[0] in self.slow
        return Program.of(self.slow.replace(*change), self.entry)

    @property
    def faster(self) -> Program:
        return self.changed(self.fast)

    def task(self, *sizes: int, judging: Judging | None = None) -> ProgramTask:
        """A task with a test of each size."""
        return ProgramTask(
            "distinct",
            "Print how many words are distinct, and the first five.",
            Program.of(self.slow, self.entry),
            language=self.language,
            tests=tuple(_test(number, size) for number, size in enumerate(sizes, 1)),
            judging=judging or Judging(),
        )


def _test(number: int, size: int) -> TestCase:
    rng = Random(number)
    values = [str(rng.randrange(10, 10 + 4 * size)) for _ in range(size)]
    first = list(dict.fromkeys(values))
    lines = (f"{size}", " ".join(values)), (f"{len(first)}", " ".join(first[:5]))
    given, expected = ("\n".join(part).encode() + b"\n" for part in lines)
    return TestCase(str(number), given, expected)


SAMPLES = {
    one.language: one
    for one in (
        Sample(
            "python",
            _PYTHON,
            ("    seen = []\n", "    return list(dict.fromkeys(values))\n"),
            ("not in seen:", "not in seen"),
            "python3",
        ),
        Sample(
            "javascript",
            _JAVASCRIPT,
            ("const seen = [];\nfor", "const seen = [...new Set(values)];\nfor"),
            ("console.log(seen.length)", "console.log(seen.length"),
            "node",
        ),
        Sample(
            "rust",
            _RUST,
            (
                "if !seen.contains(&value) { seen.push(value); }",
                "if known.insert(value) { seen.push(value); }",
            ),
            ("seen.len());", "seen.len()"),
            "rustc",
        ),
        Sample(
            "go",
            _GO,
            (
                "for _, one := range seen { if one == value { known = true; break } }",
                "known = have[value]; have[value] = true",
            ),
            ("var n int", "var n"),
            "go",
        ),
        Sample(
            "java",
            _JAVA,
            (
                "if (!seen.contains(value)) seen.add(value);",
                "if (known.add(value)) seen.add(value);",
            ),
            ("nextInt();", "nextInt()"),
            "javac",
        ),
        Sample(
            "c",
            _C,
            ("for (int j = 0; j < count; j++)", "for (int j = count - 1; j >= 0; j--)"),
            ("int n, count = 0;", "int n, count = 0"),
            "gcc",
        ),
    )
}


def installed(language: str) -> Sample:
    """The sample of a language; skips the test where its tool is missing."""
    sample = SAMPLES[language]
    if shutil.which(sample.tool) is None:
        pytest.skip(f"{sample.tool} is not installed")
    return sample
