/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on single blocks share: names to blocks and configurations, numbers, JSON.
 * Each prints its own message on standard error and returns false where the input is bad. */
#ifndef WR_TOOLS_CMD_BLOCK_H
#define WR_TOOLS_CMD_BLOCK_H

#include "dpi/block.h"
#include "tools/commands.h"

#include <argp.h>
#include <cjson/cJSON.h>

enum { WR_EXIT_PASS = 0, WR_EXIT_FAIL = 1, WR_EXIT_USAGE = 2 };

const wr_block_desc *wr_cmd_block(const char *name);

/* Options --param Name=value, as they came. */
typedef struct wr_cmd_params {
    const char *text[32];
    size_t count;
} wr_cmd_params;

/* Takes one; false with a message where there are too many. */
bool wr_cmd_add_param(wr_cmd_params *params, const char *text);

/* The named configuration with these parameters on top. Its name is that of the configuration which
 * it equals, else "custom". Whether the block can be had so is for its init to say. */
bool wr_cmd_configure(const wr_block_desc *block, const char *name, const wr_cmd_params *params,
                      wr_config_desc *config);

/* A whole number of decimal digits, min to max; `what` names the option. */
bool wr_cmd_number(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* Ends the program with a usage error that says what is wanted and names the blocks. */
void wr_cmd_want_block(const struct argp_state *state, const char *wanted);

/* A number of any size: cJSON's own are doubles. */
void wr_cmd_json_u64(cJSON *object, const char *name, uint64_t value);

/* The parameters of a block under a configuration, as an object. */
void wr_cmd_json_params(cJSON *object, const char *name, const wr_block_desc *block,
                        const uint32_t *values);

/* Prints the tree on standard output and frees it; false where memory ran out. */
bool wr_cmd_json_print(cJSON *root);

#endif
