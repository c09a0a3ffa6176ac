"""The commits of public_changes.py: what they claim, and a benchmark that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from public_project_list import HTTPARSE, options


@dataclass(frozen=True)
class Change:
    """A commit, the benchmark added to its project, and how that is judged.

    ``options`` are those of `maxcode init`; ``path`` is a file to be commented, and in which
    ``broken`` replaces a text to break a test. ``empty`` is a command with nothing to do.
    """

    repo: str
    commit: str
    language: str
    claim: str
    files: dict[str, str]
    options: tuple[str, ...]
    path: str
    broken: tuple[str, str]
    comment: str = "//"
    empty: str = "true"

    @property
    def name(self) -> str:
        """Name in the results."""
        return self.repo.partition("/")[2]

    def option(self, name: str) -> str:
        """Value of an option; empty without it."""
        words = dict(zip(self.options[::2], self.options[1::2], strict=True))
        return words.get(f"--{name}", "")


CHANGES = (
    Change(
        "rapidfuzz/strsim-rs",
        "66822fe5a002827ebb08cd2cdaec8746725a829f",
        "Rust",
        "reduce runtime of OSA",
        {
            "bench/run.rs": """\
fn main() {
    let n = 5 + std::env::args().count();
    let (a, b) = ("the quick brown fox jumps ".repeat(n), "the quack brawn ox jumped ".repeat(n));
    let mut sum = 0;
    for _ in 0..1500 {
        sum += strsim::osa_distance(&a, &b);
    }
    println!("{}", sum);
}
"""
        },
        options(
            build="mkdir -p build && rustc --edition 2015 -O --crate-type rlib --crate-name strsim "
            "--cap-lints allow -o build/libstrsim.rlib src/lib.rs && rustc --edition 2021 -O "
            "--extern strsim=build/libstrsim.rlib -o build/run bench/run.rs && rustc "
            "--edition 2015 --test --cap-lints allow -o build/unit src/lib.rs",
            test="build/unit",
            command="build/run",
            editable="src/**",
        ),
        "src/lib.rs",
        ("{ 0 } else { 1 };\n", "{ 0 } else { 2 };\n"),
    ),
    Change(
        "seanmonstar/httparse",
        "5dd152e97d9c9d381821118dcbce3954cd373a68",
        "Rust",
        "improve non-SIMD with wordwise validation",
        {
            "bench/run.rs": """\
fn main() {
    let text = b"GET /wp-content/uploads/2010/03/hello-kitty-darth-vader-pink.jpg HTTP/1.1\\r\\n\\
Host: www.kittyhell.com\\r\\nUser-Agent: Mozilla/5.0 (Macintosh; U; Intel Mac OS X)\\r\\n\\
Accept: text/html,application/xhtml+xml\\r\\nConnection: keep-alive\\r\\n\\r\\n";
    let mut sum = 0;
    for _ in 0..400_000 {
        let mut headers = [httparse::EMPTY_HEADER; 16];
        let mut request = httparse::Request::new(&mut headers);
        sum += request.parse(&text[std::env::args().count() - 1..]).unwrap().unwrap();
    }
    println!("{}", sum);
}
"""
        },
        HTTPARSE,
        "src/lib.rs",
        ("    b > 0x1F && b < 0x7F\n", "    b > 0x1F && b < 0x6F\n"),
    ),
    Change(
        "commonmark/cmark",
        "d51bb0e45be412f1f36b010f7458d2c392e28f2b",
        "C",
        "optimize S_find_first_nonspace",
        {
            "bench/in.md": "".join(f"{'  ' * depth}- a\n" for depth in range(40))
            + f"{'  ' * 40}text\n" * 4000
        },
        options(
            setup="cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "
            "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
            build="cmake --build build -j {jobs} --target cmark --target api_test",
            test="build/api_test/api_test",
            command="build/src/cmark bench/in.md",
            editable="src/**",
        ),
        "src/blocks.c",
        ("#define CODE_INDENT 4", "#define CODE_INDENT 5"),
    ),
    Change(
        "leethomason/tinyxml2",
        "b2e08e4bc09aef0011a16476083f951166786f98",
        "C++",
        "stream writing to buffer will be x5 faster",
        {
            "bench/run.cpp": """\
