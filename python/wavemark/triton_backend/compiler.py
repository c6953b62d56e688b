"""There is no compiler of ours: kernels are compiled by Triton's own backend for AMD's GPUs."""

from triton.backends.compiler import BaseBackend


class Compiler(BaseBackend):
    """What Triton asks of an entry point; it compiles for nothing."""

    @staticmethod
    def supports_target(target: object) -> bool:
        """Of no target."""
        return False


# Nobody makes one. Which methods are abstract depends on Triton's version.
Compiler.__abstractmethods__ = frozenset()
