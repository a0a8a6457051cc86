/* SPDX-License-Identifier: Apache-2.0 */
/* A port: how the shell talks to one instance of a block, whatever stands behind its pins.
 *
 *   model     the C model, called directly, nothing packed
 *   rtl       the Verilated block alone
 *   lockstep  the Verilated block drives, the checker bound inside it calls the C model every
 *             cycle and compares every output
 *
 * The typed functions are generated, dpi/gen/<block>_port.h:
 *
 *   bool wr_<block>_port_open (wr_port_<block> *p, wr_backend backend, const wr_<block>_cfg *cfg,
 *                              char *err, size_t err_size);
 *   bool wr_<block>_port_open_behind(wr_port_<block> *p, const wr_behind *behind,
 *                                    const wr_<block>_cfg *cfg, char *err, size_t err_size);
 *   void wr_<block>_port_reset(wr_port_<block> *p);
 *   void wr_<block>_port_eval (wr_port_<block> *p, const wr_<block>_in *in, wr_<block>_out *out);
 *   void wr_<block>_port_tick (wr_port_<block> *p, const wr_<block>_in *in);
 *   void wr_<block>_port_close(wr_port_<block> *p);
 *
 * and of a free-running block
 *
 *   void     wr_<block>_port_skip (wr_port_<block> *p, const wr_<block>_in *in, uint64_t n);
 *   uint64_t wr_<block>_port_quiet(const wr_port_<block> *p, const wr_<block>_in *in);
 *
 * open allocates and returns false with one line in err (bad configuration, or RTL that cannot be
 * had). It resets. No other function allocates or fails. The RTL of a named configuration is the
 * build's; in any other parameters that init accepts it is Verilated on first use and kept
 * (dpi/rtl_cache.h).
 *
 * Rules for the caller:
 * - every tick follows an eval with the same inputs, outputs being what eval last gave;
 *   eval may be repeated with other inputs before the tick (combinational handshakes);
 * - an idle block need not be clocked: the caller leaves out eval and tick of cycles in which
 *   the block's inputs are all inactive and its state would hold. Such cycles are not counted.
 *   Which blocks hold, and how long others go on, stands in [time] of the toml and on the page;
 * - a free-running block (windows, epochs, intervals) goes on for ever. Its caller need not clock
 * it in every cycle either: skip makes up for n cycles in which the inputs were the same, at once
 * in the model; in rtl and lockstep the clock runs n times, and the checker compares each.
 * Observers see every cycle. A skip counts n cycles and, in every backend, no transaction: a cycle
 * with a handshake is the caller's to tick. The next tick follows an eval again;
 * - when such a block next says something, quiet tells: so many ticks with these inputs leave
 *   every output as it is now, and the tick behind them changes one. In lockstep the checker's
 * model is asked. In rtl nobody can be: quiet is 0, and a caller that skips goes by what it set
 * itself, the length of the window (a parameter) and the cycle in which it started;
 * - a port belongs to one thread at a time; several ports are independent of each other;
 * - the struct must not move between open and close.
 */
#ifndef WR_DPI_PORT_H
#define WR_DPI_PORT_H

#include "dpi/align.h"
#include "dpi/block.h"
#include "dpi/rtl_abi.h"

typedef enum wr_backend {
    WR_BACKEND_MODEL,
    WR_BACKEND_RTL,
    WR_BACKEND_LOCKSTEP,
} wr_backend;

/* Counts of one port since open; a reset does not clear them. A transaction is a clocked cycle
 * in which at least one handshake completes: `valid` or `x_valid` meets its ready (inputs and
 * outputs alike) or, as an input without one, is 1; `flush` meets ready; or `start` comes while
 * busy is 0 or the block has no busy pin. For a block without any of these pins it is a cycle
 * with an operation: `op` is not 0 or an input of one bit is 1. A comparison is one output pin or
 * compared register (an array counts once) in one cycle. */
typedef struct wr_port_stats {
    uint64_t cycles;       /* clocked cycles */
    uint64_t transactions; /* cycles, as above */
    uint64_t comparisons;  /* pins compared; 0 unless lockstep */
    uint64_t mismatches;   /* cycles in which at least one output differed */
} wr_port_stats;

struct wr_port;

/* Sees every clocked cycle of a port with its settled pins, before the clock edge. Owned by
 * the caller; must outlive the port. For recorders of vectors and waves. */
typedef struct wr_observer {
    void (*cycle)(void *ctx, const struct wr_port *port, const void *in, const void *out);
    void (*reset)(void *ctx, const struct wr_port *port); /* may be NULL */
    void *ctx;
    struct wr_observer *next; /* set by wr_port_observe */
} wr_observer;

struct wr_rtl;
struct wr_checker;
struct wr_pulse;
struct wr_own_rtl;

/* RTL that is not ours, behind one port. */
typedef struct wr_port_own {
    const char *lib;        /* the Verilated object */
    struct wr_pulse *pulse; /* for who watches it (dpi/pulse.h); NULL: nobody */
    wr_align align;         /* how its outputs meet the model's in lockstep */
    wr_rtl_start start;     /* random, by the seed, unless set */
} wr_port_own;

