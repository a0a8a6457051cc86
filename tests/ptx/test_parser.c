/* SPDX-License-Identifier: Apache-2.0 */
/* The tree: what each construct of PTX becomes. */
#include "tests/ptx/ptx_helper.h"

static const wr_ptx_func *only_func(const wr_ptx_module *module)
{
    assert_int_equal(module->func_count, 1);
    return module->funcs;
}

static const wr_ptx_reg *reg_of(const wr_ptx_func *func, const wr_ptx_operand *opd)
{
    assert_int_equal(opd->kind, WR_PTX_OPD_REG);
    assert_true(opd->reg < func->reg_count);
    return &func->regs[opd->reg];
}

static void test_module_head(void **state)
{
    (void)state;
    wr_ptx_module *module = parse_good(".version 4.0\n.target sm_50, texmode_independent\n"
                                       ".address_size 32\n.file 3 \"k.cu\", 1, 2\n"
                                       ".file 4 \"/home\" \"d.cu\"\n"
                                       ".visible .entry k() .maxntid 16, 8 .minnctapersm 2\n"
                                       ".pragma \"nounroll\"; .reqntid 64 { ret; }\n"
                                       ".section .debug_str { x: .b8 1,2 \n .b32 y }\n");
    const wr_ptx_func *func = only_func(module);
    assert_int_equal(module->version_major, 4);
    assert_int_equal(module->version_minor, 0);
    assert_int_equal(module->sm, 50);
    assert_string_equal(module->target, "sm_50");
    assert_int_equal(module->address_size, 32);
    assert_int_equal(module->src_file_count, 5);
    assert_null(module->src_files[0]);
    assert_string_equal(module->src_files[3], "k.cu");
    assert_string_equal(module->src_files[4], "d.cu"); /* with its folder in front, as DWARF has */
    assert_true(func->is_entry && func->has_body);
    assert_int_equal(func->linkage, WR_PTX_LINK_VISIBLE);
    assert_int_equal(func->maxntid[0], 16);
    assert_int_equal(func->maxntid[1], 8);
    assert_int_equal(func->maxntid[2], 1);
    assert_int_equal(func->reqntid[0], 64);
    assert_int_equal(func->minnctapersm, 2);
    assert_string_equal(func->pragmas->text, "nounroll");
    assert_ptr_equal(wr_ptx_find_func(module, "k"), func);
    assert_null(wr_ptx_find_func(module, "kk"));
    wr_ptx_free(module);
}

/* Before PTX 2.3: parameters in registers, prototypes without a semicolon, no size of addresses. */
static void test_old(void **state)
{
    (void)state;
    wr_ptx_module *module =
        parse_good(".version 1.4\n.target sm_13\n.func (.reg .u32 %rv) f (.reg .u32 %ra, .reg .f64 "
                   "%fd)\n.extern .func g ()\n.entry k (.param .u32 p) { exit; }\n"
                   ".func (.reg .u32 %rv) f (.reg .u32 %ra, .reg .f64 %fd)\n"
                   "{ add.u32 %rv, %ra, 4; ret; }\n.func last ()");
    assert_int_equal(module->func_count, 4);
    assert_int_equal(module->address_size, 32);
    const wr_ptx_func *f = module->funcs;
    assert_true(f->has_body && f->rets->is_reg && f->params->is_reg && f->params->next->is_reg);
    assert_string_equal(f->regs[f->rets->reg].name, "%rv");
    assert_string_equal(f->regs[f->params->reg].name, "%ra");
    assert_int_equal(f->regs[f->params->next->reg].type, WR_PTX_F64);
    assert_int_equal(f->insns[0].operands[0].reg, f->rets->reg);
    assert_int_equal(f->insns[0].operands[1].reg, f->params->reg);
    assert_string_equal(f->next->name, "g");
    assert_false(f->next->has_body);
    wr_ptx_free(module);
}

