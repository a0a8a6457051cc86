/* SPDX-License-Identifier: Apache-2.0 */
/* Finding, loading and resetting a Verilated block: see rtl.h. */
#include "dpi/rtl.h"

#include "dpi/places.h"
#include "files/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool wr_rtl_find(const wr_block_desc *block, const char *config, bool lockstep, char *path,
                 size_t path_size)
{
    char name[160];

    (void)snprintf(name, sizeof(name), "wr_%s_%s_%s.so", block->name, config,
                   lockstep ? "lockstep" : "rtl");
    return wr_place_object(name, path, path_size);
}

/* The object fits: same interface, same widths, checker there if it is asked for. */
static bool fits(const wr_rtl_ops *ops, const char *path, const wr_block_desc *block,
                 const void *cfg, bool checked, char *err, size_t err_size)
{
    uint32_t in_bits = wr_block_bits(block, WR_IN, cfg);
    uint32_t out_bits = wr_block_bits(block, WR_OUT, cfg);

    if (ops->abi != WR_RTL_ABI || ops->in_bits != in_bits || ops->out_bits != out_bits) {
        (void)snprintf(err, err_size,
                       "%s: made for interface %u with %u bits in and %u out; this program has %d, "
                       "%u and %u: build again",
                       path, ops->abi, ops->in_bits, ops->out_bits, WR_RTL_ABI, in_bits, out_bits);
        return false;
    }
    if (checked && !ops->has_checker) {
        (void)snprintf(err, err_size, "%s: has no checker inside; use a lockstep object", path);
        return false;
    }
    return true;
}

static void note_end(void *rtl, const char *text)
{
    wr_rtl *r = rtl;

    (void)snprintf(r->ended, sizeof(r->ended), "%s", text);
}

/* The table that a symbol of the library gives; NULL: it has no such symbol. */
static const void *table(void *library, const char *name)
{
    const void *(*get)(void) = NULL;
    void *symbol = dlsym(library, name);

    memcpy(&get, &symbol, sizeof(get)); /* ISO C has no cast from object to function pointer */
    return get != NULL ? get() : NULL;
}

/* C++ throws where memory runs out, and RTL as Verilator makes it catches nothing. A program with a
 * handler of its own keeps it. */
static void end_without_memory(void *library)
{
    typedef void (*handler)(void);
    handler (*set)(handler) = NULL;
    void *symbol = dlsym(library, "_ZSt15set_new_handlerPFvvE"); /* std::set_new_handler */

    memcpy(&set, &symbol, sizeof(set));
    const handler before = set != NULL ? set(wr_out_of_memory) : NULL;

    if (before != NULL) {
        (void)set(before);
    }
}

wr_rtl *wr_rtl_open(const char *path, const wr_block_desc *block, const void *cfg,
                    wr_checker *checker, wr_pulse *pulse, uint64_t seed, wr_rtl_start start,
                    char *err, size_t err_size)
{
    wr_rtl *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        (void)snprintf(err, err_size, "%s: out of memory", path);
        return NULL;
    }
    r->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (r->library == NULL) {
        (void)snprintf(err, err_size, "cannot load %s", dlerror());
        wr_rtl_close(r);
        return NULL;
    }
    end_without_memory(r->library);
    r->ops = table(r->library, "wr_rtl_get_ops");
    if (r->ops == NULL) {
        (void)snprintf(err, err_size, "%s: not a Verilated block (wr_rtl_get_ops is missing)",
                       path);
        wr_rtl_close(r);
        return NULL;
    }
    if (!fits(r->ops, path, block, cfg, checker != NULL, err, err_size)) {
        wr_rtl_close(r);
        return NULL;
    }
    r->coverage = table(r->library, "wr_rtl_get_coverage");
    if (checker != NULL) {
        r->registers = wr_checker_leave_out(checker, r->ops->absent);
    }
    r->block = block;
    r->pulse = pulse;
    r->hook = (wr_checker_hook){wr_checker_on_cycle, wr_checker_on_reset, checker, note_end, r};
    wr_pulse_enter(pulse, block, 0);
    r->dut = r->ops->create(seed, start, &r->hook);
    wr_pulse_leave(pulse);
    if (r->dut == NULL) {
        (void)snprintf(err, err_size, "%s: out of memory", path);
        wr_rtl_close(r);
        return NULL;
    }
    wr_rtl_reset(r);
    if (r->coverage != NULL) {
        r->coverage->settled(r->dut);
    }
    return r;
}

void wr_rtl_close(wr_rtl *r)
{
    if (r == NULL) {
        return;
    }
    if (r->dut != NULL) {
        wr_pulse_enter(r->pulse, r->block, r->cycles);
        r->ops->destroy(r->dut);
        wr_pulse_leave(r->pulse);
    }
    if (r->library != NULL) {
        (void)dlclose(r->library);
    }
    free(r);
}

void wr_rtl_finish(wr_rtl *r)
{
    wr_pulse_enter(r->pulse, r->block, r->cycles);
    r->ops->finish(r->dut);
    wr_pulse_leave(r->pulse);
}

void wr_rtl_settle(wr_rtl *r, bool clk, bool rst_n)
{
    wr_pulse_enter(r->pulse, r->block, r->cycles);
    r->ops->set(r->dut, clk, rst_n);
    r->ops->eval(r->dut);
    wr_pulse_leave(r->pulse);
}

void wr_rtl_reset(wr_rtl *r)
{
    uint32_t zero[WR_MAX_WORDS] = {0};

    r->ops->put(r->dut, zero);
    wr_rtl_settle(r, false, true);
    for (int edge = 0; edge < 2; edge++) { /* asynchronous reset, held over two clock edges */
        wr_rtl_settle(r, false, false);
        wr_rtl_settle(r, true, false);
    }
    wr_rtl_settle(r, false, false);
    wr_rtl_settle(r, false, true);
}
