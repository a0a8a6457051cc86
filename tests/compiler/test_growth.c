/* SPDX-License-Identifier: Apache-2.0 */
/* Time and memory of the compiler grow with the size of a module, whatever it is large in. Time is
 * not measured: what is counted are calls that passes make for every instruction, block or list
 * that they look at, and the bytes that they clear. The linker leads these calls, and those of the
 * allocator, here first (--wrap).
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/compiler/ir.h"
#include "shell/compiler/phys.h"
#include "tests/compiler/shapes.h"

#define SMALL  2500
#define TIMES  4
#define MOST   16  /* shapes */
#define MARGIN 1.3 /* a line of the large module may take this many times that of the small one */

typedef struct counts {
    double steps, bytes; /* calls; what was taken from pools */
    size_t now, peak;    /* of the heap */
} counts;

static counts counted;

/* The names that the linker gives: of what it leads here, and of what that was. */
void *real_malloc(size_t size) __asm__("__real_malloc");
void *real_calloc(size_t count, size_t size) __asm__("__real_calloc");
void *real_realloc(void *old, size_t size) __asm__("__real_realloc");
void real_free(void *piece) __asm__("__real_free");
void *real_pool_alloc(wr_pool *pool, size_t count, size_t size) __asm__("__real_wr_pool_alloc");
void *real_pool_grow(wr_pool *pool, void *array, uint32_t count, uint32_t *cap,
                     size_t size) __asm__("__real_wr_pool_grow");
void real_get_refs(const wr_ir *ir, const wr_ir_insn *insn,
                   wr_ir_refs *refs) __asm__("__real_wr_ir_get_refs");
unsigned real_src_count(const wr_ir_insn *insn) __asm__("__real_wr_ir_src_count");
uint64_t real_phys_step(const wr_ir_insn *insn, uint64_t live) __asm__("__real_wr_phys_step");
void *counted_malloc(size_t size) __asm__("__wrap_malloc");
void *counted_calloc(size_t count, size_t size) __asm__("__wrap_calloc");
void *counted_realloc(void *old, size_t size) __asm__("__wrap_realloc");
void counted_free(void *piece) __asm__("__wrap_free");
void *counted_pool_alloc(wr_pool *pool, size_t count, size_t size) __asm__("__wrap_wr_pool_alloc");
void *counted_pool_grow(wr_pool *pool, void *array, uint32_t count, uint32_t *cap,
                        size_t size) __asm__("__wrap_wr_pool_grow");
void counted_get_refs(const wr_ir *ir, const wr_ir_insn *insn,
                      wr_ir_refs *refs) __asm__("__wrap_wr_ir_get_refs");
unsigned counted_src_count(const wr_ir_insn *insn) __asm__("__wrap_wr_ir_src_count");
uint64_t counted_phys_step(const wr_ir_insn *insn, uint64_t live) __asm__("__wrap_wr_phys_step");

static void *taken(void *piece)
{
    counted.now += piece != NULL ? malloc_usable_size(piece) : 0;
    if (counted.now > counted.peak) {
        counted.peak = counted.now;
    }
    return piece;
}

static void given_back(void *piece)
{
    size_t size = piece != NULL ? malloc_usable_size(piece) : 0;

    counted.now -= size < counted.now ? size : counted.now;
}

void *counted_malloc(size_t size)
{
    return taken(real_malloc(size));
}

void *counted_calloc(size_t count, size_t size)
{
    return taken(real_calloc(count, size));
}

void *counted_realloc(void *old, size_t size)
{
    given_back(old);
    return taken(real_realloc(old, size));
}

void counted_free(void *piece)
{
    given_back(piece);
    real_free(piece);
}

void *counted_pool_alloc(wr_pool *pool, size_t count, size_t size)
{
    counted.bytes += (double)(count * size);
    return real_pool_alloc(pool, count, size);
}

void *counted_pool_grow(wr_pool *pool, void *array, uint32_t count, uint32_t *cap, size_t size)
{
    counted.steps++;
    return real_pool_grow(pool, array, count, cap, size);
}

void counted_get_refs(const wr_ir *ir, const wr_ir_insn *insn, wr_ir_refs *refs)
{
    counted.steps++;
    real_get_refs(ir, insn, refs);
}

unsigned counted_src_count(const wr_ir_insn *insn)
{
    counted.steps++;
    return real_src_count(insn);
}

uint64_t counted_phys_step(const wr_ir_insn *insn, uint64_t live)
{
    counted.steps++;
    return real_phys_step(insn, live);
}

/* What a line costs. */
static counts measure(const wr_shape *shape, unsigned lines)
{
    wr_shape_text text = wr_shape_make(shape, lines);
    wr_diag diag = {0};
    wr_ptx_module *ptx;
    wr_module *module;
    counts c;

    counted = (counts){0};
    ptx = wr_ptx_parse(shape->name, text.at, text.used, &diag);
    module = ptx != NULL ? wr_compile(ptx, NULL, &diag) : NULL;
    c = counted;
    if (module == NULL) {
        wr_diag_print(&diag, stderr);
    }
    assert_non_null(module);
    assert_true(text.lines > lines * 0.8 && text.lines < lines * 1.2);
    wr_module_free(module);
    wr_ptx_free(ptx);
    free(text.at);
    c.steps /= text.lines;
    c.bytes /= text.lines;
    c.peak /= text.lines;
    return c;
}

static void linear(void **context)
{
    const wr_shape *shape = &wr_shapes[*(const size_t *)*context];
    counts small = measure(shape, SMALL), large = measure(shape, TIMES * SMALL);

    print_message("%-10s steps a line %5.0f and %5.0f, bytes in all %7.0f and %7.0f, at once "
                  "%5zu and %5zu\n",
                  shape->name, small.steps, large.steps, small.bytes, large.bytes, small.peak,
                  large.peak);
    assert_true(small.steps > 10 && small.bytes > 100 && small.peak > 100);
    assert_true(large.steps <= MARGIN * small.steps);
    assert_true(large.bytes <= MARGIN * small.bytes);
    assert_true((double)large.peak <= MARGIN * (double)small.peak);
}

int main(void)
{
    struct CMUnitTest tests[MOST] = {{0}};
    size_t numbers[MOST];

    if (wr_shape_count > MOST) {
        return 1;
    }
    for (size_t i = 0; i < wr_shape_count; i++) {
        numbers[i] = i;
        tests[i] = (struct CMUnitTest){
            .name = wr_shapes[i].name, .test_func = linear, .initial_state = &numbers[i]};
    }
    return _cmocka_run_group_tests("growth", tests, wr_shape_count, NULL, NULL);
}
