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

    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t cell = group->cells[i];

        for (uint32_t k = 0; k < alloc->conflicts.count[cell]; k++) {
            uint32_t other = alloc->conflicts.with[cell][k];
            uint32_t colour = alloc->groups[alloc->group_of[other]].colour;

            if (colour == WR_NO_COLOUR)
                continue;
            colour += alloc->pos[other];
            if (colour >= alloc->pos[cell])
                blocked |= UINT64_C(1) << (colour - alloc->pos[cell]);
        }
    }
    return blocked;
}

static uint32_t lowest_start(const wr_alloc *alloc, const wr_group *group)
{
    uint64_t blocked = blocked_starts(alloc, group);
    uint32_t limit = group->is_pred ? WR_ISA_PREDS : alloc->max_regs;

    for (uint32_t start = 0; start + group->span <= limit; start += group->align)
        if ((blocked >> start & 1) == 0)
            return start;
    return WR_NO_COLOUR;
}

/* Colours in the given order; returns registers used, and how many groups found none. */
static uint32_t colour_in_order(wr_alloc *alloc, const uint32_t *order, uint32_t count,
                                uint32_t *failures)
{
    uint32_t used = 0;

    *failures = 0;
    for (uint32_t g = 0; g < alloc->group_count; g++)
        alloc->groups[g].colour = WR_NO_COLOUR;
    for (uint32_t i = 0; i < count; i++) {
        wr_group *group = &alloc->groups[order[i]];

        group->colour = lowest_start(alloc, group);
        if (group->colour == WR_NO_COLOUR)
            (*failures)++;
        else if (!group->is_pred && group->colour + group->span > used)
            used = group->colour + group->span;
    }
    return used;
}

/* ---- the orders ---- */

typedef struct heap_entry {
    uint32_t degree, group;
} heap_entry;

typedef struct heap {
    heap_entry *at;
    uint32_t count, cap;
} heap;

static bool before(heap_entry a, heap_entry b)
{
    return a.degree < b.degree || (a.degree == b.degree && a.group < b.group);
}

static void push(wr_pool *pool, heap *h, heap_entry entry)
{
    uint32_t i = h->count;

    h->at = wr_pool_grow(pool, h->at, h->count, &h->cap, sizeof *h->at);
    h->count++;
    while (i > 0 && before(entry, h->at[(i - 1) / 2])) {
        h->at[i] = h->at[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->at[i] = entry;
}

static heap_entry pop(heap *h)
{
    heap_entry top = h->at[0], last = h->at[--h->count];
    uint32_t i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= h->count)
            break;
        if (child + 1 < h->count && before(h->at[child + 1], h->at[child]))
            child++;
        if (!before(h->at[child], last))
            break;
        h->at[i] = h->at[child];
        i = child;
    }
    if (h->count > 0)
        h->at[i] = last;
    return top;
}

/* Smallest degree leaves first, so it is coloured last. Entries whose degree has fallen since
 * are pushed again and the stale ones skipped. */
static uint32_t simplify_order(const wr_alloc *alloc, uint32_t *order)
{
    wr_pool *pool = alloc->ir->pool;
    uint32_t *degree = wr_pool_alloc(pool, alloc->group_count, sizeof *degree);
    bool *taken = wr_pool_alloc(pool, alloc->group_count, sizeof *taken);
    uint32_t total = 0, left;
    heap h = {0};

    for (uint32_t g = 0; g < alloc->group_count; g++) {
        const wr_group *group = &alloc->groups[g];

        if (group->gone)
            continue;
        total++;
        for (uint32_t i = 0; i < group->count; i++)
            degree[g] += alloc->conflicts.count[group->cells[i]];
        push(pool, &h, (heap_entry){degree[g], g});
    }
    left = total;
    while (h.count > 0) {
        heap_entry top = pop(&h);
        const wr_group *group = &alloc->groups[top.group];

        if (taken[top.group] || top.degree != degree[top.group])
            continue;
        taken[top.group] = true;
        order[--left] = top.group;
        for (uint32_t i = 0; i < group->count; i++) {
            uint32_t cell = group->cells[i];

            for (uint32_t k = 0; k < alloc->conflicts.count[cell]; k++) {
                uint32_t other = alloc->group_of[alloc->conflicts.with[cell][k]];

                if (taken[other])
                    continue;
                degree[other]--;
                push(pool, &h, (heap_entry){degree[other], other});
            }
        }
    }
    return total;
}

/* Groups in the order in which the program defines them, wide ones first at each block. */
static uint32_t definition_order(const wr_alloc *alloc, uint32_t *order)
{
    const wr_ir *ir = alloc->ir;
    bool *taken = wr_pool_alloc(ir->pool, alloc->group_count, sizeof *taken);
    uint32_t total = 0;

    for (uint32_t k = 0; k < alloc->cfg->order_count; k++) {
        const wr_ir_list *list = &ir->blocks[alloc->cfg->order[k]].insns;

        for (uint32_t i = 0; i < list->count; i++) {
            wr_ir_refs refs;

            wr_ir_get_refs(ir, &list->at[i], &refs);
            for (uint32_t d = 0; d < refs.def_count; d++) {
                uint32_t g = alloc->group_of[refs.defs[d]];

                if (!taken[g])
                    order[total++] = g;
                taken[g] = true;
            }
        }
    }
    for (uint32_t g = 0; g < alloc->group_count; g++)
        if (!alloc->groups[g].gone && !taken[g])
            order[total++] = g;
    return total;
}

uint32_t wr_alloc_colour(wr_alloc *alloc)
{
    wr_pool *pool = alloc->ir->pool;
    uint32_t *by_degree = wr_pool_alloc(pool, alloc->group_count, sizeof *by_degree);
    uint32_t *by_definition = wr_pool_alloc(pool, alloc->group_count, sizeof *by_definition);
    uint32_t n = simplify_order(alloc, by_degree);
    uint32_t m = definition_order(alloc, by_definition);
    uint32_t failed_degree, failed_definition;
    uint32_t used_degree = colour_in_order(alloc, by_degree, n, &failed_degree);
    uint32_t used = colour_in_order(alloc, by_definition, m, &failed_definition);

    if (failed_degree < failed_definition ||
        (failed_degree == failed_definition && used_degree <= used))
        used = colour_in_order(alloc, by_degree, n, &failed_degree);
    return used;
}
