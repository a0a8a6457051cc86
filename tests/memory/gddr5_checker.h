/* SPDX-License-Identifier: Apache-2.0 */
/* A protocol checker for one GDDR5 channel: it sees each command as it leaves and knows the
 * timing table (Kayiran Table I; wr_gddr5_timing), and nothing of how the channel schedules.
 *
 * A rule is a distance in command clocks between two events, or a state that a command needs.
 * The checker keeps, for each bank, group and the channel, when each kind of command was last
 * given, and holds every command against every rule that names it. It may join a channel that
 * runs already: what it has not seen, it does not judge.
 */
#ifndef WR_TESTS_MEMORY_GDDR5_CHECKER_H
#define WR_TESTS_MEMORY_GDDR5_CHECKER_H

#include "shell/memory/gddr5.h"

typedef enum gddr5_rule {
    GDDR5_RULE_CLOCK,     /* one command a clock, and clocks ascend */
    GDDR5_RULE_CLOSED,    /* the command needs its bank closed */
    GDDR5_RULE_OPEN,      /* the command needs its bank open */
    GDDR5_RULE_ROW,       /* the column command is for the open row */
    GDDR5_RULE_CCD,       /* column to column */
    GDDR5_RULE_CCDL,      /* column to column of the same group */
    GDDR5_RULE_RRD,       /* activate to activate of another bank */
    GDDR5_RULE_RCD,       /* activate to column */
    GDDR5_RULE_RAS,       /* activate to precharge */
    GDDR5_RULE_RP,        /* precharge to activate or refresh */
    GDDR5_RULE_RC,        /* activate to activate of the same bank, or to refresh */
    GDDR5_RULE_CDLR,      /* end of write data to read command */
    GDDR5_RULE_WR,        /* end of write data to precharge */
    GDDR5_RULE_RTP,       /* read to precharge */
    GDDR5_RULE_BUS,       /* the data of two column commands do not overlap */
    GDDR5_RULE_TURN,      /* end of read data to write data */
    GDDR5_RULE_RFC,       /* refresh to activate or refresh */
    GDDR5_RULE_EARLY,     /* refresh n is not before n * refi */
    GDDR5_RULE_POSTPONED, /* refresh n comes as soon after n * refi as its banks can close */
    GDDR5_RULES,
} gddr5_rule;

/* Clocks for which the data bus is idle between read data and write data. */
#define GDDR5_TURN_CLOCKS 2

typedef struct gddr5_finding {
    uint64_t clock;
    wr_gddr5_command command;
    uint32_t bank;
    gddr5_rule rule;
    int64_t got, required; /* clocks; of a state: 0 and 1 */
} gddr5_finding;

typedef struct gddr5_checker {
    wr_gddr5_timing t;
    uint32_t banks, groups, burst_clocks;
    struct {
        enum { GDDR5_UNKNOWN, GDDR5_CLOSED, GDDR5_OPEN } state;
        uint32_t row; /* of an open bank */
        int64_t activated, precharged, read, written;
    } bank[WR_GDDR5_MAX_BANKS];
    int64_t group_column[WR_GDDR5_MAX_GROUPS];
    int64_t activated, column, read, written, refreshed, last;
    uint32_t last_bank;         /* of `activated` */
    int64_t due;                /* of the next refresh; GDDR5_NEVER: not known, or none */
    int64_t slack[GDDR5_RULES]; /* least of got - required over all commands */
    uint64_t commands, findings;
    gddr5_finding first;
} gddr5_checker;

/* `from_start`: the channel has given no command yet, and its clock is 0. */
void gddr5_checker_init(gddr5_checker *c, const wr_gddr5_config *cfg, bool from_start);
/* A wr_gddr5_watch, `arg` being the checker. */
void gddr5_checker_watch(void *arg, uint64_t clock, wr_gddr5_command command, uint32_t bank,
                         uint32_t row, uint32_t column);
/* Whether a command would keep all rules; changes nothing. */
bool gddr5_checker_allows(const gddr5_checker *c, uint64_t clock, wr_gddr5_command command,
                          uint32_t bank, uint32_t row);
/* The run has ended before `clock`: no refresh may be missing. */
void gddr5_checker_end(gddr5_checker *c, uint64_t clock);

const char *gddr5_rule_name(gddr5_rule rule);
/* The first finding in words. */
void gddr5_checker_describe(const gddr5_checker *c, char *text, size_t size);

#endif
