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

/* Images of .global and .const variables, in the order of the text. */
static bool lay_out_vars(const wr_ptx_module *ptx, wr_pool *pool, wr_layout *layout,
                         wr_module *module, wr_diag *diag)
{
    uint64_t end[2] = {0, 0};

    layout->offset = wr_pool_alloc(pool, ptx->var_count, sizeof *layout->offset);
    module->vars = wr_pool_alloc(pool, ptx->var_count, sizeof *module->vars);
    for (const wr_ptx_var *var = ptx->vars; var != NULL; var = var->next) {
        bool is_const = var->space == WR_PTX_SPACE_CONST;
        wr_module_var *out;
        uint8_t *init = NULL;

        if (var->space != WR_PTX_SPACE_GLOBAL && !is_const)
            continue;
        if (var->linkage == WR_PTX_LINK_EXTERN) {
            wr_diag_set(diag, ptx->file, var->line, var->column,
                        "variable '%s' is external: modules are not linked, so define it in this "
                        "one",
                        var->name);
            return false;
        }
        end[is_const] = round_up(end[is_const], var->align);
        if (end[is_const] + var->size > UINT32_MAX / 2) {
            wr_diag_set(diag, ptx->file, var->line, var->column,
                        "variable '%s' makes the module's memory larger than 2 GiB", var->name);
            return false;
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
    return true;
}

/* An address in an initialiser: of a function its number, of a variable its place in an image,
 * and the image's address unless it is a constant's address in its own space. */
static bool lay_out_reloc(const wr_ptx_module *ptx, const wr_ptx_var *var, const wr_ptx_reloc *from,
                          const wr_layout *layout, wr_module_reloc *to, wr_diag *diag)
{
    bool is_const = var->space == WR_PTX_SPACE_CONST;
    const wr_ptx_var *target = from->var;

    *to = (wr_module_reloc){.space = is_const ? WR_SPACE_CONST : WR_SPACE_GLOBAL,
                            .base = WR_SPACE_GENERIC,
                            .size = (uint8_t)from->size,
                            .offset = layout->offset[var->index] + (uint32_t)from->offset,
                            .value = (uint64_t)from->addend};
    if (target == NULL) {
        to->value += wr_lower_func_address(from->func);
        return true;
    }
    if (target->space != WR_PTX_SPACE_GLOBAL && target->space != WR_PTX_SPACE_CONST) {
        wr_diag_set(diag, ptx->file, var->line, var->column,
                    "variable '%s' holds the address of '%s', which each TB has elsewhere: take "
                    "the address in the kernel",
                    var->name, target->name);
        return false;
    }
    to->value += layout->offset[target->index];
    if (target->space == WR_PTX_SPACE_GLOBAL)
        to->base = WR_SPACE_GLOBAL;
    else if (from->generic)
        to->base = WR_SPACE_CONST;
    return true;
}

static bool lay_out_relocs(const wr_ptx_module *ptx, wr_pool *pool, const wr_layout *layout,
                           wr_module *module, wr_diag *diag)
{
    size_t count = 0;

    for (const wr_ptx_var *var = ptx->vars; var != NULL; var = var->next)
        for (const wr_ptx_reloc *r = var->relocs; r != NULL; r = r->next)
            count++;
    module->relocs = wr_pool_alloc(pool, count, sizeof *module->relocs);
    for (const wr_ptx_var *var = ptx->vars; var != NULL; var = var->next) {
        if (var->space != WR_PTX_SPACE_GLOBAL && var->space != WR_PTX_SPACE_CONST)
            continue;
        for (const wr_ptx_reloc *r = var->relocs; r != NULL; r = r->next)
            if (!lay_out_reloc(ptx, var, r, layout, &module->relocs[module->reloc_count++], diag))
                return false;
    }
    return true;
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
    for (uint32_t b = 0; b < ir->block_count; b++)
        if (!ir->blocks[b].reachable)
            ir->blocks[b].insns.count = 0;
}

static bool compile_ir(wr_ir *ir, const wr_ptx_module *ptx, const wr_ptx_func *func,
                       const wr_compile_options *options, wr_pool *pool, wr_kernel *kernel,
                       wr_diag *diag)
{
    uint32_t max_regs = register_limit(func, options);
    wr_cfg *cfg;
    wr_points_options points;

    if (!options->no_cleanup)
        wr_pass_branches(ir);
    cfg = wr_cfg_build(ir);
    drop_unreachable(ir);
    wr_pass_dead_code(ir);
    if (!options->no_cleanup) {
        wr_pass_spaces(ir);
        wr_pass_clean(ir, cfg);
        if (wr_pass_strength(ir))
            wr_pass_clean(ir, cfg);
        if (wr_pass_cse(ir, cfg))
            wr_pass_clean(ir, cfg);
        cfg = wr_pass_ifconv(ir, cfg);
    }
    wr_pass_uniform(ir, cfg);
    wr_pass_legalise(ir);
    kernel->regs = wr_pass_allocate(ir, cfg, max_regs);
    if (kernel->regs == 0) {
        wr_diag_set(diag, ptx->file, func->line, func->column,
                    "kernel '%s' does not fit %u registers a thread even with spilling: allow "
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

static bool check_options(wr_compile_options *o, wr_diag *diag)
{
    if (o->max_regs == 0)
        o->max_regs = WR_ISA_MAX_REGS;
    if (o->pp_interval == 0)
        o->pp_interval = DEFAULT_INTERVAL;
    if (o->max_regs >= MIN_REGS && o->max_regs <= WR_ISA_MAX_REGS)
        return true;
    wr_diag_set(diag, NULL, 0, 0, "registers per thread are %u: give %u to %u", o->max_regs,
                MIN_REGS, WR_ISA_MAX_REGS);
    return false;
}

wr_module *wr_compile(const wr_ptx_module *ptx, const wr_compile_options *options, wr_diag *diag)
{
    wr_compile_options o = options != NULL ? *options : (wr_compile_options){0};
    wr_pool *pool = wr_pool_new();
    wr_module *module = wr_pool_alloc(pool, 1, sizeof *module);
    wr_layout layout;
    bool ok = check_options(&o, diag);

    module->arena = pool;
    module->address_size = ptx->address_size;
    module->kernels = wr_pool_alloc(pool, ptx->func_count, sizeof *module->kernels);
    ok = ok && lay_out_vars(ptx, pool, &layout, module, diag) &&
         lay_out_relocs(ptx, pool, &layout, module, diag);
    for (const wr_ptx_func *func = ptx->funcs; ok && func != NULL; func = func->next)
        if (func->is_entry && func->has_body)
            ok = compile_func(ptx, func, &layout, &o, pool,
                              &module->kernels[module->kernel_count++], diag);
    if (ok)
        return module;
    wr_pool_free(pool);
    return NULL;
}

void wr_module_free(wr_module *module)
{
    if (module != NULL)
        wr_pool_free(module->arena);
}

const wr_kernel *wr_module_find(const wr_module *module, const char *name)
{
    for (size_t i = 0; i < module->kernel_count; i++)
        if (strcmp(module->kernels[i].name, name) == 0)
            return &module->kernels[i];
    return NULL;
}
