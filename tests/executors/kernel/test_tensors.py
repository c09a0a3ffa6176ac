import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests._later import Later

from maxcode.executors.kernel.worker.messages import Fact

if TYPE_CHECKING:
    import torch

    from maxcode.executors.kernel.worker import tensors
else:
    torch, tensors = Later("torch"), Later("maxcode.executors.kernel.worker.tensors")


def test_a_file_holds_all_that_is_read_of_it(tmp_path: Path) -> None:
    written = [torch.arange(3), torch.zeros(0), torch.tensor(7)]
    with (tmp_path / "tensors").open("w+b") as file:
        end = tensors.write(file.fileno(), 64, written)
        assert file.seek(0, 2) == end
        file.seek(64)
        found = tensors.empty(tensors.facts(written))
        tensors.fill(found, file.readinto)
        assert [one.tolist() for one in found] == [[0, 1, 2], [], 7]
        assert tensors.write(file.fileno(), 0, written[:1]) == 64
        assert file.seek(0, 2) == end


def test_the_size_of_a_tensor_is_right_for_each_type_that_torch_has() -> None:
    import torch  # noqa: PLC0415 - to list what it has

    known = {one for one in vars(torch).values() if isinstance(one, torch.dtype)}
    # Without types that are only names so far, or need a scale.
    plain = [one for one in known if not re.match(r"torch\.(q|bits|u?int[1-7]$)", str(one))]
    assert len(plain) > 20
    for dtype in plain:
        name = str(dtype).removeprefix("torch.")
        assert Fact(name, (3, 5)).bytes == 15 * dtype.itemsize, name
