/* SPDX-License-Identifier: Apache-2.0 */
/* Address mapping; see address.h. */
#include "shell/config/address.h"

#include <string.h>

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* Appends bit `from` above the bits that the field has. False: too many pieces. */
static bool append(wr_address_field *f, uint32_t from)
{
    if (f->parts == 0 || f->part[f->parts - 1].above != from) {
        if (f->parts == WR_ADDRESS_PARTS) {
            return false;
        }
        f->part[f->parts].mask = 0;
        f->part[f->parts].down = (uint8_t)(from - f->bits);
        f->parts++;
    }
    f->part[f->parts - 1].mask |= UINT64_C(1) << f->bits;
    f->part[f->parts - 1].above = (uint8_t)(from + 1);
    f->bits++;
    return true;
}

static uint32_t gather(const wr_address_field *f, uint64_t addr)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < f->parts; i++) {
        value |= addr >> f->part[i].down & f->part[i].mask;
    }
    return (uint32_t)value;
}

const char *wr_address_init(wr_address_map *map, const wr_gpu_config *cfg)
{
    const wr_dram_config *d = &cfg->dram;
    size_t bits = strlen(d->address_map);
    uint32_t bytes = 0;
    bool fits = true;
    *map = (wr_address_map){.channels = d->channels - d->cpu_channels,
                            .cpu_channels = d->cpu_channels,
                            .cpu_from = d->cpu_channels != 0 ? WR_CONFIG_CPU_BASE : UINT64_MAX,
                            .interleave = log2_of(d->interleave),
                            .slices = cfg->l2.banks / d->channels};
    for (uint32_t i = 0; i < bits; i++) {
        char what = d->address_map[bits - 1 - i];
        bool slice = what == 'B' && map->bank.bits < log2_of(map->slices);
        if (i >= log2_of(cfg->l2.line_bytes) && !slice) {
            fits = append(&map->set, i) && fits;
        }
        switch (what) {
        case 'R':
            fits = append(&map->row, i) && fits;
            break;
        case 'B':
            fits = append(&map->bank, i) && fits;
            break;
        case 'C':
            fits = append(&map->column, i) && fits;
            break;
        case 'S':
            if (bytes != i) {
                return "its S bits must be the lowest ones";
            }
            bytes++;
            break;
        default:
            return "it has letters other than R, B, C and S";
        }
    }
    if (!fits) {
        return "its fields are cut into too many pieces";
    }
    if (bits > 40 || map->row.bits > 32 || map->set.bits > 32) {
        return "it is too long";
    }
    if (bytes >= 32 || 1u << bytes != d->burst_bytes) {
        return "its S bits do not make one burst (dram.burst_bytes)";
    }
    if (1u << map->bank.bits != d->banks) {
        return "its B bits do not make dram.banks";
    }
    uint32_t in_line = log2_of(cfg->l2.line_bytes);
    for (uint32_t i = bytes; i < in_line; i++) {
        if (bits <= i || d->address_map[bits - 1 - i] != 'C') {
            return "an L2 line is not consecutive columns of one row";
        }
    }
    return NULL;
}

/* The channel, and the address inside it. */
static uint32_t split(const wr_address_map *map, uint64_t addr, uint64_t *inside)
{
    uint32_t first = 0;
    uint32_t channels = map->channels;
    if (addr >= map->cpu_from) {
        addr -= map->cpu_from;
        first = channels;
        channels = map->cpu_channels;
    }
    uint64_t chunk = addr >> map->interleave;
    *inside = chunk / channels << map->interleave | (addr & ((UINT64_C(1) << map->interleave) - 1));
    return first + (uint32_t)(chunk % channels);
}

wr_place wr_address_place(const wr_address_map *map, uint64_t addr)
{
    uint64_t inside;
    wr_place p = {.channel = split(map, addr, &inside)};
    p.row = gather(&map->row, inside);
    p.bank = gather(&map->bank, inside);
    p.column = gather(&map->column, inside);
    p.slice = p.bank & (map->slices - 1);
    p.line = gather(&map->set, inside);
    return p;
}

uint32_t wr_address_line(const wr_address_map *map, uint64_t addr)
{
    uint64_t inside;
    (void)split(map, addr, &inside);
    return gather(&map->set, inside);
}

uint32_t wr_address_l2_bank(const wr_address_map *map, uint64_t addr)
{
    uint64_t inside;
    uint32_t channel = split(map, addr, &inside);
    uint32_t slice = map->slices > 1 ? gather(&map->bank, inside) & (map->slices - 1) : 0;
    return channel * map->slices + slice;
}