static void test_params(void **state)
{
    (void)state;
    wr_ptx_module *module =
        parse_good(".version 7.0\n.target sm_50\n.address_size 64\n.entry k(.param .u32 a,\n"
                   ".param .u64 .ptr .global .align 16 b, .param .u8 c, .param .align 8 .b8 d[20],"
                   ".param .v4 .f32 e, .param .u16 f)\n{ ret; }");
    static const struct {
        const char *name;
        uint64_t offset, size;
        uint32_t align;
    } expected[] = {{"a", 0, 4, 4},   {"b", 8, 8, 8},    {"c", 16, 1, 1},
                    {"d", 24, 20, 8}, {"e", 48, 16, 16}, {"f", 64, 2, 2}};
    const wr_ptx_func *func = only_func(module);
    assert_int_equal(func->param_count, 6);
    assert_int_equal(func->param_bytes, 66);
    const wr_ptx_var *param = func->params;
    for (unsigned i = 0; i < 6; i++, param = param->next) {
        assert_string_equal(param->name, expected[i].name);
        assert_int_equal(param->offset, expected[i].offset);
        assert_int_equal(param->size, expected[i].size);
        assert_int_equal(param->align, expected[i].align);
        assert_int_equal(param->index, i);
        assert_int_equal(param->space, WR_PTX_SPACE_PARAM);
    }
    assert_null(param);
    assert_true(func->params->next->is_pointer);
    assert_int_equal(func->params->next->pointee_space, WR_PTX_SPACE_GLOBAL);
    assert_int_equal(func->params->next->pointee_align, 16);
    wr_ptx_free(module);
}

static void check_bytes(const wr_ptx_var *var, const uint8_t *bytes, size_t count)
{
    assert_true(var->init_size <= var->size);
    for (size_t i = 0; i < count; i++) {
        uint8_t got = i < var->init_size ? var->init[i] : 0;
        if (got != bytes[i]) {
            fail_msg("%s: byte %zu is %u, not %u", var->name, i, got, bytes[i]);
        }
    }
}

static void test_variables(void **state)
{
    (void)state;
    wr_ptx_module *module =
        parse_good(".version 7.0\n.target sm_50\n.address_size 64\n"
                   ".const .align 4 .u32 c[4] = {1, 0x203, -1};\n"
                   ".global .f32 f = 0f3F800000;\n"
                   ".global .u16 m[2][3] = {{1}, {2, 3}};\n"
                   ".global .v2 .u8 v[2] = {{1, 2}, {3, 4}};\n"
                   ".visible .global .u64 p[3] = {c, generic(m)+4, generic(f)-8};\n"
                   ".global .s8 open[] = {(1<<3)|2, ~0, 7 % 4, -7 / 2, 5 > 3 ? 9 : 8};\n"
                   ".global .f64 d = 1.5;\n"
                   ".global .align 8 .b8 big[4294967295] = {1};\n"
                   ".shared .align 16 .b8 s[100];\n.extern .shared .align 8 .b8 dyn[];\n"
                   ".extern .global .u32 later;\n.global .u32 later = 5;\n");
    const wr_ptx_var *var = module->vars;
    assert_int_equal(module->var_count, 11);
    static const uint8_t c[] = {1, 0, 0, 0, 3, 2, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0};
    static const uint8_t f[] = {0, 0, 128, 63};
    static const uint8_t m[] = {1, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0};
    static const uint8_t v[] = {1, 2, 3, 4};
    static const uint8_t open[] = {10, 255, 3, 253, 9};
    static const uint8_t d[] = {0, 0, 0, 0, 0, 0, 248, 63};
    assert_int_equal(var->space, WR_PTX_SPACE_CONST);
    assert_int_equal(var->size, 16);
    check_bytes(var, c, sizeof c);
    const wr_ptx_var *c_var = var;
    var = var->next;
    check_bytes(var, f, sizeof f);
    var = var->next;
    assert_int_equal(var->size, 12);
    check_bytes(var, m, sizeof m);
    const wr_ptx_var *m_var = var;
    var = var->next;
    assert_int_equal(var->size, 4);
    assert_int_equal(var->align, 2);
    check_bytes(var, v, sizeof v);
    var = var->next;
    const wr_ptx_reloc *reloc = var->relocs;
    assert_ptr_equal(reloc->var, c_var);
    assert_false(reloc->generic);
    assert_int_equal(reloc->offset, 0);
    reloc = reloc->next;
    assert_ptr_equal(reloc->var, m_var);
    assert_true(reloc->generic);
    assert_int_equal(reloc->offset, 8);
    assert_int_equal(reloc->addend, 4);
    assert_int_equal(reloc->next->addend, -8);
    assert_null(reloc->next->next);
    var = var->next;
    assert_int_equal(var->size, 5);
    check_bytes(var, open, sizeof open);
    var = var->next;
    check_bytes(var, d, sizeof d);
    var = var->next;
    assert_int_equal(var->size, UINT32_MAX);
    assert_int_equal(var->init_size, 1);
    var = var->next;
    assert_int_equal(var->align, 16);
    assert_int_equal(var->size, 100);
    var = var->next;
    assert_true(var->is_open);
    assert_int_equal(var->size, 0);
    var = var->next;
    assert_int_equal(var->linkage, WR_PTX_LINK_LOCAL);
    assert_int_equal(var->init[0], 5);
    assert_null(var->next);
    wr_ptx_free(module);
}

