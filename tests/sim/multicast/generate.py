#!/usr/bin/env python3
"""Writes the 36 multicast cases of this folder: sync/ (17, CLUSTER_LOAD_B*) and async/ (19,
CLUSTER_LOAD_ASYNC_TO_LDS_B*), one folder each with kernel.s, launch.toml and expect.toml.

They re-create, in assembly, the groups of the public gfx1250 multicast load tests: what each wave does, the data
and the expected outputs are the same; every expectation is computed here from that description.
Run it in this folder after a change; the files are committed.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
BYTES = {"b32": 4, "b64": 8, "b128": 16}
LOG2 = {"b32": 2, "b64": 3, "b128": 4}
cases = 0


def regs(first, width):
    """The VGPRs from `first` that hold one value of `width`."""
    count = BYTES[width] // 4
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


class Case:
    """A kernel under construction. Arguments are buffers of u32; their addresses are in s[4:5], s[6:7], ..."""

    def __init__(self, folder, note, grid=(1, 1, 1), cluster=None, waves=1, lds=0):
        self.folder, self.note, self.grid, self.cluster = folder, note, grid, cluster
        self.waves, self.lds = waves, lds
        self.args, self.code, self.allow = [], [], []

    def arg(self, name, values=None, shape=None, expect=None):
        """Adds a buffer and returns the pair of SGPRs that will point to it."""
        self.args.append((name, values, shape or [len(values)], expect))
        pair = 2 + 2 * len(self.args)
        return f"s[{pair}:{pair + 1}]"

    def emit(self, text):
        """Adds lines of assembly; labels and comments may stand at the left."""
        for line in text.strip("\n").splitlines():
            line = line.strip()
            left = line.startswith(";") or line.endswith(":") or not line
            self.code.append(line if left else "\t" + line)

    def ids(self):
        """The arguments that check where workgroups are, and the code for it: diag[flat workgroup] = flat id in cluster.
        Leaves the flat id in the cluster in s20 and the flat workgroup in s21."""
        total = self.grid[0] * self.grid[1]
        diag = self.arg("flat_ids", None, [total], list(range(total)))
        self.emit("""
            s_getreg_b32 s20, hwreg(HW_REG_IB_STS2, 21, 4)   ; flat id in the cluster
            s_bfe_u32 s22, ttmp6, 0x4000c                    ; cluster size in x, minus 1
            s_add_co_i32 s22, s22, 1
            s_mul_i32 s21, ttmp9, s22
            s_and_b32 s22, ttmp6, 15
            s_add_co_i32 s21, s21, s22                       ; workgroup in x""")
        if self.grid[1] > 1:
            self.emit(f"""
                s_bfe_u32 s22, ttmp6, 0x40010                    ; cluster size in y, minus 1
                s_add_co_i32 s22, s22, 1
                s_and_b32 s23, ttmp7, 0xffff
                s_mul_i32 s22, s22, s23
                s_bfe_u32 s23, ttmp6, 0x40004
                s_add_co_i32 s22, s22, s23                       ; workgroup in y
                s_mul_i32 s22, s22, {self.grid[0]}
                s_add_co_i32 s21, s21, s22""")
        guard = self.waves > 1
        if guard:
            self.emit("""
                s_cmp_lg_u32 s3, 0
                s_cbranch_scc1 .Lids""")
        self.emit(f"""
            s_lshl_b32 s22, s21, 2
            v_mov_b32_e32 v30, s22
            v_mov_b32_e32 v31, s20
            s_mov_b32 exec_lo, 1                             ; one lane writes it
            global_store_b32 v30, v31, {diag}
            s_mov_b32 exec_lo, -1""")
        if guard:
            self.emit(".Lids:")

    def write(self):
        """Writes the folder."""
        global cases
        cases += 1
        path = os.path.join(HERE, self.folder)
        os.makedirs(path, exist_ok=True)
        kernarg = 8 * len(self.args)
        head = [f"; {line}" for line in self.note.splitlines()]
        head += [
            "; Written by tests/sim/multicast/generate.py.",
            '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"',
            "\t.amdhsa_code_object_version 6",
            "\t.text",
            "\t.globl k",
            "\t.p2align 8",
            "\t.type k,@function",
            "k:",
        ]
        for index in range(len(self.args)):
            pair = 4 + 2 * index
            head.append(f"\ts_load_b64 s[{pair}:{pair + 1}], s[0:1], {8 * index:#x}")
        head += [
            "\ts_bfe_u32 s3, ttmp8, 0x50019                     ; wave of the workgroup",
            "\tv_and_b32_e32 v1, 31, v0                         ; lane of the wave",
            "\ts_wait_kmcnt 0x0",
        ]
        two_d = "\t\t.amdhsa_system_sgpr_workgroup_id_y 1\n" if self.grid[1] > 1 else ""
        dims = f"    .cluster_dims: {list(self.cluster)}\n" if self.cluster else ""
        args = "".join(
            f"      - .address_space: global\n        .offset: {8 * index}\n        .size: 8\n"
            "        .value_kind: global_buffer\n"
            for index in range(len(self.args))
        )
        tail = f"""	s_endpgm
