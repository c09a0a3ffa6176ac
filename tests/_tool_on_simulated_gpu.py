"""What stand-ins for NVIDIA's tools run: a worker on a simulated GPU, then what the tool prints.

Its arguments: the tool's name, the folder of the device, and the worker's own.
"""

import json
import runpy
import sys
from pathlib import Path

FINDING = """\
========= Invalid __global__ write of size 4 bytes
=========     at doubled(float *, int)+0x160 in cuda.cu:6
=========     by thread (31,0,0) in block (7,0,0)
=========     Address 0x7f1234500ffc is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: [0x2774ec] in libcuda.so.1
========= ERROR SUMMARY: 1 error
"""
COUNTED = """\
==PROF== Connected to process 42 (/usr/bin/python3.12)
==PROF== Profiling "doubled" - 0: 0%....50%....100% - 1 pass
==PROF== Disconnected from process 42
"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum","gpu__time_duration.sum"
"","","","","byte","ns"
"0","doubled(float *, int)","(256, 1, 1)","(64, 1, 1)","65,536","2,048"
"""

tool, device = sys.argv[1:3]
main = next(one for one in sys.argv[3:] if one.endswith("main.py"))
sys.argv = [main, sys.argv[-1]]
sys.path += json.loads(sys.argv[-1])["packages"]
simulated = runpy.run_path(str(Path(__file__).with_name("_simulated_cuda.py")))
simulated["install"](device, 1 << 30)
runpy.run_path(main, run_name="__main__")

import torch  # noqa: E402

state = torch.cuda.simulated  # type: ignore[attr-defined]
said = ["========= COMPUTE-SANITIZER" if tool != "ncu" else "==PROF== Connected to process 42"]
if tool == "ncu":
    said.append(COUNTED if state.profiled else "==WARNING== No kernels were profiled.")
else:
    said.append(FINDING if state.faulty else "========= ERROR SUMMARY: 0 errors")
sys.stdout.write("\n".join([*said, ""]))