static void test_instruction_fields(void **state)
{
    (void)state;
    wr_ptx_module *module =
        parse_good_body("@!%p1 fma.rn.ftz.sat.f32 %f1, %f2, 0d4000000000000000, -2.5;\n"
                        "setp.ltu.and.f32 %p1|%p2, %f1, %f2, !%p3;\n"
                        "cvt.rzi.sat.s8.f32 %h1, %f1;\n"
                        "ld.volatile.shared.v2.u16 {%r1, _}, [dyn+-6];\n"
                        "atom.relaxed.sys.global.cas.b32 %r1, [%rd1+8], %r2, 7;\n"
                        "mul.wide.s16 %r1, %uh1, -1;\n"
                        "mov.u32 %r1, %ctaid.y;\n"
                        "bar.sync 3, 64;\n"
                        "shf.r.clamp.b32 %r1, %r2, %r3, 5;\n"
                        "mov.b64 {%r1, %r2}, %d1;\n"
                        "mov.u64 %rd1, dep+4;\n");
    const wr_ptx_func *func = only_func(module);
    const wr_ptx_insn *insn = func->insns;
    assert_int_equal(func->insn_count, 12);

    assert_int_equal(insn->op, WR_PTX_FMA);
    assert_string_equal(insn->text, "fma.rn.ftz.sat.f32");
    assert_int_equal(insn->line, PTX_BODY_LINE);
    assert_int_equal(insn->column, 7);
    assert_true(insn->guard_neg);
    assert_string_equal(func->regs[insn->guard].name, "%p1");
    assert_int_equal(func->regs[insn->guard].type, WR_PTX_PRED);
    assert_int_equal(insn->type[0], WR_PTX_F32);
    assert_int_equal(insn->mod[WR_PTX_SLOT_RND], WR_PTX_RND_RN);
    assert_int_equal(insn->mod[WR_PTX_SLOT_FTZ], 1);
    assert_int_equal(insn->mod[WR_PTX_SLOT_SAT], 1);
    assert_int_equal(insn->dst_count, 1);
    assert_int_equal(insn->operands[2].bits, 0x40000000);
    assert_int_equal(insn->operands[3].bits, 0xC0200000);
    assert_int_equal(insn->operands[3].type, WR_PTX_F32);

    insn++;
    assert_int_equal(insn->op, WR_PTX_SETP);
    assert_int_equal(insn->guard, WR_PTX_NO_REG);
    assert_int_equal(insn->mod[WR_PTX_SLOT_CMP], WR_PTX_CMP_LTU);
    assert_int_equal(insn->mod[WR_PTX_SLOT_BOOL], WR_PTX_BOOL_AND);
    assert_string_equal(reg_of(func, &insn->operands[0])->name, "%p1");
    assert_string_equal(func->regs[insn->operands[0].reg2].name, "%p2");
    assert_true(insn->operands[3].neg);

    insn++;
    assert_int_equal(insn->type[0], WR_PTX_S8);
    assert_int_equal(insn->type[1], WR_PTX_F32);
    assert_int_equal(insn->mod[WR_PTX_SLOT_RND], WR_PTX_RND_RZI);

    insn++;
    assert_int_equal(insn->mod[WR_PTX_SLOT_SEM], WR_PTX_SEM_VOLATILE);
    assert_int_equal(insn->mod[WR_PTX_SLOT_SPACE], WR_PTX_SPACE_SHARED);
    assert_int_equal(insn->mod[WR_PTX_SLOT_VEC], 2);
    assert_int_equal(insn->operands[0].kind, WR_PTX_OPD_VECTOR);
    assert_int_equal(insn->operands[0].elems[1].kind, WR_PTX_OPD_SINK);
    assert_string_equal(insn->operands[1].var->name, "dyn");
    assert_int_equal(insn->operands[1].offset, -6);

    insn++;
    assert_int_equal(insn->mod[WR_PTX_SLOT_MODE], WR_PTX_MODE_CAS);
    assert_int_equal(insn->mod[WR_PTX_SLOT_SCOPE], WR_PTX_SCOPE_SYS);
    assert_int_equal(insn->operand_count, 4);
    assert_int_equal(insn->dst_count, 1);
    assert_int_equal(insn->operands[1].offset, 8);

    insn++;
    assert_int_equal(insn->operands[0].type, WR_PTX_S32);
    assert_int_equal((int64_t)insn->operands[2].bits, -1);

    insn++;
    assert_int_equal(insn->operands[1].kind, WR_PTX_OPD_SREG);
    assert_int_equal(insn->operands[1].sreg, WR_PTX_SREG_CTAID);
    assert_int_equal(insn->operands[1].component, 1);

    insn++;
    assert_int_equal(insn->dst_count, 0);
    assert_int_equal(insn->operands[0].bits, 3);
    assert_int_equal(insn->operands[1].bits, 64);

    insn++;
    assert_int_equal(insn->op, WR_PTX_SHF);
    assert_int_equal(insn->mod[WR_PTX_SLOT_MODE], WR_PTX_MODE_R_CLAMP);

    insn++;
    assert_int_equal(insn->operands[0].count, 2);
    assert_int_equal(insn->operands[0].elems[0].type, WR_PTX_B32);
    assert_int_equal(insn->operands[1].type, WR_PTX_B64);

    insn++;
    assert_int_equal(insn->operands[1].kind, WR_PTX_OPD_SYMBOL);
    assert_string_equal(insn->operands[1].var->name, "dep");
    assert_int_equal(insn->operands[1].offset, 4);
    wr_ptx_free(module);
}

