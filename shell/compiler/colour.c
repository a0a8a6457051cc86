/* SPDX-License-Identifier: Apache-2.0 */
/* Colouring by simplification: groups leave the graph in order of the fewest registers that
 * their neighbours still take, and get the lowest free run of registers in reverse. A second
 * order, by first definition, is tried as well, and the one that needs fewer registers stays:
 * a register saved is occupancy won. Where a group finds nothing free in either order it is
 * left without a colour, and spilling follows.
 */
#include <string.h>

#include "shell/compiler/alloc.h"

/* Marks the registers that the coloured neighbours of a group take, from the view of its
 * position 0: bit r = the group can't start at r. */
static uint64_t blocked_starts(const wr_alloc *alloc, const wr_group *group)
{
    uint64_t blocked = 0;

    for (uint32_t cell = group->first; cell != WR_NO_CELL; cell = alloc->next[cell]) {
        uint32_t count;
        const uint32_t *with = wr_alloc_with(alloc, cell, &count);

        for (uint32_t k = 0; k < count; k++) {
            uint32_t other = with[k];
            uint32_t colour = alloc->groups[alloc->group_of[other]].colour;

            if (colour == WR_NO_COLOUR) {
                continue;
            }
            colour += alloc->pos[other];
            if (colour >= alloc->pos[cell]) {
                blocked |= UINT64_C(1) << (colour - alloc->pos[cell]);
            }
        }
    }
    return blocked;
}

static uint32_t lowest_start(const wr_alloc *alloc, const wr_group *group)
{
    uint64_t blocked = blocked_starts(alloc, group);
    uint32_t limit = group->is_pred ? WR_ISA_PREDS : alloc->max_regs;

    for (uint32_t start = 0; start + group->span <= limit; start += group->align) {
        if ((blocked >> start & 1) == 0) {
            return start;
        }
    }
    return WR_NO_COLOUR;
}

/* Colours in the given order; returns registers used, and how many groups found none. */
static uint32_t colour_in_order(wr_alloc *alloc, const uint32_t *order, uint32_t count,
                                uint32_t *failures)
{
    uint32_t used = 0;

    *failures = 0;
    for (uint32_t g = 0; g < alloc->group_count; g++) {
        alloc->groups[g].colour = WR_NO_COLOUR;
    }
    for (uint32_t i = 0; i < count; i++) {
        wr_group *group = &alloc->groups[order[i]];

        group->colour = lowest_start(alloc, group);
        if (group->colour == WR_NO_COLOUR) {
            (*failures)++;
        } else if (!group->is_pred && group->colour + group->span > used) {
            used = group->colour + group->span;
        }
    }
    return used;
}

/* ---- the orders ---- */

/* Groups by degree and number, smallest on top; each is in it once. */
typedef struct heap {
    uint32_t *at, count;
    uint32_t *place;  /* by group: where in `at` */
    uint32_t *degree; /* by group */
} heap;

static bool before(const heap *h, uint32_t a, uint32_t b)
{
    if (h->degree[a] != h->degree[b]) {
        return h->degree[a] < h->degree[b];
    }
    return a < b;
}

static void put(heap *h, uint32_t at, uint32_t group)
{
    h->at[at] = group;
    h->place[group] = at;
}

static void rise(heap *h, uint32_t group)
{
    uint32_t i = h->place[group];

    while (i > 0 && before(h, group, h->at[(i - 1) / 2])) {
        put(h, i, h->at[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(h, i, group);
}

static uint32_t pop(heap *h)
{
    uint32_t top = h->at[0], last = h->at[--h->count], i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= h->count) {
            break;
        }
        if (child + 1 < h->count && before(h, h->at[child + 1], h->at[child])) {
            child++;
        }
        if (!before(h, h->at[child], last)) {
            break;
        }
        put(h, i, h->at[child]);
        i = child;
    }
    put(h, i, last);
    return top;
}

/* Smallest degree leaves first, so it is coloured last. */
static uint32_t simplify_order(const wr_alloc *alloc, uint32_t *order)
{
    wr_pool *pool = alloc->pool;
    bool *taken = wr_pool_alloc(pool, alloc->group_count, sizeof *taken);
    heap h = {.at = wr_pool_alloc(pool, alloc->group_count, sizeof *h.at),
              .place = wr_pool_alloc(pool, alloc->group_count, sizeof *h.place),
              .degree = wr_pool_alloc(pool, alloc->group_count, sizeof *h.degree)};
    uint32_t total, left;

    for (uint32_t g = 0; g < alloc->group_count; g++) {
        const wr_group *group = &alloc->groups[g];

        if (group->gone) {
            continue;
        }
        for (uint32_t cell = group->first; cell != WR_NO_CELL; cell = alloc->next[cell]) {
            h.degree[g] += alloc->conflicts.count[cell];
        }
        put(&h, h.count++, g);
        rise(&h, g);
    }
    total = left = h.count;
    while (h.count > 0) {
        uint32_t g = pop(&h);

        taken[g] = true;
        order[--left] = g;
        for (uint32_t cell = alloc->groups[g].first; cell != WR_NO_CELL; cell = alloc->next[cell]) {
            uint32_t count;
            const uint32_t *with = wr_alloc_with(alloc, cell, &count);

            for (uint32_t k = 0; k < count; k++) {
                uint32_t other = alloc->group_of[with[k]];

                if (taken[other]) {
                    continue;
                }
                h.degree[other]--;
                rise(&h, other);
            }
        }
    }
    return total;
}

/* Groups in the order in which the program defines them, wide ones first at each block. */
static uint32_t definition_order(const wr_alloc *alloc, uint32_t *order)
{
    const wr_ir *ir = alloc->ir;
    bool *taken = wr_pool_alloc(alloc->pool, alloc->group_count, sizeof *taken);
    uint32_t total = 0;

    for (uint32_t k = 0; k < alloc->cfg->order_count; k++) {
        const wr_ir_list *list = &ir->blocks[alloc->cfg->order[k]].insns;

        for (uint32_t i = 0; i < list->count; i++) {
            wr_ir_refs refs;

            wr_ir_get_refs(ir, &list->at[i], &refs);
            for (uint32_t d = 0; d < refs.def_count; d++) {
                uint32_t g = alloc->group_of[refs.defs[d]];

                if (!taken[g]) {
                    order[total++] = g;
                }
                taken[g] = true;
            }
        }
    }
    for (uint32_t g = 0; g < alloc->group_count; g++) {
        if (!alloc->groups[g].gone && !taken[g]) {
            order[total++] = g;
        }
    }
    return total;
}

uint32_t wr_alloc_colour(wr_alloc *alloc)
{
    wr_pool *pool = alloc->pool;
    uint32_t *by_degree = wr_pool_alloc(pool, alloc->group_count, sizeof *by_degree);
    uint32_t *by_definition = wr_pool_alloc(pool, alloc->group_count, sizeof *by_definition);
    uint32_t n = simplify_order(alloc, by_degree);
    uint32_t m = definition_order(alloc, by_definition);
    uint32_t failed_degree, failed_definition;
    uint32_t used_degree = colour_in_order(alloc, by_degree, n, &failed_degree);
    uint32_t used = colour_in_order(alloc, by_definition, m, &failed_definition);

    if (failed_degree < failed_definition ||
        (failed_degree == failed_definition && used_degree <= used)) {
        used = colour_in_order(alloc, by_degree, n, &failed_degree);
    }
    return used;
}
