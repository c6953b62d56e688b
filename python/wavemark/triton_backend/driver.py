"""The driver that is Triton's default where the environment asks for it."""

import os
from typing import Any

from triton.backends.driver import DriverBase


class Driver(DriverBase):
    """What Triton asks of an entry point; making one gives the driver of `wavemark.triton`."""

    def __new__(cls) -> Any:
        # Not before: it needs Triton whole.
        from ..triton import default_driver

        return default_driver()

    @staticmethod
    def is_active() -> bool:
        """The environment names this backend; or a processor, and no HIP runtime, which AMD's own driver would be on."""
        if backend := os.environ.get("TRITON_DEFAULT_BACKEND"):
            return backend == "wavemark"
        return bool(os.environ.get("WAVEMARK_ARCH")) and not os.environ.get("TRITON_LIBHIP_PATH")


# What it is asked for, the driver that it becomes does. Which methods are abstract depends on Triton's version.
Driver.__abstractmethods__ = frozenset()
