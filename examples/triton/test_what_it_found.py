"""Defects that Wavemark has found in the wild, in kernels of our own that have the same shape (`docs/src/found.md`).

    pytest --wavemark --wavemark-arch gfx950,gfx1250 test_what_it_found.py
"""

import numpy as np
import pytest
import triton
import triton.language as tl

from wavemark.triton import tensor


def arch():
    """The processor that kernels are compiled for."""
    return triton.runtime.driver.active.get_current_target().arch


@triton.jit
def smallest(x, out, BLOCK: tl.constexpr):
    # All lanes go to one address: the compiler combines them before the atomic.
    tl.atomic_min(out + tl.zeros([BLOCK], tl.int32), tl.load(x + tl.arange(0, BLOCK)))


def test_signed_minimum():
    """Triton 3.9 combines lanes by the unsigned minimum on gfx942 and gfx950: a negative number is the largest one."""
    x, out = np.arange(-3, 61, dtype=np.int32), np.full(1, 100, dtype=np.int32)
    smallest[(1,)](tensor(x), tensor(out), BLOCK=64, num_warps=1)
    combined_unsigned = arch() in ("gfx942", "gfx950")
    assert out[0] == (0 if combined_unsigned else -3)


@triton.jit
def normalise(x, n, BLOCK: tl.constexpr):
    row = x + tl.program_id(0) * n
    first = tl.load(row)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(row + at, tl.load(row + at, mask=inside) - first, mask=inside)


@pytest.mark.wavemark_findings("M1")
def test_a_value_that_is_overwritten_in_place():
    """A row is shifted by its first element, in place. What one wave stores, another one may still have to load."""
    x = np.arange(512, dtype=np.float32).reshape(2, 256) + 1
    normalise[(2,)](tensor(x), 256, BLOCK=256, num_warps=4)


@triton.jit
def add_under_a_lock(lock, sums, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(sums + at, tl.load(sums + at) + 1)
    tl.atomic_xchg(lock, 0)


@pytest.mark.wavemark_findings("M5")
def test_a_lock_that_is_released_too_early():
    """One wave releases the lock while stores of the other waves of its program are not over."""
    if arch() != "gfx1250":
        pytest.skip("compute units of gfx9 keep the order of stores: an error with --model cu-order=workgroup alone")
    lock, sums = np.zeros(1, np.int32), np.zeros(512, np.int32)
    add_under_a_lock[(4,)](tensor(lock), tensor(sums), BLOCK=512)


@triton.jit
def count_and_look(counter, out):
    tl.atomic_add(counter, 1)
    tl.store(out + tl.program_id(0), tl.load(counter))


@pytest.mark.wavemark_findings("M1")
def test_a_plain_load_of_a_counter():
    """Other programs add to the counter: a load that is no atomic may see anything."""
    count_and_look[(4,)](tensor(np.zeros(1, np.int32)), tensor(np.zeros(4, np.int32)))


@triton.jit
def unmasked(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


@pytest.mark.wavemark_findings("O1")
def test_loads_beyond_the_tensor():
    """The last program's block is not full, and there is no mask."""
    unmasked[(4,)](tensor(np.zeros(1000, np.float32)), tensor(np.zeros(1024, np.float32)), BLOCK=256)