/* What stands behind the ports of a run: one backend, and behind some blocks RTL that is not ours
 * (dpi/own_rtl.h; NULL: none). */
typedef struct wr_behind {
    wr_backend backend;
    struct wr_own_rtl *own;
} wr_behind;

/* The part of a port that does not know its block's types; first member of wr_port_<block>. */
typedef struct wr_port {
    const wr_block_desc *block;
    const void *cfg;            /* the wr_<block>_cfg inside the typed port */
    void *model;                /* the wr_<block> inside the typed port */
    struct wr_rtl *rtl;         /* NULL for model */
    struct wr_checker *checker; /* NULL unless lockstep */
    wr_observer *observers;
    wr_port_stats count;
    wr_backend backend;
    bool transfer;                   /* the last eval completed a handshake */
    bool settled;                    /* RTL: nothing has changed since the last eval */
    uint32_t words_in[WR_MAX_WORDS]; /* RTL: packed inputs of the last eval, and as they came */
    uint8_t pins_in[WR_MAX_PINS_BYTES];
    uint32_t words_out[WR_MAX_WORDS];
} wr_port;

/* Reads "model", "rtl" or "lockstep"; false for anything else. */
bool wr_backend_parse(const char *text, wr_backend *backend);
const char *wr_backend_name(wr_backend backend);

wr_port_stats wr_port_get_stats(const wr_port *port);

/* Adds an observer: each one added is called every cycle, the last added first. */
void wr_port_observe(wr_port *port, wr_observer *observer);

/* Of a lockstep port: text of the first mismatch (block, cycle, pin, expected, got), or NULL.
 * The last 1,000 cycles are written as a wave by wr_wave_dump (dpi/block_wave.h). */
const char *wr_port_mismatch(const wr_port *port);

/* Of a lockstep port, before a reset: as if there had been no mismatch yet. */
void wr_port_forget(wr_port *port);

/* After a tick: true where the block differs from its model, ended the simulation, or raised its
 * fault pin, which is the caller's (the wr_<block>_out of the tick; a block without the pin:
 * false). text says block, cycle, pin, expected, got. */
bool wr_port_failed(const wr_port *port, bool fault, char *text, size_t text_size);

/* The untyped form, for tools that work with any block: cfg, model, in and out are the block's
 * structs (sizes in wr_block_desc), owned by the caller; cfg and model must outlive the port.
 * own NULL: the block's own RTL, found or built in these parameters. seed gives the RTL's registers
 * their random value before reset, unless own says where they start. */
bool wr_port_open(wr_port *port, const wr_block_desc *block, wr_backend backend, const void *cfg,
                  void *model, const wr_port_own *own, uint64_t seed, char *err, size_t err_size);

/* The same for a run that may have RTL of its own behind some blocks, which is Verilated here. */
bool wr_port_open_behind(wr_port *port, const wr_block_desc *block, const wr_behind *behind,
                         const void *cfg, void *model, char *err, size_t err_size);
void wr_port_reset(wr_port *port);
void wr_port_eval(wr_port *port, const void *in, void *out);
void wr_port_tick(wr_port *port, const void *in);
void wr_port_close(wr_port *port);

/* The RTL's final blocks, before it is asked whether it stopped; the port is not driven any more.
 */
void wr_port_finish(const wr_port *port);

/* n cycles of any block with the same inputs, counted as a skip is. The model of one that does not
 * run freely is ticked until it stands still; mark has room for its state. */
void wr_port_hold(wr_port *port, const void *in, uint64_t n, void *mark);

/* Of free-running blocks. */
void wr_port_skip(wr_port *port, const void *in, uint64_t n);
uint64_t wr_port_quiet(const wr_port *port, const void *in);

/* The simulator stopped: RTL called $fatal, $stop or $finish, one of its assertions failed, or it
 * does not settle. Where and by what, or "". */
bool wr_port_stopped(const wr_port *port);
const char *wr_port_stop_text(const wr_port *port);

/* Registers of the RTL that are compared beside its pins; none from now on, lockstep only. */
uint32_t wr_port_registers(const wr_port *port);
void wr_port_pins_only(wr_port *port);

/* Verilator's own waveform, every signal inside the RTL, from now on; lockstep only. */
bool wr_port_trace_rtl(wr_port *port, const char *path);

/* Counters of lines and toggled bits inside the RTL, of an object that has them (mode coverage of
 * verilate.sh): how many, and where they stand; 0 of any other. Written for verilator_coverage. */
uint32_t wr_port_coverage(const wr_port *port, wr_rtl_points of, uint32_t **counts);
bool wr_port_write_coverage(const wr_port *port, const char *path);

/* What the typed functions call; not for callers. */
void wr_port_reset_rtl(wr_port *port);
void wr_port_eval_rtl(wr_port *port, const void *in, void *out);
void wr_port_tick_rtl(wr_port *port, const void *in);
void wr_port_tell(const wr_port *port, const void *in, const void *out);
void wr_port_tell_reset(const wr_port *port);

#endif
