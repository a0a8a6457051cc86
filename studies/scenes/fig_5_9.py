# SPDX-License-Identifier: Apache-2.0
"""Gong 5.3.5, Fig. 5.9: the same program in program order, scheduled by the compiler in two ways,
and with hints.

Three blocks of 15 t; a stall of 5 t in front of the second and of 3 t in front of the third; c (5
t) of block 2 and f (3 t) of block 3 wait for no load. t is one instruction, and a slot of 16 clock
cycles in which one can be issued, so that entering and leaving hint mode is hidden in it. In D
block hint_decoder walks the chain of hints, and block result_collection_unit decides which
instructions are passed over when the warp is back in order; here stand issue, loads and time.
"""

import json
from dataclasses import dataclass

import warpref

SLOT, STALLS = 16, {1: 5, 2: 3}


@dataclass
class Instruction:
    waits: int = 0  # load whose data it needs
    load: int = 0  # load that it issues
    hint: int = 0  # format 1: valid, offset of the next of the chain


def instructions(*parts):
    """(n, waits, load) ...: n instructions, the first waits for a load, the last issues one."""
    out = []
    for n, waits, load in parts:
        out += [Instruction(waits if i == 0 else 0, load if i == n - 1 else 0) for i in range(n)]
    return out


def chain(program, stall_point, first, n):
    """Hints for a stall point, and for the n instructions that run under it."""
    places = [stall_point, *range(first, first + n)]
    for place, then in zip(places, [*places[1:], stall_point]):  # offset 0: the chain ends
        program[place].hint = 1 << 23 | ((then - stall_point) % 512) << 9 | (0 if place == stall_point else place)


def fetch_in_order(warp, decoder, rcu):
    at = warp["program"][warp["pc"]]
    rcu.pc_i = warp["pc"]
    if at.waits and warp["slot"] < warp["arrives"][at.waits]:
        decoder.drive(stall_i=1, pc_i=warp["pc"], rcu_empty_i=rcu.empty_o, hint_i=at.hint)
        return
    action = type(rcu).action_o.codes[rcu.action_o]
    if action == "wait" or (action != "skip" and warp["issued"]):
        return
    rcu.fetch_i = 1
    warp["pc"] += 1
    if action != "skip":
        warp["issued"] = True
        if at.load:
            warp["arrives"][at.load] = warp["slot"] + 1 + STALLS[at.load]


def run_hinted(warp, decoder, rcu):
    now = decoder.out
    rcu.hint_i = 1
    if now.issue_o and not warp["issued"] and not rcu.full_o:
        warp["early"] = rcu.id_o
        warp["issued"] = True
        rcu.drive(alloc_i=1, offset_i=now.offset_o, dst_i=now.dst_o, renamed_i=now.renamed_o)
        decoder.take_i = 1
    if type(decoder).mode_o.codes[now.mode_o] == "hint":
        place = now.fetch_pc_o
        decoder.drive(valid_i=1, pc_i=place, dst_i=place, hint_i=warp["program"][place].hint)


def slots(program):
    """Slots until the last instruction has been issued."""
    decoder, rcu = warpref.block("hint_decoder"), warpref.block("result_collection_unit")
    warp = {"program": program, "pc": 0, "slot": 0, "arrives": {}}
    while warp["pc"] < len(program):
        warp.update(issued=False, early=None)
        for cycle in range(SLOT):
            decoder.idle()
            rcu.idle()
            rcu.base_i = decoder.base_o
            at = program[warp["pc"]]
            if type(decoder).mode_o.codes[decoder.mode_o] == "in_order":
                fetch_in_order(warp, decoder, rcu)
            elif not (at.waits and warp["slot"] < warp["arrives"][at.waits]):
                decoder.resume_i = 1
            else:
                run_hinted(warp, decoder, rcu)
            if cycle == SLOT - 1 and warp["early"] is not None:
                rcu.drive(done_i=1, done_id_i=warp["early"])
            decoder.tick()
            rcu.tick()
            if warp["pc"] == len(program):
                break
        warp["slot"] += 1
    assert not decoder.fault_o and not rcu.fault_o
    return warp["slot"]


def in_order():
    return instructions((15, 0, 1), (5, 1, 0), (5, 0, 0), (5, 0, 2), (6, 2, 0), (3, 0, 0), (6, 0, 0))


hinted = in_order()
chain(hinted, 15, 20, 5)
chain(hinted, 30, 36, 3)
print(json.dumps({
    "A": slots(in_order()),
    "B": slots(instructions((15, 0, 1), (5 + 3, 0, 0), (10, 1, 2), (12, 2, 0))),
    "C": slots(instructions((15, 0, 1), (3, 0, 0), (10, 1, 2), (2 + 3, 0, 0), (12, 2, 0))),
    "D": slots(hinted),
}, indent=1))
