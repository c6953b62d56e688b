"""A double-buffered matrix product in Gluon: tiles are copied into LDS behind the product's back, on gfx950 and gfx1250.

Each mistake of the tutorial (`docs/src/gluon.md`) is one line that a constant parameter changes. Run it on arrays of
numpy with `WAVEMARK_ARCH=gfx1250 python gluon_gemm.py`, or test it with `pytest`: `test_gluon_gemm.py`.
"""

import os

import numpy as np
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3, gfx1250
from triton.experimental.gluon.language.amd.cdna4 import async_copy  # groups and waits are the same on gfx1250

import wavemark.triton
from wavemark.triton import tensor

# One thread copies 8 numbers of 16 bits at once.
VECTOR = gl.constexpr(8)


@gluon.jit
def copy_tile(smem, pointers, IS_GFX1250: gl.constexpr):
    """Begins to copy a tile into LDS."""
    if IS_GFX1250:
        gfx1250.async_copy.global_to_shared(smem, pointers)
    else:
        async_copy.global_load_to_shared(smem, pointers)


@gluon.jit
def multiply(a, b, sums, IS_GFX1250: gl.constexpr):
    """A product of the matrix cores."""
    if IS_GFX1250:
        return gfx1250.wmma(a, b, sums)
    else:
        return cdna3.mfma(a, b, sums)


@gluon.jit
def gemm(
    a_ptr, b_ptr, c_ptr, K, N,
    M_TILE: gl.constexpr, N_TILE: gl.constexpr, K_TILE: gl.constexpr, BUFFERS: gl.constexpr,
    COPIED: gl.constexpr, PRODUCT: gl.constexpr, IN_LDS: gl.constexpr,
    KEEP: gl.constexpr, IS_GFX1250: gl.constexpr,
):
    rows: gl.constexpr = gl.SliceLayout(1, COPIED)
    columns: gl.constexpr = gl.SliceLayout(0, COPIED)
    a_tiles = gl.allocate_shared_memory(gl.float16, [BUFFERS, M_TILE, K_TILE], IN_LDS)
    b_tiles = gl.allocate_shared_memory(gl.float16, [BUFFERS, K_TILE, N_TILE], IN_LDS)
    a_row = gl.program_id(0) * M_TILE + gl.arange(0, M_TILE, layout=rows)
    b_column = gl.program_id(1) * N_TILE + gl.arange(0, N_TILE, layout=columns)
    a_from = a_ptr + a_row[:, None] * K + gl.arange(0, K_TILE, layout=columns)[None, :]
    b_from = b_ptr + gl.arange(0, K_TILE, layout=rows)[:, None] * N + b_column[None, :]
    sums = gl.zeros([M_TILE, N_TILE], gl.float32, PRODUCT)

    copy_tile(a_tiles.index(0), a_from, IS_GFX1250)
    copy_tile(b_tiles.index(0), b_from, IS_GFX1250)
    async_copy.commit_group()
    steps = K // K_TILE
    for step in range(steps):
        after = step + 1
        if after < steps:
            copy_tile(a_tiles.index(after % BUFFERS), a_from + after * K_TILE, IS_GFX1250)
            copy_tile(b_tiles.index(after % BUFFERS), b_from + after * K_TILE * N, IS_GFX1250)
            async_copy.commit_group()
            async_copy.wait_group(KEEP)
        else:
            async_copy.wait_group(0)
        a = async_copy.load_shared_relaxed(a_tiles.index(step % BUFFERS), gl.DotOperandLayout(0, PRODUCT, VECTOR))
        b = async_copy.load_shared_relaxed(b_tiles.index(step % BUFFERS), gl.DotOperandLayout(1, PRODUCT, VECTOR))
        sums = multiply(a, b, sums, IS_GFX1250)

    row = gl.program_id(0) * M_TILE + gl.arange(0, M_TILE, layout=gl.SliceLayout(1, PRODUCT))
    column = gl.program_id(1) * N_TILE + gl.arange(0, N_TILE, layout=gl.SliceLayout(0, PRODUCT))
    gl.store(c_ptr + row[:, None] * N + column[None, :], sums)


def product(a, b, arch, *, keep=1, buffers=2, tiles=None):
    """`a @ b` by the kernel. The right one keeps one group in flight and has two buffers; `tiles` of rows are as many as fit."""
    is_gfx1250 = arch == "gfx1250"
    lanes, waves, tile = (32 if is_gfx1250 else 64), 4, 64
    if is_gfx1250:
        matrix_cores = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])
    else:
        matrix_cores = gl.amd.AMDMFMALayout(version=4, instr_shape=[16, 16, 32], transposed=True, warps_per_cta=[2, 2])
    copied = gl.BlockedLayout([1, VECTOR.value], [lanes // 8, 8], [waves, 1], [1, 0])
    in_lds = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n), np.float32)
    gemm[(tiles or m // tile, n // tile)](
        tensor(a), tensor(b), tensor(c), k, n, tile, tile, 64, buffers, copied, matrix_cores, in_lds,
        keep, is_gfx1250, num_warps=waves,
    )  # fmt: skip
    return c


if __name__ == "__main__":
    wavemark.triton.use(os.environ.get("WAVEMARK_ARCH", "gfx1250"))
    random = np.random.default_rng(1)
    left, right = (random.standard_normal((128, 256)).astype(np.float16) for _ in range(2))
    right = np.ascontiguousarray(right.T)
    found = product(left, right, os.environ.get("WAVEMARK_ARCH", "gfx1250"))
    np.testing.assert_allclose(found, left.astype(np.float32) @ right.astype(np.float32), rtol=1e-2, atol=1e-2)
    print(wavemark.triton.reports()[-1])
