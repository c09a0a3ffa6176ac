import pytest

from maxcode.errors import ToolError
from maxcode.evaluation import KernelUse
from maxcode.toolchain.extension_facts import named_archs, resources

# As nvcc 13.0 with -Xptxas -v and c++filt print it; the last is from nvcc 11.
SAID = """\
ptxas info    : 28 bytes gmem, 224 bytes cmem[4]
ptxas info    : Compiling entry function 'void scale<256>(float const*, float*, int)' for 'sm_75'
ptxas info    : Function properties for void scale<256>(float const*, float*, int)
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0]
ptxas info    : Compile time = 21.559 ms
ptxas info    : Compiling entry function '_Z5spillPf' for 'sm_75'
ptxas info    : Function properties for _Z5spillPf
    800 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers, 800 bytes cumulative stack size, 360 bytes cmem[0]
ptxas info    : Compile time = 199.583 ms
cuda.cu(3): warning: something else
ptxas info    : Compiling entry function 'old(float*)' for 'sm_80'
ptxas info    : Used 255 registers, 96+0 bytes smem, 352 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compiling entry function 'calls(float*)' for 'sm_100a'
ptxas info    : Function properties for calls(float*)
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 256 bytes cumulative stack size
ptxas info    : Function properties for helper(float*, int)
    248 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
"""  # noqa: E501


def test_what_kernels_need_is_read() -> None:
    scale = "void scale<256>(float const*, float*, int)"
    assert resources(SAID) == (
        KernelUse(scale, 8, 1024, arch="sm_75"),
        KernelUse("_Z5spillPf", 64, 0, 28, local=800, arch="sm_75"),
        KernelUse("old(float*)", 255, 96, arch="sm_80"),
        KernelUse("calls(float*)", 40, 0, local=256, arch="sm_100a"),
    )


@pytest.mark.parametrize(
    ("text", "archs"),
    [
        ("8.0, 9.0a;9.0+PTX 8.0", ("8.0", "9.0a", "9.0+PTX")),
        ("native", ()),
        ("", ()),
    ],
)
def test_lists_of_architectures_are_numbers(text: str, archs: tuple[str, ...]) -> None:
    assert named_archs(text) == archs


def test_an_unknown_architecture_is_no_silent_default() -> None:
    with pytest.raises(ToolError, match=r"holds 'Hopper'; it takes numbers such as 9\.0a"):
        named_archs("8.0 Hopper")
