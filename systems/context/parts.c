/* SPDX-License-Identifier: Apache-2.0 */
/* Pins of context_sequencer: see parts.h. */
#include "systems/context/parts.h"

#include <stdio.h>
#include <string.h>

enum { ADDR_BITS = 40 }; /* simulated memory is far smaller: shell/memory/memory.h */

bool wr_parts_take(const wr_launch *launch, char *why, size_t size)
{
    uint32_t bytes = launch->kernel->shared_bytes + launch->shared_dynamic;

    if (bytes <= WR_CONTEXT_SEQUENCER_SHARED) {
        return true;
    }
    (void)snprintf(why, size,
                   "thread blocks of kernel %.100s have %u bytes of shared memory, and at most %d "
                   "can be saved: give the launch less, or run it without the system",
                   launch->kernel->name, bytes, WR_CONTEXT_SEQUENCER_SHARED);
    return false;
}

bool wr_parts_open(wr_parts *parts, const wr_behind *behind, char *err, size_t err_size)
{
    const wr_context_sequencer_cfg cfg = {.warps = WR_CTX_MAX_WARPS, .addr_bits = ADDR_BITS};

    memset(parts, 0, sizeof *parts);
    parts->is_open =
        wr_context_sequencer_port_open_behind(&parts->port, behind, &cfg, err, err_size);
    return parts->is_open;
}

void wr_parts_close(wr_parts *parts)
{
    if (parts->is_open) {
        wr_context_sequencer_port_close(&parts->port);
    }
    parts->is_open = false;
}

void wr_parts_reset(wr_parts *parts)
{
    memset(&parts->in, 0, sizeof parts->in);
    parts->is_wrong = false;
    wr_context_sequencer_port_reset(&parts->port);
}

static void set_job(wr_parts *parts, const wr_parts_job *job)
{
    const wr_context_area *area = job->area;

    parts->in = (wr_context_sequencer_in){
        .op = job->is_restore,
        .warps = (uint8_t)area->warps,
        .slot_segs = (uint8_t)(area->slot_bytes / WR_CTX_SEGMENT),
        .shared_bytes = (uint16_t)area->shared_bytes,
        .keep_regs = (job->kept & WR_KEEPS_REGISTERS) != 0,
        .keep_shared = (job->kept & WR_KEEPS_SHARED) != 0,
        .whole = job->is_whole,
        .pace = (uint8_t)job->pace,
        .ccb_addr = wr_context_ccb_addr(area, job->entry),
        .base = wr_context_area_tb(area, job->entry).regs / WR_CTX_SEGMENT,
        .low = area->base / WR_CTX_SEGMENT,
        .high = (area->base + area->bytes) / WR_CTX_SEGMENT - 1,
    };
}

static void wrong(wr_parts *parts, const char *pin, uint64_t value)
{
    const wr_port *port = &parts->port.port;

    parts->is_wrong = true;
    (void)snprintf(parts->fault, sizeof parts->fault, "%s: cycle %llu: pin %s: cannot be 0x%llx",
                   port->block->name, (unsigned long long)wr_port_get_stats(port).cycles, pin,
                   (unsigned long long)value);
}

