/* SPDX-License-Identifier: Apache-2.0 */
/* See contexts.h. */
#include "systems/checkpoint/contexts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_BYTES = 32 };

void wr_contexts_put(const wr_saved_contexts *c, wr_bytes *out)
{
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        wr_bytes_put32(out, c->area[i].entries);
        wr_bytes_put64(out, c->area[i].ccb);
        wr_bytes_put64(out, c->area[i].base);
        wr_bytes_put64(out, c->area[i].bytes);
    }
    wr_bytes_put32(out, c->kernels);
    for (uint32_t i = 0; i < c->kernels; i++) {
        wr_bytes_put32(out, c->kernel[i].stream);
        wr_bytes_put_text(out, c->kernel[i].name);
        wr_bytes_put64(out, c->kernel[i].tbs);
        wr_bytes_put64(out, c->kernel[i].warps);
        wr_bytes_put64(out, c->kernel[i].occupied);
        wr_bytes_put64(out, c->kernel[i].live);
        wr_bytes_put64(out, c->kernel[i].compressed);
    }
    wr_bytes_put32(out, c->tbs);
    for (uint32_t i = 0; i < c->tbs; i++) {
        wr_bytes_put32(out, c->tb[i].stream);
        wr_bytes_put32(out, c->tb[i].linear);
        wr_bytes_put32(out, c->tb[i].frame);
        wr_bytes_put32(out, c->tb[i].entry);
        wr_bytes_put32(out, c->tb[i].sm);
        wr_bytes_put32(out, c->tb[i].spoilt);
        wr_bytes_put64(out, c->tb[i].issued);
    }
}

static bool read_kernels(wr_bytes_in *in, wr_saved_contexts *c)
{
    c->kernels = wr_bytes_get32(in);
    if (c->kernels > WR_MAX_STREAMS) {
        return false;
    }
    for (uint32_t i = 0; i < c->kernels; i++) {
        c->kernel[i].stream = wr_bytes_get32(in);
        wr_bytes_get_text(in, c->kernel[i].name, sizeof c->kernel[i].name);
        c->kernel[i].tbs = wr_bytes_get64(in);
        c->kernel[i].warps = wr_bytes_get64(in);
        c->kernel[i].occupied = wr_bytes_get64(in);
        c->kernel[i].live = wr_bytes_get64(in);
        c->kernel[i].compressed = wr_bytes_get64(in);
    }
    return !in->failed;
}

bool wr_contexts_read(wr_bytes_in in, wr_saved_contexts *c)
{
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        c->area[i].entries = wr_bytes_get32(&in);
        c->area[i].ccb = wr_bytes_get64(&in);
        c->area[i].base = wr_bytes_get64(&in);
        c->area[i].bytes = wr_bytes_get64(&in);
        if (c->area[i].entries > WR_CTX_MAX_ENTRIES) {
            return false;
        }
    }
    if (!read_kernels(&in, c)) {
        return false;
    }
    c->tbs = wr_bytes_get32(&in);
    if (in.left != (size_t)c->tbs * PLACE_BYTES) {
        return false;
    }
    c->tb = calloc(c->tbs + (size_t)1, sizeof *c->tb);
    bool ok = c->tb != NULL;
    for (uint32_t i = 0; ok && i < c->tbs; i++) {
        c->tb[i].stream = wr_bytes_get32(&in);
        c->tb[i].linear = wr_bytes_get32(&in);
        c->tb[i].frame = wr_bytes_get32(&in);
        c->tb[i].entry = wr_bytes_get32(&in);
        c->tb[i].sm = wr_bytes_get32(&in);
        c->tb[i].spoilt = wr_bytes_get32(&in) != 0;
        c->tb[i].issued = wr_bytes_get64(&in);
        ok = c->tb[i].stream < WR_MAX_STREAMS && c->tb[i].entry < c->area[c->tb[i].stream].entries;
    }
    if (!ok) {
        wr_contexts_free(c);
    }
    return ok;
}

void wr_contexts_free(wr_saved_contexts *c)
{
    free(c->tb);
    c->tb = NULL;
    c->tbs = 0;
}

static bool copy(wr_gpu *gpu, uint64_t from, uint64_t to, uint32_t bytes)
{
    uint8_t data[WR_CTX_SEGMENT];

    for (uint32_t done = 0; done < bytes; done += WR_CTX_SEGMENT) {
        if (!wr_gpu_read(gpu, from + done, data, sizeof data) ||
            !wr_gpu_write(gpu, to + done, data, sizeof data)) {
            return false;
        }
    }
    return true;
}

