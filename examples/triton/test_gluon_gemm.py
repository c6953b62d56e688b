"""The double-buffered product and its mistakes: `WAVEMARK_ARCH=gfx1250 pytest --wavemark test_gluon_gemm.py`."""

import numpy as np
import pytest
import triton
from gluon_gemm import product


@pytest.fixture
def arch():
    """The processor that the kernels are compiled for."""
    return triton.runtime.driver.active.get_current_target().arch


def check(arch, **mistake):
    """The kernel's product, held against that of numpy."""
    random = np.random.default_rng(1)
    a = random.standard_normal((64, 256)).astype(np.float16)
    b = random.standard_normal((256, 64)).astype(np.float16)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(product(a, b, arch, **mistake), expected, rtol=1e-2, atol=1e-2)


def test_right(arch):
    check(arch)


@pytest.mark.wavemark_findings("R4")
def test_a_wait_that_is_too_weak(arch):
    check(arch, keep=2)


@pytest.mark.wavemark_findings("R4")
def test_a_buffer_too_few(arch):
    check(arch, buffers=1)


@pytest.mark.wavemark_findings("O1")
def test_a_tile_beyond_the_end(arch):
    check(arch, tiles=2)
