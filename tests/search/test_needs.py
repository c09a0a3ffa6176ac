"""Needs of a winner: instruction sets, processors, memory."""

from pathlib import Path

import pytest

from maxcode.evaluation import Measurement
from maxcode.program import Program
from maxcode.search.needs import instruction_sets, runtime_needs

PLAIN = Program.of("int main() {}\n")
WINNERS = Path(__file__).parent / "winners"


@pytest.mark.parametrize(
    ("code", "sets"),
    [
        ("int main() { return __builtin_popcount(7) - fma(1, 2, 3); }", []),
        ('__attribute__((target("avx2,bmi2"))) int f();', ["AVX2", "BMI"]),
        ('#pragma GCC target("avx512f,popcnt")\n', ["AVX-512", "POPCNT"]),
        ('__attribute__((__target__("popcnt, avx2"))) int f();', ["AVX2", "POPCNT"]),
        ('#pragma GCC target("sse4.2", "no-avx2", "fma")\n', ["FMA", "SSE4"]),
        ('asm volatile("popcnt %1, %0" : "=r"(n) : "r"(x));', ["POPCNT"]),
        ('printf("%f",fma(1, 2, 3));  // no AVX2, avx2', []),
        ("__m256i sum = _mm256_setzero_si256();", ["AVX2"]),
        ("_mm_add_epi32(a, b)  // part of every x86-64", []),
        ('__attribute__((target_clones("avx2", "default"))) int f();', []),
        ('if (__builtin_cpu_supports("avx2")) fast(); __m256i x;', []),
        ("#ifdef __AVX2__\n__m256i x;\n#endif\n", []),
        ('#[target_feature(enable = "avx2")] unsafe fn f() {}', ["AVX2"]),
        ('if is_x86_feature_detected!("avx2") {} #[target_feature(enable = "avx2")]', []),
        ("load_inline(extra_cflags=['-O3','-march=native'])", ["a processor like this one"]),
        ("-O3 -mavx2 -mtune=native", ["AVX2"]),
        ("-march=x86-64-v3", ["AVX2"]),
        ("#ifdef __AVX2__\n#endif\n-march=haswell", ["a processor like this one"]),
        ("int x = -max(a, b) - m;", []),
    ],
)
def test_instruction_sets_are_named(code: str, sets: list[str]) -> None:
    assert instruction_sets(PLAIN, Program.of(code)) == sets
    assert instruction_sets(Program.of(code), Program.of(code)) == []


def test_recorded_winners() -> None:
    vectors, plain = (
        instruction_sets(PLAIN, Program.of((WINNERS / name).read_text()))
        for name in ("edit_distance.cpp", "report_building.cpp")
    )
    assert vectors == ["AVX-512", "BMI", "POPCNT"]
    assert plain == []


def test_processors_and_memory_are_those_of_the_runs() -> None:
    def run(cpu: float, wall: float, memory: float) -> list[Measurement]:
        figures = [("cpu", "s", cpu), ("wall", "s", wall), ("peak_memory", "B", memory)]
        return [Measurement(name, unit, (value,)) for name, unit, value in figures]

    before = run(1.0, 1.0, 4e6)
    assert runtime_needs(before, run(0.9, 0.9, 8e6)) == []
    assert runtime_needs(before, run(1.2, 0.3, 4e6)) == ["4 processors"]
    [memory] = runtime_needs(before, run(0.5, 0.5, 4e8))
    assert memory.startswith("400 MB of memory (4")
    assert runtime_needs(run(4.0, 1.0, 4e8), run(2.0, 0.5, 5e8)) == []
    assert runtime_needs(before[:1], before[:1]) == []
