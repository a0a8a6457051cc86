# SPDX-License-Identifier: Apache-2.0
"""SMK 5.3.2, Fig. 8: two kernels part an SM by dominant resource fairness, under both tie rules.

A TB of kernel 1 takes 10 % of the registers, none of the shared memory and 1/15 (6.66 %) of the
threads; one of kernel 2 takes 3, 6 and 5 %. Block drf_partitioner deals; rK (a kernel's dominant
share) and rSM (that of all TBs together) are added up here from its grants.
"""

import json

import warpref

DEMANDS = [{"regs_i": 10, "threads_i": 4, "smem_i": 0}, {"regs_i": 3, "threads_i": 3, "smem_i": 6}]
LIMITS = {"regs_i": 100, "threads_i": 60, "smem_i": 100}


def largest(used):
    """Percent of the resource that is used most."""
    return round(100 * max(used[r] / LIMITS[r] for r in LIMITS), 4)


def partition(tie_rule):
    block = warpref.block("drf_partitioner", Kernels=len(DEMANDS), RegLimit=LIMITS["regs_i"], ThreadLimit=LIMITS["threads_i"],
                          SmemLimit=LIMITS["smem_i"], TbLimit=32, TieRule=tie_rule)
    for kernel, demand in enumerate(DEMANDS):
        block.step(load_i=1, kernel_i=kernel, **demand)
    block.step(start_i=1, mask_i=3)
    iterations, dealt = [], [0] * len(DEMANDS)
    while not block.done_o:
        out = block.step()
        if out.grant_o:
            dealt[out.pick_o] += 1
            own = {r: dealt[out.pick_o] * DEMANDS[out.pick_o][r] for r in LIMITS}
            total = {r: sum(n * d[r] for n, d in zip(dealt, DEMANDS)) for r in LIMITS}
            iterations.append({"iteration": len(iterations) + 1, "kernel": out.pick_o + 1, "rK": largest(own), "rSM": largest(total)})
    figures = {"iterations": iterations, "rSM": iterations[-1]["rSM"]}
    for kernel in range(len(DEMANDS)):
        block.read_i = kernel
        figures[f"tbs_{kernel + 1}"] = block.tbs_o
        figures[f"registers_{kernel + 1}"] = block.reg_end_o - block.reg_start_o
        assert block.tbs_o == dealt[kernel] and not block.fault_o
    return figures


print(json.dumps({"smaller_share": partition(0), "lowest_index": partition(1)}, indent=1))
