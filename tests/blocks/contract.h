/* SPDX-License-Identifier: Apache-2.0 */
/* What every block keeps, whatever it does: checked from its descriptor and driven by its stimulus,
 * without an oracle.
 *
 *   configurations  named ones are accepted, a parameter out of its range is refused
 *   determinism     the outputs follow from configuration and inputs alone: neither from what lay
 *                   in memory before init, nor from other instances, nor from how often eval ran
 *   registered      a pin that is not combinational doesn't follow the inputs of its own cycle
 *   reset           from any point reset leads to where init leads
 *   snapshot        a copy of the state goes on as the original would have, as often as one likes,
 *                   and needs nothing of the original
 *
 * Each runs in the named configurations and in those that set one parameter to its least or most.
 * Each returns false with one line in err: block, configuration, cycle and what differed.
 */
#ifndef WR_TESTS_BLOCKS_CONTRACT_H
#define WR_TESTS_BLOCKS_CONTRACT_H

#include "dpi/block.h"

typedef bool wr_contract_check(const wr_block_desc *block, uint64_t seed, char *err,
                               size_t err_size);

wr_contract_check wr_contract_configurations;
wr_contract_check wr_contract_determinism;
wr_contract_check wr_contract_registered;
wr_contract_check wr_contract_reset;
wr_contract_check wr_contract_snapshot;

#endif
