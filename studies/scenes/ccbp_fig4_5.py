# SPDX-License-Identifier: Apache-2.0
"""Lin-D 4.4.2, Fig. 4.5: what a miss queue serves of two kernels, as a FIFO and with priority.

2 requests of a latency-sensitive kernel and 6 of a bandwidth-intensive one wait in block
issue_rate_controller, the third and the seventh being the first kernel's; the memory takes 5.
"""

import json

import warpref

QUEUE = (1, 1, 0, 1, 1, 1, 0, 1)
SERVED = 5


def decide(block, **decision):
    out = block.step(cfg_i=1, **decision)
    assert out.cfg_ready_o
    while not block.cfg_ready_o:
        block.step()


def served(fifo):
    """Requests of each kernel among those served."""
    block = warpref.block("issue_rate_controller")
    decide(block, cfg_kernel_i=0, cfg_ls_i=1)
    decide(block, cfg_kernel_i=1, cfg_nbw_i=100, cfg_dbw_i=100, cfg_n16_i=80)
    for _ in range(2 * block.values["Window"]):  # the quota becomes credit; the empty queue takes the mode
        block.step(fifo_i=fifo)
    for kernel in QUEUE:
        assert block.step(fifo_i=fifo, valid_i=1, kernel_i=kernel).room_o[kernel]
    counts = [0, 0]
    while sum(counts) < SERVED:
        out = block.step(fifo_i=fifo, out_ready_i=1)
        counts[out.out_kernel_o] += out.out_valid_o
    return counts


before, behind = served(fifo=1), served(fifo=0)
change = [100 * (b - a) / a for a, b in zip(before, behind)]
print(json.dumps({
    "fifo": {"latency": before[0], "bandwidth": before[1]},
    "priority": {"latency": behind[0], "bandwidth": behind[1]},
    "change": {"latency": change[0], "bandwidth": change[1]},
}, indent=1))
