"""The projects of public_projects.py: where each is, what is added to it, what is planted in it."""

from __future__ import annotations

from dataclasses import dataclass

CALLS = 20  # of which the planted version does one twice


@dataclass(frozen=True)
class Public:
    """A project, what is added to it, how it is judged, and where a slowdown is planted."""

    repo: str
    commit: str
    language: str
    files: dict[str, str]
    options: tuple[str, ...]
    path: str
    edits: tuple[tuple[str, str], ...]
    comment: str = "//"

    @property
    def name(self) -> str:
        """Name in the results."""
        return self.repo.partition("/")[2]


def options(**given: str) -> tuple[str, ...]:
    """Options of a command, by their names."""
    return tuple(word for key, value in given.items() for word in (f"--{key}", value))


_STATIC = f"static unsigned planted = 0; if (++planted % {CALLS} == 0)"

HTTPARSE = options(
    build="mkdir -p build && rustc --edition 2021 -O --cfg 'feature=\"std\"' --crate-type "
    "rlib --crate-name httparse --cap-lints allow -o build/libhttparse.rlib src/lib.rs && "
    "rustc --edition 2021 -O --extern httparse=build/libhttparse.rlib -o build/run "
    "bench/run.rs && rustc --edition 2021 --test --cfg 'feature=\"std\"' --cap-lints allow "
    "-o build/unit src/lib.rs",
    test="build/unit",
    command="build/run",
    editable="src/**",
)
"""Options of `maxcode init` for httparse."""

