"""Tensor descriptors that a launch passes by value: 80 bytes, as the tensor data mover of gfx1250 takes them.

The fields are those of the D# groups 0 to 3 (CDNA5 ISA, "Tensor Data Mover"). What Triton puts where, and how a block is
divided among waves, follows its AMD back end (Triton 3.8 and 3.9): each wave moves its part of the block, and its copy in
LDS is filled in by the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_LIMIT = 1 << 48
"""Strides have fewer bits."""


def descriptor(
    how: Mapping[str, Any], shape: Sequence[int], strides: Sequence[int], waves: int, address: int
) -> bytes:
    """The descriptor of a tensor at `address`; `how`: what the compiler says of the block."""
    block = list(how["block_size"])
    if not 1 <= len(block) <= 5 or len(shape) != len(block):
        raise ValueError(f"a tensor descriptor of {len(shape)} dimensions and a block of {len(block)}")
    for stride in strides:
        if not 0 <= stride < _LIMIT:
            raise ValueError(f"a stride of {stride} elements does not fit into 48 bits")
    element = how["elem_bits"] // 8
    # From here on the innermost dimension is the first, as in the descriptor.
    sizes = [int(one) for one in reversed(shape)]
    steps = [int(one) for one in reversed(strides)][1:]
    tiles = list(reversed(_of_wave(block, waves)))
    absent = 5 - len(sizes)
    sizes, steps, tiles = sizes + [0] * absent, steps + [0] * absent, tiles + [0] * absent
    word = _Words()
    # Group 0: valid for this wave, the address, the kind of descriptor.
    word.put(0, 1, 1)
    word.put(64, 57, address)
    word.put(126, 2, 2)
    # Group 1: the size of an element, padding, and the two inner dimensions.
    word.put(128 + 16, 2, element.bit_length() - 1)
    for interval, amount in how.get("interval_padding_pairs") or ():
        interval, amount = interval * element // 4, amount * element // 4
        if interval > 0 and amount > 0:
            word.put(128 + 20, 1, 1)
            word.put(128 + 22, 3, interval.bit_length() - 2)
            word.put(128 + 25, 7, amount - 1)
    word.put(128 + 48, 32, sizes[0])
    word.put(128 + 80, 32, sizes[1])
    for dimension in range(3):
        word.put(128 + 112 + 16 * dimension, 16, tiles[dimension])
    word.put(128 + 160, 48, steps[0])
    word.put(128 + 208, 48, steps[1])
    # Groups 2 and 3: the outer dimensions.
    word.put(384, 32, sizes[2])
    word.put(384 + 32, 32, sizes[3])
    word.put(384 + 64, 48, steps[2])
    word.put(384 + 112, 16, tiles[3])
    word.put(512, 48, steps[3])
    word.put(512 + 48, 32, sizes[4])
    word.put(512 + 80, 16, tiles[4])
    return word.value.to_bytes(80, "little")


class _Words:
    """Bits that are put together."""

    def __init__(self) -> None:
        self.value = 0

    def put(self, at: int, bits: int, value: int) -> None:
        """The low `bits` bits of a value at bit `at`."""
        self.value |= (value & (1 << bits) - 1) << at


def _of_wave(block: Sequence[int], waves: int) -> list[int]:
    """The part of a block that one wave moves: outer dimensions are divided first, none below one element."""
    if len(block) == 1:
        return [-(-block[0] // waves)]
    parts = []
    for size in block:
        share = 1
        while waves > 1 and share * 2 <= size:
            share, waves = share * 2, waves // 2
        parts.append(-(-size // share))
    return parts