/* The request at the output lies in the room of its piece, and in memory where the piece may. */
static void check_request(wr_parts *parts)
{
    const wr_context_sequencer_in *in = &parts->in;
    const wr_context_sequencer_out *out = &parts->out;
    const uint32_t room[WR_SEQUENCER_KINDS] = {
        [WR_SEQUENCER_SHARED] = in->keep_shared ? 0 : in->shared_bytes,
        [WR_SEQUENCER_PREDS] = (uint32_t)in->warps * WR_CTX_PRED_BYTES,
        [WR_SEQUENCER_STACK] = WR_CTX_STACK_BYTES,
        [WR_SEQUENCER_CCB] = WR_CTX_CCB_BYTES,
        [WR_SEQUENCER_PATTERNS] =
            in->keep_regs ? 0 : wr_context_segments((uint32_t)in->warps * WR_CTX_PATTERN_BYTES),
        [WR_SEQUENCER_SLOT] = in->op ? (uint32_t)in->slot_segs * WR_CTX_SEGMENT : 0,
    };
    bool is_ccb = out->req_kind == WR_SEQUENCER_CCB;
    bool of_warp = out->req_kind == WR_SEQUENCER_STACK || out->req_kind == WR_SEQUENCER_SLOT;
    uint64_t begin = is_ccb ? in->ccb_addr : in->low * WR_CTX_SEGMENT;
    uint64_t end = is_ccb ? in->ccb_addr + WR_CTX_CCB_BYTES : (in->high + 1) * WR_CTX_SEGMENT;

    if (out->req_kind >= WR_SEQUENCER_KINDS) {
        wrong(parts, "req_kind", out->req_kind);
    } else if (out->req_addr < begin || out->req_addr >= end) {
        wrong(parts, "req_addr", out->req_addr);
    } else if (out->req_bytes == 0 || out->req_addr + out->req_bytes > end ||
               out->req_bytes > WR_CTX_SEGMENT - out->req_addr % WR_CTX_SEGMENT) {
        wrong(parts, "req_bytes", out->req_bytes);
    } else if ((uint32_t)out->req_offset + out->req_bytes > room[out->req_kind]) {
        wrong(parts, "req_offset", out->req_offset);
    } else if (of_warp && out->warp >= in->warps) {
        wrong(parts, "warp", out->warp);
    }
}

bool wr_parts_slot(wr_parts *parts, const wr_parts_job *job, uint32_t warp, uint64_t *addr)
{
    set_job(parts, job);
    parts->in.slot_index = (uint8_t)warp;
    wr_context_sequencer_port_eval(&parts->port, &parts->in, &parts->out);
    uint64_t at = parts->out.slot_addr;

    if (at < parts->in.low || at + parts->in.slot_segs > parts->in.high + 1) {
        wrong(parts, "slot_addr", at);
    }
    *addr = at * WR_CTX_SEGMENT;
    return wr_parts_clock(parts);
}

void wr_parts_start(wr_parts *parts, const wr_parts_job *job)
{
    set_job(parts, job);
    parts->in.start = true;
}

const wr_context_sequencer_out *wr_parts_look(wr_parts *parts)
{
    wr_context_sequencer_port_eval(&parts->port, &parts->in, &parts->out);
    if (parts->out.req_valid) {
        check_request(parts);
    }
    parts->asks = parts->out.req_valid && !parts->is_wrong;
    return &parts->out;
}

bool wr_parts_clock(wr_parts *parts)
{
    wr_context_sequencer_in *in = &parts->in;

    wr_context_sequencer_port_eval(&parts->port, in, &parts->out);
    wr_context_sequencer_port_tick(&parts->port, in);
    in->start = in->req_ready = in->ccb_valid = in->meta_done = false;
    return !wr_port_failed(&parts->port.port, parts->out.fault, parts->fault,
                           sizeof parts->fault) &&
           !parts->is_wrong;
}

const char *wr_parts_damage(uint32_t code)
{
    static const char *const text[WR_SEQUENCER_DAMAGES] = {
        [WR_SEQUENCER_BAD_REGS] =
            "a pointer of its control block, to registers, is none into the context area",
        [WR_SEQUENCER_BAD_SHARED] =
            "a pointer of its control block, to shared memory, is none into the context area",
        [WR_SEQUENCER_BAD_STACK] =
            "a pointer of its control block, to stacks, is none into the context area",
        [WR_SEQUENCER_BAD_DEPTH] = "a SIMT stack is deeper than the hardware's",
        [WR_SEQUENCER_BAD_BYTES] = "a pattern vector names more registers than the kernel has",
        [WR_SEQUENCER_NO_STACK] = "a warp without a SIMT stack has live registers",
    };

    return code < WR_SEQUENCER_DAMAGES && text[code]
               ? text[code]
               : "something that context_sequencer has no name for";
}
