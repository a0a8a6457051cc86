# SPDX-License-Identifier: Apache-2.0
"""A bench in plain Python: a FIFO of warps in block switch_queues against Python's own deque."""
import collections
import random
import sys

import warpref

block = warpref.block("switch_queues", WarpDepth=5, TbDepth=3)
wrong_id = "--bug" in sys.argv
queue, checks, dice = collections.deque(), 0, random.Random(1)
for cycle in range(10_000):
    push, pop, warp = dice.random() < 0.5, dice.random() < 0.5, dice.randrange(128)
    push, pop = push and len(queue) < 5, pop and len(queue) > 0
    block.drive(warp_push_i=[push, 0], warp_push_id_i=[warp, 0], warp_pop_i=[pop, 0])
    seen = (block.warp_valid_o[0], block.warp_head_o[0] if queue else None)
    wanted = (int(bool(queue)), queue[0] ^ (wrong_id and cycle == 9_999) if queue else None)
    if seen != wanted:
        sys.exit(f"FAIL cycle {cycle}: valid and head are {seen}, wanted {wanted}")
    checks += 1 + bool(queue)
    block.tick()
    if pop:
        queue.popleft()
    if push:
        queue.append(warp)
print(f"PASS {cycle + 1} cycles {checks} checks")
