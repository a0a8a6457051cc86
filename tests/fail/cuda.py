#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the session that the GPU has with a CUDA program, and in the compiler of its kernels: each must make
one of its programs fail.

    tests/fail/cuda.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".
"""
import sys

sys.dont_write_bytecode = True
import planted

SESSION, SERVE, STORE = (f"cuda/server/{name}.c" for name in ("session", "serve", "store"))
LLVM = "shell/compiler/lower_llvm.c"
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    "streams do not wait for the default one": (SESSION, "return st->apart || !main->head || main->head->number > w->number;",
                                                "return true;", "order"),
    "the default stream waits for none": (SESSION, "other->head && !other->apart && other->head->number < w->number",
                                          "other->head && other->apart && other->head->number < w->number", "order"),
    "events are not waited for": (SESSION, "return !head || head->number > number;", "return !head || head->number >= number;", "order"),
    "an event's next record": (SESSION, "w->record = e->record;", "w->record = 0;", "order"),
    "all streams are apart": (SERVE, "wr_session_stream(s->session, r->a == 0,", "wr_session_stream(s->session, r->a != 2,", "order"),
    "a wait for a stream waits for nothing": (SESSION, "return !st || !st->head;", "return true;", "streams"),
    "no time between events": (SESSION, "*cycles = (int64_t)b->cycle - (int64_t)a->cycle;", "*cycles = 0 * (int64_t)(a->cycle + b->cycle);",
                               "saxpy"),
    "memory is given twice": (STORE, "            b->used = true;\n", "", "reduce"),
    "memory that was not given": (STORE, "bytes <= b->size - (address - b->address)", "bytes <= b->size + 8 * bytes", "errors"),
    "a block that does not fit": (SESSION, "wr_gpu_occupancy(s->config, &w->launch).tbs == 0", "false", "errors"),
    "threads are not counted": (SESSION, "threads > 0 && threads <= MAX_THREADS", "threads > 0", "errors"),
    "constants of no module": (SESSION, ".const_base = s->modules.codes[r->a].images.constant", ".const_base = 0", "symbols"),
    "text is lost": (SERVE, "    head.bytes += n;\n", "", "services"),
    "a rotation's amount as it stands": (LLVM, "wr_ir_imm_operand(width - 1)", "wr_ir_imm_operand(UINT32_MAX)", "integer"),
    "a field that leaves the word": (LLVM, "at->bits + bits <= width", "width != 0", "fields"),
    "a fault is another": (SESSION, "            s->error = error_of(&s->result);", "            s->error = WR_CUDA_UNKNOWN;", "errors"),
}
SCRIPTS = {name: ["tests/cuda/programs.py", "--seeds", "6", "--only", name]
           for name in ("order", "streams", "saxpy", "reduce", "errors", "symbols", "services")}
DIFFERENTIAL = ["tests/cuda/differential/run.py", "--reduce", "0", "--levels", "2", "--count", "3", "--only"]
SCRIPTS |= {"integer": [*DIFFERENTIAL, "integer", "--seed", "13"], "fields": [*DIFFERENTIAL, "fields", "--seed", "23"]}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, SCRIPTS))