/* The context of one TB to an entry of another area. Parts are copied as they are; the control
 * block alone has addresses in it. */
static bool move(wr_gpu *gpu, const wr_context_area *from, uint32_t old, wr_context_area *to,
                 uint32_t entry)
{
    wr_context_pointers was = wr_context_area_tb(from, old);
    wr_context_pointers is = wr_context_area_tb(to, entry);
    uint8_t ccb[WR_CTX_CCB_BYTES];

    wr_context_put64(ccb, is.regs);
    wr_context_put64(ccb + 8, is.shared);
    wr_context_put64(ccb + 16, is.stack);
    return copy(gpu, was.regs, is.regs, to->regs_bytes) &&
           (to->shared_bytes == 0 || copy(gpu, was.shared, is.shared, to->shared_room)) &&
           copy(gpu, was.stack, is.stack, to->stack_bytes) &&
           wr_gpu_write(gpu, wr_context_ccb_addr(to, entry), ccb, sizeof ccb);
}

static bool is_taken(const wr_context_area *area, uint32_t entry)
{
    return (area->used[entry / 64] >> entry % 64 & 1u) != 0;
}

static bool lies_in_memory(const wr_gpu *gpu, uint64_t at, uint64_t bytes)
{
    uint8_t byte;

    return bytes != 0 && at + bytes > at && wr_gpu_read(gpu, at, &byte, 1) &&
           wr_gpu_read(gpu, at + bytes - 1, &byte, 1);
}

static bool is_there(const wr_saved_tb *tbs, uint32_t count, uint32_t linear)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tbs[i].info.linear == linear) {
            return true;
        }
    }
    return false;
}

/* The area as it was, laid out for the launch. */
static bool lay_out(const wr_saved_area *saved, wr_gpu *gpu, const wr_launch *launch,
                    wr_context_area *area)
{
    area->entries = saved->entries;
    area->ccb = saved->ccb;
    area->base = saved->base;
    area->bytes = saved->bytes;
    return lies_in_memory(gpu, saved->ccb, (uint64_t)saved->entries * WR_CTX_CCB_BYTES) &&
           lies_in_memory(gpu, saved->base, saved->bytes) &&
           wr_context_area_prepare(area, gpu, launch, WR_CONTEXT_BY_WARP, saved->entries) &&
           area->base == saved->base;
}

bool wr_contexts_move_in(const wr_saved_contexts *c, wr_gpu *gpu, uint32_t stream, uint32_t entries,
                         wr_context_area *area, wr_saved_tb *tbs, uint32_t *sms, uint32_t *count,
                         char *why, size_t size)
{
    const wr_launch *launch = wr_gpu_launch(gpu, stream);
    wr_context_area old = {0};
    uint32_t before = *count;
    bool moves = c->area[stream].entries < entries;
    bool ok = lay_out(&c->area[stream], gpu, launch, &old);

    if (ok && moves) {
        ok = wr_context_area_prepare(area, gpu, launch, WR_CONTEXT_BY_WARP, entries);
    } else if (ok) {
        *area = old;
    }
    for (uint32_t i = 0; ok && i < c->tbs; i++) {
        const wr_saved_place *p = &c->tb[i];
        uint32_t entry = p->entry;

        if (p->stream != stream) {
            continue;
        }
        if (moves) {
            entry = wr_context_entry_take(area);
            ok = entry != UINT32_MAX && move(gpu, &old, p->entry, area, entry);
        } else {
            ok = !is_taken(area, entry);
            area->used[entry / 64] |= UINT64_C(1) << entry % 64;
            area->taken++;
        }
        if (!ok) {
            break;
        }
        tbs[*count] = (wr_saved_tb){.info = wr_gpu_tb_again(gpu, stream, p->linear, p->frame),
                                    .entry = entry};
        tbs[*count].info.spoilt = p->spoilt;
        tbs[*count].info.issued = p->issued;
        ok = tbs[*count].info.valid && !is_there(tbs + before, *count - before, p->linear);
        sms[(*count)++] = p->sm;
    }
    ok = ok && *count - before == wr_gpu_tbs_begun(gpu, stream);
    if (!ok) {
        (void)snprintf(why, size,
                       "the contexts of kernel %.100s do not fit simulated memory, or are damaged",
                       launch->kernel->name);
    }
    return ok;
}
