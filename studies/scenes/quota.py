# SPDX-License-Identifier: Apache-2.0
"""SMK 5.4: quotas of warp instructions for two kernels of 0.1 and 0.25 issue slots a cycle.

Both can have 8 TBs alone and have 2 and 4 here, with 0.4 and 0.5 warp instructions a cycle alone:
0.4 x 2 / 8 = 0.1 and 0.5 x 4 / 8 = 0.25. Block warp_quota parts an epoch of 10,000 cycles; then
each of its schedulers issues of a kernel until its counter is empty.
"""

import json

import warpref

KERNELS = [{"alone": 4000, "resident": 2, "most": 8}, {"alone": 5000, "resident": 4, "most": 8}]

block = warpref.block("warp_quota")
for kernel, values in enumerate(KERNELS):
    for what, value in values.items():
        block.step(we_i=1, what_i=what, kernel_i=kernel, value_i=value)
block.step(calc_i=1)
while block.busy_o:
    block.step()

schedulers = block.values["Schedulers"]
figures = {"epoch": block.values["Epoch"], "schedulers": schedulers}
for kernel in range(len(KERNELS)):
    block.view_i = kernel
    figures[f"quota_{kernel + 1}"] = block.quota_o
    figures[f"share_{kernel + 1}"] = block.quota_o / block.values["Epoch"]

while not block.refill_o[0]:  # counters are full behind the end of an epoch
    block.step(resident_i=3)
block.step(resident_i=3)
issued = [0] * len(KERNELS)
while block.allow_o[0]:
    kernel = 0 if block.allow_o[0] & 1 else 1
    block.step(resident_i=3, issue_i=[1] * schedulers, issue_kernel_i=[kernel] * schedulers)
    issued[kernel] += schedulers
assert not block.fault_o
for kernel, count in enumerate(issued):
    figures[f"issued_{kernel + 1}"] = count
print(json.dumps(figures, indent=1))