static void test_immediates(void **state)
{
    static const struct {
        const char *text;
        uint64_t bits;
    } cases[] = {
        {"mov.u32 %r1, -1;", 0xFFFFFFFF},
        {"mov.s32 %r1, -1;", UINT64_MAX},
        {"mov.s32 %r1, 0xFFFFFFFF;", UINT64_MAX},
        {"mov.u16 %h1, 65537;", 1},
        {"mov.b64 %rd1, -2;", UINT64_MAX - 1},
        {"mov.u32 %r1, 4294967296;", 0},
        {"mov.b32 %r1, 0f3F800000;", 0x3F800000},
        {"mov.f64 %d1, 0f3F800000;", UINT64_C(0x3FF0000000000000)},
        {"mov.f32 %f1, 0d3FB999999999999A;", 0x3DCCCCCD},
        {"mov.f32 %f1, -0.0;", 0x80000000},
        {"mov.u32 %r1, WARP_SZ;", 32},
        {"mov.u32 %r1, 2+3*4;", 14},
        {"mov.u32 %r1, (2+3)*4;", 20},
        {"mov.u32 %r1, 10-4-3;", 3},
        {"mov.u32 %r1, 10-4*2;", 2},
        {"mov.s32 %r1, -8>>1;", UINT64_MAX - 3},
        {"mov.u32 %r1, 1<<4|1;", 17},
        {"mov.u32 %r1, 0?1:2;", 2},
        {"mov.u32 %r1, 3==3&&!0;", 1},
        {"mov.s32 %r1, -7 % 16;", 9}, /* as numbers without a sign */
        {"mov.u32 %r1, ~0 > 0;", 1},
        {"mov.u32 %r1, (-1 | 0U) < 0;", 0},
        {"mov.f64 %d1, 1.0 + 2.0 * 3.0;", UINT64_C(0x401c000000000000)},
        {"mov.u32 %r1, 1.5 <= 1.5;", 1},
        {"mov.s32 %r1, (1 ? -1 : 0U) < 0;", 0},
        {"mov.pred %p1, 1;", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_ptx_module *module = parse_good_body(cases[i].text);
        uint64_t bits = only_func(module)->insns[0].operands[1].bits;
        if (bits != cases[i].bits) {
            fail_msg("'%s': %llx, not %llx", cases[i].text, (unsigned long long)bits,
                     (unsigned long long)cases[i].bits);
        }
        wr_ptx_free(module);
    }
}

static void test_labels_and_scopes(void **state)
{
    (void)state;
    wr_ptx_module *module = parse_good_body("@%p1 bra END;\n"
                                            "TOP: add.u32 %r1, %r1, 1;\n"
                                            "{ .reg .u64 %r1; .reg .b32 in;\n"
                                            "  mov.u64 %r1, 5; bra.uni L; L: bra TOP; }\n"
                                            "{ bra L; L: mov.u32 %r1, 6; }\n"
                                            "ts: .branchtargets TOP, END, TOP;\n"
                                            "brx.idx %r2, ts;\n"
                                            "END:\n");
    const wr_ptx_func *func = only_func(module);
    const wr_ptx_insn *insns = func->insns;
    assert_int_equal(func->insn_count, 9);
    assert_int_equal(insns[0].operands[0].kind, WR_PTX_OPD_LABEL);
    assert_int_equal(insns[0].operands[0].target, 8);
    assert_int_equal(insns[3].operands[0].target, 4);
    assert_int_equal(insns[3].mod[WR_PTX_SLOT_UNI], 1);
    assert_int_equal(insns[4].operands[0].target, 1);
    assert_int_equal(insns[5].operands[0].target, 6);
    assert_int_equal(reg_of(func, &insns[1].operands[0])->type, WR_PTX_B32);
    assert_int_equal(reg_of(func, &insns[2].operands[0])->type, WR_PTX_U64);
    assert_int_equal(insns[1].operands[0].reg, insns[6].operands[0].reg);
    assert_int_not_equal(insns[1].operands[0].reg, insns[2].operands[0].reg);
    const wr_ptx_table *table = insns[7].operands[1].table;
    assert_int_equal(insns[7].op, WR_PTX_BRX);
    assert_int_equal(table->count, 3);
    assert_int_equal(table->targets[0], 1);
    assert_int_equal(table->targets[1], 8);
    assert_int_equal(table->targets[2], 1);
    wr_ptx_free(module);
}

static void test_calls(void **state)
{
    (void)state;
    wr_ptx_module *module =
        parse_good(".version 7.0\n.target sm_50\n.address_size 64\n"
                   ".func (.param .b32 r) f(.param .b32 x);\n"
                   ".extern .func g;\n"
                   ".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                   "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0+0], %r1;\n"
                   "call.uni (q0), f, (p0); ld.param.b32 %r2, [q0]; }\n"
                   "call g;\n"
                   "mov.u64 %rd1, f;\n"
                   "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                   "{ .param .b32 p0; .param .b32 q0; call (q0), %rd1, (p0), proto; }\n"
                   "ret; }\n"
                   ".func (.param .b32 r) f(.param .b32 x) { st.param.b32 [r], 1; ret; }\n");
    const wr_ptx_func *f = wr_ptx_find_func(module, "f");
    const wr_ptx_func *k = wr_ptx_find_func(module, "k");
    assert_int_equal(module->func_count, 3);
    assert_true(f->has_body);
    assert_int_equal(f->ret_count, 1);
    assert_int_equal(f->param_count, 1);
    assert_false(wr_ptx_find_func(module, "g")->has_body);
    const wr_ptx_insn *call = &k->insns[1];
    assert_int_equal(call->op, WR_PTX_CALL);
    assert_int_equal(call->operand_count, 3);
    assert_ptr_equal(call->operands[1].func, f);
    assert_int_equal(call->operands[0].count, 1);
    assert_string_equal(call->operands[0].elems[0].var->name, "q0");
    assert_string_equal(call->operands[2].elems[0].var->name, "p0");
    assert_int_equal(k->insns[3].operands[0].count, 0);
    assert_ptr_equal(k->insns[4].operands[1].func, f);
    const wr_ptx_insn *indirect = &k->insns[5];
    assert_int_equal(indirect->operand_count, 4);
    assert_int_equal(indirect->operands[1].kind, WR_PTX_OPD_REG);
    assert_int_equal(indirect->operands[3].table->kind, WR_PTX_TABLE_PROTO);
    assert_int_equal(k->var_count, 4);
    wr_ptx_free(module);
}

