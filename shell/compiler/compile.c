/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's driver: the module's layout, and the passes in order for each kernel. */
#include "shell/compiler/compiler.h"

#include <string.h>

#include "shell/compiler/lower.h"
#include "shell/compiler/passes.h"

#define DEFAULT_INTERVAL 1000
#define MIN_REGS         8

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return align < 2 ? value : (value + align - 1) / align * align;
}

static bool in_image(const wr_ptx_var *var)
{
    return (var->space == WR_PTX_SPACE_GLOBAL || var->space == WR_PTX_SPACE_CONST) &&
           var->refused == NULL;
}

static void refuse_var(wr_layout *layout, wr_pool *pool, const wr_ptx_module *ptx,
                       const wr_ptx_var *var, const char *why)
{
    wr_diag *diag = wr_pool_alloc(pool, 1, sizeof *diag);

    wr_diag_set(diag, ptx->file, var->line, var->column, "variable '%s' %s", var->name, why);
    layout->refused[var->index] = diag;
}

/* Images of .global and .const variables, in the order of the text. */
static void lay_out_vars(const wr_ptx_module *ptx, wr_pool *pool, wr_layout *layout,
                         wr_module *module)
{
    uint64_t end[2] = {0, 0};

    layout->offset = wr_pool_alloc(pool, ptx->var_count, sizeof *layout->offset);
    layout->refused = wr_pool_alloc(pool, ptx->var_count, sizeof(const wr_diag *));
    module->vars = wr_pool_alloc(pool, ptx->var_count, sizeof *module->vars);
    for (const wr_ptx_var *var = ptx->vars; var != NULL; var = var->next) {
        bool is_const = var->space == WR_PTX_SPACE_CONST;
        wr_module_var *out;
        uint8_t *init = NULL;

        if (!in_image(var)) {
            continue;
        }
        if (var->linkage == WR_PTX_LINK_EXTERN) {
            refuse_var(layout, pool, ptx, var,
                       "is external: modules are not linked, so define it in this one");
            continue;
        }
        end[is_const] = round_up(end[is_const], var->align);
        if (end[is_const] + var->size > UINT32_MAX / 2) {
            refuse_var(layout, pool, ptx, var, "makes the module's memory larger than 2 GiB");
            continue;
        }
        layout->offset[var->index] = (uint32_t)end[is_const];
        if (var->init != NULL && var->size > 0) {
            init = wr_pool_alloc(pool, var->size, 1);
            memcpy(init, var->init, var->init_size);
        }
        out = &module->vars[module->var_count++];
        *out = (wr_module_var){.name = wr_pool_text(pool, var->name),
                               .space = is_const ? WR_SPACE_CONST : WR_SPACE_GLOBAL,
                               .size = (uint32_t)var->size,
                               .align = var->align,
                               .offset = (uint32_t)end[is_const],
                               .init = init};
        end[is_const] += var->size;
    }
    module->global_bytes = (uint32_t)end[0];
    module->const_bytes = (uint32_t)end[1];
    layout->const_bytes = module->const_bytes;
}

/* An address in an initialiser: of a function its number, of a variable its place in an image,
 * and the image's address unless it is a constant's address in its own space. */
static wr_module_reloc lay_out_reloc(const wr_ptx_var *var, const wr_ptx_reloc *from,
                                     const wr_layout *layout)
{
    bool is_const = var->space == WR_PTX_SPACE_CONST;
    const wr_ptx_var *target = from->var;
    wr_module_reloc to = {.space = is_const ? WR_SPACE_CONST : WR_SPACE_GLOBAL,
                          .base = WR_SPACE_GENERIC,
                          .size = (uint8_t)from->size,
                          .shift = from->shift,
                          .offset = layout->offset[var->index] + (uint32_t)from->offset,
                          .value = (uint64_t)from->addend};

    if (target == NULL) {
        to.value += wr_lower_func_address(from->func);
        return to;
    }
    to.value += layout->offset[target->index];
    if (target->space == WR_PTX_SPACE_GLOBAL) {
        to.base = WR_SPACE_GLOBAL;
    } else if (from->generic) {
        to.base = WR_SPACE_CONST;
    }
    return to;
}

/* Refuses variables that hold an address which is not known; true where there was a new one. */
static bool refuse_relocs(const wr_ptx_module *ptx, wr_pool *pool, wr_layout *layout)
{
    char why[300];
    bool any = false;

    for (const wr_ptx_var *var = ptx->vars; var != NULL; var = var->next) {
        if (!in_image(var) || layout->refused[var->index] != NULL) {
            continue;
        }
        for (const wr_ptx_reloc *r = var->relocs; r != NULL; r = r->next) {
            const wr_ptx_var *target = r->var;
            const char *what = NULL;

            if (target == NULL) {
                continue;
            }
            if (target->refused != NULL) {
                what = "which is refused itself";
            } else if (!in_image(target)) {
                what = "which each TB has elsewhere: take the address in the kernel";
            } else if (layout->refused[target->index] != NULL) {
                what = "which has none: define that one in this module";
            }
            if (what == NULL) {
                continue;
            }
            (void)snprintf(why, sizeof why, "holds the address of '%.150s', %s", target->name,
                           what);
            refuse_var(layout, pool, ptx, var, why);
            any = true;
            break;
        }
    }
    return any;
}

