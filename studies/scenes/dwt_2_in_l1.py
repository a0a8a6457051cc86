# SPDX-License-Identifier: Apache-2.0
"""Lin-D 3.7.2: of how many extra TBs of DWT_2 does the L1 hold the registers?

Block me_controller for TBs of 6 warps with 32 registers, reduced to half; their metadata are 2 lines a warp. The paper's
machine without what else could hold a context: the register file is that of the 10 native TBs, and of shared memory
one line is left.
"""

import json

import warpref

WARPS, REGISTERS, META = 6, 32, 2
NATIVE = 10
block = warpref.block("me_controller", RfLines=NATIVE * WARPS * REGISTERS, SmemLines=1)
block.step(
    start_i=1,
    warps_i=WARPS,
    regs_i=WARPS * REGISTERS,
    reduced_i=WARPS * REGISTERS // 2,
    smem_i=0,
    meta_i=WARPS * META,
)
block.drive(start_i=0)
while block.busy_o:
    block.tick()
assert not block.fault_o and block.mc_o == NATIVE
print(json.dumps({"extra": block.bound_o * block.needs_l1_o}, indent=1))