static void test_debug_lines(void **state)
{
    (void)state;
    wr_ptx_module *module =
        parse_good_body(".loc 1 12 5\nmov.u32 %r1, 1;\n"
                        ".loc 2 7 3, function_name $L__info+4, inlined_at 1 12 5\n"
                        "mov.u32 %r1, 2;\n");
    const wr_ptx_func *func = only_func(module);
    assert_int_equal(func->insns[0].src_file, 1);
    assert_int_equal(func->insns[0].src_line, 12);
    assert_int_equal(func->insns[1].src_file, 2);
    assert_int_equal(func->insns[1].src_line, 7);
    wr_ptx_free(module);
}

/* Registers get indices by use, so a huge range costs nothing. */
static void test_register_ranges(void **state)
{
    (void)state;
    wr_ptx_module *module =
        parse_good_body(".reg .f32 %q<2000000000>; .reg .u32 x, y1, %z01;\n"
                        "add.f32 %q1999999999, %q0, %q1999999999;\nadd.u32 x, y1, %z01;\n");
    const wr_ptx_func *func = only_func(module);
    assert_int_equal(func->reg_count, 5);
    const wr_ptx_insn *insn = func->insns;
    assert_string_equal(reg_of(func, &insn->operands[0])->name, "%q1999999999");
    assert_int_equal(insn->operands[0].reg, insn->operands[2].reg);
    assert_int_equal(reg_of(func, &insn->operands[1])->type, WR_PTX_F32);
    wr_ptx_free(module);
}

static void test_refuse(void **state)
{
    (void)state;
    wr_ptx_module *module = parse_good_body("nanosleep.u32 5;");
    wr_diag diag;
    char line[512];
    wr_ptx_refuse(&diag, module, &module->funcs->insns[0], "not modelled");
    wr_diag_format(&diag, line, sizeof line);
    assert_string_equal(line,
                        "test.ptx:12:1: error: 'nanosleep.u32' is not supported: not modelled");
    wr_ptx_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module_head),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_old),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_instruction_fields),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_labels_and_scopes),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_debug_lines),
        cmocka_unit_test(test_register_ranges),
        cmocka_unit_test(test_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