static void lay_out_relocs(const wr_ptx_module *ptx, wr_pool *pool, wr_layout *layout,
                           wr_module *module)
{
    size_t count = 0;

    for (const wr_ptx_var *var = ptx->vars; var != NULL; var = var->next) {
        for (const wr_ptx_reloc *r = var->relocs; r != NULL; r = r->next) {
            count++;
        }
    }
    module->relocs = wr_pool_alloc(pool, count, sizeof *module->relocs);
    while (refuse_relocs(ptx, pool, layout)) {
    }
    for (const wr_ptx_var *var = ptx->vars; var != NULL; var = var->next) {
        if (!in_image(var) || layout->refused[var->index] != NULL) {
            continue;
        }
        for (const wr_ptx_reloc *r = var->relocs; r != NULL; r = r->next) {
            module->relocs[module->reloc_count++] = lay_out_reloc(var, r, layout);
        }
    }
}

static void fill_params(const wr_ptx_func *func, wr_pool *pool, wr_kernel *kernel)
{
    kernel->params = wr_pool_alloc(pool, func->param_count, sizeof *kernel->params);
    for (const wr_ptx_var *var = func->params; var != NULL; var = var->next) {
        wr_type type = wr_lower_type(var->type);
        bool plain = !var->is_array && var->vec <= 1 && type <= WR_B64;

        kernel->params[kernel->param_count++] =
            (wr_kernel_param){.name = wr_pool_text(pool, var->name),
                              .type = (uint8_t)(plain ? type : WR_B8),
                              .offset = (uint32_t)var->offset,
                              .size = (uint32_t)var->size};
    }
    kernel->param_bytes = (uint32_t)func->param_bytes;
}

static uint32_t max_threads(const wr_ptx_func *func)
{
    const uint32_t *dim = func->maxntid;
    uint64_t threads = (uint64_t)dim[0] * dim[1];

    threads = threads > UINT32_MAX ? UINT32_MAX : threads * dim[2];
    return threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
}

/* The kernel's own .maxnreg lowers the limit; below what the machine needs it is not heeded. */
static uint32_t register_limit(const wr_ptx_func *func, const wr_compile_options *options)
{
    uint32_t own = func->maxnreg < MIN_REGS ? MIN_REGS : func->maxnreg;

    return func->maxnreg != 0 && own < options->max_regs ? own : options->max_regs;
}

static void drop_unreachable(wr_ir *ir)
{
    for (uint32_t b = 0; b < ir->block_count; b++) {
        if (!ir->blocks[b].reachable) {
            ir->blocks[b].insns.count = 0;
        }
    }
}

static bool compile_ir(wr_ir *ir, const wr_ptx_module *ptx, const wr_ptx_func *func,
                       const wr_compile_options *options, wr_pool *pool, wr_kernel *kernel,
                       wr_diag *diag)
{
    uint32_t max_regs = register_limit(func, options);
    uint32_t without = options->no_cleanup ? UINT32_MAX : options->without;
    wr_cfg *cfg;
    wr_points_options points;

    wr_optimise(ir, NULL, WR_STAGE_GRAPHLESS, without);
    cfg = wr_cfg_build(ir);
    drop_unreachable(ir);
    wr_pass_dead_code(ir);
    cfg = wr_optimise(ir, cfg, WR_STAGE_SCALAR, without);
    if (wr_pass_locks(ir, cfg)) {
        cfg = wr_cfg_build(ir);
    }
    cfg = wr_optimise(ir, cfg, WR_STAGE_GUARDS, without);
    wr_pass_uniform(ir, cfg);
    wr_pass_roots(ir);
    kernel->hint = wr_pass_locality(ir, cfg);
    wr_pass_legalise(ir);
    cfg = wr_optimise(ir, cfg, WR_STAGE_LEGAL, without);
    kernel->regs = wr_pass_allocate(ir, cfg, max_regs);
    if (kernel->regs == 0) {
        wr_diag_set(diag, ptx->file, func->line, func->column,
                    "kernel '%.160s' does not fit %u registers a thread even with spilling: allow "
                    "more",
                    func->name, max_regs);
        return false;
    }
    points = (wr_points_options){options->pp_interval, kernel->regs, options->no_pp};
    wr_pass_points(ir, cfg, &points);
    if (!wr_emit(ir, cfg, pool, kernel)) {
        wr_diag_set(diag, ptx->file, func->line, func->column,
                    "kernel '%s' can't be encoded: it is longer than 16 M words, or the compiler "
                    "is at fault",
                    func->name);
        return false;
    }
    kernel->local_bytes = (uint32_t)round_up(ir->local_bytes, 16);
    kernel->spill_bytes = ir->spill_bytes;
    return true;
}

