from pathlib import Path
from typing import TYPE_CHECKING

from tests._later import Later

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
        found = tensors.read(file.fileno(), 64, map(tensors.facts, written))
        assert [one.tolist() for one in found] == [[0, 1, 2], [], 7]
        assert tensors.write(file.fileno(), 0, written[:1]) == 64
        assert file.seek(0, 2) == end
