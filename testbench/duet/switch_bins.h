/* SPDX-License-Identifier: Apache-2.0 */
/* What the stimulus of context_switch_logic counts: switches and their corners, faults of each step
 * while none has shown, and comparators whose operands meet but for one bit. */
#ifndef WR_TESTBENCH_DUET_SWITCH_BINS_H
#define WR_TESTBENCH_DUET_SWITCH_BINS_H

#include "testbench/duet/switch_kernels.h"
#include "testbench/stim.h"

#define BINS                                                                                       \
    BIN(EXCHANGE_WARP, "exchange of warps")                                                        \
    BIN(EXCHANGE_TB, "exchange of TBs")                                                            \
    BIN(EXCHANGE_META, "exchange of warps, only metadata moves")                                   \
    BIN(IN_WARP, "warp in")                                                                        \
    BIN(IN_TB, "TB in")                                                                            \
    BIN(IN_META, "warp in, only metadata moves")                                                   \
    BIN(OUT_WARP, "warp out to shared memory")                                                     \
    BIN(OUT_TB, "TB out to the register file")                                                     \
    BIN(OUT_META, "warp out, only metadata moves")                                                 \
    BIN(OUT_L1, "out to the L1")                                                                   \
    BIN(OUT_NONE, "out without room becomes back, no L1")                                          \
    BIN(OUT_NONE_L1, "out without room becomes back, L1 too")                                      \
    BIN(IN_NONE, "in without room")                                                                \
    BIN(IN_YIELDS, "in without room, then the stalled unit goes first")                            \
    BIN(BACK_WARP, "warp back")                                                                    \
    BIN(BACK_TB, "TB back")                                                                        \
    BIN(BACK_OFF, "back at level off")                                                             \
    BIN(BACK_UNWANTED, "back: may leave, nobody wants its place")                                  \
    BIN(ONE_TOO_FEW, "the largest TB ready, one slot too few")                                     \
    BIN(NO_SLOTS, "a ready unit waits for slots")                                                  \
    BIN(READY_OFF, "a ready unit at level off")                                                    \
    BIN(LAST_SLOT, "the last free slots are just enough")                                          \
    BIN(ONE_WARP, "TB of one warp switched")                                                       \
    BIN(MOST_WARPS, "TB of the most warps switched")                                               \
    BIN(VIA_READY, "absent warp of a TB comes in by way of ready")                                 \
    BIN(MOVE_ONCE, "a move is done at once")                                                       \
    BIN(MOVE_WAITS, "a move takes its time")                                                       \
    BIN(META_ONCE, "metadata are moved at once")                                                   \
    BIN(META_WAITS, "metadata take their time")                                                    \
    BIN(META_OUT_WARP, "metadata of a warp out")                                                   \
    BIN(META_IN_WARP, "metadata of a warp in")                                                     \
    BIN(META_EXCHANGE_WARP, "metadata of two warps exchanged")                                     \
    BIN(META_OUT_TB, "metadata of a TB's last warp out")                                           \
    BIN(META_IN_TB, "metadata of a TB's last warp in")                                             \
    BIN(META_EXCHANGE_TB, "metadata of two TBs' last warps exchanged")                             \
    BIN(ALONE_OUT, "warp out without a move before its metadata's")                                \
    BIN(ALONE_IN, "warp in without a move before its metadata's")                                  \
    BIN(ALONE_EXCHANGE, "exchange without a move before the metadata's")                           \
    BIN(ALONE_L1, "warp out to the L1 without a move before its metadata's")                       \
    BIN(LAST_TAKE, "the last warp of the largest TB takes a slot")                                 \
    BIN(WRAP, "metadata address wraps")                                                            \
    BIN(LAST_TB, "TB 31 in a mask")                                                                \
    BIN(LAST_INDEX, "last warp of its TB in a mask")                                               \
    BIN(TABLE_TWICE, "tables answer in two cycles running")                                        \
    BIN(TABLE_WAITS, "tables keep a request waiting")                                              \
    BIN(BITMAP_WAITS, "bitmap keeps a request waiting")                                            \
    BIN(CFG, "figures taken")                                                                      \
    BIN(CFG_BOTH, "registers and shared memory both limit")                                        \
    BIN(LIMITS_0, "figures of limits 0")                                                           \
    BIN(LIMITS_1, "figures of limits 1")                                                           \
    BIN(LIMITS_2, "figures of limits 2")                                                           \
    BIN(LIMITS_3, "figures of limits 3")                                                           \
    BIN(LIMITS_4, "figures of limits 4")                                                           \
    BIN(LIMITS_5, "figures of limits 5")                                                           \
    BIN(LIMITS_6, "figures of limits 6")                                                           \
    BIN(LIMITS_7, "figures of limits 7")                                                           \
    BIN(FULL_UNUSED, "full below lines where it is not looked at")                                 \
    BIN(LINES_UNUSED, "lines 0 where they are not looked at")                                      \
    BIN(CFG_OFFER, "figures taken while an exchange is offered")                                   \
    BIN(CFG_OUT, "cfg during an out")                                                              \
    BIN(CFG_IN, "cfg during an in")                                                                \
    BIN(CFG_EXCHANGE, "cfg during an exchange")                                                    \
    BIN(CFG_BACK, "cfg during a back")                                                             \
    BIN(GONE_READ_OUT, "stalled unit gone in read_out")                                            \
    BIN(GONE_ALLOC, "stalled unit gone in alloc")                                                  \
    BIN(GONE_L1, "stalled unit gone in alloc_l1")                                                  \
    BIN(GONE_READ_IN, "ready unit gone in read_in")                                                \
    BIN(GONE_ALLOC_IN, "ready unit gone in alloc")                                                 \
    BIN(ID_OUT, "out of a unit that cannot be")                                                    \
    BIN(ID_IN, "in of a unit that cannot be")                                                      \
    BIN(ID_EXCHANGE, "exchange of a stalled unit that cannot be")                                  \
    BIN(ID_EXCHANGE_IN, "exchange with a ready unit that cannot be")                               \
    BIN(ID_BACK, "back of a unit that cannot be")                                                  \
    BIN(ID_EDGE, "TB whose last warp is 127")                                                      \
    BIN(ID_WARP_EDGE, "last warp of TB 31")                                                        \
    BIN(ID_WARP_FIRST, "warp behind the last of TB 31")                                            \
    BIN(ID_FULL, "TB 31 of the most warps")                                                        \
    BIN(ID_32, "id of a TB with bit 5")                                                            \
    BIN(ID_64, "id of a TB with bit 6")                                                            \
    BIN(ID_127, "warp 127")                                                                        \
    BIN(TAB_ACK_IDLE, "tab_ack in idle")                                                           \
    BIN(TAB_ACK_MOVE, "tab_ack in move")                                                           \
    BIN(TAB_ACK_META, "tab_ack in meta")                                                           \
    BIN(TAB_ACK_ALLOC, "tab_ack in alloc")                                                         \
    BIN(TAB_ACK_L1, "tab_ack in alloc_l1")                                                         \
    BIN(TAB_ACK_FREE, "tab_ack in free")                                                           \
    BIN(MEM_ACK_IDLE, "mem_ack in idle")                                                           \
    BIN(MEM_ACK_MOVE, "mem_ack in move")                                                           \
    BIN(MEM_ACK_META, "mem_ack in meta")                                                           \
    BIN(MEM_ACK_READ, "mem_ack in read_out or read_in")                                            \
    BIN(MEM_ACK_RD, "mem_ack in rd_out or rd_in")                                                  \
    BIN(MEM_ACK_WR, "mem_ack in wr_out or wr_in")                                                  \
    BIN(MEM_ACK_LEFT, "mem_ack in addr_out or mask_out")                                           \
    BIN(MEM_ACK_CAME, "mem_ack in addr_in or mask_in")                                             \
    BIN(MOVE_ACK_IDLE, "a move_ack that nobody asked for, in idle")                                \
    BIN(MOVE_ACK_ALLOC, "a move_ack that nobody asked for, in alloc")                              \
    BIN(MOVE_ACK_L1, "a move_ack that nobody asked for, in alloc_l1")                              \
    BIN(MOVE_ACK_FREE, "a move_ack that nobody asked for, in free")                                \
    BIN(MOVE_ACK_READ, "a move_ack that nobody asked for, in read_out or read_in")                 \
    BIN(MOVE_ACK_RD, "a move_ack that nobody asked for, in rd_out or rd_in")                       \
    BIN(MOVE_ACK_WR, "a move_ack that nobody asked for, in wr_out or wr_in")                       \
    BIN(MOVE_ACK_LEFT, "a move_ack that nobody asked for, in addr_out or mask_out")                \
    BIN(MOVE_ACK_CAME, "a move_ack that nobody asked for, in addr_in or mask_in")                  \
    BIN(BOTH_ACKS, "both acks in one cycle")                                                       \
    BIN(OUT_RUNNING, "a warp that leaves is running")                                              \
    BIN(OUT_ABSENT, "a warp that leaves is absent")                                                \
    BIN(OUT_READY, "a warp that leaves is ready")                                                  \
    BIN(IN_RUNNING, "a warp that comes in is running")                                             \
    BIN(IN_STALLED, "a warp that comes in is stalled")                                             \
    BIN(IN_ABSENT, "a warp that comes in alone is absent")                                         \
    BIN(META_BELOW, "metadata of a warp that comes in, at 0xBFF")                                  \
    BIN(META_AT, "metadata of a warp that comes in, at 0xC00")                                     \
    BIN(SLOT_63, "slot 63 taken or given")                                                         \
    BIN(EXCHANGE_FULL, "exchange with no slot free")                                               \
    BIN(BACK_MAY_NOT, "back: wanted, but it may not leave")                                        \
    BIN(YIELD_BACK, "in without room, then a stalled unit goes back")                              \
    BIN(IN_AGAIN, "in without room begins again")                                                  \
    BIN(MOST_LINES, "most lines of a unit asked for")                                              \
    BIN(FAULT, "fault")

#define BIN(id, text) text,
static const char *const bin_names[] = {BINS};
#undef BIN
#define BIN(id, text) BIN_##id,
enum { BINS BIN_COUNT };
#undef BIN

/* Operands that differ in one bit alone, each bit. */
static const wr_near nears[] = {
    {.name = "warps and TbWarps", .width = 6},
    {.name = "warps and 0", .width = 6},
    {.name = "lines of TBs and 0", .width = LINE_BITS},
    {.name = "full and 0", .width = LINE_BITS},
    {.name = "full below lines", .width = LINE_BITS},
    {.name = "free slots and warps of a ready TB", .width = 6},
    {.name = "head of the stalled queue and the unit of the out", .width = ID_BITS},
    {.name = "head of the ready queue and the unit of the in", .width = ID_BITS},
    {.name = "metadata of a warp that leaves and the slots", .width = 6},
};
enum {
    NEAR_WARPS_MOST = BIN_COUNT,
    NEAR_WARPS_0,
    NEAR_LINES_0,
    NEAR_FULL_0,
    NEAR_FULL,
    NEAR_SLOTS,
    NEAR_STALLED,
    NEAR_READY,
    NEAR_META,
};

#endif
