"""Run and check AMD GPU kernels without a GPU.

    import numpy as np
    import wavemark

    x = np.arange(1000, dtype=np.float32)
    y = np.ones_like(x)
    out = np.empty_like(x)
    report = wavemark.load("vadd.hsaco").kernel("vadd").launch(4, 256, [x, y, out, 1000])
    assert report.ok, report

Arguments are numpy arrays, torch tensors on the CPU, whatever has the buffer protocol or DLPack, and numbers. Arrays that
share memory share it in the launch, too, and what the kernel writes is in them when `launch` returns.
"""

from ._wavemark import Error, Unsupported, __version__, set_max_memory
from ._campaign import CampaignReport, campaign
from ._device import Device, Kernel, Module, load, loads
from ._report import Finding, Page, Picture, Report, report

__all__ = [
    "CampaignReport",
    "Device",
    "Error",
    "Finding",
    "Kernel",
    "Module",
    "Page",
    "Picture",
    "Report",
    "Unsupported",
    "__version__",
    "campaign",
    "load",
    "loads",
    "report",
    "set_max_memory",
]