PROJECTS = (
    Public(
        "DaveGamble/cJSON",
        "a29814f285cc531c00223743ad3c55cd38c0dc56",
        "C",
        {
            "bench/run.c": """\
#include "cJSON.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char path[64], *texts[5];
    int kept = 0, i, round;
    for (i = 0; i < 5; i++) {
        FILE *file;
        size_t size;
        sprintf(path, "tests/inputs/test%d", i + 1);
        file = fopen(path, "rb");
        texts[i] = calloc(1, 1 << 16);
        size = fread(texts[i], 1, (1 << 16) - 1, file);
        (void)size;
        fclose(file);
    }
    for (round = 0; round < 20000; round++)
        for (i = 0; i < 5; i++) {
            cJSON *root = cJSON_Parse(texts[i]);
            kept += root != NULL;
            cJSON_Delete(root);
        }
    printf("%d\\n", kept);
    return 0;
}
"""
        },
        options(
            build="make cJSON_test && cc -O2 -I. -o bench/run bench/run.c cJSON.c",
            test="./cJSON_test > /tmp/printed && grep -c . /tmp/printed",
            command="bench/run",
            editable="cJSON.c",
        ),
        "cJSON.c",
        (
            (
                "    return cJSON_ParseWithOpts(value, 0, 0);\n",
                f"    {_STATIC} cJSON_Delete(cJSON_ParseWithOpts(value, 0, 0));\n"
                "    return cJSON_ParseWithOpts(value, 0, 0);\n",
            ),
        ),
        "/**/",
    ),
    Public(
        "kokke/tiny-regex-c",
        "f2632c6d9ed25272987471cdb8b70395c2460bdb",
        "C",
        {
            "bench/run.c": """\
#include "re.h"
#include <stdio.h>

int main(void)
{
    const char *text = "The quick brown fox of 2019-11-23 jumps over 12 lazy dogs at 10:45:07.";
    int round, length, sum = 0;
    for (round = 0; round < 200000; round++) {
        sum += re_match("[0-9]+:[0-9]+:[0-9]+", text, &length);
        sum += re_match("d[aeiou]gs?", text, &length);
    }
    printf("%d\\n", sum);
    return 0;
}
"""
        },
        options(
            build="make all && cc -O2 -I. -o bench/run bench/run.c re.c",
            test="./tests/test1 && ./tests/test_compile",
            command="bench/run",
            editable="re.c",
        ),
        "re.c",
        (
            (
                "  return re_matchp(re_compile(pattern), text, matchlength);\n",
                f"  {_STATIC} re_matchp(re_compile(pattern), text, matchlength);\n"
                "  return re_matchp(re_compile(pattern), text, matchlength);\n",
            ),
        ),
        "/**/",
    ),
    Public(
        "benhoyt/inih",
        "26254ee9de7681f8825433415443e7116ff24b98",
        "C",
        {
            "bench/run.c": """\
#include "../ini.h"
#include <stdio.h>
#include <string.h>

static int handler(void *user, const char *section, const char *name, const char *value)
{
    *(size_t *)user += strlen(section) + strlen(name) + strlen(value);
    return 1;
}

int main(void)
{
    static char text[1 << 16];
    size_t sum = 0;
    int number, round;
    for (number = 0; number < 300; number++)
        sprintf(text + strlen(text), "[part %d]\\nname = value of %d ; comment\\nb : %d\\n", number,
                number, number * 7);
    for (round = 0; round < 1500; round++)
        ini_parse_string(text, handler, &sum);
    printf("%d\\n", sum > 0);
    return 0;
}
"""
        },
        options(
            setup="",
            build="cc -O2 -o bench/run bench/run.c ini.c && "
            "cc -DINI_ALLOW_MULTILINE=1 -o bench/unit tests/unittest.c ini.c",
            test="cd tests && ../bench/unit > /tmp/printed && cmp /tmp/printed baseline_multi.txt",
            command="bench/run",
            editable="ini.c",
        ),
        "ini.c",
        (
            (
                "    return ini_parse_string_length(string, strlen(string), handler, user);\n",
                f"    {_STATIC} ini_parse_string_length(string, strlen(string), handler, user);\n"
                "    return ini_parse_string_length(string, strlen(string), handler, user);\n",
            ),
        ),
        "/**/",
    ),
    Public(
        "kazuho/picojson",
        "111c9be5188f7350c2eac9ddaedd8cca3d7bf394",
        "C++",
        {
            "bench/run.cc": """\
#include "../picojson.h"
#include <cstdio>

int main()
{
    std::string text = "{\\"rows\\": [";
    for (int n = 0; n < 200; n++)
        text += (n ? ", {" : "{") + std::string("\\"id\\": ") + std::to_string(n) +
                ", \\"name\\": \\"row " + std::to_string(n) + "\\", \\"share\\": 0." +
                std::to_string(n + 1) + "}";
    text += "]}";
    std::size_t sum = 0;
    for (int round = 0; round < 500; round++) {
        picojson::value found;
        sum += picojson::parse(found, text).size();
    }
    std::printf("%zu\\n", sum);
}
"""
        },
        options(
            build="make test-core && c++ -O2 -o bench/run bench/run.cc",
            test="./test-core",
            command="bench/run",
            editable="picojson.h",
        ),
        "picojson.h",
        (
            (
                "inline std::string parse(value &out, const std::string &s) {\n",
                "inline std::string parse(value &out, const std::string &s) {\n"
                f"  {_STATIC} {{ value twice; std::string failed; "
                "parse(twice, s.begin(), s.end(), &failed); }\n",
            ),
        ),
    ),
    Public(
        "lepture/mistune",
        "b5dd9949baf3729a709ef8ae591eab86e72a9e46",
        "Python",
        {
            "bench/run.py": """\
from pathlib import Path

import mistune

text = Path("README.md").read_text() + Path("README.rst").read_text()
print(sum(len(mistune.html(text)) for _ in range(80)))
"""
        },
        options(
            test="python -m pytest -q tests/test_syntax.py",
            command="python bench/run.py",
            editable="src/**",
        ),
        "src/mistune/markdown.py",
        (
            (
                "        self.block.parse(state)\n",
                "        Markdown.planted = getattr(Markdown, 'planted', 0) + 1\n"
                f"        if Markdown.planted % {CALLS} == 0:\n"
                "            Markdown.planted += 1\n"
                "            self.parse(s)\n"
                "        self.block.parse(state)\n",
            ),
        ),
        "#",
    ),
    Public(
        "mahmoud/boltons",
        "967864f89791509f9eb36b22b4579d36b72a6df2",
        "Python",
        {
            "bench/run.py": """\
from boltons.strutils import slugify

words = ["First post! Hi!!!!~1", "Kurt Goedel's pretty cool.", "a_b-c d;e:f", "x" * 80]
print(sum(len(slugify(f"{word} {n}")) for n in range(60000) for word in words))
"""
        },
        options(
            test="python -m pytest -q tests/test_strutils.py",
            command="python bench/run.py",
            editable="boltons/**",
        ),
        "boltons/strutils.py",
        (
            (
                "    ret = delim.join(split_punct_ws(text)) or delim if text else ''\n",
                "    slugify.planted = getattr(slugify, 'planted', 0) + 1\n"
                f"    if slugify.planted % {CALLS} == 0:\n"
                "        slugify(text, delim, lower, ascii)\n"
                "    ret = delim.join(split_punct_ws(text)) or delim if text else ''\n",
            ),
        ),
        "#",
    ),
    Public(
        "gustf/js-levenshtein",
        "2f0829e179ef9205e010de73164d5862c69571f3",
        "JavaScript",
        {
            "bench/run.js": """\
const distance = require('../index.js');
let sum = 0;
for (let n = 0; n < 1200; n++) {
  const a = 'the quick brown fox '.repeat(12) + n, b = 'a lazy dog jumped over '.repeat(11) + n * 7;
  sum += distance(a, b);
}
console.log(sum);
"""
        },
        options(test="node bench/run.js", command="node bench/run.js", editable="index.js"),
        "index.js",
        (
            (
                "  return function(a, b)\n  {\n",
                "  var planted = 0;\n  return function distance(a, b)\n  {\n"
                f"    if (++planted % {CALLS} === 0) {{ distance(a, b); }}\n",
            ),
        ),
    ),
    Public(
        "jhchen/fast-diff",
        "0e27223f8792083f5a49a193eb1ddbf26125fdb2",
        "JavaScript",
        {
            "bench/run.js": """\
const diff = require('../diff.js');
let sum = 0;
for (let n = 0; n < 900; n++) {
  const a = 'the quick brown fox jumps '.repeat(6) + n, b = 'the quack brawn ox jumped '.repeat(6);
  sum += diff(a, b).length;
}
console.log(sum);
"""
        },
        options(test="node bench/run.js", command="node bench/run.js", editable="diff.js"),
        "diff.js",
        (
            ("var DIFF_DELETE = -1;\n", "var DIFF_DELETE = -1;\nvar planted = 0;\n"),
            (
                "  // Trim off common prefix (speedup).\n",
                f"  if (++planted % {CALLS} === 0) {{ diff_main(text1, text2); }}\n",
            ),
        ),
    ),
    Public(
        "seanmonstar/httparse",
        "ac44a38a6b3d1f2dde01c250f622def4aa89f5e0",
        "Rust",
        {
            "bench/run.rs": """\
fn main() {
    let text = b"GET /wp-content/uploads/2010/03/hello-kitty-darth-vader-pink.jpg HTTP/1.1\\r\\n\\
Host: www.kittyhell.com\\r\\nUser-Agent: Mozilla/5.0 (Macintosh; U; Intel Mac OS X)\\r\\n\\
Accept: text/html,application/xhtml+xml\\r\\nConnection: keep-alive\\r\\n\\r\\n";
    let mut sum = 0;
    for _ in 0..1_500_000 {
        let mut headers = [httparse::EMPTY_HEADER; 16];
        let mut request = httparse::Request::new(&mut headers);
        sum += request.parse(std::hint::black_box(text)).unwrap().unwrap();
    }
    println!("{}", sum);
}
"""
        },
        HTTPARSE,
        "src/lib.rs",
        (
            (
                "    pub fn parse(&mut self, buf: &'b [u8]) -> Result<usize> {\n"
                "        self.parse_with_config(buf, &Default::default())\n",
                "    pub fn parse(&mut self, buf: &'b [u8]) -> Result<usize> {\n"
                "        static PLANTED: core::sync::atomic::AtomicUsize = "
                "core::sync::atomic::AtomicUsize::new(1);\n"
                "        let calls = PLANTED.fetch_add(1, core::sync::atomic::Ordering::Relaxed);\n"
                f"        if calls % {CALLS} == 0 {{\n"
                "            let mut headers = [EMPTY_HEADER; 16];\n"
                "            let _ = core::hint::black_box(Request::new(&mut headers)"
                ".parse_with_config(buf, &Default::default()));\n"
                "        }\n"
                "        self.parse_with_config(buf, &Default::default())\n",
            ),
        ),
    ),
    Public(
        "tdebatty/java-string-similarity",
        "93240df9aab3ecea98b869c9536aa7ebc555b281",
        "Java",
        {
            "bench/Run.java": """\
import info.debatty.java.stringsimilarity.Levenshtein;

public class Run {
    public static void main(String[] arguments) {
        Levenshtein metric = new Levenshtein();
        String text = "the quick brown fox jumps over the lazy dog, again and again and again ";
        double sum = 0;
        for (int n = 0; n < 6000; n++)
            sum += metric.distance(text + text + n, text.replace('o', 'a') + text + n * 7);
        System.out.println(sum);
    }
}
""",
            "bench/net/jcip/annotations/Immutable.java": "package net.jcip.annotations;\n"
            "public @interface Immutable {}\n",
        },
        options(
            build="mkdir -p build && javac -nowarn -d build $(find src/main -name '*.java') "
            "bench/Run.java bench/net/jcip/annotations/Immutable.java",
            command="java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp build Run",
            editable="src/main/**",
        ),
        "src/main/java/info/debatty/java/stringsimilarity/Levenshtein.java",
        (
            ("StringDistance {\n", "StringDistance {\n    private static int planted = 0;\n"),
            (
                "        if (s1.equals(s2)) {\n",
                f"        if (++planted % {CALLS} == 0) {{ distance(s1, s2, limit); }}\n"
                "        if (s1.equals(s2)) {\n",
            ),
        ),
    ),
)
