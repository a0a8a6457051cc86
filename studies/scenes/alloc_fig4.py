# SPDX-License-Identifier: Apache-2.0
"""Lin-P III.A, Fig. 4: the allocation tables when kernel K1 is preempted by K2.

K1 has three TBs of 300 vector registers and 8 KB of shared memory on the SM, K2 wants two, of 256
registers (as the figure has it; the text says 200) and 10 KB. Block alloc_table plans: who of K1
leaves, where the TBs of K2 start.
"""

import json

import warpref

K1, K2 = 1, 2


def operation(block, **pins):
    """Offers an operation; its replies up to the one that ends it."""
    assert block.step(valid_i=1, **pins).ready_o
    replies = []
    while not replies or replies[-1].rsp_kind_o != 0:
        out = block.step(rsp_ready_i=1)
        if out.rsp_valid_o:
            replies.append(out)
    return replies


def transition(config, old_size, new_size):
    block = warpref.block("alloc_table", config)
    kinds = type(block).rsp_kind_o.codes
    for tb in range(3):
        assert operation(block, op_i="alloc", kernel_i=K1, tb_i=tb, size_i=old_size)[-1].rsp_ok_o
    replies = operation(block, op_i="plan", kernel_i=K2, old_i=K1, size_i=new_size, count_i=2)
    figures = {"size": new_size, "ok": replies[-1].rsp_ok_o}
    for kind in ("leave", "place"):
        figures[kind] = [{"tb": r.rsp_tb_o, "start": r.rsp_start_o} for r in replies if kinds[r.rsp_kind_o] == kind]
    figures["leaving"] = len(figures["leave"])
    figures["table"] = []
    for kernel, tb in ((K1, 0), (K1, 1), (K1, 2), (K2, 0), (K2, 1)):
        found = operation(block, op_i="lookup", kernel_i=kernel, tb_i=tb)[-1]
        if found.rsp_ok_o:
            figures["table"].append({"kernel": kernel, "tb": tb, "start": found.rsp_start_o, "size": found.rsp_size_o})
    assert not block.fault_o and len(figures["table"]) == block.used_o
    return figures


print(json.dumps({
    "registers": transition("default", 300, 256),
    "registers_text": transition("default", 300, 200),
    "shared": transition("shared", 8 * 1024 // 128, 10 * 1024 // 128),
}, indent=1))