#include "../tinyxml2.h"
#include <cstdio>

int main() {
    tinyxml2::XMLDocument document;
    tinyxml2::XMLElement* root = document.NewElement("root");
    document.InsertFirstChild(root);
    for (int n = 0; n < 2000; n++) {
        tinyxml2::XMLElement* row = document.NewElement("row");
        row->SetAttribute("id", n);
        row->SetAttribute("name", "some & other");
        root->InsertEndChild(row);
    }
    size_t sum = 0;
    for (int round = 0; round < 80; round++) {
        tinyxml2::XMLPrinter printer;
        document.Print(&printer);
        sum += printer.CStrSize();
    }
    std::printf("%zu\\n", sum);
}
"""
        },
        options(
            build="mkdir -p build resources/out && c++ -O2 -o build/run bench/run.cpp tinyxml2.cpp "
            "&& c++ -O1 -o build/xmltest xmltest.cpp tinyxml2.cpp",
            test="mkdir -p resources/out && build/xmltest > /tmp/printed; "
            "! grep -q '^\\[fail\\]' /tmp/printed",
            command="build/run",
            editable="tinyxml2.*",
        ),
        "tinyxml2.cpp",
        ('    Print( "<%s", name );\n', '    Print( "<%s ", name );\n'),
    ),
    Change(
        "google/uuid",
        "edef28d0c8acc7d3bdfaddde8ab27de602cc131b",
        "Go",
        "the failure per se is much faster",
        {
            "bench/run.go": """\
package main

import (
	"fmt"

	"github.com/google/uuid"
)

func main() {
	sum := 0
	for n := 0; n < 600000; n++ {
		if _, err := uuid.Parse("0123456789-short"); err != nil {
			sum++
		}
	}
	fmt.Println(sum)
}
"""
        },
        options(
            build="go build -o build/run ./bench",
            test="go test -v .",
            command="build/run",
            editable="uuid.go",
        ),
        "uuid.go",
        ("\tcase 36 + 9:\n", "\tcase 36 + 8:\n"),
    ),
    Change(
        "agnivade/levenshtein",
        "c1c2800fa4ff2cde30d7896611c8f7ada70474ee",
        "Go",
        "reduce allocs",
        {
            "bench/run.go": """\
package main

import (
	"fmt"

	levenshtein ".."
)

func main() {
	sum := 0
	for n := 0; n < 600000; n++ {
		sum += levenshtein.ComputeDistance("kitten", "sitting")
	}
	fmt.Println(sum)
}
"""
        },
        options(
            build="mkdir -p build && GO111MODULE=off GOFLAGS= go build -o build/run bench/run.go",
            test="",
            command="build/run",
            editable="levenshtein.go",
        ),
        "levenshtein.go",
        ("\t\tx[lenS1] = prev\n", "\t\tx[lenS1] = prev + 1\n"),
    ),
    Change(
        "kjd/idna",
        "5beb28b9dd77912c0dd656d8b0fdba3eb80222e7",
        "Python",
        "more efficient resolution of joiner contexts",
        {
            "bench/run.py": """\
from idna.core import valid_contextj

label = "a" * 60 + "\\u200c" + "a" * 60
print(sum(valid_contextj(label, 60) for _ in range(40000)))
"""
        },
        options(
            test="python -m pytest -q tests/test_idna.py",
            command="python bench/run.py",
            editable="idna/**",
        ),
        "idna/core.py",
        ("    if cp_value == 0x200c:\n", "    if cp_value == 0x200d + 9:\n"),
        "#",
        "python -c pass",
    ),
    Change(
        "Kludex/python-multipart",
        "a790e40477bf7e4be04dd709272660a0ef62984c",
        "Python",
        "improve performance, especially in data with many CR-LF",
        {
            "bench/run.py": """\
