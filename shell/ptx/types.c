/* SPDX-License-Identifier: Apache-2.0 */
/* Types and special registers by name. */
#include <string.h>

#include "shell/ptx/form.h"

typedef enum type_class {
    CLASS_UNSIGNED,
    CLASS_SIGNED,
    CLASS_BITS,
    CLASS_FLOAT,
    CLASS_FORMAT,
    CLASS_PRED
} type_class;

typedef struct type_info {
    const char *name;
    uint8_t size;
    uint8_t class_of;
} type_info;

static const type_info types[WR_PTX_TYPE_COUNT] = {
    [WR_PTX_TYPE_NONE] = {"", 0, CLASS_BITS},      [WR_PTX_U8] = {"u8", 1, CLASS_UNSIGNED},
    [WR_PTX_U16] = {"u16", 2, CLASS_UNSIGNED},     [WR_PTX_U32] = {"u32", 4, CLASS_UNSIGNED},
    [WR_PTX_U64] = {"u64", 8, CLASS_UNSIGNED},     [WR_PTX_S8] = {"s8", 1, CLASS_SIGNED},
    [WR_PTX_S16] = {"s16", 2, CLASS_SIGNED},       [WR_PTX_S32] = {"s32", 4, CLASS_SIGNED},
    [WR_PTX_S64] = {"s64", 8, CLASS_SIGNED},       [WR_PTX_B8] = {"b8", 1, CLASS_BITS},
    [WR_PTX_B16] = {"b16", 2, CLASS_BITS},         [WR_PTX_B32] = {"b32", 4, CLASS_BITS},
    [WR_PTX_B64] = {"b64", 8, CLASS_BITS},         [WR_PTX_B128] = {"b128", 16, CLASS_BITS},
    [WR_PTX_F16] = {"f16", 2, CLASS_FLOAT},        [WR_PTX_F32] = {"f32", 4, CLASS_FLOAT},
    [WR_PTX_F64] = {"f64", 8, CLASS_FLOAT},        [WR_PTX_F16X2] = {"f16x2", 4, CLASS_FLOAT},
    [WR_PTX_BF16] = {"bf16", 2, CLASS_FLOAT},      [WR_PTX_BF16X2] = {"bf16x2", 4, CLASS_FLOAT},
    [WR_PTX_TF32] = {"tf32", 4, CLASS_FLOAT},      [WR_PTX_U16X2] = {"u16x2", 4, CLASS_UNSIGNED},
    [WR_PTX_E4M3X2] = {"e4m3x2", 2, CLASS_FORMAT}, [WR_PTX_E5M2X2] = {"e5m2x2", 2, CLASS_FORMAT},
    [WR_PTX_U2] = {"u2", 1, CLASS_FORMAT},         [WR_PTX_S2] = {"s2", 1, CLASS_FORMAT},
    [WR_PTX_U4] = {"u4", 1, CLASS_FORMAT},         [WR_PTX_S4] = {"s4", 1, CLASS_FORMAT},
    [WR_PTX_S16X2] = {"s16x2", 4, CLASS_SIGNED},   [WR_PTX_PRED] = {"pred", 0, CLASS_PRED},
};

unsigned wr_ptx_type_size(wr_ptx_type type)
{
    return types[type].size;
}

const char *wr_ptx_type_name(wr_ptx_type type)
{
    return types[type].name;
}

bool wr_ptx_type_is_float(wr_ptx_type type)
{
    return types[type].class_of == CLASS_FLOAT;
}

bool wr_ptx_type_is_signed(wr_ptx_type type)
{
    return types[type].class_of == CLASS_SIGNED;
}

bool wr_ptx_type_is_bits(wr_ptx_type type)
{
    return type != WR_PTX_TYPE_NONE && types[type].class_of == CLASS_BITS;
}

bool wr_ptx_type_is_format(wr_ptx_type type)
{
    return types[type].class_of == CLASS_FORMAT;
}

wr_ptx_type wr_ptx_type_find(const char *name, size_t len)
{
    for (unsigned i = 1; i < WR_PTX_TYPE_COUNT; i++) {
        if (strlen(types[i].name) == len && memcmp(types[i].name, name, len) == 0) {
            return (wr_ptx_type)i;
        }
    }
    return WR_PTX_TYPE_NONE;
}

wr_ptx_sreg wr_ptx_sreg_find(const char *name, size_t len)
{
    for (unsigned i = 0; i < WR_PTX_SREG_COUNT; i++) {
        const char *known = wr_ptx_sregs[i].name;
        if (strlen(known) == len && memcmp(known, name, len) == 0) {
            return (wr_ptx_sreg)i;
        }
    }
    return WR_PTX_SREG_COUNT;
}