.Lend:
	.size k, .Lend-k
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size {self.lds}
		.amdhsa_kernarg_size {kernarg}
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
{two_d}		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
amdhsa.target: amdgcn-amd-amdhsa--gfx1250
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: {kernarg}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {self.lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: {32 * self.waves}
{dims}    .args:
{args}...
	.end_amdgpu_metadata
"""
        with open(os.path.join(path, "kernel.s"), "w") as file:
            file.write("\n".join(head + self.code) + "\n" + tail)
        launch = [f"# {line}" for line in self.note.splitlines()]
        launch += ['kernel = "k"', f"grid = {list(self.grid)}", f"block = [{32 * self.waves}, 1, 1]"]
        if self.cluster:
            launch.append(f"cluster = {list(self.cluster)}")
        for name, values, shape, expect in self.args:
            launch += ["", "[[arg]]", f'name = "{name}"', 'dtype = "u32"', f"shape = {shape}"]
            if values is not None:
                launch.append(f"values = {array(values)}")
            elif name == "flat_ids":
                launch.append('init = "zeros"')
            else:
                launch.append('init = "hex:ff"              # a lost load shows')
            if expect is not None:
                launch.append(f"expect = {array(expect)}")
        with open(os.path.join(path, "launch.toml"), "w") as file:
            file.write("\n".join(launch) + "\n")
        with open(os.path.join(path, "expect.toml"), "w") as file:
            file.write('input = "kernel.s"\ntarget = "gfx1250"\nexit = 0\nclean = true\n')
            if self.allow:
                file.write(f"allow_advice = {self.allow}\n".replace("'", '"'))


def array(values):
    """A TOML array, flat, at most 8 numbers a line."""
    text = [f"{value:#x}" if value > 0xFFFF else str(value) for value in values]
    if len(text) <= 8:
        return "[" + ", ".join(text) + "]"
    rows = [", ".join(text[at : at + 8]) for at in range(0, len(text), 8)]
    return "[\n    " + ",\n    ".join(rows) + ",\n]"


def lanes(width, *starts):
    """32 values of `width`: dword d of lane i is starts[d] + i."""
    assert len(starts) == BYTES[width] // 4
    return [start + lane for lane in range(32) for start in starts]


# ------------------------------------------------------------------------------------- CLUSTER_LOAD_B*
VALUE = {
    "b32": [0x13579BDF],
    "b64": [0x13579BDF, 0x2468ACE0],
    "b128": [0x13579BDF, 0x2468ACE0, 0x12345678, 0x76543210],
}


def sync_single(name, width, mask, *starts):
    """One workgroup: every lane loads its own element."""
    case = Case(f"sync/{name}", f"{name}: one workgroup, mask {mask:#x}, each lane its own element")
    data = lanes(width, *starts)
    src = case.arg("src", data, [32, len(starts)])
    dst = case.arg("dst", None, [32, len(starts)], data)
    case.emit(f"""
        v_lshlrev_b32_e32 v2, {LOG2[width]}, v1
        s_mov_b32 m0, {mask:#x}
        cluster_load_{width} {regs(8, width)}, v2, {src}
        s_wait_loadcnt 0x0
        global_store_{width} v2, {regs(8, width)}, {dst}""")
    return case


def store_per_group(case, width, dst, first=8, block=32):
    """dst[workgroup * block + work-item] = the value in VGPR `first`."""
    shift = block.bit_length() - 1
    case.emit(f"""
        s_lshl_b32 s22, s21, {shift}
        v_add_nc_u32_e32 v3, s22, v0
        v_lshlrev_b32_e32 v3, {LOG2[width]}, v3
        global_store_{width} v3, {regs(first, width)}, {dst}""")


def sync_broadcast(name, groups, width, mask):
    """Every lane of every workgroup loads the same address."""
    case = Case(f"sync/{name}", f"{name}: {groups} workgroups load one address, mask {mask:#x}",
                (groups, 1, 1), (groups, 1, 1))
    src = case.arg("src", VALUE[width], [1, len(VALUE[width])])
    dst = case.arg("dst", None, [groups, 32, len(VALUE[width])], VALUE[width] * 32 * groups)
    case.ids()
    case.emit(f"""
        v_mov_b32_e32 v2, 0
        s_mov_b32 m0, {mask:#x}
        cluster_load_{width} {regs(8, width)}, v2, {src}
        s_wait_loadcnt 0x0""")
    store_per_group(case, width, dst)
    return case


for width, starts in (("b32", [100]), ("b64", [100, 200]), ("b128", [100, 200, 300, 400])):
    sync_single(f"SingleWGP.{width.upper()}_AllLanes", width, 0x1, *starts).write()
sync_single("M0Mask.ZeroMask_NonMulticast", "b32", 0x0, 100).write()
sync_single("M0Mask.SingleBit_WGP0", "b32", 0x1, 200).write()
for width, counts in (("b32", (2, 4, 5)), ("b64", (2, 4)), ("b128", (4, 6))):
    for groups in counts:
        name = f"MultiWGP.Broadcast_{groups}WGP_{width.upper()}"
        sync_broadcast(name, groups, width, (1 << groups) - 1).write()

case = Case("sync/PartialBroadcast.NonContiguous_4WGP_Mask0x5",
            "PartialBroadcast.NonContiguous_4WGP_Mask0x5: workgroups 0 and 2 multicast, 1 and 3 load plainly",
            (4, 1, 1), (4, 1, 1))
src = case.arg("src", VALUE["b32"])
dst = case.arg("dst", None, [4, 32], VALUE["b32"] * 128)
case.ids()
case.emit(f"""
    v_mov_b32_e32 v2, 0
    s_lshr_b32 s22, 0x5, s20
    s_and_b32 s22, s22, 1
    s_cmp_eq_u32 s22, 0
    s_cbranch_scc1 .Lplain
    s_mov_b32 m0, 0x5
    cluster_load_b32 v8, v2, {src}
    s_branch .Lwait
    .Lplain:
    global_load_b32 v8, v2, {src}
    .Lwait:
    s_wait_loadcnt 0x0""")
store_per_group(case, "b32", dst)
case.write()

for width, b in (("b32", [0x2468ACE0]), ("b64", [0x2468ACE0, 0x22222222])):
    a = VALUE["b32"] if width == "b32" else [0x13579BDF, 0x11111111]
    name = f"ConcurrentGroups.TwoGroups_4WGP_{width.upper()}"
    case = Case(f"sync/{name}", f"{name}: workgroups 0 and 1 share one load, 2 and 3 another", (4, 1, 1), (4, 1, 1))
    src_a = case.arg("a", a, [1, len(a)])
    src_b = case.arg("b", b, [1, len(b)])
    dst = case.arg("dst", None, [4, 32, len(a)], a * 64 + b * 64)
    case.ids()
    case.emit(f"""
        v_mov_b32_e32 v2, 0
        s_cmp_ge_u32 s20, 2
        s_cbranch_scc1 .Lsecond
        s_mov_b32 m0, 0x3
        cluster_load_{width} {regs(8, width)}, v2, {src_a}
        s_branch .Lwait
        .Lsecond:
        s_mov_b32 m0, 0xc
        cluster_load_{width} {regs(8, width)}, v2, {src_b}
        .Lwait:
        s_wait_loadcnt 0x0""")
    store_per_group(case, width, dst)
    case.write()

case = sync_single("EarlyTimeout.SingleWGP_TimeoutBit", "b32", 0x10003, 300)
case.allow = ["C1", "C2"]
case.write()
case = sync_broadcast("EarlyTimeout.MultiWGP_TimeoutBit", 2, "b32", 0x1000F)
case.allow = ["C1", "C2"]
case.write()

# -------------------------------------------------------------------------- CLUSTER_LOAD_ASYNC_TO_LDS_B*
ASYNC = {"b32": [1000], "b64": [1000, 2000], "b128": [1000, 2000, 3000, 4000]}
BLOCK_SYNC = """
    s_wait_asynccnt 0x0
    s_barrier_signal -1
    s_barrier_wait -1"""


def async_single(name, width, mask, *starts):
    """One wave: its elements through LDS."""
    count = BYTES[width] // 4
    case = Case(f"async/{name}", f"{name}: one wave through LDS, mask {mask:#x}", cluster=(1, 1, 1), lds=32 * BYTES[width])
    data = lanes(width, *starts)
    src = case.arg("src", data, [32, count])
    dst = case.arg("dst", None, [32, count], data)
    case.emit(f"""
        v_lshlrev_b32_e32 v2, {LOG2[width]}, v1
        s_mov_b32 m0, {mask:#x}
        cluster_load_async_to_lds_{width} v2, v2, {src}
        s_wait_asynccnt 0x0
        ds_load_{width} {regs(8, width)}, v2
        s_wait_dscnt 0x0
        global_store_{width} v2, {regs(8, width)}, {dst}""")
    case.write()


for width, starts in ASYNC.items():
    async_single(f"AsyncLDS.{width.upper()}_SingleWGP", width, 0x1, *starts)
async_single("AsyncLDS.B32_ZeroMask", "b32", 0x0, 500)

for width, starts in ASYNC.items():
    name = f"LDSVisibility.{width.upper()}_FourWaves"
    case = Case(f"async/{name}", f"{name}: wave 0 copies, four waves read", cluster=(1, 1, 1), waves=4,
                lds=32 * BYTES[width])
    data = lanes(width, *starts)
    src = case.arg("src", data, [32, len(starts)])
    dst = case.arg("dst", None, [4, 32, len(starts)], data * 4)
    case.emit(f"""
        v_lshlrev_b32_e32 v2, {LOG2[width]}, v1
        v_lshlrev_b32_e32 v3, {LOG2[width]}, v0
        s_cmp_lg_u32 s3, 0
        s_cbranch_scc1 .Lcopied
        s_mov_b32 m0, 0x1
        cluster_load_async_to_lds_{width} v2, v2, {src}
        .Lcopied:""")
    case.emit(BLOCK_SYNC)
    case.emit(f"""
        ds_load_{width} {regs(8, width)}, v2
        s_wait_dscnt 0x0
        global_store_{width} v3, {regs(8, width)}, {dst}""")
    case.write()

case = Case("async/LDSAddressLayout.B32_Strided_SingleWGP",
            "LDSAddressLayout.B32_Strided_SingleWGP: each lane's own LDS address, 32 bytes apart", cluster=(1, 1, 1), lds=1024)
data = lanes("b32", 1000)
src = case.arg("src", data)
dst = case.arg("dst", None, [32], data)
case.emit(f"""
    v_lshlrev_b32_e32 v2, 2, v1
    v_lshlrev_b32_e32 v3, 5, v1
    v_mov_b32_e32 v8, 0
    v_mov_b32_e32 v9, 0
    v_mov_b32_e32 v10, 0
    v_mov_b32_e32 v11, 0
    ds_store_b128 v3, v[8:11]
    ds_store_b128 v3, v[8:11] offset:16
    s_wait_dscnt 0x0
    s_mov_b32 m0, 0x1
    cluster_load_async_to_lds_b32 v3, v2, {src}
    s_wait_asynccnt 0x0
    ds_load_b32 v4, v3
    s_wait_dscnt 0x0
    global_store_b32 v2, v4, {dst}""")
case.write()

CAFE = {"b32": [0xDECAFBAD], "b128": [0xDECAFBAD, 0xDEADBEEF, 0x12345678, 0xAAAAAAAA]}


def async_broadcast(name, grid, width, value, waves=1):
    """One wave of each workgroup of one cluster copies the same address to each lane's LDS slot; all waves read."""
    groups = grid[0] * grid[1]
    mask = (1 << groups) - 1
    note = f"{name}: {groups} workgroups copy one address, mask {mask:#x}"
    case = Case(f"async/{name}", note, grid, grid, waves, 32 * BYTES[width])
    src = case.arg("src", value, [1, len(value)])
    dst = case.arg("dst", None, [groups, 32 * waves, len(value)], value * 32 * waves * groups)
    case.ids()
    case.emit(f"v_lshlrev_b32_e32 v2, {LOG2[width]}, v1\nv_mov_b32_e32 v4, 0")
    if waves > 1:
        case.emit("s_cmp_lg_u32 s3, 0\ns_cbranch_scc1 .Lcopied")
    case.emit(f"s_mov_b32 m0, {mask:#x}\ncluster_load_async_to_lds_{width} v2, v4, {src}")
    case.emit(".Lcopied:" + BLOCK_SYNC if waves > 1 else "s_wait_asynccnt 0x0")
    case.emit(f"ds_load_{width} {regs(8, width)}, v2\ns_wait_dscnt 0x0")
    store_per_group(case, width, dst, block=32 * waves)
    case.write()


async_broadcast("MultiWGPBroadcast.B32_2WGP", (2, 1, 1), "b32", CAFE["b32"])
async_broadcast("MultiWGPBroadcast.B128_4WGP", (4, 1, 1), "b128", CAFE["b128"])
async_broadcast("MultiWGPBroadcast.B32_2x2Cluster", (2, 2, 1), "b32", [0xC0FFEE42])

case = Case("async/ASYNCcntOrdering.MixedAsyncLoads_B32_SingleWGP",
            "ASYNCcntOrdering.MixedAsyncLoads_B32_SingleWGP: cluster and global asynchronous loads share ASYNCcnt",
            cluster=(1, 1, 1), lds=256)
a, b = lanes("b32", 1000), lanes("b32", 2000)
src_a, src_b = case.arg("a", a), case.arg("b", b)
dst_a, dst_b = case.arg("dst_a", None, [32], a), case.arg("dst_b", None, [32], b)
case.emit(f"""
    v_lshlrev_b32_e32 v2, 2, v1
    v_add_nc_u32_e32 v3, 0x80, v2
    s_mov_b32 m0, 0x1
    cluster_load_async_to_lds_b32 v2, v2, {src_a}
    global_load_async_to_lds_b32 v3, v2, {src_b}
    s_wait_asynccnt 0x0
    ds_load_b32 v8, v2
    ds_load_b32 v9, v3
    s_wait_dscnt 0x0
    global_store_b32 v2, v8, {dst_a}
    global_store_b32 v2, v9, {dst_b}""")
case.write()

case = Case("async/PartialBroadcast.B32_4WGP_Mask0x5",
            "PartialBroadcast.B32_4WGP_Mask0x5: workgroups 0 and 2 multicast, 1 and 3 copy data of their own",
            (4, 1, 1), (4, 1, 1), lds=128)
own = lanes("b32", 5000)
src, other = case.arg("src", CAFE["b32"]), case.arg("own", own)
dst = case.arg("dst", None, [4, 32], (CAFE["b32"] * 32 + own) * 2)
case.ids()
case.emit(f"""
    v_lshlrev_b32_e32 v2, 2, v1
    v_mov_b32_e32 v4, 0
    s_lshr_b32 s22, 0x5, s20
    s_and_b32 s22, s22, 1
    s_cmp_eq_u32 s22, 0
    s_cbranch_scc1 .Lown
    s_mov_b32 m0, 0x5
    cluster_load_async_to_lds_b32 v2, v4, {src}
    s_branch .Lcopied
    .Lown:
    global_load_async_to_lds_b32 v2, v2, {other}
    .Lcopied:""")
case.emit(BLOCK_SYNC)
case.emit("ds_load_b32 v8, v2\ns_wait_dscnt 0x0")
store_per_group(case, "b32", dst)
case.write()

for width in ("b32", "b128"):
    async_broadcast(f"MultiWGPLDSVisibility.{width.upper()}_4WGP_4Waves", (4, 1, 1), width, CAFE[width], waves=4)

for width, a, b in (
    ("b32", [0xAAAAAAAA], [0xBBBBBBBB]),
    ("b128", [0xAAAAAAAA, 0x11111111, 0x22222222, 0x33333333], [0xBBBBBBBB, 0x44444444, 0x55555555, 0x66666666]),
):
    name = f"ConcurrentGroupsLDS.{width.upper()}_4WGP_TwoGroups"
    case = Case(f"async/{name}", f"{name}: two groups of two workgroups, each its own data", (4, 1, 1), (4, 1, 1),
                lds=32 * BYTES[width])
    src_a, src_b = case.arg("a", a, [1, len(a)]), case.arg("b", b, [1, len(b)])
    dst = case.arg("dst", None, [4, 32, len(a)], a * 64 + b * 64)
    case.ids()
    case.emit(f"""
        v_lshlrev_b32_e32 v2, {LOG2[width]}, v1
        v_mov_b32_e32 v4, 0
        s_cmp_ge_u32 s20, 2
        s_cbranch_scc1 .Lsecond
        s_mov_b32 m0, 0x3
        cluster_load_async_to_lds_{width} v2, v4, {src_a}
        s_branch .Lcopied
        .Lsecond:
        s_mov_b32 m0, 0xc
        cluster_load_async_to_lds_{width} v2, v4, {src_b}
        .Lcopied:
        s_wait_asynccnt 0x0
        ds_load_{width} {regs(8, width)}, v2
        s_wait_dscnt 0x0""")
    store_per_group(case, width, dst)
    case.write()

case = Case("async/BufferViewAsyncGet.B32_BasicLoad",
            "BufferViewAsyncGet.B32_BasicLoad: 64-bit addresses, element i plus a linear offset of 0", cluster=(1, 1, 1), lds=128)
data = lanes("b32", 3000)
src = case.arg("src", data)
dst = case.arg("dst", None, [32], data)
case.emit(f"""
    v_lshlrev_b32_e32 v2, 2, v1
    v_mov_b32_e32 v3, 0
    v_mov_b64_e32 v[4:5], s[4:5]
    v_add_nc_u64_e32 v[4:5], v[4:5], v[2:3]
    s_mov_b32 m0, 0x1
    cluster_load_async_to_lds_b32 v2, v[4:5], off
    s_wait_asynccnt 0x0
    ds_load_b32 v8, v2
    s_wait_dscnt 0x0
    global_store_b32 v2, v8, {dst}""")
case.write()

case = Case("async/BufferViewAsyncGet.B32_InstOffset",
            "BufferViewAsyncGet.B32_InstOffset: the immediate offset moves both the global and the LDS address",
            cluster=(1, 1, 1), lds=256)
data = [3000 + index for index in range(33)]
src = case.arg("src", data)
dst = case.arg("dst", None, [32, 2], [value for lane in range(32) for value in (0xDEADBEEF, data[lane + 1])])
case.emit(f"""
    v_lshlrev_b32_e32 v2, 2, v1
    v_lshlrev_b32_e32 v3, 3, v1
    v_mov_b32_e32 v8, 0xdeadbeef
    v_mov_b32_e32 v9, 0xdeadbeef
    ds_store_b64 v3, v[8:9]
    s_wait_dscnt 0x0
    s_mov_b32 m0, 0x1
    cluster_load_async_to_lds_b32 v3, v2, {src} offset:4
    s_wait_asynccnt 0x0
    ds_load_b64 v[10:11], v3
    s_wait_dscnt 0x0
    global_store_b64 v3, v[10:11], {dst}""")
case.write()

assert cases == 36, cases