from multipart.multipart import MultipartParser

body = (
    b"--bound\\r\\nContent-Disposition: form-data; name=a; filename=b\\r\\n\\r\\n"
    + b"\\r\\n" * 60000 + b"\\r\\n--bound--\\r\\n"
)
parts = [0]
def count(*_):
    parts[0] += 1
for _ in range(3):
    parser = MultipartParser(b"bound", {"on_part_end": count})
    parser.write(body)
    parser.finalize()
print(parts[0])
"""
        },
        options(
            test="python -m pytest -q tests/test_multipart.py",
            command="python bench/run.py",
            editable="multipart/**",
        ),
        "multipart/multipart.py",
        (
            '        self.boundary = b"\\r\\n--" + boundary\n',
            '        self.boundary = b"--" + boundary\n',
        ),
        "#",
        "python -c 'import logging'",
    ),
    Change(
        "aio-libs/multidict",
        "acdd2d169b804a3066530874d2031dacef460cfa",
        "Python with C",
        "optimize C version of getall()",
        {
            "bench/run.py": """\
from multidict import MultiDict

rows = MultiDict((f"key {n}", n) for n in range(2000))
print(sum(len(rows.getall("none", ())) for _ in range(20000)))
"""
        },
        options(
            build="python setup.py -q build_ext --inplace",
            test="python -m pytest -q -c /dev/null --rootdir . tests/test_mutable_multidict.py",
            command="python bench/run.py",
            editable="multidict/**",
        ),
        "multidict/_multilib/hashtable.h",
        ("    return *ret != NULL;\n", "    return *ret == NULL;\n"),
        "//",
        "python -c pass",
    ),
    Change(
        "ilanschnell/bitarray",
        "22a7496b",
        "Python with C",
        "speedup big-endian shifts",
        {
            "bench/run.py": """\
from bitarray import bitarray

bits = bitarray("1100101" * 20000, endian="big")
for n in range(3000):
    bits >>= 1 + n % 3
    bits <<= 1 + n % 3
print(bits.count())
"""
        },
        options(
            build="python setup.py -q build_ext --inplace",
            test="python -m pytest -q -c /dev/null --rootdir . bitarray/test_bitarray.py -k Shift",
            command="python bench/run.py",
            editable="bitarray/*.c",
        ),
        "bitarray/_bitarray.c",
        ("shift_r8(", "shift_r8_("),
        "//",
        "python -c pass",
    ),
    Change(
        "npm/node-semver",
        "e37e0ca0b5fc910d2b1948d25dbc83cc3a0921ea",
        "JavaScript",
        "faster paths for compare",
        {
            "bench/run.js": """\
const SemVer = require('../classes/semver.js');
const versions = [];
for (let n = 0; n < 300; n++) versions.push(new SemVer(`1.${n % 7}.${n % 11}`));
let sum = 0;
for (let round = 0; round < 40; round++)
  for (const a of versions) for (const b of versions) sum += a.compareMain(b);
console.log(sum);
"""
        },
        options(
            test="node bench/run.js",
            command="node bench/run.js",
            editable="*/*.js",
        ),
        "classes/semver.js",
        ("compareIdentifiers(this.minor, other.minor)", "compareIdentifiers(this.minor, 0)"),
        "//",
        "node -e 0",
    ),
    Change(
        "ka-weihe/fastest-levenshtein",
        "f63ea0c5fce88265fd82cae0e507fa7b539f6156",
        "JavaScript and TypeScript",
        "big optimization",
        {
            "bench/run.js": """\
const { distance } = require('../index.js');
let sum = 0;
for (let n = 0; n < 6000; n++)
  sum += distance('the quick brown fox '.repeat(12) + n, 'a lazy dog jumped over '.repeat(11));
console.log(sum);
"""
        },
        options(test="node bench/run.js", command="node bench/run.js", editable="[im]*.[jt]s"),
        "index.js",
        ("let score = m;", "let score = m + 1;"),
        "//",
        "node -e 0",
    ),
)
