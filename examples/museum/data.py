#!/usr/bin/env python3
"""Writes the inputs and expected outputs (.npy) of the museum's kernels. Every expectation is computed here from what the
kernel is meant to compute, not from what it did. Run it after a change; the files are committed."""
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
CODES = {"<f2": "e", "<f4": "f", "<u4": "I"}


def npy(case, name, descr, shape, values):
    """Writes `values`, in C order, as an array of `shape`."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (descr, "".join("%d, " % n for n in shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    count = 1
    for extent in shape:
        count *= extent
    assert count == len(values), (case, name, count, len(values))
    with open(os.path.join(HERE, case, name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%d%s" % (count, CODES[descr]), *values))


def small(count, seed):
    """Integers from -4 to 4, without a pattern that hides a tile taken for another."""
    state, values = seed, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        values.append((state >> 16) % 9 - 4)
    return values


def mfma(a, b, d):
    """v_mfma_f32_16x16x32_f16: fragments of 64 lanes x 8 halves; lane l has row (column) l % 16, k from l // 16 * 8."""
    for lane in range(64):
        for r in range(4):
            row, column = lane // 16 * 4 + r, lane % 16
            for k in range(32):
                d[lane * 4 + r] += a[(row + k // 8 * 16) * 8 + k % 8] * b[(column + k // 8 * 16) * 8 + k % 8]


def fragments(values):
    """The fragments of 512 halves in `values`."""
    return [values[i : i + 512] for i in range(0, len(values), 512)]


def f01():
    case = "f01-lds-read-count"
    halves = small(3 * 5 * 512, 1)
    npy(case, "frags.npy", "<f2", [3, 5, 64, 8], halves)
    c = [0] * 256
    parts = fragments(halves)
    for tile in range(3):
        for part in range(4):
            mfma(parts[5 * tile + part], parts[5 * tile + 4], c)
    npy(case, "c_expected.npy", "<f4", [64, 4], c)


def f02():
    case = "f02-tdm-prefetch-0"
    value = [0, 0.5, 1, 1.5, 2, 3, 4, 6]                # of an fp4 code
    codes = [(1, 4), (5, 2), (3, 6), (7, 1), (2, 5)]    # A and B of each tile
    npy(case, "tiles.npy", "<u4", [5, 2, 256], [code * 0x11111111 for pair in codes for code in pair for _ in range(256)])
    d = sum(128 * value[a] * value[b] for a, b in codes)
    npy(case, "d_expected.npy", "<f4", [2, 32, 8], [d] * 512)


def gemm(pairs):
    """The sum of the products of pairs of fragments."""
    c = [0] * 256
    for a, b in pairs:
        mfma(a, b, c)
    return c


def f03():
    case = "f03-reads-before-the-loop"
    halves = small(3 * 2 * 512, 3)
    npy(case, "frags.npy", "<f2", [3, 2, 64, 8], halves)
    parts = fragments(halves)
    pairs = list(zip(parts[0::2], parts[1::2]))
    npy(case, "c_expected.npy", "<f4", [2, 64, 4], gemm(pairs) + gemm(pairs[2:]))


def f05():
    case = "f05-refill-before-read"
    halves = small(3 * 2 * 512, 5)
    npy(case, "frags.npy", "<f2", [3, 2, 64, 8], halves)
    parts = fragments(halves)
    npy(case, "c_expected.npy", "<f4", [2, 64, 4], gemm(zip(parts[0::2], parts[1::2])) * 2)


def f07():
    case = "f07-shared-rotation"
    halves = small(4 * 2 * 512, 7)
    npy(case, "slices.npy", "<f2", [4, 2, 64, 8], halves)
    parts = fragments(halves)
    pairs = list(zip(parts[0::2], parts[1::2]))
    npy(case, "c_expected.npy", "<f4", [2, 2, 64, 4], gemm(pairs[:3]) * 2 + gemm(pairs) * 2)


def mirrored(tiles, lanes):
    """Tiles of four numbers a lane, 0, 1, 2, ..., each tile with its lanes in reverse."""
    return [4 * (lanes * tile + lanes - 1 - lane) + i for tile in range(tiles) for lane in range(lanes) for i in range(4)]


def f09():
    npy("f09-barrier-before-wait", "dst_expected.npy", "<u4", [3, 256, 4], mirrored(3, 256))


def f04():
    npy("f04-tdm-triple-buffer", "dst_expected.npy", "<u4", [6, 64, 4], mirrored(6, 64))


def f11():
    npy("f11-eleventh-copy", "dst_expected.npy", "<u4", [64], [sum(64 * row + i for row in range(12)) for i in range(64)])


def f12():
    npy("f12-copy-crosses-barrier", "dst_expected.npy", "<u4", [4, 128, 4], mirrored(4, 128))


def f14():
    npy("f14-four-stages-three-buffers", "dst_expected.npy", "<u4", [6, 32, 4], [2 * i + 1 for i in range(6 * 32 * 4)])


def f18():
    case = "f18-partial-vmcnt"
    a, w = small(3 * 2 * 512, 18), small(3 * 2 * 512, 81)
    npy(case, "a.npy", "<f2", [3, 2, 64, 8], a)
    npy(case, "w.npy", "<f2", [3, 2, 64, 8], w)
    npy(case, "c_expected.npy", "<f4", [2, 64, 4], gemm(zip(fragments(a), fragments(w))) * 2)


def f20():
    case = "f20-second-reduction"
    x = [value + 4 for value in small(256, 20)]
    npy(case, "x.npy", "<u4", [2, 128], x)
    q = []
    for group in (x[:128], x[128:]):
        for i in range(128):
            column = [group[i % 32 + 32 * wave] for wave in range(4)]
            q.append(sum((4 * value - sum(column)) ** 2 for value in column))
    npy(case, "q_expected.npy", "<u4", [2, 128], q)


def f21():
    case = "f21-release-without-wait"
    x = [value + 5 for value in small(256, 21)]
    npy(case, "x.npy", "<u4", [256], x)
    npy(case, "out_expected.npy", "<u4", [256], [0] * 64 + [value * value for value in x[64:]])


def f06():
    npy("f06-store-below-barrier", "dst_expected.npy", "<u4", [3, 128, 4], mirrored(3, 128))


def f08():
    case = "f08-lds-reused-by-combine"
    lse, o = [value + 5 for value in small(8, 8)], [value + 4 for value in small(512, 80)]
    npy(case, "lse.npy", "<u4", [8], lse)
    npy(case, "o.npy", "<u4", [8, 64], o)
    npy(case, "out_expected.npy", "<u4", [64], [sum(lse[s] * o[64 * s + i] for s in range(8)) for i in range(64)])


def f10():
    npy("f10-wrong-counter", "dst_expected.npy", "<u4", [4, 64, 4], [2 * i + 1 for i in range(4 * 64 * 4)])


def f13():
    values = [sum(128 * row + i for row in range(4)) for i in range(128)]
    npy("f13-address-overwritten", "dst_expected.npy", "<u4", [32, 4], values)


def f15():
    case = "f15-stale-count"
    halves = small(5 * 4 * 512, 15)
    npy(case, "frags.npy", "<f2", [5, 2, 2, 64, 8], halves)
    parts = fragments(halves)   # of each tile A0 A1 B0 B1
    c = [gemm(zip(parts[wave::4], parts[3 - wave :: 4])) for wave in range(2)]
    npy(case, "c_expected.npy", "<f4", [2, 64, 4], c[0] + c[1])


def f16():
    case = "f16-two-groups-a-tile"
    halves = small(6 * 4 * 512, 16)
    npy(case, "frags.npy", "<f2", [6, 2, 2, 64, 8], halves)
    parts = fragments(halves)
    c = [gemm(zip(parts[1 - wave :: 4], parts[3 - wave :: 4])) for wave in range(2)]
    npy(case, "c_expected.npy", "<f4", [2, 64, 4], c[0] + c[1])


def f17():
    case = "f17-trailing-group"
    halves = small(6 * 2 * 512, 17)
    npy(case, "frags.npy", "<f2", [6, 2, 64, 8], halves)
    parts = fragments(halves)
    npy(case, "c_expected.npy", "<f4", [2, 64, 4], gemm(zip(parts[0::2], parts[1::2])) * 2)


def f19():
    dst = []
    for tile in range(8):
        for half in range(2):
            narrow = tile >= 4 and half == 1    # never written
            lanes = [[4 * (128 * tile + 64 * half + 63 - lane) + i for i in range(4)] for lane in range(64)]
            dst += [0xFFFFFFFF if narrow else value for lane in lanes for value in lane]
    npy("f19-other-tile-shape", "dst_expected.npy", "<u4", [2, 4, 2, 64, 4], dst)


if __name__ == "__main__":
    for name, write in sorted(globals().items()):
        if name[0] == "f" and name[1:].isdigit():
            write()