static bool compile_func(const wr_ptx_module *ptx, const wr_ptx_func *func, const wr_layout *layout,
                         const wr_compile_options *options, wr_pool *pool, wr_kernel *kernel,
                         wr_diag *diag)
{
    wr_pool *scratch = wr_pool_new();
    wr_ir *ir;
    bool ok;

    kernel->name = wr_pool_text(pool, func->name);
    kernel->global_base_at = UINT32_MAX;
    kernel->const_base_at = UINT32_MAX;
    kernel->max_tid = max_threads(func);
    memcpy(kernel->req_tid, func->reqntid, sizeof kernel->req_tid);
    fill_params(func, pool, kernel);
    ir = wr_lower_func(scratch, ptx, func, layout, kernel, diag);
    ok = ir != NULL && compile_ir(ir, ptx, func, options, pool, kernel, diag);
    wr_pool_free(scratch);
    return ok;
}

static void compile_entry(const wr_ptx_module *ptx, const wr_ptx_func *func,
                          const wr_sources *sources, const wr_layout *layout,
                          const wr_compile_options *options, wr_pool *pool, wr_module *module)
{
    wr_kernel *kernel = &module->kernels[module->kernel_count];
    wr_diag diag = {0}, *kept;

    *kernel = (wr_kernel){.sources = sources};
    if (compile_func(ptx, func, layout, options, pool, kernel, &diag)) {
        module->kernel_count++;
        return;
    }
    if (module->refused == NULL) {
        module->refused = wr_pool_alloc(pool, ptx->func_count, sizeof *module->refused);
    }
    kept = wr_pool_alloc(pool, 1, sizeof *kept);
    *kept = diag;
    module->refused[module->refused_count++] = (wr_refused){wr_pool_text(pool, func->name), kept};
}

static bool check_options(wr_compile_options *o, wr_diag *diag)
{
    if (o->max_regs == 0) {
        o->max_regs = WR_ISA_MAX_REGS;
    }
    if (o->pp_interval == 0) {
        o->pp_interval = DEFAULT_INTERVAL;
    }
    if (o->max_regs >= MIN_REGS && o->max_regs <= WR_ISA_MAX_REGS) {
        return true;
    }
    wr_diag_set(diag, NULL, 0, 0, "registers per thread are %u: give %u to %u", o->max_regs,
                MIN_REGS, WR_ISA_MAX_REGS);
    return false;
}

wr_module *wr_compile(const wr_ptx_module *ptx, const wr_compile_options *options, wr_diag *diag)
{
    wr_compile_options o = options != NULL ? *options : (wr_compile_options){0};
    wr_pool *pool = wr_pool_new();
    wr_module *module = wr_pool_alloc(pool, 1, sizeof *module);
    const wr_sources *sources = wr_sources_build(pool, ptx);
    wr_layout layout = {0};
    bool ok = check_options(&o, diag);

    module->arena = pool;
    module->address_size = ptx->address_size;
    module->kernels = wr_pool_alloc(pool, ptx->func_count, sizeof *module->kernels);
    layout.stack_bytes = o.stack_bytes;
    layout.stack_least = o.stack_least > WR_COMPILE_STACK ? o.stack_least : WR_COMPILE_STACK;
    layout.calls = wr_calls_build(pool, ptx);
    if (ok) {
        lay_out_vars(ptx, pool, &layout, module);
        lay_out_relocs(ptx, pool, &layout, module);
    }
    for (const wr_ptx_func *func = ptx->funcs; ok && func != NULL; func = func->next) {
        if (func->is_entry && func->has_body) {
            compile_entry(ptx, func, sources, &layout, &o, pool, module);
        }
    }
    if (ok && module->kernel_count == 0 && module->refused_count > 0 && !o.keep_refused) {
        if (diag != NULL) {
            *diag = *module->refused[0].diag;
        }
        ok = false;
    }
    if (ok) {
        return module;
    }
    wr_pool_free(pool);
    return NULL;
}

void wr_module_free(wr_module *module)
{
    if (module != NULL) {
        wr_pool_free(module->arena);
    }
}

const wr_kernel *wr_module_find(const wr_module *module, const char *name)
{
    for (size_t i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernels[i].name, name) == 0) {
            return &module->kernels[i];
        }
    }
    return NULL;
}

const wr_diag *wr_module_refusal(const wr_module *module, const char *name)
{
    for (size_t i = 0; i < module->refused_count; i++) {
        if (strcmp(module->refused[i].name, name) == 0) {
            return module->refused[i].diag;
        }
    }
    return NULL;
}
