/* SPDX-License-Identifier: Apache-2.0 */
/* me_controller: how many TBs beyond the native limit an SM may hold.
 *
 *                      +-------------------------------+
 *  start ------------> |  search, one TB a cycle:      | ---> busy, mc
 *  warps, regs ------> |    mc     native TBs          | ---> level (off, warp, tb)
 *  reduced, smem ----> |    bound  extra TBs, without  | ---> bound, needs_l1
 *  meta -------------> |           L1, else with it    |
 *                      |                               |
 *  valid, verdict ---> |  ME: 0 .. usable bound        | ---> me, bypass, frozen
 *  l1_idle ----------> |                               |
 *  launch, leave ----> |  tbs, against mc + ME         | ---> tbs, allow
 *                      +-------------------------------+ ---> fault
 *
 *  start --> native --first that does not fit--> extra [--none fits--> extra with L1] --> done
 *
 * The bound of the paper is a minimum of quotients. Here TBs are added until one does not fit, with
 * an adder and a comparison per resource and no divider: at most 32 + 32 cycles a kernel.
 * Invariants: MC + ME <= Tbs; ME is 0 while level is off; the TBs that are counted never pass the
 * bound that held when the last of them was launched.
 *
 * Not modelled: which TB is extra (whose context is spilled), addresses of spilled contexts, the
 * eviction of TBs when ME falls (there is none), how L1 is emptied before it holds contexts.
 *
 * Source: Lin-D 3.6.4 (bounds and policy), 3.6.6 (level of switching), 3.7.2 (its examples).
 */
#ifndef WR_REFMODEL_DUET_ME_CONTROLLER_H
#define WR_REFMODEL_DUET_ME_CONTROLLER_H

#include "refmodel/contract.h"
#include "refmodel/gen/me_controller_pins.h"

typedef struct wr_me_controller {
    wr_me_controller_cfg cfg;

    uint8_t phase_q; /* 2 bits: 0 before the first start, 1 native, 2 extra, 3 done */
    bool l1_q;       /* extra TBs are searched, or were found, with L1 */
    bool lim_reg_q;
    bool lim_smem_q;
    uint8_t warps_q; /* 6 bits: the kernel's figures */
    uint16_t regs_q;
    uint16_t reduced_q;
    uint16_t smem_q;
    uint8_t meta_q;
    uint8_t mc_q;    /* 6 bits */
    uint8_t bound_q; /* 6 bits */
    bool bypass_q;
    bool frozen_q;
    bool seen_q;    /* the first verdict has been taken */
    uint8_t safe_q; /* ME in force at the last unsaturated verdict */
    uint8_t me_q;
    uint8_t tbs_q;
    bool fault_q;
} wr_me_controller;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range, or Warps is
 * below WarpSlots or Tbs below TbSlots. */
wr_status wr_me_controller_init(wr_me_controller *s, const wr_me_controller_cfg *cfg);

void wr_me_controller_reset(wr_me_controller *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_me_controller_eval(const wr_me_controller *s, const wr_me_controller_in *in,
                           wr_me_controller_out *out);

/* The clock edge. */
void wr_me_controller_tick(wr_me_controller *s, const wr_me_controller_in *in);

#endif
